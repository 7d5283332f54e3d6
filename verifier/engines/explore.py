"""Exhaustive breadth-first exploration, without a solver: every reachable state is looked at.

The first violation of a property, or witness of a reachable one, is found at the least depth, so its
trace is a shortest one. Every
trace is replayed before it counts. States beyond the constraint are checked, but neither counted nor
expanded. A step invariant is checked in the states that are expanded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from verifier.engines.coverage import Coverage
from verifier.engines.implied import limit_by_implied
from verifier.engines.outcome import Outcome
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Moves, Successors
from verifier.explicit.orbits import Orbits
from verifier.explicit.packing import Rows, places, unpack
from verifier.explicit.table import StateTable
from verifier.processes.limits import Interrupted, Limits
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.initial_states import require_initial_state
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.verdict import NEVER_REACHED, Verdict, VerdictKind, not_reached

COMPLETE = "complete: every reachable state was checked"
_ENDED_EARLY = "ended when all that was asked for was found"
_SPARED_MEMORY = 0.9
"""Of the memory available at the start, what an exploration without a limit of its own may take."""
_SECONDS_BETWEEN_NEWS = 1.0


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


def explore(
    model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None
) -> Exploration:
    """Explores until all is seen, all properties are violated or reached, or the limits or the user end it.

    The type invariant is always checked along, as in bounded model checking. Raises NoInitialState.
    """
    require_initial_state(model)
    return _BreadthFirstSearch(model.asking(request.properties), request, listen).run()


@dataclass
class _BreadthFirstSearch:
    model: Model
    request: Request
    listen: Callable[[Progress], None]
    began: float = field(default_factory=time.monotonic)
    closed: int = -1
    """The depth that is fully checked."""
    depth: int = 0
    """The greatest depth of a state within the constraint."""
    looked: int = 0
    within: int = 0
    generated: int = 0
    initial: int = 0
    deadlocks: int = 0
    in_orbits: int = 0
    complete: bool = False
    unexpanded: bool = False
    """Whether a state at the greatest depth asked for has successors that were not looked for."""
    told: float = 0.0
    peak_memory: int = 0

    def __post_init__(self) -> None:
        system = self.model.system
        self.limits = self.request.limits.begun()
        asked = self.request.properties
        implied = (prop.name for prop in system.implied)
        self.names = list(dict.fromkeys((*asked, *implied)))
        self.violations: dict[str, Verdict] = {}
        self.process = psutil.Process()
        self.memory = self.request.limits.memory or int(
            psutil.virtual_memory().available * _SPARED_MEMORY + self.process.memory_info().rss
        )
        self.moves = Moves(self.model)
        self.orbits = Orbits(self.model) if self.request.symmetry and system.symmetries else None
        self.table = StateTable(self.moves.words)
        self.coverage = Coverage(self.moves)
        self.levels: list[int] = []
        self.generated_by: list[int] = []
        self.edges: list[NDArray[np.int64]] = []

    def run(self) -> Exploration:
        reason = ""
        try:
            self._explore()
        except Interrupted as stop:
            reason = str(stop)
        except KeyboardInterrupt:
            reason = "interrupted"
        except MemoryError:
            reason = "out of memory"
        verdicts = [self._verdict(name, reason) for name in self.names]
        asked = [v for v in verdicts if v.property_name in self.request.properties or v.trace is not None]
        never = () if self.closed < 0 else self.coverage.never_enabled
        told = limit_by_implied(self.model.system, asked)
        return Exploration(told, never, self._statistics(), self.coverage.enabled, self._graph())

    def _explore(self) -> None:
        rows = initial_states(self.model.system)
        self._add(rows, np.full(len(rows), -1, np.int64))
        self.initial = self.generated = len(self.table)
        start, level = 0, 0
        while start < len(self.table):
            end, last = len(self.table), level == self.request.max_depth
            for first in range(start, end, self.moves.chunk()):
                self._look(first, min(end, first + self.moves.chunk()), level, expand=not last)
            self.closed = level
            if not last:
                self.generated_by.append(self.generated)
            self._tell(level, end)
            if last or self._decided():
                break
            start, level = end, level + 1
        self.complete = self.looked == len(self.table) and not self.unexpanded

    def _decided(self) -> bool:
        if not self.violations.keys().isdisjoint(self.request.ending):
            return True
        asked = set(self.request.properties)
        awaited = asked.difference(self.request.along) or asked
        return not self.request.keep_going and self.violations.keys() >= awaited

    def _look(self, first: int, end: int, level: int, *, expand: bool) -> None:
        """Looks at the states of these numbers, all of the same depth."""
        self._enforce()
        rows = self.table.rows(first, end)
        look = self.moves.look(rows)
        for name in self.names:
            looked_at = expand or not self.model.system.about_steps(name)
            if looked_at and name not in self.violations and look.failing[name].any():
                self._violated(name, first + int(places(look.failing[name])[0]), level)
        within = int(np.bitwise_count(look.within).sum())
        self.within += within
        if level == len(self.levels):
            self.levels.append(0)
        self.levels[level] += within
        self.looked += end - first
        self.depth = level if within else self.depth
        self.deadlocks += int(np.bitwise_count(look.deadlocked).sum())
        if self.orbits is not None:
            self.in_orbits += int(self.orbits.sizes(rows)[places(look.within)].sum())
        self.coverage.count_enabled(look)
        if expand:
            self._expand(look, first)
        else:
            self.unexpanded |= bool(look.enabled.any())
        if time.monotonic() - self.told > _SECONDS_BETWEEN_NEWS:
            self._tell(level, end)

    def _expand(self, look: Look, first: int) -> None:
        steps = list(self.moves.successors(look))
        if not steps:
            return
        rows = np.concatenate([step.rows for step in steps])
        sources = np.concatenate([step.sources for step in steps]) + first
        self.generated += len(rows)
        before = len(self.table)
        rows, new = self._add(rows, sources)
        self.coverage.count_new(steps, new)
        if self.request.graph:
            self._keep_edges(steps, sources, rows)
        limit = self.request.max_states
        known = len(self.table) - (self.looked - self.within)
        if limit is not None and known > limit and len(self.table) > before:
            raise Interrupted(f"more than {limit} states")

    def _add(self, rows: Rows, predecessors: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        if self.orbits is not None:
            rows = self.orbits.representatives(rows)
        growth = self.table.growth(len(rows))
        if growth and self._resident() + growth > self.memory:
            raise Interrupted(self._memory_reason())
        return rows, self.table.insert(rows, predecessors)

    def _keep_edges(self, steps: list[Successors], sources: NDArray[np.int64], rows: Rows) -> None:
        numbers = np.concatenate([np.full(len(step.rows), step.move) for step in steps])
        self.edges.append(np.stack((sources, self.table.find(rows), numbers), axis=1))

    def _enforce(self) -> None:
        self.limits.check_time()
        if self._resident() > self.memory:
            raise Interrupted(self._memory_reason())

    def _resident(self) -> int:
        used = int(self.process.memory_info().rss)
        self.peak_memory = max(self.peak_memory, used)
        return used

    def _memory_reason(self) -> str:
        if self.request.limits.memory is None:
            return "the memory of this machine"
        return f"memory limit of {self.memory / 2**20:g} MiB"

    def _elapsed(self) -> float:
        return time.monotonic() - self.began

    def _tell(self, level: int, looked: int, found: Execution | None = None) -> None:
        self.told = time.monotonic()
        known = len(self.table)
        violated = None if found is None else found.violates
        reached = violated is not None and self.model.system.seeks(violated)
        seconds, enabled = self._elapsed(), self.coverage.enabled
        progress = Progress(
            level, known, known - looked, seconds, violated, reached, self.closed, enabled, found
        )
        self.listen(progress)

    def _violated(self, name: str, state: int, level: int) -> None:
        try:
            initial, firings = self._path(state)
            trace = Replayer(self.model).execute(initial, firings, name)
        except ReplayFailure as failure:
            reason = f"a violation at depth {level} does not replay: {failure}"
            self.violations[name] = Verdict(name, VerdictKind.ERROR, level, self._elapsed(), reason)
            return
        kind = VerdictKind.REACHED if self.model.system.seeks(name) else VerdictKind.VIOLATED
        self.violations[name] = Verdict(
            name, kind, trace.steps, self._elapsed(), trace=trace, fewest=True, found_by="explore"
        )
        self._tell(trace.steps, self.looked, Execution(name, tuple(initial), tuple(firings), trace.steps))

    def _path(self, state: int) -> tuple[list[bool], list[tuple[Instance, tuple[bool, ...]]]]:
        """The way to a state: the bits of an initial state, and what is taken from there. Of symmetric states
        it takes those with the same names throughout."""
        chain = [state]
        while (before := self.table.predecessor(chain[-1])) is not None:
            chain.append(before)
        rows = [self.table.rows(number, number + 1) for number in reversed(chain)]
        current = rows[0]
        firings: list[tuple[Instance, tuple[bool, ...]]] = []
        for step, target in enumerate(rows[1:], 1):
            move, current = self._step(step, current, target)
            firings.append((self.moves.moves[move].instance, self.moves.moves[move].inputs))
        return unpack(rows[0][0], len(self.model.system.bits)), firings

    def _step(self, step: int, current: Rows, target: Rows) -> tuple[int, Rows]:
        """A move from a state to one that is represented by the target."""
        for successors in self.moves.successors(self.moves.look(current)):
            following = successors.rows
            stored = following if self.orbits is None else self.orbits.representatives(following)
            if np.array_equal(stored, target):
                return successors.move, following
        raise ReplayFailure(step, "no action leads to the state that was found")

    def _verdict(self, name: str, reason: str) -> Verdict:
        if name in self.violations:
            return self.violations[name]
        depth = self.closed if self.closed >= 0 else None
        if self.model.system.seeks(name):
            return self._not_reached(name, depth, reason)
        if self.complete:
            return Verdict(name, VerdictKind.HOLDS, self.depth, self._elapsed(), COMPLETE)
        if self.request.max_depth is not None and self.closed >= self.request.max_depth:
            return Verdict(name, VerdictKind.HOLDS, depth, self._elapsed())
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, self._elapsed(), reason or _ENDED_EARLY)

    def _not_reached(self, name: str, depth: int | None, reason: str) -> Verdict:
        if self.complete:
            return Verdict(name, VerdictKind.VIOLATED, self.depth, self._elapsed(), NEVER_REACHED)
        last = depth is not None and depth == self.request.max_depth
        why = not_reached(depth) if depth is not None and last else reason or _ENDED_EARLY
        return Verdict(name, VerdictKind.INCONCLUSIVE, depth, self._elapsed(), why)

    def _statistics(self) -> dict[str, Any]:
        seconds = self._elapsed()
        waiting = len(self.table) - self.looked
        distinct = self.within + waiting
        result: dict[str, Any] = {
            "distinct_states": distinct,
            "generated_states": self.generated,
            "depth": self.depth,
            "initial_states": self.initial,
            "deadlocks": self.deadlocks,
            "levels": self.levels,
            "generated_by_level": self.generated_by,
            "complete": self.complete,
            "waiting_states": waiting,
            "states_beyond_constraint": self.looked - self.within,
            "actions": self.coverage.by_action(),
            "states_per_second": round(distinct / seconds) if seconds else None,
            "exploring_seconds": round(seconds, 3),
            "peak_memory_bytes": max(self.peak_memory, self._resident()),
            "symmetry": self.orbits is not None,
        }
        if self.orbits is not None:
            result |= {"permutations": self.orbits.size, "states_in_orbits": self.in_orbits}
        return result

    def _graph(self) -> Graph | None:
        if not self.request.graph:
            return None
        edges = np.concatenate(self.edges) if self.edges else np.empty((0, 3), np.int64)
        return Graph(self.table.rows(0, len(self.table)), self.initial, edges, self.moves)
