"""Comparison of two readings of a protocol at different constants, apart from the values of constants.

Traced numbers notice comparisons, but not a Python loop that unrolls ``range(n)``. An unrolled loop differs
between two readings, and then the protocol has no reading for all constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, zip_longest

from verifier.encodings.concrete import Element
from verifier.encodings.sorts import Bag, Enum, Function, IndexSet, Range, Sequence, Sort, sorts_in
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Polynomial, polynomial_of, polynomial_text
from verifier.specs.definition import Definition, PropertyKind


def require_same(one: Definition, other: Definition, how: str = "at other constants") -> None:
    """Raise NotParametric, with the place, if the definitions differ in more than the constants' values."""
    _require(one, other, how, _describe_traced)


def require_same_values(traced: Definition, plain: Definition) -> None:
    """Raise NotParametric if the definition with traced numbers differs from the plain one at the same
    constants. If they are equal, the protocol's code did not depend on the type of its constants."""
    _require(traced, plain, "where its constants are plain numbers", _plain)


_Number = Callable[[int], str]


def _describe_traced(value: int) -> str:
    return polynomial_text(polynomial_of(value))


def _plain(value: int) -> str:
    return str(int(value))


def _require(one: Definition, other: Definition, how: str, number: _Number) -> None:
    same = _Same(number)
    for first, second in zip_longest(one.variables, other.variables):
        if first is None or second is None or same.symbol(first) != same.symbol(second):
            raise NotParametric(f"the state variables of {one.name} are others {how}")
    for mine, theirs in zip_longest(_terms(one), _terms(other)):
        if mine is None or theirs is None or mine[0] != theirs[0] or not same.terms(mine[1], theirs[1]):
            place = (mine or theirs or ("the protocol",))[0]
            raise NotParametric(
                f"{place} is another formula {how}: it is made by a loop, a list or a choice of "
                "Python over a constant. Write forall(…), exists(…) or count(…) over a sort instead"
            )


def _terms(definition: Definition) -> Iterator[tuple[str, Term]]:
    """Yield all terms that are compared. Undefined reads are left out. The finite reading judges them by
    bounds of sorts, which differ at each choice of constants; the reading for all constants judges each read
    itself."""
    for action in definition.actions:
        for parameter in action.parameters:
            symbol = parameter.symbol
            yield f"action {action.name}", Term(Operator.VARIABLE, symbol.sort, (), symbol)
    kept = (prop for prop in definition.properties if prop.kind is not PropertyKind.UNDEFINED_READ)
    yield from replace(definition, properties=tuple(kept)).terms()


def index_set_counts(definition: Definition) -> list[Polynomial]:
    """Return the sizes of all index sets that are quantified over or that values belong to."""
    sorts: dict[int, Sort] = {id(symbol.sort): symbol.sort for symbol in definition.variables}
    seen = set[int]()
    waiting = [term for _, term in _terms(definition)]
    while waiting:
        term = waiting.pop()
        if id(term) not in seen:
            seen.add(id(term))
            sorts[id(term.sort)] = term.sort
            if term.binds is not None:
                sorts[id(term.binds.sort)] = term.binds.sort
            waiting += term.arguments
    parts = chain.from_iterable(map(sorts_in, sorts.values()))
    return [polynomial_of(part.count) for part in parts if isinstance(part, IndexSet)]


class _Same:
    """Compares terms; equal pairs are remembered. Both definitions live as long as it does."""

    def __init__(self, number: _Number) -> None:
        self._number = number
        """Returns the part of an integer that is compared."""
        self._known: set[tuple[int, int]] = set()

    def terms(self, one: Term, other: Term) -> bool:
        """True if two terms are the same, up to the values of constants."""
        if (id(one), id(other)) in self._known:
            return True
        self._known.add((id(one), id(other)))
        if one.operator is not other.operator or len(one.arguments) != len(other.arguments):
            return False
        if self._read(one) != self._read(other):
            return False
        return all(map(self.terms, one.arguments, other.arguments))

    def symbol(self, symbol: Symbol) -> tuple[str, str]:
        """Return the parts of a variable that are compared."""
        return symbol.name, self._sort(symbol.sort)

    def _read(self, term: Term) -> tuple[object, ...]:
        """Return the data of a term, besides its arguments, that the parametric reading uses."""
        bound = self._sort(term.binds.sort) if term.binds is not None else ""
        domains = tuple(self._sort(part.domain) for part in sorts_in(term.sort) if isinstance(part, Function))
        if isinstance(term.data, Symbol):
            return (*self.symbol(term.data), bound, domains)
        if term.operator is Operator.LITERAL and isinstance(term.sort, Range):
            return (self._number(term.data), bound, domains)  # type: ignore[arg-type]
        if isinstance(term.data, Element):
            return (term.data.name, bound, domains)
        return (term.data, bound, domains)

    def _sort(self, sort: Sort) -> str:
        """Return a sort as text, with constants by their names."""
        number, parts = self._number, ", ".join(map(self._sort, sort.parts()))
        match sort:
            case Range():
                return f"{number(sort.low)}..{number(sort.high)}"
            case IndexSet():
                return f"{sort.name}({number(sort.count)})"
            case Sequence():
                return f"Sequence({parts}, {number(sort.capacity)})"
            case Bag():
                return f"Bag({parts}, {number(sort.maximum)})"
            case Enum():
                return f"Enum({sort.name}, {sort.members})"
        names = getattr(sort, "field_sorts", None) or getattr(sort, "payloads", None) or ()
        own = "" if parts else str(sort)
        return f"{type(sort).__name__}[{' '.join(names)}]({parts}{own})"
