"""Keys by which a lowering finds the form of a term again: its shape, and the values of what it reads.

The lowered form of a term follows from its shape (``alike_terms``), from which state variables it reads,
since a lowering gives these one meaning, and from the values of what it reads of all other variables. So
these three are the key, and nothing else that is bound around the term matters. What is known lives as long
as the lowering.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.alike_terms import Read, Shapes, part_of_variable
from verifier.encodings.bits import FALSE, TRUE, disjunction
from verifier.encodings.cases import cases
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import Lowered, holds, is_total
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term

Bindings = Mapping[Symbol, Concrete]
"""The concrete values of bound variables and expanded parameters."""


class Results:
    """The results for similar terms, by the values of the bound variables that they read."""

    __slots__ = ("defined", "lowered", "possible")

    def __init__(self) -> None:
        self.lowered: dict[Hashable, Any] = {}
        self.possible: dict[Hashable, list[tuple[Concrete, FNode]]] = {}
        """The cases of the lowered form."""
        self.defined: dict[Hashable, FNode] = {}
        """The formula that all that the term reads has a value."""


class Reading:
    """One term as a lowering reads it."""

    __slots__ = ("constants", "guard", "key", "results", "term")

    def __init__(
        self, term: Term, key: Callable[[Bindings], Hashable], results: Results, variables: Container[Symbol]
    ) -> None:
        self.term = term
        self.key = key
        self.results = results
        self.constants = _late_constants(term, variables)
        """Arguments without state variables that come after one with: what they are is quickly known."""
        self.guard = _guard(term)
        """The set outside of which the values of the bound variable count for nothing."""


class Memory(ABC):
    """The memory of a lowering, for one meaning of the ``variables``. It keeps the terms alive.

    An ``outer`` memory gives some of the variables the same meaning. It knows the terms that read no others.
    """

    def __init__(self, variables: Container[Symbol], outer: Memory | None) -> None:
        self._fixed = variables
        self._outer = outer
        self._shapes: Shapes = Shapes() if outer is None else outer._shapes
        self._results: dict[Hashable, Results] = {}
        self._readings: dict[int, Reading] = {}
        self._candidates: dict[tuple[int, int], tuple[Lowered, Sort, tuple[Concrete, ...]]] = {}

    @abstractmethod
    def lower(self, term: Term, bindings: Bindings) -> Any:
        """The lowered form of a term."""

    def formula(self, term: Term, bindings: Bindings | None = None) -> FNode:
        """The formula of a boolean term. It is false where the term has no value."""
        return holds(self.lower(term, bindings or {}))

    def reading(self, term: Term) -> Reading:
        """The reading of a term: the same object for the same term."""
        reading = self._readings.get(id(term))
        if reading is None:  # the reading keeps the term alive, so no other term gets its id
            reading = self._readings[id(term)] = self._new_reading(term)
        return reading

    def _new_reading(self, term: Term) -> Reading:
        fixed, outer = self._fixed, self._outer
        if outer is not None and all(s in outer._fixed for s in term.free if s in fixed):
            return outer.reading(term)
        reads = self._shapes.of(term).reads
        state = tuple((place, read) for place, read in enumerate(reads) if read[0] in fixed)
        bound = [read for read in reads if read[0] not in fixed]
        results = self._results.setdefault((self._shapes.of(term).number, state), Results())
        return Reading(term, _key(bound), results, fixed)

    def possible(self, term: Term, bindings: Bindings) -> list[tuple[Concrete, FNode]]:
        """Return every value that the term may have, with its condition."""
        reading = self.reading(term)
        key = reading.key(bindings)
        result = reading.results.possible.get(key)
        if result is None:
            by_value = cases(term.sort, self.lower(term, bindings))
            result = reading.results.possible[key] = by_value
        return result

    def keys_within(
        self, term: Term, bindings: Bindings, domain: Iterable[Concrete]
    ) -> tuple[list[tuple[Concrete, FNode]], FNode]:
        """The keys of the domain that a term may equal, and whether it equals one of them."""
        possible = self.possible(term, bindings)
        within = [(value, when) for value, when in possible if value in domain]
        if len(within) == len(possible) and is_total(self.lower(term, bindings)):
            return within, TRUE
        return within, disjunction(when for _, when in within)

    def candidates(self, term: Term, bindings: Bindings) -> Iterable[Concrete]:
        """The values of the bound variable that count, in order. The others change nothing."""
        assert term.binds is not None
        sort, guard = term.binds.sort, self.reading(term).guard
        if guard is None:
            return sort.each()
        members = self.lower(guard, bindings)
        known = self._candidates.get((id(members), id(sort)))
        if known is None:  # the entry keeps both alive
            inside = (value for value in sort.each() if value in members)
            values = tuple(value for value in inside if holds(members[value]) is not FALSE)
            known = self._candidates[id(members), id(sort)] = (members, sort, values)
        return known[2]


def _key(reads: list[Read]) -> Callable[[Bindings], Hashable]:
    """The values of what is read, of one bound variable after the other."""
    if not reads:
        return lambda _: None
    if not any(path for _, path in reads):
        return itemgetter(*(symbol for symbol, _ in reads))
    steps = [(symbol, path[0] if path else None, path[1:]) for symbol, path in reads]
    deeper = [path for _, _, path in steps]
    shallow = not any(deeper)  # most are

    def key(bindings: Mapping[Symbol, Any]) -> Hashable:
        values = [bindings[s] if name is None else bindings[s][name] for s, name, _ in steps]
        return tuple(values) if shallow else tuple(map(_part, values, deeper))

    return key


def _part(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def _late_constants(term: Term, variables: Container[Symbol]) -> tuple[Term, ...]:
    if term.operator not in (Operator.AND, Operator.OR, Operator.IMPLIES):
        return ()
    constant = [not any(symbol in variables for symbol in argument.free) for argument in term.arguments]
    if all(constant):
        return ()
    first = constant.index(False)
    pairs = zip(term.arguments[first:], constant[first:], strict=True)
    return tuple(argument for argument, is_constant in pairs if is_constant)


_CONDITION: Mapping[Operator, int] = {
    Operator.EXISTS: 0,
    Operator.COUNT: 0,
    Operator.COMPREHENSION: 0,
    Operator.CHOOSE: 0,
    Operator.IMAGE: 0,
    Operator.UNION_OF: 0,
    Operator.SUM_OF: 0,
    Operator.FILTER: 1,
}
"""Of operators that ignore a value of the bound variable for which an argument is false, that argument."""


def first_question(term: Term) -> Term | None:
    """The first question about a value of the bound variable, if a value for which it is false counts for
    nothing: for that value the condition is false, or for the universal quantifier the body is true."""
    if term.operator in _CONDITION:
        question = term.arguments[_CONDITION[term.operator]]
    elif term.operator is Operator.FORALL and term.arguments[0].operator is Operator.IMPLIES:
        question = term.arguments[0].arguments[0]
    else:
        return None
    while question.operator is Operator.AND and question.arguments:
        question = question.arguments[0]
    return question


def _guard(term: Term) -> Term | None:
    """The set of which is asked first whether the bound variable is in it, if other values count for
    nothing."""
    question = first_question(term)
    if question is not None and question.operator is Operator.CONTAINS:
        elements, item = question.arguments
        if part_of_variable(item) == (term.binds, ()) and term.binds not in elements.free:
            return elements
    return None
