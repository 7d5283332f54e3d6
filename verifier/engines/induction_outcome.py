"""The outcomes of inductive checks: obligations, the invariant, and its check by another solver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verifier.engines.obligations import Obligation as Obligation
from verifier.engines.outcome import Outcome
from verifier.trust.certificate import Certificate


@dataclass(frozen=True)
class LeftOut:
    """A lemma that is not part of the invariant."""

    formula: str
    fell_at: str | None
    """The place where it does not hold; None: it is not needed."""


@dataclass(frozen=True)
class Recheck:
    """An invariant that another solver checked in a process of its own."""

    certificate: Certificate
    solver: str
    seconds: float
    obligations: int
    instances: int
    """The number of instances that the check asked about. The others are images of them."""
    reused: int = 0
    """The number of obligations that the solver had checked for properties before."""


@dataclass(frozen=True)
class InductionOutcome(Outcome):
    """An outcome with all obligations, and with the invariant if there is one."""

    obligations: tuple[Obligation, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    invariant: tuple[str, ...] = ()
    asked: int = 0
    """The number of instances in the obligations."""
    rechecked: Recheck | None = None
    """Only of a property that is PROVED."""
    interrupted: bool = False
    """True if the user ended it, at whatever it was."""


@dataclass(frozen=True)
class Inductions(Outcome):
    """The checks of several properties."""

    parts: tuple[InductionOutcome, ...] = ()
    """One for each property."""


def combine_inductions(parts: Iterable[InductionOutcome]) -> Inductions:
    """The outcomes of several properties as one."""
    parts = tuple(parts)
    statistics = {
        "properties": {part.verdicts[0].property_name: part.statistics for part in parts},
        "peak_memory_bytes": max((part.statistics.get("peak_memory_bytes", 0) for part in parts), default=0),
    }
    never = tuple(dict.fromkeys(name for part in parts for name in part.never_enabled))
    return Inductions(tuple(part.verdicts[0] for part in parts), never, statistics, parts=parts)
