"""How many values satisfy something. Compared with a small number it says that so many differ, or not one
more; else it is an integer of which is said what holds of all finite sets (``sizes``)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Range, Set, Sort
from verifier.encodings.terms import Operator, Term
from verifier.parametric import sizes
from verifier.parametric.logic import INT, Node
from verifier.parametric.shapes import Value
from verifier.parametric.traced import Traced

if TYPE_CHECKING:
    from verifier.parametric.reading import Reader, Scope

_COUNTS = (Operator.COUNT, Operator.CARDINALITY)
_MOST = 3
"""A formula says of so many values, and one more, that they differ."""


def compared(reader: Reader, term: Term, scope: Scope) -> Node | None:
    """The comparison of a count with a small number as a formula; None if the term is no such comparison."""
    one, other = term.arguments
    logic = reader.logic
    if one.operator in _COUNTS and (number := _small(other)) is not None:
        match term.operator:
            case Operator.LESS:
                return logic.neg(at_least(reader, one, scope, number))
            case Operator.LESS_EQUAL:
                return logic.neg(at_least(reader, one, scope, number + 1))
        return _exactly(reader, one, scope, number)
    if other.operator in _COUNTS and (number := _small(one)) is not None:
        match term.operator:
            case Operator.LESS:
                return at_least(reader, other, scope, number + 1)
            case Operator.LESS_EQUAL:
                return at_least(reader, other, scope, number)
        return _exactly(reader, other, scope, number)
    return None


def _small(term: Term) -> int | None:
    """The number that a term is, if it is a small one that depends on no constant."""
    if term.operator is not Operator.LITERAL or not isinstance(term.sort, Range):
        return None
    low = term.sort.low
    fixed = not isinstance(low, Traced) and low == term.sort.high and abs(low) <= _MOST
    return low if fixed else None


def _exactly(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    more = at_least(reader, counted, scope, number + 1)
    return reader.logic.conj((at_least(reader, counted, scope, number), reader.logic.neg(more)))


def at_least(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    """So many different values are counted."""
    logic, values = reader.logic, reader.values
    sort, holds = _condition(reader, counted, scope)
    ones = [values.quantified(sort) for _ in range(max(0, number))]
    differ = (logic.neg(values.equal(sort, a.value, b.value)) for a, b in combinations(ones, 2))
    inside = (logic.conj((one.within, holds(one.value))) for one in ones)
    variables = [variable for one in ones for variable in one.variables]
    return logic.exists(variables, logic.conj((*inside, *differ)))


def size(reader: Reader, counted: Term, scope: Scope) -> Node:
    """How many values are counted."""
    logic = reader.logic
    sort, holds = _condition(reader, counted, scope)
    one = reader.values.quantified(sort)
    inside = reader.unquantified(logic.conj((one.within, holds(one.value))))
    said, outside = sizes.abstracted(logic, inside, one.variables)
    made = sizes.Size(tuple(outside), one.variables, said)
    variables = (*made.elements, *made.variables)
    name = reader.symbol("size", said, variables, lambda _: (), INT)
    reader.definitions.sizes.setdefault(name, made)
    return logic.app(name, INT, tuple(outside.values()))


def _condition(reader: Reader, counted: Term, scope: Scope) -> tuple[Sort, Callable[[Value], Node]]:
    """What is counted, and when a value is."""
    (argument,) = counted.arguments
    if counted.operator is Operator.COUNT:
        assert counted.binds is not None
        return counted.binds.sort, reader.body(counted, scope, argument)
    assert isinstance(argument.sort, Set)
    return argument.sort.element, reader.part(argument, scope).contains
