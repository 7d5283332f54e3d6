"""The search for an execution that agrees with a log by a solver, where too many states agree with it.

Each event is a step of the unrolled transition system, and its values are clauses about the states around the
step. What the log leaves out stays open. A solver decides after each event whether the log goes on so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, unroll
from verifier.conform.logs import Event
from verifier.conform.machine import Fits
from verifier.conform.mapping import ANY, Rule, Target
from verifier.conform.protocols import ProtocolMachine, concrete
from verifier.encodings.layout import Part
from verifier.encodings.plain_terms import plain, values_of
from verifier.encodings.sorts import Function, Record, Sort
from verifier.runs.building import build_model
from verifier.solvers import open_solver, satisfiable
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.system.transition_system import Instance
from verifier.trust.replay import Replayer, ReplayFailure

_SOLVER = "cadical"
_MOST_VALUES = 20_000
"""The most values of a part of a variable that are compared with what a log writes."""
_Cube: TypeAlias = list[int]


class NotSymbolic(Exception):
    """Raised for what the search by solver has no rule for."""


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
    given: Mapping[str, Any]
    after: Any
    event: Event | None
    """The event that it explains; None for a silent step."""


@dataclass(frozen=True)
class Followed:
    """The longest prefix of a log that some execution explains, and one that does."""

    explained: int
    initial: Any
    steps: Sequence[Step]


class SymbolicSearch:
    """Follows logs of a protocol by a solver."""

    def __init__(self, machine: ProtocolMachine) -> None:
        self.machine = machine
        self.model: Model = build_model(machine.definition)
        system = self.model.system
        self.unrolling = unroll(system, Steps.SERIAL, symmetry=False, swapping=False, idle=True)
        # The values of bits lie in their sorts. So type invariants, which say more of steps, are left out.
        properties = machine.definition.properties
        self._claims = {one.name for one in properties if one.kind is PropertyKind.INVARIANT}
        place, self._places = 0, list[tuple[tuple[Any, ...], range]]()
        for leaf in self.model.layout.leaves:
            self._places.append((leaf.path, range(place, place + len(leaf.bits))))
            place += len(leaf.bits)

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
        run = _Run(self, [name for name in invariants if name in self._claims])
        try:
            run.open()
            found = run.read(0) if run.is_possible() else None
            for number, one in enumerate(observed):
                tick()
                if found is None:
                    break
                for _ in range(0 if one.is_first else most_silent):
                    run.step(silent, None)
                run.agree(one.before)
                if not one.is_first:
                    run.step((one.rule.action,), one)
                run.agree(one.after)
                if not run.is_possible():
                    break
                found = run.read(number + 1)
            return found
        finally:
            run.solver.close()

    def free(self, instance: Instance) -> list[str]:
        """Return the parameters of an instance whose values the solver chooses."""
        if not instance.inputs:
            return []
        names = self.model.free_layouts[instance.label].sorts
        return [name.removeprefix(f"{instance.label}.") for name in names]

    def cubes(self, target: Target, keys: Sequence[Any], written: Any) -> Iterator[list[_Cube]]:
        """Yield conditions on a state that together say that a part of it is what a log writes: each is a
        list of alternatives, and each of these a list of literals."""
        sort = next(s.sort for s in self.machine.definition.variables if s.name == target.variable)
        path: tuple[Any, ...] = ()
        for key in keys:
            found = [(own, part) for own, part in _parts(sort) if self.machine.agrees(plain(own), key)]
            if not found:
                yield []
                return
            path, sort = (*path, found[0][0]), found[0][1]
        yield from self._agreeing(target.variable, path, sort, written)

    def _agreeing(
        self, variable: str, path: tuple[Any, ...], sort: Sort, written: Any
    ) -> Iterator[list[_Cube]]:
        if sort.size <= _MOST_VALUES:
            values = [value for value in values_of(sort) if self.machine.agrees(value, written)]
            yield [self._cube(variable, path, concrete(value)) for value in values]
            return
        if not isinstance(written, dict) or not {"#map", "tag"}.isdisjoint(written):
            raise NotSymbolic
        parts = {str(plain(key)): (key, part) for key, part in _parts(sort)}
        if parts.keys() != written.keys():
            yield []
        for name, (key, part) in parts.items():
            if name in written:
                yield from self._agreeing(variable, (*path, key), part, written[name])

    def _cube(self, variable: str, path: tuple[Any, ...], value: Any) -> _Cube:
        """Return the literals that say that a part of a variable has a value."""
        layout = self.model.layout
        state: dict[str, Any] = {name: sort.default for name, sort in layout.sorts.items()}
        state[variable] = _put(state[variable], path, value)
        bits, wanted = layout.encode_state(state), (variable, *path)
        return [
            place + 1 if bits[place] else -place - 1
            for where, places in self._places
            if tuple(step.name if isinstance(step, Part) else step for step in where[: len(wanted)]) == wanted
            for place in places
        ]


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

    def step(self, actions: Sequence[str], one: Observed | None) -> None:
        """Add a step of some actions that an event explains; without one it may be left out."""
        allowed = []
        for number, instance in enumerate(self.search.model.system.instances):
            named = instance.action in actions or ANY in actions
            given = {name: plain(value) for name, value in instance.parameters.items()}
            if named and (one is None or one.fits(given)):
                allowed.append(number)
                if one is not None and not one.given.isdisjoint(self.search.free(instance)):
                    raise NotSymbolic
        self.open()
        fires = self.unrolling.firing
        self._add([[-fires[n]] for n in range(len(fires)) if n not in set(allowed)], self.last - 1)
        if one is not None:
            self._add([[fires[n] for n in allowed]], self.last - 1)
        self.events.append(None if one is None else one.event)

    def agree(self, parts: Sequence[tuple[Target, Sequence[Any], Any]]) -> None:
        """Require that parts of the last state are what a log writes."""
        for target, keys, written in parts:
            for cubes in self.search.cubes(target, keys, written):
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
            raise ReplayFailure(0, "the state that the solver begins with is no initial state")

        def state(row: list[bool]) -> Any:
            values = layout.decode_state(row)
            return tuple(plain(values[name]) for name in search.machine.variables)

        steps = []
        for frame, event in enumerate(self.events):
            taken = self._values(self.unrolling.firing, frame)
            if True not in taken:
                continue
            instance = system.instances[taken.index(True)]
            inputs = self._values(self.unrolling.inputs[taken.index(True)], frame)
            given = search.model.parameter_values(instance, inputs)
            named = {name: plain(value) for name, value in given.items()}
            steps.append(Step(instance.action, named, state(rows[frame + 1]), event))
        return Followed(explained, state(rows[0]), steps)

    def _values(self, literals: Sequence[int], frame: int) -> list[bool]:
        return self.solver.values(self.variables.at(literal, frame) for literal in literals)


def _parts(sort: Sort) -> Iterator[tuple[Any, Sort]]:
    """Yield the keys of a function or record, each with the sort of its value. Raises NotSymbolic."""
    match sort:
        case Function():
            yield from ((key, sort.range) for key in sort.domain.each())
        case Record():
            yield from sort.fields
        case _:
            raise NotSymbolic


def _put(whole: Any, path: Sequence[Any], value: Any) -> Any:
    """Return a value with another one at the end of a path."""
    if not path:
        return value
    return whole.updated(path[0], _put(whole[path[0]], path[1:], value))
