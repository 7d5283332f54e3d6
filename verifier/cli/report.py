"""``verify report``."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import check_writable, note, say, write
from verifier.cli.parameters import one_of
from verifier.cli.paths import FileToRead, FileToWrite, SpecName
from verifier.cli.specs import SPEC_HELP, parse_settings, reading_of, reading_options
from verifier.errors import UsageError
from verifier.printable import printable_text
from verifier.report.formats import FORMATS, format_of, render

_FORMAT_HELP = "What to write. [default: what the ending of --out says (.md, .json, .xml, .html), else text]"
_OUT_HELP = "Write to FILE instead of standard output."
_HTML_HELP = "Short for --format html --out FILE."
_OLDER_HELP = "For a sweep's folder: also show outdated rows, e.g. of older versions of a spec."
_SPEC_HELP = (
    "For a trace: the protocol to replay it against. [default: the one it names, if it is built in] "
    f"{SPEC_HELP}"
)


@click.command("report", cls=GroupedCommand)
@click.argument("runs", metavar="RUN...", type=FileToRead(), nargs=-1, required=True)
@click.option("--format", "output_format", type=one_of(tuple(FORMATS)), help=_FORMAT_HELP)
@click.option("--out", type=FileToWrite(), metavar="FILE", help=_OUT_HELP)
@click.option("--html", type=FileToWrite(), metavar="FILE", help=_HTML_HELP)
@click.option("--title", help="The report's title. [default: the name of RUN]")
@click.option("--older", is_flag=True, help=_OLDER_HELP)
@click.option("--spec", type=SpecName(), metavar="SPEC", help=_SPEC_HELP)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="For a trace: its constants.")
@reading_options
def command(
    runs: tuple[Path, ...],
    output_format: str | None,
    out: Path | None,
    html: Path | None,
    title: str | None,
    older: bool,
    spec: str | None,
    settings: tuple[str, ...],
) -> int:
    """Report what a run found: as text, Markdown, JSON, JUnit XML, or one HTML file with the explorer.

    RUN is the folder of a sweep, what a command printed with --format json, or a trace (ITF JSON), which is
    replayed first. For a folder, the report shows the jobs of the last sweep, and the newest results of specs
    that were only in earlier sweeps. Several RUNs make one report, with their executions side by side.

    \b
    Examples:
      verify report run.json --html run.html
      verify report sweep/ --html sweep.html
      verify report trace.itf.json --format markdown
      verify report trace.itf.json --spec TwoPhase.tla --html trace.html
      verify report first.json second.json --html both.html
      verify report run.json --out junit.xml
    """
    flag, target = ("--out", out) if html is None else ("--html", html)
    if html is not None and (out is not None or output_format not in (None, "html")):
        raise UsageError("--html FILE is short for --format html --out FILE: give one or the other")
    if target is not None:
        check_writable(flag, target)
    chosen = "html" if html is not None else output_format or format_of(out)

    from verifier.report.report import join_reports
    from verifier.report.run_sources import read_report

    read = [
        read_report(run, title, spec, parse_settings(settings), reading_of(spec), older=older) for run in runs
    ]
    report = join_reports(read, title)
    is_shown = chosen != "junit" and all(run.is_dir() for run in runs)
    for words in () if is_shown else report.notes:
        say(words, err=True)  # JUnit has no place for notes, and those of a trace are warnings
    text = render(report, chosen)
    if target is None:
        click.echo(printable_text(text), nl=False)
    else:
        write(flag, target, text)
        note(f"the report is in {target}")
    return 0
