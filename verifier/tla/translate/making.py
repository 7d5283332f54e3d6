"""Values made into terms, their parts, and comparison."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.encodings.sorts import (
    Function,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Sort,
    Tuple,
    Variant,
    is_field,
)
from verifier.encodings.terms import Operator, Term
from verifier.tla.translate.coding import NotInSort
from verifier.tla.translate.connectives import Connectives
from verifier.tla.translate.shape_sorts import exact_sort, sort_of
from verifier.tla.translate.shapes import NOTHING, NoShape, Shape
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Chosen,
    Entries,
    Known,
    LazyMap,
    Members,
    Nothing,
    Row,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import (
    SCALARS,
    TRUTH,
    alike,
    literal,
    loses,
    meet,
    number,
    undefined,
    variable,
)
from verifier.tla.values import (
    Fn,
    LazyFunction,
    NoValue,
    Value,
    function,
    is_function,
    is_infinite,
    listed,
    same,
)


class Maker(Connectives):
    """Makes terms for one module."""

    def sort_of(self, value: Value) -> Sort:
        """The least sort of a value."""
        shape = Shape()
        try:
            shape.add(value)
        except (NoShape, NoValue) as error:
            raise Untranslated(None, f"no sort holds this value: {error}") from None
        return sort_of(shape, self.names)

    def term(self, value: Sym) -> Term:
        """A value as a term, in the least sort."""
        match value:
            case Term():
                return value
            case Known():
                sort = self.sort_of(value.value)
                return literal(sort, self.names.encode(value.value, sort))
            case Table():
                found = self.tables.get(value)
                if found is None:
                    found = self.tables[value] = self._table(value)
                return found
            case Row():
                return self._row(value)
            case Entries():
                return self._entered(value)
            case Chosen():
                left, right = self.pair(value.then, value.otherwise)
                sort = self.join(left.sort, right.sort)
                return Term(Operator.IF, sort, (self.formula(value.condition), left, right))
            case Nothing():
                return undefined(TRUTH)
            case LazyMap():
                return self.term(value.whole())
            case Op():
                raise Untranslated(None, "an operator is no value")
        return self.set_term(value)

    def set_term(self, value: Sym) -> Term:
        """A set that is described, as a term."""
        raise NotImplementedError

    def rows_of(self, item: Sym) -> Table | None:
        """A function as a table, where its keys do not depend on the state."""
        raise NotImplementedError

    def convert(self, value: Term, target: Sort) -> Term:
        """A term in another sort; undefined where the value is not in it."""
        raise NotImplementedError

    def fitted(self, value: Term, target: Sort) -> tuple[Sym, Term]:
        """Whether a term's value is one of another sort, and the term converted."""
        raise NotImplementedError

    def _entered(self, entries: Entries) -> Term:
        items = [(when, self.term(key), self.term(item)) for when, key, item in entries.rows]
        keys = self.join_all([key.sort for _, key, _ in items])
        sort = PartialFunction(keys, self.join_all([item.sort for *_, item in items]))
        found = literal(sort, self.names.encode((), sort))
        for when, key, item in items:
            parts = (found, self.convert(key, sort.domain), self.convert(item, sort.range))
            longer = Term(Operator.EXTEND, sort, parts)
            found = longer if when is YES else Term(Operator.IF, sort, (self.formula(when), longer, found))
        return found

    def _table(self, table: Table) -> Term:
        rows = table.rows
        if not rows:
            return literal(Tuple(), ())
        if all(key in rows for key in range(1, len(rows) + 1)) and all(type(k) is int for k in rows):
            row = [self.term(rows[key]) for key in range(1, len(rows) + 1)]
            return Term(Operator.TUPLE, Tuple(*(item.sort for item in row)), tuple(row))
        if all(type(key) is str and is_field(key) for key in rows):
            fields = {k: self.term(rows[k]) for k in self.names.order.sorted(rows)}
            sort = Record(**{name: item.sort for name, item in fields.items()})
            return Term(Operator.RECORD, sort, tuple(fields.values()))
        exact = exact_sort(frozenset(rows), self.names)
        if exact is None:
            shape = Shape()
            for key in rows:
                shape.add(key)
            return self.as_partial(table, sort_of(shape, self.names), None)
        items = {key: self.term(item) for key, item in rows.items()}
        result = self.join_all([item.sort for item in items.values()])
        symbol = self.fresh("k", exact)
        found: Term | None = None
        for key, item in reversed(items.items()):
            converted = self.convert(item, result)
            if found is None:
                found = converted
                continue
            is_key = Term(
                Operator.EQUAL, TRUTH, (variable(symbol), literal(exact, self.names.encode(key, exact)))
            )
            found = Term(Operator.IF, result, (is_key, converted, found))
        assert found is not None
        return Term(Operator.FUNCTION, Function(exact, result), (found,), binds=symbol)

    def as_partial(self, table: Table, keys: Sort, result: Sort | None) -> Term:
        """A table as a function whose domain may vary."""
        items = {key: self.term(item) for key, item in table.rows.items()}
        result = self.join_all([item.sort for item in items.values()] + ([result] if result else []))
        sort = PartialFunction(keys, result)
        symbol = self.fresh("k", keys)
        body: Term = undefined(result)
        inside: list[Sym] = []
        for key, item in reversed(items.items()):
            is_key = Term(
                Operator.EQUAL, TRUTH, (variable(symbol), literal(keys, self.names.encode(key, keys)))
            )
            inside.append(is_key)
            body = Term(Operator.IF, result, (is_key, self.convert(item, result), body))
        return Term(Operator.PARTIAL_FUNCTION, sort, (self.formula(self.or_(inside)), body), binds=symbol)

    def _instead(self, value: Term, literal: Term) -> Term:
        """The only value of a sort, in another sort."""
        return self.term(self.strict(literal, value))

    def _row(self, row: Row) -> Term:
        items = [self.term(slot) for slot in row.slots]
        if not items:
            return self._instead(self.term(row.length), literal(Sequence(NOTHING, 0), ()))
        element = self.join_all([item.sort for item in items])
        slots = []
        default = literal(element, element.default)
        length = self.term(row.length)
        for place, item in enumerate(items):
            used = Term(Operator.LESS, TRUTH, (number(place), length))
            slots.append(Term(Operator.IF, element, (used, self.convert(item, element), default)))
        whole = Term(Operator.SEQUENCE, Sequence(element, len(slots)), tuple(slots))
        return Term(Operator.TRUNCATE, whole.sort, (whole, length))

    # -- sorts

    def join(self, one: Sort, other: Sort) -> Sort:
        """The least sort for the values of both."""
        if one == other:
            return one
        found = self.joins.get((one, other))
        if found is None:
            shape = Shape()
            try:
                shape.add_sort(one, self.names)
                shape.add_sort(other, self.names)
            except NoShape as error:
                raise Untranslated(None, f"{one} and {other} have no common sort: {error}") from None
            found = sort_of(shape, self.names)
            if loses(one, found) or loses(other, found):
                raise Untranslated(None, f"{one} and {other} have no common sort: {found} lacks some values")
            self.joins[one, other] = found
        return found

    def join_all(self, sorts: Iterable[Sort]) -> Sort:
        """The same of several."""
        found: Sort | None = None
        for sort in sorts:
            found = sort if found is None else self.join(found, sort)
        return NOTHING if found is None else found

    def pair(self, one: Sym, other: Sym) -> tuple[Term, Term]:
        """Two values as terms whose sorts are alike; undefined where that sort does not have them."""
        found = self._known_pair(one, other)
        if found is not None:
            return found
        left, right = self.term(one), self.term(other)
        sort = self._common_sort(left.sort, right.sort)
        return (left, right) if sort is None else (self.convert(left, sort), self.convert(right, sort))

    def fitted_pair(self, one: Sym, other: Sym) -> tuple[tuple[Sym, Term], tuple[Sym, Term]]:
        """The same, each with the condition that the sort has the value. The common sort may list the values
        of one and so leave out some of the other: what it does not have is equal to nothing that it has."""
        found = self._known_pair(one, other)
        if found is not None:
            return (YES, found[0]), (YES, found[1])
        left, right = self.term(one), self.term(other)
        sort = self._common_sort(left.sort, right.sort)
        if sort is None:
            return (YES, left), (YES, right)
        return self.fitted(left, sort), self.fitted(right, sort)

    def _known_pair(self, one: Sym, other: Sym) -> tuple[Term, Term] | None:
        """The same where one value is known, and the sort of the other has it."""
        for this, side, swapped in ((one, other, False), (other, one, True)):
            if isinstance(this, Known) and not isinstance(side, Known):
                that = self.term(side)
                try:
                    made = literal(that.sort, self.names.encode(this.value, that.sort))
                except NotInSort:
                    continue
                return (that, made) if swapped else (made, that)
        return None

    def _common_sort(self, one: Sort, other: Sort) -> Sort | None:
        """A sort to which terms of two sorts are converted; None where they need no conversion."""
        if one == other:
            return None
        sort = self.join(one, other)
        # What lists sets and what lists words are alike, and their join is neither.
        return None if alike(one, other) and alike(one, sort) else sort

    # -- parts

    def payload(self, value: Term, tag: str) -> Term:
        """What a variant holds."""
        assert isinstance(value.sort, Variant)
        if value.operator is Operator.VARIANT and value.data == tag:
            return value.arguments[0]
        return Term(Operator.PAYLOAD, value.sort.payload(tag), (value,), tag)

    def has_tag(self, value: Term, tag: str) -> Sym:
        """Whether a variant has a tag."""
        if value.operator is Operator.VARIANT:
            return YES if value.data == tag else NO
        return Term(Operator.HAS_TAG, TRUTH, (value,), tag)

    def item(self, value: Term, place: int) -> Term:
        """An item of a tuple, counted from 0."""
        assert isinstance(value.sort, Tuple)
        if value.operator is Operator.TUPLE:
            return value.arguments[place]
        return Term(Operator.FIELD, value.sort.items[place], (value,), place)

    def field(self, value: Term, name: str) -> Term:
        """A field of a record."""
        assert isinstance(value.sort, Record)
        if value.operator is Operator.RECORD:
            return value.arguments[list(value.sort.field_sorts).index(name)]
        return Term(Operator.FIELD, value.sort.field_sorts[name], (value,), name)

    def length(self, value: Term) -> Term:
        """The length of a sequence."""
        assert isinstance(value.sort, Sequence)
        return Term(Operator.LENGTH, Range(0, value.sort.capacity), (value,))

    def at(self, value: Term, place: int) -> Term:
        """An element of a sequence, counted from 0."""
        assert isinstance(value.sort, Sequence)
        return Term(Operator.AT, value.sort.element, (value, number(place)))

    # -- comparison

    def less(self, one: Sym, other: Sym, *, equal: bool = False) -> Sym:
        """``one < other``, or ``one <= other``."""
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return one if isinstance(one, Nothing) else other
        if isinstance(one, Known) and isinstance(other, Known):
            return YES if (one.value < other.value or (equal and one.value == other.value)) else NO
        operator = Operator.LESS_EQUAL if equal else Operator.LESS
        return Term(operator, TRUTH, (self.term(one), self.term(other)))

    def equal(self, one: Sym, other: Sym) -> Sym:
        """Whether two values are equal."""
        if isinstance(one, Nothing) or isinstance(other, Nothing):
            return one if isinstance(one, Nothing) else other
        if isinstance(one, Known) and isinstance(other, Known):
            try:
                return YES if same(listed(one.value), listed(other.value)) else NO
            except NoValue as error:
                return Nothing(str(error))
        for this, that in ((one, other), (other, one)):
            if isinstance(this, Chosen):
                return self.if_(this.condition, self.equal(this.then, that), self.equal(this.otherwise, that))
        parts, others = self._parts_of(one), self._parts_of(other)
        if parts is not None and others is not None:
            if parts.keys() != others.keys():
                return NO
            return self.and_([self.equal(item, others[key]) for key, item in parts.items()])
        (fits, left), (also, right) = self.fitted_pair(one, other)
        if fits is YES and also is YES:
            return self._equal_terms(left, right)
        if fits is NO and also is NO:
            return Nothing("outside")
        both = self.and_([fits, also])
        there = NO if both is NO else self.if_(both, self._equal_terms(left, right), NO)
        return self.if_(self.or_([fits, also]), there, Nothing("outside"))

    def _equal_terms(self, left: Term, right: Term) -> Sym:
        if left is right and self.is_total(left):
            return YES
        if left.operator is right.operator is Operator.LITERAL:
            values = [self.names.decode(part.data, part.sort) for part in (left, right)]
            return YES if values[0] == values[1] else NO
        scalars = isinstance(left.sort, SCALARS) and isinstance(right.sort, SCALARS)
        if scalars and not meet(left.sort, right.sort):
            return self.strict(NO, left, right)
        return Term(Operator.EQUAL, TRUTH, (left, right))

    def _parts_of(self, value: Sym) -> dict[Value, Sym] | None:
        """The parts of a tuple or record that is put together where it stands; None of anything else."""
        if isinstance(value, Term) and value.operator is Operator.RECORD:
            assert isinstance(value.sort, Record)
            names = list(value.sort.field_sorts)
            return dict(zip(names, value.arguments, strict=True))
        if isinstance(value, Term) and value.operator is Operator.TUPLE:
            return dict(enumerate(value.arguments, 1))
        table = table_of(value) if isinstance(value, Known | Table) else None
        return None if table is None else table.rows


