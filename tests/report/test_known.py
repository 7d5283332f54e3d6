"""Verdicts beside what an independent checker found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.examples import kip320_first_try
from tests.support.reporting import like
from verifier.outcomes.row import Row
from verifier.report.known import find_known_answer
from verifier.report.report import Report, as_object
from verifier.report.tables import as_text
from verifier.verdict import VerdictKind

VIOLATED = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
HOLDS = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}


def first_try(constants: dict[str, int], verdict: VerdictKind, **changes: Any) -> Row:
    """A verdict on WeakIsr of kip320-first-try: violated in 11 steps, or it holds in 1,165 states."""
    cleared: dict[str, Any] = dict.fromkeys(("steps", "fewest", "depth", "trace", "reason"))
    cleared |= {"statistics": {}, "options": {}}
    row = like(kip320_first_try(), constants=constants, property_name="WeakIsr", verdict=verdict)
    return like(row, **{**cleared, **changes})


def make_row(constants: dict[str, int], verdict: VerdictKind, **changes: Any) -> Callable[[], Row]:
    """Return a function that makes the row during the test, because it needs a search."""
    return lambda: first_try(constants, verdict, **changes)


@pytest.mark.parametrize(
    ("row", "agrees"),
    [
        (make_row(VIOLATED, VerdictKind.VIOLATED, steps=11, fewest=True), True),
        (make_row(VIOLATED, VerdictKind.VIOLATED, steps=10, fewest=True), False),
        (make_row(VIOLATED, VerdictKind.VIOLATED, steps=12, fewest=True), False),
        (make_row(VIOLATED, VerdictKind.VIOLATED, steps=12, fewest=False), True),
        (make_row(VIOLATED, VerdictKind.VIOLATED, steps=10, fewest=False), False),
        (make_row(VIOLATED, VerdictKind.HOLDS, depth=10), True),
        (make_row(VIOLATED, VerdictKind.HOLDS, depth=11), False),
        (make_row(VIOLATED, VerdictKind.HOLDS, depth=9, statistics={"complete": True}), False),
        (make_row(VIOLATED, VerdictKind.PROVED), False),
        (make_row(VIOLATED, VerdictKind.INCONCLUSIVE, depth=9), None),
        (make_row(VIOLATED, VerdictKind.INCONCLUSIVE, depth=11), False),
        (make_row(VIOLATED, VerdictKind.NOT_INDUCTIVE, steps=1), None),
        (make_row(VIOLATED, VerdictKind.ERROR), False),
        (make_row(HOLDS, VerdictKind.VIOLATED, steps=30, fewest=False), False),
        (make_row(HOLDS, VerdictKind.HOLDS, depth=5), True),
        (make_row(HOLDS, VerdictKind.PROVED), True),
        (make_row(HOLDS, VerdictKind.INCONCLUSIVE, depth=3), None),
        (
            make_row(HOLDS, VerdictKind.HOLDS, statistics={"complete": True, "distinct_states": 1165}),
            True,
        ),
        (
            make_row(HOLDS, VerdictKind.HOLDS, statistics={"complete": True, "distinct_states": 1164}),
            False,
        ),
    ],
)
def test_verdicts_agree_or_say_too_little_or_contradict(row: Callable[[], Row], agrees: bool | None) -> None:
    found = find_known_answer(row())
    assert found is not None
    assert found.agrees is agrees


def test_nothing_is_known_of_other_constants_and_other_protocols() -> None:
    assert find_known_answer(first_try({**HOLDS, "replicas": 7}, VerdictKind.HOLDS, depth=3)) is None
    assert find_known_answer(like(first_try(HOLDS, VerdictKind.HOLDS, depth=3), spec="mine")) is None


def test_reports_say_it() -> None:
    rows = [
        first_try(VIOLATED, VerdictKind.PROVED),
        first_try({**HOLDS, "replicas": 7}, VerdictKind.HOLDS, depth=3),
    ]
    report = Report("t", rows)
    assert "DISAGREES: violated in 11 steps" in as_text(report)
    first, second = as_object(report)["rows"]
    assert first["known"] == {"words": "violated in 11 steps", "agrees": False, "is_longer": False}
    assert second["known"] is None
