"""Random pairs of protocols, of which one perhaps refines the other, and a naive judge of whether it does.

The concrete protocol has the variables and actions of the abstract one and more of both, so that it refines
the abstract one by leaving its own variables out. Then something is changed, in most pairs: an action of the
abstract protocol is missing or has another guard or assignment, it begins elsewhere, or the mapping is other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.naive import Naive, State
from tests.support.random_formulas import NoTerm
from tests.support.random_sorts import random_sort
from tests.support.random_terms import Terms
from verifier.encodings.expressions import coerce, literal, term_of
from verifier.encodings.plain_terms import belongs
from verifier.encodings.quantifiers import all_of
from verifier.encodings.sorts import Boolean, Enum, IndexSet, Range, Sort
from verifier.specs.definition import Definition
from verifier.specs.members import ActionMember
from verifier.specs.protocol import IndexSetConstant, Protocol, Step, define, refines
from verifier.specs.protocol import State as Variables

MOST_STATES = 400
CHANGES = ("nothing", "nothing", "an action less", "another guard", "another assignment", "another beginning")
MAPPINGS = ("projection", "projection", "projection", "terms")
_THINGS = IndexSet("thing", 2)
_ATOMS: tuple[Sort, ...] = (Range(0, 2), Boolean(), Enum("color", ("red", "green")), _THINGS)
_PARAMETERS = ((), ("thing",), ("thing", "level"), ("level",))


@dataclass(frozen=True)
class Pair:
    """A concrete protocol that states that it refines an abstract one."""

    concrete: type[Protocol]
    abstract: type[Protocol]
    change: str
    mapping: str


def pair_of(seed: int) -> Pair:
    """The pair of a seed."""
    rng = random.Random(f"pair {seed}")
    many = rng.choice([1, 2])
    kept = {f"kept{n}": random_sort(rng, _ATOMS, rng.choice([0, 1, 2]), 30) for n in range(many)}
    own = {f"own{n}": random_sort(rng, _ATOMS, rng.choice([0, 1]), 9) for n in range(rng.choice([0, 1, 2]))}
    actions = [rng.choice(_PARAMETERS) for _ in range(rng.choice([1, 2, 3]))]
    change, mapping = rng.choice(CHANGES), rng.choice(MAPPINGS)
    changed = rng.randrange(len(actions))
    side = _Side(str(seed), kept, own)

    every = range(len(actions))
    less = change == "an action less" and len(actions) > 1
    names = [number for number in every if not less or number != changed]
    altered = {changed: change} if change.startswith("another") else {}
    abstract = _protocol("Abstract", side, kept, change if change == "another beginning" else "")
    for number in names:
        method = side.abstract_action(number, altered.get(number, ""))
        setattr(abstract, f"step{number}", _member(method, actions[number]))
    concrete = _protocol("Concrete", side, {**kept, **own}, "")
    for number, parameters in enumerate(actions):
        setattr(concrete, f"step{number}", _member(side.concrete_action(number), parameters))
    for number in range(rng.choice([0, 1])):
        setattr(concrete, f"alone{number}", _member(side.own_action(number), ("thing",)))
    concrete.mapped = refines(abstract)(_mapping(side, mapping))  # type: ignore[attr-defined]
    return Pair(concrete, abstract, change, mapping)


@dataclass(frozen=True)
class _Side:
    """The parts that both protocols share."""

    seed: str
    kept: Mapping[str, Sort]
    own: Mapping[str, Sort]

    def rng(self, salt: str) -> random.Random:
        """Return the same random numbers for each reading."""
        return random.Random(f"{self.seed} {salt}")

    def terms(self, salt: str, s: Any, names: Mapping[str, Sort], given: Mapping[str, Any]) -> Terms:
        """Random terms over these variables and parameters."""
        scope = [*(getattr(s, name) for name in names), *given.values()]
        return Terms(self.rng(salt), scope, [_THINGS], list(given.values()), False, False)

    def _step(self, salt: str, s: Any, read: Mapping[str, Sort], put: Mapping[str, Sort], given: Any) -> Step:
        terms = self.terms(salt, s, read, given)
        lines = [terms.formula(0) for _ in range(terms.rng.choice([0, 0, 0, 1]))]
        return Step(lines, terms.assignments([getattr(s, name) for name in put], 2))

    def abstract_action(self, number: int, change: str) -> Any:
        """An action of the abstract protocol, perhaps changed."""

        def method(_: Any, s: Any, **given: Any) -> Step:
            step = self._step(f"action {number}", s, self.kept, self.kept, given)
            if change == "another guard":
                return step & Step([self.terms(f"guard {number}", s, self.kept, given).formula(1)])
            if change == "another assignment":
                return Step(step.when, self._step(f"put {number}", s, self.kept, self.kept, given).then)
            return step

        return method

    def concrete_action(self, number: int) -> Any:
        """The action of the abstract protocol, with more guards and assignments."""

        def method(_: Any, s: Any, **given: Any) -> Step:
            step = self._step(f"action {number}", s, self.kept, self.kept, given)
            return step & self._step(f"more {number}", s, {**self.kept, **self.own}, self.own, given)

        return method

    def own_action(self, number: int) -> Any:
        """An action that assigns only what the abstract protocol does not have."""

        def method(_: Any, s: Any, **given: Any) -> Step:
            step = self._step(f"alone {number}", s, {**self.kept, **self.own}, self.own, given)
            return step if step.then else Step(step.when, {next(iter(_values(s))): next(iter(_values(s)))})

        return method


def _values(s: Any) -> list[Any]:
    return [getattr(s, symbol.name) for symbol in s.symbols]


def _member(method: Any, parameters: tuple[str, ...]) -> ActionMember:
    return ActionMember(method, {name: f"{name}s" for name in parameters})


def _protocol(name: str, side: _Side, variables: Mapping[str, Sort], change: str) -> type[Protocol]:
    def state(_: Any) -> Variables:
        return Variables(**variables)

    def init(_: Any, s: Any) -> Any:
        lines = []
        for variable, sort in variables.items():
            rng = side.rng(f"init {variable} {change if variable == 'kept0' else ''}")
            values = list(sort.values())
            first, second = rng.choice(values), rng.choice(values)
            value = getattr(s, variable)
            one = value == literal(sort, first)
            lines.append(one | (value == literal(sort, second)) if rng.random() < 0.5 else one)
        return all_of(*lines)

    sorts = {"things": IndexSetConstant(2, kind="thing"), "levels": Range(0, 1)}
    return type(name, (Protocol,), {**sorts, "state": state, "init": init}, camel_case=True)


def _mapping(side: _Side, kind: str) -> Any:
    def map_state(_: Any, s: Any) -> dict[str, Any]:
        if kind == "projection":
            return {}
        found = {}
        for name, sort in side.kept.items():
            terms = side.terms(f"mapping {name}", s, {**side.kept, **side.own}, {})
            try:
                found[name] = terms.value(sort, 2) if terms.rng.random() < 0.5 else getattr(s, name)
            except NoTerm:
                found[name] = getattr(s, name)
        return found

    return map_state


# The judge


@dataclass(frozen=True)
class Truth:
    """The true answers, found by visiting every state and step of both protocols."""

    begins: bool
    """Each initial state is mapped to an initial one."""
    least: int | None
    """The fewest actions of an execution whose last step is mapped to none of the abstract protocol."""
    outside: bool
    """A reachable state is mapped to a value outside the sort of its variable."""


def truth_of(pair: Pair, definition: Definition) -> Truth | None:
    """Return the true answers for a pair, given the definition of the concrete one; None for too many
    states."""
    protocol: Any = pair.concrete()
    concrete, abstract = Naive(definition), Naive(define(pair.abstract()))
    state = protocol.state()
    given = protocol.mapped(state)
    symbols = abstract.definition.variables
    terms = [term_of(coerce(given.get(v.name, getattr(state, v.name)), v.sort)) for v in symbols]

    def map_state(one: State) -> State:
        environment = dict(zip(state.symbols, one, strict=True))
        return tuple(concrete.read(term)(environment) for term in terms)

    found = concrete.explore(MOST_STATES)
    if not found.complete:
        return None
    outside = False
    steps: list[int] = []
    for level, states in enumerate(found.levels):
        for one in states:
            before = map_state(one)
            inside = all(belongs(value, v.sort) for value, v in zip(before, symbols, strict=True))
            outside |= not inside
            after = {map_state(other) for other in concrete.look(one)[1]} if inside else set()
            allowed = {before, *abstract.look(before)[1]} if after else set()
            if not after <= allowed:
                steps.append(level + 1)
    initial = {map_state(one) for one in found.levels[0]}
    begins = all(abstract.is_initial(one) for one in initial)
    return Truth(begins, min(steps, default=None), outside)
