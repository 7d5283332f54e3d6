"""Functions, records, tuples and sequences: application, EXCEPT, DOMAIN, and operators on sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.sorts import Function, PartialFunction, Range, Record, Sequence, Set, Tuple, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.making import (
    SCALARS,
    TRUTH,
    alike,
    known_table,
    literal,
    number,
    table_of,
    variable,
)
from verifier.tla.translate.sets import Case, Sets
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Chosen,
    Known,
    Nothing,
    Row,
    Single,
    Span,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op


class Mappings(Sets):
    """Makes terms of functions."""

    def apply(self, function: Sym, key: Sym) -> Sym:
        """``function[key]``"""
        if isinstance(function, Nothing) or isinstance(key, Nothing):
            return function if isinstance(function, Nothing) else key
        if isinstance(function, Chosen):
            left, right = self.apply(function.then, key), self.apply(function.otherwise, key)
            return self.if_(function.condition, left, right)
        if isinstance(key, Chosen):
            return self.if_(
                key.condition, self.apply(function, key.then), self.apply(function, key.otherwise)
            )
        match function:
            case Op():
                return function.call(key)
            case Known() | Table():
                table = table_of(function)
                if table is None:
                    return self._apply_lazy(function, key)
                return self._from_table(table, key)
            case Row():
                return self._slot(function, key)
            case Single():
                return self.if_(
                    self.equal(function.key, key), function.value, Nothing("outside of the domain")
                )
            case Term():
                return self._apply_term(function, key)
        return Nothing("a function is expected")

    def _apply_lazy(self, function: Sym, key: Sym) -> Sym:
        from verifier.tla.values import LazyFunction, NoValue

        if isinstance(function, Known) and isinstance(function.value, LazyFunction):
            if isinstance(key, Known):
                try:
                    return Known(function.value.apply(key.value))
                except NoValue:
                    return Nothing("outside of the domain")
            term = self.term(key)
            rows: dict[Any, Sym] = {}
            for value in term.sort.values():
                known = self.names.decode(value, term.sort)
                found = self._apply_lazy(function, Known(known))
                if not isinstance(found, Nothing):
                    rows[known] = found
            return self._from_table(Table(rows), key)
        return Nothing("a function is expected")

    def _from_table(self, table: Table, key: Sym) -> Sym:
        if isinstance(key, Known):
            found = table.rows.get(key.value)
            return found if found is not None else Nothing("outside of the domain")
        result: Sym = Nothing("outside of the domain")
        for one, item in table.rows.items():
            is_key = self.equal(key, Known(one))
            if is_key is NO:
                continue
            result = self.if_(is_key, item, result)
        return result

    def _slot(self, row: Row, key: Sym) -> Sym:
        result: Sym = Nothing("beyond the sequence")
        whole = self.integer(key)
        for place, item in enumerate(row.slots, 1):
            here = self.equal(whole, Known(place))
            if here is not NO:
                inside = self.and_([here, self.less(Known(place), row.length, equal=True)])
                result = self.if_(inside, item, result)
        return result

    def _apply_term(self, function: Term, key: Sym) -> Sym:
        sort = function.sort
        if isinstance(sort, Variant):
            return self.over(function, lambda part: self._apply_term(part, key))
        if isinstance(sort, Record | Tuple):
            rows = self.rows_of(function)
            assert rows is not None
            return self._from_table(rows, key)
        if isinstance(sort, Sequence):
            whole = self.integer(key)
            if isinstance(whole, Nothing):
                return whole
            if isinstance(whole, Known):
                if not 1 <= whole.value <= sort.capacity:
                    return Nothing("beyond the sequence")
                return self.at(function, whole.value - 1)
            return Term(Operator.AT, sort.element, (function, self.term(self.subtract(whole, Known(1)))))
        if isinstance(sort, Function | PartialFunction):
            if sort.domain == NOTHING and isinstance(sort, PartialFunction):
                return Nothing("outside of the domain")
            inside, at = self._key(key, sort)
            if inside is NO:
                return Nothing("outside of the domain")
            return self.if_(inside, Term(Operator.APPLY, sort.range, (function, at)), Nothing("outside"))
        return Nothing("a function is expected")

    def _key(self, key: Sym, sort: Function | PartialFunction) -> tuple[Sym, Term]:
        """Whether a key is of the kind of a function's keys, and the key in that form."""
        if isinstance(key, Known):
            try:
                return YES, literal(sort.domain, self.names.encode(key.value, sort.domain))
            except NotInSort:
                return NO, number(0)
        return self.fitted(self.term(key), sort.domain)

    # -- DOMAIN

    def domain(self, function: Sym) -> Sym:
        """``DOMAIN function``"""
        if isinstance(function, Nothing):
            return function
        if isinstance(function, Chosen):
            return self.if_(function.condition, self.domain(function.then), self.domain(function.otherwise))
        table = self.rows_of(function)
        if table is not None:
            return Known(frozenset(table.rows))
        if isinstance(function, Row):
            return Span(Known(1), function.length)
        if isinstance(function, Single):
            from verifier.tla.translate.symbolic import Members

            return Members(((YES, function.key),))
        if isinstance(function, Term):
            sort = function.sort
            if isinstance(sort, Sequence):
                return Span(Known(1), self.length(function))
            if isinstance(sort, PartialFunction):
                return Term(Operator.DOMAIN, Set(sort.domain), (function,))
            if isinstance(sort, Variant):
                return self.over(function, self.domain)
        return Nothing("a function is expected")

    # -- EXCEPT

    def updated(self, function: Sym, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
        """``[function EXCEPT !path = make(@)]``"""
        if not path:
            return make(function)
        key, rest = path[0], path[1:]
        for part in (function, key):
            if isinstance(part, Nothing):
                return part
        if isinstance(function, Chosen):
            return self.if_(
                function.condition,
                self.updated(function.then, path, make),
                self.updated(function.otherwise, path, make),
            )

        def inner(old: Sym) -> Sym:
            return self.updated(old, rest, make)

        table = table_of(function)
        if table is None and isinstance(function, Term) and isinstance(function.sort, Record | Tuple):
            table = self.rows_of(function)
        if table is not None:
            return self._updated_table(table, key, inner)
        if isinstance(function, Row):
            return self._updated_row(function, key, inner)
        if not isinstance(function, Term):
            return Nothing("a function is expected")
        return self._updated_by_sort(function, path, make)

    def _updated_row(self, row: Row, key: Sym, inner: Callable[[Sym], Sym]) -> Row:
        slots = []
        for place, old in enumerate(row.slots, 1):
            here = self.equal(key, Known(place))
            slots.append(old if here is NO else self.if_(here, inner(old), old))
        return Row(tuple(slots), row.length)

    def _updated_by_sort(self, function: Term, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
        sort = function.sort
        if isinstance(sort, Variant):
            return self.over(function, lambda part: self.updated(part, path, make))
        if isinstance(sort, Sequence):
            row = Row(tuple(self.at(function, i) for i in range(sort.capacity)), self.length(function))
            return self.updated(row, path, make)
        if isinstance(sort, Function | PartialFunction):
            return self._updated_term(function, path[0], lambda old: self.updated(old, path[1:], make))
        return Nothing("a function is expected")

    def _updated_table(self, table: Table, key: Sym, inner: Callable[[Sym], Sym]) -> Sym:
        rows = dict(table.rows)
        if isinstance(key, Known):
            if key.value in rows:
                rows[key.value] = inner(rows[key.value])
                if isinstance(rows[key.value], Nothing):
                    return rows[key.value]
        else:
            for one, old in table.rows.items():
                is_key = self.equal(key, Known(one))
                if is_key is not NO:
                    rows[one] = self.if_(is_key, inner(old), old)
        return known_table(Table(rows))

    def _updated_term(self, function: Term, key: Sym, inner: Callable[[Sym], Sym]) -> Sym:
        sort = function.sort
        assert isinstance(sort, Function | PartialFunction)
        inside, at = self._key(key, sort)
        if inside is NO:
            return function
        if isinstance(sort, PartialFunction):
            domain = Term(Operator.DOMAIN, Set(sort.domain), (function,))
            inside = self.and_([inside, Term(Operator.CONTAINS, TRUTH, (domain, at))])
        elif not _surely(at, sort):
            keys = literal(Set(sort.domain), frozenset(sort.domain.values()))
            inside = self.and_([inside, Term(Operator.CONTAINS, TRUTH, (keys, at))])
        new = inner(Term(Operator.APPLY, sort.range, (function, at)))
        if isinstance(new, Nothing):
            return self.if_(inside, new, function)
        try:
            item = (
                literal(sort.range, self.names.encode(new.value, sort.range))
                if isinstance(new, Known)
                else self.term(new)
            )
        except NotInSort:
            item = self.term(new)
        if not alike(item.sort, sort.range):
            wide = self.join(item.sort, sort.range)
            item = self.convert(item, wide)
            kind = type(sort)(sort.domain, wide)
            function = self.convert(function, kind)
            sort = function.sort
            assert isinstance(sort, Function | PartialFunction)
        result = type(sort)(sort.domain, self.join(sort.range, item.sort))
        operator = Operator.EXTEND if isinstance(sort, PartialFunction) else Operator.FUNCTION_UPDATE
        if not isinstance(at.sort, SCALARS) and isinstance(sort, PartialFunction):
            at = self.convert(at, sort.domain)
        changed = Term(operator, result, (function, at, item))
        return self.if_(inside, changed, function)

    # -- integers

    def subtract(self, one: Sym, other: Sym) -> Sym:
        """``one - other`` of integers."""
        return self.arithmetic(Operator.SUBTRACT, one, other)

    def arithmetic(self, operator: Operator, one: Sym, other: Sym) -> Sym:
        """A sum or difference."""
        from verifier.tla.translate.sets import _bounds

        if isinstance(one, Known) and isinstance(other, Known):
            sum_ = one.value + other.value if operator is Operator.ADD else one.value - other.value
            return Known(sum_)
        left, right = self.term(one), self.term(other)
        a, b = _bounds(left.sort), _bounds(right.sort)
        if operator is Operator.ADD:
            return Term(operator, Range(a.low + b.low, a.high + b.high), (left, right))
        return Term(operator, Range(a.low - b.high, a.high - b.low), (left, right))

    # -- sequences

    def row(self, value: Sym) -> Row | Nothing:
        """A sequence by its slots."""
        if isinstance(value, Nothing):
            return value
        if isinstance(value, Row):
            return value
        table = table_of(value)
        if table is None and isinstance(value, Term) and isinstance(value.sort, Tuple):
            table = self.rows_of(value)
        if table is not None:
            count = len(table.rows)
            if any(n not in table.rows for n in range(1, count + 1)):
                return Nothing("a sequence is expected")
            return Row(tuple(table.rows[n] for n in range(1, count + 1)), Known(count))
        if isinstance(value, Chosen):
            value = self.term(value)
        if isinstance(value, Term):
            if isinstance(value.sort, Sequence):
                return Row(tuple(self.at(value, i) for i in range(value.sort.capacity)), self.length(value))
            if isinstance(value.sort, Variant):
                tags = [t for t, part in value.sort.alternatives if isinstance(part, Sequence | Tuple)]
                if len(tags) == 1:
                    return self.row(self.payload(value, tags[0]))
            if isinstance(value.sort, PartialFunction):
                ints = [v for v in value.sort.domain.values() if isinstance(v, int) and v >= 1]
                highest = max(ints, default=0)
                domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
                size = Term(Operator.CARDINALITY, Range(0, value.sort.domain.size), (domain,))
                slots = tuple(self._as_slot(value, n) for n in range(1, highest + 1))
                return Row(slots, size)
        return Nothing("a sequence is expected")

    def _as_slot(self, value: Term, place: int) -> Sym:
        return self.apply(value, Known(place))

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
        capped = self.term(long)
        if isinstance(capped.sort, Range) and (capped.sort.high > len(slots) or capped.sort.low < 0):
            sort = Range(0, len(slots))
            symbol = self.fresh("n", sort)
            same = Term(Operator.EQUAL, TRUTH, (variable(symbol), capped))
            capped = Term(Operator.CHOOSE, sort, (same,), binds=symbol)
        return Row(tuple(slots), capped)

    def appended(self, value: Sym, item: Sym) -> Sym:
        """``Append``"""
        if isinstance(item, Nothing):
            return item
        table = table_of(value)
        if table is not None:
            return known_table(Table({**table.rows, len(table.rows) + 1: item}))
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

    def as_sequence(self, value: Sym) -> Term:
        """A sequence as a term of such a sort."""
        if isinstance(value, Term) and isinstance(value.sort, Sequence):
            return value
        row = self.row(value)
        if isinstance(row, Nothing):
            raise Untranslated(None, "a sequence is expected")
        if isinstance(row.length, Known):
            items = [self.term(slot) for slot in row.slots]
            element = self.join_all([item.sort for item in items])
            made = tuple(self.convert(item, element) for item in items)
            if not made:
                return literal(Sequence(NOTHING, 0), ())
            return Term(Operator.SEQUENCE, Sequence(element, len(made)), made)
        return self._row(row)


def _surely(key: Term, sort: Function) -> bool:
    """Whether a key is in the domain whatever the state."""
    if isinstance(key.sort, SCALARS):
        return all(sort.domain.contains(value) for value in key.sort.values())
    return key.sort == sort.domain


__all__ = ["Case", "Mappings"]
