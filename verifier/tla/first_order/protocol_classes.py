"""A module as a protocol class, like those that authors write in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.encodings.expressions import term_of, wrap
from verifier.encodings.open_integers import LARGEST
from verifier.encodings.operations import arbitrary
from verifier.encodings.scalar_sorts import SortError
from verifier.encodings.sorts import Enum, IndexSet, Sort
from verifier.encodings.substitution import substitute
from verifier.encodings.terms import Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.specs.constants import IndexSetConstant, IntegerConstant
from verifier.specs.definition import PropertyKind
from verifier.specs.members import ActionMember, Free, LemmaMember, PropertyMember
from verifier.specs.names import title_of
from verifier.specs.protocol import Protocol
from verifier.specs.state import State
from verifier.specs.steps import Step
from verifier.specs.titles import AS_LEMMA
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.actions import Branch, Walker
from verifier.tla.first_order.assumptions import Assumed, find_undeclared, read_assumptions
from verifier.tla.first_order.constants import Constants, classify, list_words, read_facts
from verifier.tla.first_order.families import ASSUMED
from verifier.tla.first_order.forms import FORMS
from verifier.tla.first_order.initial_states import InitialStates
from verifier.tla.first_order.kinds import Fields, Kind, Map, Pair, SetOf, Sorts, has_unbounded
from verifier.tla.first_order.operators import OPERATORS
from verifier.tla.first_order.reading import Reading, Rule
from verifier.tla.first_order.scopes import Scope, Unread
from verifier.tla.first_order.substitutes import note_named_substitutes, refuse_circular_definitions
from verifier.tla.first_order.type_invariants import find_kinds
from verifier.tla.first_order.typed import ALWAYS, Typed, conjoin, variable_of
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula

USUAL_LARGEST = 2
"""The bound of integers without bounds at the constants of the configuration."""
_SORT = "sort_of_parameter_{}"
"""The attributes that hold the sorts of parameters."""


@dataclass(frozen=True)
class Rules:
    """The rules by which expressions are read. A test of the comparison changes one."""

    forms: Mapping[type, Rule] = field(default_factory=lambda: FORMS)
    operators: Mapping[str, Rule] = field(default_factory=lambda: OPERATORS)


@dataclass(frozen=True)
class ActionShape:
    """An action of the protocol: its place among the branches of Next, and its parameters."""

    method: str
    number: int
    parameters: tuple[tuple[str, str, Kind], ...]
    """The name, the attribute with the sort, and the kind of each."""


@dataclass(frozen=True)
class ModuleProtocol:
    """A module that is read as a protocol."""

    specification: Specification
    constants: Constants
    kinds: Mapping[ast.Variable, Kind]
    type_invariant: str
    words: tuple[str, ...]
    assumptions: tuple[Assumed, ...]
    rules: Rules
    claims: tuple[str, ...]
    """Its properties and lemmas."""
    kind: type[Protocol]
    """The class."""

    @property
    def facts_name(self) -> str:
        """Return the name of the lemma that says what is known of families."""
        return _facts_name(self.constants)

    def reading(self, protocol: Protocol) -> Reading:
        """Return the meaning of the module's expressions in a protocol."""
        return make_reading(self.specification, self.constants, self.words, self.rules, protocol)


def make_reading(
    specification: Specification,
    constants: Constants,
    words: Sequence[str],
    rules: Rules,
    protocol: Any,
    state: State | None = None,
) -> Reading:
    """Return the meaning of expressions, at the sorts of a protocol."""
    given = (
        {} if state is None else {n: getattr(state, one.variable) for n, one in constants.families.items()}
    )
    members: dict[str, Sort[Any]] = {name: getattr(protocol, name) for name in constants.sets}
    numbers: dict[str, Any] = {name: getattr(protocol, name) for name in constants.numbers}
    if hasattr(protocol, LARGEST):
        numbers[LARGEST] = getattr(protocol, LARGEST)
    enum = Enum(f"word of {specification.module.name}", tuple(words)) if words else None
    sorts = Sorts(members, numbers, enum)
    return Reading(specification, constants, sorts, rules.forms, rules.operators, given)


