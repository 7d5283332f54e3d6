"""Conversions of functions whose domain varies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import (
    Function,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import and_, formula_of, if_, implies
from verifier.tla.translate.joining import join_all_sorts
from verifier.tla.translate.making import as_partial, equals, instead_of, less, term_of_row, term_of_table
from verifier.tla.translate.parts import (
    element_at,
    field_of,
    item_of,
    itself,
    sequence_length,
)
from verifier.tla.translate.symbolic import NO, YES, Known, Row, Sym, Table
from verifier.tla.translate.terms import (
    TRUTH,
    literal,
    number,
    variable,
)
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def to_partial(t: Translator, value: Term, target: PartialFunction) -> tuple[Sym, Term]:
    source = value.sort
    rows: dict[Value, Sym]
    if isinstance(source, Function | PartialFunction):
        symbol = Symbol("k", target.domain)
        known, key = t.fit_kinds(variable(symbol), source.domain)
        if known is NO:
            if isinstance(source, PartialFunction):
                none = literal(target, t.names.encode((), target))
                return equals(
                    t, Term(Operator.DOMAIN, Set(source.domain), (value,)), Known(frozenset())
                ), none
            return NO, value
        keys: Term = literal(Set(source.domain), frozenset(source.domain.values()))
        if isinstance(source, PartialFunction):
            keys = Term(Operator.DOMAIN, Set(source.domain), (value,))
        inside = and_(t, [known, Term(Operator.CONTAINS, TRUTH, (keys, key))])
        fits, body = t.fit_kinds(Term(Operator.APPLY, source.range, (value, key)), target.range)
        if fits is not YES:
            body = t.convert(Term(Operator.APPLY, source.range, (value, key)), target.range)
        sort = PartialFunction(target.domain, body.sort)
        return _keys_within(t, keys, source.domain, target.domain), Term(
            Operator.PARTIAL_FUNCTION, sort, (formula_of(t, inside), body), binds=symbol
        )
    if isinstance(source, Tuple):
        rows = {place: item_of(value, place - 1) for place in range(1, len(source.items) + 1)}
    elif isinstance(source, Record):
        rows = {name: field_of(value, name) for name, _ in source.fields}
    else:
        assert isinstance(source, Sequence)
        return _sequence_to_partial(t, value, source, target)
    if not rows:
        return YES, instead_of(t, value, literal(target, t.names.encode((), target)))
    for key in rows:
        try:
            t.names.encode(key, target.domain)
        except NotInSort:
            return NO, value
    return YES, as_partial(t, Table(rows), target.domain, target.range)


def _sequence_to_partial(
    t: Translator, value: Term, source: Sequence, target: PartialFunction
) -> tuple[Sym, Term]:
    length, rows, tests = sequence_length(value), [], list[Sym]()
    for place, key in enumerate(_places(t, target.domain)[: source.capacity]):
        fits, part = t.fit_kinds(element_at(value, place), target.range)
        if fits is NO:
            break
        rows.append((key, part))
        tests.append(implies(t, less(t, Known(place), length), partial(itself, fits)))
    if len(rows) < source.capacity:
        tests.append(less(t, length, Known(len(rows)), equal=True))
    sort = PartialFunction(target.domain, join_all_sorts(t, [target.range, *(part.sort for _, part in rows)]))
    made: Term = literal(sort, t.names.encode((), sort))
    for place, (key, part) in enumerate(rows):
        longer = Term(Operator.EXTEND, sort, (made, key, t.convert(part, sort.range)))
        made = Term(Operator.IF, sort, (Term(Operator.LESS, TRUTH, (number(place), length)), longer, made))
    return and_(t, tests), made


def _keys_within(t: Translator, keys: Term, source: Sort, target: Sort) -> Sym:
    """Return the formula that another sort has all keys of a function."""
    if source == target:
        return YES
    inside = set[Concrete]()
    for key in source.values():
        try:
            t.names.encode(t.names.decode(key, source), target)
        except NotInSort:
            continue
        inside.add(key)
    if len(inside) == source.size:
        return YES
    return Term(Operator.SUBSET, TRUTH, (keys, literal(Set(source), frozenset(inside))))


def from_partial(t: Translator, value: Term, target: Sort) -> tuple[Sym, Term]:
    source = value.sort
    assert isinstance(source, PartialFunction)
    keys: list[Value]
    if isinstance(target, Function):
        keys = [t.names.decode(key, target.domain) for key in target.domain.values()]
    elif isinstance(target, Tuple):
        keys = list(range(1, len(target.items) + 1))
    else:
        assert isinstance(target, Record)
        keys = list(target.field_sorts)
    try:
        rows: dict[Value, Sym] = {key: value_at(t, value, Known(key)) for key in keys}
    except NotInSort:
        return NO, value
    domain = Term(Operator.DOMAIN, Set(source.domain), (value,))
    fits = equals(t, domain, Known(frozenset(keys)))
    further, made = t.fit_kinds(term_of_table(t, Table(rows)), target)
    return and_(t, [fits, further]), made


def partial_to_sequence(t: Translator, value: Term, target: Sequence) -> tuple[Sym, Term]:
    row = row_of_partial(t, value)
    slots = []
    fits = []
    for place, slot in enumerate(row.slots[: target.capacity]):
        fit, made = t.fit_kinds(t.term(slot), target.element)
        fits.append(implies(t, less(t, Known(place), row.length), partial(itself, fit)))
        slots.append(unless_unused(fit, made, target.element))
    short = less(t, row.length, Known(target.capacity), equal=True)
    cut = Row(tuple(slots), if_(t, short, row.length, Known(0)))
    return and_(t, [is_row(t, value, row), short, *fits]), term_of_row(t, cut)


def row_of_partial(t: Translator, value: Term) -> Row:
    """Return a function whose domain varies by its values at 1, 2, 3 and so on."""
    assert isinstance(value.sort, PartialFunction)
    count = len(_places(t, value.sort.domain))
    domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
    size = Term(Operator.CARDINALITY, Range(0, value.sort.domain.size), (domain,))
    return Row(tuple(value_at(t, value, Known(place)) for place in range(1, count + 1)), size)


def _places(t: Translator, keys: Sort) -> list[Term]:
    """Return 1, 2, 3 and so on as terms of a sort of keys, up to the first that the sort lacks."""
    places: list[Term] = []
    while True:
        try:
            places.append(literal(keys, t.names.encode(len(places) + 1, keys)))
        except NotInSort:
            return places


def is_row(t: Translator, value: Term, row: Row) -> Sym:
    """Return the formula that the domain of a function is 1 to the number of its elements."""
    assert isinstance(value.sort, PartialFunction)
    domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
    places = _places(t, value.sort.domain)
    keys = literal(Set(value.sort.domain), frozenset(place.data for place in places))
    within = Term(Operator.SUBSET, TRUTH, (domain, keys))
    used = [
        implies(
            t,
            less(t, Known(number), row.length),
            partial(itself, Term(Operator.CONTAINS, TRUTH, (domain, place))),
        )
        for number, place in enumerate(places)
    ]
    return and_(t, [within, *used])


def unless_unused(fits: Sym, slot: Term, element: Sort) -> Term:
    """Return a slot of a converted sequence. If no element fits, no sequence that fits uses the slot."""
    return literal(element, element.default) if fits is NO else slot


def value_at(t: Translator, value: Term, key: Known) -> Term:
    """Return the value of a function at a key that its domain has."""
    assert isinstance(value.sort, Function | PartialFunction)
    made = literal(value.sort.domain, t.names.encode(key.value, value.sort.domain))
    return Term(Operator.APPLY, value.sort.range, (value, made))
