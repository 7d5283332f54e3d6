"""Sequences, given by their slots and their length."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from verifier.encodings.sorts import Boolean, Listed, PartialFunction, Range, Sequence, Set, Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.translate.arithmetic import add_or_subtract, subtract
from verifier.tla.translate.connectives import and_, formula_of, if_, or_
from verifier.tla.translate.function_conversions import is_row, row_of_partial
from verifier.tla.translate.functions import apply
from verifier.tla.translate.joining import join_all_sorts, join_sorts
from verifier.tla.translate.listed_sorts import over_listed
from verifier.tla.translate.making import equals, less, term_of_row
from verifier.tla.translate.parts import (
    element_at,
    has_tag,
    make_known_table,
    payload_of,
    rows_of,
    sequence_length,
)
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import MOST_EXPANDED, bounds_of, each_once, integer_of
from verifier.tla.translate.symbolic import (
    YES,
    AllSequences,
    Chosen,
    Entries,
    Known,
    LazyMap,
    Nothing,
    Part,
    Row,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, literal, make_undefined_term, variable
from verifier.tla.value_types import Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_NO_SEQUENCE = Nothing("a sequence is expected")


def row_of(t: Translator, value: Sym) -> Row | Nothing:
    """Return a sequence by its slots."""
    if isinstance(value, Nothing):
        return value
    if isinstance(value, Row):
        return value
    table = rows_of(t, value)
    if table is not None:
        count = len(table.rows)
        if any(n not in table.rows for n in range(1, count + 1)):
            return _NO_SEQUENCE
        return Row(tuple(table.rows[n] for n in range(1, count + 1)), Known(count))
    if isinstance(value, Chosen | Entries | LazyMap):
        return row_of(t, t.term(value))
    if not isinstance(value, Term):
        return _NO_SEQUENCE
    if t.names.lists(value.sort):
        return _row_of_listed(t, value)
    match value.sort:
        case Sequence() as sort:
            return Row(tuple(element_at(value, i) for i in range(sort.capacity)), sequence_length(value))
        case Variant():
            return _row_of_variant(t, value)
        case PartialFunction():
            row = row_of_partial(t, value)
            whole = if_(t, is_row(t, value, row), YES, _NO_SEQUENCE)
            return Row(row.slots, at_most(t, t.after(whole, row.length), len(row.slots)))
        case Boolean() | Range() | Listed() | Set():
            return _NO_SEQUENCE
    raise Untranslated(None, f"a value of {value.sort} as a sequence")


def _row_of_listed(t: Translator, value: Term) -> Row | Nothing:
    def as_row(one: Sym) -> Sym:
        row = row_of(t, one)
        return row if isinstance(row, Nothing) else term_of_row(t, row)

    whole = over_listed(t, value, as_row)
    return whole if isinstance(whole, Nothing) else row_of(t, whole)


def _row_of_variant(t: Translator, value: Term) -> Row | Nothing:
    """Return the alternatives of a variant that may be sequences as one. It has no length where the value is
    of another alternative."""
    assert isinstance(value.sort, Variant)
    parts = {tag: payload_of(value, tag) for tag, _ in value.sort.alternatives}
    rows = {tag: row for tag, part in parts.items() if isinstance(row := row_of(t, part), Row)}
    if not rows:
        return _NO_SEQUENCE
    if len(rows) == 1:
        ((tag, row),) = rows.items()
        return Row(row.slots, t.strict(row.length, parts[tag]))
    whole: Sym = _NO_SEQUENCE
    for tag, row in rows.items():
        whole = if_(t, has_tag(value, tag), term_of_row(t, row), whole)
    return row_of(t, whole)


def at_most(t: Translator, length: Sym, most: int) -> Sym:
    """Return a length in a sort with this upper bound. It is undefined beyond the bound."""
    if isinstance(length, Known | Nothing):
        return length
    whole = t.term(length)
    if not isinstance(whole.sort, Range) or (whole.sort.high <= most and whole.sort.low >= 0):
        return whole
    sort = Range(0, most)
    symbol = Symbol("n", sort)
    same = Term(Operator.EQUAL, TRUTH, (variable(symbol), whole))
    return Term(Operator.CHOOSE, sort, (same,), binds=symbol)


def as_sequence(t: Translator, value: Sym) -> Term:
    """Return a sequence as a term of a sort of sequences."""
    if isinstance(value, Term) and isinstance(value.sort, Sequence):
        return value
    row = row_of(t, value)
    if isinstance(row, Nothing):
        return make_undefined_term(Sequence(NOTHING, 0))
    if isinstance(row.length, Known):
        items = [t.term(slot) for slot in row.slots]
        element = join_all_sorts(t, [item.sort for item in items])
        made = tuple(t.convert(item, element) for item in items)
        if not made:
            return literal(Sequence(NOTHING, 0), ())
        return Term(Operator.SEQUENCE, Sequence(element, len(made)), made)
    return term_of_row(t, row)


# -- operators


def length_of(t: Translator, value: Sym) -> Sym:
    """Translate ``Len``."""
    if isinstance(value, Chosen):
        return if_(t, value.condition, length_of(t, value.then), length_of(t, value.otherwise))
    row = row_of(t, value)
    return row if isinstance(row, Nothing) else row.length


def translate_bounded_sequences(t: Translator, base: Sym, most: Sym) -> Sym:
    """Translate ``BoundedSeq``: the sequences of members, no longer than ``most``."""
    count = integer_of(t, most)
    if isinstance(count, Nothing):
        return count
    longest = bounds_of(t.term(count).sort).high
    items = [case.item.value for case in each_once(t, base) if isinstance(case.item, Known)]
    rows: list[tuple[Value, ...]] = []
    for size in range(longest + 1):
        rows += product(items, repeat=size)
        if len(rows) > MOST_EXPANDED:
            words = f"BoundedSeq may have more than {MOST_EXPANDED} members, where the state decides it"
            raise Untranslated(None, words)

    def inside(row: Sym) -> Sym:
        short = less(t, length_of(t, row), count, equal=True)
        return and_(t, [short, t.has_candidate(AllSequences(base), row)])

    return Part(Known(frozenset(rows)), inside)


def head_of(t: Translator, value: Sym) -> Sym:
    """Translate ``Head``. It is undefined for a function that is no sequence."""
    if isinstance(value, Term) and isinstance(value.sort, Sequence):
        return apply(t, value, Known(1))
    if isinstance(value, Chosen):
        return if_(t, value.condition, head_of(t, value.then), head_of(t, value.otherwise))
    row = row_of(t, value)
    if isinstance(row, Nothing) or not row.slots:
        return row if isinstance(row, Nothing) else Nothing("Head of the empty sequence")
    empty = Nothing("Head of the empty sequence")
    return if_(t, less(t, Known(0), row.length), row.slots[0], empty)


def tail_of(t: Translator, value: Sym) -> Sym:
    """Translate ``Tail``."""
    row = row_of(t, value)
    if isinstance(row, Nothing) or not row.slots:
        return row if isinstance(row, Nothing) else Nothing("Tail of the empty sequence")
    some = less(t, Known(0), row.length)
    return if_(t, some, subsequence(t, row, Known(2), row.length), Nothing("Tail of the empty sequence"))


def sub_seq(t: Translator, value: Sym, first: Sym, last: Sym) -> Sym:
    """Translate ``SubSeq``."""
    row, low, high = row_of(t, value), integer_of(t, first), integer_of(t, last)
    if isinstance(row, Nothing):
        return row
    for part in (low, high):
        if isinstance(part, Nothing):
            return part
    inside = or_(
        t,
        [
            less(t, high, low),
            and_(t, [less(t, Known(1), low, equal=True), less(t, high, row.length, equal=True)]),
        ],
    )
    result = if_(t, inside, subsequence(t, row, low, high), Nothing("SubSeq leaves the sequence"))
    return t.strict(result, row.length)


def select_seq(t: Translator, value: Sym, test: Sym) -> Sym:
    """Translate ``SelectSeq``."""
    assert isinstance(test, Op)
    term = as_sequence(t, value)
    symbol = Symbol("e", term.sort.element)  # type: ignore[attr-defined]
    condition = formula_of(t, test.call(variable(symbol)))
    return Term(Operator.FILTER, term.sort, (term, condition), binds=symbol)


def reverse(t: Translator, value: Sym) -> Sym:
    """Translate ``Reverse``."""
    term = as_sequence(t, value)
    return Term(Operator.REVERSE, term.sort, (term,))


def subsequence(t: Translator, row: Row, first: Sym, last: Sym) -> Sym:
    """Translate ``SubSeq`` by slots, without a check of the bounds."""
    long = if_(
        t,
        less(t, last, first),
        Known(0),
        add_or_subtract(t, Operator.ADD, subtract(t, last, first), Known(1)),
    )
    slots: list[Sym] = []
    if isinstance(first, Known):
        slots = list(row.slots[max(first.value - 1, 0) :])
    else:
        for place in range(len(row.slots)):
            at = add_or_subtract(t, Operator.ADD, first, Known(place))
            item: Sym = Nothing("beyond the sequence")
            for index, one in enumerate(row.slots, 1):
                item = if_(t, equals(t, at, Known(index)), one, item)
            slots.append(item)
    if isinstance(long, Known):
        return make_known_table(Table(dict(enumerate(slots[: long.value], 1))))
    slots = [slot for slot in slots if not isinstance(slot, Nothing)]
    # A length above the slots is not reached where SubSeq has a value.
    return Row(tuple(slots), at_most(t, long, len(slots)))


def append(t: Translator, value: Sym, item: Sym) -> Sym:
    """Translate ``Append``."""
    if isinstance(item, Nothing):
        return item
    return concatenate(t, value, Table({1: item}))


def concatenate(t: Translator, one: Sym, other: Sym) -> Sym:
    r"""``one \\o other``"""
    first, second = row_of(t, one), row_of(t, other)
    if isinstance(first, Nothing) or isinstance(second, Nothing):
        return first if isinstance(first, Nothing) else second
    if isinstance(first.length, Known) and isinstance(second.length, Known):
        items = [*first.slots[: first.length.value], *second.slots[: second.length.value]]
        return make_known_table(Table(dict(enumerate(items, 1))))
    left, right = as_sequence(t, one), as_sequence(t, other)
    assert isinstance(left.sort, Sequence)
    assert isinstance(right.sort, Sequence)
    for empty, rest in ((left, right), (right, left)):
        if isinstance(empty.sort, Sequence) and empty.sort.element == NOTHING:
            return t.strict(rest, empty)
    element = (
        join_sorts(t, left.sort.element, right.sort.element)
        if right.sort.element != NOTHING
        else left.sort.element
    )
    if left.sort.element == NOTHING:
        element = right.sort.element
    left = t.convert(left, Sequence(element, left.sort.capacity))
    right = t.convert(right, Sequence(element, right.sort.capacity))
    sort = Sequence(element, left.sort.capacity + right.sort.capacity)  # type: ignore[attr-defined]
    if right.operator is Operator.SEQUENCE and len(right.arguments) == 1:
        return Term(Operator.APPEND, sort, (left, right.arguments[0]))
    return Term(Operator.CONCATENATE, sort, (left, right))


# -- folds


def fold_left(t: Translator, operator: Sym, base: Sym, of: Sym) -> Sym:
    """Translate ``FoldLeft``."""
    return _fold_row(t, operator, base, of, left=True)


def fold_right(t: Translator, operator: Sym, of: Sym, base: Sym) -> Sym:
    """Translate ``FoldRight``."""
    return _fold_row(t, operator, base, of, left=False)


def _fold_row(t: Translator, operator: Sym, base: Sym, of: Sym, *, left: bool) -> Sym:
    assert isinstance(operator, Op)
    row = row_of(t, of)
    if isinstance(row, Nothing):
        return row
    result, places = base, list(enumerate(row.slots))
    for place, item in places if left else reversed(places):
        made = operator.call(result, item) if left else operator.call(item, result)
        result = if_(t, less(t, Known(place), row.length), made, result)
    return t.strict(result, row.length)
