"""Counts of values that satisfy a formula, as numbers with partial axioms.

A count is a function symbol of the free variables of its formula. The axioms are true of finite sets, and
each set of the protocol is finite. So at all constants the true count satisfies them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node


@dataclass(frozen=True)
class Counting:
    """The formula that a function symbol counts."""

    outside: tuple[Node, ...]
    """The arguments of the symbol."""
    variables: tuple[Node, ...]
    """The variables of the value that may be counted."""
    within: Node
    """The formula that the value belongs to its sort."""
    inside: Node
    """The formula that the value is counted."""
    size: Node | None
    """The number of values of the sort, if it is known."""


def bounds(logic: Logic, counting: Counting, number: Node) -> Iterator[Node]:
    """Yield the axioms about one count, which is the symbol applied to terms."""
    inside, within = _at(logic, counting, number)
    one = logic.integer(1)
    yield logic.less_equal(logic.integer(0), number)
    yield logic.forall(counting.variables, logic.implies(inside, logic.less_equal(one, number)))
    if counting.size is not None:
        outside = logic.conj((within, logic.neg(inside)))
        fewer = logic.less_equal(logic.plus(number, one), counting.size)
        yield logic.less_equal(number, counting.size)
        yield logic.forall(counting.variables, logic.implies(outside, fewer))


def extremes(logic: Logic, counting: Counting, number: Node) -> Iterator[Node]:
    """Yield the facts that a count is 0 if nothing is counted, and the size of the sort if everything is."""
    inside, within = _at(logic, counting, number)
    yield some(logic, counting, number)
    if counting.size is not None:
        others = logic.exists(counting.variables, logic.conj((within, logic.neg(inside))))
        yield logic.disj((others, logic.equal(number, counting.size)))


def some(logic: Logic, counting: Counting, number: Node) -> Node:
    """Return the formula that a count is 0 if nothing is counted."""
    inside, _ = _at(logic, counting, number)
    return logic.disj((logic.exists(counting.variables, inside), logic.less_equal(number, logic.integer(0))))


def difference(logic: Logic, counting: tuple[Counting, Counting], numbers: tuple[Node, Node]) -> Node:
    """Return the axiom that compares two counts of values of one sort. It names two values. If the first
    value is not counted by the first count alone, the first count is at most the second. It is smaller if,
    besides, some value is counted by the second alone. It is greater by one at most unless both values differ
    and are counted by the first alone. If the first alone counts one value, it is the first value; if it
    counts several, both are among them."""
    one, other = numbers
    inside, _ = _at(logic, counting[0], one)
    there, _ = _at(logic, counting[1], other)
    variables = counting[0].variables
    there = logic.substitute(there, dict(zip(counting[1].variables, variables, strict=True)))
    more, less = logic.conj((inside, logic.neg(there))), logic.conj((there, logic.neg(inside)))
    pair = [tuple(logic.variable(v.sort) for v in variables) for _ in range(2)]
    first, second = (logic.substitute(more, dict(zip(variables, v, strict=True))) for v in pair)
    differ = logic.neg(logic.conj(logic.equal(a, b) for a, b in zip(*pair, strict=True)))
    next_one, next_other = (logic.plus(number, logic.integer(1)) for number in numbers)
    smaller = logic.disj((first, logic.neg(less), logic.less_equal(next_one, other)))
    said = (
        logic.disj((first, logic.less_equal(one, other))),
        logic.forall(variables, smaller),
        logic.disj((logic.conj((first, second, differ)), logic.less_equal(one, next_other))),
    )
    return logic.exists((*pair[0], *pair[1]), logic.conj(said))


def common(logic: Logic, counting: Sequence[Counting], numbers: Sequence[Node]) -> Iterator[Node]:
    """Yield the fact that two counts share a value if their sum is greater than a third count or the size of
    an index set. With a third count, one of them may instead count a value that the third does not."""
    variables, parts = counting[0].variables, []
    for one, number in zip(counting, numbers, strict=True):
        inside, _ = _at(logic, one, number)
        parts.append(logic.substitute(inside, dict(zip(one.variables, variables, strict=True))))
    both = logic.plus(numbers[0], numbers[1])
    if len(numbers) == 2:
        if counting[0].size is not None and all(variable.sort != INT for variable in variables):
            shared = logic.exists(variables, logic.conj(parts))
            yield logic.disj((shared, logic.less_equal(both, counting[0].size)))
        return
    first, second, whole = parts
    said = (
        logic.conj((first, second)),
        logic.conj((first, logic.neg(whole))),
        logic.conj((second, logic.neg(whole))),
    )
    fits = logic.less_equal(both, numbers[2])
    yield logic.disj((*(logic.exists(variables, one) for one in said), fits))


def are_comparable(one: Counting, other: Counting) -> bool:
    """True if both count values of one sort, as far as nodes show."""
    return [v.sort for v in one.variables] == [v.sort for v in other.variables]


def _at(logic: Logic, counting: Counting, number: Node) -> tuple[Node, Node]:
    """Return the formulas of counted and countable values where the symbol is applied to these terms."""
    values = dict(zip(counting.outside, number.args, strict=True))
    return logic.substitute(counting.inside, values), logic.substitute(counting.within, values)
