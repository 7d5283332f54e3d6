"""Sets: membership, the members one by one, and sets as terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from verifier.encodings.sorts import (
    Boolean,
    Function,
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
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.lazy_sets import Combined, FunctionSet, Infinite, Powerset, ProductSet, RecordSet, Sequences
from verifier.tla.order import text
from verifier.tla.translate.coding import NotInSort, field_name
from verifier.tla.translate.making import SCALARS, TRUTH, Maker, literal, number, table_of, variable
from verifier.tla.translate.shapes import NOTHING, NoShape, Shape
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
from verifier.tla.values import LazySet, NoValue, Value, is_infinite, is_member, is_set
from verifier.tla.values import members as values_of

MOST_EXPANDED = 300
"""Larger sets are not gone through member by member."""


class Case:
    """Some members of a set: what they are, under which condition, and what variable they are."""

    __slots__ = ("condition", "item", "symbol")

    def __init__(self, condition: Sym, item: Sym, symbol: Symbol | None = None) -> None:
        self.condition, self.item, self.symbol = condition, item, symbol


class Sets(Maker):
    """Makes terms of sets."""

    def over(self, value: Term, do: Callable[[Term], Sym]) -> Sym:
        """What is made of each alternative of a variant; undefined for those of which nothing can be made."""
        assert isinstance(value.sort, Variant)
        found: Sym = Nothing("a value of another kind is expected")
        made = []
        for tag, _ in value.sort.alternatives:
            result = do(self.payload(value, tag))
            if not isinstance(result, Nothing):
                made.append((self.has_tag(value, tag), result))
        if len(made) == 1 and isinstance(made[0][1], Term):
            return made[0][1]
        for condition, result in made:
            found = self.if_(condition, result, found)
        return found

    def described(self, value: Value) -> Sym:
        """A known set that is not listed, by its parts."""
        match value:
            case FunctionSet():
                return Functions(Known(value.domain), Known(value.range))
            case RecordSet():
                return Records({name: Known(image) for name, image in value.fields.items()})
            case ProductSet():
                return Products(tuple(map(Known, value.items)))
            case Powerset():
                return Subsets(Known(value.base))
            case Sequences():
                return AllSequences(Known(value.base))
            case Combined() if value.sign == "\\cup":
                return Joined((Known(value.first), Known(value.second)))
        return Known(value)

    # -- members one by one

    def spread(self, of: Sym) -> list[Case]:
        """The members of a set; in TLC's order where all of them are known."""
        match of:
            case Known():
                return self._spread_known(of.value)
            case Term() if isinstance(of.sort, Set):
                symbol = self.fresh("x", of.sort.element)
                inside = Term(Operator.CONTAINS, TRUTH, (of, variable(symbol)))
                return [] if of.sort.element == NOTHING else [Case(inside, variable(symbol), symbol)]
            case Members():
                return [Case(condition, item) for condition, item in of.items]
            case Joined():
                return [case for part in of.parts for case in self.spread(part)]
            case Chosen():
                return [
                    Case(self.and_([when, case.condition]), case.item, case.symbol)
                    for when, part in ((of.condition, of.then), (self.not_(of.condition), of.otherwise))
                    for case in self.spread(part)
                ]
            case Part():
                both = [(self.and_([c.condition, of.test(c.item)]), c) for c in self.spread(of.base)]
                return [Case(fits, c.item, c.symbol) for fits, c in both if fits is not NO]
            case Span():
                return self._spread_span(of)
            case Subsets():
                return self._spread_subsets(of)
            case Functions() | Records() | Products():
                return self._spread_structure(of)
            case Term() if isinstance(of.sort, Variant):
                return self._spread_variant(of)
        raise Untranslated(None, "a set that cannot be listed is gone through")

    def _spread_subsets(self, of: Subsets) -> list[Case]:
        base = self.term(of.base)
        assert isinstance(base.sort, Set)
        symbol = self.fresh("s", base.sort)
        inside = Term(Operator.SUBSET, TRUTH, (variable(symbol), base))
        return [Case(inside, variable(symbol), symbol)]

    def _spread_variant(self, of: Term) -> list[Case]:
        assert isinstance(of.sort, Variant)
        tags = [tag for tag, part in of.sort.alternatives if isinstance(part, Set)]
        if not tags:
            raise Untranslated(None, "a set that cannot be listed is gone through")
        return [
            Case(self.and_([self.has_tag(of, tag), case.condition]), case.item, case.symbol)
            for tag in tags
            for case in self.spread(self.payload(of, tag))
        ]

    def _spread_known(self, value: Value) -> list[Case]:
        if not is_set(value):
            raise Untranslated(None, "a set is expected")
        if is_infinite(value):
            raise Untranslated(None, "an infinite set is gone through")
        size = len(value) if isinstance(value, frozenset) else value.size()
        if size <= MOST_EXPANDED:
            return [Case(YES, Known(item)) for item in self.listed_in_order(value)]
        shape = Shape()
        try:
            shape.add_members(value)
        except NoShape as error:
            raise Untranslated(None, f"a set of {size} members: {error}") from None
        sort = shape.sort(self.names)
        symbol = self.fresh("x", sort)
        inside = YES if sort.size == size else self.contains(Known(value), variable(symbol))
        return [Case(inside, variable(symbol), symbol)]

    def listed_in_order(self, value: Value) -> list[Value]:
        """The members of a finite set, in TLC's order where they have one."""
        try:
            return list(self.names.order.walk(value))
        except NoValue:
            return sorted(values_of(value), key=lambda item: text(item, self.names.order))

    def _spread_span(self, of: Span) -> list[Case]:
        low, high = self.term(of.low), self.term(of.high)
        first, last = _bounds(low.sort).low, _bounds(high.sort).high
        found = []
        for value in range(first, last + 1):
            inside = self.and_(
                [
                    self.less(of.low, Known(value), equal=True),
                    self.less(Known(value), of.high, equal=True),
                ]
            )
            found.append(Case(inside, Known(value)))
        if len(found) > MOST_EXPANDED:
            raise Untranslated(None, f"an interval that may have {len(found)} members is gone through")
        return found

    def _spread_structure(self, of: Functions | Records | Products) -> list[Case]:
        shape = self.shape_of(of)
        sort = shape.sort(self.names)
        symbol = self.fresh("x", sort)
        return [Case(self.contains(of, variable(symbol)), variable(symbol), symbol)]

    def shape_of(self, of: Sym) -> Shape:
        """The shape of the members of a set."""
        shape = Shape()
        match of:
            case Known():
                try:
                    shape.add_members(of.value)
                except NoShape as error:
                    raise Untranslated(None, f"a set without bounds is gone through: {error}") from None
            case Functions() if isinstance(of.domain, Known):
                results = self.shape_of(of.range)
                probe = Shape()
                probe.add_members(FunctionSet(of.domain.value, frozenset(), self.names.order.sorted))
                _fill(probe, results)
                return probe
            case Records():
                fields = shape._record(frozenset(of.fields))
                for name, image in of.fields.items():
                    fields[name].merge(self.shape_of(image))
            case Products():
                rows = shape._row(len(of.items))
                for part, image in zip(rows.items, of.items, strict=True):
                    part.merge(self.shape_of(image))
            case Subsets():
                shape.sets = self.shape_of(of.base)
            case Joined():
                for one in of.parts:
                    shape.merge(self.shape_of(one))
            case _:
                term = self.term(of)
                assert isinstance(term.sort, Set)
                if term.sort.element != NOTHING:
                    shape.add_sort(term.sort.element, self.names)
        return shape

    # -- membership

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
            case Term() if isinstance(of.sort, Variant):
                return self.over(of, lambda part: self.contains(part, item))
            case Term() if isinstance(of.sort, Set):
                return self._in_term(of, item)
            case Functions() | Records() | Products() | Subsets() | AllSequences():
                return self._in_structure(of, item)
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

    def rows_of(self, item: Sym) -> Table | None:
        """A function as a table, where its keys do not depend on the state."""
        found = table_of(item)
        if found is not None or not isinstance(item, Term):
            return found
        sort = item.sort
        match sort:
            case Record():
                return Table({self.names.field(n): self.field(item, n) for n, _ in sort.fields})
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

    # -- quantifiers

    def for_all(self, case: Case, body: Sym) -> Sym:
        """Whether something is true of all members that a case is about."""
        whole = self.implies(case.condition, lambda: body)
        if case.symbol is None or isinstance(whole, Known | Nothing):
            return whole
        return Term(Operator.FORALL, TRUTH, (self.formula(whole),), binds=case.symbol)

    def exists(self, case: Case, body: Sym) -> Sym:
        """Whether something is true of a member that a case is about."""
        whole = self.and_([case.condition, body])
        if case.symbol is None or isinstance(whole, Known | Nothing):
            return whole
        return Term(Operator.EXISTS, TRUTH, (self.formula(whole),), binds=case.symbol)

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

    # -- sets as terms

    def set_term(self, value: Sym) -> Term:
        """A set that is described, as a term."""
        if isinstance(value, AllSequences):
            raise Untranslated(None, "the set of all sequences is no value of a state")
        pieces: list[Term] = []
        plain: list[Term] = []
        for case in self.spread(value):
            item = self.term(case.item)
            if case.symbol is not None:
                inside = self.formula(case.condition)
                if item.operator is Operator.VARIABLE and item.data is case.symbol:
                    pieces.append(Term(Operator.COMPREHENSION, Set(item.sort), (inside,), binds=case.symbol))
                else:
                    pieces.append(Term(Operator.IMAGE, Set(item.sort), (inside, item), binds=case.symbol))
            elif case.condition is YES:
                plain.append(item)
            else:
                one = Term(Operator.SET, Set(item.sort), (item,))
                none = literal(Set(item.sort), frozenset())
                pieces.append(Term(Operator.IF, one.sort, (self.formula(case.condition), one, none)))
        if plain:
            element = self.join_all([item.sort for item in plain])
            pieces.insert(0, Term(Operator.SET, Set(element), tuple(self.convert(i, element) for i in plain)))
        if not pieces:
            return literal(Set(NOTHING), frozenset())
        whole = self.join_all([piece.sort for piece in pieces])
        found = self.convert(pieces[0], whole)
        for piece in pieces[1:]:
            found = Term(Operator.UNION, whole, (found, self.convert(piece, whole)))
        return found

    # -- integers

    def integer(self, value: Sym) -> Sym:
        """An integer: known, or a term of a sort of integers."""
        match value:
            case Known():
                return value if type(value.value) is int else Nothing("an integer is expected")
            case Nothing():
                return value
            case Chosen():
                return self.if_(value.condition, self.integer(value.then), self.integer(value.otherwise))
            case Term() if isinstance(value.sort, Range):
                return value
            case Term() if isinstance(value.sort, Listed):
                if value.sort.bounds is not None:
                    return value
                ints = [v for v in value.sort.values() if isinstance(v, int)]
                if not ints:
                    return Nothing("an integer is expected")
                sort = Range(min(ints), max(ints))
                symbol = self.fresh("i", sort)
                same = Term(Operator.EQUAL, TRUTH, (variable(symbol), value))
                return Term(Operator.CHOOSE, sort, (same,), binds=symbol)
            case Term() if isinstance(value.sort, Variant):
                return self.over(value, self.integer)
        return Nothing("an integer is expected")


def _bounds(sort: Sort) -> Range:
    if isinstance(sort, Listed) and sort.bounds is not None:
        return sort.bounds
    assert isinstance(sort, Range)
    return sort


def _fill(shape: Shape, results: Shape) -> None:
    for part in _parts(shape):
        part.merge(results)


def _parts(shape: Shape) -> Iterable[Shape]:
    if shape.rows is not None:
        yield from shape.rows.items
    for fields in shape.records.values():
        yield from fields.values()
    if shape.functions is not None:
        yield shape.functions.results


__all__ = ["Case", "Sets", "field_name", "number"]
