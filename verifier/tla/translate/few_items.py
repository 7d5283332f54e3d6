"""The members of sets that consist of a few items."""

from __future__ import annotations

from itertools import product

from verifier.encodings.sorts import Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.order import OrderOfKinds
from verifier.tla.translate.converting import Conversions
from verifier.tla.translate.making import known_table
from verifier.tla.translate.symbolic import YES, Known, Members, Products, Sym, Table
from verifier.tla.translate.terms import is_undefined, literal, with_symbols
from verifier.tla.values import NoValue, Value
from verifier.tla.values import members as values_of

_MOST_ITEMS = 6
"""Subsets of sets with so many items are gone through one by one."""


class FewItems(Conversions):
    """Lists the items of sets."""

    def contains(self, of: Sym, item: Sym) -> Sym:
        """Whether something is a member."""
        raise NotImplementedError

    def has_candidate(self, of: Sym, item: Sym) -> Sym:
        """Whether a value of a sort, of whatever kind, is a member."""
        raise NotImplementedError

    def member_of(self, of: Sym, item: Sym) -> Sym:
        """Whether something is a member, where it is of a kind that may be compared with the members."""
        raise NotImplementedError

    def expected(self, value: Sym, kind: str) -> Sym:
        """A value where it is of a kind; it has none elsewhere."""
        raise NotImplementedError

    def kinds(self, value: Sym) -> dict[str, Sym]:
        """The kinds of values that an expression may have, and when it has which."""
        raise NotImplementedError

    def domain(self, function: Sym) -> Sym:
        """``DOMAIN function``"""
        raise NotImplementedError

    def few_items(self, of: Sym) -> list[tuple[Sym, Sym]] | None:
        """Items of which a set consists, each with the condition under which it is in; None if there may be
        many. Some of them may be equal."""
        found: list[tuple[Sym, Sym]] | None = None
        match of:
            case Members():
                found = list(of.items)
            case Known() if isinstance(of.value, frozenset) and len(of.value) <= _MOST_ITEMS:
                found = [(YES, Known(item)) for item in self.listed_in_order(of.value)]
            case Products():
                found = self._few_tuples(of)
            case Term() if of.operator in (Operator.IMAGE, Operator.IF):
                found = self._few_images(of) if of.operator is Operator.IMAGE else self._few_of_if(of)
            case Term() if isinstance(of.sort, Set) and of.sort.element.size <= _MOST_ITEMS:
                values = [self.names.decode(value, of.sort.element) for value in of.sort.element.values()]
                found = [(self.has_candidate(of, Known(value)), Known(value)) for value in values]
        return found if found is not None and len(found) <= _MOST_ITEMS else None

    def _few_tuples(self, of: Products) -> list[tuple[Sym, Sym]] | None:
        parts = [self.few_items(part) for part in of.items]
        rows: list[tuple[Sym, Sym]] = []
        for row in product(*(part if part is not None else [None] * (_MOST_ITEMS + 1) for part in parts)):
            if None in row or len(rows) > _MOST_ITEMS:
                return None
            whole = dict(enumerate((one[1] for one in row if one is not None), 1))
            rows.append((self.and_([one[0] for one in row if one is not None]), known_table(Table(whole))))
        return rows

    def _few_of_if(self, of: Term) -> list[tuple[Sym, Sym]] | None:
        """The same of a choice. What has no value has no items: that it is read is asked elsewhere."""
        condition, then, otherwise = of.arguments
        rows: list[tuple[Sym, Sym]] = []
        for when, side in ((condition, then), (self.not_(condition), otherwise)):
            if is_undefined(side):
                continue
            items = self.few_items(side)
            if items is None:
                return None
            rows += [(self.and_([when, inside]), item) for inside, item in items]
        return rows

    def _few_images(self, of: Term) -> list[tuple[Sym, Sym]] | None:
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

    def listed_in_order(self, value: Value) -> list[Value]:
        """The members of a finite set, in an order that is TLC's wherever TLC has one."""
        try:
            return list(self.names.order.walk(value))
        except NoValue:
            return OrderOfKinds(self.names.order).sorted(frozenset(values_of(value)))


__all__ = ["FewItems"]
