"""Requests, places, news and outcomes of explorations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from verifier.engines.outcome import Outcome
from verifier.explicit.level_tasks import Result, Stage, Tally, Task
from verifier.explicit.moves import Moves
from verifier.explicit.packing import Rows
from verifier.processes.limits import Interrupted, Limits
from verifier.system.transition_system import Instance

LARGE_LEVEL = 50_000
"""The number of states from which exploring a level takes longer than dividing it."""


class Runner(AbstractContextManager["Runner"], Protocol):
    """The place where the tasks of a level run. As a context, it ends running tasks on exit."""

    @property
    def ready(self) -> bool:
        """True if it can run tasks at once; until then it is still starting."""

    @property
    def slots(self) -> int:
        """Return the number of tasks that run at a time. Waits until it is ready; raises Interrupted if it
        never is."""

    @property
    def room(self) -> int:
        """The bytes that a task may take beside what its process has anyway."""

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the outcomes of the tasks as they end. Raises Interrupted where one cannot be done."""


class RunningExploration(Protocol):
    """The exploration for which a runner works: its limits, and what it is told."""

    request: Request
    limits: Limits
    tally: Tally
    memory: int
    """The bytes that the exploration may take."""

    def resident(self, elsewhere: int = 0) -> int:
        """The memory of this process, and of others."""

    def enforce(self, elsewhere: int = 0) -> None:
        """Raise Interrupted if the time is over or too much memory is used."""

    def use_means(self, name: str, coming: str = "") -> None:
        """Record the means that explores the current level, with words on the next."""

    def tell_again(self) -> None:
        """Tell the progress within the current level."""


@dataclass(frozen=True)
class Beyond:
    """The means of an exploration beyond one process and its memory: files and tasks."""

    folder: Path | None = None
    """The folder of the files; None: a temporary folder, which is removed at the end."""
    resume: bool = False
    """True if to go on with what the folder has."""
    question: Mapping[str, Any] = field(default_factory=dict)
    """The identity of this exploration, as JSON values."""
    runner: Callable[[RunningExploration, Path], Runner] | None = None
    """Makes what runs the tasks, for a folder; None: this process does, once its memory is full."""
    large_level: int = LARGE_LEVEL
    """The number of states from which a level is divided, if there is a runner."""


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
    coverage: bool = False
    """True if to count the parts of guards and properties."""
    along: tuple[str, ...] = ()
    """Properties that do not keep the exploration going once the others are decided."""
    ending: tuple[str, ...] = ()
    """Properties whose violation ends the exploration, after all states of the same depth."""
    beyond: Beyond | None = None
    """The means if one process or its memory are too small; None: the exploration ends there."""
    kernels: bool = True
    """True if a compiled library may do the work of a long search."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Execution:
    """An execution that was found, as bits and moves."""

    violates: str
    initial: tuple[bool, ...]
    firings: tuple[tuple[Instance, tuple[bool, ...]], ...]
    steps: int
    """The number of actions, with the one that violates a step invariant."""


SPARK = "Spark"
"""The name of this means."""


@dataclass(frozen=True)
class Means:
    """The means that explores the levels from one on, until the next means takes over."""

    name: str
    """SPARK, or the number of processes by ``exploration_progress.name_processes``."""
    first_level: int


class OutOfMemory(Interrupted):
    """This process takes more memory than it may."""


@dataclass(frozen=True)
class Graph:
    """The explored graph: rows, and edges by the numbers of states and moves."""

    rows: Rows
    initial: int
    """The number of initial states, which come first."""
    edges: NDArray[np.int64]
    """A row per edge: source, target, move."""
    moves: Moves


@dataclass(frozen=True)
class Exploration(Outcome):
    """An outcome, with the graph if it was asked for."""

    graph: Graph | None = None
