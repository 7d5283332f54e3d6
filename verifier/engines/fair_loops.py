"""Fair strongly connected parts of an explicit graph, in NumPy and SciPy.

A loop of an execution stays in a strongly connected component. A component meets weak fairness of a step if
the step is impossible in one of its states, or is one of its edges; strong fairness if the step is impossible
in all of its states, or is one of its edges. If strong fairness fails, no loop visits the states in which the
step is possible: they are removed, and what remains is decomposed again (Emerson and Lei 1987,
doi:10.1016/0167-6423(87)90036-0). A state by itself is a component, because an execution may stutter in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.printable import say_count
from verifier.verdict import VACUOUS

WITHIN_CONSTRAINT = "within the constraint"

Mask = NDArray[np.bool_]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FairStep:
    """A fairness condition on a graph."""

    strong: bool
    enabled: Mask
    """The states in which the step is possible."""
    taken: Mask
    """The edges that are such steps."""


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The edges between states that change the state, by their sources in ascending order."""

    states: int
    sources: Indices
    targets: Indices

    def starts(self) -> Indices:
        """Return for each state the place of its first edge, and at the end the number of edges."""
        return np.searchsorted(self.sources, np.arange(self.states + 1))


def explain_no_loop(states: int) -> str:
    """Return the reason of a verdict from all states."""
    return f"complete: no fair loop among {say_count(states, 'state')} violates it"


def explain_no_loop_within(states: int, *, is_vacuous: bool) -> str:
    """Return the reason of a verdict from all states within a constraint. ``is_vacuous``: no fair loop is
    there at all, so every temporal property holds."""
    if is_vacuous:
        return f"{VACUOUS}no fair execution stays {WITHIN_CONSTRAINT}, so every temporal property holds"
    return f"{explain_no_loop(states)}, {WITHIN_CONSTRAINT}"


def fair_component(
    graph: StateGraph,
    within: Mask,
    visits: Sequence[Mask],
    fair: Sequence[FairStep],
    check: Callable[[], None] = lambda: None,
) -> Mask | None:
    """A strongly connected part within some states in which a loop can visit each of ``visits`` and be fair;
    of several the one with the first state. None if there is none."""
    remaining = within.copy()
    best: Mask | None = None
    while remaining.any():
        check()
        labels = components(graph, remaining)
        count = int(labels.max()) + 1
        inside = remaining[graph.sources] & remaining[graph.targets]
        inside &= labels[graph.sources] == labels[graph.targets]
        good = np.ones(count, np.bool_)
        for visit in visits:
            good &= _some(labels, visit & remaining, count)
        again = np.zeros(len(remaining), np.bool_)
        redo = np.zeros(count, np.bool_)
        for step in fair:
            taken = np.zeros(count, np.bool_)
            taken[labels[graph.sources[inside & step.taken]]] = True
            if not step.strong:
                good &= taken | _some(labels, remaining & ~step.enabled, count)
                continue
            unmet = ~taken & _some(labels, remaining & step.enabled, count)
            redo |= unmet
            again |= remaining & step.enabled & unmet[labels]
        done = good & ~redo
        if done.any():
            states = np.flatnonzero(remaining & done[labels])
            component = remaining & (labels == labels[states[0]])
            if best is None or int(np.flatnonzero(best)[0]) > int(states[0]):
                best = component
        remaining &= (good & redo)[labels] & ~again
    return best


def _some(labels: Indices, mask: Mask, count: int) -> Mask:
    """Return the components that have a state of the mask."""
    result = np.zeros(count, np.bool_)
    result[labels[mask]] = True
    return result


def components(graph: StateGraph, within: Mask) -> Indices:
    """Return for each state the number of its strongly connected component within the mask; 0 outside of
    it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    kept = within[graph.sources] & within[graph.targets]
    numbers = np.flatnonzero(within)
    place = np.zeros(graph.states, np.int32)
    place[numbers] = np.arange(len(numbers), dtype=np.int32)
    leaving = np.bincount(place[graph.sources[kept]], minlength=len(numbers))
    first = np.concatenate(([0], np.cumsum(leaving)))
    edges = (np.ones(np.count_nonzero(kept), np.bool_), place[graph.targets[kept]], first)
    matrix = csr_array(edges, shape=(len(numbers), len(numbers)))
    labels = np.zeros(graph.states, np.int64)
    labels[numbers] = connected_components(matrix, directed=True, connection="strong")[1]
    return labels


def loop_through(
    graph: StateGraph, component: Mask, start: int, visits: Sequence[Mask], fair: Sequence[FairStep]
) -> list[int]:
    """The edges of a loop in a fair component, from ``start`` back to it, that does all that is demanded.

    It does one thing after the other, each by a shortest way. Without edges it is stuttering in ``start``.
    """
    starts = graph.starts()
    state = start
    edges: list[int] = []
    to_visit = [visit & component for visit in visits]
    to_take: list[tuple[Mask | None, Mask]] = []
    for step in fair:
        if not step.strong:
            to_take.append((component & ~step.enabled, step.taken))
        elif (component & step.enabled).any():
            to_take.append((None, step.taken))
    none = np.zeros(len(graph.sources), np.bool_)
    wanted: list[tuple[Mask | None, Mask]] = [*((visit, none) for visit in to_visit), *to_take]
    while True:
        path = [start, *(int(graph.targets[edge]) for edge in edges)]
        wanted = [one for one in wanted if not _is_done(one, path, edges)]
        if not wanted:
            break
        way = _way(graph, starts, component, state, wanted[0])
        edges += way
        state = int(graph.targets[edges[-1]])
    if state != start:
        home = np.zeros(graph.states, np.bool_)
        home[start] = True
        edges += _way(graph, starts, component, state, (home, none))
    return edges


def _is_done(one: tuple[Mask | None, Mask], path: Sequence[int], edges: Sequence[int]) -> bool:
    states, taken = one
    return (states is not None and any(states[state] for state in path)) or any(taken[e] for e in edges)


def _way(
    graph: StateGraph, starts: Indices, component: Mask, state: int, wanted: tuple[Mask | None, Mask]
) -> list[int]:
    """The edges of a shortest way within the component to one of the states, or through such an edge."""
    states, taken = wanted
    came: dict[int, int] = {state: -1}
    queue = deque([state])
    while queue:
        here = queue.popleft()
        for edge in range(int(starts[here]), int(starts[here + 1])):
            after = int(graph.targets[edge])
            if not component[after]:
                continue
            if taken[edge] or (states is not None and states[after]):
                way = [edge]
                while came[here] >= 0:
                    way.append(came[here])
                    here = int(graph.sources[came[here]])
                return way[::-1]
            if after not in came:
                came[after] = edge
                queue.append(after)
    raise AssertionError("a component is not strongly connected")
