"""State graphs as tests need them: numbered states, steps with their actions, and executions as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from verifier.conform.machine import Machine
from verifier.conform.modules import ModuleMachine
from verifier.conform.protocols import ProtocolMachine
from verifier.encodings.plain_terms import plain
from verifier.engines.exploration import Graph, Request
from verifier.engines.explore import explore
from verifier.explicit.packing import unpack
from verifier.processes.interrupts import INTERRUPTED, is_stop_asked
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import Watched
from verifier.runs.building import build_model
from verifier.runs.loaded import Loaded
from verifier.runs.modules.loading import TlaLoaded, evaluate_or_refuse
from verifier.runs.modules.replaying import follow_trace
from verifier.runs.modules.source import TlaSource
from verifier.runs.modules.traces import as_file, module_trace
from verifier.system.model import Model
from verifier.testing.guard_targets import GuardTargets
from verifier.tla.exploration_result import State, Taken
from verifier.trust import itf
from verifier.trust.replay import Replayer
from verifier.trust.trace import ActionTaken, Trace

Write: TypeAlias = Callable[[Sequence[int], Sequence[Any]], Mapping[str, Any]]
"""Replays an execution, given by its states and what its steps took, and returns it in ITF."""


@dataclass(frozen=True)
class GraphStep:
    """A step between two states, by their numbers."""

    source: int
    target: int
    action: str
    title: str
    """The action with its parameters."""
    taken: Any
    """The action as an execution's file needs it."""

    @property
    def given(self) -> dict[str, Any]:
        """Return the parameters as the specification's machine has them."""
        return {name: plain(value) for name, value in self.taken.parameters.items()}


@dataclass(frozen=True)
class Outline:
    """The names in a specification."""

    spec: str
    actions: Mapping[str, tuple[str, ...]]
    """The actions, each with its parameters."""
    variables: tuple[str, ...]
    invariants: tuple[str, ...]
    tagged: bool
    """True if ITF writes options and variants with a tag."""


@dataclass(frozen=True)
class StateGraph:
    """Reachable states, of which the first are initial, and their steps."""

    outline: Outline
    states: int
    initial: int
    steps: tuple[GraphStep, ...]
    ended: str
    """Why states or steps may be missing; empty if none are."""
    write: Write
    guards: GuardTargets


def outline_of(loaded: Loaded) -> Outline:
    """Return the names in a specification. Raises UsageError if it has no steps."""
    machine: Machine
    if loaded.source is None:
        machine, name = ProtocolMachine(loaded.definition), loaded.definition.name
    else:
        assert isinstance(loaded.source, TlaSource)
        machine, name = ModuleMachine(loaded.source.module), loaded.source.module.definition.name
    tagged = loaded.source is None
    return Outline(name, machine.actions, machine.variables, machine.invariants, tagged)


def explore_graph(
    loaded: Loaded, most_states: int, depth: int | None, limits: Limits
) -> Callable[[], StateGraph]:
    """Explore a specification. Return the function that makes the graph of what was explored: that is no part
    of what Ctrl-C ends. Raises UsageError for what has no value, and Interrupted before it begins."""
    if loaded.source is not None:
        assert isinstance(loaded.source, TlaSource)
        return _explore_module(loaded, loaded.source.module, most_states, depth, limits)
    return _explore_protocol(loaded, most_states, depth, limits)


def _explore_protocol(
    loaded: Loaded, most_states: int, depth: int | None, limits: Limits
) -> Callable[[], StateGraph]:
    model = build_model(loaded.definition)
    request = Request((), most_states, depth, keep_going=True, graph=True, limits=limits)
    exploration = explore(model, request)
    graph = exploration.graph
    assert graph is not None
    ended = ""
    if not exploration.statistics["complete"]:
        at_depth = depth is not None and exploration.statistics["depth"] >= depth
        ended = _reason(at_depth, len(graph.rows) >= most_states, depth, most_states)
    return partial(_as_graph, loaded, model, graph, ended)


