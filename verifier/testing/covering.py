"""A small set of executions that covers actions, states, transitions, pairs of actions or parts of guards.

An execution begins with a shortest path to the nearest target that none has covered. It goes on to the next
nearest one, and so on, up to its depth. At the end, executions go whose targets others cover, too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from verifier.conform.coverage import Part
from verifier.errors import make_unknown_name_error
from verifier.printable import say_count
from verifier.processes.interrupts import INTERRUPTED
from verifier.processes.limits import Interrupted
from verifier.testing.graphs import GraphStep, StateGraph
from verifier.testing.requests import BY_GUARDS, BY_STATES, COVERS

DEPTH = 20
"""The length of executions, if no target is farther."""
_LOOKED_AT = 2_000
"""The most places that are looked at for the nearest target."""
_UNKNOWN = "not known, for what stands after it has no value in some state in which it is false"
Node: TypeAlias = tuple[int, str]
"""A state, and of pairs the action that led to it."""
Target: TypeAlias = Hashable


@dataclass(frozen=True)
class Execution:
    """An execution: its first state, and its steps with their numbers in the graph."""

    initial: int
    steps: tuple[GraphStep, ...]
    numbers: tuple[int, ...]

    @property
    def states(self) -> list[int]:
        """Return the states, by their numbers."""
        return [self.initial, *(step.target for step in self.steps)]


@dataclass
class Suite:
    """Executions, and what they cover."""

    executions: list[Execution]
    targets: int
    """The number of targets: those that the graph has, and of actions and pairs also the others."""
    covered: int
    impossible: list[str] = field(default_factory=list)
    """Targets that no execution has, since the graph is complete and lacks them."""
    not_found: list[str] = field(default_factory=list)
    """Targets that the explored part of the graph lacks."""
    left: list[str] = field(default_factory=list)
    """Targets that the graph has, each with the reason why no execution covers it."""


def cover_graph(
    graph: StateGraph,
    cover: str,
    depth: int | None = None,
    count: int | None = None,
    seed: int = 0,
    check: Callable[[], None] = lambda: None,
) -> Suite:
    """Return executions that cover a graph. ``check`` raises Interrupted to end the search early. Raises
    UsageError for an unknown cover."""
    if cover not in COVERS:
        raise make_unknown_name_error("cover", cover, COVERS)
    search, reason = _Search(graph, cover, seed, check), "--count is reached"
    try:
        executions = search.run(depth, count, check)
    except (Interrupted, KeyboardInterrupt) as stop:
        executions, reason = search.executions, str(stop) or INTERRUPTED
    covered = {target for one in executions for target in search.covers(one.initial, one.numbers)}
    suite = Suite(search.without_needless(executions), 0, len(covered))
    known: list[Target] = []
    if cover == "actions":
        known = list(graph.outline.actions)
    elif cover in BY_GUARDS:
        known = list(graph.guards.all(cover))
    elif cover == "pairs":
        known = [(one, other) for one in graph.outline.actions for other in graph.outline.actions]
    missing = [target for target in known if target not in search.first]
    unknown = graph.guards.machine.unknown if cover in BY_STATES else frozenset()
    for target in missing:
        name, incomplete = search.name(target), graph.ended or search.interrupted
        if incomplete:
            suite.not_found.append(name)
        elif target in unknown:
            suite.left.append(f"{name}: {_UNKNOWN}")
        else:
            suite.impossible.append(name)
    for target, (distance, _, _) in search.first.items():
        if target not in covered:
            far = depth is not None and distance > depth
            words = f"it needs {say_count(distance, 'action')}" if far else reason
            suite.left.append(f"{search.name(target)}: {words}")
    suite.targets = len(search.first) + len(missing)
    return suite


class _Search:
    """The search for executions in a graph."""

    def __init__(self, graph: StateGraph, cover: str, seed: int, check: Callable[[], None]) -> None:
        self._parts: dict[int, list[Part]] = {}
        self.graph, self.cover = graph, cover
        self.following: list[list[int]] = [[] for _ in range(graph.states)]
        for number, step in enumerate(graph.steps):
            self.following[step.source].append(number)
        self.initial = list(range(graph.initial))
        chance = Random(seed)
        for numbers in (self.initial, *self.following):
            chance.shuffle(numbers)
        self.came: dict[Node, tuple[Node, int] | None] = {}
        self.first: dict[Target, tuple[int, Node, int | None]] = {}
        """Of each target its distance, the node before it, and the step to it; no step: it is initial."""
        self.covered: set[Target] = set()
        self.executions: list[Execution] = []
        self.interrupted = False
        """True if not all states were looked at for targets."""
        try:
            self._look(check)
        except (Interrupted, KeyboardInterrupt):
            self.interrupted = True

    def name(self, target: Target) -> str:
        """Return a target in words."""
        match target:
            case Part():
                return f"{target.action}: {target.words}  ({target.place})"
            case (str(one), str(other)):
                return f"{one} then {other}"
            case int() if self.cover == "transitions":
                step = self.graph.steps[target]
                return f"{step.title} from state {step.source} to {step.target}"
            case int():
                return f"state {target}"
        return str(target)

    def of_state(self, state: int) -> Sequence[Target]:
        """Return what a state covers."""
        if self.cover == "states":
            return (state,)
        return self.graph.guards.of_state(state, self.cover) if self.cover in BY_STATES else ()

    def of_step(self, node: Node, number: int) -> Sequence[Target]:
        """Return what a step covers after a node, with the state to which it leads."""
        step = self.graph.steps[number]
        match self.cover:
            case "actions":
                return (step.action,)
            case "instances":
                return (step.title,)
            case "transitions":
                return (number,)
            case "pairs":
                return ((node[1], step.action),) if node[1] else ()
            case "guards":
                if number not in self._parts:
                    self._parts[number] = self.graph.guards.of_step(step.source, step.action, step.given)
                return self._parts[number]
        return self.of_state(step.target)

    def after(self, number: int) -> Node:
        """Return the node after a step."""
        step = self.graph.steps[number]
        return step.target, step.action if self.cover == "pairs" else ""

    def _look(self, check: Callable[[], None]) -> None:
        """Find the distance of each target, breadth first."""
        distances = {(state, ""): 0 for state in self.initial}
        self.came = dict.fromkeys(distances)
        waiting = deque(distances)
        for state in self.initial:
            for target in self.of_state(state):
                self.first.setdefault(target, (0, (state, ""), None))
        while waiting:
            node = waiting.popleft()
            if self.cover in BY_GUARDS:
                check()
            for number in self.following[node[0]]:
                after = self.after(number)
                for target in self.of_step(node, number):
                    self.first.setdefault(target, (distances[node] + 1, node, number))
                if after not in distances:
                    distances[after], self.came[after] = distances[node] + 1, (node, number)
                    waiting.append(after)

    def run(self, depth: int | None, count: int | None, check: Callable[[], None]) -> list[Execution]:
        """Return executions that cover all targets within the depth, or as many as ``count``."""
        length = depth if depth is not None else max([DEPTH, *(one[0] for one in self.first.values())])
        near = [target for target, (distance, _, _) in self.first.items() if distance <= length]
        for target in sorted(near, key=lambda one: self.first[one][0]):
            if target in self.covered:
                continue
            if len(self.executions) == count:
                break
            if self.executions:  # at least one is made, however late it is
                check()
            initial, numbers = self._way(target)
            self.covered |= set(self.covers(initial, numbers))
            while extension := self._extension(initial, numbers, length - len(numbers)):
                numbers += extension
                self.covered |= set(self.covers(initial, numbers))
            steps = tuple(self.graph.steps[number] for number in numbers)
            self.executions.append(Execution(initial, steps, tuple(numbers)))
        return self.executions

    def without_needless(self, executions: list[Execution]) -> list[Execution]:
        """Return the executions without those whose targets others cover, too."""
        covers = [set(self.covers(one.initial, one.numbers)) for one in executions]
        times = Counter(target for targets in covers for target in targets)
        kept = []
        for one, targets in zip(reversed(executions), reversed(covers), strict=True):
            if all(times[target] > 1 for target in targets):
                times.subtract(targets)
            else:
                kept.append(one)
        return kept[::-1]

    def covers(self, initial: int, numbers: Sequence[int]) -> Iterator[Target]:
        """Yield what an execution covers."""
        node: Node = (initial, "")
        yield from self.of_state(initial)
        for number in numbers:
            yield from self.of_step(node, number)
            node = self.after(number)

    def _way(self, target: Target) -> tuple[int, list[int]]:
        """Return a shortest path to a target: its initial state, and its steps."""
        _, node, last = self.first[target]
        numbers = [] if last is None else [last]
        while (came := self.came[node]) is not None:
            node, number = came
            numbers.append(number)
        return node[0], numbers[::-1]

    def _extension(self, initial: int, numbers: list[int], room: int) -> list[int]:
        """Return the steps to the nearest target that is not covered; none if it is too far."""
        start = self.after(numbers[-1]) if numbers else (initial, "")
        ways: dict[Node, list[int]] = {start: []}
        waiting = deque([start])
        while waiting and len(ways) < _LOOKED_AT:
            node = waiting.popleft()
            way = ways[node]
            if len(way) >= room:
                return []
            for number in self.following[node[0]]:
                after = self.after(number)
                if any(target not in self.covered for target in self.of_step(node, number)):
                    return [*way, number]
                if after not in ways:
                    ways[after] = [*way, number]
                    waiting.append(after)
        return []
