"""Comparisons of a count with a small number: this number of different values, or not one more."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Range, Set
from verifier.encodings.terms import Operator, Term
from verifier.parametric.logic import Node
from verifier.parametric.traced import Traced

if TYPE_CHECKING:
    from verifier.parametric.first_order_terms import Reader, Scope

_COUNTS = (Operator.COUNT, Operator.CARDINALITY)
_MOST = 3
"""The largest number for which a formula lists different values."""


def compare_count(reader: Reader, term: Term, scope: Scope) -> Node | None:
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
    """Return the number of a term, if it is small and depends on no constant."""
    if term.operator is not Operator.LITERAL or not isinstance(term.sort, Range):
        return None
    low = term.sort.low
    fixed = not isinstance(low, Traced) and low == term.sort.high and abs(low) <= _MOST
    return low if fixed else None


def _exactly(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    more = at_least(reader, counted, scope, number + 1)
    return reader.logic.conj((at_least(reader, counted, scope, number), reader.logic.neg(more)))


def at_least(reader: Reader, counted: Term, scope: Scope, number: int) -> Node:
    """Return the formula that this number of different values is counted."""
    logic, values = reader.logic, reader.values
    (argument,) = counted.arguments
    if counted.operator is Operator.COUNT:
        assert counted.binds is not None
        sort, holds = counted.binds.sort, reader.body(counted, scope, argument)
    else:
        assert isinstance(argument.sort, Set)
        sort, holds = argument.sort.element, reader.part(argument, scope).contains
    ones = [values.quantify(sort) for _ in range(max(0, number))]
    differ = (logic.neg(values.equal(sort, a.value, b.value)) for a, b in combinations(ones, 2))
    inside = (logic.conj((one.within, holds(one.value))) for one in ones)
    variables = [variable for one in ones for variable in one.variables]
    said = logic.exists(variables, logic.conj((*inside, *differ)))
    return said if scope.weak.isdisjoint(counted.free) else reader.remove_quantifiers(said)