def _as_graph(loaded: Loaded, model: Model, graph: Graph, ended: str) -> StateGraph:
    moves = [
        ActionTaken(move.instance.action, model.parameter_values(move.instance, move.inputs))
        for move in graph.moves.moves
    ]
    titles = list(map(str, moves))
    edges = {(one, other, titles[move]): moves[move] for one, other, move in graph.edges.tolist()}
    steps = (GraphStep(one, other, taken.name, title, taken) for (one, other, title), taken in edges.items())
    write = partial(_write_protocol, model, graph)
    machine, bits = ProtocolMachine(loaded.definition), len(model.layout.bits)

    def state(number: int) -> tuple[Any, ...]:
        values = model.layout.decode_state(unpack(graph.rows[number], bits))
        return tuple(plain(values[name]) for name in machine.variables)

    return StateGraph(
        outline_of(loaded), len(graph.rows), graph.initial, _sort_steps(steps), ended, write,
        GuardTargets(machine, state),
    )  # fmt: skip


def _write_protocol(
    model: Model, graph: Graph, states: Sequence[int], taken: Sequence[ActionTaken]
) -> Mapping[str, Any]:
    bits = len(model.layout.bits)
    decoded = tuple(model.layout.decode_state(unpack(graph.rows[number], bits)) for number in states)
    about = model.definition
    trace = Trace(about.name, about.spec_hash, about.constants, None, decoded, tuple(taken))
    file = itf.dump(trace, model)
    Replayer(model).check(itf.load(file, model))
    return file


def _explore_module(
    loaded: Loaded, module: TlaLoaded, most_states: int, depth: int | None, limits: Limits
) -> Callable[[], StateGraph]:
    machine, search = ModuleMachine(module), _Search(most_states)
    reason = ""
    try:
        with Watched(limits.begin().check_time):
            reason = search.run(machine, depth)
    except (Interrupted, KeyboardInterrupt):
        reason = _reason(False, False, depth, most_states)

    def finish() -> StateGraph:
        write = partial(_write_module, module, search.states)
        steps = _sort_steps(search.steps.values())
        guards = GuardTargets(machine, search.states.__getitem__)
        return StateGraph(
            outline_of(loaded), len(search.states), search.initial, steps, reason, write, guards
        )

    return finish


class _Search:
    """A breadth-first search that keeps the steps."""

    def __init__(self, most_states: int) -> None:
        self.most = most_states
        self.states: list[State] = []
        self.steps: dict[tuple[int, int, str], GraphStep] = {}
        self.initial = 0

    def run(self, machine: ModuleMachine, depth: int | None) -> str:
        """Search. Return why it ended early; empty if it did not."""
        order = machine.spec.evaluator.order
        numbers = {state: number for number, state in enumerate(machine.initial())}
        self.states, self.initial = list(numbers), len(numbers)
        next_level, level, number = len(numbers), 0, 0
        while number < len(self.states):
            if number == next_level:
                next_level, level = len(self.states), level + 1
            if level == depth:
                return _reason(True, False, depth, self.most)
            for action in machine.actions:
                for parameters, after in machine.steps(self.states[number], action, lambda _: True):
                    taken = Taken(action, parameters)
                    if after not in numbers:
                        if len(numbers) >= self.most:
                            return _reason(False, True, depth, self.most)
                        numbers[after] = len(numbers)
                        self.states.append(after)
                    title = taken.title(order)
                    step = GraphStep(number, numbers[after], taken.name, title, taken)
                    self.steps.setdefault((number, numbers[after], title), step)
            number += 1
        return ""


def _write_module(
    module: TlaLoaded, states: Sequence[State], path: Sequence[int], taken: Sequence[Taken]
) -> Mapping[str, Any]:
    spec, definition = module.specification, module.definition
    chosen = [states[number] for number in path]
    file = as_file(spec, definition, module_trace(spec, definition, None, chosen, taken), chosen)
    return evaluate_or_refuse(lambda: follow_trace(module, file, itf.header(file))).written


def _sort_steps(steps: Any) -> tuple[GraphStep, ...]:
    return tuple(sorted(steps, key=lambda one: (one.source, one.title, one.target)))


def _reason(at_depth: bool, at_limit: bool, depth: int | None, most_states: int) -> str:
    """Return why an exploration ended early."""
    if at_limit:
        return f"limit of {most_states:,} states"
    if at_depth:
        return f"depth {depth}"
    return INTERRUPTED if is_stop_asked() else "timeout"
