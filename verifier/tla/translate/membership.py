"""Whether values are in sets."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from verifier.encodings.concrete import Concrete
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
    Span,
    Subsets,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.terms import SCALARS, TRUTH, literal, variable
from verifier.tla.values import LazySet, ModelValue, NoValue, Value, is_infinite, is_member, is_set

Structure: TypeAlias = Functions | Records | Products | AllSequences
_OTHER_KIND = "a value of another kind is looked for in this set"


class Membership(SpreadingOnce):
    """Makes formulas of membership."""

    def has_candidate(self, of: Sym, item: Sym) -> Sym:
        """Whether a value of a sort, of whatever kind, is a member."""
        before, self.of_candidates = self.of_candidates, True
        try:
            return self.contains(of, item)
        finally:
            self.of_candidates = before

    def _passes(self, of: Part, item: Sym) -> Sym:
        """Whether a value passes the test of a set, which stands in the text."""
        before, self.of_candidates = self.of_candidates, False
        try:
            return of.test(item)
        finally:
            self.of_candidates = before

    def _of_other_kind(self, words: str = _OTHER_KIND) -> Sym:
        return NO if self.of_candidates else Nothing(words)

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
                return NO if inside is NO else self.and_([inside, self._passes(of, item)])
            case Span():
                return self._in_span(of, item)
            case Term():
                return self._in_term_of(of, item)
            case Subsets():
                return self._in_subsets(of, item)
            case Functions() | Records() | Products() | AllSequences():
                return self._in_structure(of, item)
        return Nothing("a set is expected")

    def _in_span(self, of: Span, item: Sym) -> Sym:
        """Membership in an interval. An empty one, and a model value, are asked for no kind."""
        whole = self.integer(item)
        parts = [self.less(of.low, whole, equal=True), self.less(whole, of.high, equal=True)]
        inside = self._of_other_kind() if isinstance(whole, Nothing) else self.and_(parts)
        kinds = self.kinds(item)
        if kinds.keys() == {"integer"}:
            return inside
        model = [held for kind, held in kinds.items() if kind == "model"]
        never = self.or_([*model, self.less(of.high, of.low)])
        other = self.if_(never, NO, self._of_other_kind())
        return self.if_(kinds["integer"], inside, other) if "integer" in kinds else other

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
                return self._of_other_kind(str(error))
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
        if value.name == "Any":
            return YES
        term = self.term(item)
        if isinstance(term.sort, Variant):
            found: Sym = NO
            for tag, _ in term.sort.alternatives:
                found = self.if_(
                    self.has_tag(term, tag), self._in_infinite(value, self.payload(term, tag)), found
                )
            return found
        if not isinstance(term.sort, SCALARS):
            return self._of_other_kind(f"a value of another kind is looked for in {value.name}")
        return self._in_tested(value, term)

    def _in_tested(self, value: Infinite, term: Term) -> Sym:
        """Whether a scalar passes the test of an infinite set; undefined for values of another kind."""
        inside, read = set[Concrete](), set[Concrete]()
        for one in term.sort.values():
            try:
                passes = is_member(self.names.decode(one, term.sort), value)
            except NoValue:
                continue
            read.add(one)
            if passes:
                inside.add(one)
        held = self._one_of(term, inside)
        if len(read) == term.sort.size:
            return held
        other = self._of_other_kind(f"a value of another kind is looked for in {value.name}")
        return self.if_(self._one_of(term, read), held, other)

    def _one_of(self, term: Term, values: set[Concrete]) -> Sym:
        if len(values) == term.sort.size:
            return YES
        if not values:
            return NO
        return Term(Operator.CONTAINS, TRUTH, (literal(Set(term.sort), frozenset(values)), term))

    def _in_structure(self, of: Structure, item: Sym) -> Sym:
        """Membership in a set of functions, records, tuples or sequences.

        A value of another kind has no answer, except that a model value is no member (``tla.lazy_sets``).
        """
        table = table_of(item)
        if table is not None:
            return self._table_in(of, table)
        if isinstance(item, Known):
            return NO if isinstance(item.value, ModelValue) else self._of_other_kind()
        if isinstance(item, LAZY_SETS):
            return self._of_other_kind()
        term = self.term(item)
        match term.sort:
            case Variant():
                return self.over(term, lambda part: self._in_structure(of, part))
            case Listed():
                return self.over_listed(term, lambda part: self.contains(of, part))
            case Record() | Tuple() | Function():
                rows = self.rows_of(term)
                assert rows is not None
                return self._table_in(of, rows)
            case Sequence():
                return self._sequence_in(of, term)
            case PartialFunction():
                return self._partial_in(of, term)
            case Boolean() | Range() | Set():
                return self._of_other_kind()
        raise Untranslated(None, f"membership of a value of {term.sort} in this set")

    def _in_subsets(self, of: Subsets, item: Sym) -> Sym:
        whole = self.expected(item, "set")
        if isinstance(whole, Nothing):
            return self._of_other_kind(whole.words)
        inside = self.strict(self.subset(whole, of.base), whole)
        return self.if_(self.kinds(item)["set"], inside, NO) if self.of_candidates else inside

    def _table_in(self, of: Structure, table: Table) -> Sym:
        """Membership of a function whose keys are known."""
        rows, places = table.rows, set(range(1, len(table.rows) + 1))
        match of:
            case Functions():
                keys = self.equal(Known(frozenset(rows)), of.domain)
                if keys is NO:
                    return NO
                return self.and_([keys, *(self.member_of(of.range, one) for one in rows.values())])
            case Records():
                if not all(isinstance(key, str) for key in rows):
                    return self._of_other_kind()
                if rows.keys() != of.fields.keys():
                    return NO
                return self.and_([self.member_of(image, rows[name]) for name, image in of.fields.items()])
            case Products():
                if rows.keys() != places:
                    return self._of_other_kind()
                if len(rows) != len(of.items):
                    return NO
                return self.and_([self.member_of(image, rows[n]) for n, image in enumerate(of.items, 1)])
            case AllSequences():
                if rows.keys() != places:
                    return self._of_other_kind()
                return self.and_([self.member_of(of.base, one) for one in rows.values()])
        assert_never(of)

    def _sequence_in(self, of: Structure, term: Term) -> Sym:
        """Membership of a sequence whose length varies."""
        assert isinstance(term.sort, Sequence)
        length, capacity = self.length(term), term.sort.capacity
        match of:
            case Functions():
                keys = self.equal(Span(Known(1), length), of.domain)
                return self.and_([keys, self._sequence_in(AllSequences(of.range), term)])
            case Records():
                return self.if_(self.equal(length, Known(0)), NO, self._of_other_kind())
            case Products():
                if capacity < len(of.items):
                    return NO
                inside = [self.member_of(image, self.at(term, n)) for n, image in enumerate(of.items)]
                return self.and_([self.equal(length, Known(len(of.items))), *inside])
            case AllSequences():
                inside = [self.member_of(of.base, self.at(term, place)) for place in range(capacity)]
                return self.and_(
                    [
                        self.or_([self.not_(self.less(Known(place), length)), one])
                        for place, one in enumerate(inside)
                    ]
                )
        assert_never(of)

    def _partial_in(self, of: Structure, term: Term) -> Sym:
        """Membership of a function whose domain varies."""
        assert isinstance(term.sort, PartialFunction)
        keys = term.sort.domain
        domain = Term(Operator.DOMAIN, Set(keys), (term,))
        match of:
            case Functions():
                symbol = self.fresh("k", keys)
                applied = Term(Operator.APPLY, term.sort.range, (term, variable(symbol)))
                inside = self.member_of(of.range, applied)
                case = Case(Term(Operator.CONTAINS, TRUTH, (domain, variable(symbol))), NO, symbol)
                return self.and_([self.equal(domain, of.domain), self.for_all(case, inside)])
            case Records():
                words = frozenset(
                    one for one in keys.values() if isinstance(self.names.decode(one, keys), str)
                )
                is_record = Term(Operator.SUBSET, TRUTH, (domain, literal(Set(keys), words)))
                inside = self._record_in(of, term, domain)
                return self.if_(is_record, inside, self._of_other_kind())
            case Products() | AllSequences():
                row = self.row_of_partial(term)
                inside = self._sequence_in(of, self.term(row))
                return self.if_(self.is_row(term, row), inside, self._of_other_kind())
        assert_never(of)

    def _record_in(self, of: Records, term: Term, domain: Term) -> Sym:
        assert isinstance(term.sort, PartialFunction)
        keys = term.sort.domain
        try:
            fields = {name: literal(keys, self.names.encode(name, keys)) for name in of.fields}
        except NotInSort:  # no key of the function is called so
            return NO
        inside = [
            self.member_of(of.fields[name], Term(Operator.APPLY, term.sort.range, (term, key)))
            for name, key in fields.items()
        ]
        return self.and_([self.equal(domain, Known(frozenset(fields))), *inside])

    def subset(self, one: Sym, other: Sym) -> Sym:
        """Whether a set is in another."""
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return one if isinstance(one, Nothing) else other
        if isinstance(one, Term) and not isinstance(one.sort, Set | Variant):
            return Nothing("a set is expected")
        if isinstance(other, Known):
            other = self.described(other.value)
        if isinstance(other, Joined) and not self.of_candidates:  # TLC looks into one part after the other
            return self.and_([self.for_all(c, self.member_of(other, c.item)) for c in self.spread(one)])
        inside = self._subset(one, other)
        return inside if self.of_candidates else self.comparable_parts(one, other, inside)

    def _subset(self, one: Sym, other: Sym) -> Sym:
        if (
            isinstance(one, Term)
            and isinstance(other, Term)
            and isinstance(one.sort, Set)
            and isinstance(other.sort, Set)
        ):
            (fits, left), (also, right) = self.fitted_pair(one, other)
            if also is YES:
                return NO if fits is NO else self.if_(fits, Term(Operator.SUBSET, TRUTH, (left, right)), NO)
        return self.and_([self.for_all(case, self.contains(other, case.item)) for case in self.spread(one)])

    def comparable_parts(self, one: Sym, other: Sym, inside: Sym) -> Sym:
        """Whether a set is in another, where what is missing may be compared with what the other has."""
        raise NotImplementedError

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


__all__ = ["Membership"]
