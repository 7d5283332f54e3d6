"""The results of an exploration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from verifier.tla.order import Order, text
from verifier.tla.value_types import Value

State: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True)
class Taken:
    """The action of a step."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    """The values of its parameters, and of the names of its quantifiers, as far as they are known."""

    def title(self, order: Order) -> str:
        """Return the action with its parameters: ``Put(k=k1)``."""
        given = ", ".join(f"{name}={text(value, order)}" for name, value in self.parameters.items())
        return f"{self.name}({given})"


@dataclass
class Violation:
    """A state that violates a property, or whose step violates it."""

    property: str
    states: list[State]
    actions: list[Taken]


@dataclass
class ExplorationResult:
    """The results of a search."""

    distinct: int = 0
    generated: int = 0
    initial: int = 0
    depth: int = -1
    """The greatest depth of a counted state."""
    closed: int = -1
    """The greatest depth up to which all states are checked."""
    deadlocks: int = 0
    beyond: int = 0
    levels: list[int] = field(default_factory=list)
    waiting: int = 0
    complete: bool = False
    violations: dict[str, Violation] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    """The number of steps of each action."""
    at_the_end: set[str] = field(default_factory=set)
    """The actions of steps from the states at the greatest depth, if these were evaluated."""
