"""A specification as the search over logs sees it: states, steps, and values that agree with a log's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from verifier.conform.outcome import Obstacle

State: TypeAlias = Any
Parameters: TypeAlias = Mapping[str, Any]
Fits: TypeAlias = Callable[[Parameters], bool]


@dataclass(frozen=True)
class Part:
    """A disjunct of a guard, or a condition with one of its values."""

    action: str
    words: str
    place: str


class Machine(Protocol):
    """A specification whose steps can be computed from any state."""

    actions: Mapping[str, tuple[str, ...]]
    """The actions, each with its parameters."""
    variables: tuple[str, ...]

    invariants: tuple[str, ...]
    """The invariants that every state satisfies, if the specification's claims are right."""

    def holds(self, state: State, invariant: str) -> bool:
        """True if a state satisfies an invariant. Raises UsageError if it has no value."""

    def initial(self) -> list[State]:
        """Return the initial states."""

    def steps(self, state: State, action: str, fits: Fits) -> Iterable[tuple[Parameters, State]]:
        """Yield the steps of an action whose parameters fit. Parameters of unknown value are left out."""

    def value(self, state: State, variable: str) -> Any:
        """Return the value of a variable."""

    def part(self, value: Any, key: Any) -> Any:
        """Return the part of a value at a key from the log. Raises KeyError if it has none."""

    def agrees(self, value: Any, written: Any) -> bool:
        """True if a value is the one that a log writes."""

    def show(self, value: Any) -> str:
        """Return a value as the specification's readers know it."""

    def parts(self, action: str) -> list[Part]:
        """Return the disjuncts of an action's guard, and its conditions with both values."""

    def true_parts(self, state: State, action: str, given: Parameters) -> list[Part]:
        """Return those that are true in a step. One without a value is not."""

    def blocked(self, state: State, action: str, fits: Fits) -> list[Obstacle]:
        """Return why no step of an action fits in a state, the nearest way first."""
