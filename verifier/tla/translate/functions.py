"""Functions and records: application, DOMAIN, EXCEPT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.sorts import Function, PartialFunction, Record, Sequence, Set, Tuple, Variant
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.arithmetic import Arithmetic
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.making import known_table, table_of
from verifier.tla.translate.shapes import MOST_LISTED, NOTHING
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Chosen,
    Entries,
    Known,
    LazyMap,
    Members,
    Nothing,
    Row,
    Span,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.terms import SCALARS, TRUTH, alike, literal, number
from verifier.tla.values import LazyFunction, NoValue, Value, is_function, listed


class Mappings(Arithmetic):
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
            case LazyMap():
                return function.at(key)
            case Known() | Table():
                table = table_of(function)
                if table is None:
                    return self._apply_lazy(function, key)
                return self._from_table(table, key)
            case Row():
                return self._slot(function, key)
            case Entries():
                found: Sym = Nothing("outside of the domain")
                for condition, one, item in reversed(function.rows):
                    found = self.if_(self.and_([condition, self.equal(one, key)]), item, found)
                return found
            case Term():
                return self._apply_term(function, key)
        return Nothing("a function is expected")

    def _apply_lazy(self, function: Sym, key: Sym) -> Sym:
        if isinstance(function, Known) and isinstance(function.value, LazyFunction):
            if isinstance(key, Known):
                try:
                    return Known(function.value.apply(key.value))
                except NoValue:
                    return Nothing("outside of the domain")
            term = self.term(key)
            if term.sort.size > MOST_LISTED:
                raise Untranslated(None, "a recursive function, applied to what may have too many values")
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
            is_key = self._is_key(key, one)
            if is_key is NO:
                continue
            result = self.if_(is_key, item, result)
        return result

    def _is_key(self, key: Sym, one: Value) -> Sym:
        """Whether a key is this one; a key of another kind is not."""
        if isinstance(key, Known):
            return YES if listed(key.value) == one and type(key.value) is type(one) else NO
        return self.equal(key, Known(one))

    def _slot(self, row: Row, key: Sym) -> Sym:
        result: Sym = Nothing("beyond the sequence")
        whole = self.integer(key)
        for place, item in enumerate(row.slots, 1):
            here = self._is_key(whole, place)
            if here is not NO:
                inside = self.and_([here, self.less(Known(place), row.length, equal=True)])
                result = self.if_(inside, item, result)
        return result

    def _apply_term(self, function: Term, key: Sym) -> Sym:
        sort = function.sort
        if self.names.lists(sort):
            return self.over_listed(function, lambda one: self.apply(one, key))
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
        if isinstance(function, LazyMap):
            return function.domain
        table = self.rows_of(function)
        if table is not None:
            return Known(frozenset(table.rows))
        if isinstance(function, Row):
            return Span(Known(1), function.length)
        if isinstance(function, Entries):
            return Members(tuple((condition, key) for condition, key, _ in function.rows))
        if isinstance(function, Term):
            sort = function.sort
            if self.names.lists(sort):
                return self.over_listed(function, self.domain)
            if isinstance(sort, Sequence):
                return Span(Known(1), self.length(function))
            if isinstance(sort, PartialFunction):
                return self._domain_term(function)
            if isinstance(sort, Variant):
                return self.over(function, self.domain)
        return Nothing("a function is expected")

    def _domain_term(self, function: Term) -> Term:
        assert isinstance(function.sort, PartialFunction)
        key = function.data if function.operator is Operator.VARIABLE else function
        found = self.domains.get(key)
        if found is None:
            found = self.domains[key] = Term(Operator.DOMAIN, Set(function.sort.domain), (function,))
        return found

    # -- EXCEPT

    def updated(self, function: Sym, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
        """``[function EXCEPT !path = make(@)]``"""
        if not path:
            return make(function)
        key, rest = path[0], path[1:]
        if isinstance(function, LazyMap):
            function = self.term(function)
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

        return self.after(self.comparable_key(function, key), self._updated(function, path, make, inner))

    def _updated(
        self, function: Sym, path: list[Sym], make: Callable[[Sym], Sym], inner: Callable[[Sym], Sym]
    ) -> Sym:
        key = path[0]
        table = table_of(function)
        if table is None and isinstance(function, Term) and isinstance(function.sort, Record | Tuple):
            table = self.rows_of(function)
        if table is not None:
            return self._updated_table(table, key, inner)
        if isinstance(function, Row):
            return self._updated_row(function, key, inner)
        if isinstance(function, Entries):
            function = self.term(function)
        if isinstance(function, Known) and is_function(function.value):
            raise Untranslated(None, "EXCEPT of a function that cannot be listed")
        if not isinstance(function, Term):
            return Nothing("a function is expected")
        return self._updated_by_sort(function, path, make)

    def _updated_row(self, row: Row, key: Sym, inner: Callable[[Sym], Sym]) -> Row:
        slots = []
        for place, old in enumerate(row.slots, 1):
            here = self._is_key(key, place)
            slots.append(old if here is NO else self.if_(here, inner(old), old))
        return Row(tuple(slots), row.length)

    def _updated_by_sort(self, function: Term, path: list[Sym], make: Callable[[Sym], Sym]) -> Sym:
        sort = function.sort
        if self.names.lists(sort):
            return self.over_listed(function, lambda one: self.updated(one, path, make))
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
                is_key = self._is_key(key, one)
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
        narrow = self._updated_within(function, at, item) if self.is_to_keep_sort(function) else None
        if narrow is not None:
            return self.if_(inside, narrow, function)
        if not alike(item.sort, sort.range):
            wide = self.join(item.sort, sort.range)
            item = self.convert(item, wide)
            kind = type(sort)(sort.domain, wide)
            function = self.convert(function, kind)
            sort = function.sort
            assert isinstance(sort, Function | PartialFunction)
        result = type(sort)(sort.domain, self.join(sort.range, item.sort))
        return self.if_(inside, self._changed(function, result, at, item), function)

    def _updated_within(self, function: Term, at: Term, item: Term) -> Sym | None:
        """A function with another value at a key, without a value where its sort does not have that; None if
        it cannot be said where."""
        sort = function.sort
        assert isinstance(sort, Function | PartialFunction)
        fits, made = self.fitted(item, sort.range)
        inside = NO if fits is NO else self.within_sort(made, sort.range)
        if inside is None:
            return None
        changed = self._changed(function, sort, at, made)
        return self.if_(self.and_([fits, inside]), changed, Nothing("outside"))

    def _changed(self, function: Term, result: Function | PartialFunction, at: Term, item: Term) -> Term:
        sort = function.sort
        assert isinstance(sort, Function | PartialFunction)
        operator = Operator.EXTEND if isinstance(sort, PartialFunction) else Operator.FUNCTION_UPDATE
        if not isinstance(at.sort, SCALARS) and isinstance(sort, PartialFunction):
            at = self.convert(at, sort.domain)
        return Term(operator, result, (function, at, item))


def _surely(key: Term, sort: Function) -> bool:
    """Whether a key is in the domain whatever the state."""
    if isinstance(key.sort, SCALARS):
        return all(sort.domain.contains(value) for value in key.sort.values())
    return key.sort == sort.domain


__all__ = ["Mappings"]
