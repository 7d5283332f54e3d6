"""The members of sets that consist of a few items."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.order import OrderOfKinds
from verifier.tla.translate.connectives import and_, not_
from verifier.tla.translate.parts import make_known_table
from verifier.tla.translate.symbolic import YES, Known, Members, Products, Sym, Table
from verifier.tla.translate.terms import is_undefined, literal, with_symbols
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import members as values_of

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_ITEMS = 6
"""The largest set whose subsets are enumerated."""


def list_few_items(t: Translator, of: Sym) -> list[tuple[Sym, Sym]] | None:
    """Return the items of a set, each with the condition under which it is a member. None if there may be
    many. Some items may be equal."""
    items: list[tuple[Sym, Sym]] | None = None
    match of:
        case Members():
            items = list(of.items)
        case Known() if isinstance(of.value, frozenset) and len(of.value) <= _MOST_ITEMS:
            items = [(YES, Known(item)) for item in list_in_order(t, of.value)]
        case Products():
            items = _few_tuples(t, of)
        case Term() if of.operator in (Operator.IMAGE, Operator.IF):
            items = _few_images(of) if of.operator is Operator.IMAGE else _few_of_if(t, of)
        case Term() if isinstance(of.sort, Set) and of.sort.element.size <= _MOST_ITEMS:
            values = [t.names.decode(value, of.sort.element) for value in of.sort.element.values()]
            items = [(t.has_candidate(of, Known(value)), Known(value)) for value in values]
    return items if items is not None and len(items) <= _MOST_ITEMS else None


def _few_tuples(t: Translator, of: Products) -> list[tuple[Sym, Sym]] | None:
    parts = [list_few_items(t, part) for part in of.items]
    rows: list[tuple[Sym, Sym]] = []
    for row in product(*(part if part is not None else [None] * (_MOST_ITEMS + 1) for part in parts)):
        if None in row or len(rows) > _MOST_ITEMS:
            return None
        whole = dict(enumerate((one[1] for one in row if one is not None), 1))
        rows.append((and_(t, [one[0] for one in row if one is not None]), make_known_table(Table(whole))))
    return rows


def _few_of_if(t: Translator, of: Term) -> list[tuple[Sym, Sym]] | None:
    """List the items of an IF, as `list_few_items` does. A side without a value has no items; other formulas
    check that it is read."""
    condition, then, otherwise = of.arguments
    rows: list[tuple[Sym, Sym]] = []
    for when, side in ((condition, then), (not_(t, condition), otherwise)):
        if is_undefined(side):
            continue
        items = list_few_items(t, side)
        if items is None:
            return None
        rows += [(and_(t, [when, inside]), item) for inside, item in items]
    return rows


def _few_images(of: Term) -> list[tuple[Sym, Sym]] | None:
    symbol = of.binds
    assert symbol is not None
    if symbol.sort.size > _MOST_ITEMS:
        return None
    rows: list[tuple[Sym, Sym]] = []
    for value in symbol.sort.values():
        put = {symbol: literal(symbol.sort, value)}
        inside, item = (with_symbols(part, put) for part in of.arguments)
        rows.append((inside, item))
    return rows


def list_in_order(t: Translator, value: Value) -> list[Value]:
    """Return the members of a finite set, in TLC's order where TLC has one."""
    try:
        return list(t.names.order.walk(value))
    except NoValue:
        return OrderOfKinds(t.names.order).sort(frozenset(values_of(value)))
