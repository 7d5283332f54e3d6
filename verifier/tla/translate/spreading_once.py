"""The members of sets, each once: equal ones, and those of several parts of a union, are told apart."""

from __future__ import annotations

from functools import partial

from verifier.encodings.sorts import Range, Set
from verifier.encodings.terms import Operator, Term
from verifier.tla.errors import Place
from verifier.tla.translate.making import itself
from verifier.tla.translate.spreading import MOST_FOLDED, Case, Spreading
from verifier.tla.translate.symbolic import NO, Chosen, Joined, Known, Members, Part, Subsets, Sym
from verifier.tla.translate.terms import TRUTH, variable
from verifier.tla.translate.terms import number as integer
from verifier.tla.values import listed

_FEW_ITEMS = 4
"""The subsets of a set with more items are one case."""


class SpreadingOnce(Spreading):
    """Goes through sets without going to a member twice."""

    def spread_once(self, of: Sym, name: str, place: Place) -> list[Case]:
        """The same, no member twice, if that can be; for the formula there."""
        match of:
            case Members():
                return self._items_once([Case(condition, item) for condition, item in of.items], place)
            case Joined():
                return [
                    Case(self._in_none(of.parts[:number], case), case.item, case.symbol)
                    for number, part in enumerate(of.parts)
                    for case in self.spread_once(part, name, place)
                ]
            case Chosen():
                return [
                    Case(self.and_([when, case.condition]), case.item, case.symbol)
                    for when, part in ((of.condition, of.then), (self.not_(of.condition), of.otherwise))
                    for case in self.spread_once(part, name, place)
                ]
            case Part():
                cases = self.spread_once(of.base, name, place)
                both = [(self.and_([c.condition, of.test(c.item)]), c) for c in cases]
                return [Case(fits, c.item, c.symbol) for fits, c in both if fits is not NO]
            case Subsets() if self.few_items(of.base) is not None and not isinstance(of.base, Known):
                return self._items_once(self.spread(of, name), place)
        return self.spread(of, name)

    def many_subsets(self, of: Subsets) -> list[tuple[Sym, Sym]] | None:
        """The items of a set with many subsets, which the state decides; None for another one."""
        few = None if isinstance(of.base, Known) else self.few_items(of.base)
        return few if few is not None and len(few) > _FEW_ITEMS else None

    def spread_freely(self, of: Sym, name: str, *, once: bool) -> list[Case] | None:
        """All of many subsets of a set as one case: a variable says which items are in. None for another set.
        ``once``: no subset twice, by taking no item that an earlier one is equal to."""
        if isinstance(of, Part):
            cases = self.spread_freely(of.base, name, once=once)
            return cases and [
                Case(self.and_([c.condition, of.test(c.item)]), c.item, c.symbol) for c in cases
            ]
        items = self.many_subsets(of) if isinstance(of, Subsets) else None
        if items is None:
            return None
        symbol = self.fresh(name, Set(Range(1, len(items))))
        self.free.add(symbol)
        taken = [
            Term(Operator.CONTAINS, TRUTH, (variable(symbol), integer(place)))
            for place in range(1, len(items) + 1)
        ]
        allowed = []
        for place, (inside, item) in enumerate(items):
            earlier = items[:place] if once else []
            again = self.or_([self.and_([when, self.equal(one, item)]) for when, one in earlier])
            new = self.and_([inside, self.not_(again)])
            allowed.append(self.implies(taken[place], partial(itself, new)))
        chosen = Members(tuple((one, item) for one, (_, item) in zip(taken, items, strict=True)))
        return [Case(self.and_(allowed), chosen, symbol)]

    def _items_once(self, cases: list[Case], place: Place) -> list[Case]:
        """Items that may be equal: each is a member if none before it is the same."""
        known = [case.item.value for case in cases if isinstance(case.item, Known)]
        if len(known) == len(cases) == len(set(map(listed, known))):
            return cases
        if len(cases) > MOST_FOLDED:
            self.uncounted = self.uncounted or place
            return cases
        found = []
        for number, case in enumerate(cases):
            same = [self.and_([c.condition, self.equal(c.item, case.item)]) for c in cases[:number]]
            found.append(Case(self.and_([case.condition, self.not_(self.or_(same))]), case.item))
        return found

    def _in_none(self, parts: tuple[Sym, ...], case: Case) -> Sym:
        inside = [self.not_(self.has_candidate(part, case.item)) for part in parts]
        return self.and_([case.condition, *inside])


__all__ = ["SpreadingOnce"]
