"""Compares verdicts with the answers of an independent checker to the same question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from verifier.outcomes.row import Row
from verifier.printable import say_count
from verifier.specs.expectations import Expectation, expectations
from verifier.specs.registry import load
from verifier.verdict import VerdictKind

CHECKER = "TLC"


@dataclass(frozen=True)
class Known:
    """The checker's answer, and whether the verdict agrees with it."""

    words: str
    """``violated in 8 steps``, ``holds, 9045 states``."""
    agrees: bool | None
    """None if the verdict says too little, for example because the run stopped at a smaller depth."""
    is_longer: bool = False
    """True if the execution found is longer than the checker's."""

    @property
    def mark(self) -> str:
        """The agreement in words."""
        if self.agrees and self.is_longer:
            return "agrees that it is violated; this execution is longer"
        return "nothing to compare" if self.agrees is None else "agrees" if self.agrees else "DISAGREES"


def find_known_answer(row: Row) -> Known | None:
    """The checker's answer for the row's property and constants; None if there is none."""
    for constants, expected in _find_measured(row.spec):
        if expected.property_name == row.property_name and constants == row.constants:
            longer = expected.steps is not None and (row.steps or 0) > expected.steps
            return Known(_words(expected), _agrees(expected, row), longer)
    return None


@cache
def _find_measured(spec: str) -> tuple[tuple[Mapping[str, Any], Expectation], ...]:
    """The checker's answers for a spec, each with the values of all constants."""
    return tuple((load(spec)(expected.constants).constants, expected) for expected in expectations(spec))


def _words(expected: Expectation) -> str:
    if expected.steps is not None:
        return f"{expected.verdict} in {say_count(expected.steps, 'step')}"
    states = "" if expected.distinct_states is None else f", {say_count(expected.distinct_states, 'state')}"
    return f"{expected.verdict}{states}"


def _agrees(expected: Expectation, row: Row) -> bool | None:
    if row.verdict in (VerdictKind.ERROR, VerdictKind.REACHED):
        return False
    if expected.steps is None:
        return _agrees_that_it_holds(expected, row)
    match row.verdict:
        case VerdictKind.VIOLATED if row.steps is not None:
            return row.steps == expected.steps if row.fewest else row.steps >= expected.steps
        case VerdictKind.HOLDS if row.depth is not None:
            return row.depth < expected.steps and not _complete(row)
        case VerdictKind.INCONCLUSIVE | VerdictKind.NOT_INDUCTIVE:
            return False if row.depth is not None and row.depth >= expected.steps else None
        case _:
            return False


def _agrees_that_it_holds(expected: Expectation, row: Row) -> bool | None:
    match row.verdict:
        case VerdictKind.VIOLATED:
            return False
        case VerdictKind.HOLDS | VerdictKind.PROVED:
            counted = _complete(row) and not row.options.get("symmetry")
            if counted and expected.distinct_states is not None:
                return row.statistics.get("distinct_states") == expected.distinct_states
            return True
        case _:
            return None


def _complete(row: Row) -> bool:
    return bool(row.statistics.get("complete"))
