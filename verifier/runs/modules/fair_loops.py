"""Fair loops among the states of a module, found by the interpreter.

The search uses the product of the graph with the automaton of a case (``tla/tableau``). Its states are pairs
of a state and a state of the automaton, and stuttering is a step like any other. A loop is fair, postpones
nothing forever, and satisfies the case's conditions on loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from verifier.engines.fair_loops import FairStep, StateGraph, components, fair_component, loop_through
from verifier.tla.state_graph import Graph, Mask, Numbers
from verifier.tla.tableau import Automaton, Case, Literal, cases
from verifier.tla.unfolding import Fair, Leaf, Not, Unfolded


@dataclass(frozen=True)
class Ring:
    """An execution by the numbers of its states; the state at ``start`` follows the last.

    No state occurs twice in a row, except a last state that stutters.
    """

    states: tuple[int, ...]
    start: int

    @property
    def steps(self) -> list[tuple[int, int]]:
        """Return the steps of the loop that change the state."""
        around = [*self.states[self.start :], self.states[self.start]]
        return [(one, other) for one, other in pairwise(around) if one != other]


class Loops:
    """Searches a graph for loops."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.check = graph, graph.check
        self.count = len(graph.states)
        own = np.arange(self.count)
        self.sources = np.concatenate((graph.sources, own))
        """The sources of all steps; the last steps stutter."""
        self.targets = np.concatenate((graph.targets, own))
        self._in_loops: dict[Leaf, Mask] = {}
        self._everywhere: dict[Leaf, Mask] = {}
        self._fair: dict[Fair, FairStep] = {}

    @cached_property
    def _around(self) -> Mask:
        """Return the steps that may be part of a loop."""
        graph = self.graph
        plain = StateGraph(self.count, graph.sources, graph.targets)
        labels = components(plain, np.ones(self.count, np.bool_))
        return np.asarray(labels[graph.sources] == labels[graph.targets])

    def find(self, formula: Unfolded) -> Ring | None:
        """Return an execution that satisfies the formula; None if there is none. Raises Undefined,
        Interrupted and UsageError."""
        for case in cases(formula):
            loop = self._of(case)
            if loop is not None:
                return loop
        return None

    def _of(self, case: Case) -> Ring | None:
        self.check()
        made = _Product(self, case)
        if not len(made.nodes):
            return None
        within = np.ones(len(made.nodes), np.bool_)
        kept = np.ones(len(made.edges), np.bool_)
        for literal in case.lasts:
            if _leaf(literal).stuttering is None:
                within &= self._states(literal)[made.state]
            else:
                kept &= self._steps(literal, in_loops=True)[made.edges]
        fair = [self._fairness(one) for one in case.fair]
        fair = [FairStep(one.strong, one.enabled[made.state], one.taken[made.edges]) for one in fair]
        fair += [self._again(literal, made) for literal in case.again]
        never = np.ones(len(made.nodes), np.bool_)
        fair += [FairStep(False, never, ~put_off) for put_off in made.put_off]
        fair.append(FairStep(False, never, np.ones(len(made.edges), np.bool_)))  # a loop must have a step
        fair = [FairStep(one.strong, one.enabled, one.taken[kept]) for one in fair]
        graph = StateGraph(len(made.nodes), made.sources[kept], made.targets[kept])
        component = fair_component(graph, within, (), fair, self.check)
        if component is None:
            return None
        start = int(np.flatnonzero(component)[0])
        loop = loop_through(graph, component, start, (), fair)
        around = [start, *(int(graph.targets[edge]) for edge in loop)]
        stem, loop = ([int(made.state[node]) for node in way] for way in (made.way(start), around))
        return _ring(stem, loop)

    # -- truths

    def _states(self, literal: Literal) -> Mask:
        mask = self.graph.where(_leaf(literal))
        return ~mask if isinstance(literal, Not) else mask

    def _steps(self, literal: Literal, *, in_loops: bool) -> Mask:
        """Return the steps, including stuttering ones, that satisfy a formula of steps. ``in_loops``: the
        result matters only for steps that may be part of a loop."""
        leaf = _leaf(literal)
        assert leaf.stuttering is not None
        steps = self._everywhere.get(leaf)
        if steps is None and in_loops:
            steps = self._in_loops.get(leaf)
        if steps is None:
            asked = self._around if in_loops else np.ones(len(self.graph.sources), np.bool_)
            stutters = np.full(self.count, leaf.stuttering)
            steps = np.concatenate((self.graph.steps(leaf, asked), stutters))
            (self._in_loops if in_loops else self._everywhere)[leaf] = steps
        return ~steps if isinstance(literal, Not) else steps

    def _fairness(self, condition: Fair) -> FairStep:
        known = self._fair.get(condition)
        if known is None:
            enabled, taken = self._states(condition.enabled), self._steps(condition.step, in_loops=True)
            known = self._fair[condition] = FairStep(condition.strong, enabled, taken)
        return known

    def _again(self, literal: Literal, made: _Product) -> FairStep:
        """Return a condition that holds infinitely often as weak fairness: a state in which it holds, or a
        step."""
        if _leaf(literal).stuttering is None:
            none = np.zeros(len(made.edges), np.bool_)
            return FairStep(False, ~self._states(literal)[made.state], none)
        taken = self._steps(literal, in_loops=True)[made.edges]
        return FairStep(False, np.ones(len(made.nodes), np.bool_), taken)


