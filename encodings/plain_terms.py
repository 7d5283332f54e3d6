"""A second, naive reading of terms, over Python's frozensets, tuples and dicts.

It shares nothing with the verifier but the terms and the names of sorts, so that what both say of random
protocols is said twice. What has no value is fixed here as everywhere: conjunction, disjunction and
implication read from left to right and stop when decided, ``if`` reads the branch taken, everything else
reads all it has. Where that meets what has no value, ``Undefined`` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from verifier.encodings import sorts
from verifier.encodings.concrete import Tagged
from verifier.encodings.terms import Operator, Symbol, Term

Environment = dict[Symbol, Any]
Reading = Callable[[Environment], Any]


class Undefined(Exception):
    """A term was read that has no value."""

    def __init__(self, term: Term) -> None:
        super().__init__(f"{term.operator} has no value")
        self.term = term


@dataclass(frozen=True)
class Tag:
    """A value of a variant."""

    tag: str
    payload: Any


class Map(dict[Any, Any]):
    """A dict that can be in a set: a record, a function, or the copies of a bag."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def plain(value: Any) -> Any:
    """A value of the verifier as one of ours."""
    match value:
        case frozenset():
            return frozenset(map(plain, value))
        case tuple():
            return tuple(map(plain, value))
        case Tagged():
            return Tag(value.tag, plain(value.payload))
        case Mapping():
            return Map((plain(key), plain(item)) for key, item in value.items())
    return value


def values_of(sort: sorts.Sort) -> Iterator[Any]:
    """All values in the documented order; elements of index sets are taken as they are."""
    match sort:
        case sorts.Boolean():
            yield from (False, True)
        case sorts.Range():
            yield from range(sort.low, sort.high + 1)
        case sorts.Enum():
            yield from sort.members
        case sorts.IndexSet():
            yield from sort.values()
        case sorts.Option():
            yield None
            yield from values_of(sort.inner)
        case sorts.Record():
            names = [name for name, _ in sort.fields]
            for choice in product(*(list(values_of(part)) for _, part in sort.fields)):
                yield Map(zip(names, choice, strict=True))
        case sorts.Function():
            keys = list(values_of(sort.domain))
            for choice in product(list(values_of(sort.range)), repeat=len(keys)):
                yield Map(zip(keys, choice, strict=True))
        case sorts.Set() | sorts.Sequence() | sorts.Bag():
            yield from _collections(sort, list(values_of(sort.element)))
        case _:
            yield from _compounds(sort)


def _compounds(sort: sorts.Sort) -> Iterator[Any]:
    match sort:
        case sorts.Tuple():
            yield from product(*(list(values_of(part)) for part in sort.items))
        case sorts.Variant():
            for tag, part in sort.alternatives:
                yield from (Tag(tag, payload) for payload in values_of(part))
        case sorts.Listed():
            yield from map(plain, sort.members)
        case sorts.PartialFunction():
            items = list(values_of(sort.range))
            for domain in _collections(sorts.Set(sort.domain), list(values_of(sort.domain))):
                keys = [key for key in values_of(sort.domain) if key in domain]
                yield from (Map(zip(keys, held, strict=True)) for held in product(items, repeat=len(keys)))
        case _:
            raise TypeError(f"unknown sort {sort}")


def _collections(sort: sorts.Set | sorts.Sequence | sorts.Bag, items: list[Any]) -> Iterator[Any]:
    match sort:
        case sorts.Set():
            for size in range(len(items) + 1):
                yield from map(frozenset, combinations(items, size))
        case sorts.Sequence():
            for length in range(sort.capacity + 1):
                yield from product(items, repeat=length)
        case sorts.Bag():
            for copies in product(range(sort.maximum + 1), repeat=len(items)):
                yield Map((item, n) for item, n in zip(items, copies, strict=True) if n)


def belongs(value: Any, sort: sorts.Sort) -> bool:
    """True if a value is one of a sort of the same kind."""
    match sort:
        case sorts.Range():
            return bool(sort.low <= value <= sort.high)
        case sorts.Option():
            return value is None or belongs(value, sort.inner)
        case sorts.Record():
            return all(belongs(value[name], part) for name, part in sort.fields)
        case sorts.Function():
            return set(value) == set(values_of(sort.domain)) and all(
                belongs(item, sort.range) for item in value.values()
            )
        case sorts.Tuple():
            return all(map(belongs, value, sort.items))
        case sorts.Variant():
            return belongs(value.payload, dict(sort.alternatives)[value.tag])
        case sorts.Listed():
            return value in map(plain, sort.members)
        case sorts.PartialFunction():
            return all(belongs(k, sort.domain) and belongs(v, sort.range) for k, v in value.items())
        case sorts.Set():
            return all(belongs(item, sort.element) for item in value)
        case sorts.Sequence():
            return len(value) <= sort.capacity and all(belongs(item, sort.element) for item in value)
        case sorts.Bag():
            return all(belongs(item, sort.element) and n <= sort.maximum for item, n in value.items())
    return True


