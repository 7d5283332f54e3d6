"""Functions and records: application, DOMAIN, EXCEPT."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifier.encodings.sorts import Function, PartialFunction, Record, Sequence, Set, Tuple, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.arithmetic import subtract
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.comparability import require_comparable_key
from verifier.tla.translate.connectives import and_, if_
from verifier.tla.translate.joining import join_sorts
from verifier.tla.translate.listed_sorts import over_listed
from verifier.tla.translate.making import equals, less
from verifier.tla.translate.narrowing import is_to_keep_sort, within_sort
from verifier.tla.translate.parts import element_at, make_known_table, rows_of, sequence_length, table_of
from verifier.tla.translate.shapes import MOST_LISTED, NOTHING
from verifier.tla.translate.spreading import integer_of, over_alternatives
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Chosen,
    Entries,
    Known,
    LazyMap,
    Nothing,
    Row,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.terms import SCALARS, TRUTH, alike, literal, number
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import LazyFunction, is_function, materialize

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def apply(t: Translator, function: Sym, key: Sym) -> Sym:
    """``function[key]``"""
    if isinstance(function, Nothing) or isinstance(key, Nothing):
        return function if isinstance(function, Nothing) else key
    if isinstance(function, Chosen):
        left, right = apply(t, function.then, key), apply(t, function.otherwise, key)
        return if_(t, function.condition, left, right)
    if isinstance(key, Chosen):
        return if_(t, key.condition, apply(t, function, key.then), apply(t, function, key.otherwise))
    match function:
        case LazyMap():
            return function.at(key)
        case Known() | Table():
            table = table_of(function)
            if table is None:
                return _apply_lazy(t, function, key)
            return look_up(t, table, key)
        case Row():
            return _slot(t, function, key)
        case Entries():
            result: Sym = Nothing("outside of the domain")
            for condition, one, item in reversed(function.rows):
                result = if_(t, and_(t, [condition, equals(t, one, key)]), item, result)
            return result
        case Term():
            return _apply_term(t, function, key)
    return Nothing("a function is expected")


def _apply_lazy(t: Translator, function: Sym, key: Sym) -> Sym:
    if isinstance(function, Known) and isinstance(function.value, LazyFunction):
        if isinstance(key, Known):
            try:
                return Known(function.value.apply(key.value))
            except NoValue:
                return Nothing("outside of the domain")
        term = t.term(key)
        if term.sort.size > MOST_LISTED:
            raise Untranslated(None, "a recursive function, applied to what may have too many values")
        rows: dict[Any, Sym] = {}
        for value in term.sort.values():
            known = t.names.decode(value, term.sort)
            item = _apply_lazy(t, function, Known(known))
            if not isinstance(item, Nothing):
                rows[known] = item
        return look_up(t, Table(rows), key)
    return Nothing("a function is expected")


def look_up(t: Translator, table: Table, key: Sym) -> Sym:
    if isinstance(key, Known):
        row = table.rows.get(key.value)
        return row if row is not None else Nothing("outside of the domain")
    result: Sym = Nothing("outside of the domain")
    for one, item in table.rows.items():
        is_key = _is_key(t, key, one)
        if is_key is NO:
            continue
        result = if_(t, is_key, item, result)
    return result


def _is_key(t: Translator, key: Sym, one: Value) -> Sym:
    """Return the formula that a key equals another. Keys of different kinds are not equal."""
    if isinstance(key, Known):
        return YES if materialize(key.value) == one and type(key.value) is type(one) else NO
    return equals(t, key, Known(one))


def _slot(t: Translator, row: Row, key: Sym) -> Sym:
    result: Sym = Nothing("beyond the sequence")
    whole = integer_of(t, key)
    for place, item in enumerate(row.slots, 1):
        here = _is_key(t, whole, place)
        if here is not NO:
            inside = and_(t, [here, less(t, Known(place), row.length, equal=True)])
            result = if_(t, inside, item, result)
    return result


def _apply_term(t: Translator, function: Term, key: Sym) -> Sym:
    sort = function.sort
    if t.names.lists(sort):
        return over_listed(t, function, lambda one: apply(t, one, key))
    if isinstance(sort, Variant):
        return over_alternatives(t, function, lambda part: _apply_term(t, part, key))
    if isinstance(sort, Record | Tuple):
        rows = rows_of(t, function)
        assert rows is not None
        return look_up(t, rows, key)
    if isinstance(sort, Sequence):
        whole = integer_of(t, key)
        if isinstance(whole, Nothing):
            return whole
        if isinstance(whole, Known):
            if not 1 <= whole.value <= sort.capacity:
                return Nothing("beyond the sequence")
            return element_at(function, whole.value - 1)
        return Term(Operator.AT, sort.element, (function, t.term(subtract(t, whole, Known(1)))))
    if isinstance(sort, Function | PartialFunction):
        if sort.domain == NOTHING and isinstance(sort, PartialFunction):
            return Nothing("outside of the domain")
        inside, at = _key(t, key, sort)
        if inside is NO:
            return Nothing("outside of the domain")
        return if_(t, inside, Term(Operator.APPLY, sort.range, (function, at)), Nothing("outside"))
    return Nothing("a function is expected")


def _key(t: Translator, key: Sym, sort: Function | PartialFunction) -> tuple[Sym, Term]:
    """Return the formula that a key has the kind of a function's keys, and the key in their sort."""
    if isinstance(key, Known):
        try:
            return YES, literal(sort.domain, t.names.encode(key.value, sort.domain))
        except NotInSort:
            return NO, number(0)
    return t.fit_kinds(t.term(key), sort.domain)


