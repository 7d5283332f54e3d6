"""What ``verify ci`` and ``verify matrix`` do once their options are parsed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from verifier.ci.check import Checked, uncovered
from verifier.ci.checking import Outcome, check_cells
from verifier.ci.manifest import read_manifest
from verifier.ci.matrix import MOST_GROUPS, matrix
from verifier.ci.update import write_updated
from verifier.ci.work import survey
from verifier.cli.output import check_writable, print_json, say, write
from verifier.cli.paths import reads_spec
from verifier.cli.running import terminable
from verifier.errors import UsageError
from verifier.files import reason_of
from verifier.printable import json_text
from verifier.report.manifest import cell_lines, closing_lines, outcome_object
from verifier.report.manifest_junit import as_junit
from verifier.verdict import ExitCode


def check(path: Path, names: Sequence[str], jobs: int | None, junit: Path | None, output_format: str) -> int:
    """Checks the manifest, prints, and returns the exit code."""
    outcome = _checked(path, names, jobs, junit, anew=False, shown=output_format == "text")
    if output_format == "json":
        print_json(outcome_object(outcome, str(path)))
    else:
        _print_closing(outcome)
    if junit is not None:
        write("--junit", junit, as_junit(outcome))
    return outcome.exit_code


def update_manifest(
    path: Path, names: Sequence[str], jobs: int | None, junit: Path | None, output_format: str
) -> int:
    """Runs the cells, rewrites the manifest, and returns 0 if all of it could be recorded."""
    if junit is not None or output_format != "text":
        raise UsageError("--update goes with neither --junit nor --format json: it checks nothing")
    check_writable("MANIFEST", path)
    outcome = _checked(path, names, jobs, None, anew=True, shown=False)
    try:
        left = write_updated(path, outcome.cells)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason_of(error)}") from None
    for one in left:
        say(f"left  {one.cell}: {one.reason}")
    recorded = len(outcome.cells) - len(left)
    say(f"recorded {recorded} of {len(outcome.cells)} cells in {path}: review what changed")
    return ExitCode.worst(one.exit_code for one in left)


def print_matrix(path: Path, groups: int | None) -> int:
    """Prints the matrix, unless there is something that no cell of it would notice."""
    manifest = read_manifest(path)
    if groups is not None and groups > MOST_GROUPS:
        raise UsageError(f"--groups {groups} is not allowed: it takes an integer from 1 to {MOST_GROUPS}")
    known = survey(manifest.cells, _cores())
    missing = [found for _, _, found in uncovered(manifest.cells, known)]
    for found in missing:
        say(f"FAIL  manifest: {found.subject}: {found.surprise}", err=True)
    if missing:
        return ExitCode.worst(found.exit_code for found in missing)
    click.echo(json_text(matrix(manifest.cells, groups or MOST_GROUPS), indent=None))
    return 0


def _checked(
    path: Path, names: Sequence[str], jobs: int | None, junit: Path | None, *, anew: bool, shown: bool
) -> Outcome:
    manifest = read_manifest(path)
    cells = manifest.chosen(names)
    for cell in manifest.cells:
        reads_spec(f"the spec of cell {cell.id}", cell.place)
    if junit is not None:
        check_writable("--junit", junit)

    def tell(checked: Checked) -> None:
        for line in cell_lines(checked) if shown else [f"{checked.cell.id}: {checked.seconds:.1f} s"]:
            say(line, err=not shown)

    with terminable():
        return check_cells(cells, everything=not names, at_once=jobs or _cores(), anew=anew, listen=tell)


def _print_closing(outcome: Outcome) -> None:
    for checked in outcome.cells:
        if not checked.begun:
            for line in cell_lines(checked):
                say(line)
    for line in closing_lines(outcome):
        say(line)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
