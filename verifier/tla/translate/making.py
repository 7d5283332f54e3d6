"""Terms for values, access to their parts, and comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.sorts import Function, PartialFunction, Record, Sequence, Sort, Tuple, is_field
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.translate.connectives import and_, formula_of, if_, is_total, or_
from verifier.tla.translate.joining import fit_pair, join_all_sorts
from verifier.tla.translate.parts import table_of
from verifier.tla.translate.shape_sorts import exact_sort, sort_of
from verifier.tla.translate.shapes import NOTHING, Shape
from verifier.tla.translate.symbolic import NO, YES, Chosen, Entries, Known, Nothing, Row, Sym, Table
from verifier.tla.translate.terms import SCALARS, TRUTH, literal, make_undefined_term, meet, number, variable
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import materialize, same

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def term_of_entries(t: Translator, entries: Entries) -> Term:
    items = [(when, t.term(key), t.term(item)) for when, key, item in entries.rows]
    keys = join_all_sorts(t, [key.sort for _, key, _ in items])
    sort = PartialFunction(keys, join_all_sorts(t, [item.sort for *_, item in items]))
    term = literal(sort, t.names.encode((), sort))
    for when, key, item in items:
        parts = (term, t.convert(key, sort.domain), t.convert(item, sort.range))
        longer = Term(Operator.EXTEND, sort, parts)
        term = longer if when is YES else Term(Operator.IF, sort, (formula_of(t, when), longer, term))
    return term


def term_of_table(t: Translator, table: Table) -> Term:
    rows = table.rows
    if not rows:
        return literal(Tuple(), ())
    if all(key in rows for key in range(1, len(rows) + 1)) and all(type(k) is int for k in rows):
        row = [t.term(rows[key]) for key in range(1, len(rows) + 1)]
        return Term(Operator.TUPLE, Tuple(*(item.sort for item in row)), tuple(row))
    if all(type(key) is str and is_field(key) for key in rows):
        fields = {k: t.term(rows[k]) for k in t.names.order.sort(rows)}
        sort = Record(**{name: item.sort for name, item in fields.items()})
        return Term(Operator.RECORD, sort, tuple(fields.values()))
    exact = exact_sort(frozenset(rows), t.names)
    if exact is None:
        shape = Shape()
        for key in rows:
            shape.add(key)
        return as_partial(t, table, sort_of(shape, t.names), None)
    items = {key: t.term(item) for key, item in rows.items()}
    result = join_all_sorts(t, [item.sort for item in items.values()])
    symbol = Symbol("k", exact)
    term: Term | None = None
    for key, item in reversed(items.items()):
        converted = t.convert(item, result)
        if term is None:
            term = converted
            continue
        is_key = Term(Operator.EQUAL, TRUTH, (variable(symbol), literal(exact, t.names.encode(key, exact))))
        term = Term(Operator.IF, result, (is_key, converted, term))
    assert term is not None
    return Term(Operator.FUNCTION, Function(exact, result), (term,), binds=symbol)


def as_partial(t: Translator, table: Table, keys: Sort, result: Sort | None) -> Term:
    """Return a table as a function whose domain may vary."""
    items = {key: t.term(item) for key, item in table.rows.items()}
    result = join_all_sorts(t, [item.sort for item in items.values()] + ([result] if result else []))
    sort = PartialFunction(keys, result)
    symbol = Symbol("k", keys)
    body: Term = make_undefined_term(result)
    inside: list[Sym] = []
    for key, item in reversed(items.items()):
        is_key = Term(Operator.EQUAL, TRUTH, (variable(symbol), literal(keys, t.names.encode(key, keys))))
        inside.append(is_key)
        body = Term(Operator.IF, result, (is_key, t.convert(item, result), body))
    return Term(Operator.PARTIAL_FUNCTION, sort, (formula_of(t, or_(t, inside)), body), binds=symbol)


def instead_of(t: Translator, value: Term, literal: Term) -> Term:
    """Return the only value of a sort as a value of another sort. It still reads the value."""
    return t.term(t.strict(literal, value))


def term_of_row(t: Translator, row: Row) -> Term:
    items = [t.term(slot) for slot in row.slots]
    if not items:
        return instead_of(t, t.term(row.length), literal(Sequence(NOTHING, 0), ()))
    element = join_all_sorts(t, [item.sort for item in items])
    slots = []
    default = literal(element, element.default)
    length = t.term(row.length)
    for place, item in enumerate(items):
        used = Term(Operator.LESS, TRUTH, (number(place), length))
        slots.append(Term(Operator.IF, element, (used, t.convert(item, element), default)))
    whole = Term(Operator.SEQUENCE, Sequence(element, len(slots)), tuple(slots))
    return Term(Operator.TRUNCATE, whole.sort, (whole, length))


# -- comparison


def less(t: Translator, one: Sym, other: Sym, *, equal: bool = False) -> Sym:
    """Translate ``one < other``, or with ``equal`` ``one <= other``."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return one if isinstance(one, Nothing) else other
    if isinstance(one, Known) and isinstance(other, Known):
        return YES if (one.value < other.value or (equal and one.value == other.value)) else NO
    operator = Operator.LESS_EQUAL if equal else Operator.LESS
    return Term(operator, TRUTH, (t.term(one), t.term(other)))


def equals(t: Translator, one: Sym, other: Sym) -> Sym:
    """Return the formula that two values are equal."""
    if isinstance(one, Nothing) or isinstance(other, Nothing):
        return one if isinstance(one, Nothing) else other
    if isinstance(one, Known) and isinstance(other, Known):
        try:
            return YES if same(materialize(one.value), materialize(other.value)) else NO
        except NoValue as error:
            return Nothing(str(error))
    for this, that in ((one, other), (other, one)):
        if isinstance(this, Chosen):
            return if_(t, this.condition, equals(t, this.then, that), equals(t, this.otherwise, that))
    parts, others = _parts_of(one), _parts_of(other)
    if parts is not None and others is not None:
        if parts.keys() != others.keys():
            return NO
        return and_(t, [equals(t, item, others[key]) for key, item in parts.items()])
    (fits, left), (also, right) = fit_pair(t, one, other)
    if fits is YES and also is YES:
        return _equal_terms(t, left, right)
    if fits is NO and also is NO:
        return Nothing("outside")
    both = and_(t, [fits, also])
    there = NO if both is NO else if_(t, both, _equal_terms(t, left, right), NO)
    return if_(t, or_(t, [fits, also]), there, Nothing("outside"))


def _equal_terms(t: Translator, left: Term, right: Term) -> Sym:
    if left is right and is_total(t, left):
        return YES
    if left.operator is right.operator is Operator.LITERAL:
        values = [t.names.decode(part.data, part.sort) for part in (left, right)]
        return YES if values[0] == values[1] else NO
    scalars = isinstance(left.sort, SCALARS) and isinstance(right.sort, SCALARS)
    if scalars and not meet(left.sort, right.sort):
        return t.strict(NO, left, right)
    return Term(Operator.EQUAL, TRUTH, (left, right))


def _parts_of(value: Sym) -> dict[Value, Sym] | None:
    """Return the parts of a tuple or record that the expression itself builds. None for any other value."""
    if isinstance(value, Term) and value.operator is Operator.RECORD:
        assert isinstance(value.sort, Record)
        names = list(value.sort.field_sorts)
        return dict(zip(names, value.arguments, strict=True))
    if isinstance(value, Term) and value.operator is Operator.TUPLE:
        return dict(enumerate(value.arguments, 1))
    table = table_of(value) if isinstance(value, Known | Table) else None
    return None if table is None else table.rows
