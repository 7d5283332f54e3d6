"""What is assigned to a variable keeps the variable's sort.

An operator may give what its arguments' sort does not have: ``n + 1``, one more message. As a value of the
least sort that has it, a function is converted there and back, slot by slot. What is assigned need not be: a
value outside of the variable's sort has no value here, and where that is reachable the sort is widened. Where
that does not help, because it is no value of the variable but leads to one, nothing is kept.
"""

from __future__ import annotations

from functools import partial

from verifier.encodings.sorts import (
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.listing import Listing
from verifier.tla.translate.making import itself
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym
from verifier.tla.translate.terms import TRUTH, is_undefined, literal, undefined

_MOST_MEMBERS = 2_000
"""Of sets of larger sorts it is not asked which members another sort does not have."""


class Narrowing(Listing):
    """Makes terms of functions with other values at some keys."""

    def extended(self, function: Term, key: Sym, item: Sym) -> Term:
        """A function whose domain varies, with a value at a key."""
        assert isinstance(function.sort, PartialFunction)
        at, value = self.term(key), self.term(item)
        narrow = self._extended_within(function, at, value) if self.is_to_keep_sort(function) else None
        if narrow is not None:
            return narrow
        keys = function.sort.domain
        if not self.names.lists(keys):
            keys = self.join(keys, at.sort)
        sort = PartialFunction(keys, self.join(function.sort.range, value.sort))
        whole = self.convert(function, sort)
        return Term(
            Operator.EXTEND, sort, (whole, self.convert(at, sort.domain), self.convert(value, sort.range))
        )

    def is_to_keep_sort(self, function: Term) -> bool:
        """Whether a function is made of a part of the state, whose sort it is to keep."""
        if not self.kept_narrow or is_undefined(function):
            return self.kept_narrow
        match function.operator:
            case Operator.VARIABLE | Operator.FIELD | Operator.APPLY | Operator.PAYLOAD:
                return not (isinstance(function.sort, PartialFunction) and function.sort.domain == NOTHING)
            case Operator.EXTEND | Operator.FUNCTION_UPDATE:
                return self.is_to_keep_sort(function.arguments[0])
            case Operator.IF:
                return all(map(self.is_to_keep_sort, function.arguments[1:]))
        return False

    def _extended_within(self, function: Term, key: Term, item: Term) -> Term | None:
        """The same within the function's sort, without a value where that does not do; None if it cannot be
        said where."""
        sort = function.sort
        assert isinstance(sort, PartialFunction)
        tests: list[Sym] = []
        parts = []
        for part, target in ((key, sort.domain), (item, sort.range)):
            fits, made = self.fitted(part, target)
            if fits is NO:
                return undefined(sort)
            inside = self.within_sort(made, target)
            if inside is None:
                return None
            tests += [fits, inside]
            parts.append(made)
        longer = Term(Operator.EXTEND, sort, (function, *parts))
        return self.term(self.if_(self.and_(tests), longer, Nothing("outside")))

    def within_sort(self, value: Term, target: Sort) -> Sym | None:
        """Whether a value of a sort that is like another one is in that; None if it cannot be said."""
        source = value.sort
        if source == target:
            return YES
        tests: list[Sym | None] = [None]
        match source, target:
            case ((Range() | Listed()), (Range() | Listed())):
                kept = frozenset(one for one in source.values() if target.contains(one))
                if len(kept) == source.size:
                    return YES
                return Term(Operator.CONTAINS, TRUTH, (literal(Set(source), kept), value)) if kept else NO
            case Set(), Set() if source.element.size <= _MOST_MEMBERS:
                kept = frozenset(one for one in source.element.values() if target.element.contains(one))
                whole = len(kept) == source.element.size
                return YES if whole else Term(Operator.SUBSET, TRUTH, (value, literal(source, kept)))
            case Tuple(), Tuple():
                tests = [self.within_sort(self.item(value, n), one) for n, one in enumerate(target.items)]
            case Record(), Record():
                tests = [self.within_sort(self.field(value, name), part) for name, part in target.fields]
            case Variant(), Variant():
                tests = [self._within_tag(value, tag, part) for tag, part in target.alternatives]
            case Sequence(), Sequence():
                tests = self._within_sequences(value, target)
        return None if None in tests else self.and_([test for test in tests if test is not None])

    def _within_tag(self, value: Term, tag: str, target: Sort) -> Sym | None:
        held = self.has_tag(value, tag)
        inside = YES if held is NO else self.within_sort(self.payload(value, tag), target)
        return None if inside is None else self.or_([self.not_(held), inside])

    def _within_sequences(self, value: Term, target: Sequence) -> list[Sym | None]:
        assert isinstance(value.sort, Sequence)
        length = self.length(value)
        tests = [self.within_sort(length, Range(0, target.capacity))]
        for place in range(min(value.sort.capacity, target.capacity)):
            inside = self.within_sort(self.at(value, place), target.element)
            used = self.less(Known(place), length)
            tests.append(None if inside is None else self.implies(used, partial(itself, inside)))
        return tests


__all__ = ["Narrowing"]
