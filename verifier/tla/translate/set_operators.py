"""Unions and their like, CHOOSE, and folds over sets."""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.sorts import Listed, PartialFunction, Range, Set, Sort, Variant, sorts_in
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.lazy_sets import Interval
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.making import set_of
from verifier.tla.translate.sequences import Rows
from verifier.tla.translate.spreading import MOST_FOLDED, Case
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    Chosen,
    Joined,
    Known,
    Members,
    Nothing,
    Part,
    Span,
    Subsets,
    Sym,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import TRUTH, variable
from verifier.tla.values import is_infinite, is_set

_MOST_COUNTED = 8
"""Members that are counted one by one."""


class SetOperators(Rows):
    """Makes terms of the operators on sets."""

    symmetry: Symmetry | None = None
    """The permutations that are to change nothing but names: no order of what they move may matter."""

    def united(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\cup other``"""
        if any(self._stays_lazy(part) for part in (one, other)):
            # TLC looks into the listed one first, and reports where it has no such members.
            lazy_first = self._stays_lazy(one) and not self._stays_lazy(other)
            joined = Joined((other, one) if lazy_first else (one, other))
            listed = all(not self._stays_lazy(part) or self._is_interval(part) for part in (one, other))
            return self.after(self.mixed_members(one, other), joined) if listed else joined
        return self.after(self.mixed_members(one, other), self._united(one, other))

    def _united(self, one: Sym, other: Sym) -> Sym:
        if isinstance(one, Members) and isinstance(other, Members):
            return set_of([*one.items, *other.items])
        left, right = self.pair(one, other)
        if not isinstance(left.sort, Set) or not isinstance(right.sort, Set):
            return Nothing("sets are expected")
        return Term(Operator.UNION, self.join(left.sort, right.sort), (left, right))

    @staticmethod
    def _stays_lazy(value: Sym) -> bool:
        if isinstance(value, Known):
            return is_set(value.value) and not isinstance(value.value, frozenset)
        return isinstance(value, LAZY_SETS) and not isinstance(value, Members | Part | Span)

    @staticmethod
    def _is_interval(value: Sym) -> bool:
        return isinstance(value, Known) and isinstance(value.value, Interval)

    def common(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\cap other``"""
        if self._stays_lazy(one) and not self._stays_lazy(other):
            one, other = other, one
        if self._stays_lazy(other):
            return self._kept(one, lambda item: self.member_of(other, item))
        return self.after(self.mixed_members(one, other), self._common(one, other))

    def _common(self, one: Sym, other: Sym) -> Sym:
        if isinstance(one, Known) and not isinstance(other, Known):
            one, other = other, one
        if isinstance(other, Known) and isinstance(one, Term):
            return self._kept(other, lambda item: self.contains(one, item))
        return self._kept(one, lambda item: self.contains(other, item))

    def without(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\ other``"""
        if self._stays_lazy(one) or self._stays_lazy(other):
            return self._kept(one, lambda item: self.not_(self.member_of(other, item)))
        return self.after(self.mixed_members(one, other), self._without(one, other))

    def _without(self, one: Sym, other: Sym) -> Sym:
        if isinstance(one, Term) and isinstance(one.sort, Set):
            (fits, left), (also, right) = self.fitted_pair(one, other)
            if fits is YES and also is YES and isinstance(right.sort, Set):
                return Term(Operator.DIFFERENCE, left.sort, (left, right))
        return self._kept(one, lambda item: self.not_(self.contains(other, item)))

    def _kept(self, of: Sym, test: Callable[[Sym], Sym]) -> Sym:
        if isinstance(of, Known) and is_set(of.value) and is_infinite(of.value):
            return Part(of, test)
        items: list[tuple[Sym, Sym]] = []
        for case in self.spread(of):
            if case.symbol is not None:
                return Part(of, test)
            condition = self.and_([case.condition, test(case.item)])
            if condition is not NO:
                items.append((condition, case.item))
        return set_of(items)

    def cardinality(self, of: Sym) -> Sym:
        """``Cardinality``"""
        if isinstance(of, Chosen):
            return self.if_(of.condition, self.cardinality(of.then), self.cardinality(of.otherwise))
        if isinstance(of, Subsets):
            return self.power(Known(2), self.cardinality(of.base))
        if isinstance(of, Members) and len(of.items) <= _MOST_COUNTED:
            return self._counted(of)
        term = self.term(of)
        if isinstance(term.sort, Variant):
            return self.over(term, self.cardinality)
        if not isinstance(term.sort, Set):
            return Nothing("a set is expected")
        return Term(Operator.CARDINALITY, Range(0, term.sort.element.size), (term,))

    def subsets_of_size(self, size: Sym, of: Sym) -> Sym:
        """``kSubset``"""
        count = self.integer(size)
        if isinstance(count, Nothing):
            return count
        return Part(Subsets(of), lambda item: self.equal(self.cardinality(item), count))

    def _counted(self, of: Members) -> Sym:
        """The number of members, each counted where no one before it is equal."""
        count: Sym = Known(0)
        for place, (condition, item) in enumerate(of.items):
            again = self.or_([self.and_([when, self.equal(one, item)]) for when, one in of.items[:place]])
            new = self.and_([condition, self.not_(again)])
            count = self.arithmetic(Operator.ADD, count, self.if_(new, Known(1), Known(0)))
        return self.strict(count, of)

    def big_union(self, of: Sym) -> Sym:
        """``UNION``"""
        parts: list[Sym] = []
        read: list[Sym] = []
        for case in self.spread(of):
            made = self.expected(case.item, "set")
            if isinstance(made, Nothing):  # there must be no such member
                read.append(self.for_all(case, made))
                continue
            if case.symbol is None:
                empty = Known(frozenset())
                parts.append(made if case.condition is YES else self.if_(case.condition, made, empty))
                continue
            read.append(self.for_all(case, self.reads(made)))
            item = self.term(made)
            if not isinstance(item.sort, Set):
                raise Untranslated(None, "UNION of sets that cannot be listed")
            symbol = self.fresh("e", item.sort.element)
            inside = Term(Operator.CONTAINS, TRUTH, (item, variable(symbol)))
            some = self.exists(case, inside)
            members = Term(Operator.COMPREHENSION, Set(symbol.sort), (self.formula(some),), binds=symbol)
            parts.append(self.of_one_kind(members))
        found: Sym = Known(frozenset())
        for part in parts:
            found = (
                part if isinstance(found, Known) and found.value == frozenset() else self.united(found, part)
            )
        return self.after(self.and_(read), found)

    # -- CHOOSE

    def chosen(self, domain: Sym, body: Callable[[Sym], Sym]) -> Sym:
        """CHOOSE: the first member that fits, in TLC's order."""
        cases = self.spread(domain)
        first = self._alone if any(map(self._is_permuted, cases)) else self._first
        if isinstance(domain, Known) and all(case.symbol is None for case in cases):
            return first(cases, body)
        symbols = [case.symbol for case in cases if case.symbol is not None]
        if len(cases) != 1 or not symbols:
            if not symbols and any(not isinstance(case.item, Known) for case in cases):
                integers = all(map(self._is_integer, cases))
                return (self._least if integers else self._alone)(cases, body)
            return first(self.each_once(domain), body)
        (case,) = cases
        fits = self.and_([case.condition, body(case.item)])
        plain = isinstance(case.item, Term) and case.item.data is case.symbol
        exact = plain and ordered(symbols[0].sort) and self.reads(fits) is YES
        if not exact and symbols[0].sort.size <= MOST_FOLDED:
            return first(self.each_once(domain), body)
        if not plain:
            raise Untranslated(None, "CHOOSE from a set of this form")
        if isinstance(fits, Nothing):
            return fits
        return self._chosen_term(case, symbols[0], self.formula(fits))

    def _first(self, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
        found: list[tuple[Sym, Sym]] = []
        for case in cases:
            fits = self.and_([case.condition, body(case.item)])
            if fits is NO:
                continue
            found.append((fits, case.item))
            if fits is YES:
                break
        result: Sym = Nothing("CHOOSE finds no element")
        for fits, item in reversed(found):
            result = self.if_(fits, item, result)
        return result

    @staticmethod
    def _is_integer(case: Case) -> bool:
        item = case.item
        if isinstance(item, Known):
            return type(item.value) is int
        return isinstance(item, Term) and isinstance(item.sort, Range)

    def _least(self, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
        """CHOOSE from integers that the state decides: the least that fits is TLC's first."""
        fits = [self.and_([case.condition, body(case.item)]) for case in cases]
        result: Sym = Nothing("CHOOSE finds no element")
        for place in reversed(range(len(cases))):
            item = cases[place].item
            before = [
                self.and_([fit, self.less(other.item, item)])
                for fit, other in zip(fits, cases, strict=True)
                if other is not cases[place]
            ]
            result = self.if_(self.and_([fits[place], *map(self.not_, before)]), item, result)
        return result

    def _alone(self, cases: list[Case], body: Callable[[Sym], Sym]) -> Sym:
        """CHOOSE from items that the state decides: all that fit must be equal."""
        fits = [self.and_([case.condition, body(case.item)]) for case in cases]
        found: Sym = Nothing("CHOOSE finds no element")
        clashes = []
        for place in reversed(range(len(cases))):
            for other in range(place):
                both = self.and_([fits[other], fits[place]])
                if both is not NO:
                    same = self.equal(cases[other].item, cases[place].item)
                    clashes.append(self.and_([both, self.not_(same)]))
            found = self.if_(fits[place], cases[place].item, found)
        clash = self.or_(clashes)
        return self.after(self.if_(clash, Nothing("CHOOSE has several elements"), YES), found)

    def _chosen_term(self, case: Case, symbol: Symbol, formula: Term) -> Term:
        """CHOOSE from a large sort; there must be one that fits alone where the sort's order is not TLC's, or
        where permutations change the order."""
        if not ordered(symbol.sort) or self._is_permuted(case):
            other = self.fresh("y", symbol.sort)
            renamed = Term(Operator.CONTAINS, TRUTH, (self._comprehended(case, formula), variable(other)))
            same = Term(Operator.EQUAL, TRUTH, (variable(other), variable(symbol)))
            only = Term(Operator.IMPLIES, TRUTH, (renamed, same))
            alone = Term(Operator.FORALL, TRUTH, (only,), binds=other)
            formula = Term(Operator.AND, TRUTH, (formula, alone))
        return Term(Operator.CHOOSE, symbol.sort, (formula,), binds=symbol)

    def _comprehended(self, case: Case, formula: Term) -> Term:
        assert case.symbol is not None
        return Term(Operator.COMPREHENSION, Set(case.symbol.sort), (formula,), binds=case.symbol)

    def _is_permuted(self, case: Case) -> bool:
        """Whether permutations may change which member of a set is the first one."""
        if self.symmetry is None:
            return False
        if isinstance(case.item, Known):
            return self.symmetry.touches(case.item.value)
        return not isinstance(case.item, Term) or self._is_sort_permuted(case.item.sort)

    def _is_sort_permuted(self, sort: Sort) -> bool:
        assert self.symmetry is not None
        listed = (part for part in sorts_in(sort) if isinstance(part, Listed))
        words = (word for part in listed for word in part.members if isinstance(word, str))
        return any(self.symmetry.touches(self.names.meant[word]) for word in words)

    # -- folds

    def in_order(self, of: Sym) -> list[Case]:
        """The members of a set in TLC's order. Raises Untranslated where permutations change it."""
        cases = self.each_once(of)
        if any(map(self._is_permuted, cases)):
            raise Untranslated(None, "a fold over a set of values that SYMMETRY permutes")
        return cases

    def fold_set(self, operator: Sym, base: Sym, of: Sym) -> Sym:
        """``FoldSet``: the first element is combined first."""
        assert isinstance(operator, Op)
        found = base
        for case in self.in_order(of):
            found = self.if_(case.condition, operator.call(case.item, found), found)
        return found

    def map_then_fold(self, operator: Sym, base: Sym, image: Sym, choose: Sym, of: Sym) -> Sym:
        """``MapThenFoldSet``, where the order does not matter to the operator that chooses: the first element
        is combined last."""
        assert isinstance(operator, Op)
        assert isinstance(image, Op)
        found = base
        for case in reversed(self.in_order(of)):
            found = self.if_(case.condition, operator.call(image.call(case.item), found), found)
        return found


def ordered(sort: Sort) -> bool:
    """Whether the order of a sort's values is TLC's."""
    return not isinstance(sort, Variant | PartialFunction) and all(map(ordered, sort.parts()))


__all__ = ["SetOperators"]
