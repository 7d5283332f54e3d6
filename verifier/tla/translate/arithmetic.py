"""Integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verifier.encodings.sorts import Listed, Range, Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.errors import LARGEST
from verifier.tla.primitives import power
from verifier.tla.translate.kinds import Kinds
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import Case, bounds_of
from verifier.tla.translate.symbolic import Known, Members, Nothing, Span, Sym, Untranslated
from verifier.tla.values import NoValue

_MOST_RESULTS = 5000


class Arithmetic(Kinds):
    """Makes terms of integers."""

    def subtract(self, one: Sym, other: Sym) -> Sym:
        """``one - other`` of integers."""
        return self.arithmetic(Operator.SUBTRACT, one, other)

    def arithmetic(self, operator: Operator, one: Sym, other: Sym) -> Sym:
        """A sum or difference."""
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return one if isinstance(one, Nothing) else other
        if isinstance(one, Known) and isinstance(other, Known):
            sum_ = one.value + other.value if operator is Operator.ADD else one.value - other.value
            return Known(sum_)
        left, right = self.term(one), self.term(other)
        a, b = bounds_of(left.sort), bounds_of(right.sort)
        if operator is Operator.ADD:
            return Term(operator, Range(a.low + b.low, a.high + b.high), (left, right))
        return Term(operator, Range(a.low - b.high, a.high - b.low), (left, right))

    def _within_integers(self, value: Sym) -> Sym:
        """An integer, which has no value beyond TLC's 32 bits."""
        words = "the result is beyond TLC's integers of 32 bits"
        match value:
            case Known():
                return value if -LARGEST <= value.value <= LARGEST else Nothing(words)
            case Term(sort=Range() as sort) if sort.low < -LARGEST or sort.high > LARGEST:
                above = self.less(Known(-LARGEST), value, equal=True)
                inside = self.and_([above, self.less(value, Known(LARGEST), equal=True)])
                return self.if_(inside, value, Nothing(words))
        return value

    def sum_of(self, operator: Operator, one: Sym, other: Sym) -> Sym:
        """``+`` or ``-``"""
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        return self._within_integers(self.arithmetic(operator, left, right))

    def by_cases(self, compute: Callable[[int, int], int], one: Sym, other: Sym) -> Sym:
        """An operator on integers, by all the values that they may have."""
        left, right = self.integer(one), self.integer(other)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        firsts, seconds = self._integers(left), self._integers(right)
        if len(firsts) * len(seconds) > _MOST_RESULTS:
            raise Untranslated(None, f"arithmetic on {len(firsts)} by {len(seconds)} values")
        groups: dict[Any, list[Sym]] = {}
        for a in firsts:
            for b in seconds:
                try:
                    result: Any = compute(a, b)
                except NoValue:
                    continue
                if abs(result) > LARGEST:
                    continue
                both = self.and_([self.equal(left, Known(a)), self.equal(right, Known(b))])
                groups.setdefault(result, []).append(both)
        found: Sym = Nothing("arithmetic without a result")
        for result, conditions in groups.items():
            found = self.if_(self.or_(conditions), Known(result), found)
        return found

    def _integers(self, value: Sym) -> list[int]:
        if isinstance(value, Known):
            return [value.value]
        assert isinstance(value, Term)
        return [v for v in value.sort.values() if isinstance(v, int)]

    def power(self, one: Sym, other: Sym) -> Sym:
        """``one ^ other``"""
        return self.by_cases(power, one, other)

    def span(self, low: Sym, high: Sym) -> Sym:
        """``low..high``"""
        left, right = self.integer(low), self.integer(high)
        for part in (left, right):
            if isinstance(part, Nothing):
                return part
        return Span(left, right)

    def extreme(self, of: Sym, *, largest: bool) -> Sym:
        """``Min`` or ``Max``"""
        operator = Operator.MAXIMUM_OF if largest else Operator.MINIMUM_OF
        term = self.term(of)
        if isinstance(term.sort, Set) and isinstance(term.sort.element, Range):
            return Term(operator, term.sort.element, (term,))
        read: list[Sym] = []
        found: Sym = Known(frozenset())
        for case in self.spread(term):
            one = self.integer(case.item)
            read.append(self.for_all(case, one if isinstance(one, Nothing) else self.reads(one)))
            if not isinstance(one, Nothing):
                found = self.united(found, self._alone_or_image(case, one))
        numbers = self.term(found)
        assert isinstance(numbers.sort, Set)
        if not isinstance(numbers.sort.element, Range | Listed) or numbers.sort.element == NOTHING:
            return Nothing("a set of integers is expected")
        return self.after(self.and_(read), Term(operator, numbers.sort.element, (numbers,)))

    def _alone_or_image(self, case: Case, item: Sym) -> Sym:
        """The set of an item that is made of a member, or of all members that a case is about."""
        if case.symbol is None:
            return Members(((case.condition, item),))
        made = self.term(item)
        return Term(Operator.IMAGE, Set(made.sort), (self.formula(case.condition), made), binds=case.symbol)

    def united(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\cup other``"""
        raise NotImplementedError


__all__ = ["Arithmetic"]
