"""A second, naive reading of protocols: states one by one, terms as ``tests.naive_terms`` has them.

What has no value, or leaves its sort, is written down here once more: an instance whose guard reads what
has no value is not enabled, and the state violates ``UndefinedRead``; one that would assign what has no
value, or is outside the sort, is not enabled either, and the state violates the type invariant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.naive_terms import Environment, Map, Reader, Undefined, belongs, plain, values_of
from tests.random_sorts import stable
from verifier.encodings.sorts import PartialFunction, Record, Sort, Tuple
from verifier.encodings.terms import Operator, Term
from verifier.specs.definition import Action, Definition, PropertyKind

State = tuple[Any, ...]
"""The values of the variables, in the order in which they are declared."""

UNDEFINED_READ = "UndefinedRead"


@dataclass(frozen=True)
class Happening:
    """What an instance does in a state: where it leads, if it is enabled, and what is wrong with it."""

    state: State | None = None
    undefined: bool = False
    leaves: bool = False


NOTHING = Happening()


@dataclass(frozen=True)
class Instance:
    """An action with a value for each of its parameters."""

    action: Action
    parameters: Environment


@dataclass
class Explored:
    """What exploring found."""

    steps: dict[str, int] = field(default_factory=dict)
    """For each property violated (or reached) the least number of actions to that."""
    levels: list[set[State]] = field(default_factory=list)
    """The states by their least number of actions."""
    before: dict[State, State] = field(default_factory=dict)
    """For each state that is not initial one that leads to it by one action fewer."""
    states: int = 0
    """Within the constraint."""
    deadlocks: int = 0
    complete: bool = False

    @property
    def closed(self) -> int:
        """The depth that is looked at whole."""
        return len(self.levels) - 1


class Naive:
    """A definition, state by state."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.read = Reader()
        self.instances = [
            Instance(action, dict(zip(symbols, choice, strict=True)))
            for action in definition.actions
            for symbols in ([parameter.symbol for parameter in action.parameters],)
            for choice in product(*(list(values_of(symbol.sort)) for symbol in symbols))
        ]

    def environment(self, state: State) -> Environment:
        """The state's variables with their values."""
        return dict(zip(self.definition.variables, state, strict=True))

    def state(self, named: Mapping[str, Any]) -> State:
        """A state of the verifier as one of ours."""
        return tuple(plain(named[symbol.name]) for symbol in self.definition.variables)

    def is_initial(self, state: State) -> bool:
        """Whether all variables are in their sorts, and Init holds."""
        variables = self.definition.variables
        inside = all(belongs(value, v.sort) for v, value in zip(variables, state, strict=True))
        return inside and bool(self.read(self.definition.init)(self.environment(state)))

    def initial_states(self) -> set[State]:
        """All of them, variable by variable; a conjunct is read once its variables have values."""
        waiting = list(_conjuncts(self.definition.init))
        partial: list[Environment] = [{}]
        for symbol in self.definition.variables:
            partial = [{**e, symbol: value} for e in partial for value in values_of(symbol.sort)]
            bound = set(partial[0]) if partial else set()
            for conjunct in [term for term in waiting if term.free <= bound]:
                waiting.remove(conjunct)
                holds = self.read(conjunct)
                partial = [e for e in partial if holds(e)]
        return {tuple(e.values()) for e in partial}

    def happening(self, instance: Instance, state: Environment) -> Happening:
        """What the instance does in the state."""
        action, e = instance.action, {**state, **instance.parameters}
        try:
            if not self.within(e):
                return NOTHING
        except Undefined:  # the state says so itself
            return NOTHING
        try:
            if not all(self.read(line)(e) for line in action.when):
                return NOTHING
        except Undefined:
            return Happening(undefined=True)
        changed, undefined, leaves = dict(state), False, False
        for target, term in action.then:
            try:
                value = self.read(term)(e)
                path = self._path(target, e)
            except Undefined:
                undefined = True
                continue
            symbol, keys = path[0], path[1:]
            if not belongs(value, target.sort):
                leaves = True
            elif not leaves and not undefined:
                new, inside = _put(changed[symbol], keys, value, symbol.sort)
                leaves |= not inside
                changed[symbol] = new
        if undefined or leaves:
            return Happening(undefined=undefined, leaves=True)
        return Happening(tuple(changed[symbol] for symbol in self.definition.variables))

    def _path(self, target: Term, e: Environment) -> list[Any]:
        """The variable, then the keys and names of fields below it."""
        if target.operator is Operator.VARIABLE:
            return [target.data]
        step = target.data if target.operator is Operator.FIELD else self.read(target.arguments[1])(e)
        return [*self._path(target.arguments[0], e), step]

    def within(self, state: Environment) -> bool:
        """Whether the constraint, if there is one, holds."""
        bound = self.definition.constraint
        return bound is None or bool(self.read(bound)(state))

    def look(self, state: State) -> tuple[set[str], set[State], bool, bool]:
        """The properties violated or reached, the successors, whether it is within the constraint, and
        whether it is a deadlock."""
        e, names = self.environment(state), set()
        happenings = [self.happening(instance, e) for instance in self.instances]
        try:
            within = self.within(e)
        except Undefined:
            within = False
            names.add(UNDEFINED_READ)
        if any(what.undefined for what in happenings):
            names.add(UNDEFINED_READ)
        leaves = any(what.leaves for what in happenings)
        dead = within and all(what is NOTHING for what in happenings)
        successors = {what.state for what in happenings if what.state is not None}
        names |= {UNDEFINED_READ for after in successors if UNDEFINED_READ in self.broken(state, after)}
        for prop in self.definition.properties:
            if prop.name == UNDEFINED_READ or prop.kind is PropertyKind.STEP_INVARIANT:
                continue
            if prop.kind is PropertyKind.DEADLOCK_INVARIANT and not dead:
                continue
            seeks = prop.kind is PropertyKind.REACHABLE
            try:
                fails = bool(self.read(prop.formula)(e)) == seeks
            except Undefined:
                fails = False
                names.add(UNDEFINED_READ)
            if fails or (leaves and prop.kind is PropertyKind.TYPE_INVARIANT):
                names.add(prop.name)
        return names, successors, within, dead

    def broken(self, before: State, after: State) -> set[str]:
        """The step invariants that a step breaks; ``UndefinedRead`` if one reads what has no value."""
        names: set[str] = set()
        if before == after:
            return names
        e = self.environment(before) | dict(zip(self.definition.successor, after, strict=True))
        for prop in self.definition.properties:
            try:
                if prop.kind is PropertyKind.STEP_INVARIANT and not self.read(prop.formula)(e):
                    names.add(prop.name)
            except Undefined:
                names.add(UNDEFINED_READ)
        return names

    def explore(self, most_states: int | None = None, deepest: int | None = None) -> Explored:
        """Level by level, as far as that many states (or actions) lead."""
        found, seen = Explored(), set[State]()
        level = self.initial_states()
        while level:
            seen |= level
            if most_states is not None and len(seen) > most_states and found.levels:
                return found
            following: set[State] = set()
            for state in sorted(level, key=stable):  # in any process the same
                names, successors, within, dead = self.look(state)
                for name in names:
                    found.steps.setdefault(name, len(found.levels))
                for name in {name for after in successors for name in self.broken(state, after)} - names:
                    found.steps.setdefault(name, len(found.levels) + 1)
                found.states += within
                found.deadlocks += dead
                following |= successors
                found.before |= dict.fromkeys(successors - seen, state)
            found.levels.append(level)
            if deepest is not None and found.closed >= deepest:
                return found
            level = following - seen
        found.complete = True
        return found

    def mistake_in(
        self,
        states: Sequence[Mapping[str, Any]],
        actions: Sequence[tuple[str, Mapping[str, Any]]],
        violates: str | None,
    ) -> str | None:
        """Why this is no execution to a violation (or to what is to be reached); None if it is one."""
        own = [self.state(state) for state in states]
        if not self.is_initial(own[0]):
            return "the first state is not initial"
        for number, (name, given) in enumerate(actions):
            action = next(action for action in self.definition.actions if action.name == name)
            values = {p.symbol: plain(given[p.symbol.name]) for p in action.parameters}
            if not all(belongs(value, symbol.sort) for symbol, value in values.items()):
                return f"a parameter of action {number + 1} is outside its sort"
            what = self.happening(Instance(action, values), self.environment(own[number]))
            if what.state != own[number + 1]:
                return f"action {number + 1}, {name}, leads to {what}, not to {own[number + 1]}"
        kinds = {prop.name: prop.kind for prop in self.definition.properties}
        if violates is not None and kinds.get(violates) is PropertyKind.STEP_INVARIANT:
            if len(own) < 2 or violates not in self.broken(*own[-2:]):
                return f"the last step does not break {violates}"
        elif violates is not None and violates not in self.look(own[-1])[0]:
            return f"the last state does not violate {violates}"
        return None


def _conjuncts(term: Term) -> Iterator[Term]:
    if term.operator is Operator.AND:
        for argument in term.arguments:
            yield from _conjuncts(argument)
    else:
        yield term


def _put(current: Any, keys: list[Any], value: Any, sort: Sort) -> tuple[Any, bool]:
    """The value with another one at the end of a path, and whether the path is inside it."""
    if not keys:
        return value, True
    if isinstance(sort, Tuple):
        below, inside = _put(current[keys[0]], keys[1:], value, sort.items[keys[0]])
        return (*current[: keys[0]], below, *current[keys[0] + 1 :]), inside
    if isinstance(sort, PartialFunction) and len(keys) == 1 and belongs(keys[0], sort.domain):
        return Map({**current, keys[0]: value}), True
    if keys[0] not in current:
        return current, False
    part = sort.field_sorts[keys[0]] if isinstance(sort, Record) else sort.range  # type: ignore[attr-defined]
    below, inside = _put(current[keys[0]], keys[1:], value, part)
    return Map({**current, keys[0]: below}), inside
