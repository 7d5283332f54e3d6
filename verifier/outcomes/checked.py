"""The outcome of a check: verdicts of several engines on one spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.engines.outcome import Outcome
from verifier.specs.definition import Definition
from verifier.verdict import Verdict, VerdictKind

_DECIDED = (
    VerdictKind.VIOLATED,
    VerdictKind.REACHED,
    VerdictKind.PROVED,
    VerdictKind.HOLDS,
    VerdictKind.ERROR,
)
"""The decisive verdicts. No engine of a check has a bound: a temporal property HOLDS if all executions within
a constraint were explored."""


@dataclass(frozen=True)
class CheckOutcome(Outcome):
    """The verdicts of a check, with where each comes from."""

    by: Mapping[str, str] = field(default_factory=dict)
    """The engine that decided each property."""
    evidence: Mapping[str, str] = field(default_factory=dict)
    """The evidence for each decided property."""
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    """The definition that each engine's executions are of."""
    spec: str = ""
    """The spec as the user named it."""


def is_decided(verdict: Verdict | None) -> bool:
    """True if a verdict says something for all executions, or shows one."""
    return verdict is not None and verdict.kind in _DECIDED


def say_replayed(*, fewest: bool) -> str:
    """Return the evidence for a verdict that an execution shows."""
    return f"replayed, {'fewest' if fewest else 'maybe not the fewest'} steps"
