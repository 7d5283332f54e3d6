"""Python protocols as the search over logs sees them: their formulas are run on plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any

from verifier.conform.coverage import Part
from verifier.conform.machine import Fits, Parameters, TooManyInitial, agree_in_pairs, pair_off
from verifier.conform.outcome import Obstacle
from verifier.encodings.concrete import Element, FrozenMap, Tagged, show
from verifier.encodings.plain_terms import Map, Reader, Tag, Undefined, plain, values_of
from verifier.encodings.printing import text
from verifier.encodings.sorts import Boolean
from verifier.encodings.terms import Operator, Symbol, Term, conjuncts
from verifier.errors import UsageError
from verifier.explicit.initial import TooManyInitialStates, initial_states
from verifier.explicit.packing import unpack
from verifier.runs.building import build_model
from verifier.specs.definition import Action, Definition, PropertyKind
from verifier.specs.plain_steps import Happening, happening

_PATHS = frozenset(
    {Operator.VARIABLE, Operator.APPLY, Operator.FIELD, Operator.PAYLOAD, Operator.AT, Operator.LENGTH}
)
_MOST_CHOICES = 20_000
_LONGEST = 300
State = tuple[Any, ...]


class ProtocolMachine:
    """A protocol at its constants."""

    is_symbolic = True

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.by_name = {action.name: action for action in definition.actions}
        self.actions: Mapping[str, tuple[str, ...]] = {
            name: tuple(action.sorts) for name, action in self.by_name.items()
        }
        self.variables = tuple(symbol.name for symbol in definition.variables)
        self._claims = {
            one.name: one.formula
            for one in definition.properties
            if one.default and one.kind in (PropertyKind.INVARIANT, PropertyKind.TYPE_INVARIANT)
        }
        self.invariants = tuple(self._claims)
        self.unknown: Set[Part] = frozenset()
        self._read = Reader()

    def initial(self, most: int | None = None) -> list[State]:
        """Return the initial states. Raises TooManyInitial if they exceed ``most``, or cannot be listed."""
        model = build_model(self.definition)
        states = []
        try:
            rows = initial_states(model.system)
        except TooManyInitialStates as error:
            raise TooManyInitial(str(error)) from None
        if most is not None and len(rows) > most:
            raise TooManyInitial(f"more than {most:,} initial states")
        for row in rows:
            values = model.layout.decode_state(unpack(row, len(model.system.bits)))
            states.append(tuple(plain(values[name]) for name in self.variables))
        return states

    def holds(self, state: State, invariant: str) -> bool:
        """True if a state satisfies an invariant. Raises UsageError if it has no value."""
        try:
            return bool(self._read(self._claims[invariant])(self._environment(state)))
        except Undefined:
            raise UsageError(f"{invariant} reads what has no value in a state of the log") from None

    def steps(self, state: State, action: str, fits: Fits) -> Iterator[tuple[Parameters, State]]:
        """Yield the steps of an action whose parameters fit."""
        e = self._environment(state)
        if not self._is_within(e):
            return
        for given in self._choices(self.by_name[action], fits):
            what = self._happening(self.by_name[action], e, given)
            if what.after is not None:
                named = {symbol.name: value for symbol, value in given.items()}
                yield named, tuple(what.after[symbol] for symbol in self.definition.variables)

    def _environment(self, state: State) -> dict[Symbol, Any]:
        return dict(zip(self.definition.variables, state, strict=True))

    def _is_within(self, e: Mapping[Symbol, Any]) -> bool:
        constraint = self.definition.constraint
        try:
            return constraint is None or bool(self._read(constraint)(dict(e)))
        except Undefined:
            return False

    def _happening(self, action: Action, e: Mapping[Symbol, Any], given: Mapping[Symbol, Any]) -> Happening:
        return happening(self._read, action.when, action.then, dict(e), dict(given))

    def _choices(self, action: Action, fits: Fits) -> Iterator[dict[Symbol, Any]]:
        """Yield the values of the parameters that fit. Raises UsageError if they are too many to try."""
        symbols = [parameter.symbol for parameter in action.parameters]
        columns = []
        for symbol in symbols:
            if symbol.sort.size > _MOST_CHOICES:
                self._refuse(action)
            columns.append([value for value in values_of(symbol.sort) if fits({symbol.name: value})])
        if prod(map(len, columns)) > _MOST_CHOICES:
            self._refuse(action)
        for row in product(*columns):
            yield dict(zip(symbols, row, strict=True))

    def _refuse(self, action: Action) -> None:
        words = f"{action.name} has more than {_MOST_CHOICES:,} choices of its parameters"
        raise UsageError(f"{self.definition.name}: {words}: log more of them, and map them")

    def value(self, state: State, variable: str) -> Any:
        """Return the value of a variable."""
        return state[self.variables.index(variable)]

    def part(self, value: Any, key: Any) -> Any:
        """Return the value of a function, a record or a sequence at a key. Raises KeyError."""
        if isinstance(value, tuple) and isinstance(key, int) and 0 <= key < len(value):
            return value[key]
        if isinstance(value, Mapping):
            for own, item in value.items():
                if self.agrees(own, key):
                    return item
        raise KeyError(key)

    def agrees(self, value: Any, written: Any) -> bool:
        """True if a value is the one that a log writes as JSON. A set is written as an array."""
        match written:
            case None | bool():
                return value is written
            case int() | float():
                return type(value) is int and value == written
            case str():
                return isinstance(value, str | Element) and str(value) == written
            case list() if isinstance(value, tuple):
                return len(value) == len(written) and all(map(self.agrees, value, written))
            case list() if isinstance(value, frozenset):
                return pair_off(value, written, self.agrees) is not None
            case {"#map": pairs} if isinstance(value, Mapping):
                return agree_in_pairs(value.items(), pairs, self.agrees)
            case {"tag": str(tag)} if not (isinstance(value, Mapping) and "tag" in map(str, value)):
                return self._agrees_with_tag(value, tag, written.get("value", []))
            case dict() if isinstance(value, Mapping):
                named = {str(key): item for key, item in value.items()}
                same = named.keys() == written.keys()
                return same and all(self.agrees(item, written[name]) for name, item in named.items())
        return False

    def _agrees_with_tag(self, value: Any, tag: str, payload: Any) -> bool:
        """True if a value is the variant or the option that ITF writes with a tag."""
        if isinstance(value, Tag):
            return value.tag == tag and self.agrees(value.payload, payload)
        if tag == "None":
            return value is None
        return tag == "Some" and value is not None and self.agrees(value, payload)

    def show(self, value: Any) -> str:
        """Return a value as reports show it."""
        return show(concrete(value))

    def parts(self, action: str) -> list[Part]:
        """Return the disjuncts of an action's guard."""
        return [part for part, _ in self._guard_parts(action)]

    def true_parts(self, state: State, action: str, given: Parameters) -> list[Part]:
        """Return the parts that are true in a step. A part without a value is not."""
        symbols = {one.symbol.name: one.symbol for one in self.by_name[action].parameters}
        e = {**self._environment(state), **{symbols[name]: value for name, value in given.items()}}
        parts = []
        for part, term in self._guard_parts(action):
            with suppress(Undefined):
                if self._read(term)(e):
                    parts.append(part)
        return parts

    def _guard_parts(self, action: str) -> Iterator[tuple[Part, Term]]:
        one = self.by_name[action]
        known = {*self.definition.variables, *(parameter.symbol for parameter in one.parameters)}
        waiting = list(one.when)
        while waiting:
            term = waiting.pop(0)
            if term.operator is Operator.AND:
                waiting = [*term.arguments, *waiting]
            elif term.operator is Operator.OR:
                for item in term.arguments:
                    if term.free <= known:
                        yield Part(action, text(item, {}, 0, _LONGEST), one.place), item

    def conjuncts(self, action: str) -> list[Part]:
        """Return the conjuncts of an action's guard."""
        return [part for part, _ in self._guard_conjuncts(self.by_name[action])]

    def near_failures(self, state: State, action: str) -> Iterator[tuple[Part, list[State]]]:
        """Yield the conjuncts that alone are false in a state, with the states to which the steps without
        them lead."""
        one, e = self.by_name[action], self._environment(state)
        lines = list(self._guard_conjuncts(one)) if self._is_within(e) else []
        failures: dict[Part, list[State]] = {}
        for given in self._choices(one, lambda _: True) if lines else ():
            wrong = self._only_wrong(lines, {**e, **given})
            if wrong is None:
                continue
            after = happening(self._read, (), one.then, dict(e), dict(given)).after
            states = failures.setdefault(wrong, [])
            if after is not None:
                states.append(tuple(after[symbol] for symbol in self.definition.variables))
        yield from failures.items()

    def _only_wrong(self, lines: list[tuple[Part, Term]], e: dict[Symbol, Any]) -> Part | None:
        """Return the only conjunct that is false; None if there is none, or one has no value."""
        wrong = []
        for part, line in lines:
            try:
                wrong += [] if self._read(line)(e) else [part]
            except Undefined:
                return None
            if len(wrong) > 1:
                return None
        return wrong[0] if wrong else None

    def _guard_conjuncts(self, one: Action) -> Iterator[tuple[Part, Term]]:
        for line in one.when:
            for term in conjuncts(line):
                yield Part(one.name, text(term, {}, 0, _LONGEST), one.place), term

    def explain_obstacles(self, state: State, action: str, fits: Fits) -> list[Obstacle]:
        """Return why no step of an action fits in a state, the nearest way first."""
        one, e, obstacles = self.by_name[action], self._environment(state), list[Obstacle]()
        if not self._is_within(e):
            words = "is false, and no step begins outside the constraint"
            return [self._obstacle(one, {}, 0, self.definition.constraint, e, words)]
        for given in self._choices(one, fits):
            lines = [part for line in one.when for part in conjuncts(line)]
            for number, line in enumerate(lines):
                try:
                    words = "" if self._read(line)({**e, **given}) else "is false"
                except Undefined:
                    words = "reads what has no value"
                if words:
                    obstacles.append(self._obstacle(one, given, number, line, e, words))
                    break
            else:
                words = "would be given a value outside of its sort, or without a value"
                obstacles.append(self._obstacle(one, given, len(lines), None, e, words))
        return sorted(obstacles, key=lambda one: -one.passed)

    def explain_invariant(self, state: State, invariant: str) -> list[Obstacle]:
        """Return the part of an invariant that is false in a state, for the first elements at which it is."""
        e, term, given = self._environment(state), self._claims[invariant], dict[Symbol, Any]()
        while term.operator is Operator.FORALL and term.binds is not None:
            body, symbol = term.arguments[0], term.binds
            each = ({**given, symbol: value} for value in values_of(symbol.sort))
            counterexample = next((one for one in each if not self._read(body)({**e, **one})), None)
            if counterexample is None:
                break
            term, given = body, counterexample
        bound = {symbol: concrete(value) for symbol, value in given.items()}
        parts = {text(part, bound): part for part in _read_parts(term, set(e), set(given))}
        values = [(symbol.name, self.show(value)) for symbol, value in given.items()]
        values += [(name, self._show(part, {**e, **given})) for name, part in parts.items()]
        return [Obstacle(invariant, 0, text(term, {}, 0, _LONGEST), "", tuple(values))]

    def _obstacle(
        self,
        action: Action,
        given: Mapping[Symbol, Any],
        passed: int,
        line: Term | None,
        e: Mapping[Symbol, Any],
        words: str,
    ) -> Obstacle:
        names = ", ".join(f"{symbol.name}={self.show(value)}" for symbol, value in given.items())
        title = f"{action.name}({names})" if names else action.name
        if line is None:
            return Obstacle(title, passed, "a variable", action.place, (), words)
        bound = {symbol: concrete(value) for symbol, value in given.items()}
        values = {text(part, bound): part for part in _read_parts(line, set(e), set(given))}
        shown = tuple((name, self._show(part, {**e, **given})) for name, part in values.items())
        return Obstacle(title, passed, text(line, bound, 0, _LONGEST), action.place, shown, words)

    def _show(self, part: Term, e: Mapping[Symbol, Any]) -> str:
        try:
            return self.show(self._read(part)(dict(e)))
        except Undefined:
            return "without a value"


def _read_parts(line: Term, variables: set[Symbol], given: set[Symbol]) -> Iterator[Term]:
    """Yield the parts of the state that a formula reads: paths as long as no bound name stands in them."""
    waiting, seen = [line], set[int]()
    while waiting:
        part = waiting.pop(0)
        if id(part) in seen:
            continue
        seen.add(id(part))
        is_path = part.operator in _PATHS and part.free <= variables | given and part.free & variables
        if is_path and not isinstance(part.sort, Boolean):
            yield part
        else:
            waiting += part.arguments


def concrete(value: Any) -> Any:
    """Return a plain value as reports know it."""
    match value:
        case frozenset():
            return frozenset(map(concrete, value))
        case tuple() if not isinstance(value, Tag):
            return tuple(map(concrete, value))
        case Tag():
            return Tagged(value.tag, concrete(value.payload))
        case Map():
            return FrozenMap({concrete(key): concrete(item) for key, item in value.items()})
    return value
