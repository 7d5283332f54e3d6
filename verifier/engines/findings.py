"""What an exploration was asked, what it found so far, and the verdicts that follow."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import psutil
from numpy.typing import NDArray

from verifier.engines.implied import limit_by_implied
from verifier.engines.outcome import Outcome
from verifier.explicit.classes import Classes, classes_of
from verifier.explicit.coverage import Coverage
from verifier.explicit.levels import Result, Stage, Tally, Task
from verifier.explicit.moves import Moves
from verifier.explicit.packing import Rows, unpack
from verifier.processes.limits import Interrupted, Limits
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.verdict import NEVER_REACHED, Verdict, VerdictKind, not_reached

COMPLETE = "complete: every reachable state was checked"
_ENDED_EARLY = "ended when all that was asked for was found"
_SECONDS_BETWEEN_NEWS = 1.0
_SPARED_MEMORY = 0.9
"""Of the memory available at the start, what an exploration without a limit of its own may take."""


LARGE_LEVEL = 50_000
"""A level of so many states takes longer to look at than to divide."""


class Runner(AbstractContextManager["Runner"], Protocol):
    """Where the tasks of a level run. It is a context: leaving it ends whatever runs."""

    @property
    def ready(self) -> bool:
        """Whether it can run tasks at once; until then it is still starting."""

    @property
    def slots(self) -> int:
        """How many tasks run at a time. Waits until it is ready, and raises Interrupted if it never is."""

    @property
    def room(self) -> int:
        """The bytes that a task may take beside what its process has anyway."""

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """What came of the tasks, as they end. Raises Interrupted where one cannot be done."""


@dataclass(frozen=True)
class Beyond:
    """How an exploration goes on beyond one process and its memory: in files, by tasks."""

    folder: Path | None = None
    """Where the files are; None: in a temporary folder, which goes away in the end."""
    resume: bool = False
    """Whether to go on with what the folder has."""
    question: Mapping[str, Any] = field(default_factory=dict)
    """What tells this exploration from others, as JSON values."""
    runner: Callable[[Findings, Path], Runner] | None = None
    """Makes what runs the tasks, for a folder; None: this process does, once its memory is full."""
    large_level: int = LARGE_LEVEL
    """Where there is a runner, how many states a level has for it to be divided."""


@dataclass(frozen=True)
class Request:
    """What is to be explored, and how far."""

    properties: tuple[str, ...]
    max_states: int | None = None
    max_depth: int | None = None
    symmetry: bool = False
    keep_going: bool = False
    """Whether to count all states even when every property asked for is violated or reached."""
    graph: bool = False
    """Whether to keep the edges."""
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
    """What violates or reaches the property just decided. No execution with fewer actions does."""
    written: int | None = None
    """Bytes in files, where the states are there."""


class OutOfMemory(Interrupted):
    """This process takes more memory than it may."""


@dataclass(frozen=True)
class Graph:
    """What was explored, state by state: rows, and edges by the numbers of states and moves."""

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


class Findings:
    """What an exploration found so far, by whatever means it goes on."""

    def __init__(self, model: Model, request: Request, listen: Callable[[Progress], None]) -> None:
        self.model, self.request, self.listen = model, request, listen
        self.began = time.monotonic()
        self.limits = request.limits.begun()
        system = model.system
        self.names = list(dict.fromkeys((*request.properties, *(prop.name for prop in system.implied))))
        self.violations: dict[str, Verdict] = {}
        self.failing: dict[str, tuple[int, int]] = {}
        """The level, and the number within it, of the first state in which a property fails."""
        self.moves = Moves(model)
        self.orbits: Classes | None = classes_of(model, symmetry=request.symmetry)
        actions = [action.name for action in model.definition.actions]
        self.tally = Tally(Coverage(actions, self.moves.actions))
        self.levels: list[int] = []
        """States within the constraint at each depth."""
        self.generated_by: list[int] = []
        """States generated by the steps of the states to each depth."""
        self.initial = 0
        self.known = 0
        """States found, looked at or not."""
        self.before = 0
        """States that an exploration found with which this one goes on."""
        self.closed = -1
        """The depth that is fully checked."""
        self.complete = False
        self.told = 0.0
        self.process = psutil.Process()
        self.memory = request.limits.memory or int(
            psutil.virtual_memory().available * _SPARED_MEMORY + self.process.memory_info().rss
        )
        self.peak_memory = 0
        self.written: int | None = None
        self.exchanged = 0
        """Bytes of successors that tasks wrote for others to read."""
        self.task_memory: int | None = None
        """The most that a process with tasks took."""

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    @property
    def depth(self) -> int:
        """The greatest depth of a state within the constraint."""
        return max((depth for depth, count in enumerate(self.levels) if count), default=0)

    @property
    def waiting(self) -> int:
        """States found and not looked at."""
        return self.known - self.tally.looked

    @property
    def distinct(self) -> int:
        """States within the constraint, and those not yet looked at."""
        return self.tally.within + self.waiting

    @property
    def decided(self) -> bool:
        """Whether all that was asked for was found, in levels that were looked at wholly, and no more is
        wanted."""
        if any(level > self.closed for level, _ in self.failing.values()):
            return False
        if not self.violations.keys().isdisjoint(self.request.ending):
            return True
        asked = set(self.request.properties)
        awaited = asked.difference(self.request.along) or asked
        return not self.request.keep_going and self.violations.keys() >= awaited

    def sought(self, *, expanded: bool) -> tuple[str, ...]:
        """The properties whose failure is looked for in states that are expanded, or are not."""
        system = self.model.system
        return tuple(
            name
            for name in self.names
            if name not in self.violations and (expanded or not system.about_steps(name))
        )

    def counted(self, level: int, within: int) -> None:
        """States of a level were looked at, so many of them within the constraint."""
        self.levels += [0] * (level + 1 - len(self.levels))
        self.levels[level] += within

    def close(self, level: int, *, expanded: bool) -> None:
        """All states of this depth were looked at, and expanded or not."""
        self.closed = level
        if expanded:
            self.generated_by.append(self.tally.generated)

    def saved(self) -> Callable[[], None]:
        """What takes all counts back to what they are now."""
        kept = copy.deepcopy((self.tally, self.levels, self.generated_by, self.known, self.closed))

        def restore() -> None:
            self.tally, self.levels, self.generated_by, self.known, self.closed = kept

        return restore

    def check_states(self, known: int) -> None:
        """Raises Interrupted if there are more than were asked for."""
        limit = self.request.max_states
        if limit is not None and known > limit:
            raise Interrupted(f"more than {limit} states")

    def enforce(self, elsewhere: int = 0) -> None:
        """Raises Interrupted if the time is over or too much memory is taken: by this process, and so many
        bytes by others."""
        self.limits.check_time()
        if self.resident(elsewhere) > self.memory:
            raise OutOfMemory(self.memory_reason())

    def resident(self, elsewhere: int = 0) -> int:
        """The memory of this process, and of others."""
        used = int(self.process.memory_info().rss) + elsewhere
        self.peak_memory = max(self.peak_memory, used)
        return used

    def memory_reason(self) -> str:
        """Which memory it is that is used up."""
        if self.request.limits.memory is None:
            return "the memory of this machine"
        return f"memory limit of {self.memory / 2**20:g} MiB"

    def tell(self, level: int, found: Execution | None = None) -> None:
        """Says how far the exploration is."""
        self.told = time.monotonic()
        violated = None if found is None else found.violates
        self.listen(
            Progress(
                depth=level,
                states=self.known,
                frontier=self.waiting,
                seconds=self.elapsed,
                violated=violated,
                reached=violated is not None and self.model.system.seeks(violated),
                closed=self.closed,
                enabled=self.tally.coverage.enabled,
                found=found,
                written=self.written,
            )
        )

    def tell_now_and_then(self, level: int) -> None:
        """The same, if that was said some time ago."""
        if time.monotonic() - self.told > _SECONDS_BETWEEN_NEWS:
            self.tell(level)

    def tell_again(self) -> None:
        """The same of the level that is being looked at."""
        self.tell_now_and_then(self.closed + 1)

    def violated(self, name: str, level: int, number: int, chain: Callable[[], Sequence[Rows]]) -> None:
        """A property fails in a state of this level; the chain has a state of each level on the way there."""
        self.failing[name] = (level, number)
        try:
            initial, firings = self._path(chain())
            trace = Replayer(self.model).execute(initial, firings, name)
        except ReplayFailure as failure:
            reason = f"a violation at depth {level} does not replay: {failure}"
            self.violations[name] = Verdict(name, VerdictKind.ERROR, level, self.elapsed, reason)
            return
        kind = VerdictKind.REACHED if self.model.system.seeks(name) else VerdictKind.VIOLATED
        self.violations[name] = Verdict(
            name, kind, trace.steps, self.elapsed, trace=trace, fewest=True, found_by="explore"
        )
        self.tell(trace.steps, Execution(name, tuple(initial), tuple(firings), trace.steps))

    def _path(self, chain: Sequence[Rows]) -> tuple[list[bool], list[tuple[Instance, tuple[bool, ...]]]]:
        """The bits of an initial state, and what is taken from there. Of symmetric states it takes those with
        the same names throughout."""
        current = chain[0]
        firings: list[tuple[Instance, tuple[bool, ...]]] = []
        for step, target in enumerate(chain[1:], 1):
            move, current = self._step(step, current, target)
            firings.append((self.moves.moves[move].instance, self.moves.moves[move].inputs))
        return unpack(chain[0][0], len(self.model.system.bits)), firings

    def _step(self, step: int, current: Rows, target: Rows) -> tuple[int, Rows]:
        """A move from a state to one that is represented by the target."""
        for successors in self.moves.successors(self.moves.look(current)):
            following = successors.rows
            if np.array_equal(self.represented(following), target):
                return successors.move, following
        raise ReplayFailure(step, "no action leads to the state that was found")

    def represented(self, rows: Rows) -> Rows:
        """The states by which these are represented."""
        return rows if self.orbits is None else self.orbits.representatives(rows)

    def concluded(self, reason: str, graph: Graph | None = None) -> Exploration:
        """The outcome, now that the exploration has ended: early for this reason, or complete."""
        verdicts = [self.verdict(name, reason) for name in self.names]
        asked = [v for v in verdicts if v.property_name in self.request.properties or v.trace is not None]
        coverage = self.tally.coverage
        never = () if self.closed < 0 else coverage.never_enabled
        told = limit_by_implied(self.model.system, asked)
        return Exploration(told, never, self.statistics(), coverage.enabled, graph)

    def verdict(self, name: str, reason: str) -> Verdict:
        if name in self.violations:
            return self.violations[name]
        depth = self.closed if self.closed >= 0 else None
        if self.model.system.seeks(name):
            return self._not_reached(name, depth, reason)
        if self.complete:
            return Verdict(name, VerdictKind.HOLDS, self.depth, self.elapsed, COMPLETE)
        if self.request.max_depth is not None and self.closed >= self.request.max_depth:
            return Verdict(name, VerdictKind.HOLDS, depth, self.elapsed)
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, self.elapsed, reason or _ENDED_EARLY)

    def _not_reached(self, name: str, depth: int | None, reason: str) -> Verdict:
        if self.complete:
            return Verdict(name, VerdictKind.VIOLATED, self.depth, self.elapsed, NEVER_REACHED)
        last = depth is not None and depth == self.request.max_depth
        why = not_reached(depth) if depth is not None and last else reason or _ENDED_EARLY
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, self.elapsed, why)

    def statistics(self) -> dict[str, Any]:
        """The counts, as results name them."""
        seconds, tally = self.elapsed, self.tally
        result: dict[str, Any] = {
            "distinct_states": self.distinct,
            "generated_states": tally.generated,
            "depth": self.depth,
            "initial_states": self.initial,
            "deadlocks": tally.deadlocks,
            "levels": self.levels,
            "generated_by_level": self.generated_by,
            "complete": self.complete,
            "waiting_states": self.waiting,
            "states_beyond_constraint": tally.looked - tally.within,
            "actions": tally.coverage.by_action(),
            "states_per_second": round((self.distinct - self.before) / seconds) if seconds else None,
            "exploring_seconds": round(seconds, 3),
            "peak_memory_bytes": max(self.peak_memory, self.resident()),
            "symmetry": self.orbits is not None,
        }
        if self.orbits is not None:
            result |= {"permutations": self.orbits.size, "states_in_orbits": tally.in_orbits}
        if self.written is not None:
            result |= {"bytes_in_files": self.written, "bytes_exchanged": self.exchanged}
            result |= {"peak_task_memory_bytes": self.task_memory}
        return result
