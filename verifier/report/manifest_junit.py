"""The outcome of checking a manifest, as JUnit XML. A test case passes if the result is the expected one."""

from __future__ import annotations

from verifier.ci.check import CellResult, Check, limits_of
from verifier.ci.checking import Outcome
from verifier.ci.manifest import Cell
from verifier.report.cell_command import say_command_for
from verifier.report.junit_cases import Case, document, suite
from verifier.report.tables import trace_text


def as_junit(outcome: Outcome) -> str:
    """The XML document: a suite for each cell, a case for each check."""
    suites = [suite(checked.cell.id, _cases(checked)) for checked in outcome.cells]
    if outcome.uncovered:
        suites.append(suite("manifest", (_case(check) for check in outcome.uncovered)))
    return document("verify ci", suites)


def _cases(checked: CellResult) -> list[Case]:
    """The test cases of a cell. One run decided all; its time stands at the first check of a verdict, and the
    others say so."""
    first = next((check for check in checked.checks if check.row is not None), checked.checks[0])
    elsewhere = f"; same run as {first.subject}, which shows the time"
    return [
        _case(check, checked.seconds, cell=checked.cell)
        if check is first
        else _case(check, also="" if check.row is None else elsewhere, cell=checked.cell)
        for check in checked.checks
    ]


def _case(check: Check, seconds: float = 0.0, also: str = "", cell: Cell | None = None) -> Case:
    row, wanted = None if check.surprise is None else check.row, check.expected or "nothing"
    details = None
    if row is not None and row.trace is not None:
        how = "" if cell is None else f"{say_command_for(cell, [row])}\n\n"
        details = f"{how}{trace_text(row)}"
    return Case(
        name=check.subject,
        seconds=seconds,
        exit_code=check.exit_code,
        message=check.surprise or "",
        verdict=None if check.row is None else check.row.verdict,
        details=details,
        output=None
        if check.found is None
        else f"expected {wanted}, found {check.found}{limits_of(check.row)}{also}",
    )
