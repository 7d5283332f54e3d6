"""A specification as the search over logs sees it: states, steps, and values that agree with a log's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Protocol, TypeAlias, TypeVar

from verifier.conform.coverage import Part
from verifier.conform.outcome import Obstacle
from verifier.errors import UsageError

T = TypeVar("T")
State: TypeAlias = Any
Parameters: TypeAlias = Mapping[str, Any]
Fits: TypeAlias = Callable[[Parameters], bool]


def pair_off(own: Iterable[T], written: Sequence[Any], agrees: Callable[[T, Any], bool]) -> list[T] | None:
    """Return items in the order of the written ones that they agree with; None unless each has a partner."""
    rest, partners = list(own), list[T]()
    for one in written:
        place = next((number for number, item in enumerate(rest) if agrees(item, one)), None)
        if place is None:
            return None
        partners.append(rest.pop(place))
    return None if rest else partners


def agree_in_pairs(own: Iterable[tuple[T, T]], written: Any, agrees: Callable[[T, Any], bool]) -> bool:
    """True if the keys and values of a function are those of pairs that a log writes, in any order."""
    if not isinstance(written, list) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in written):
        return False
    partners = pair_off(own, written, lambda one, pair: agrees(one[0], pair[0]))
    return partners is not None and all(
        agrees(item, pair[1]) for (_, item), pair in zip(partners, written, strict=True)
    )


class TooManyInitial(UsageError):
    """Too many initial states to list."""


class Machine(Protocol):
    """A specification whose steps can be computed from any state."""

    actions: Mapping[str, tuple[str, ...]]
    """The actions, each with its parameters."""
    variables: tuple[str, ...]

    is_symbolic: bool
    """True if a solver can search its executions."""
    invariants: tuple[str, ...]
    """The invariants that every state satisfies, if the specification's claims are right."""

    def holds(self, state: State, invariant: str) -> bool:
        """True if a state satisfies an invariant. Raises UsageError if it has no value."""

    def initial(self, most: int | None = None) -> list[State]:
        """Return the initial states. Raises TooManyInitial if a solver can search, and they exceed ``most``
        or cannot be listed."""

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
        """Return the parts that are true in a step. A part without a value is not."""

    @property
    def unknown(self) -> Set[Part]:
        """The conjuncts of which ``near_failures`` could not say all: what stands after them has no value."""

    def conjuncts(self, action: str) -> list[Part]:
        """Return the conjuncts of an action's guard."""

    def near_failures(self, state: State, action: str) -> Iterable[tuple[Part, list[State]]]:
        """Yield the conjuncts that alone are false in a state, for some parameters, with the states to which
        the steps without them lead."""

    def explain_invariant(self, state: State, invariant: str) -> list[Obstacle]:
        """Return the smallest false parts of an invariant that is false in a state."""

    def explain_obstacles(self, state: State, action: str, fits: Fits) -> list[Obstacle]:
        """Return why no step of an action fits in a state, the nearest way first."""
