"""What the properties checked along with all others mean for the verdicts of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.specs.definition import UNDEFINED_READ, PropertyKind
from verifier.system.transition_system import TransitionSystem
from verifier.verdict import Verdict, VerdictKind

READS_UNDEFINED = f"{UNDEFINED_READ} is violated"


def concluded(system: TransitionSystem, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts of a run, those first that limit what the others say: a violated type invariant (the
    instance is disabled there) and a violated ``UndefinedRead``. Beside the latter nothing holds: a search
    does not go on where a read has no value, and a formula that makes it says nothing.
    """
    found = tuple(verdicts)
    kinds = {prop.name: prop.kind for prop in system.implied}
    by_name = {v.property_name: v for v in found if v.kind is VerdictKind.VIOLATED}
    broken = [by_name[name] for name in kinds if name in by_name]
    rest = [v for v in found if v not in broken]
    for breach in broken:
        if kinds[breach.property_name] is PropertyKind.UNDEFINED_READ:
            rest = [_qualified(verdict, breach) for verdict in rest]
    return (*broken, *rest)


def _qualified(verdict: Verdict, breach: Verdict) -> Verdict:
    """A verdict beside a read without value: what was found stands, what was not found says little."""
    if verdict.trace is not None or verdict.kind is VerdictKind.ERROR:
        return verdict
    before = (breach.steps or 0) - 1
    depth = before if breach.fewest and before >= 0 else None
    if verdict.kind is VerdictKind.INCONCLUSIVE and (verdict.depth is None or verdict.depth <= before):
        return verdict
    return replace(verdict, kind=VerdictKind.INCONCLUSIVE, depth=depth, reason=READS_UNDEFINED)