def make_protocol(
    specification: Specification,
    properties: Sequence[str],
    lemmas: Sequence[str] = (),
    rules: Rules | None = None,
) -> ModuleProtocol:
    """Return the module as a protocol with these properties and lemmas, which are names of operators. The
    type invariant is a lemma too. Raises Unread, with the place of what has no reading."""
    rules = rules or Rules()
    _require_plain(specification)
    lemmas = [name_lemma(name, properties) for name in lemmas]
    claims = {name: formula_of(specification, operator_of(name)) for name in (*properties, *lemmas)}
    assert specification.next is not None
    roots = [*(one.body for one in specification.init), specification.next.body]
    roots += [one.body for one in claims.values()]
    assumed = [one.body for one in specification.module.assumptions]
    refuse_circular_definitions(specification, [*roots, *_type_roots(specification), *assumed])
    constants = classify(specification)
    note_named_substitutes(specification, constants, map(operator_of, claims))
    sizes = _Sizes(specification, constants)
    words = list_words(specification, constants, [*roots, *_type_roots(specification)])
    reading = make_reading(specification, constants, words, rules, sizes)
    name, kinds = find_kinds(reading)
    constants.has_unbounded = any(map(has_unbounded, kinds.values()))
    if name not in claims:
        lemmas = [*lemmas, name]
        claims[name] = formula_of(specification, name)
    maker = _Maker(specification, constants, kinds, words, rules)
    kind = maker.make(reading, properties, lemmas, claims)
    return ModuleProtocol(
        specification, constants, kinds, name, words, maker.assumptions, rules, tuple(claims), kind
    )


def name_lemma(operator: str, properties: Sequence[str]) -> str:
    """Return the name of a lemma. A lemma that is a property, too, has a name of its own."""
    return f"{operator}{AS_LEMMA}" if operator in properties else operator


def operator_of(claim: str) -> str:
    """Return the operator that a property or lemma is."""
    return claim.removesuffix(AS_LEMMA)


def formula_of(specification: Specification, name: str) -> Formula:
    """Return the formula of an invariant, or of an operator without parameters."""
    known = specification.invariants.get(name)
    if known is not None:
        return known
    definition = specification.module.names.get(name)
    if not isinstance(definition, ast.Definition) or definition.parameters or definition.body is None:
        words = f"{name} is neither an invariant nor a parameterless operator of {specification.module.name}"
        raise Unread(Place(specification.module.file, 1, 1), words)
    return Formula(ast.Apply(definition, place=definition.place), specification.module.name)


def _type_roots(specification: Specification) -> Iterator[ast.Expression]:
    for name, one in specification.module.names.items():
        if isinstance(one, ast.Definition) and "type" in name.lower() and one.body is not None:
            yield one.body


def _require_plain(specification: Specification) -> None:
    """Refuse specifications without steps or variables. A CONSTRAINT is ignored: what is proved covers more
    states."""
    place = Place(specification.config.file, 0, 0)
    if specification.next is None:
        raise Unread(place, "the configuration names no next-state relation")
    if not specification.variables:
        raise Unread(place, "the module has no variables")


class _Sizes:
    """The sorts at the constants of the configuration, in place of a protocol, to see the kinds."""

    def __init__(self, specification: Specification, constants: Constants) -> None:
        for name, elements in constants.sets.items():
            setattr(self, name, _set_constant(name, len(elements)).meaning_at(name, len(elements)))
        for name, number in constants.numbers.items():
            setattr(self, name, number)
        setattr(self, LARGEST, USUAL_LARGEST)


class _SetConstant(IndexSetConstant):
    """The constant of a set of a module."""

    def meaning_at(self, name: str, count: int) -> Sort[Any]:
        """Return the index set without a protocol."""
        return IndexSet(self.kind_of(name), count, True, name)


def _set_constant(name: str, count: int) -> _SetConstant:
    return _SetConstant(count, "", kind=name)


