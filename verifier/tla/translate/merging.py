"""Functions that are put together: ``:>``, ``@@``, and bags."""

from __future__ import annotations

from collections.abc import Callable

from verifier.encodings.sorts import (
    Function,
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
from verifier.tla.translate.making import known_table, table_of
from verifier.tla.translate.set_operators import SetOperators
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import NO, YES, Entries, Known, Sym, Table, Untranslated
from verifier.tla.translate.terms import TRUTH, literal, variable
from verifier.tla.values import listed


class Merging(SetOperators):
    """Makes terms of functions whose domain varies."""

    def pair_of(self, key: Sym, item: Sym) -> Sym:
        """``key :> item``"""
        return Table({key.value: item}) if isinstance(key, Known) else Entries(((YES, key, item),))

    def over_each(self, one: Sym, other: Sym) -> Sym:
        """``one @@ other``"""
        comparable = self.mixed_members(self.domain(one), self.domain(other))
        return self.after(comparable, self._over_each(one, other))

    def _over_each(self, one: Sym, other: Sym) -> Sym:
        first, second = table_of(one), table_of(other)
        if first is not None and second is not None:
            return known_table(Table({**second.rows, **first.rows}))
        above, below = _entries(one), _entries(other)
        if above is None:
            left = self.partial_function(one)
            if below is not None and (isinstance(other, Entries) or self._lists_members(left.sort)):
                return self._with_entries(left, below)
            return self._merged(left, self.partial_function(other))
        if first is not None and isinstance(other, Entries):
            return self._with_entries(self.partial_function(one), other)
        found = self.partial_function(other)
        for condition, key, item in above.rows:
            found = self.term(self.if_(condition, self.extended(found, key, item), found))
        return found

    def _with_entries(self, function: Term, more: Entries) -> Term:
        """A function with entries at keys that it does not have. What one added may be added again."""
        found, domain = function, self.domain(function)
        for condition, key, item in more.rows:
            new = condition
            if not _is_empty(function):
                new = self.and_([condition, self.not_(self.contains(domain, key))])
            found = self.term(self.if_(new, self.extended(found, key, item), found))
        return found

    def partial_function(self, value: Sym) -> Term:
        """A function as a term of a sort of functions whose domain varies."""
        table = self.rows_of(value)
        if table is not None and not table.rows:
            sort: Sort = PartialFunction(NOTHING, NOTHING)
            return literal(sort, self.names.encode((), sort))
        if table is not None:
            keys = self.join_all([self.sort_of(key) for key in table.rows])
            return self.as_partial(table, keys, None)
        term = self.term(value)
        found = self._partial_sort(term.sort)
        if found is None:
            raise Untranslated(None, "@@ of functions of this kind")
        return self.convert(term, found)

    def _partial_sort(self, sort: Sort) -> PartialFunction | None:
        """The sort of functions whose domain varies that holds the functions of a sort."""
        match sort:
            case PartialFunction():
                return sort
            case Function():
                return PartialFunction(sort.domain, sort.range)
            case Sequence():
                return PartialFunction(Range(1, sort.capacity), sort.element)
            case Tuple():
                return PartialFunction(Range(1, len(sort.items)), self.join_all(sort.items))
            case Record():
                keys = self.join_all(map(self.sort_of, sort.field_sorts))
                return PartialFunction(keys, self.join_all(part for _, part in sort.fields))
            case Variant():
                kinds = [self._partial_sort(part) for _, part in sort.alternatives]
                found = [kind for kind in kinds if kind is not None]
                return (
                    PartialFunction(
                        self.join_all(kind.domain for kind in found),
                        self.join_all(kind.range for kind in found),
                    )
                    if found
                    else None
                )
        return None

    def _merged(self, one: Term, other: Term) -> Term:
        sort = self.join(one.sort, other.sort)
        assert isinstance(sort, PartialFunction)
        left, right = self.convert(one, sort), self.convert(other, sort)
        symbol = self.fresh("k", sort.domain)
        inside = [self.contains(self.domain(part), variable(symbol)) for part in (left, right)]
        applied = [Term(Operator.APPLY, sort.range, (part, variable(symbol))) for part in (left, right)]
        body = self.term(self.if_(inside[0], *applied))
        return Term(Operator.PARTIAL_FUNCTION, sort, (self.formula(self.or_(inside)), body), binds=symbol)

    def set_to_seq(self, of: Sym) -> Sym:
        """``SetToSeq``: the members in TLC's order."""
        found: Sym = Known(())
        for case in self.in_order(of):
            found = self.if_(case.condition, self.appended(found, case.item), found)
        return found

    # -- bags

    def function_over(self, of: Sym, body: Callable[[Sym], Sym]) -> Sym:
        """``[x \\in of |-> body(x)]``"""
        cases = self.spread(of)
        if all(case.condition is YES and isinstance(case.item, Known) for case in cases):
            return known_table(Table({listed(case.item.value): body(case.item) for case in cases}))  # type: ignore[union-attr]
        domain = self.term(of)
        assert isinstance(domain.sort, Set)
        symbol = self.fresh("k", domain.sort.element)
        inside = Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol)))
        made = self.term(body(variable(symbol)))
        return Term(
            Operator.PARTIAL_FUNCTION, PartialFunction(symbol.sort, made.sort), (inside, made), binds=symbol
        )

    def copies(self, item: Sym, bag: Sym) -> Sym:
        """``CopiesIn``"""
        count = self.integer(self.apply(bag, item))
        return self.if_(self.member_of(self.domain(bag), item), count, Known(0))

    def is_bag(self, value: Sym) -> Sym:
        """``IsABag``: a function to positive integers. What is of another kind is none, and no error."""
        function = self.kinds(value).get("function", NO)
        if function is NO:
            return NO
        keys = self.spread(self.domain(value))
        return self.and_([function, *(self.for_all(case, self._positive(value, case.item)) for case in keys)])

    def _positive(self, function: Sym, key: Sym) -> Sym:
        count = self.apply(function, key)
        is_integer = self.kinds(count).get("integer", NO)
        return NO if is_integer is NO else self.and_([is_integer, self.less(Known(0), self.integer(count))])

    def bag_cardinality(self, bag: Sym) -> Sym:
        """``BagCardinality``"""
        found: Sym = Known(0)
        for case in self.each_once(self.domain(bag)):
            more = self.sum_of(Operator.ADD, found, self.apply(bag, case.item))
            found = self.if_(case.condition, more, found)
        return found

    def bag_sum(self, one: Sym, other: Sym) -> Sym:
        """``one (+) other``"""
        keys = self.united(self.domain(one), self.domain(other))
        return self.function_over(
            keys, lambda key: self.sum_of(Operator.ADD, self.copies(key, one), self.copies(key, other))
        )

    def bag_difference(self, one: Sym, other: Sym) -> Sym:
        """``one (-) other``"""

        def left(key: Sym) -> Sym:
            return self.sum_of(Operator.SUBTRACT, self.copies(key, one), self.copies(key, other))

        keys = self._kept(self.domain(one), lambda key: self.less(Known(0), self.integer(left(key))))
        return self.function_over(keys, left)

    def bag_within(self, one: Sym, other: Sym) -> Sym:
        r"""``one \\sqsubseteq other``"""
        return self.and_(
            [
                self.for_all(
                    case,
                    self.less(
                        self.integer(self.apply(one, case.item)), self.copies(case.item, other), equal=True
                    ),
                )
                for case in self.spread(self.domain(one))
            ]
        )


def _entries(value: Sym) -> Entries | None:
    """A function by its entries; None if these are not told one by one."""
    table = table_of(value)
    if table is not None:
        return Entries(tuple((YES, Known(key), item) for key, item in table.rows.items()))
    return value if isinstance(value, Entries) else None


def _is_empty(function: Term) -> bool:
    return isinstance(function.sort, PartialFunction) and function.sort.domain == NOTHING


__all__ = ["Merging"]
