"""Whether two readings of a protocol, at different constants, are the same where constants do not show.

Traced numbers see comparisons, but not a Python loop that unrolls ``range(n)``. What is unrolled differs
between two readings, and then the protocol has no reading for all constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from verifier.encodings.concrete import Element
from verifier.encodings.sorts import Bag, Enum, Function, IndexSet, Range, Sequence, Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.parametric.errors import NotParametric
from verifier.parametric.traced import Polynomial, polynomial_of, polynomial_text
from verifier.specs.definition import Definition


def require_same(one: Definition, other: Definition) -> None:
    """Raises NotParametric, with the place, if the definitions differ in more than the constants' values."""
    for first, second in zip_longest(one.variables, other.variables):
        if first is None or second is None or _variable(first) != _variable(second):
            raise NotParametric(f"the state variables of {one.name} are others at other constants")
    for mine, theirs in zip_longest(_terms(one), _terms(other)):
        if mine is None or theirs is None or mine[0] != theirs[0] or not _Same().terms(mine[1], theirs[1]):
            place = (mine or theirs or ("the protocol",))[0]
            raise NotParametric(
                f"{place} is another formula at other constants: it is made by a loop, a list or a choice of "
                "Python over a constant. Write forall(…), exists(…) or count(…) over a sort instead"
            )


def _variable(symbol: Symbol) -> tuple[str, str]:
    return symbol.name, _sort(symbol.sort)


def _terms(definition: Definition) -> Iterator[tuple[str, Term]]:
    for action in definition.actions:
        for parameter in action.parameters:
            symbol = parameter.symbol
            yield f"action {action.name}", Term(Operator.VARIABLE, symbol.sort, (), symbol)
    yield from definition.terms()


class _Same:
    """Compares terms; what was found the same is not looked at again."""

    def __init__(self) -> None:
        self._known: set[tuple[int, int]] = set()

    def terms(self, one: Term, other: Term) -> bool:
        """Whether two terms are the same, up to the values of constants."""
        if (id(one), id(other)) in self._known:
            return True
        self._known.add((id(one), id(other)))
        if one.operator is not other.operator or len(one.arguments) != len(other.arguments):
            return False
        if _read(one) != _read(other):
            return False
        return all(map(self.terms, one.arguments, other.arguments))


def _read(term: Term) -> tuple[object, ...]:
    """What the parametric reading uses of a term beside its parts."""
    bound = _sort(term.binds.sort) if term.binds is not None else ""
    domains = tuple(_sort(part.domain) for part in _functions(term.sort))
    if isinstance(term.data, Symbol):
        return (term.data.name, _sort(term.data.sort), bound, domains)
    if term.operator is Operator.LITERAL and isinstance(term.sort, Range):
        exact = term.sort.low if int(term.sort.low) == int(term.sort.high) else int(term.data)  # type: ignore[call-overload]
        return (_polynomial(polynomial_of(exact)), bound, domains)
    if isinstance(term.data, Element):
        return (term.data.name, bound, domains)
    return (term.data, bound, domains)


def _functions(sort: Sort) -> Iterator[Function]:
    if isinstance(sort, Function):
        yield sort
    for part in sort.parts():
        yield from _functions(part)


def _sort(sort: Sort) -> str:
    """A sort as text, with constants by their names."""
    parts = ", ".join(map(_sort, sort.parts()))
    match sort:
        case Range():
            return f"{_number(sort.low)}..{_number(sort.high)}"
        case IndexSet():
            return f"{sort.name}({_number(sort.count)})"
        case Sequence():
            return f"Sequence({parts}, {_number(sort.capacity)})"
        case Bag():
            return f"Bag({parts}, {_number(sort.maximum)})"
        case Enum():
            return f"Enum({sort.name}, {sort.members})"
    names = getattr(sort, "field_sorts", None) or getattr(sort, "payloads", None) or ()
    own = "" if parts else str(sort)
    return f"{type(sort).__name__}[{' '.join(names)}]({parts}{own})"


def _number(value: int) -> str:
    return _polynomial(polynomial_of(value))


def _polynomial(polynomial: Polynomial) -> str:
    return polynomial_text(polynomial)