class _Maker:
    """Makes the class."""

    def __init__(
        self,
        specification: Specification,
        constants: Constants,
        kinds: Mapping[ast.Variable, Kind],
        words: tuple[str, ...],
        rules: Rules,
    ) -> None:
        self.specification, self.constants, self.kinds = specification, constants, kinds
        self.words, self.rules = words, rules
        self.assumptions = read_assumptions(specification, constants)
        constants.undeclared_facts = find_undeclared(specification, constants, self.assumptions)
        self._walked: tuple[Any, State, list[Branch]] | None = None
        """The branches of the last protocol and state: each action takes one of them."""

    def make(
        self,
        reading: Reading,
        properties: Sequence[str],
        lemmas: Sequence[str],
        claims: Mapping[str, Formula],
    ) -> type[Protocol]:
        """Return the class."""
        members: dict[str, Any] = {
            "name": self.specification.module.name,
            "__doc__": f"The module {self.specification.module.name}, read for all constants.",
            "__module__": __name__,
        }
        for name, elements in self.constants.sets.items():
            self._add(members, name, _set_constant(name, len(elements)))
        for name, number in self.constants.numbers.items():
            self._add(members, name, IntegerConstant(number, "", minimum=0))
        if self.constants.has_unbounded:
            self._add(members, LARGEST, IntegerConstant(USUAL_LARGEST, "", minimum=1))
        members |= {"state": self._state(), "init": self._init(), "assumptions": self._assumptions()}
        self._add_families(members, reading)
        now = {one: Typed(kind, variable_of(_symbol(one, kind, reading))) for one, kind in self.kinds.items()}
        shapes = self._shapes(reading, now)
        if self._keeps_large_sets(reading, now, claims):
            shapes = self._shapes(reading, now)
        InitialStates(reading, self.kinds).require_exact(now)
        for shape in shapes:
            for _, attribute, kind in shape.parameters:
                members[attribute] = property(self._sort_of(kind))
            domains = {
                name: Free(attribute, always=False) if _is_large(kind) else attribute
                for name, attribute, kind in shape.parameters
            }
            self._add(members, shape.method, ActionMember(self._action(shape), domains))
        for name in properties:
            claim = PropertyMember(self._claim(claims[name]), PropertyKind.INVARIANT, True, name)
            self._add(members, f"property_{name}", claim)
        for name in lemmas:
            self._add(members, f"lemma_{name}", LemmaMember(self._claim(claims[name]), name))
        return type(self.specification.module.name, (Protocol,), members)

    def _keeps_large_sets(
        self, reading: Reading, now: Mapping[ast.Variable, Typed], claims: Mapping[str, Formula]
    ) -> bool:
        """True if large sets stay sets from now on, since some formula about them is no count
        (``large_sets``). The actions were read before."""
        for claim in claims.values():
            reading.formula(claim.body, Scope(claim.module, now))
        self.constants.keeps_large_sets = self.constants.has_uncounted_sets
        return self.constants.keeps_large_sets

    def _add_families(self, members: dict[str, Any], reading: Reading) -> None:
        """Add what is known of families as a lemma."""
        for family in self.constants.families.values():
            if family.variable in self.specification.module.names:
                place = Place(self.specification.module.file, 1, 1)
                raise Unread(place, f"{family.variable} means something else in the protocol: rename it")
        if any(one is not ALWAYS for one in facts_about_families(self.specification, reading)):
            title = _facts_name(self.constants)
            self._add(members, "lemma_of_families", LemmaMember(self._facts_of_families(), title))

    def _add(self, members: dict[str, Any], name: str, member: Any) -> None:
        if name in members or hasattr(Protocol, name) or name == "constants":  # an attribute of each protocol
            place = Place(self.specification.module.file, 1, 1)
            raise Unread(place, f"the name {name} means something else in protocols: give it another name")
        members[name] = member

    # -- actions

    def _shapes(self, reading: Reading, now: Mapping[ast.Variable, Typed]) -> list[ActionShape]:
        """Return the actions, with names that differ."""
        shapes, titles = list[ActionShape](), set[str]()
        for number, branch in enumerate(Walker(reading, self.kinds).branches(now)):
            method = _method_name(branch.name or "Next", titles)
            titles.add(title_of(method))
            parameters = tuple(
                (one.name, _SORT.format(f"{number}_{place}"), one.kind)
                for place, one in enumerate(branch.parameters)
            )
            shapes.append(ActionShape(method, number, parameters))
        return shapes

    def _sort_of(self, kind: Kind) -> Callable[[Any], Sort[Any]]:
        return lambda protocol: kind.sort(self._reading(protocol).sorts)

    def _action(self, shape: ActionShape) -> Callable[..., Step]:
        def action(protocol: Any, s: State, **given: Any) -> Step:
            return self._step(self._branches(protocol, s)[shape.number], s, given)

        action.__name__ = shape.method
        action.__doc__ = f"{shape.method} of the module."
        return action

    def _branches(self, protocol: Any, s: State) -> list[Branch]:
        """Return the branches of Next in a state, which is walked once for all actions."""
        known = self._walked
        if known is None or known[0] is not protocol or known[1] is not s:
            branches = Walker(self._reading(protocol, s), self.kinds).branches(self._now(s))
            self._walked = known = protocol, s, branches
        return known[2]

    def _step(self, branch: Branch, s: State, given: Mapping[str, Any]) -> Step:
        """Return the step of a branch, with the given values for its parameters."""
        put = {one.symbol: term_of(given[one.name]) for one in branch.parameters}
        lines = [_substitute(line, put) for line in branch.lines]
        then = {}
        for variable in self.kinds:
            after, now = branch.after[variable], getattr(s, variable.name)
            if term_of(after.value) is not term_of(now):
                then[now] = _substitute(after.value, put)
        return Step(when=lines, then=then)

    # -- formulas

    def _reading(self, protocol: Any, state: State | None = None) -> Reading:
        return make_reading(self.specification, self.constants, self.words, self.rules, protocol, state)

    def _now(self, s: State) -> dict[ast.Variable, Typed]:
        return {one: Typed(kind, getattr(s, one.name)) for one, kind in self.kinds.items()}

    def _state(self) -> Callable[[Any], State]:
        def state(protocol: Any) -> State:
            sorts = self._reading(protocol).sorts
            rigid = {one.variable: one.kind.sort(sorts) for one in self.constants.families.values()}
            return State(**rigid, **{one.name: kind.sort(sorts) for one, kind in self.kinds.items()})

        return state

    def _init(self) -> Callable[[Any, State], BooleanValue]:
        def init(protocol: Any, s: State) -> BooleanValue:
            reading, now = self._reading(protocol, s), self._now(s)
            parts = (reading.formula(one.body, Scope(one.module, now)) for one in self.specification.init)
            families, known = reading.families, self.constants.families.values()
            differ = [families.differ(one) for one in known]
            said = conjoin(*parts, *differ, *facts_about_families(self.specification, reading))
            mentioned = [term_of(one.value) for one in now.values() if _symbol_of(one) not in said.term.free]
            return conjoin(said, arbitrary(*map(wrap, mentioned))) if mentioned else said

        return init

    def _claim(self, claim: Formula) -> Callable[[Any, State], BooleanValue]:
        def formula(protocol: Any, s: State) -> BooleanValue:
            return self._reading(protocol, s).formula(claim.body, Scope(claim.module, self._now(s)))

        return formula

    def _facts_of_families(self) -> Callable[[Any, State], BooleanValue]:
        def facts(protocol: Any, s: State) -> BooleanValue:
            """Say what is known of families. No action changes their variables."""
            return conjoin(*facts_about_families(self.specification, self._reading(protocol, s)))

        return facts

    def _assumptions(self) -> Callable[[Any], list[tuple[bool, str]]]:
        tests = [(one.test, one.words) for one in self.assumptions]

        def assumptions(protocol: Any) -> list[tuple[bool, str]]:
            return [(test(protocol), words) for test, words in tests]

        return assumptions


