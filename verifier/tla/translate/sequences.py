"""Sequences, by their slots and their length."""

from __future__ import annotations

from itertools import product

from verifier.encodings.sorts import Boolean, Listed, PartialFunction, Range, Sequence, Set, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.functions import Mappings
from verifier.tla.translate.making import known_table
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import MOST_EXPANDED, bounds_of
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
from verifier.tla.translate.terms import TRUTH, literal, undefined, variable
from verifier.tla.values import Value

_NO_SEQUENCE = Nothing("a sequence is expected")


class Rows(Mappings):
    """Makes terms of sequences."""

    def row(self, value: Sym) -> Row | Nothing:
        """A sequence by its slots."""
        if isinstance(value, Nothing):
            return value
        if isinstance(value, Row):
            return value
        table = self.rows_of(value)
        if table is not None:
            count = len(table.rows)
            if any(n not in table.rows for n in range(1, count + 1)):
                return _NO_SEQUENCE
            return Row(tuple(table.rows[n] for n in range(1, count + 1)), Known(count))
        if isinstance(value, Chosen | Entries | LazyMap):
            return self.row(self.term(value))
        if not isinstance(value, Term):
            return _NO_SEQUENCE
        if self.names.lists(value.sort):
            return self._row_of_listed(value)
        match value.sort:
            case Sequence() as sort:
                return Row(tuple(self.at(value, i) for i in range(sort.capacity)), self.length(value))
            case Variant():
                return self._row_of_variant(value)
            case PartialFunction():
                row = self.row_of_partial(value)
                whole = self.if_(self.is_row(value, row), YES, _NO_SEQUENCE)
                return Row(row.slots, self.at_most(self.after(whole, row.length), len(row.slots)))
            case Boolean() | Range() | Listed() | Set():
                return _NO_SEQUENCE
        raise Untranslated(None, f"a value of {value.sort} as a sequence")

    def _row_of_listed(self, value: Term) -> Row | Nothing:
        def as_row(one: Sym) -> Sym:
            row = self.row(one)
            return row if isinstance(row, Nothing) else self._row(row)

        whole = self.over_listed(value, as_row)
        return whole if isinstance(whole, Nothing) else self.row(whole)

    def _row_of_variant(self, value: Term) -> Row | Nothing:
        """The alternatives that may be sequences as one; it has no length where the value is of another."""
        assert isinstance(value.sort, Variant)
        parts = {tag: self.payload(value, tag) for tag, _ in value.sort.alternatives}
        rows = {tag: row for tag, part in parts.items() if isinstance(row := self.row(part), Row)}
        if not rows:
            return _NO_SEQUENCE
        if len(rows) == 1:
            ((tag, row),) = rows.items()
            return Row(row.slots, self.strict(row.length, parts[tag]))
        whole: Sym = _NO_SEQUENCE
        for tag, row in rows.items():
            whole = self.if_(self.has_tag(value, tag), self._row(row), whole)
        return self.row(whole)

    def at_most(self, length: Sym, most: int) -> Sym:
        """A length in a sort that goes no higher; undefined beyond."""
        if isinstance(length, Known | Nothing):
            return length
        whole = self.term(length)
        if not isinstance(whole.sort, Range) or (whole.sort.high <= most and whole.sort.low >= 0):
            return whole
        sort = Range(0, most)
        symbol = self.fresh("n", sort)
        same = Term(Operator.EQUAL, TRUTH, (variable(symbol), whole))
        return Term(Operator.CHOOSE, sort, (same,), binds=symbol)

    def as_sequence(self, value: Sym) -> Term:
        """A sequence as a term of such a sort."""
        if isinstance(value, Term) and isinstance(value.sort, Sequence):
            return value
        row = self.row(value)
        if isinstance(row, Nothing):
            return undefined(Sequence(NOTHING, 0))
        if isinstance(row.length, Known):
            items = [self.term(slot) for slot in row.slots]
            element = self.join_all([item.sort for item in items])
            made = tuple(self.convert(item, element) for item in items)
            if not made:
                return literal(Sequence(NOTHING, 0), ())
            return Term(Operator.SEQUENCE, Sequence(element, len(made)), made)
        return self._row(row)

    # -- operators

    def length_of(self, value: Sym) -> Sym:
        """``Len``"""
        if isinstance(value, Chosen):
            return self.if_(value.condition, self.length_of(value.then), self.length_of(value.otherwise))
        row = self.row(value)
        return row if isinstance(row, Nothing) else row.length

    def bounded(self, base: Sym, most: Sym) -> Sym:
        """``BoundedSeq``: the sequences of members, no longer than ``most``."""
        count = self.integer(most)
        if isinstance(count, Nothing):
            return count
        longest = bounds_of(self.term(count).sort).high
        items = [case.item.value for case in self.each_once(base) if isinstance(case.item, Known)]
        rows: list[tuple[Value, ...]] = []
        for size in range(longest + 1):
            rows += product(items, repeat=size)
            if len(rows) > MOST_EXPANDED:
                words = f"BoundedSeq may have more than {MOST_EXPANDED} members, where the state decides it"
                raise Untranslated(None, words)

        def inside(row: Sym) -> Sym:
            short = self.less(self.length_of(row), count, equal=True)
            return self.and_([short, self.has_candidate(AllSequences(base), row)])

        return Part(Known(frozenset(rows)), inside)

    def head(self, value: Sym) -> Sym:
        """``Head``, undefined of a function that is no sequence."""
        if isinstance(value, Term) and isinstance(value.sort, Sequence):
            return self.apply(value, Known(1))
        if isinstance(value, Chosen):
            return self.if_(value.condition, self.head(value.then), self.head(value.otherwise))
        row = self.row(value)
        if isinstance(row, Nothing) or not row.slots:
            return row if isinstance(row, Nothing) else Nothing("Head of the empty sequence")
        empty = Nothing("Head of the empty sequence")
        return self.if_(self.less(Known(0), row.length), row.slots[0], empty)

    def tail(self, value: Sym) -> Sym:
        """``Tail``"""
        row = self.row(value)
        if isinstance(row, Nothing) or not row.slots:
            return row if isinstance(row, Nothing) else Nothing("Tail of the empty sequence")
        some = self.less(Known(0), row.length)
        return self.if_(
            some, self.subsequence(row, Known(2), row.length), Nothing("Tail of the empty sequence")
        )

    def sub_seq(self, value: Sym, first: Sym, last: Sym) -> Sym:
        """``SubSeq``"""
        row, low, high = self.row(value), self.integer(first), self.integer(last)
        if isinstance(row, Nothing):
            return row
        for part in (low, high):
            if isinstance(part, Nothing):
                return part
        inside = self.or_(
            [
                self.less(high, low),
                self.and_([self.less(Known(1), low, equal=True), self.less(high, row.length, equal=True)]),
            ]
        )
        found = self.if_(inside, self.subsequence(row, low, high), Nothing("SubSeq leaves the sequence"))
        return self.strict(found, row.length)

    def select_seq(self, value: Sym, test: Sym) -> Sym:
        """``SelectSeq``"""
        assert isinstance(test, Op)
        term = self.as_sequence(value)
        symbol = self.fresh("e", term.sort.element)  # type: ignore[attr-defined]
        condition = self.formula(test.call(variable(symbol)))
        return Term(Operator.FILTER, term.sort, (term, condition), binds=symbol)

    def reversed(self, value: Sym) -> Sym:
        """``Reverse``"""
        term = self.as_sequence(value)
        return Term(Operator.REVERSE, term.sort, (term,))

    def subsequence(self, row: Row, first: Sym, last: Sym) -> Sym:
        """``SubSeq``, by slots; nothing is asked of the bounds."""
        long = self.if_(
            self.less(last, first),
            Known(0),
            self.arithmetic(Operator.ADD, self.subtract(last, first), Known(1)),
        )
        slots: list[Sym] = []
        if isinstance(first, Known):
            slots = list(row.slots[max(first.value - 1, 0) :])
        else:
            for place in range(len(row.slots)):
                at = self.arithmetic(Operator.ADD, first, Known(place))
                item: Sym = Nothing("beyond the sequence")
                for index, one in enumerate(row.slots, 1):
                    item = self.if_(self.equal(at, Known(index)), one, item)
                slots.append(item)
        if isinstance(long, Known):
            return known_table(Table(dict(enumerate(slots[: long.value], 1))))
        slots = [slot for slot in slots if not isinstance(slot, Nothing)]
        # A length above the slots is not reached where SubSeq has a value.
        return Row(tuple(slots), self.at_most(long, len(slots)))

    def appended(self, value: Sym, item: Sym) -> Sym:
        """``Append``"""
        if isinstance(item, Nothing):
            return item
        return self.concatenated(value, Table({1: item}))

    def concatenated(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\o other``"""
        first, second = self.row(one), self.row(other)
        if isinstance(first, Nothing) or isinstance(second, Nothing):
            return first if isinstance(first, Nothing) else second
        if isinstance(first.length, Known) and isinstance(second.length, Known):
            items = [*first.slots[: first.length.value], *second.slots[: second.length.value]]
            return known_table(Table(dict(enumerate(items, 1))))
        left, right = self.as_sequence(one), self.as_sequence(other)
        assert isinstance(left.sort, Sequence)
        assert isinstance(right.sort, Sequence)
        for empty, rest in ((left, right), (right, left)):
            if isinstance(empty.sort, Sequence) and empty.sort.element == NOTHING:
                return self.strict(rest, empty)
        element = (
            self.join(left.sort.element, right.sort.element)
            if right.sort.element != NOTHING
            else left.sort.element
        )
        if left.sort.element == NOTHING:
            element = right.sort.element
        left = self.convert(left, Sequence(element, left.sort.capacity))
        right = self.convert(right, Sequence(element, right.sort.capacity))
        sort = Sequence(element, left.sort.capacity + right.sort.capacity)  # type: ignore[attr-defined]
        if right.operator is Operator.SEQUENCE and len(right.arguments) == 1:
            return Term(Operator.APPEND, sort, (left, right.arguments[0]))
        return Term(Operator.CONCATENATE, sort, (left, right))

    # -- folds

    def fold_left(self, operator: Sym, base: Sym, of: Sym) -> Sym:
        """``FoldLeft``"""
        return self._fold_row(operator, base, of, left=True)

    def fold_right(self, operator: Sym, of: Sym, base: Sym) -> Sym:
        """``FoldRight``"""
        return self._fold_row(operator, base, of, left=False)

    def _fold_row(self, operator: Sym, base: Sym, of: Sym, *, left: bool) -> Sym:
        assert isinstance(operator, Op)
        row = self.row(of)
        if isinstance(row, Nothing):
            return row
        found, places = base, list(enumerate(row.slots))
        for place, item in places if left else reversed(places):
            made = operator.call(found, item) if left else operator.call(item, found)
            found = self.if_(self.less(Known(place), row.length), made, found)
        return self.strict(found, row.length)


__all__ = ["Rows"]
