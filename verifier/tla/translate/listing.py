"""Values that a sort lists one by one, although they have parts: messages, of which few occur."""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.sorts import PartialFunction, Record, Set, Sort, Tuple
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.making import Maker
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Sym, Table
from verifier.tla.translate.terms import TRUTH, is_undefined, literal, undefined
from verifier.tla.values import Value


class Listing(Maker):
    """Makes terms of sorts that list values with parts, and of sets of these and functions of them.

    Such a sort holds what was seen and no more. A value that is not in it makes a term undefined: where an
    execution reaches that, the sort is widened by it and all is asked again.
    """

    def fitted(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Whether a term's value is of the kind of another sort, and the term converted."""
        raise NotImplementedError

    def over_listed(self, value: Term, do: Callable[[Sym], Sym]) -> Sym:
        """What is made of each value of a sort that lists them; undefined where nothing can be made of it."""
        found: Sym = Nothing("a value of another kind is expected")
        for known, one in self.names.listing(value.sort).items():
            result = do(Known(known))
            if not isinstance(result, Nothing):
                same = Term(Operator.EQUAL, TRUTH, (value, literal(value.sort, one)))
                found = self.if_(same, result, found)
        return found

    def _to_listed(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """A value as one of those that are listed. Whether it is one of them."""
        found = self.placed.get((value, target))
        if found is None:
            found = self.placed[value, target] = self._placed(value, target)
        return found

    def _placed(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        if is_undefined(value):
            return Nothing("outside"), undefined(target)
        if value.operator is Operator.IF:
            return self._pushed(value, target)
        table = self.rows_of(value) if isinstance(value.sort, Record | Tuple) else None
        known: dict[tuple[Value, Value], Sym] = {}
        found = [
            (same, literal(target, one))
            for member, one in self.names.listing(target).items()
            if (same := self._is_listed(value, table, member, known)) is not NO
        ]
        if not found:
            return NO, value
        made = found[-1][1]
        for same, one in reversed(found[:-1]):
            made = Term(Operator.IF, target, (self.formula(same), one, made))
        return self.or_([same for same, _ in found]), made

    def _is_listed(
        self, value: Term, table: Table | None, member: Value, known: dict[tuple[Value, Value], Sym]
    ) -> Sym:
        """Whether a value, perhaps by its parts, is one of those listed. ``known``: what was asked."""
        if table is None:
            return self.equal(value, Known(member))
        own = dict(enumerate(member, 1)) if isinstance(member, tuple) else member
        if not isinstance(own, dict) or own.keys() != table.rows.keys():
            return NO
        parts = []
        for key, item in own.items():
            same = known.get((key, item))
            if same is None:
                same = known[key, item] = self.equal(table.rows[key], Known(item))
            if same is NO:
                return NO
            parts.append(same)
        return self.and_(parts)

    def _from_listed(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """One of the values that are listed, in another sort. Whether it fits there."""
        found: list[tuple[Sym, Term]] = []
        for member, one in self.names.listing(value.sort).items():
            try:
                made = literal(target, self.names.encode(member, target))
            except NotInSort:
                continue
            found.append((Term(Operator.EQUAL, TRUTH, (value, literal(value.sort, one))), made))
        if not found:
            return NO, value
        whole = found[-1][1]
        for same, made in reversed(found[:-1]):
            whole = Term(Operator.IF, target, (self.formula(same), made, whole))
        fits = YES if len(found) == value.sort.size else self.or_([same for same, _ in found])
        return fits, whole

    def _lists_members(self, sort: Sort) -> bool:
        """Whether a sort is one of sets or functions whose members or keys are listed."""
        if isinstance(sort, Set):
            return self.names.lists(sort.element)
        return isinstance(sort, PartialFunction) and self.names.lists(sort.domain)

    def _pushed(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """A term converted by what it is made of, so that nothing is asked of all possible members."""
        match value.operator, target:
            case Operator.SET, Set():
                fits, items = self._all_fitted([(item, target.element) for item in value.arguments])
                return fits, Term(Operator.SET, target, tuple(items))
            case Operator.EXTEND, PartialFunction():
                sorts = (target, target.domain, target.range)
                fits, (whole, key, item) = self._all_fitted(list(zip(value.arguments, sorts, strict=True)))
                results = [target.range, item.sort]
                if isinstance(whole.sort, PartialFunction):
                    results.append(whole.sort.range)
                wide = PartialFunction(target.domain, self.join_all(results))
                parts = (self.convert(whole, wide), key, self.convert(item, wide.range))
                return fits, Term(Operator.EXTEND, wide, parts)
            case Operator.UNION, _:
                fits, sides = self._all_fitted([(part, target) for part in value.arguments])
                return fits, Term(Operator.UNION, target, tuple(self.convert(side, target) for side in sides))
        condition, *branches = value.arguments
        (one, then), (two, otherwise) = (self._side(branch, target) for branch in branches)
        fits = YES if one is YES and two is YES else self.if_(condition, one, two)
        sort = self.join(then.sort, otherwise.sort)
        sides = [self.convert(side, sort) for side in (then, otherwise)]
        return fits, Term(Operator.IF, sort, (condition, *sides))

    def _side(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """The same, in a sort that is like the other one whether it fits or not."""
        fits, made = self.fitted(value, target)
        return fits, undefined(target) if fits is NO else made

    def _all_fitted(self, pairs: list[tuple[Term, Sort]]) -> tuple[Sym, list[Term]]:
        found = [self._side(value, sort) for value, sort in pairs]
        return self.and_([fits for fits, _ in found]), [made for _, made in found]


__all__ = ["Listing"]
