"""How many values satisfy something, as a number of which only some facts are known.

A count is a function symbol of the variables that are free in its formula. What is said of it here is true of
finite sets, and each set of the protocol is finite: so at all constants the true number is one choice of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Boolean, Enum, IndexSet, Range, Record, Set, Sort, Tuple
from verifier.encodings.terms import Operator, Term
from verifier.parametric.errors import NotParametric
from verifier.parametric.logic import INT, Logic, Node

if TYPE_CHECKING:
    from verifier.parametric.reading import Reader, Scope


@dataclass(frozen=True)
class Counting:
    """What a function symbol counts."""

    outside: tuple[Node, ...]
    """Its arguments."""
    variables: tuple[Node, ...]
    """The value that is counted or not."""
    within: Node
    """The value is one of its sort."""
    inside: Node
    """The value is counted."""
    size: Node | None
    """How many values the sort has, if that is known."""


def counted(reader: Reader, term: Term, scope: Scope) -> Node:
    """The number as a new symbol."""
    logic, (argument,) = reader.logic, term.arguments
    if term.operator is Operator.COUNT:
        assert term.binds is not None
        sort, holds = term.binds.sort, reader.body(term, scope, argument)
    else:
        assert isinstance(argument.sort, Set)
        sort, holds = argument.sort.element, reader.part(argument, scope).contains
    if not _has_one_form(sort):
        raise NotParametric(f"values of {sort} are counted, which has no parametric reading")
    one = reader.values.quantified(sort)
    inside = logic.conj((one.within, holds(one.value)))
    outside = tuple(sorted(inside.free - set(one.variables), key=lambda node: node.data))
    name = reader.symbol("count", inside, (*outside, *one.variables), lambda _: (), INT)
    size = _size(reader, sort)
    reader.definitions.counts.setdefault(name, Counting(outside, one.variables, one.within, inside, size))
    return logic.app(name, INT, outside)


def _has_one_form(sort: Sort) -> bool:
    """Whether different nodes are different values."""
    match sort:
        case Boolean() | Range() | Enum() | IndexSet():
            return True
        case Record() | Tuple():
            return all(map(_has_one_form, sort.parts()))
    return False


def _size(reader: Reader, sort: Sort) -> Node | None:
    logic, values = reader.logic, reader.values
    match sort:
        case IndexSet():
            return values.number(sort.count)
        case Range():
            zero, more = logic.integer(0), logic.plus(values.number(sort.high), logic.integer(1))
            size = logic.minus(more, values.number(sort.low))
            return logic.ite(logic.less_equal(zero, size), size, zero)
    return None


def facts_of_one(logic: Logic, counting: Counting, number: Node) -> Iterator[Node]:
    """What is known of one count, which is the symbol applied to terms."""
    inside, within = _at(logic, counting, number)
    zero, one = logic.integer(0), logic.integer(1)
    variables = counting.variables
    yield logic.less_equal(zero, number)
    yield logic.forall(variables, logic.implies(inside, logic.less_equal(one, number)))
    yield logic.disj((logic.exists(variables, inside), logic.less_equal(number, zero)))
    if counting.size is not None:
        size, outside = counting.size, logic.conj((within, logic.neg(inside)))
        fewer = logic.less_equal(logic.plus(number, one), size)
        yield logic.less_equal(number, size)
        yield logic.forall(variables, logic.implies(outside, fewer))
        yield logic.disj((logic.exists(variables, outside), logic.equal(number, size)))


def facts_of_two(
    logic: Logic, counting: tuple[Counting, Counting], numbers: tuple[Node, Node]
) -> Iterator[Node]:
    """What is known of the first of two counts of values of one sort, compared with the second: it is at most
    as great if nothing more is counted, smaller if something less is, and greater by one at most if one value
    more is."""
    one, other = numbers
    variables = counting[0].variables
    inside, _ = _at(logic, counting[0], one)
    there, _ = _at(logic, counting[1], other)
    there = logic.substituted(there, dict(zip(counting[1].variables, variables, strict=True)))
    more, less = logic.conj((inside, logic.neg(there))), logic.conj((there, logic.neg(inside)))
    is_more, is_less = logic.exists(variables, more), logic.exists(variables, less)
    also = tuple(logic.variable(v.sort) for v in variables)
    again = logic.substituted(more, dict(zip(variables, also, strict=True)))
    differ = logic.neg(logic.conj(logic.equal(a, b) for a, b in zip(variables, also, strict=True)))
    two_more = logic.exists((*variables, *also), logic.conj((more, again, differ)))
    next_one, next_other = (logic.plus(number, logic.integer(1)) for number in numbers)
    yield logic.disj((is_more, logic.less_equal(one, other)))
    yield logic.disj((is_more, logic.neg(is_less), logic.less_equal(next_one, other)))
    yield logic.disj((two_more, logic.less_equal(one, next_other)))


def are_comparable(one: Counting, other: Counting) -> bool:
    """Whether values of one sort are counted, as far as nodes tell."""
    return [v.sort for v in one.variables] == [v.sort for v in other.variables]


def _at(logic: Logic, counting: Counting, number: Node) -> tuple[Node, Node]:
    """What is counted, and what could be, where the symbol is applied to these terms."""
    values = dict(zip(counting.outside, number.args, strict=True))
    return logic.substituted(counting.inside, values), logic.substituted(counting.within, values)
