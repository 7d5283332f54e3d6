"""Pages of a manifest: the cells with their expectations, before and after they ran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifier.ci.check import CellResult, Check, limits_of
from verifier.ci.checking import Outcome
from verifier.ci.manifest import Cell, Expected
from verifier.encodings.concrete import show_constants
from verifier.outcomes.row import Row
from verifier.printable import say_count
from verifier.report.report import CellAnswer, CellLine, Report
from verifier.verdict import in_words

_LEAST = 0.1
"""Seconds, from which on a bar says how long something took."""


def report_checked_cells(outcome: Outcome, title: str) -> Report:
    """The report of cells that ran: those first that are not as expected."""
    rows: list[Row] = []
    lines = [_make_checked_line(one, rows, outcome) for one in outcome.cells]
    lines.sort(key=lambda line: line.is_as_expected)
    notes = [f"{check.subject}: {check.surprise}" for check in outcome.uncovered]
    surprising = sum(not line.is_as_expected for line in lines)
    words = (
        f"✗ {surprising} of {say_count(len(lines), 'cell')} are not as expected"
        if surprising
        else f"✓ All {len(lines)} cells are as expected"
    )
    about = f"{words}, in {outcome.seconds:.1f} s{'; interrupted' if outcome.interrupted else ''}"
    return Report(title, rows, (about, *notes), cells=lines)


def report_planned_jobs(cells: Sequence[Cell], matrix: Mapping[str, Any], title: str) -> Report:
    """The report of the jobs into which cells are divided (``verifier.ci.matrix``)."""
    jobs = {name: entry["group"] for entry in matrix["include"] for name in entry["cell"].split(",")}
    most = max((cell.seconds or 0 for cell in cells), default=0)
    lines = [_make_planned_line(cell, jobs[cell.id], most) for cell in cells]
    lines.sort(key=lambda line: line.job or 0)
    seconds = [entry["seconds"] for entry in matrix["include"]]
    unknown = sum(cell.seconds is None for cell in cells)
    counted = f"{say_count(len(cells), 'cell')} in {say_count(len(seconds), 'job')}"
    longest, all_of_them = max(seconds, default=0), sum(seconds)
    about = f"{counted}. The longest job takes {longest:.1f} s"
    notes = [f"{about}, all jobs in sequence {all_of_them:.1f} s."]
    notes += [f"Of {unknown} cells nobody knows how long they take: --update records it."] if unknown else []
    return Report(title, (), tuple(notes), cells=lines)


def _make_checked_line(one: CellResult, rows: list[Row], outcome: Outcome) -> CellLine:
    most = max((other.seconds for other in outcome.cells), default=0)
    return _line(one.cell, tuple(_answers(one.checks, rows)), one.seconds, most)


def _answers(checks: Sequence[Check], rows: list[Row]) -> Iterator[CellAnswer]:
    for check in checks:
        if check.row is not None:
            rows.append(check.row)
            found = f"{check.found or ''}{limits_of(check.row)}"
            yield CellAnswer(check.subject, check.row.verdict, found, check.surprise, len(rows) - 1)
        elif check.surprise is not None:
            yield CellAnswer(check.subject, None, check.found or "", check.surprise)


def _make_planned_line(cell: Cell, job: int, most: float) -> CellLine:
    answers = tuple(CellAnswer(one.property_name, one.verdict, _words(one)) for one in cell.expected)
    return _line(cell, answers, cell.seconds, most, job)


def _words(one: Expected) -> str:
    return in_words(one.verdict, one.depth, one.steps, None).replace("(None)", "")


def _line(
    cell: Cell, answers: tuple[CellAnswer, ...], seconds: float | None, most: float, job: int | None = None
) -> CellLine:
    share = (
        0.0
        if not seconds
        else math.log(max(seconds, _LEAST) / _LEAST) / max(math.log(max(most, 1) / _LEAST), 1)
    )
    config = cell.reading.config
    spec = cell.spec if config is None else f"{cell.spec}, {config.name}"
    about = (cell.id, spec, show_constants(cell.constants), cell.engine)
    return CellLine(*about, answers, seconds, share, job)