class _Product:
    """The reachable pairs of a state and an automaton state, the nearest first, and the steps between
    them."""

    def __init__(self, loops: Loops, case: Case) -> None:
        automaton, count = Automaton(case.first), loops.count
        none = np.zeros(0, np.int64)
        parts: list[tuple[Numbers, Numbers, Numbers]] = [(none, none, none)]  # there may be no transition
        off = {one: [np.zeros(0, np.bool_)] for one in automaton.puts_off}
        for number, own in enumerate(automaton.transitions):
            for transition, then in own:
                loops.check()
                taken = np.ones(len(loops.sources), np.bool_)
                for literal in transition.literals:
                    if _leaf(literal).stuttering is None:
                        taken &= loops._states(literal)[loops.sources]
                    else:
                        taken &= loops._steps(literal, in_loops=False)
                edges = np.flatnonzero(taken)
                sources, targets = loops.sources[edges], loops.targets[edges]
                parts.append((number * count + sources, then * count + targets, edges))
                for one, masks in off.items():
                    masks.append(np.full(len(edges), one in transition.put_off))
        sources, targets, edges = (np.concatenate(column) for column in zip(*parts, strict=True))
        self._reach(len(automaton.transitions) * count, loops.graph.initial, sources, targets)
        self.state = self.nodes % count
        """The state of each pair."""
        kept = np.flatnonzero(self._place[sources] >= 0)
        kept = kept[np.argsort(self._place[sources[kept]], kind="stable")]
        self.sources, self.targets = self._place[sources[kept]], self._place[targets[kept]]
        self.edges = edges[kept]
        """The step of the graph for each step of pairs."""
        self.put_off = [np.concatenate(masks)[kept] for masks in off.values()]

    def _reach(self, pairs: int, initial: int, sources: Numbers, targets: Numbers) -> None:
        """Find the reachable pairs, breadth first from a virtual state before all initial ones."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import breadth_first_order

        first = np.arange(initial)
        whole = (np.concatenate((np.full(initial, pairs), sources)), np.concatenate((first, targets)))
        matrix = csr_array((np.ones(len(whole[0]), np.bool_), whole), shape=(pairs + 1, pairs + 1))
        order, before = breadth_first_order(matrix, pairs, directed=True, return_predecessors=True)
        self.nodes = order[1:].astype(np.int64)
        self._before = before
        self._place = np.full(pairs + 1, -1, np.int64)
        self._place[self.nodes] = np.arange(len(self.nodes))

    def way(self, node: int) -> list[int]:
        """Return a shortest way from an initial pair to a pair, with both."""
        pair, path = int(self.nodes[node]), list[int]()
        while self._place[pair] >= 0:
            path.append(int(self._place[pair]))
            pair = int(self._before[pair])
        return path[::-1]


def _leaf(literal: Literal) -> Leaf:
    leaf = literal.part if isinstance(literal, Not) else literal
    assert isinstance(leaf, Leaf)
    return leaf


def _ring(stem: Sequence[int], around: Sequence[int]) -> Ring:
    """Return the execution without stuttering steps, which TLA+ does not distinguish. ``stem`` ends where the
    loop begins; ``around`` begins and ends there."""
    states = [state for n, state in enumerate(stem) if not n or stem[n - 1] != state]
    start = len(states) - 1
    for one, other in pairwise(around):
        if one != other:
            states.append(other)
    if len(states) - 1 > start:
        states.pop()
    return Ring(tuple(states), start)
