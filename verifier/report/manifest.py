"""The outcome of checking a manifest, as text and as a JSON object."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.ci.check import CellResult, Check, limits_of
from verifier.ci.checking import CellsProgress, Outcome
from verifier.ci.manifest import Cell
from verifier.printable import say_count, say_never_enabled
from verifier.report.cell_command import command_of_cell, say_how_to_see
from verifier.text.progress import ProgressText


def cell_lines(checked: CellResult) -> Iterator[str]:
    """One line for a cell that is as expected, otherwise one line for each difference."""
    if not checked.surprises:
        verdicts = ", ".join(f"{c.subject} {c.found}" for c in checked.checks if c.row is not None)
        within = ",".join(dict.fromkeys(filter(None, (limits_of(c.row) for c in checked.checks))))
        yield f"ok    {checked.cell.id}: {verdicts}{within and f',{within}'}, in {checked.seconds:.1f} s"
    shown = [check for check in checked.surprises if check.row is not None and check.row.trace is not None]
    for check in (*shown, *(check for check in checked.surprises if check not in shown)):
        yield _make_failure(checked.cell.id, check)
        if shown and check is shown[-1]:
            yield f"      {say_how_to_see(checked)}"
    if never := _list_never_enabled(checked):
        yield f"warn  {checked.cell.id}: {say_never_enabled(never)}"


def _list_never_enabled(checked: CellResult) -> tuple[str, ...]:
    return () if checked.ran is None else checked.ran.never_enabled


def _make_failure(place: str, check: Check) -> str:
    return f"FAIL  {place}: {check.subject}: {check.surprise}"


def closing_lines(outcome: Outcome) -> Iterator[str]:
    """The lines about the whole manifest: properties that no cell covers, and the numbers."""
    for check in outcome.uncovered:
        yield f"FAIL  manifest: {check.surprise}"
    for words in outcome.warnings:
        yield f"warn  manifest: {words}"
    checks = [check for checked in outcome.cells for check in checked.checks] + list(outcome.uncovered)
    failed = sum(check.surprise is not None for check in checks)
    words = "all as expected" if failed == 0 else f"{failed} not as expected"
    if outcome.interrupted:
        words += "; interrupted"
    counts = f"{say_count(len(outcome.cells), 'cell')}, {say_count(len(checks), 'check')}"
    yield f"{counts}: {words}, in {outcome.seconds:.1f} s"


def outcome_object(outcome: Outcome, manifest: str) -> dict[str, Any]:
    """The outcome as JSON. Scripts rely on the names in it."""
    return {
        "manifest": manifest,
        "exit_code": outcome.exit_code,
        "seconds": round(outcome.seconds, 3),
        "interrupted": outcome.interrupted,
        "cells": [_cell(checked) for checked in outcome.cells],
        "uncovered": [_check(check) for check in outcome.uncovered],
        "warnings": list(outcome.warnings),
    }


def _cell(checked: CellResult) -> Mapping[str, Any]:
    cell = checked.cell
    return {
        "cell": cell.id,
        "spec": cell.spec,
        "constants": dict(cell.constants),
        "engine": cell.engine,
        "options": dict(cell.options),
        "seconds": round(checked.seconds, 3),
        "never_enabled": list(_list_never_enabled(checked)),
        "checks": [_check(check, cell) for check in checked.checks],
    }


def _check(check: Check, cell: Cell | None = None) -> Mapping[str, Any]:
    row = check.row if check.surprise is not None else None
    trace = None if row is None else row.trace
    return {
        "subject": check.subject,
        "expected": check.expected,
        "found": check.found,
        "surprise": check.surprise,
        "exit_code": check.exit_code,
        "trace": trace,
        "command": None if cell is None or row is None or trace is None else command_of_cell(cell, [row]),
    }


class CellsText(ProgressText):
    """The progress of a manifest."""

    def take(self, news: CellsProgress) -> str:
        """Say what happens now, and which cells are at work."""
        seconds, running = time.monotonic() - self._began, ", ".join(news.running)
        return f"{seconds:.0f} s: {news.phase}, {news.done} of {news.total} done; running: {running}"
