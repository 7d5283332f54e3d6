"""Whether values are in sets."""

from __future__ import annotations

from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Tuple,
    Variant,
)
from verifier.encodings.terms import Operator, Term
from verifier.tla.lazy_sets import Infinite
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.making import table_of
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.spreading import MOST_EXPANDED, Case
from verifier.tla.translate.spreading_once import SpreadingOnce
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    AllSequences,
    Chosen,
    Functions,
    Joined,
    Known,
    Members,
    Nothing,
    Part,
    Products,
    Records,
    Row,
    Span,
    Subsets,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.terms import SCALARS, TRUTH, literal, variable
from verifier.tla.values import LazySet, NoValue, Value, is_infinite, is_member, is_set


class Membership(SpreadingOnce):
    """Makes formulas of membership."""

    def contains(self, of: Sym, item: Sym) -> Sym:
        """Whether something is a member."""
        if isinstance(of, Nothing) or isinstance(item, Nothing):
            return item if isinstance(item, Nothing) else of
        if isinstance(item, Chosen):
            return self.if_(item.condition, self.contains(of, item.then), self.contains(of, item.otherwise))
        match of:
            case Known():
                return self._in_known(of.value, item)
            case Chosen():
                return self.if_(of.condition, self.contains(of.then, item), self.contains(of.otherwise, item))
            case Members():
                return self.or_([self.and_([when, self.equal(one, item)]) for when, one in of.items])
            case Joined():
                return self.or_([self.contains(part, item) for part in of.parts])
            case Part():
                inside = self.contains(of.base, item)
                return NO if inside is NO else self.and_([inside, of.test(item)])
            case Span():
                whole = self.integer(item)
                return self.and_(
                    [self.less(of.low, whole, equal=True), self.less(whole, of.high, equal=True)]
                )
            case Term():
                return self._in_term_of(of, item)
            case Functions() | Records() | Products() | Subsets() | AllSequences():
                return self._in_structure(of, item)
        return Nothing("a set is expected")

    def _in_term_of(self, of: Term, item: Sym) -> Sym:
        if isinstance(of.sort, Variant):
            return self.over(of, lambda part: self.contains(part, item))
        if isinstance(of.sort, Set):
            return self._in_term(of, item)
        if self.names.lists(of.sort):
            return self.over_listed(of, lambda part: self.contains(part, item))
        return Nothing("a set is expected")

    def _in_term(self, of: Term, item: Sym) -> Sym:
        assert isinstance(of.sort, Set)
        element = of.sort.element
        if element == NOTHING and of.operator is Operator.LITERAL:
            return NO
        if isinstance(item, Known):
            try:
                made = literal(element, self.names.encode(item.value, element))
            except NotInSort:
                return NO
            return Term(Operator.CONTAINS, TRUTH, (of, made))
        fits, made = self.fitted(self.term(item), element)
        if fits is NO:
            return NO
        return self.and_([fits, Term(Operator.CONTAINS, TRUTH, (of, made))])

    def _in_known(self, value: Value, item: Sym) -> Sym:
        if not is_set(value):
            return Nothing("a set is expected")
        if isinstance(item, Known):
            try:
                return YES if is_member(item.value, value) else NO
            except NoValue as error:
                return Nothing(str(error))
        if isinstance(value, Infinite):
            return self._in_infinite(value, item)
        described = self.described(value)
        if not isinstance(described, Known):
            return self.contains(described, item)
        if isinstance(value, LazySet) and (is_infinite(value) or value.size() > 5000):
            raise Untranslated(None, "membership in a set that is not listed")
        members = self.listed_in_order(value)
        term = self.term(item)
        if isinstance(term.sort, Boolean | Variant) or not isinstance(term.sort, SCALARS):
            numbers = bool(members) and all(isinstance(m, int) for m in members)
            known = len(members) <= MOST_EXPANDED and table_of(item) is not None
            if (numbers and isinstance(term.sort, Variant)) or known:
                return self.or_([self.equal(item, Known(m)) for m in members])
        return self._among(members, term)

    def _among(self, members: list[Value], term: Term) -> Sym:
        kept = []
        for member in members:
            try:
                kept.append(self.names.encode(member, term.sort))
            except NotInSort:
                continue
        if not kept:
            return NO
        if len(kept) == term.sort.size:
            return YES
        return Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(kept)), term))

    def _in_infinite(self, value: Infinite, item: Sym) -> Sym:
        term = self.term(item)
        if isinstance(term.sort, Variant):
            found: Sym = NO
            for tag, _ in term.sort.alternatives:
                found = self.if_(
                    self.has_tag(term, tag), self._in_infinite(value, self.payload(term, tag)), found
                )
            return found
        if value.name == "Any":
            return YES
        if not isinstance(term.sort, Range | Listed):
            return NO
        values = list(term.sort.values())
        kept = [v for v in values if value.test(self.names.decode(v, term.sort))]
        if len(kept) == len(values):
            return YES
        return (
            Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(kept)), term)) if kept else NO
        )

    def _in_structure(self, of: Sym, item: Sym) -> Sym:
        table = table_of(item)
        if table is None:
            term = self.term(item) if not isinstance(item, LAZY_SETS) or isinstance(of, Subsets) else None
            if term is not None and isinstance(term.sort, Variant):
                found: Sym = NO
                for tag, _ in term.sort.alternatives:
                    held = self.has_tag(term, tag)
                    found = self.if_(held, self._in_structure(of, self.payload(term, tag)), found)
                return found
        match of:
            case Functions():
                return self._in_functions(of, item)
            case Records():
                rows = table or self.rows_of(item)
                if rows is None or rows.rows.keys() != of.fields.keys():
                    return NO
                return self.and_([self.contains(image, rows.rows[name]) for name, image in of.fields.items()])
            case Products():
                rows = table or self.rows_of(item)
                if rows is None or rows.rows.keys() != set(range(1, len(of.items) + 1)):
                    return NO
                return self.and_([self.contains(image, rows.rows[n]) for n, image in enumerate(of.items, 1)])
            case Subsets():
                return self.subset(item, of.base)
            case AllSequences():
                return self._in_sequences(of, item)
        raise Untranslated(None, "membership in this set")

    def subset(self, one: Sym, other: Sym) -> Sym:
        """Whether a set is in another."""
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return one if isinstance(one, Nothing) else other
        if (
            isinstance(one, Term)
            and isinstance(other, Term)
            and isinstance(one.sort, Set)
            and isinstance(other.sort, Set)
        ):
            left, right = self.pair(one, other)
            return Term(Operator.SUBSET, TRUTH, (left, right))
        if isinstance(one, Term) and not isinstance(one.sort, Set | Variant):
            return Nothing("a set is expected")
        return self.and_([self.for_all(case, self.contains(other, case.item)) for case in self.spread(one)])

    def rows_of(self, item: Sym) -> Table | None:
        """A function as a table, where its keys do not depend on the state."""
        found = table_of(item)
        if found is not None or not isinstance(item, Term):
            return found
        sort = item.sort
        match sort:
            case Record():
                return Table({n: self.field(item, n) for n, _ in sort.fields})
            case Tuple():
                return Table({n + 1: self.item(item, n) for n in range(len(sort.items))})
            case Function():
                return Table(
                    {
                        self.names.decode(key, sort.domain): Term(
                            Operator.APPLY, sort.range, (item, literal(sort.domain, key))
                        )
                        for key in sort.domain.values()
                    }
                )
        return None

    def _in_functions(self, of: Functions, item: Sym) -> Sym:
        rows = self.rows_of(item)
        if rows is not None:
            keys = self.equal(Known(frozenset(rows.rows)), of.domain)
            if keys is NO:
                return NO
            return self.and_([keys, *(self.contains(of.range, one) for one in rows.rows.values())])
        if isinstance(item, Row) or (isinstance(item, Term) and isinstance(item.sort, Sequence)):
            term = self.term(item)
            keys = self.equal(Span(Known(1), self.length(term)), of.domain)
            return self.and_([keys, self._in_sequences(AllSequences(of.range), item)])
        term = self.term(item)
        if isinstance(term.sort, PartialFunction):
            domain = Term(Operator.DOMAIN, Set(term.sort.domain), (term,))
            symbol = self.fresh("k", term.sort.domain)
            applied = Term(Operator.APPLY, term.sort.range, (term, variable(symbol)))
            inside = self.contains(of.range, applied)
            every = self.for_all(
                Case(Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol))), NO, symbol), inside
            )
            return self.and_([self.equal(domain, of.domain), every])
        return NO

    def _in_sequences(self, of: AllSequences, item: Sym) -> Sym:
        rows = self.rows_of(item)
        if rows is not None:
            if rows.rows.keys() != set(range(1, len(rows.rows) + 1)):
                return NO
            return self.and_([self.contains(of.base, one) for one in rows.rows.values()])
        term = self.term(item)
        if not isinstance(term.sort, Sequence):
            return NO
        length = self.length(term)
        inside = [self.contains(of.base, self.at(term, place)) for place in range(term.sort.capacity)]
        return self.and_(
            [self.or_([self.not_(self.less(Known(place), length)), one]) for place, one in enumerate(inside)]
        )


__all__ = ["Membership"]
