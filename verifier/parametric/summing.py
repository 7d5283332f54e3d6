"""Sums of integers over the values that satisfy a formula, as numbers with partial axioms.

A sum is a function symbol of the free variables of its summand, which is 0 for values that are not summed.
Each set of the protocol is finite, and the axioms are true of finite sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from verifier.encodings.terms import Term
from verifier.parametric.arguments import abstract_parameters
from verifier.parametric.counted import has_one_form
from verifier.parametric.errors import NotParametric
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node, walk
from verifier.parametric.term_reader import Reader, Scope, Summing


def sum_values(reader: Reader, term: Term, scope: Scope) -> Node:
    """Return the sum as a new symbol."""
    logic, (condition, body) = reader.logic, term.arguments
    assert term.binds is not None
    if not has_one_form(term.binds.sort):
        raise NotParametric(f"a sum over values of {term.binds.sort}, which has no parametric reading")
    one = reader.values.quantify(term.binds.sort)
    inside = logic.conj((one.within, reader.body(term, scope, condition)(one.value)))
    value = reader.body(term, scope, body)(one.value)
    summand = logic.ite(reader.remove_quantifiers(inside), value, logic.integer(0))
    abstracted = abstract_parameters(logic, summand, one.variables)
    outside = abstracted.variables
    name = reader.symbol("total", abstracted.formula, (*outside, *one.variables), lambda _: (), INT)
    made = Summing(outside, one.variables, abstracted.formula)
    reader.definitions.sums.setdefault(name, made)
    return logic.app(name, INT, abstracted.arguments)


def say_signs(logic: Logic, summing: Summing, number: Node) -> Iterator[Node]:
    """Yield the facts of one sum, which is the symbol applied to terms. If no summand is negative, it is at
    least each of them, and at least 0; likewise if none is positive."""
    summand, variables, zero = _at(logic, summing, number), summing.variables, logic.integer(0)
    for is_positive in (True, False):

        def at_most(one: Node, other: Node, is_positive: bool = is_positive) -> Node:
            return logic.less_equal(one, other) if is_positive else logic.less_equal(other, one)

        others = logic.exists(variables, logic.neg(at_most(zero, summand)))
        yield logic.disj((others, at_most(zero, number)))
        yield logic.disj((others, logic.forall(variables, at_most(summand, number))))


def say_single(logic: Logic, summing: Summing, number: Node) -> Node:
    """Return the fact that a sum is the summand of a value if those of all others are 0."""
    summand, zero = _at(logic, summing, number), logic.integer(0)
    values, put, is_other = _other_values(logic, summing)
    elsewhere = logic.exists(summing.variables, logic.conj((is_other, logic.neg(logic.equal(summand, zero)))))
    same = logic.equal(number, logic.substitute(summand, put))
    return logic.forall(values, logic.disj((elsewhere, same)))


def _other_values(logic: Logic, summing: Summing) -> tuple[list[Node], dict[Node, Node], Node]:
    """Return new variables, what they stand for, and the formula that a value is another one."""
    values = [logic.variable(variable.sort) for variable in summing.variables]
    put = dict(zip(summing.variables, values, strict=True))
    return values, put, logic.neg(logic.conj(logic.equal(a, b) for a, b in put.items()))


def say_difference(logic: Logic, summing: Sequence[Summing], numbers: Sequence[Node]) -> Node:
    """Return the fact that two sums over one sort differ as their summands do at a value, if the summands are
    equal at all others. So sums of equal summands are equal."""
    one, other = _side_by_side(logic, summing, numbers)
    values, put, is_other = _other_values(logic, summing[0])
    differs = logic.conj((is_other, logic.neg(logic.equal(one, other))))
    elsewhere = logic.exists(summing[0].variables, differs)
    mine, theirs = (logic.substitute(summand, put) for summand in (one, other))
    change = logic.equal(logic.minus(*numbers), logic.minus(mine, theirs))
    return logic.forall(values, logic.disj((elsewhere, change)))


def say_difference_at(logic: Logic, summing: Sequence[Summing], numbers: Sequence[Node]) -> Iterator[Node]:
    """Yield the fact that two sums over one sort differ as their summands do at the elements that these
    name, if they are equal at all others. A step that changes two elements names both, equal or not."""
    one, other = _side_by_side(logic, summing, numbers)
    if len(summing[0].variables) != 1:
        return
    (variable,) = summing[0].variables
    named = [_list_named(summand, variable) for summand in (one, other)]
    points = [point for point in dict.fromkeys(chain(*named)) if sum(point in some for some in named) == 1]
    if not 1 < len(points) <= _MOST_POINTS:
        return
    difference, change = logic.minus(one, other), logic.integer(0)
    for place, point in enumerate(points):
        again = logic.disj(logic.equal(point, earlier) for earlier in points[:place])
        value = logic.substitute(difference, {variable: point})
        change = logic.plus(change, logic.ite(again, logic.integer(0), value))
    is_other = logic.conj(logic.neg(logic.equal(variable, point)) for point in points)
    differs = logic.conj((is_other, logic.neg(logic.equal(one, other))))
    elsewhere = logic.exists((variable,), differs)
    yield logic.disj((elsewhere, logic.equal(logic.minus(*numbers), change)))


_MOST_POINTS = 4
"""The limit of elements that two summands name, in such a fact."""


def _list_named(summand: Node, variable: Node) -> dict[Node, None]:
    """Return the terms that a summand compares with the value: where a function has another integer."""
    points = dict[Node, None]()

    def see(node: Node) -> None:
        for one, other in (node.args, node.args[::-1]) if node.kind == "=" else ():
            if one is variable and not other.free:
                points[other] = None

    walk(summand, see)
    return points


def say_union(logic: Logic, summing: Sequence[Summing], numbers: Sequence[Node]) -> Node:
    """Return the fact that a sum is that of two others if so is each of its summands."""
    whole, one, other = _side_by_side(logic, summing, numbers)
    differs = logic.neg(logic.equal(whole, logic.plus(one, other)))
    elsewhere = logic.exists(summing[0].variables, differs)
    return logic.disj((elsewhere, logic.equal(numbers[0], logic.plus(numbers[1], numbers[2]))))


def find_summed(summing: Summing) -> frozenset[str]:
    """Return the symbols that a summand applies to the value itself, such as the functions of a state."""
    symbols = set[str]()

    def see(node: Node) -> None:
        if node.kind == "app" and node.sort == INT and not node.free.isdisjoint(summing.variables):
            symbols.add(node.data)

    walk(summing.summand, see)
    return frozenset(symbols)


def are_of_one_sort(one: Summing, other: Summing) -> bool:
    """True if both are sums over values of one sort, as far as nodes show."""
    return [v.sort for v in one.variables] == [v.sort for v in other.variables]


def _side_by_side(logic: Logic, summing: Sequence[Summing], numbers: Sequence[Node]) -> list[Node]:
    """Return the summands of sums over one sort, at the variables of the first."""
    variables, summands = summing[0].variables, []
    for one, number in zip(summing, numbers, strict=True):
        summand = _at(logic, one, number)
        summands.append(logic.substitute(summand, dict(zip(one.variables, variables, strict=True))))
    return summands


def _at(logic: Logic, summing: Summing, number: Node) -> Node:
    """Return the summand where the symbol is applied to these terms."""
    return logic.substitute(summing.summand, dict(zip(summing.outside, number.args, strict=True)))