def _get(term: Term, value: Any) -> Any:
    if value is None:
        raise Undefined(term)
    return value


def _at(term: Term, sequence: Any, index: int) -> Any:
    if not 0 <= index < len(sequence):
        raise Undefined(term)
    return sequence[index]


def _apply(term: Term, function: Any, key: Any) -> Any:
    if key not in function:
        raise Undefined(term)
    return function[key]


def _function_update(term: Term, function: Any, key: Any, value: Any) -> Any:
    if key not in function:
        raise Undefined(term)
    return Map({**function, key: value})


def _payload(term: Term, variant: Any) -> Any:
    if variant.tag != term.data:
        raise Undefined(term)
    return variant.payload


def _extreme(term: Term, members: Any) -> Any:
    if not members:
        raise Undefined(term)
    return min(members) if term.operator is Operator.MINIMUM_OF else max(members)


def _divide(term: Term, dividend: int, divisor: int) -> tuple[int, int]:
    """The quotient, counted in steps of the divisor, and what remains, which is in ``0..divisor - 1``."""
    if divisor <= 0:
        raise Undefined(term)
    times = 0
    while dividend < 0:
        dividend, times = dividend + divisor, times - 1
    while dividend >= divisor:
        dividend, times = dividend - divisor, times + 1
    return times, dividend


def _between(term: Term, sequence: Any, first: int, end: int) -> Any:
    if first < 0 or end < first or len(sequence) < end:
        raise Undefined(term)
    return tuple(item for place, item in enumerate(sequence) if first <= place < end)


def _sequence_update(term: Term, sequence: Any, index: int, value: Any) -> Any:
    _at(term, sequence, index)
    return tuple(value if place == index else item for place, item in enumerate(sequence))


def _copies(bag: Any, item: Any, change: int) -> Any:
    changed = Map({**bag, item: max(bag.get(item, 0) + change, 0)})
    return Map((key, n) for key, n in changed.items() if n)


_STRICT: dict[Operator, Callable[..., Any]] = {
    Operator.NOT: lambda t, a: not a,
    Operator.EQUAL: lambda t, a, b: a == b,
    Operator.LESS: lambda t, a, b: a < b,
    Operator.LESS_EQUAL: lambda t, a, b: a <= b,
    Operator.ADD: lambda t, a, b: a + b,
    Operator.SUBTRACT: lambda t, a, b: a - b,
    Operator.MULTIPLY: lambda t, a, b: a * b,
    Operator.DIVIDE: lambda t, a, b: _divide(t, a, b)[0],
    Operator.MODULO: lambda t, a, b: _divide(t, a, b)[1],
    Operator.MINIMUM: lambda t, *integers: min(integers),
    Operator.MAXIMUM: lambda t, *integers: max(integers),
    Operator.SOME: lambda t, a: a,
    Operator.IS_NONE: lambda t, a: a is None,
    Operator.GET: _get,
    Operator.RECORD: lambda t, *items: Map(zip((name for name, _ in t.sort.fields), items, strict=True)),
    Operator.FIELD: lambda t, record: record[t.data],
    Operator.RECORD_UPDATE: lambda t, record, value: Map({**record, t.data: value}),
    Operator.APPLY: _apply,
    Operator.FUNCTION_UPDATE: _function_update,
    Operator.TUPLE: lambda t, *items: items,
    Operator.VARIANT: lambda t, payload: Tag(t.data, payload),
    Operator.HAS_TAG: lambda t, variant: variant.tag == t.data,
    Operator.PAYLOAD: _payload,
    Operator.DOMAIN: lambda t, function: frozenset(function),
    Operator.EXTEND: lambda t, function, key, value: Map({**function, key: value}),
    Operator.WITHOUT: lambda t, function, key: Map((k, v) for k, v in function.items() if k != key),
    Operator.SET: lambda t, *items: frozenset(items),
    Operator.CONTAINS: lambda t, members, item: item in members,
    Operator.UNION: lambda t, a, b: a | b,
    Operator.INTERSECTION: lambda t, a, b: a & b,
    Operator.DIFFERENCE: lambda t, a, b: a - b,
    Operator.SUBSET: lambda t, a, b: a <= b,
    Operator.CARDINALITY: lambda t, members: len(members),
    Operator.MINIMUM_OF: _extreme,
    Operator.MAXIMUM_OF: _extreme,
    Operator.SEQUENCE: lambda t, *items: items,
    Operator.LENGTH: lambda t, sequence: len(sequence),
    Operator.AT: _at,
    Operator.APPEND: lambda t, sequence, item: (*sequence, item),
    Operator.TRUNCATE: lambda t, sequence, length: sequence[: max(length, 0)],
    Operator.CONCATENATE: lambda t, a, b: (*a, *b),
    Operator.BETWEEN: _between,
    Operator.REVERSE: lambda t, sequence: sequence[::-1],
    Operator.SEQUENCE_UPDATE: _sequence_update,
    Operator.OCCURS: lambda t, sequence, item: item in sequence,
    Operator.ELEMENTS: lambda t, sequence: frozenset(sequence),
    Operator.SUM: lambda t, sequence: sum(sequence),
    Operator.COPIES: lambda t, bag, item: bag.get(item, 0),
    Operator.BAG_ADD: lambda t, bag, item: _copies(bag, item, 1),
    Operator.BAG_REMOVE: lambda t, bag, item: _copies(bag, item, -1),
}
"""Operators that read all their arguments, by the term and the arguments' values."""