def facts_about_families(specification: Specification, reading: Reading) -> list[BooleanValue]:
    """Return the facts of all families, from ASSUMEs or from the configuration. Raises Unread."""
    assumed = read_facts(specification, reading.constants)
    facts = [reading.formula(one.body, Scope(one.module, {})) for one in assumed]
    known = (reading.families.facts(one) for one in reading.constants.families.values())
    return [*facts, *(one for one in known if one is not None)]


def _facts_name(constants: Constants) -> str:
    return ".".join(constants.families) + ASSUMED


def _symbol(variable: ast.Variable, kind: Kind, reading: Reading) -> Any:
    try:
        return Symbol(variable.name, kind.sort(reading.sorts))
    except SortError as error:
        raise Unread(Place(reading.specification.module.file, 1, 1), f"{variable.name}: {error}") from error


def _symbol_of(one: Typed) -> Any:
    """Return the symbol of a variable."""
    return term_of(one.value).data


def _is_large(kind: Kind) -> bool:
    """True if a parameter of the kind would have very many instances."""
    return isinstance(kind, SetOf | Map | Fields | Pair)


def _method_name(name: str, titles: set[str]) -> str:
    """Return a name whose title no other action has."""
    plain = name.strip("_") or "Action"
    method, number = plain, 2
    while title_of(method) in titles or hasattr(Protocol, method):
        method, number = f"{plain}_{number}", number + 1
    return method


def _substitute(value: Any, put: Mapping[Any, Term]) -> Any:
    """Return a value with terms in place of symbols."""
    return wrap(substitute(term_of(value), put)) if put else value
