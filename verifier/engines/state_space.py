"""State spaces: the reachable states, as an explorer visits them.

Two explorers implement the interface: the compiled one, for protocols and translated modules
(``proof_by_exploring``), and the interpreter of TLA+ (``runs/modules/proving``). A proof by exploration is
written once, for both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True)
class Explored:
    """Report that every reachable state was explored, or was explored twice."""

    holds: tuple[str, ...]
    """The properties asked for that no state violates, or that no state reaches."""
    states: int
    """All of them, not only one of each orbit."""
    depth: int
    never_enabled: tuple[str, ...]
    enabled: tuple[str, ...]
    seconds: float
    seconds_again: float = 0.0
    """The seconds of the second exploration."""
    levels: tuple[int, ...] = ()
    """The number of states at each depth. Empty if the explorations count different states there, as with
    orbits."""


@dataclass(frozen=True)
class ExplorationsDiffer:
    """The two explorations contradict each other."""

    reason: str


class StateSpace(Protocol):
    """The states that are reachable from the initial ones.

    An exploration begins with the initial states, adds the successors of each state, and checks the
    properties in each. Violations are reported, and replayed, on the way. It raises Interrupted at a limit.
    """

    def explore(self) -> Explored | None:
        """Explore all states. None if there are too many, or if something has no value."""

    def explore_again(self) -> Explored | None:
        """Explore all states in another way, so that two states that were taken for one are told apart."""


def explore_twice(space: StateSpace) -> Explored | ExplorationsDiffer | None:
    """Return the proofs by two explorations that agree. None if one of them does not come to an end."""
    first = space.explore()
    if first is None:
        return None
    again = space.explore_again()
    if again is None:
        return None
    if replace(again, seconds=first.seconds) != first:
        return ExplorationsDiffer(f"two explorations differ: {first}, {again}")
    return replace(first, seconds_again=again.seconds)
