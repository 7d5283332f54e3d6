"""A second, naive reading of protocols: states one by one, terms and steps as ``encodings.plain_terms`` and
``specs.plain_steps`` have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.support.random_sorts import stable
from verifier.encodings.plain_terms import Environment, Reader, Undefined, belongs, plain, values_of
from verifier.encodings.terms import Operator, Term
from verifier.specs.definition import Action, Definition, PropertyKind
from verifier.specs.plain_steps import NOTHING, Happening, happening

State = tuple[Any, ...]
"""The values of the variables, in the order in which they are declared."""

UNDEFINED_READ = "UndefinedRead"


@dataclass(frozen=True)
class Instance:
    """An action with a value for each of its parameters."""

    action: Action
    parameters: Environment


@dataclass
class Explored:
    """The results of exploring."""

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
        """Return the depth that is completely explored."""
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
        """True if all variables are in their sorts, and Init holds."""
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
        """Return the effect of the instance in the state."""
        action, e = instance.action, {**state, **instance.parameters}
        try:
            if not self.within(e):
                return NOTHING
        except Undefined:  # the state says so itself
            return NOTHING
        return happening(self.read, action.when, action.then, state, instance.parameters)

    def within(self, state: Environment) -> bool:
        """True if the constraint, if there is one, holds."""
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
        names |= {UNDEFINED_READ for after in successors if UNDEFINED_READ in self.find_broken(state, after)}
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

    def find_broken(self, before: State, after: State) -> set[str]:
        """Return the step invariants that a step violates; ``UndefinedRead`` if one makes an undefined
        read."""
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
        """Explore level by level, up to this number of states (or actions)."""
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
                for name in {name for after in successors for name in self.find_broken(state, after)} - names:
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
        """Return the reason why this is no execution to a violation (or witness); None if it is one."""
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
            if len(own) < 2 or violates not in self.find_broken(*own[-2:]):
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
