"""The search for an execution that agrees with a log by a solver, where too many states agree with it.

Each event is a step of the unrolled transition system, and its values are clauses about the states around the
step. What the log leaves out stays open. A solver decides after each event whether the log goes on so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, unroll
from verifier.conform.coding import Coding, NotSymbolic
from verifier.conform.logs import Event
from verifier.conform.machine import Fits, Machine
from verifier.conform.mapping import ANY, Rule, Target
from verifier.conform.protocols import concrete
from verifier.conform.written_values import MOST_VALUES, Cube, WrittenValues, make_cube
from verifier.encodings.bits import negation
from verifier.encodings.plain_terms import values_of
from verifier.encodings.sorts import Sort
from verifier.runs.building import build_model
from verifier.solvers import open_solver, satisfiable
from verifier.specs.definition import PropertyKind
from verifier.system.model import CutOff, Model
from verifier.system.transition_system import Instance, SafetyProperty
from verifier.trust.replay import Replayer, ReplayFailure

_SOLVER = "cadical"


@dataclass(frozen=True)
class Observed:
    """An event of a log, with its meaning and what it says."""

    event: Event
    rule: Rule
    fits: Fits
    before: Sequence[tuple[Target, Sequence[Any], Any]]
    """The parts of the state before the step that it gives: the target, the keys in it, and the value."""
    after: Sequence[tuple[Target, Sequence[Any], Any]]
    given: frozenset[str] = frozenset()
    """The parameters that it gives a value."""
    is_first: bool = False
    """True if it is the initial state, and no step."""


@dataclass(frozen=True)
class Step:
    """A step of an execution."""

    action: str
    after: Any
    event: Event | None
    """The event that it explains; None for a silent step."""


@dataclass(frozen=True)
class Followed:
    """The longest prefix of a log that some execution explains, and one that does."""

    explained: int
    initial: Any
    steps: Sequence[Step]

    @property
    def last(self) -> Any:
        """The last state."""
        return self.steps[-1].after if self.steps else self.initial


class SymbolicSearch:
    """Follows logs of a specification by a solver, at the sorts of its coding."""

    def __init__(self, machine: Machine, coding: Coding) -> None:
        self.machine, self.coding = machine, coding
        self.model: Model = build_model(coding.definition)
        cut_off = self._cut_off()
        system = self.model.system
        system = replace(system, properties=(*system.properties, *cut_off))
        self.unrolling = unroll(system, Steps.SERIAL, symmetry=False, swapping=False, idle=True)
        self.claims = coding.claims()
        self.written = WrittenValues(machine, coding, self.model.layout)

    def _cut_off(self) -> Iterator[SafetyProperty]:
        """Yield for each instance that no step of it leaves the sorts, or reads what has no value."""
        if not self.coding.names_each_parameter:
            for number, one in enumerate(self.model.cut_off):
                name = _name_cut_off(number)
                yield SafetyProperty(name, PropertyKind.TYPE_INVARIANT, negation(one.when), False)

    def follow(
        self,
        observed: Sequence[Observed],
        silent: Sequence[str],
        most_silent: int,
        invariants: Sequence[str],
        tick: Callable[[], None],
    ) -> Followed | None:
        """Return the longest prefix that an execution explains, all states of which satisfy the invariants;
        None if no initial state does. Raises NotSymbolic."""
        run = _Run(self, self._list_known_invariants(invariants))
        with closing(run.solver):
            run.open()
            execution = run.read(0) if run.is_possible() else None
            for number, one in enumerate(observed if execution else ()):
                tick()
                for _ in run.explain(one, silent, most_silent):
                    pass
                if not run.is_possible():
                    break
                execution = run.read(number + 1)
            return execution

    def find_leaving(
        self,
        observed: Sequence[Observed],
        silent: Sequence[str],
        most_silent: int,
        invariants: Sequence[str],
        tick: Callable[[], None],
    ) -> Any:
        """Return a state of an execution that agrees with a log so far, and from which the next step that the
        log allows may leave the sorts or read what has no value; None if there is none."""
        run = _Run(self, self._list_known_invariants(invariants))
        with closing(run.solver):
            run.open()
            for one in observed:
                tick()
                for actions, event in run.explain(one, silent, most_silent):
                    if run.may_leave(actions, event):
                        return run.read(0).last
            return None

    def _list_known_invariants(self, invariants: Sequence[str]) -> list[str]:
        """Return the invariants that the solver knows. Raises NotSymbolic for one that is not translated."""
        if not self.coding.names_each_parameter and not self.claims.issuperset(invariants):
            raise NotSymbolic
        return [name for name in invariants if name in self.claims]

    def may_take(self, one: Instance | CutOff, actions: Sequence[str], observed: Observed | None) -> bool:
        """True if an instance is one of some actions that an event explains, as far as its parameters say."""
        if ANY not in actions and self.coding.name_of(one.action) not in actions:
            return False
        given = self.coding.decode_parameters(one.parameters)
        return observed is None or observed.fits(given)

    def free(self, instance: Instance) -> Mapping[str, Sort]:
        """Return the parameters of an instance whose values the solver chooses, with their sorts."""
        if not instance.inputs:
            return {}
        sorts = self.model.free_layouts[instance.label].sorts
        return {name.removeprefix(f"{instance.label}."): sort for name, sort in sorts.items()}

    def input_cubes(self, instance: Instance, name: str, sort: Sort, fits: Fits) -> list[Cube]:
        """Return the values of a free parameter that an event allows, each as literals over the inputs,
        counted from 1. Raises NotSymbolic if there are too many to try."""
        if sort.size > MOST_VALUES:
            raise NotSymbolic
        layout = self.model.free_layouts[instance.label]
        values = [concrete(value) for value in values_of(sort)]
        allowed = [value for value in values if fits({name: self.coding.decode(value, sort)})]
        return [make_cube(layout, f"{instance.label}.{name}", (), value) for value in allowed]


class _Run:
    """One solver, with the frames of an execution."""

    def __init__(self, search: SymbolicSearch, invariants: Sequence[str]) -> None:
        self.search, self.unrolling = search, search.unrolling
        self.variables = FrameVariables(search.unrolling)
        self.solver, self.invariants = open_solver(_SOLVER), invariants
        self.last = -1
        self.events: list[Event | None] = []
        """The event of each step."""

    def open(self) -> None:
        """Open the next frame: a state, with the step to it."""
        self.variables.open_frame()
        self.last += 1
        unrolling = self.unrolling
        if self.last == 0:
            self._add(unrolling.start, 0)
        else:
            self._add(unrolling.relation, self.last - 1)
        self._add(unrolling.state, self.last)
        self._add([[unrolling.properties[name]] for name in self.invariants], self.last)

    def _add(self, clauses: list[list[int]], frame: int) -> None:
        self.solver.add_clauses(self.variables.place_clauses(clauses, frame))

    def is_possible(self) -> bool:
        """True if an execution agrees with all that was added."""
        return satisfiable(self.solver)

    def explain(
        self, one: Observed, silent: Sequence[str], most_silent: int
    ) -> Iterator[tuple[Sequence[str], Observed | None]]:
        """Add an event: the silent steps before it, and its own. Yield the actions of each step, with the
        event of its own one, before the step is added."""
        for _ in range(0 if one.is_first else most_silent):
            yield silent, None
            self.step(silent, None)
        self.agree(one.before)
        if not one.is_first:
            yield (one.rule.action,), one
            self.step((one.rule.action,), one)
        self.agree(one.after)

    def step(self, actions: Sequence[str], one: Observed | None) -> None:
        """Add a step of some actions that an event explains; without one it may be left out."""
        instances = self.search.model.system.instances
        allowed = [n for n, each in enumerate(instances) if self.search.may_take(each, actions, one)]
        for number in allowed if one is not None else ():
            self._choose_inputs(number, instances[number], one)
        self.open()
        fires = self.unrolling.firing
        self._add([[-fires[n]] for n in range(len(fires)) if n not in set(allowed)], self.last - 1)
        if one is not None:
            self._add([[fires[n] for n in allowed]], self.last - 1)
        self.events.append(None if one is None else one.event)

    def _choose_inputs(self, number: int, instance: Instance, one: Observed | None) -> None:
        """Require of the step from the last frame, if it takes an instance, that the parameters which the
        solver chooses are what an event says."""
        assert one is not None
        fires, inputs = self.unrolling.firing[number], self.unrolling.inputs[number]
        for name, sort in self.search.free(instance).items():
            if name in one.given:
                cubes = self.search.input_cubes(instance, name, sort, one.fits)
                chosen = [self.variables.fresh() for _ in cubes]
                self.solver.add_clauses([[-self.variables.at(fires, self.last), *chosen]])
                for own, cube in zip(chosen, cubes, strict=True):
                    literals = (inputs[abs(bit) - 1] * (1 if bit > 0 else -1) for bit in cube)
                    self.solver.add_clauses([[-own, self.variables.at(bit, self.last)] for bit in literals])

    def may_leave(self, actions: Sequence[str], one: Observed | None) -> bool:
        """True if from the last state a step of some actions that an event explains may leave the sorts, or
        read what has no value."""
        search, known = self.search, self.unrolling.properties
        cut_off = [
            -known[_name_cut_off(number)]
            for number, each in enumerate(search.model.cut_off)
            if search.may_take(each, actions, one)
        ]
        leaves = self.variables.fresh()
        self.solver.add_clauses([[-leaves, *(self.variables.at(bit, self.last) for bit in cut_off)]])
        return bool(cut_off) and satisfiable(self.solver, [leaves])

    def agree(self, parts: Sequence[tuple[Target, Sequence[Any], Any]]) -> None:
        """Require that parts of the last state are what a log writes."""
        for target, keys, written in parts:
            for cubes in self.search.written.cubes(target, keys, written):
                chosen = [self.variables.fresh() for _ in cubes]
                self.solver.add_clauses([chosen])
                for name, cube in zip(chosen, cubes, strict=True):
                    self.solver.add_clauses([[-name, self.variables.at(one, self.last)] for one in cube])

    def read(self, explained: int) -> Followed:
        """Return the execution that the solver has found. Raises ReplayFailure if it does not replay."""
        search, replayer = self.search, Replayer(self.search.model)
        system, layout = search.model.system, search.model.layout
        rows = [self._values(range(1, self.unrolling.bits + 1), frame) for frame in range(self.last + 1)]
        if not replayer.is_initial(rows[0]):
            raise ReplayFailure(0, "the state that the solver begins with is not an initial state")

        def state(row: list[bool]) -> Any:
            return search.coding.decode_state(layout.decode_state(row))

        if not search.coding.is_initial(state(rows[0])):
            raise ReplayFailure(0, "the state that the solver begins with is not an initial state")
        steps = []
        for frame, event in enumerate(self.events):
            taken = self._values(self.unrolling.firing, frame)
            if True not in taken:
                continue
            instance = system.instances[taken.index(True)]
            name = search.coding.name_of(instance.action)
            steps.append(Step(name, state(rows[frame + 1]), event))
        return Followed(explained, state(rows[0]), steps)

    def _values(self, literals: Sequence[int], frame: int) -> list[bool]:
        return self.solver.values(self.variables.at(literal, frame) for literal in literals)


def _name_cut_off(number: int) -> str:
    return f"cut off {number}"
