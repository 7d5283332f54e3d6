"""Variables, literals and connectives, read as values of first-order logic."""

from __future__ import annotations

from verifier.encodings.sorts import Boolean, Option, Sort
from verifier.encodings.terms import Symbol, Term
from verifier.parametric.counted import compare_count
from verifier.parametric.first_order_values import Value
from verifier.parametric.nodes import Node
from verifier.parametric.term_reader import Reader, Scope


def literal(reader: Reader, term: Term, scope: Scope) -> Value:
    return reader.values.literal(term.sort, term.data)


def variable(reader: Reader, term: Term, scope: Scope) -> Value:
    assert isinstance(term.data, Symbol)
    return scope.values[term.data]


def negation(reader: Reader, term: Term, scope: Scope) -> Node:
    return reader.logic.neg(reader.truth(term.arguments[0], scope.turn(-1)))


def conjunction(reader: Reader, term: Term, scope: Scope) -> Node:
    return reader.logic.conj(reader.truth(part, scope) for part in term.arguments)


def disjunction(reader: Reader, term: Term, scope: Scope) -> Node:
    return reader.logic.disj(reader.truth(part, scope) for part in term.arguments)


def implication(reader: Reader, term: Term, scope: Scope) -> Node:
    one, other = term.arguments
    return reader.logic.implies(reader.truth(one, scope.turn(-1)), reader.truth(other, scope))


def equation(reader: Reader, term: Term, scope: Scope) -> Node:
    small = compare_count(reader, term, scope)
    if small is not None:
        return small
    one, other = term.arguments
    sort = _wider(one.sort, other.sort)
    return reader.values.equal(sort, reader.part(one, scope), reader.part(other, scope))


def conditional(reader: Reader, term: Term, scope: Scope) -> Value:
    condition, then, otherwise = term.arguments
    inner = scope if isinstance(term.sort, Boolean) else scope.turn(0)
    decides = reader.remove_quantifiers(reader.part(condition, scope))
    chosen: Value = reader.values.choice(decides, reader.read(then, inner), reader.read(otherwise, inner))
    return reader.short(chosen)


def _wider(one: Sort, other: Sort) -> Sort:
    """Return the sort of the two whose structure fits both: they differ only in bounds."""
    return other if isinstance(one, Option) and not isinstance(other, Option) else one
