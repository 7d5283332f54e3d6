"""Subsequences, and facts about the length of sequences of elements of index sets."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.encodings.terms import Term
from verifier.parametric.first_order_values import Elements, Items
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope


def filter_items(reader: Reader, term: Term, scope: Scope) -> Items:
    """Return the elements that satisfy the condition, in order. Each has its place in the whole sequence, and
    each such place belongs to one of them."""
    logic = reader.logic
    whole: Items = reader.part(term.arguments[0], scope)
    condition = reader.body(term, scope, term.arguments[1])
    place = logic.variable(INT)
    kept = logic.conj((reader.values.place_within(whole, place), condition(whole.at(place))))
    outside = tuple(sorted(kept.free - {place}, key=lambda node: node.data))
    length, source, target = (
        reader.symbol(word, kept, (*outside, place), lambda _: (), INT)
        for word in ("kept length", "kept from", "kept at")
    )
    end = logic.app(length, INT, outside)
    said = tuple(
        logic.forall(outside, one) for one in order(logic, whole.length, end, (source, target), kept, place)
    )
    for name in (length, source, target):
        reader.definitions.axioms[name] = said
    return Items(end, lambda at: whole.at(logic.app(source, INT, (*outside, at))))


def order(
    logic: Logic, whole: Node, end: Node, maps: tuple[str, str], kept: Node, place: Node
) -> Iterator[Node]:
    """Yield the axioms of the two maps between places of a subsequence and kept places of the whole sequence.
    ``end``: the end of the subsequence. ``whole``: the length of the whole sequence."""
    outside = tuple(sorted(kept.free - {place}, key=lambda node: node.data))
    one, other = logic.variable(INT), logic.variable(INT)
    zero, source, target = logic.integer(0), *maps

    def within(at: Node) -> Node:
        return logic.conj((logic.less_equal(zero, at), logic.less(at, end)))

    first, second, back = (
        logic.app(name, INT, (*outside, at)) for name, at in ((source, one), (source, other), (target, one))
    )
    here = logic.substitute(kept, {place: one})
    # A slice between two places in the wrong order has a negative length.
    short = logic.disj((logic.less_equal(end, whole), logic.less_equal(end, zero)))
    yield logic.conj((logic.less_equal(zero, end), short))
    yield logic.forall((one,), logic.implies(within(one), logic.substitute(kept, {place: first})))
    ordered = logic.conj((within(one), within(other), logic.less(one, other)))
    yield logic.forall((one, other), logic.implies(ordered, logic.less(first, second)))
    again = logic.equal(logic.app(source, INT, (*outside, back)), one)
    yield logic.forall((one,), logic.implies(here, logic.conj((within(back), again))))


def pigeonholes(logic: Logic, elements: Elements, length: Node) -> Iterator[Node]:
    """Yield the fact that a sequence of distinct elements is at most as long as there are elements. It is
    shorter if one of the elements does not occur in it."""

    def at(place: Node) -> Node:
        return logic.app(elements.at, elements.element, (*length.args, place))

    def within(place: Node) -> Node:
        return logic.conj((logic.less_equal(logic.integer(0), place), logic.less(place, length)))

    one, other, place = (logic.variable(INT) for _ in range(3))
    element = logic.variable(elements.element)
    twice = (within(one), within(other), logic.less(one, other), logic.equal(at(one), at(other)))
    stands = logic.exists((place,), logic.conj((within(place), logic.equal(at(place), element))))
    shorter = logic.less_equal(logic.plus(length, logic.integer(1)), elements.size)
    said = logic.conj(
        (logic.less_equal(length, elements.size), logic.forall((element,), logic.disj((stands, shorter))))
    )
    yield logic.disj((logic.exists((one, other), logic.conj(twice)), said))
