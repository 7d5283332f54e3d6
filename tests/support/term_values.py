"""A quick reading of terms in one state: the plain one, but it enumerates guards instead of sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.plain_terms import Environment, Map, Reader, Reading, Tag, Undefined, plain, values_of
from verifier.encodings.readings import first_question
from verifier.encodings.sorts import Set, Sort
from verifier.encodings.terms import Operator, Symbol, Term

_MOST_LISTED = 20_000
"""Sorts with more values are never listed."""
_MOST_SUBSETS = 12


class TooMany(Exception):
    """Raised for a sort with too many values to enumerate."""


class QuickReader(Reader):
    """A reader that identifies each term by its identity. A guard says which values of a bound variable
    count."""

    def __init__(self, tick: Callable[[], None] = lambda: None) -> None:
        super().__init__(tick)
        self._made: dict[int, tuple[Term, Reading]] = {}
        self._listed: dict[int, tuple[Sort, dict[Any, int]]] = {}

    def __call__(self, term: Term) -> Reading:
        found = self._made.get(id(term))
        if found is None:  # the entry keeps the term alive, so no other term gets its id
            found = self._made[id(term)] = term, self._read(term)
        return found[1]

    def _values(self, sort: Sort) -> dict[Any, int]:
        """The values of a sort, each with its place."""
        found = self._listed.get(id(sort))
        if found is None:
            if sort.size > _MOST_LISTED:
                raise TooMany
            places = {value: place for place, value in enumerate(values_of(sort))}
            found = self._listed[id(sort)] = sort, places
        return found[1]

    def _compile_binding(self, term: Term) -> Callable[[Environment], Iterator[tuple[Any, Environment]]]:
        symbol, guard = term.binds, _guard(term)
        assert symbol is not None
        if guard is None:
            return lambda e: ((value, {**e, symbol: value}) for value in self._values(symbol.sort))
        of = self(guard.arguments[guard.operator is Operator.SUBSET])

        def bind(e: Environment) -> Iterator[tuple[Any, Environment]]:
            for value in self._within(guard, symbol.sort, of(e), ordered=term.operator is Operator.CHOOSE):
                yield value, {**e, symbol: value}

        return bind

    def _within(self, guard: Term, sort: Sort, of: Any, *, ordered: bool) -> Iterable[Any]:
        """The values of a sort for which a guard is true."""
        if guard.operator is Operator.EQUAL:
            return [of]
        contains, own = guard.operator is Operator.CONTAINS, guard.arguments[0].sort
        inside = of if contains else _subsets(of)
        held = own.element if contains and isinstance(own, Set) else own
        if held == sort and not ordered:
            return inside
        places = self._values(sort)
        found = (value for value in inside if value in places)
        return sorted(found, key=places.__getitem__) if ordered else found


def _subsets(of: frozenset[Any]) -> Iterable[frozenset[Any]]:
    if len(of) > _MOST_SUBSETS:
        raise TooMany
    return (frozenset(some) for size in range(len(of) + 1) for some in combinations(of, size))


def _guard(term: Term) -> Term | None:
    """Return the first condition on the bound variable, if a value counts only where it is true. It must give
    the set that contains the value, or has it as a subset, or an equal value."""
    question = first_question(term)
    if question is None or question.operator not in (Operator.CONTAINS, Operator.SUBSET, Operator.EQUAL):
        return None
    asked, other = question.arguments[:: -1 if question.operator is Operator.CONTAINS else 1]
    if asked.data is not term.binds or asked.operator is not Operator.VARIABLE or term.binds in other.free:
        return None
    if question.operator is Operator.EQUAL and other.sort != asked.sort:
        return None
    return question


def concrete(value: Any) -> Concrete:
    """A value of the plain reading as one of a sort."""
    match value:
        case Tag():
            return Tagged(value.tag, concrete(value.payload))
        case Map():
            return FrozenMap((concrete(key), concrete(item)) for key, item in value.items())
        case frozenset():
            return frozenset(map(concrete, value))
        case tuple():
            return tuple(map(concrete, value))
    return value  # type: ignore[no-any-return]


def value_of(term: Term, state: Mapping[Symbol, Concrete], reader: QuickReader) -> Concrete | None:
    """The value of a term; None if it has none. Raises TooMany if sorts are too large."""
    try:
        return concrete(reader(term)({symbol: plain(value) for symbol, value in state.items()}))
    except Undefined:
        return None


__all__ = ["QuickReader", "TooMany", "value_of"]
