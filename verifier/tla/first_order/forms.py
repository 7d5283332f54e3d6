"""The rules by node type: how each form of expression is read. ``structures`` has functions and records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from verifier.encodings.expressions import integer, set_of, term_of, wrap
from verifier.encodings.operations import if_
from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.first_order.chosen import read_choice
from verifier.tla.first_order.kinds import Kind, Linear, SetOf, Truth, Whole, join
from verifier.tla.first_order.large_sets import read_over_large_sets
from verifier.tla.first_order.reading import Read, Reading, Rule
from verifier.tla.first_order.scopes import Misfit, Scope, Unread, describe_kind
from verifier.tla.first_order.structures import STRUCTURE_FORMS
from verifier.tla.first_order.typed import (
    ALWAYS,
    NEVER,
    Assigned,
    Collection,
    Typed,
    conjoin,
    disjoin,
    quantify,
    variable_of,
)

TRUTH = Truth()


def _number(reading: Reading, whole: ast.Number, scope: Scope, expected: Kind | None) -> Typed:
    own = Linear(whole.value)
    return Typed(Whole(own, own), integer(whole.value))


def _string(reading: Reading, whole: ast.String, scope: Scope, expected: Kind | None) -> Typed:
    return reading.word(whole.value, whole.place)


def _apply(reading: Reading, whole: ast.Apply, scope: Scope, expected: Kind | None) -> Read:
    return reading.application(whole, scope, expected)


def _junction(reading: Reading, whole: ast.Junction, scope: Scope, expected: Kind | None) -> Typed:
    parts = [reading.formula(item, scope) for item in whole.items]
    return Typed(TRUTH, conjoin(*parts) if whole.conjunction else disjoin(*parts))


def _if(reading: Reading, whole: ast.If, scope: Scope, expected: Kind | None) -> Typed:
    condition = reading.formula(whole.condition, scope)
    return _choose(reading, condition, whole.then, whole.otherwise, scope, expected)


def _choose(
    reading: Reading,
    condition: Any,
    then: ast.Expression,
    otherwise: ast.Expression,
    scope: Scope,
    expected: Kind | None,
) -> Typed:
    if scope.assigning and expected is not None and not isinstance(expected, Whole):
        one, other = (reading.read_assigned(branch, scope, expected) for branch in (then, otherwise))
        value = if_(condition, one.value, other.value)
        is_loose = isinstance(one, Assigned) or isinstance(other, Assigned)
        return Assigned(expected, value) if is_loose else Typed(expected, value)
    if expected is None or isinstance(expected, Whole):
        one, other = reading.read_typed(then, scope), reading.read_typed(otherwise, scope)
        expected = join(one.kind, other.kind)
        if expected is None or not (expected.is_known or isinstance(expected, Whole)):
            raise Unread(then.place, f"the branches are {one.kind} and {other.kind}")
    one, other = reading.read_typed(then, scope, expected), reading.read_typed(otherwise, scope, expected)
    return Typed(expected, if_(condition, one.value, other.value))


def _case(reading: Reading, whole: ast.Case, scope: Scope, expected: Kind | None) -> Read:
    if whole.other is None:
        raise Unread(whole.place, "a CASE without OTHER: write OTHER -> …, or IF … THEN … ELSE …")
    nested = whole.other
    for condition, value in reversed(whole.arms):
        nested = ast.If(condition, value, nested, place=whole.place)
    return reading.read(nested, scope, expected)


def _let(reading: Reading, whole: ast.Let, scope: Scope, expected: Kind | None) -> Read:
    return reading.read(whole.body, reading.enter_let(whole, scope), expected)


def _quantifier(reading: Reading, whole: ast.Quantifier, scope: Scope, expected: Kind | None) -> Typed:
    counted = read_over_large_sets(reading, whole, scope)
    if counted is not None:
        return Typed(TRUTH, counted)
    if reading.ranges_over_nothing(whole.bindings, scope):
        return Typed(TRUTH, ALWAYS if whole.universal else NEVER)
    bound, inner = [], scope
    for binding in whole.bindings:
        made, inside = reading.bind(binding, scope)
        bound += made
        inner = replace(inner, values={**inner.values, **inside.values})
    body = reading.formula(whole.body, inner)
    for symbol, within, _ in reversed(bound):
        if within is not ALWAYS:
            body = within.implies(body) if whole.universal else conjoin(within, body)
        body = quantify(whole.universal, symbol, body)
    return Typed(TRUTH, body)


def _set_of(reading: Reading, whole: ast.SetOf, scope: Scope, expected: Kind | None) -> Collection:
    if not whole.items:
        element = expected.element if isinstance(expected, SetOf) else None
        if element is None or not element.is_known:
            return Collection(None, lambda _: disjoin())
        return Collection(element, lambda _: disjoin(), set_of(element.sort(reading.sorts)))
    element = expected.element if isinstance(expected, SetOf) else None
    if element is not None and element.is_known:
        items = _items(reading, whole, scope, element)
    else:
        items = _items(reading, whole, scope, None)
    if items is None:  # the elements are of a wider kind than expected
        items = _items(reading, whole, scope, None)
    assert items is not None
    kind = items[0].kind
    if any(item.value is None for item in items):  # empty sets, whose elements something else must tell
        return Collection(kind, lambda _: _refuse_unknown(whole))
    made = None  # of integers with different bounds only membership is known
    if kind.is_known or len(items) == 1:
        sort = kind.sort(reading.sorts) if kind.is_known else term_of(items[0].value).sort
        made = set_of(sort, *(item.value for item in items))
    words = tuple(item.word for item in items if item.word is not None)
    return Collection(
        kind,
        lambda one: disjoin(*(one.value == item.value for item in items)),
        made,
        words=words if len(words) == len(items) else None,
    )


def _refuse_unknown(whole: ast.SetOf) -> NoReturn:
    raise Unread(whole.place, "the kind of the elements of this set's elements is not known")


def _items(reading: Reading, whole: ast.SetOf, scope: Scope, element: Kind | None) -> list[Typed] | None:
    """Return the items of a set, of one kind; None if they are not of the kind that is expected."""
    if element is not None:
        try:
            return [reading.read_typed(item, scope, element) for item in whole.items]
        except Misfit:
            return None
    items = [reading.read_typed(item, scope) for item in whole.items]
    joined: Kind | None = items[0].kind
    for item in items[1:]:
        if joined is not None:
            joined = join(joined, item.kind)
    if joined is None:
        raise Unread(whole.place, "the elements of this set are of several kinds")
    if isinstance(joined, Whole):
        return [Typed(joined, item.value) for item in items]
    if not joined.is_known and any(item.kind != joined for item in items):
        raise Unread(whole.place, "the integers of these elements have different bounds")
    return [
        reading.read_typed(item, scope, joined) if i.kind != joined else i
        for item, i in zip(whole.items, items, strict=True)
    ]


def _filter(reading: Reading, whole: ast.Filter, scope: Scope, expected: Kind | None) -> Collection:
    wanted = expected.element if isinstance(expected, SetOf) else None
    domain = reading.collection(whole.binding.domain, scope, wanted)
    if domain.element is None:
        return domain
    kind = reading.find_element_kind(domain, whole.binding.domain.place)

    def says(one: Typed) -> Any:
        if whole.binding.is_tuple:
            inner = reading.bind_items(whole.binding, one, scope)
        else:
            inner = scope.binding(whole.binding.names[0], one)
        return conjoin(domain.has(one), reading.formula(whole.body, inner))

    name = whole.binding.names[0].name
    symbol = Symbol(name, kind.sort(reading.sorts))
    inside = says(Typed(kind, variable_of(symbol)))
    made = wrap(Term(Operator.COMPREHENSION, Set(symbol.sort), (inside.term,), binds=symbol))
    return Collection(kind, says, made)


def _image(reading: Reading, whole: ast.Image, scope: Scope, expected: Kind | None) -> Collection:
    if len(whole.bindings) != 1 or (len(whole.bindings[0].names) != 1 and not whole.bindings[0].is_tuple):
        raise Unread(whole.place, "{e : x \\in S, y \\in T}: write it with one bound name")
    if reading.ranges_over_nothing(whole.bindings, scope):
        return Collection(None, lambda _: NEVER)
    made, inner = reading.bind(whole.bindings[0], scope)
    symbol, within, _ = made[0]
    wanted = expected.element if isinstance(expected, SetOf) else None
    body = reading.read_part(whole.body, inner, wanted if wanted is not None and wanted.is_known else None)
    if not body.kind.is_known:
        raise Unread(whole.place, f"its elements are {describe_kind(body.kind)}")
    element = body.kind
    result = wrap(
        Term(
            Operator.IMAGE, Set(element.sort(reading.sorts)), (within.term, term_of(body.value)), binds=symbol
        )
    )
    return Collection(element, lambda one: result.contains(one.value), result)


def _prime(reading: Reading, whole: ast.Prime, scope: Scope, expected: Kind | None) -> Read:
    return reading.read(whole.body, replace(scope, primed=True), expected)


FORMS: Mapping[type, Rule] = {
    ast.Number: _number,
    ast.String: _string,
    ast.Apply: _apply,
    ast.Junction: _junction,
    ast.If: _if,
    ast.Case: _case,
    ast.Let: _let,
    ast.Quantifier: _quantifier,
    ast.SetOf: _set_of,
    ast.Filter: _filter,
    ast.Image: _image,
    ast.Choose: read_choice,
    **STRUCTURE_FORMS,
    ast.Prime: _prime,
}
"""The rules by node type. A node of another type is refused."""
