"""The messages between the process that keeps the states and those that find successors."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.tla.coding import Code
from verifier.tla.known_states import Row


@dataclass(frozen=True)
class Task:
    """States whose successors are to be found, in the order of the search."""

    level: int
    first: int
    """The number of the first state. The others follow it."""
    rows: list[Row]
    violated: tuple[str, ...]
    """The properties that need no check any more."""
    numbered: list[tuple[int, int]]
    """For values that this worker found: its own number, and the number for all."""
    told: list[tuple[int, Code]]
    """Values that it does not know: the number for all, and the bytes."""


@dataclass
class Found:
    """The successors of the first states of a task. If these are not all states of the task, the next state
    is an unusual one: a property is violated, there is an error, a deadlock."""

    expanded: int = 0
    """The number of these states."""
    generated: int = 0
    deadlocks: int = 0
    beyond: int = 0
    taken: dict[str, int] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    """The successors that this worker did not know. Values that have no number for all
    have the worker's own number, below zero: ``-1 - number``."""
    parents: list[int] = field(default_factory=list)
    """For each row: the state that it follows."""
    views: list[int] = field(default_factory=list)
    """For each row, if there is a view: the number of its view."""
    fresh: list[tuple[int, Code]] = field(default_factory=list)
    """Values that were not told before: the worker's own number, and the bytes."""
    uncodable: str = ""
    """The reason why a value of the next state has no bytes."""
    cpu_seconds: float = 0.0
    """The processor time of the worker so far; of a stateless one, that for this task."""