def _choose(term: Term, cases: list[tuple[Any, Any]]) -> Any:
    for value, wanted in cases:
        if wanted:
            return value
    raise Undefined(term)


_COLLECTED: dict[Operator, Callable[[list[tuple[Any, Any]]], Any]] = {
    Operator.IMAGE: lambda pairs: frozenset(value for _, value in pairs),
    Operator.UNION_OF: lambda pairs: frozenset().union(*(value for _, value in pairs)),
    Operator.SUM_OF: lambda pairs: sum(value for _, value in pairs),
    Operator.PARTIAL_FUNCTION: Map,
}
"""Operators that read a body for the values of a variable with a condition, by the pairs of both."""

_BINDING: dict[Operator, Callable[[Term, list[tuple[Any, Any]]], Any]] = {
    Operator.FORALL: lambda t, cases: all(holds for _, holds in cases),
    Operator.EXISTS: lambda t, cases: any(holds for _, holds in cases),
    Operator.COUNT: lambda t, cases: sum(holds for _, holds in cases),
    Operator.FUNCTION: lambda t, cases: Map(cases),
    Operator.COMPREHENSION: lambda t, cases: frozenset(value for value, holds in cases if holds),
    Operator.CHOOSE: _choose,
}
"""Operators that read their last argument for every value of a variable, by the pairs of both."""


class Reader:
    """Turns terms into Python functions of an environment, each term once.

    ``tick`` is called for each value of a bound variable, and may raise to end the work.
    """

    def __init__(self, tick: Callable[[], None] = lambda: None) -> None:
        self._known: dict[Term, Reading] = {}
        self._tick = tick

    def __call__(self, term: Term) -> Reading:
        if term not in self._known:
            self._known[term] = self._read(term)
        return self._known[term]

    def _read(self, term: Term) -> Reading:
        parts = [self(argument) for argument in term.arguments]
        match term.operator:
            case Operator.LITERAL:
                value = plain(term.data)
                return lambda e: value
            case Operator.VARIABLE:
                symbol: Any = term.data
                return lambda e: e[symbol]
            case Operator.AND:
                return lambda e: all(part(e) for part in parts)
            case Operator.OR:
                return lambda e: any(part(e) for part in parts)
            case Operator.IMPLIES:
                return lambda e: not parts[0](e) or parts[1](e)
            case Operator.IF:
                return lambda e: parts[1](e) if parts[0](e) else parts[2](e)
            case Operator.FILTER | Operator.MAP:
                return self._of_elements(term, parts)
            case operator if operator in _COLLECTED:
                collect, (condition, value), bound = _COLLECTED[operator], parts, self._compile_binding(term)
                return lambda e: collect([(key, value(inner)) for key, inner in bound(e) if condition(inner)])
            case operator if operator in _BINDING:
                combine, body = _BINDING[operator], parts[-1]
                bound = self._compile_binding(term)
                return lambda e: combine(term, [(value, body(inner)) for value, inner in bound(e)])
        strict = _STRICT[term.operator]
        if len(parts) == 1:
            return lambda e: strict(term, parts[0](e))
        if len(parts) == 2:
            return lambda e: strict(term, parts[0](e), parts[1](e))
        return lambda e: strict(term, *[part(e) for part in parts])

    def _of_elements(self, term: Term, parts: list[Reading]) -> Reading:
        sequence, body = parts
        symbol: Any = term.binds
        if term.operator is Operator.MAP:
            return lambda e: tuple(body({**e, symbol: item}) for item in sequence(e))
        return lambda e: tuple(item for item in sequence(e) if body({**e, symbol: item}))

    def _compile_binding(self, term: Term) -> Callable[[Environment], Iterator[tuple[Any, Environment]]]:
        assert term.binds is not None
        symbol, values, tick = term.binds, list(values_of(term.binds.sort)), self._tick

        def bind(e: Environment) -> Iterator[tuple[Any, Environment]]:
            for value in values:
                tick()
                yield value, {**e, symbol: value}

        return bind