# -- EXCEPT


def update_at(t: Translator, function: Sym, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
    """``[function EXCEPT !path = make(@)]``"""
    if not path:
        return make(function)
    key, rest = path[0], path[1:]
    if isinstance(function, LazyMap):
        function = t.term(function)
    for part in (function, key):
        if isinstance(part, Nothing):
            return part
    if isinstance(function, Chosen):
        return if_(
            t,
            function.condition,
            update_at(t, function.then, path, make),
            update_at(t, function.otherwise, path, make),
        )

    def inner(old: Sym) -> Sym:
        return update_at(t, old, rest, make)

    return t.after(require_comparable_key(t, function, key), _update_function(t, function, path, make, inner))


def _update_function(
    t: Translator, function: Sym, path: list[Sym], make: Callable[[Sym], Sym], inner: Callable[[Sym], Sym]
) -> Sym:
    key = path[0]
    table = table_of(function)
    if table is None and isinstance(function, Term) and isinstance(function.sort, Record | Tuple):
        table = rows_of(t, function)
    if table is not None:
        return _update_table(t, table, key, inner)
    if isinstance(function, Row):
        return _update_row(t, function, key, inner)
    if isinstance(function, Entries):
        function = t.term(function)
    if isinstance(function, Known) and is_function(function.value):
        raise Untranslated(None, "EXCEPT of a function that cannot be listed")
    if not isinstance(function, Term):
        return Nothing("a function is expected")
    return _update_by_sort(t, function, path, make)


def _update_row(t: Translator, row: Row, key: Sym, inner: Callable[[Sym], Sym]) -> Row:
    slots = []
    for place, old in enumerate(row.slots, 1):
        here = _is_key(t, key, place)
        slots.append(old if here is NO else if_(t, here, inner(old), old))
    return Row(tuple(slots), row.length)


def _update_by_sort(t: Translator, function: Term, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
    sort = function.sort
    if t.names.lists(sort):
        return over_listed(t, function, lambda one: update_at(t, one, path, make))
    if isinstance(sort, Variant):
        return over_alternatives(t, function, lambda part: update_at(t, part, path, make))
    if isinstance(sort, Sequence):
        row = Row(tuple(element_at(function, i) for i in range(sort.capacity)), sequence_length(function))
        return update_at(t, row, path, make)
    if isinstance(sort, Function | PartialFunction):
        return _update_term(t, function, path[0], lambda old: update_at(t, old, path[1:], make))
    return Nothing("a function is expected")


def _update_table(t: Translator, table: Table, key: Sym, inner: Callable[[Sym], Sym]) -> Sym:
    rows = dict(table.rows)
    if isinstance(key, Known):
        if key.value in rows:
            rows[key.value] = inner(rows[key.value])
            if isinstance(rows[key.value], Nothing):
                return rows[key.value]
    else:
        for one, old in table.rows.items():
            is_key = _is_key(t, key, one)
            if is_key is not NO:
                rows[one] = if_(t, is_key, inner(old), old)
    return make_known_table(Table(rows))


def _update_term(t: Translator, function: Term, key: Sym, inner: Callable[[Sym], Sym]) -> Sym:
    sort = function.sort
    assert isinstance(sort, Function | PartialFunction)
    inside, at = _key(t, key, sort)
    if inside is NO:
        return function
    if isinstance(sort, PartialFunction):
        domain = Term(Operator.DOMAIN, Set(sort.domain), (function,))
        inside = and_(t, [inside, Term(Operator.CONTAINS, TRUTH, (domain, at))])
    elif not _surely(at, sort):
        keys = literal(Set(sort.domain), frozenset(sort.domain.values()))
        inside = and_(t, [inside, Term(Operator.CONTAINS, TRUTH, (keys, at))])
    new = inner(Term(Operator.APPLY, sort.range, (function, at)))
    if isinstance(new, Nothing):
        return if_(t, inside, new, function)
    try:
        item = (
            literal(sort.range, t.names.encode(new.value, sort.range))
            if isinstance(new, Known)
            else t.term(new)
        )
    except NotInSort:
        item = t.term(new)
    narrow = _update_within(t, function, at, item) if is_to_keep_sort(t, function) else None
    if narrow is not None:
        return if_(t, inside, narrow, function)
    if not alike(item.sort, sort.range):
        wide = join_sorts(t, item.sort, sort.range)
        item = t.convert(item, wide)
        kind = type(sort)(sort.domain, wide)
        function = t.convert(function, kind)
        sort = function.sort
        assert isinstance(sort, Function | PartialFunction)
    result = type(sort)(sort.domain, join_sorts(t, sort.range, item.sort))
    return if_(t, inside, _change_entry(t, function, result, at, item), function)


def _update_within(t: Translator, function: Term, at: Term, item: Term) -> Sym | None:
    """Update a function within its own sort. It has no value where the sort lacks the item. None if no
    formula says where that is."""
    sort = function.sort
    assert isinstance(sort, Function | PartialFunction)
    fits, made = t.fit_kinds(item, sort.range)
    inside = NO if fits is NO else within_sort(t, made, sort.range)
    if inside is None:
        return None
    changed = _change_entry(t, function, sort, at, made)
    return if_(t, and_(t, [fits, inside]), changed, Nothing("outside"))


def _change_entry(
    t: Translator, function: Term, result: Function | PartialFunction, at: Term, item: Term
) -> Term:
    sort = function.sort
    assert isinstance(sort, Function | PartialFunction)
    operator = Operator.EXTEND if isinstance(sort, PartialFunction) else Operator.FUNCTION_UPDATE
    if not isinstance(at.sort, SCALARS) and isinstance(sort, PartialFunction):
        at = t.convert(at, sort.domain)
    return Term(operator, result, (function, at, item))


def _surely(key: Term, sort: Function) -> bool:
    """True if a key is in the domain in every state."""
    if isinstance(key.sort, SCALARS):
        return all(sort.domain.contains(value) for value in key.sort.values())
    return key.sort == sort.domain
