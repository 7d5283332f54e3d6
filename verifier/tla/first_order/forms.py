"""The rules by node type: how each form of expression is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifier.encodings.expressions import integer, set_of, term_of, wrap
from verifier.encodings.operations import if_, updated
from verifier.encodings.sorts import Function as FunctionSort
from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Linear,
    Map,
    Optional,
    Pair,
    Part,
    SetOf,
    Truth,
    Whole,
    has_integers,
    join,
)
from verifier.tla.first_order.large_sets import read_over_large_sets
from verifier.tla.first_order.reading import Read, Reading, Rule
from verifier.tla.first_order.scopes import Misfit, Scope, Unread, describe_kind
from verifier.tla.first_order.typed import (
    ALWAYS,
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
    found = whole.other
    for condition, value in reversed(whole.arms):
        found = ast.If(condition, value, found, place=whole.place)
    return reading.read(found, scope, expected)


def _let(reading: Reading, whole: ast.Let, scope: Scope, expected: Kind | None) -> Read:
    return reading.read(whole.body, reading.enter_let(whole, scope), expected)


def _quantifier(reading: Reading, whole: ast.Quantifier, scope: Scope, expected: Kind | None) -> Typed:
    counted = read_over_large_sets(reading, whole, scope)
    if counted is not None:
        return Typed(TRUTH, counted)
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


def _function(reading: Reading, whole: ast.Function, scope: Scope, expected: Kind | None) -> Typed:
    if whole.itself is not None:
        raise Unread(whole.place, "a recursive function")
    binding = whole.bindings[0]
    if len(whole.bindings) != 1 or len(binding.names) != 1 or binding.is_tuple:
        raise Unread(whole.place, "a function of several names: write a function of functions")
    domain = reading.collection(binding.domain, scope)
    if not domain.whole:
        raise Unread(binding.domain.place, "the domain of a function is a constant set or a range")
    kind = reading.find_element_kind(domain, binding.domain.place)
    symbol = Symbol(binding.names[0].name, kind.sort(reading.sorts))
    inner = scope.binding(binding.names[0], Typed(kind, variable_of(symbol)))
    wanted = expected.range if isinstance(expected, Map) and expected.domain == kind else None
    body = reading.read_part(whole.body, inner, wanted)
    if not body.kind.is_known:
        raise Misfit(whole.place, f"its values are {describe_kind(body.kind)}")
    sort = FunctionSort(symbol.sort, body.kind.sort(reading.sorts))
    value = wrap(Term(Operator.FUNCTION, sort, (term_of(body.value),), binds=symbol))
    return Typed(Map(kind, body.kind), value)


def _function_set(
    reading: Reading, whole: ast.FunctionSet, scope: Scope, expected: Kind | None
) -> Collection:
    domain = reading.collection(whole.domain, scope)
    if not domain.whole:
        raise Unread(whole.domain.place, "the domain of a function is a constant set or a range")
    keys = reading.find_element_kind(domain, whole.domain.place)
    wanted = expected.element if isinstance(expected, SetOf) else None
    values = reading.collection(whole.range, scope, wanted.range if isinstance(wanted, Map) else None)
    kind = Map(keys, reading.find_element_kind(values, whole.range.place))
    if values.whole and not has_integers(kind.range):
        return Collection(kind, lambda _: ALWAYS, whole=True)

    def has(one: Typed) -> Any:
        key = Symbol("k", keys.sort(reading.sorts))
        return quantify(True, key, values.has(Typed(kind.range, one.value[variable_of(key)])))

    return Collection(kind, has, whole=values.whole)


def _record(reading: Reading, whole: ast.Record, scope: Scope, expected: Kind | None) -> Typed:
    fields = {}
    for name, item in whole.fields:
        part = expected.part(name) if isinstance(expected, Fields) else None
        fields[name] = reading.read_part(item, scope, None if part is None else part.kind)
    kind = Fields(tuple(Part(name, fields[name].kind) for name in sorted(fields)))
    if not kind.is_known:
        unknown = next(part for part in kind.parts if not part.kind.is_known)
        raise Misfit(whole.place, f"the field {unknown.name} is {describe_kind(unknown.kind)}")
    return reading.kinds.record_of(fields, kind)


def _record_set(reading: Reading, whole: ast.RecordSet, scope: Scope, expected: Kind | None) -> Collection:
    sets = {name: reading.collection(item, scope) for name, item in whole.fields}
    places = {name: item.place for name, item in whole.fields}
    parts = tuple(Part(name, reading.find_element_kind(sets[name], places[name])) for name in sorted(sets))
    kind = Fields(parts)

    def has(one: Typed) -> Any:
        return conjoin(
            *(sets[p.name].has(Typed(p.kind, reading.kinds.raw_field(one, p.name))) for p in parts)
        )

    if all(one.whole for one in sets.values()) and not has_integers(kind):
        return reading.kinds.whole(kind)
    return _make_comprehension(reading, kind, has)


def _make_comprehension(reading: Reading, kind: Kind, has: Any) -> Collection:
    symbol = Symbol("x", kind.sort(reading.sorts))
    inside = has(Typed(kind, variable_of(symbol)))
    made = wrap(Term(Operator.COMPREHENSION, Set(symbol.sort), (inside.term,), binds=symbol))
    return Collection(kind, has, made)


def _tuple(reading: Reading, whole: ast.Tuple, scope: Scope, expected: Kind | None) -> Typed:
    wanted: tuple[Kind | None, ...] = (None,) * len(whole.items)
    if isinstance(expected, Pair) and len(expected.items) == len(whole.items):
        wanted = expected.items
    if len(whole.items) < 2:
        raise Unread(whole.place, "a tuple with fewer than two items")
    items = [reading.read_part(item, scope, kind) for item, kind in zip(whole.items, wanted, strict=True)]
    for item in items:
        if not item.kind.is_known and not isinstance(item.kind, Whole):
            raise Misfit(whole.place, f"an item is {item.kind}")
    return reading.kinds.tuple_of(items)


def _product(reading: Reading, whole: ast.Product, scope: Scope, expected: Kind | None) -> Collection:
    sets = [reading.collection(item, scope) for item in whole.items]
    kinds = [reading.find_element_kind(one, item.place) for one, item in zip(sets, whole.items, strict=True)]
    kind = Pair(tuple(kinds))
    if all(one.whole for one in sets) and not has_integers(kind):
        return reading.kinds.whole(kind)

    def has(one: Typed) -> Any:
        return conjoin(*(part.has(reading.kinds.item(one, place)) for place, part in enumerate(sets)))

    return _make_comprehension(reading, kind, has)


def _at(reading: Reading, whole: ast.At, scope: Scope, expected: Kind | None) -> Typed:
    if scope.old is None:
        raise Unread(whole.place, "@ outside of EXCEPT")
    return scope.old


def _except(reading: Reading, whole: ast.Except, scope: Scope, expected: Kind | None) -> Typed:
    found = reading.read_typed(whole.function, scope, expected)
    for update in whole.updates:
        found = _update(reading, found, update.path, update.value, scope)
    return found


def _update(
    reading: Reading,
    found: Typed,
    path: tuple[ast.Expression, ...],
    value: ast.Expression,
    scope: Scope,
) -> Typed:
    if not path:
        # Of a value that is changed twice, the bounds of @ are not known.
        old = None if isinstance(found, Assigned) else found
        if not scope.assigning:
            return reading.read_typed(value, replace(scope, old=old), found.kind)
        below = reading.read_part(value, replace(scope, old=old), found.kind)
        fitting = reading.kinds.widen(below, found.kind)
        return fitting or Assigned(found.kind, reading.assign(below, found.kind, value.place).value)
    first, rest = path[0], path[1:]
    match found.kind:
        case Map(domain, range_):
            key = reading.read_key(first, scope, domain)
            below = _update(reading, _part_of(found, range_, found.value[key.value]), rest, value, scope)
            return _whole_of(found, below, updated(found.value, key.value, below.value))
        case Fields() if isinstance(first, ast.String):
            part = found.kind.part(first.value)
            if part is None or part.may_lack:
                raise Unread(first.place, f"{found.kind} may lack the field {first.value}")
            own = _part_of(found, part.kind, reading.kinds.raw_field(found, part.name))
            below = _update(reading, own, rest, value, scope)
            sort = found.kind.sort(reading.sorts)
            terms = (term_of(found.value), term_of(below.value))
            return _whole_of(found, below, wrap(Term(Operator.RECORD_UPDATE, sort, terms, part.name)))
    raise Unread(first.place, f"a part of {found.kind} is changed by EXCEPT")


def _part_of(whole: Typed, kind: Kind, value: Any) -> Typed:
    """Return a part of a value. Of an assigned value it is one too."""
    return Assigned(kind, value) if isinstance(whole, Assigned) else Typed(kind, value)


def _whole_of(before: Typed, part: Typed, value: Any) -> Typed:
    """Return a value with a changed part. With an assigned part it is one too."""
    return _part_of(part if isinstance(part, Assigned) else before, before.kind, value)


def _function_apply(reading: Reading, whole: ast.FunctionApply, scope: Scope, expected: Kind | None) -> Typed:
    found = reading.read_typed(whole.function, scope)
    match found.kind:
        case Map(domain, range_):
            key = reading.read_key(whole.argument, scope, domain)
            return Typed(range_, found.value[key.value])
        case Fields() if isinstance(whole.argument, ast.String):
            part = found.kind.part(whole.argument.value)
            if part is None:
                raise Unread(whole.place, f"{found.kind} has no field {whole.argument.value}")
            value = reading.kinds.raw_field(found, part.name)
            return Typed(part.kind, value.value if part.may_lack else value)
        case Pair(items) if isinstance(whole.argument, ast.Number) and 0 < whole.argument.value <= len(items):
            return reading.kinds.item(found, whole.argument.value - 1)
        case Optional(Map() | Fields() | Pair() as inner, absent):
            raise Unread(whole.place, f"this may be {absent}, which is no {inner}")
    raise Unread(whole.place, f"{found.kind} is applied to an argument")


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
    ast.Function: _function,
    ast.FunctionSet: _function_set,
    ast.Record: _record,
    ast.RecordSet: _record_set,
    ast.Tuple: _tuple,
    ast.Product: _product,
    ast.At: _at,
    ast.Except: _except,
    ast.FunctionApply: _function_apply,
    ast.Prime: _prime,
}
"""The rules by node type. A node of another type is refused."""