def table_of(value: Sym) -> Table | None:
    """A function whose keys are known as a table."""
    match value:
        case Table():
            return value
        case LazyMap():
            return table_of(value.whole())
        case Known(LazyFunction() as lazy) if is_infinite(lazy.domain):
            return None
        case Known():
            found = listed(value.value) if is_function(value.value) else value.value
            if isinstance(found, tuple):
                return Table({number: Known(item) for number, item in enumerate(found, 1)})
            if isinstance(found, Fn):
                return Table({key: Known(item) for key, item in found.items()})
    return None


def set_of(items: list[tuple[Sym, Sym]]) -> Sym:
    """A set of items, each with the condition under which it is in: known where all of it is."""
    if all(condition is YES and isinstance(item, Known) for condition, item in items):
        try:
            return Known(frozenset(listed(item.value) for _, item in items))  # type: ignore[union-attr]
        except NoValue:
            pass
    return Members(tuple(items))


def known_table(table: Table) -> Sym:
    """A table all of whose values are known as a known value."""
    if all(isinstance(item, Known) for item in table.rows.values()):
        return Known(function({key: listed(item.value) for key, item in table.rows.items()}))  # type: ignore[union-attr]
    return table


def itself(value: Sym) -> Sym:
    return value


__all__ = ["Maker", "itself", "known_table", "set_of", "table_of"]
