"""The obligations of an inductive invariant, one by one and grouped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verifier.engines.inductive_question import Kind


@dataclass(frozen=True)
class Obligation:
    """One obligation: about one instance, or about all initial states, or about all states."""

    kind: Kind
    formula: str
    action: str | None
    instance: str | None
    holds: bool | None
    """None: the solver gave up."""
    seconds: float


@dataclass(frozen=True)
class ObligationGroup:
    """The obligations of one kind about one formula and, if they are about instances, one action."""

    kind: Kind
    formula: str
    action: str | None
    obligations: tuple[Obligation, ...]

    @property
    def holds(self) -> bool | None:
        """True if all hold: False if one does not hold, else None if one is not known."""
        held = {item.holds for item in self.obligations}
        return False if False in held else None if None in held else True

    @property
    def seconds(self) -> float:
        """The time that all took."""
        return sum(item.seconds for item in self.obligations)


def group_obligations(obligations: Iterable[Obligation]) -> list[ObligationGroup]:
    """The groups of the obligations, in the order of their first members."""
    groups: dict[tuple[Kind, str, str | None], list[Obligation]] = {}
    for item in obligations:
        groups.setdefault((item.kind, item.formula, item.action), []).append(item)
    return [ObligationGroup(*key, tuple(items)) for key, items in groups.items()]
