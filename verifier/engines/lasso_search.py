"""Fair loops among the explored states of a model with monitors, and a lasso that leads to one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pysmt.fnode import FNode

from verifier.encodings.bits import TRUE
from verifier.engines.explore import Graph
from verifier.engines.fair_loops import FairStep, Indices, Mask, StateGraph, fair_component, loop_through
from verifier.explicit.compiled import Program
from verifier.explicit.packing import WORD, places, to_slices, unpack
from verifier.specs.temporal import Strength
from verifier.system.liveness import LiveModel
from verifier.system.transition_system import Instance

_CHUNK = WORD * 256


@dataclass(frozen=True)
class Lasso:
    """An execution: firings from an initial state, the last of which leads back to the state after ``start``
    firings. If there are no more than ``start``, it stutters there."""

    initial: tuple[bool, ...]
    firings: tuple[tuple[Instance, tuple[bool, ...]], ...]
    start: int


class FairLoops:
    """The search for a fair loop that meets a goal."""

    def __init__(self, live: LiveModel, graph: Graph, check: Callable[[], None]) -> None:
        self.live = live
        self.check = check
        self.graph = graph
        self.statistics: dict[str, Any] = {}
        edges = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
        edges = edges[np.argsort(edges[:, 0], kind="stable")]
        self.moves = edges[:, 2]
        self.states = StateGraph(len(graph.rows), edges[:, 0], edges[:, 1])
        place = {id(instance): n for n, instance in enumerate(live.model.system.instances)}
        of_move = np.array([place[id(move.instance)] for move in graph.moves.moves], np.int64)
        self.instances: Indices = of_move[self.moves] if len(of_move) else self.moves
        self.fair = [self._step(c.strength, c.instances) for c in live.conditions]
        self.looked_at = self._where([live.model.system.constraint])[0]
        """The states in which a loop may be."""
        if live.read is not TRUE:
            self._leave_out(*self._where([live.read]))

    def _leave_out(self, read: Mask) -> None:
        """Ends executions where the property reads what has no value, which is reported."""
        kept = read[self.states.sources]
        self.moves, self.instances = self.moves[kept], self.instances[kept]
        self.states = StateGraph(
            self.states.states, self.states.sources[kept], self.states.targets[kept]
        )
        self.fair = [replace(step, taken=step.taken[kept]) for step in self.fair]
        self.looked_at &= read & self._entering()[1]

    def _step(self, strength: Strength, instances: Sequence[int]) -> FairStep:
        """A condition. Where its step is possible is read off the edges: all of them were explored."""
        taken = np.isin(self.instances, np.array(instances, np.int64))
        enabled = np.zeros(self.states.states, np.bool_)
        enabled[self.states.sources[taken]] = True
        return FairStep(strength is Strength.STRONG, enabled, taken)

    def find(self) -> Lasso | None:
        """A lasso that violates the property, or None if there is none."""
        began = time.monotonic()
        try:
            for goal in self.live.goals:
                stays, *visits = self._where([goal.stays, *goal.visits])
                within = stays & self.looked_at
                found = fair_component(self.states, within, visits, self.fair, self.check)
                if found is not None:
                    return self._lasso(found, visits)
            return None
        finally:
            self.statistics["loop_seconds"] = round(time.monotonic() - began, 3)

    def _where(self, formulas: Sequence[FNode]) -> list[Mask]:
        """For each formula the states in which it holds."""
        bits = self.live.model.system.bits
        program = Program(bits)
        for formula in formulas:
            program.output(program.number(formula))
        compiled = program.compile()
        result = [np.zeros(self.states.states, np.bool_) for _ in formulas]
        for first in range(0, self.states.states, _CHUNK):
            self.check()
            rows = self.graph.rows[first : first + _CHUNK]
            for mask, output in zip(result, compiled(list(to_slices(rows, len(bits)))), strict=True):
                found = places(output)
                mask[first + found[found < len(rows)]] = True
        return result

    def _lasso(self, component: Mask, visits: Sequence[Mask]) -> Lasso:
        """The states are numbered breadth first: the first state of the component has a shortest stem."""
        start = int(np.flatnonzero(component)[0])
        loop = loop_through(self.states, component, start, visits, self.fair)
        stem = self._stem(start)
        initial = start if not stem else int(self.states.sources[stem[0]])
        bits = len(self.live.base.system.bits)
        moves = [self.graph.moves.moves[int(self.moves[edge])] for edge in (*stem, *loop)]
        place = {id(i): n for n, i in enumerate(self.live.model.system.instances)}
        own = self.live.base.system.instances
        firings = tuple((own[place[id(move.instance)]], move.inputs) for move in moves)
        whole = unpack(self.graph.rows[initial], len(self.live.model.system.bits))
        return Lasso(tuple(whole[:bits]), firings, len(stem))

    def _stem(self, state: int) -> list[int]:
        """The edges of a shortest way from an initial state."""
        entering, _ = self._entering(state)
        edges: list[int] = []
        while entering[state] >= 0:
            edges.append(int(entering[state]))
            state = int(self.states.sources[edges[-1]])
        return edges[::-1]

    def _entering(self, until: int | None = None) -> tuple[Indices, Mask]:
        """For each state the last edge of a shortest way from an initial state, and which states are reached:
        all that can be, or those that are no farther than ``until``."""
        entering = np.full(self.states.states, -1, np.int64)
        reached = np.zeros(self.states.states, np.bool_)
        reached[: self.graph.initial] = True
        new = reached.copy()
        while new.any() and (until is None or not reached[until]):
            leaving = np.flatnonzero(new[self.states.sources] & ~reached[self.states.targets])
            entering[self.states.targets[leaving]] = leaving
            new = np.zeros(self.states.states, np.bool_)
            new[self.states.targets[leaving]] = True
            reached |= new
        return entering, reached
