"""Terms converted from one sort to another."""

from __future__ import annotations

from functools import partial

from verifier.encodings.concrete import Concrete
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
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.making import itself
from verifier.tla.translate.narrowing import Narrowing
from verifier.tla.translate.shapes import NOTHING
from verifier.tla.translate.symbolic import NO, YES, Known, Nothing, Row, Sym, Table
from verifier.tla.translate.terms import (
    SCALARS,
    TRUTH,
    alike,
    literal,
    meet,
    number,
    undefined,
    variable,
    within,
)
from verifier.tla.values import Value

_EMPTY = (Sequence(NOTHING, 0), PartialFunction(NOTHING, NOTHING))
"""Sorts that hold the empty function only."""


class Conversions(Narrowing):
    """Converts terms."""

    def convert(self, value: Term, target: Sort) -> Term:
        """A term in another sort; undefined where the value is not in it."""
        fits, made = self.fitted(value, target)
        if fits is YES:
            return made
        found = self.if_(fits, made, Nothing("outside"))
        return found if isinstance(found, Term) else undefined(target)

    def fitted(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Whether the kind of a term's value is one of another sort, and the term converted.

        Of integers and other values without parts nothing is asked: the reader of the term does.
        """
        source = value.sort
        if alike(source, target) and (source == target or source not in _EMPTY):
            return YES, value
        if self.names.lists(source) and not self.names.lists(target):
            return self._from_listed(value, target)
        if self._lists_members(target) and value.operator in (
            Operator.SET,
            Operator.UNION,
            Operator.IF,
            Operator.EXTEND,
        ):
            return self._pushed(value, target)
        if isinstance(source, Variant):
            return self._from_variant(value, source, target)
        if self.names.lists(target) and not self.names.lists(source):
            return self._to_listed(value, target)
        if isinstance(target, Variant):
            return self._to_variant(value, target)
        if source in _EMPTY:
            empty: Value = ()
            try:
                return YES, self._instead(value, literal(target, self.names.encode(empty, target)))
            except NotInSort:
                return NO, value
        if value.operator is Operator.LITERAL:
            try:
                known = self.names.decode(value.data, source)
                return YES, literal(target, self.names.encode(known, target))
            except NotInSort:
                pass
        return self._part_by_part(value, target)

    def _part_by_part(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        source = value.sort
        match source, target:
            case Set(), Set():
                return self._set(value, source, target)
            case Tuple(), Tuple() if len(source.items) == len(target.items):
                return self._tupled([self.item(value, i) for i in range(len(source.items))], target)
            case Record(), Record() if set(source.field_sorts) == set(target.field_sorts):
                pairs = {name: self.fitted(self.field(value, name), part) for name, part in target.fields}
                sort = Record(**{name: part.sort for name, (_, part) in pairs.items()})
                terms = tuple(part for _, part in pairs.values())
                return self.and_([f for f, _ in pairs.values()]), Term(Operator.RECORD, sort, terms)
            case Function(), Function() if source.domain == target.domain:
                return self._pointwise(value, source, target)
            case ((Tuple() | Sequence()), Sequence()):
                return self._to_sequence(value, target)
            case Sequence(), Tuple():
                if source.capacity < len(target.items):
                    return NO, value
                long = self.equal(self.length(value), Known(len(target.items)))
                fits, made = self._tupled([self.at(value, i) for i in range(len(target.items))], target)
                return self.and_([long, fits]), made
            case ((Tuple() | Record() | Function() | PartialFunction() | Sequence()), PartialFunction()):
                return self._to_partial(value, target)
            case PartialFunction(), (Function() | Tuple() | Record()):
                return self._from_partial(value, target)
            case PartialFunction(), Sequence():
                return self._partial_to_sequence(value, target)
            case Function(), Tuple() if source.domain == Range(1, len(target.items)):
                items = [self._applied(value, Known(i)) for i in range(1, len(target.items) + 1)]
                return self._tupled(items, target)
        return NO, value

    # -- part by part

    def _tupled(self, items: list[Term], target: Tuple) -> tuple[Sym, Term]:
        parts = [self.fitted(item, sort) for item, sort in zip(items, target.items, strict=True)]
        made = tuple(part for _, part in parts)
        fits = self.and_([f for f, _ in parts])
        return fits, Term(Operator.TUPLE, Tuple(*(m.sort for m in made)), made)

    def _pointwise(self, value: Term, source: Function, target: Function) -> tuple[Sym, Term]:
        symbol = self.fresh("k", source.domain)
        applied = Term(Operator.APPLY, source.range, (value, variable(symbol)))
        fits, body = self.fitted(applied, target.range)
        every = YES if fits is YES else Term(Operator.FORALL, TRUTH, (self.formula(fits),), binds=symbol)
        return every, Term(Operator.FUNCTION, Function(source.domain, body.sort), (body,), binds=symbol)

    def _set(self, value: Term, source: Set, target: Set) -> tuple[Sym, Term]:
        if source.element == NOTHING:
            return YES, self._instead(value, literal(target, frozenset()))
        symbol = self.fresh("e", source.element)
        inside = Term(Operator.CONTAINS, TRUTH, (value, variable(symbol)))
        fits, body = self.fitted(variable(symbol), target.element)
        every: Sym = YES
        if fits is not YES:
            formula = Term(Operator.IMPLIES, TRUTH, (inside, self.formula(fits)))
            every = Term(Operator.FORALL, TRUTH, (formula,), binds=symbol)
            inside = Term(Operator.AND, TRUTH, (inside, self.formula(fits)))
        return every, Term(Operator.IMAGE, Set(body.sort), (inside, body), binds=symbol)

    def _to_sequence(self, value: Term, target: Sequence) -> tuple[Sym, Term]:
        source = value.sort
        if source == Tuple():
            return YES, self._instead(value, literal(target, ()))
        if isinstance(source, Tuple):
            parts = [self.fitted(self.item(value, i), target.element) for i in range(len(source.items))]
            element = self.join_all([target.element, *(part.sort for _, part in parts)])
            items = tuple(self.convert(part, element) for _, part in parts)
            fits = self.and_([f for f, _ in parts])
            return fits, Term(Operator.SEQUENCE, Sequence(element, len(items)), items)
        assert isinstance(source, Sequence)
        parts = [self.fitted(self.at(value, i), target.element) for i in range(source.capacity)]
        row = Row(tuple(part for _, part in parts), self.length(value))
        used = [
            self.implies(self.less(Known(i), self.length(value)), partial(itself, fit))
            for i, (fit, _) in enumerate(parts)
        ]
        return self.and_(used), self._row(row)

    def _applied(self, value: Term, key: Known) -> Term:
        assert isinstance(value.sort, Function | PartialFunction)
        made = literal(value.sort.domain, self.names.encode(key.value, value.sort.domain))
        return Term(Operator.APPLY, value.sort.range, (value, made))

    # -- functions whose domain varies

    def _to_partial(self, value: Term, target: PartialFunction) -> tuple[Sym, Term]:
        source = value.sort
        rows: dict[Value, Sym]
        if isinstance(source, Function | PartialFunction):
            symbol = self.fresh("k", target.domain)
            known, key = self.fitted(variable(symbol), source.domain)
            if known is NO:
                if isinstance(source, PartialFunction):
                    none = literal(target, self.names.encode((), target))
                    return self.equal(
                        Term(Operator.DOMAIN, Set(source.domain), (value,)), Known(frozenset())
                    ), none
                return NO, value
            keys: Term = literal(Set(source.domain), frozenset(source.domain.values()))
            if isinstance(source, PartialFunction):
                keys = Term(Operator.DOMAIN, Set(source.domain), (value,))
            inside = self.and_([known, Term(Operator.CONTAINS, TRUTH, (keys, key))])
            fits, body = self.fitted(Term(Operator.APPLY, source.range, (value, key)), target.range)
            if fits is not YES:
                body = self.convert(Term(Operator.APPLY, source.range, (value, key)), target.range)
            sort = PartialFunction(target.domain, body.sort)
            return self._keys_within(keys, source.domain, target.domain), Term(
                Operator.PARTIAL_FUNCTION, sort, (self.formula(inside), body), binds=symbol
            )
        if isinstance(source, Tuple):
            rows = {place: self.item(value, place - 1) for place in range(1, len(source.items) + 1)}
        elif isinstance(source, Record):
            rows = {name: self.field(value, name) for name, _ in source.fields}
        else:
            assert isinstance(source, Sequence)
            return self._sequence_to_partial(value, source, target)
        if not rows:
            return YES, self._instead(value, literal(target, self.names.encode((), target)))
        for key in rows:
            try:
                self.names.encode(key, target.domain)
            except NotInSort:
                return NO, value
        return YES, self.as_partial(Table(rows), target.domain, target.range)

    def _sequence_to_partial(
        self, value: Term, source: Sequence, target: PartialFunction
    ) -> tuple[Sym, Term]:
        sort = PartialFunction(target.domain, self.join(target.range, source.element))
        made: Term = literal(sort, self.names.encode((), sort))
        for place in range(source.capacity):
            try:
                key = literal(target.domain, self.names.encode(place + 1, target.domain))
            except NotInSort:
                return self.less(self.length(value), Known(place), equal=True), made
            longer = Term(Operator.EXTEND, sort, (made, key, self.convert(self.at(value, place), sort.range)))
            used = Term(Operator.LESS, TRUTH, (number(place), self.length(value)))
            made = Term(Operator.IF, sort, (used, longer, made))
        return YES, made

    def _keys_within(self, keys: Term, source: Sort, target: Sort) -> Sym:
        """Whether all keys of a function have a value in another sort."""
        if source == target:
            return YES
        inside = set[Concrete]()
        for key in source.values():
            try:
                self.names.encode(self.names.decode(key, source), target)
            except NotInSort:
                continue
            inside.add(key)
        if len(inside) == source.size:
            return YES
        return Term(Operator.SUBSET, TRUTH, (keys, literal(Set(source), frozenset(inside))))

    def _from_partial(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        source = value.sort
        assert isinstance(source, PartialFunction)
        keys: list[Value]
        if isinstance(target, Function):
            keys = [self.names.decode(key, target.domain) for key in target.domain.values()]
        elif isinstance(target, Tuple):
            keys = list(range(1, len(target.items) + 1))
        else:
            assert isinstance(target, Record)
            keys = list(target.field_sorts)
        try:
            rows: dict[Value, Sym] = {key: self._applied(value, Known(key)) for key in keys}
        except NotInSort:
            return NO, value
        domain = Term(Operator.DOMAIN, Set(source.domain), (value,))
        fits = self.equal(domain, Known(frozenset(keys)))
        further, made = self.fitted(self._table(Table(rows)), target)
        return self.and_([fits, further]), made

    def _partial_to_sequence(self, value: Term, target: Sequence) -> tuple[Sym, Term]:
        row = self.row_of_partial(value)
        slots = []
        fits = []
        for place, slot in enumerate(row.slots[: target.capacity]):
            fit, made = self.fitted(self.term(slot), target.element)
            fits.append(self.implies(self.less(Known(place), row.length), partial(itself, fit)))
            slots.append(made)
        short = self.less(row.length, Known(target.capacity), equal=True)
        cut = Row(tuple(slots), self.if_(short, row.length, Known(0)))
        return self.and_([self.is_row(value, row), short, *fits]), self._row(cut)

    def row_of_partial(self, value: Term) -> Row:
        """A function whose domain varies by its values at 1, 2, 3 and so on."""
        assert isinstance(value.sort, PartialFunction)
        count = len(self._places(value.sort.domain))
        domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
        size = Term(Operator.CARDINALITY, Range(0, value.sort.domain.size), (domain,))
        return Row(tuple(self._applied(value, Known(place)) for place in range(1, count + 1)), size)

    def _places(self, keys: Sort) -> list[Term]:
        """1, 2, 3 and so on in a sort of keys, as far as they are in it."""
        found: list[Term] = []
        while True:
            try:
                found.append(literal(keys, self.names.encode(len(found) + 1, keys)))
            except NotInSort:
                return found

    def is_row(self, value: Term, row: Row) -> Sym:
        """Whether the domain of a function is 1 to the number of its elements."""
        assert isinstance(value.sort, PartialFunction)
        domain = Term(Operator.DOMAIN, Set(value.sort.domain), (value,))
        places = self._places(value.sort.domain)
        keys = literal(Set(value.sort.domain), frozenset(place.data for place in places))
        within = Term(Operator.SUBSET, TRUTH, (domain, keys))
        used = [
            self.implies(
                self.less(Known(number), row.length),
                partial(itself, Term(Operator.CONTAINS, TRUTH, (domain, place))),
            )
            for number, place in enumerate(places)
        ]
        return self.and_([within, *used])

    # -- variants

    def _to_variant(self, value: Term, target: Variant) -> tuple[Sym, Term]:
        found: list[tuple[Sym, str, Term]] = []
        for tag, part in target.alternatives:
            if isinstance(value.sort, SCALARS) and isinstance(part, SCALARS) and not meet(value.sort, part):
                continue
            fits, made = self.fitted(value, part)
            if fits is NO:
                continue
            if isinstance(value.sort, SCALARS) and not within(value.sort, part):
                return self._spread_scalar(value, target)
            found.append((fits, tag, made))
            if fits is YES:
                break
        if not found:
            return NO, value
        parts = {tag: made.sort for _, tag, made in found}
        sort = Variant(**{tag: parts.get(tag, part) for tag, part in target.alternatives})
        wrapped = [(fits, Term(Operator.VARIANT, sort, (made,), tag)) for fits, tag, made in found]
        whole = wrapped[-1][1]
        for fits, one in reversed(wrapped[:-1]):
            whole = Term(Operator.IF, sort, (self.formula(fits), one, whole))
        return self.or_([fits for fits, _ in wrapped]), whole

    def _spread_scalar(self, value: Term, target: Variant) -> tuple[Sym, Term]:
        """A value without parts whose tag depends on it."""
        conditions: list[Sym] = []
        made: Sym = Nothing()
        for tag, part in target.alternatives:
            if not isinstance(part, SCALARS) or not meet(value.sort, part):
                continue
            inside, chosen = self._as_scalar(value, part)
            conditions.append(inside)
            made = self.if_(inside, Term(Operator.VARIANT, target, (chosen,), tag), made)
        return self.or_(conditions), self.term(made)

    def _as_scalar(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Whether a value without parts is in another such sort, and the value there."""
        inside = Term(Operator.CONTAINS, TRUTH, (literal(Set(target), frozenset(target.values())), value))
        symbol = self.fresh("v", target)
        same = Term(Operator.EQUAL, TRUTH, (variable(symbol), value))
        return inside, Term(Operator.CHOOSE, target, (same,), binds=symbol)

    def _from_variant(self, value: Term, source: Variant, target: Sort) -> tuple[Sym, Term]:
        conditions: list[Sym] = []
        made: Sym = Nothing()
        for tag, _ in source.alternatives:
            fits, part = self.fitted(self.payload(value, tag), target)
            if fits is NO:
                continue
            if isinstance(part.sort, SCALARS) and isinstance(target, SCALARS) and not meet(part.sort, target):
                continue
            if isinstance(target, SCALARS) and part.sort != target:
                inside, part = self._as_scalar(part, target)
                fits = self.and_([fits, inside])
            held = self.and_([self.has_tag(value, tag), fits])
            conditions.append(held)
            if isinstance(made, Term) and isinstance(target, Variant) and made.sort != part.sort:
                sort = Variant(
                    **{
                        n: self.join(made.sort.payload(n), part.sort.payload(n))  # type: ignore[attr-defined]
                        for n, _ in target.alternatives
                    }
                )
                made = Term(Operator.IF, sort, (self.formula(held), part, made))
            else:
                made = self.if_(held, part, made)
        if isinstance(made, Nothing):
            return NO, value
        return self.or_(conditions), self.term(made)


__all__ = ["Conversions"]
