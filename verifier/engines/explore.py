"""Exhaustive breadth-first exploration of every reachable state, without a solver.

The first violation of a property, or witness of a reachable one, has the least depth, so its trace is a
shortest one. Every trace is replayed before it counts. States outside the constraint are checked, but neither
counted nor expanded. A step invariant is checked in the states that are expanded.

The exploration begins in the memory of this process. If that is too small, or a level is large and there are
workers, it continues in files (``level_search``), from the last complete level.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from verifier.engines.exploration import (
    Beyond,
    Execution,
    Exploration,
    Graph,
    OutOfMemory,
    Request,
)
from verifier.engines.exploration_progress import Progress
from verifier.engines.findings import Findings
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Look, Successors
from verifier.explicit.packing import Rows, places
from verifier.explicit.table import StateTable
from verifier.kernels.choosing import library_for
from verifier.processes.limits import INTERRUPTED, Interrupted
from verifier.processes.watching import Watched, look_at
from verifier.system.model import Model
from verifier.trust.initial_states import require_initial_state

if TYPE_CHECKING:
    from verifier.engines.level_search import Head, LevelSearch
    from verifier.explicit.fused import FusedSteps

_LOG = logging.getLogger(__name__)
_SUCCESSORS_AT_ONCE = 1 << 20

__all__ = ["Beyond", "Execution", "Exploration", "Graph", "Progress", "Request", "explore"]


def explore(
    model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None
) -> Exploration:
    """Explores until all is seen, all properties are violated or reached, or the limits or the user end it.

    The type invariant is always checked along, as in bounded model checking. Raises NoInitialState, and
    Interrupted where a limit is reached before all moves are compiled.
    """
    require_initial_state(model)
    request = replace(request, limits=request.limits.begin())
    with Watched(look_at(request.limits)):
        findings = Findings(model.asking(request.properties), request, listen)
    search, reason = _BreadthFirstSearch(findings), ""
    try:
        _explore(findings, search)
    except Interrupted as stop:
        reason = str(stop)
    except KeyboardInterrupt:
        reason = INTERRUPTED
    except MemoryError:
        reason = "out of memory"
    return findings.conclude(reason, search.graph())


def _explore(findings: Findings, search: _BreadthFirstSearch) -> None:
    """Explore. Raises Interrupted if it ends early."""
    beyond = findings.request.beyond
    if beyond is None:
        search.run()
    elif beyond.folder is None and beyond.runner is None:
        if (head := search.run()) is not None:
            with _open_files(findings, beyond) as files:
                files.begin(head)
    else:
        with _open_files(findings, beyond) as files:
            if not files.go_on() and (head := search.run(files.takes_over)) is not None:
                files.begin(head)


def _open_files(findings: Findings, beyond: Beyond) -> LevelSearch:
    """Return the search in files. Its module is loaded only for it."""
    from verifier.engines.level_search import LevelSearch

    return LevelSearch(findings, beyond)


class _BreadthFirstSearch:
    """The search within the memory of this process."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.request, self.moves = findings.request, findings.moves
        self.table = StateTable(self.moves.words)
        self.edges: list[NDArray[np.int64]] = []
        self.initial = 0
        self._fused: FusedSteps | None = None
        self._orbits = findings.orbits

    def run(self, large: Callable[[int], bool] = lambda _: False) -> Head | None:
        """Search. If the search must continue in files, return their initial content. That happens if memory
        is too small, and before a level whose size is ``large``."""
        findings, beyond = self.findings, self.request.beyond
        self._add_initial()
        starts = [0]
        while (start := starts[-1]) < len(self.table):
            level, end = len(starts) - 1, len(self.table)
            last = level == self.request.max_depth
            if large(end - start):
                return self._hand_over(starts, end)
            self._compile()
            restore = findings.save() if beyond is not None else None
            try:
                for first in range(start, end, self.moves.chunk()):
                    next_first = min(end, first + self.moves.chunk())
                    self._look(first, next_first, level, first - start, expand=not last)
            except OutOfMemory:
                if restore is None:
                    raise
                restore()
                return self._hand_over(starts, end)
            findings.close(level, expanded=not last)
            findings.tell(level)
            if last or findings.decided:
                break
            starts.append(end)
        findings.complete = not findings.waiting and not findings.tally.unexpanded
        return None

    def _hand_over(self, starts: list[int], end: int) -> Head:
        """The findings; this search forgets them, so that its memory is free once the head is written."""
        from verifier.engines.level_search import Head

        table, self.table, self._fused = self.table, StateTable(self.moves.words), None
        self._orbits = self.findings.orbits
        return Head(table, tuple(starts), end)

    def _add_initial(self) -> None:
        rows = initial_states(self.findings.model.system)
        self._add(rows, np.full(len(rows), -1, np.int64))
        self.initial = self.findings.initial = self.findings.tally.generated = len(self.table)

    def _look(self, first: int, end: int, level: int, place: int, *, expand: bool) -> None:
        """Looks at the states of these numbers, all of the same depth, at this place among them."""
        findings = self.findings
        findings.enforce()
        rows = self.table.rows(first, end)
        look = (self._fused or self.moves).look(rows)
        if findings.guard_counts is not None:
            findings.guard_counts.count(rows)
        for name in findings.names_to_seek(expanded=expand):
            if look.failing[name].any():
                number = int(places(look.failing[name])[0])
                findings.record_violation(
                    name, level, place + number, partial(self.table.chain, first + number)
                )
        findings.count_states(level, findings.tally.count(look, self._orbits))
        if expand and self._fused is not None and self._orbits is None and not self.request.graph:
            self._expand_fused(self._fused, look, first)
        elif expand:
            self._expand(look, first)
        else:
            findings.tally.unexpanded |= bool(look.enabled.any())
        findings.tell_now_and_then(level)

    def _expand(self, look: Look, first: int) -> None:
        """Adds the successors; not all at once where they are very many, as they take memory."""
        steps, count = list[Successors](), 0
        for step in (self._fused or self.moves).successors(look):
            steps.append(step)
            count += len(step.rows)
            if count >= _SUCCESSORS_AT_ONCE:
                self._take(steps, first)
                self.findings.enforce()
                steps, count = [], 0
        if steps:
            self._take(steps, first)

    def _compile(self) -> None:
        """Let the compiled library do the work from here on, if it pays and there is one."""
        request, known = self.request, len(self.table)
        if self._fused is None and request.kernels and (library := library_for(known)) is not None:
            from verifier.explicit.fused import FusedSteps
            from verifier.explicit.fused_orbits import fuse

            _LOG.info("compiled kernels from %d states on", known)
            self._fused = FusedSteps(self.moves, self.table, library, self.findings.memory)
            self.table, self._orbits = self._fused.table, fuse(self._orbits, library)

    def _expand_fused(self, fused: FusedSteps, look: Look, first: int) -> None:
        findings = self.findings
        for moves, coming in fused.portions(look, _SUCCESSORS_AT_ONCE):
            findings.tally.generated += coming
            self._check_growth(coming)
            before = len(self.table)
            findings.tally.coverage.found += fused.expand(look, first, moves, coming)
            self._count_known(before)
            findings.enforce()

    def _take(self, steps: list[Successors], first: int) -> None:
        rows = np.concatenate([step.rows for step in steps])
        sources = np.concatenate([step.sources for step in steps]) + first
        tally, before = self.findings.tally, len(self.table)
        tally.generated += len(rows)
        rows, new = self._add(rows, sources)
        tally.coverage.count_new(steps, new)
        if self.request.graph:
            self._keep_edges(steps, sources, rows)
        self._count_known(before)

    def _add(self, rows: Rows, predecessors: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        if self._orbits is not None:
            rows = self._orbits.representatives(rows)
        self._check_growth(len(rows))
        new = self.table.insert(rows, predecessors)
        self.findings.known = len(self.table)
        return rows, new

    def _check_growth(self, coming: int) -> None:
        """Raises OutOfMemory if there is no room for this number of further states."""
        growth = self.table.growth(coming)
        if growth and self.findings.resident() + growth > self.findings.memory:
            raise OutOfMemory(self.findings.memory_reason())

    def _count_known(self, before: int) -> None:
        """Counts the states of the table; there were ``before``. Raises Interrupted if there are too many."""
        tally, self.findings.known = self.findings.tally, len(self.table)
        if len(self.table) > before:
            self.findings.check_states(len(self.table) - (tally.looked - tally.within))

    def _keep_edges(self, steps: list[Successors], sources: NDArray[np.int64], rows: Rows) -> None:
        numbers = np.concatenate([np.full(len(step.rows), step.move) for step in steps])
        self.edges.append(np.stack((sources, self.table.find(rows), numbers), axis=1))

    def graph(self) -> Graph | None:
        """The explored graph, if it was asked for."""
        if not self.request.graph:
            return None
        edges = np.concatenate(self.edges) if self.edges else np.empty((0, 3), np.int64)
        return Graph(self.table.rows(0, len(self.table)), self.initial, edges, self.moves)
