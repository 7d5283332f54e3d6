"""The rules of functions, records and tuples, their sets, and their changes by EXCEPT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifier.encodings.expressions import term_of, wrap
from verifier.encodings.operations import if_, updated
from verifier.encodings.sorts import Function as FunctionSort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.tla import ast
from verifier.tla.first_order.comprehensions import make_comprehension
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Map,
    Optional,
    Pair,
    Part,
    SetOf,
    Whole,
    has_integers,
    is_within,
)
from verifier.tla.first_order.reading import Reading, Rule
from verifier.tla.first_order.scopes import Misfit, Scope, Unread, describe_kind
from verifier.tla.first_order.typed import ALWAYS, Assigned, Collection, Typed, conjoin, quantify, variable_of

_DOMAIN = (
    "the domain of a function is a constant set or a range: write such a set, and a string or model value "
    'for arguments without a value, as in [Node -> S \\cup {"none"}]'
)


def _function(reading: Reading, whole: ast.Function, scope: Scope, expected: Kind | None) -> Typed:
    if whole.itself is not None:
        raise Unread(whole.place, "a recursive function")
    binding = whole.bindings[0]
    if len(whole.bindings) != 1 or len(binding.names) != 1 or binding.is_tuple:
        raise Unread(whole.place, "a function of several names: write a function of functions")
    domain = reading.collection(binding.domain, scope)
    if not domain.whole:
        raise Unread(binding.domain.place, _DOMAIN)
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
        raise Unread(whole.domain.place, _DOMAIN)
    keys = reading.find_element_kind(domain, whole.domain.place)
    wanted = expected.element if isinstance(expected, SetOf) else None
    values = reading.collection(whole.range, scope, wanted.range if isinstance(wanted, Map) else None)
    kind = Map(keys, reading.find_element_kind(values, whole.range.place, as_type=True))
    if values.whole and not has_integers(kind.range):
        return Collection(kind, lambda _: ALWAYS, whole=True)

    def has(one: Typed) -> Any:
        key = Symbol("k", keys.sort(reading.sorts))
        return quantify(True, key, values.has(Typed(kind.range, one.value[variable_of(key)])))

    return Collection(kind, has, whole=values.whole, unbounded=values.unbounded)


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
    parts = tuple(
        Part(name, reading.find_element_kind(sets[name], places[name], as_type=True)) for name in sorted(sets)
    )
    kind = Fields(parts)

    def has(one: Typed) -> Any:
        return conjoin(
            *(sets[p.name].has(Typed(p.kind, reading.kinds.raw_field(one, p.name))) for p in parts)
        )

    if all(one.whole for one in sets.values()) and not has_integers(kind):
        return reading.kinds.whole(kind)
    if any(one.unbounded for one in sets.values()):
        return Collection(kind, has, unbounded=True)
    return Collection(kind, has, make_comprehension(reading, kind, has))


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
    pairs = zip(sets, whole.items, strict=True)
    kinds = [reading.find_element_kind(one, item.place, as_type=True) for one, item in pairs]
    kind = Pair(tuple(kinds))
    if all(one.whole for one in sets) and not has_integers(kind):
        return reading.kinds.whole(kind)

    def has(one: Typed) -> Any:
        return conjoin(*(part.has(reading.kinds.item(one, place)) for place, part in enumerate(sets)))

    if any(one.unbounded for one in sets):
        return Collection(kind, has, unbounded=True)
    return Collection(kind, has, make_comprehension(reading, kind, has))


def _at(reading: Reading, whole: ast.At, scope: Scope, expected: Kind | None) -> Typed:
    if scope.old is None:
        raise Unread(whole.place, "@ outside of EXCEPT")
    if isinstance(scope.old, Assigned) and not scope.assigning:
        raise Unread(
            whole.place,
            "@ may have integers beyond its bounds here, because this EXCEPT changed it before: change each "
            "part once",
        )
    return scope.old


def _except(reading: Reading, whole: ast.Except, scope: Scope, expected: Kind | None) -> Typed:
    before = value = _read_changed(reading, whole.function, scope, expected)
    for number, update in enumerate(whole.updates):
        earlier = whole.updates[:number]
        is_apart = all(_are_apart(update.path, one.path) for one in earlier)
        value = _update(reading, value, before if is_apart else value, update.path, update.value, scope)
    return value


def _read_changed(reading: Reading, whole: ast.Expression, scope: Scope, expected: Kind | None) -> Typed:
    """Return the value that an EXCEPT changes. In an assignment, another EXCEPT may have made it."""
    if scope.assigning and isinstance(whole, ast.At | ast.Except):
        value = reading.read(whole, scope, expected)
        if isinstance(value, Assigned):
            return value
    return reading.read_typed(whole, scope, expected)


def _are_apart(one: tuple[ast.Expression, ...], other: tuple[ast.Expression, ...]) -> bool:
    """True if two paths lead to different parts, whatever their arguments are: they name different fields."""
    pairs = zip(one, other, strict=False)
    names = ((a.value, b.value) for a, b in pairs if isinstance(a, ast.String) and isinstance(b, ast.String))
    return any(mine != theirs for mine, theirs in names)


def _update(
    reading: Reading,
    whole: Typed,
    before: Typed,
    path: tuple[ast.Expression, ...],
    value: ast.Expression,
    scope: Scope,
) -> Typed:
    """Return a value with another part. ``before``: a value with the same old part, which is ``@``."""
    if not path:
        return _read_part(reading, value, before, whole.kind, scope)
    first, rest = path[0], path[1:]
    match whole.kind:
        case Map(domain, range_):
            key, has_key = _read_changed_key(reading, first, scope, domain)
            old, own = (_part_of(one, range_, one.value[key.value]) for one in (before, whole))
            below = _update(reading, own, old, rest, value, scope)
            changed = updated(whole.value, key.value, below.value)
            is_certain = has_key is ALWAYS  # what the step brings about is read from plain terms
            return _whole_of(whole, below, changed if is_certain else if_(has_key, changed, whole.value))
        case Fields() if isinstance(first, ast.String):
            part = whole.kind.part(first.value)
            if part is None or part.may_lack:
                raise Unread(first.place, f"{whole.kind} may lack the field {first.value}")
            raw_fields = (reading.kinds.raw_field(one, part.name) for one in (whole, before))
            own, old = (
                _part_of(one, part.kind, raw) for one, raw in zip((whole, before), raw_fields, strict=True)
            )
            below = _update(reading, own, old, rest, value, scope)
            sort = whole.kind.sort(reading.sorts)
            terms = (term_of(whole.value), term_of(below.value))
            return _whole_of(whole, below, wrap(Term(Operator.RECORD_UPDATE, sort, terms, part.name)))
    raise Unread(first.place, f"a part of {whole.kind} is changed by EXCEPT")


def _read_part(reading: Reading, value: ast.Expression, before: Typed, kind: Kind, scope: Scope) -> Typed:
    """Return the new value of a part. ``before``: the old one, which is ``@``."""
    old = before
    if isinstance(before, Assigned) and isinstance(before.kind, Whole):
        old = Typed(Whole(), before.value)  # of an integer that is changed twice, the bounds are not known
    inner = replace(scope, old=old)
    if not scope.assigning:
        return reading.read_typed(value, inner, kind)
    try:
        below = reading.read_assigned(value, inner, kind)
    except Misfit:
        below = reading.assign(reading.read_typed(value, inner), kind, value.place)
    fitting = None if isinstance(below, Assigned) else reading.kinds.widen(below, kind)
    return fitting or Assigned(kind, below.value)


def _read_changed_key(
    reading: Reading, whole: ast.Expression, scope: Scope, domain: Kind
) -> tuple[Typed, BooleanValue]:
    """Return an argument of a function in EXCEPT, and the formula that it is in the domain. EXCEPT changes
    nothing beyond the domain."""
    key = reading.read_key(whole, scope, domain)
    if not isinstance(domain, Whole):
        return key, ALWAYS
    kind = reading.read_typed(whole, scope).kind
    assert isinstance(kind, Whole)
    return key, ALWAYS if is_within(kind, domain) else reading.kinds.is_within(key, domain)


def _part_of(whole: Typed, kind: Kind, value: Any) -> Typed:
    """Return a part of a value. Of an assigned value it is one too."""
    return Assigned(kind, value) if isinstance(whole, Assigned) else Typed(kind, value)


def _whole_of(before: Typed, part: Typed, value: Any) -> Typed:
    """Return a value with a changed part. With an assigned part it is one too."""
    return _part_of(part if isinstance(part, Assigned) else before, before.kind, value)


def _function_apply(reading: Reading, whole: ast.FunctionApply, scope: Scope, expected: Kind | None) -> Typed:
    function = reading.read_typed(whole.function, scope)
    if isinstance(function.kind, Optional) and isinstance(function.kind.inner, Map | Fields | Pair):
        # The proof includes that no part is read of the value that stands for none.
        function = Typed(function.kind.inner, function.value.value)
    match function.kind:
        case Map(domain, range_):
            key = reading.read_key(whole.argument, scope, domain)
            return Typed(range_, function.value[key.value])
        case Fields() if isinstance(whole.argument, ast.String):
            part = function.kind.part(whole.argument.value)
            if part is None:
                raise Unread(whole.place, f"{function.kind} has no field {whole.argument.value}")
            value = reading.kinds.raw_field(function, part.name)
            return Typed(part.kind, value.value if part.may_lack else value)
        case Pair(items) if isinstance(whole.argument, ast.Number) and 0 < whole.argument.value <= len(items):
            return reading.kinds.item(function, whole.argument.value - 1)
    raise Unread(whole.place, f"{function.kind} is applied to an argument")


STRUCTURE_FORMS: Mapping[type, Rule] = {
    ast.Function: _function,
    ast.FunctionSet: _function_set,
    ast.Record: _record,
    ast.RecordSet: _record_set,
    ast.Tuple: _tuple,
    ast.Product: _product,
    ast.At: _at,
    ast.Except: _except,
    ast.FunctionApply: _function_apply,
}
"""The rules by node type."""
