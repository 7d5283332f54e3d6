"""Requests, places, news and outcomes of explorations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from verifier.engines.outcome import Outcome
from verifier.explicit.levels import Result, Stage, Task
from verifier.explicit.moves import Moves
from verifier.explicit.packing import Rows
from verifier.processes.limits import Interrupted, Limits
from verifier.system.transition_system import Instance

if TYPE_CHECKING:
    from verifier.engines.findings import Findings

LARGE_LEVEL = 50_000
"""A level of so many states takes longer to look at than to divide."""


class Runner(AbstractContextManager["Runner"], Protocol):
    """Where the tasks of a level run. It is a context: leaving it ends whatever runs."""

    @property
    def ready(self) -> bool:
        """True if it can run tasks at once; until then it is still starting."""

    @property
    def slots(self) -> int:
        """How many tasks run at a time. Waits until it is ready, and raises Interrupted if it never is."""

    @property
    def room(self) -> int:
        """The bytes that a task may take beside what its process has anyway."""

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the outcomes of the tasks as they end. Raises Interrupted where one cannot be done."""


@dataclass(frozen=True)
class Beyond:
    """How an exploration goes on beyond one process and its memory: in files, by tasks."""

    folder: Path | None = None
    """Where the files are; None: in a temporary folder, which goes away in the end."""
    resume: bool = False
    """True if to go on with what the folder has."""
    question: Mapping[str, Any] = field(default_factory=dict)
    """The identity of this exploration, as JSON values."""
    runner: Callable[[Findings, Path], Runner] | None = None
    """Makes what runs the tasks, for a folder; None: this process does, once its memory is full."""
    large_level: int = LARGE_LEVEL
    """Where there is a runner, how many states a level has for it to be divided."""


@dataclass(frozen=True)
class Request:
    """The properties to explore for, and how far."""

    properties: tuple[str, ...]
    max_states: int | None = None
    max_depth: int | None = None
    symmetry: bool = False
    keep_going: bool = False
    """True if to count all states even when every property asked for is violated or reached."""
    graph: bool = False
    """True if to keep the edges."""
    along: tuple[str, ...] = ()
    """Properties that do not keep the exploration going once the others are decided."""
    ending: tuple[str, ...] = ()
    """Properties that end the exploration when they are violated, and all states as deep were looked at."""
    beyond: Beyond | None = None
    """How it goes on where one process or its memory are too small; None: it ends there."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Execution:
    """An execution that was found, as bits and moves."""

    violates: str
    initial: tuple[bool, ...]
    firings: tuple[tuple[Instance, tuple[bool, ...]], ...]
    steps: int
    """How many actions it has, with the one that breaks a step invariant."""


@dataclass(frozen=True)
class Progress:
    """How far the exploration is."""

    depth: int
    """The depth that is being looked at."""
    states: int
    """Different states found."""
    frontier: int
    """States found and not yet looked at."""
    seconds: float
    violated: str | None = None
    """A property just found to be violated, or reached."""
    reached: bool = False
    closed: int = -1
    """The depth to which every state was looked at; -1: none."""
    enabled: tuple[str, ...] = ()
    """The actions that are enabled in some state looked at."""
    found: Execution | None = None
    """The execution that decided the property. No execution with fewer actions does."""
    written: int | None = None
    """Bytes in files, where the states are there."""
    means: str | None = None
    """The means of exploration, where it changes."""


class OutOfMemory(Interrupted):
    """This process takes more memory than it may."""


@dataclass(frozen=True)
class Graph:
    """The explored graph: rows, and edges by the numbers of states and moves."""

    rows: Rows
    initial: int
    """The first so many states are the initial ones."""
    edges: NDArray[np.int64]
    """A row per edge: source, target, move."""
    moves: Moves


@dataclass(frozen=True)
class Exploration(Outcome):
    """An outcome, with the graph if it was asked for."""

    graph: Graph | None = None
