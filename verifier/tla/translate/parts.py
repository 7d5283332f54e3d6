"""Parts of values: the payload of a variant, an item, a field, an element; functions as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.sorts import Function, Range, Record, Sequence, Tuple, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.symbolic import NO, YES, Known, LazyMap, Members, Sym, Table
from verifier.tla.translate.terms import TRUTH, literal, number
from verifier.tla.value_types import Fn, NoValue, function
from verifier.tla.values import LazyFunction, is_function, is_infinite, materialize

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def payload_of(value: Term, tag: str) -> Term:
    """Return the payload that a variant has under a tag."""
    assert isinstance(value.sort, Variant)
    if value.operator is Operator.VARIANT and value.data == tag:
        return value.arguments[0]
    return Term(Operator.PAYLOAD, value.sort.payload(tag), (value,), tag)


def has_tag(value: Term, tag: str) -> Sym:
    """Return the formula that a variant has a tag."""
    if value.operator is Operator.VARIANT:
        return YES if value.data == tag else NO
    return Term(Operator.HAS_TAG, TRUTH, (value,), tag)


def item_of(value: Term, place: int) -> Term:
    """Return an item of a tuple, counted from 0."""
    assert isinstance(value.sort, Tuple)
    if value.operator is Operator.TUPLE:
        return value.arguments[place]
    return Term(Operator.FIELD, value.sort.items[place], (value,), place)


def field_of(value: Term, name: str) -> Term:
    """Return a field of a record."""
    assert isinstance(value.sort, Record)
    if value.operator is Operator.RECORD:
        return value.arguments[list(value.sort.field_sorts).index(name)]
    return Term(Operator.FIELD, value.sort.field_sorts[name], (value,), name)


def sequence_length(value: Term) -> Term:
    """Return the length of a sequence."""
    assert isinstance(value.sort, Sequence)
    return Term(Operator.LENGTH, Range(0, value.sort.capacity), (value,))


def element_at(value: Term, place: int) -> Term:
    """Return an element of a sequence, counted from 0."""
    assert isinstance(value.sort, Sequence)
    return Term(Operator.AT, value.sort.element, (value, number(place)))


def table_of(value: Sym) -> Table | None:
    """Return a function whose keys are known as a table; None for any other value."""
    match value:
        case Table():
            return value
        case LazyMap():
            return table_of(value.whole())
        case Known(LazyFunction() as lazy) if is_infinite(lazy.domain):
            return None
        case Known():
            table = materialize(value.value) if is_function(value.value) else value.value
            if isinstance(table, tuple):
                return Table({number: Known(item) for number, item in enumerate(table, 1)})
            if isinstance(table, Fn):
                return Table({key: Known(item) for key, item in table.items()})
    return None


def set_of(items: list[tuple[Sym, Sym]]) -> Sym:
    """Return the set of items, each with the condition under which it is a member. The set is a known value
    if all conditions and items are known."""
    if all(condition is YES and isinstance(item, Known) for condition, item in items):
        try:
            return Known(frozenset(materialize(item.value) for _, item in items))  # type: ignore[union-attr]
        except NoValue:
            pass
    return Members(tuple(items))


def make_known_table(table: Table) -> Sym:
    """Return a table as a known value if all its values are known."""
    if all(isinstance(item, Known) for item in table.rows.values()):
        return Known(function({key: materialize(item.value) for key, item in table.rows.items()}))  # type: ignore[union-attr]
    return table


def itself(value: Sym) -> Sym:
    return value


def rows_of(t: Translator, item: Sym) -> Table | None:
    """Return a function as a table if its keys do not depend on the state; None otherwise."""
    table = table_of(item)
    if table is not None or not isinstance(item, Term):
        return table
    sort = item.sort
    match sort:
        case Record():
            return Table({n: field_of(item, n) for n, _ in sort.fields})
        case Tuple():
            return Table({n + 1: item_of(item, n) for n in range(len(sort.items))})
        case Function():
            return Table(
                {
                    t.names.decode(key, sort.domain): Term(
                        Operator.APPLY, sort.range, (item, literal(sort.domain, key))
                    )
                    for key in sort.domain.values()
                }
            )
    return None
