"""Fair loops among the explored states of a model with monitors, and a lasso that leads to one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from pysmt.fnode import FNode

from verifier.encodings.bits import FALSE, TRUE, restrict_formula
from verifier.engines.explore import Graph
from verifier.engines.fair_loops import FairStep, Indices, Mask, StateGraph, fair_component, loop_through
from verifier.explicit.compiled import Program
from verifier.explicit.packing import WORD, places, to_slices, unpack
from verifier.specs.temporal import Strength
from verifier.system.fairness import Condition
from verifier.system.liveness import LiveModel
from verifier.system.temporal_bits import Event
from verifier.system.temporal_reading import Goal
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
        self.inputs = [move.inputs for move in graph.moves.moves]
        self.fair = [self._step(condition) for condition in live.conditions]
        self.looked_at = self._where([live.model.system.constraint])[0]
        """The states in which a loop may be."""
        if live.read is not TRUE:
            self._leave_out(*self._where([live.read]))

    def _leave_out(self, read: Mask) -> None:
        """End executions at undefined reads of the property, which are reported."""
        kept = read[self.states.sources]
        self.moves, self.instances = self.moves[kept], self.instances[kept]
        self.states = StateGraph(self.states.states, self.states.sources[kept], self.states.targets[kept])
        self.fair = [replace(step, taken=step.taken[kept]) for step in self.fair]
        self.looked_at &= read & self._entering()[1]

    def _step(self, condition: Condition) -> FairStep:
        """Return a condition as steps of the graph. Its enabled states follow from the edges, which were all
        explored. A wrong guess of the future may lack some edges, so the states are then evaluated. So they
        are if a step was cut off."""
        own = np.isin(self.instances, np.array(condition.instances, np.int64))
        if self.live.guesses:
            (enabled,) = self._where([condition.enabled])
        else:
            enabled = np.zeros(self.states.states, np.bool_)
            enabled[self.states.sources[own]] = True
            if condition.cut_off is not FALSE:
                enabled |= self._where([condition.cut_off])[0]
        return FairStep(condition.strength is Strength.STRONG, enabled, self._same_steps(own))

    def _same_steps(self, own: Mask) -> Mask:
        """Add the edges between the same states: the name of a step does not matter."""
        numbers, steps = self._twins
        result = own.copy()
        result[numbers] = np.isin(steps, steps[own[numbers]])
        return result

    @cached_property
    def _twins(self) -> tuple[Indices, Indices]:
        """The edges beside which there is another one between the same states, and for each the number of the
        step that it is."""
        twins: list[tuple[Indices, Indices]] = []
        sources, targets, first = self.states.sources, self.states.targets, 0
        while first < len(sources):
            self.check()
            last = int(np.searchsorted(sources, sources[min(first + _CHUNK, len(sources)) - 1], "right"))
            steps = sources[first:last] * self.states.states + targets[first:last]
            _, places, counts = np.unique(steps, return_inverse=True, return_counts=True)
            several = np.flatnonzero(counts[places] > 1)
            twins.append((first + several, steps[several]))
            first = last
        if not twins:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate([one[0] for one in twins]), np.concatenate([one[1] for one in twins])

    def _make_wanted_event(self, visit: Event) -> FairStep:
        """The event that is to happen again and again, as weak fairness: a state in which it is so, or a
        step."""
        (happens,) = self._where([visit.state])
        return FairStep(False, ~happens, self._edges(visit.steps))

    def _edges(self, steps: Sequence[tuple[int, FNode]]) -> Mask:
        """The edges that are steps of the instances from states in which the formulas hold."""
        wanted, instances = dict(steps), self.live.model.system.instances
        result = np.zeros(len(self.states.sources), np.bool_)
        for move in np.flatnonzero(np.bincount(self.moves, minlength=len(self.inputs))):
            edges = np.flatnonzero(self.moves == move)
            instance = int(self.instances[edges[0]])
            if instance in wanted:
                known = dict(zip(instances[instance].inputs, self.inputs[move], strict=True))
                chosen = {own: TRUE if value else FALSE for own, value in known.items()}
                (holds,) = self._where([restrict_formula(wanted[instance], chosen)])
                result[edges] = holds[self.states.sources[edges]]
        return result

    def find(self) -> Lasso | None:
        """A lasso that violates the property, or None if there is none."""
        began = time.monotonic()
        try:
            for goal in self.live.goals:
                outcome = self._of(goal)
                if outcome is not None:
                    return outcome
            return None
        finally:
            self.statistics["loop_seconds"] = round(time.monotonic() - began, 3)

    def has_fair_execution(self) -> bool:
        """True if some fair execution never leaves the constraint, whatever the property says of it."""
        return fair_component(self.states, self.looked_at, (), self.fair, self.check) is not None

    def _of(self, goal: Goal) -> Lasso | None:
        """A lasso that meets the goal."""
        plain = [visit.state for visit in goal.visits if not visit.steps]
        stays, *visits = self._where([goal.stays, *plain])
        fair = [*self.fair, *(self._make_wanted_event(visit) for visit in goal.visits if visit.steps)]
        graph, kept = self.states, np.arange(len(self.states.sources))
        if goal.avoids:
            kept = np.flatnonzero(~self._edges(goal.avoids))
            graph = StateGraph(graph.states, graph.sources[kept], graph.targets[kept])
            fair = [replace(step, taken=step.taken[kept]) for step in fair]
        component = fair_component(graph, stays & self.looked_at, visits, fair, self.check)
        if component is None:
            return None
        start = int(np.flatnonzero(component)[0])
        loop = loop_through(graph, component, start, visits, fair)
        return self._lasso(start, [int(kept[edge]) for edge in loop])

    def _where(self, formulas: Sequence[FNode]) -> list[Mask]:
        """Return for each formula the states in which it holds."""
        bits = self.live.model.system.bits
        program = Program(bits)
        for formula in formulas:
            program.output(program.number(formula))
        compiled = program.compile()
        result = [np.zeros(self.states.states, np.bool_) for _ in formulas]
        for first in range(0, self.states.states, _CHUNK):
            self.check()
            rows = self.graph.rows[first : first + _CHUNK]
            slices = list(to_slices(rows, max(1, len(bits))))  # there may be no bits
            for mask, output in zip(result, compiled(slices), strict=True):
                numbers = places(output)
                mask[first + numbers[numbers < len(rows)]] = True
        return result

    def _lasso(self, start: int, loop: Sequence[int]) -> Lasso:
        """The states are numbered breadth first: the first state of a component has a shortest stem."""
        stem = self._stem(start)
        initial = start if not stem else int(self.states.sources[stem[0]])
        bits = len(self.live.base.system.bits)
        moves = [self.graph.moves.moves[int(self.moves[edge])] for edge in (*stem, *loop)]
        place = {id(i): n for n, i in enumerate(self.live.model.system.instances)}
        own = self.live.base.system.instances
        taken = ((own[place[id(move.instance)]], move.inputs) for move in moves)
        firings = tuple((instance, inputs[: len(instance.inputs)]) for instance, inputs in taken)
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
        """Return for each state the last edge of a shortest way from an initial state, and which states are
        reached: all that can be, or those that are no farther than ``until``."""
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
