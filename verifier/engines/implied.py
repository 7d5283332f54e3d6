"""The limits that violations of implied properties put on the verdicts of the other properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.specs.definition import PropertyKind
from verifier.system.transition_system import TransitionSystem
from verifier.verdict import IS_VIOLATED, Verdict, VerdictKind


def limit_by_implied(system: TransitionSystem, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts of a run, with the violations of implied properties first.

    If ``UndefinedRead`` is violated, no other property holds: a search does not continue after a read that
    has no value, and a formula that makes the read has no truth value. A violated type invariant changes no
    other verdict.
    """
    decided = tuple(verdicts)
    kinds = {prop.name: prop.kind for prop in system.implied}
    by_name = {v.property_name: v for v in decided if v.kind is VerdictKind.VIOLATED}
    broken = [by_name[name] for name in kinds if name in by_name]
    rest = [v for v in decided if v not in broken]
    for breach in broken:
        if kinds[breach.property_name] is PropertyKind.UNDEFINED_READ:
            rest = [_limit(verdict, breach) for verdict in rest]
    return (*broken, *rest)


def _limit(verdict: Verdict, breach: Verdict) -> Verdict:
    """A verdict of a run in which some read has no value. A trace remains valid; the absence of a trace means
    little."""
    if verdict.trace is not None or verdict.kind is VerdictKind.ERROR:
        return verdict
    before = (breach.steps or 0) - 1
    depth = before if breach.fewest and before >= 0 else None
    if verdict.kind is VerdictKind.INCONCLUSIVE and (verdict.depth is None or verdict.depth <= before):
        return verdict
    words = f"{breach.property_name}{IS_VIOLATED}"
    return replace(verdict, kind=VerdictKind.INCONCLUSIVE, depth=depth, reason=words)
