"""Terms of sets, bags and sequences, read as values of first-order logic."""

from __future__ import annotations

from typing import Any

from verifier.encodings.sorts import Set, Sort
from verifier.encodings.terms import Operator, Term
from verifier.parametric.first_order_values import Copies, Items, Members, Value
from verifier.parametric.nodes import INT, Node
from verifier.parametric.term_reader import Reader, Scope


def set_of(reader: Reader, term: Term, scope: Scope) -> Members:
    assert isinstance(term.sort, Set)
    element = term.sort.element
    items = [reader.values.sets.name_all(element, reader.part(arg, scope)) for arg in term.arguments]
    return Members(lambda item: reader.logic.disj(reader.values.equal(element, item, one) for one in items))


def contains(reader: Reader, term: Term, scope: Scope) -> Node:
    members, item = (reader.part(arg, scope) for arg in term.arguments)
    return members.contains(item)  # type: ignore[no-any-return]


def combine_members(reader: Reader, term: Term, scope: Scope) -> Members:
    one, other = (reader.part(arg, scope) for arg in term.arguments)
    logic = reader.logic
    match term.operator:
        case Operator.UNION:
            return Members(lambda item: logic.disj((one.contains(item), other.contains(item))))
        case Operator.INTERSECTION:
            return Members(lambda item: logic.conj((one.contains(item), other.contains(item))))
    return Members(lambda item: logic.conj((one.contains(item), logic.neg(other.contains(item)))))


def subset(reader: Reader, term: Term, scope: Scope) -> Node:
    one, other = (reader.part(arg, scope) for arg in term.arguments)
    sort = term.arguments[0].sort
    assert isinstance(sort, Set)
    return reader.values.each_any(
        sort.element, lambda item, _: reader.logic.implies(one.contains(item), other.contains(item))
    )


def comprehension(reader: Reader, term: Term, scope: Scope) -> Members:
    """Return the set of the values of a sort that satisfy a formula."""
    assert term.binds is not None
    body, sort = reader.body(term, scope, term.arguments[0]), term.binds.sort
    return Members(
        lambda item: reader.logic.conj((reader.values.make_typing_formula(sort, item), body(item)))
    )


def image(reader: Reader, term: Term, scope: Scope) -> Members:
    assert term.binds is not None
    assert isinstance(term.sort, Set)
    condition, body = (reader.body(term, scope, arg) for arg in term.arguments)
    sort, element = term.binds.sort, term.sort.element
    union = term.operator is Operator.UNION_OF

    def contains(item: Value) -> Node:
        one = reader.values.quantify(sort)
        value: Any = body(one.value) if union else reader.values.sets.name_all(element, body(one.value))
        belongs = value.contains(item) if union else reader.values.equal(element, item, value)
        said = reader.logic.conj((one.within, condition(one.value), belongs))
        return reader.logic.exists(one.variables, said)

    return Members(contains)


def copies(reader: Reader, term: Term, scope: Scope) -> Node:
    bag, item = (reader.part(arg, scope) for arg in term.arguments)
    return bag.of(item)  # type: ignore[no-any-return]


def bag_change(reader: Reader, term: Term, scope: Scope) -> Copies:
    bag, item = (reader.part(arg, scope) for arg in term.arguments)
    logic, element = reader.logic, term.arguments[1].sort
    more = term.operator is Operator.BAG_ADD

    def of(one: Value) -> Node:
        count = bag.of(one)
        changed = logic.plus(count, logic.integer(1 if more else -1))
        same = reader.values.equal(element, one, item)
        fits = same if more else logic.conj((same, logic.less_equal(logic.integer(1), count)))
        return logic.ite(fits, changed, count)

    return Copies(of)


def sequence(reader: Reader, term: Term, scope: Scope) -> Items:
    items = [reader.part(arg, scope) for arg in term.arguments]
    return reader.values.make_sequence(term.sort.element, items)  # type: ignore[attr-defined]


def length(reader: Reader, term: Term, scope: Scope) -> Node:
    return reader.part(term.arguments[0], scope).length  # type: ignore[no-any-return]


def at(reader: Reader, term: Term, scope: Scope) -> Value:
    sequence, place = (reader.part(arg, scope) for arg in term.arguments)
    return sequence.at(place)  # type: ignore[no-any-return]


def append(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence, item = (reader.part(arg, scope) for arg in term.arguments)
    end = sequence.length
    return Items(
        reader.logic.plus(end, reader.logic.integer(1)),
        lambda place: reader.values.choice(reader.logic.equal(place, end), item, sequence.at(place)),
    )


def truncate(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence, most = (reader.part(arg, scope) for arg in term.arguments)
    logic, zero = reader.logic, reader.logic.integer(0)
    least = logic.ite(logic.less_equal(most, sequence.length), most, sequence.length)
    return Items(reader.short_integer(logic.ite(logic.less(least, zero), zero, least)), sequence.at)


def concatenate(reader: Reader, term: Term, scope: Scope) -> Items:
    one, other = (reader.part(arg, scope) for arg in term.arguments)
    logic = reader.logic
    return Items(
        logic.plus(one.length, other.length),
        lambda place: reader.values.choice(
            logic.less(place, one.length), one.at(place), other.at(logic.minus(place, one.length))
        ),
    )


def between(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence, first, end = (reader.part(arg, scope) for arg in term.arguments)
    logic = reader.logic
    return Items(logic.minus(end, first), lambda place: sequence.at(logic.plus(place, first)))


def map_items(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence = reader.part(term.arguments[0], scope)
    body = reader.body(term, scope, term.arguments[1])
    return Items(sequence.length, lambda place: body(sequence.at(place)))


def sequence_update(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence, at, value = (reader.part(arg, scope) for arg in term.arguments)
    return Items(
        sequence.length,
        lambda place: reader.values.choice(reader.logic.equal(place, at), value, sequence.at(place)),
    )


def occurs(reader: Reader, term: Term, scope: Scope) -> Node:
    sequence, item = (reader.part(arg, scope) for arg in term.arguments)
    return holds(reader, term.arguments[0].sort.element, sequence, item)  # type: ignore[attr-defined]


def elements(reader: Reader, term: Term, scope: Scope) -> Members:
    sequence, sort = reader.part(term.arguments[0], scope), term.arguments[0].sort
    return Members(lambda item: holds(reader, sort.element, sequence, item))  # type: ignore[attr-defined]


def holds(reader: Reader, sort: Sort, sequence: Items, item: Value) -> Node:
    place = reader.logic.variable(INT)
    same = reader.values.equal(sort, sequence.at(place), item)
    said = reader.logic.conj((reader.values.place_within(sequence, place), same))
    return reader.logic.exists((place,), said)


def reverse(reader: Reader, term: Term, scope: Scope) -> Items:
    sequence, logic = reader.part(term.arguments[0], scope), reader.logic
    last = logic.minus(sequence.length, logic.integer(1))
    return Items(sequence.length, lambda place: sequence.at(logic.minus(last, place)))
