"""``verify conform``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import check_writable, format_option, note, print_json, say, write
from verifier.cli.parameters import DURATION, POSITIVE
from verifier.cli.paths import FileToRead, FileToWrite, LogToRead, SpecName
from verifier.cli.specs import SPEC_HELP, parse_settings, reading_of, reading_options, set_option
from verifier.conform.spark_use import use_spark
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.cluster.session import SparkSettings
    from verifier.conform.judging import LogQuestion
    from verifier.conform.outcome import LogVerdict

_MAP_HELP = (
    "A file that says which event is which action, and which field is which parameter or variable: TOML, or "
    "Python with a function read(event)."
)
_DRAFT_HELP = (
    "Print a proposed mapping file: the actions that fit the first events of a log, and how sure each is."
)
_ENV_HELP = (
    "For a module that reads its own log: the environment variable that gets the path of the log. [default: "
    "the variable that the module reads with IOEnv]"
)
_STATES_HELP = (
    "Leave a log undecided if more states than this agree with it at some line. For a module that reads its "
    "own log: if the module has more states than this. [default: 20000 with --map]"
)
_JOBS_HELP = "Judge this many logs at a time, each in a process of its own. [default: 1]"
_MASTER_HELP = (
    "Judge several logs on Spark: local[2], local[*], spark://HOST:PORT, k8s://... or yarn. Executors read "
    "the files from the same paths."
)
_ARCHIVE_HELP = "With --master: a packed environment with this package, for the executors."
_CONF_HELP = "With --master: a setting of Spark; may be repeated."
_COVERAGE_HELP = "Say which actions and which parts of guards occur in accepted logs, and which never do."
_HTML_HELP = "Write a page with the log's lines beside the states, and why no step fits, as one HTML file."


@click.command("conform", cls=GroupedCommand)
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=LogToRead())
@click.option("--spec", type=SpecName(), metavar="SPEC", required=True, help=SPEC_HELP)
@click.option("--map", "mapping", type=FileToRead(), metavar="FILE", help=_MAP_HELP)
@click.option("--draft", is_flag=True, help=_DRAFT_HELP)
@click.option("--env", "variable", metavar="NAME", help=_ENV_HELP)
@click.option("--max-states", type=POSITIVE, help=_STATES_HELP)
@click.option("--timeout", type=DURATION, help="Leave a log undecided after this time: 90, 90s, 2m, 1h.")
@click.option("--html", type=FileToWrite(), metavar="FILE", help=_HTML_HELP)
@click.option("--coverage", "covers", is_flag=True, help=_COVERAGE_HELP)
@click.option("--jobs", type=POSITIVE, default=1, help=_JOBS_HELP)
@click.option("--master", metavar="URL", help=_MASTER_HELP)
@click.option("--archive", type=FileToRead(), metavar="FILE", help=_ARCHIVE_HELP)
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help=_CONF_HELP)
@set_option
@reading_options
@format_option
def command(
    logs: tuple[Path, ...],
    spec: str,
    mapping: Path | None,
    draft: bool,
    variable: str | None,
    max_states: int | None,
    timeout: float | None,
    html: Path | None,
    covers: bool,
    jobs: int,
    master: str | None,
    archive: Path | None,
    conf: tuple[str, ...],
    settings: tuple[str, ...],
    output_format: str,
) -> int:
    """Check whether the specification allows recorded executions; if not, show where and why.

    With --map FILE, a log is ndjson, a JSON array, or CSV (LOG.csv), and FILE says what its events mean. The
    log named - is standard input, and each line is judged when it comes. LOG.itf.json is an execution in
    ITF, and needs no map. Otherwise the specification is a TLA+ module that reads the log itself, as for
    trace validation with TLC: an environment variable names the file. docs/conform.md shows both ways.

    The exit code is 0 if all logs are accepted, 10 if some log is rejected, 12 if some log is undecided, and
    2 for wrong usage.

    \b
    Examples:
      verify conform run.ndjson --spec Counter.tla --draft
      verify conform logs/* --spec protocol.py --map map.toml
      verify conform trace.ndjson --spec KeyValueStoreTrace.tla --format json
      verify conform run.ndjson --spec Counter.tla --map map.toml --html run.html
      verify conform logs/* --spec Counter.tla --map map.toml --master 'local[2]'
    """
    from verifier.conform.covering import join_coverage
    from verifier.conform.judging import LogQuestion, judge_logs
    from verifier.conform.outcome import exit_code
    from verifier.conform.rendering import render_verdicts
    from verifier.processes.interrupts import terminable

    question = LogQuestion(
        spec, mapping, variable, parse_settings(settings), reading_of(spec), max_states, timeout, covers
    )
    if draft:
        return _draft(logs[0], question)
    if html is not None:
        check_writable("--html", html)
    with terminable(), _spark(master, archive, conf) as spark:
        verdicts = judge_logs(question, logs, jobs, lambda one: note(f"{one.log}: {one.verdict}"), spark)
    code = exit_code(verdicts)
    if html is not None:
        _write_page(html, question, logs, settings, verdicts)
    if output_format == "json":
        content = {"spec": spec, "exit_code": int(code), "logs": [one.as_object() for one in verdicts]}
        coverage = join_coverage(verdicts)
        print_json({**content, "coverage": coverage.as_object() if coverage is not None else None})
    else:
        for line in render_verdicts(verdicts, covers=covers):
            say(line)
    return code


@contextmanager
def _spark(master: str | None, archive: Path | None, conf: Sequence[str]) -> Iterator[SparkSettings | None]:
    """Give the settings of Spark; None without --master. Raises UsageError if Spark cannot run here."""
    if master is None:
        if archive is not None or conf:
            raise UsageError("--archive and --conf are for Spark: they need --master")
        yield None
        return
    settings = parse_settings(conf, "--conf", "spark.executor.memory=4g")
    with use_spark("verify conform --master", master, archive, settings) as spark:
        yield spark


def _write_page(
    html: Path,
    question: LogQuestion,
    logs: Sequence[Path],
    settings: Sequence[str],
    verdicts: Sequence[LogVerdict],
) -> None:
    from verifier.report.log_page import logs_as_html

    words = ["verify", "conform", *map(str, logs), "--spec", question.spec]
    words += ["--map", str(question.mapping)] if question.mapping is not None else []
    words += ["--env", question.variable] if question.variable is not None else []
    words += ["--coverage"] if question.covers else []
    words += [word for one in settings for word in ("--set", one)]
    write("--html", html, logs_as_html(Path(question.spec).name, shlex.join(words), verdicts))
    note(f"the page is in {html}")


def _draft(log: Path, question: LogQuestion) -> int:
    from verifier.conform.drafting import draft_mapping
    from verifier.conform.judging import load_machine
    from verifier.conform.logs import read_log

    for line in draft_mapping(load_machine(question), read_log(log)):
        say(line)
    return 0
