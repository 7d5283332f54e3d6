"""``verify ci``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import check_writable, format_option, note, print_json, say, write
from verifier.cli.parameters import POSITIVE
from verifier.cli.paths import FileToRead, FileToWrite, reads_spec
from verifier.errors import UsageError
from verifier.files import reason_of
from verifier.printable import say_count
from verifier.processes.cores import cores
from verifier.verdict import ExitCode

if TYPE_CHECKING:
    from verifier.ci.check import CellResult
    from verifier.ci.checking import Outcome

MANIFEST = click.argument("manifest", type=FileToRead(), metavar="MANIFEST")

_CELL_HELP = "Run this cell alone; may be repeated, or name several, joined by commas. [default: all cells]"
_JOBS_HELP = "How many cells run at a time. [default: as many as there are cores]"
_UPDATE_HELP = (
    "Write the results into MANIFEST: spec hashes, verdicts, steps, depths. Comments stay. Review the diff "
    "before you commit it: later runs are compared with these results."
)


@click.command("ci", cls=GroupedCommand)
@MANIFEST
@click.option("--cell", "cells", multiple=True, metavar="ID", help=_CELL_HELP)
@click.option("--jobs", type=POSITIVE, help=_JOBS_HELP)
@click.option("--junit", type=FileToWrite(), metavar="FILE", help="Write JUnit XML as well.")
@click.option("--html", type=FileToWrite(), metavar="FILE", help="Write a page with all cells as well.")
@format_option
@click.option("--update", is_flag=True, help=_UPDATE_HELP)
def command(
    manifest: Path,
    cells: tuple[str, ...],
    jobs: int | None,
    junit: Path | None,
    html: Path | None,
    output_format: str,
    update: bool,
) -> int:
    """Check what a project expects of its protocols, as written in MANIFEST (docs/ci.md).

    Each difference is one line that says why: another verdict or length, a spec that changed after its
    expectations were recorded, a property that no cell covers, a run that decided nothing. The exit code is
    0 if there is no difference.
    If an unexpected verdict is bad (violated, deadlock, not decided), or a violation has another length, the
    exit code is that of the verdict. For all other differences it is 14. The worst exit code counts.

    \b
    Examples:
      verify ci verify.toml
      verify ci verify.toml --cell lock --cell lock-broken --junit results.xml
      verify ci verify.toml --html results.html
      verify ci verify.toml --update
    """
    names = [name.strip() for words in cells for name in words.split(",")]
    if update:
        if junit is not None or html is not None or output_format != "text":
            raise UsageError(
                "--update goes with neither --junit, --html nor --format json: it checks nothing"
            )
        return _update(manifest, names, jobs)
    return _check(manifest, names, jobs, {"--junit": junit, "--html": html}, output_format)


def _check(
    path: Path,
    names: Sequence[str],
    jobs: int | None,
    targets: Mapping[str, Path | None],
    output_format: str,
) -> int:
    """Checks the manifest, prints, writes the files, and returns the exit code."""
    from verifier.report.manifest import outcome_object

    for flag, target in targets.items():
        if target is not None:
            check_writable(flag, target)
    outcome = _check_cells(path, names, jobs, anew=False, shown=output_format == "text")
    if output_format == "json":
        print_json(outcome_object(outcome, str(path)))
    else:
        _print_closing(outcome)
    for flag, target in targets.items():
        if target is not None:
            write(flag, target, _write(flag, outcome, path))
    return outcome.exit_code


def _write(flag: str, outcome: Outcome, path: Path) -> str:
    """The outcome as the file of an option."""
    if flag == "--junit":
        from verifier.report.manifest_junit import as_junit

        return as_junit(outcome)
    from verifier.report.cells import report_checked_cells
    from verifier.report.page import as_html

    return as_html(report_checked_cells(outcome, f"verify ci: {path.name}"))


def _update(path: Path, names: Sequence[str], jobs: int | None) -> int:
    """Runs the cells, rewrites the manifest, and returns 0 if all of it could be recorded."""
    from verifier.ci.check import verdict_line
    from verifier.ci.update import write_updated
    from verifier.report.cell_command import say_command_for

    check_writable("MANIFEST", path)
    outcome = _check_cells(path, names, jobs, anew=True, shown=False)
    try:
        updated = write_updated(path, outcome.cells)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason_of(error)}") from None
    for checked in outcome.cells:
        if gone := updated.removed.get(checked.cell.id):
            why = f"the spec has no property of that name, or {checked.cell.engine} does not check it"
            say(f"removed  {checked.cell.id}: {', '.join(gone)}: {why}")
    for checked in outcome.cells:
        if rows := updated.bad.get(checked.cell.id):
            verdicts = ", ".join(f"{row.property_name} {verdict_line(row)}" for row in rows)
            say(f"review  {checked.cell.id}: {verdicts}: expected from now on")
            if how := say_command_for(checked.cell, rows):
                say(f"        {how}")
    for cell, words in updated.limited.items():
        say(f"review  {cell}: its verdicts are about executions{words} only")
    for one in updated.left:
        say(f"not recorded  {one.cell}: {one.reason}")
    for check in outcome.uncovered:
        say(f"not covered  {check.surprise}")
    for words in outcome.warnings:
        say(f"warn  {words}")
    recorded = len(outcome.cells) - len(updated.left)
    closing = "review what changed" if updated.changed else "no expectation changed"
    uncovered = say_count(len(outcome.uncovered), "property is", "properties are")
    also = f". {uncovered} covered by no cell" if outcome.uncovered else ""
    say(f"recorded {recorded} of {say_count(len(outcome.cells), 'cell')} in {path}: {closing}{also}")
    codes = [one.exit_code for one in updated.left]
    return ExitCode.worst(codes + [check.exit_code for check in outcome.uncovered])


def _check_cells(path: Path, names: Sequence[str], jobs: int | None, *, anew: bool, shown: bool) -> Outcome:
    from verifier.ci.checking import check_cells
    from verifier.ci.manifest import read_manifest
    from verifier.cli.reporter import Reporter
    from verifier.processes.interrupts import terminable
    from verifier.report.manifest import CellsText, cell_lines

    manifest = read_manifest(path)
    cells = manifest.choose_cells(names)
    for cell in manifest.cells:
        reads_spec(f"the spec of cell {cell.id}", cell.place)

    with terminable(), Reporter(CellsText(), threaded=False) as reporter:

        def tell(checked: CellResult) -> None:
            with reporter.pause():
                for line in cell_lines(checked) if shown else [f"{checked.cell.id}: {checked.seconds:.1f} s"]:
                    (say if shown else note)(line)

        return check_cells(
            cells,
            everything=not names,
            at_once=jobs or cores(),
            anew=anew,
            listen=tell,
            watch=reporter,
        )


def _print_closing(outcome: Outcome) -> None:
    from verifier.report.manifest import cell_lines, closing_lines

    for checked in outcome.cells:
        if not checked.begun:
            for line in cell_lines(checked):
                say(line)
    for line in closing_lines(outcome):
        say(line)
