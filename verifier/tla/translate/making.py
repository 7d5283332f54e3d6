"""Makes terms: connectives that fold what is known, conversions between sorts, equality, choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from verifier.encodings.sorts import (
    Boolean,
    Function,
    Listed,
    Option,
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
from verifier.tla.logic import same
from verifier.tla.order import text
from verifier.tla.translate.coding import Names, NotInSort, field_name
from verifier.tla.translate.shapes import NOTHING, NoShape, Shape, exact_sort
from verifier.tla.translate.symbolic import (
    LAZY_SETS,
    NO,
    YES,
    Chosen,
    Known,
    Nothing,
    Row,
    Single,
    Sym,
    Table,
    Untranslated,
)
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.values import FALSE, TRUE, Fn, NoValue, Value, function, is_function, is_set, listed

TRUTH = Boolean()
SCALARS = (Range, Listed)


def literal(sort: Sort, value: object) -> Term:
    """A value of a sort as a term."""
    return Term(Operator.LITERAL, sort, (), value)


def variable(symbol: Symbol) -> Term:
    """A variable as a term."""
    return Term(Operator.VARIABLE, symbol.sort, (), symbol)


def number(value: int) -> Term:
    """An integer."""
    return literal(Range(value, value), value)


def undefined(sort: Sort) -> Term:
    """A term of a sort that has no value in any state."""
    if sort.lacking is None and sort.size:
        return Term(Operator.GET, sort, (literal(Option(sort), None),))
    return Term(Operator.CHOOSE, sort, (literal(TRUTH, False),), binds=Symbol("x", sort))


def alike(source: Sort, target: Sort) -> bool:
    """Whether values of the one sort need no conversion to be taken for values of the other."""
    if source == target:
        return True
    match source, target:
        case ((Range() | Listed()), (Range() | Listed())):
            return True
        case Set(), Set():
            return alike(source.element, target.element)
        case Sequence(), Sequence():
            return alike(source.element, target.element)
        case Tuple(), Tuple():
            return len(source.items) == len(target.items) and all(map(alike, source.items, target.items))
        case Record(), Record():
            return [n for n, _ in source.fields] == [n for n, _ in target.fields] and all(
                alike(one, other) for (_, one), (_, other) in zip(source.fields, target.fields, strict=True)
            )
        case Function(), Function():
            return source.domain == target.domain and alike(source.range, target.range)
        case PartialFunction(), PartialFunction():
            return alike(source.domain, target.domain) and alike(source.range, target.range)
        case Variant(), Variant():
            return [n for n, _ in source.alternatives] == [n for n, _ in target.alternatives] and all(
                alike(one, other)
                for (_, one), (_, other) in zip(source.alternatives, target.alternatives, strict=True)
            )
    return False


class Maker:
    """Makes terms for one module."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.joins: dict[tuple[Sort, Sort], Sort] = {}
        self.count = 0

    def fresh(self, name: str, sort: Sort) -> Symbol:
        """A new bound variable."""
        return Symbol(name, sort)

    # -- truth

    def truth(self, value: Sym) -> Sym:
        """A formula: YES, NO, Nothing or a boolean term."""
        match value:
            case Known():
                return (
                    value
                    if value.value is TRUE or value.value is FALSE
                    else Nothing("TRUE or FALSE is expected")
                )
            case Nothing():
                return value
            case Chosen():
                return self.if_(value.condition, self.truth(value.then), self.truth(value.otherwise))
            case Term():
                if isinstance(value.sort, Boolean):
                    return value
                if isinstance(value.sort, Variant) and "truth" in value.sort.payloads:
                    return self.payload(value, "truth")
        return Nothing("TRUE or FALSE is expected")

    def formula(self, value: Sym) -> Term:
        """The same as a term."""
        found = self.truth(value)
        if isinstance(found, Known):
            return literal(TRUTH, found.value is TRUE)
        if isinstance(found, Nothing):
            return undefined(TRUTH)
        assert isinstance(found, Term)
        return found

    def and_(self, parts: Iterable[Sym]) -> Sym:
        """A conjunction, read from the left."""
        return self._joined(parts, Operator.AND, NO, YES)

    def or_(self, parts: Iterable[Sym]) -> Sym:
        """A disjunction, read from the left."""
        return self._joined(parts, Operator.OR, YES, NO)

    def _joined(self, parts: Iterable[Sym], operator: Operator, last: Known, unit: Known) -> Sym:
        kept: list[Term] = []
        for part in parts:
            found = self.truth(part)
            if isinstance(found, Known):
                if found.value is last.value:
                    if not kept:
                        return last
                    kept.append(self.formula(last))
                    break
                continue
            if isinstance(found, Nothing) and not kept:
                return found
            kept.append(self.formula(found))
            if isinstance(found, Nothing):
                break
        if not kept:
            return unit
        return kept[0] if len(kept) == 1 else Term(operator, TRUTH, tuple(kept))

    def not_(self, value: Sym) -> Sym:
        """A negation."""
        found = self.truth(value)
        if isinstance(found, Known):
            return NO if found.value is TRUE else YES
        if isinstance(found, Nothing):
            return found
        return Term(Operator.NOT, TRUTH, (self.formula(found),))

    def implies(self, one: Sym, other: Callable[[], Sym]) -> Sym:
        """An implication; the right side is not asked for where the left is false."""
        left = self.truth(one)
        if isinstance(left, Nothing) or left is NO:
            return YES if left is NO else left
        if isinstance(left, Known):
            return self.truth(other()) if left.value is TRUE else YES
        right = self.truth(other())
        if isinstance(right, Known) and right.value is TRUE:
            return Term(Operator.IMPLIES, TRUTH, (self.formula(left), self.formula(YES)))
        return Term(Operator.IMPLIES, TRUTH, (self.formula(left), self.formula(right)))

    # -- choice

    def if_(self, condition: Sym, then: Sym, otherwise: Sym) -> Sym:
        """One of two."""
        decides = self.truth(condition)
        if isinstance(decides, Nothing):
            return decides
        if isinstance(decides, Known):
            return then if decides.value is TRUE else otherwise
        if then is otherwise:
            return then
        if _same_known(then, otherwise) or (isinstance(then, Nothing) and isinstance(otherwise, Nothing)):
            return then
        lazy = (*LAZY_SETS, Op, Single)
        if any(isinstance(item, lazy) or _infinite(item) for item in (then, otherwise)):
            return Chosen(decides, then, otherwise)
        if isinstance(then, Chosen) or isinstance(otherwise, Chosen):
            return Chosen(decides, then, otherwise)
        if (
            isinstance(then, Table)
            and isinstance(otherwise, Table)
            and then.rows.keys() == otherwise.rows.keys()
        ):
            return Table({k: self.if_(decides, v, otherwise.rows[k]) for k, v in then.rows.items()})
        return self._choice(decides, then, otherwise)

    def _choice(self, decides: Sym, then: Sym, otherwise: Sym) -> Term:
        if isinstance(then, Nothing):
            right = self.term(otherwise)
            return Term(Operator.IF, right.sort, (self.formula(decides), undefined(right.sort), right))
        if isinstance(otherwise, Nothing):
            left = self.term(then)
            return Term(Operator.IF, left.sort, (self.formula(decides), left, undefined(left.sort)))
        left, right = self.pair(then, otherwise)
        sort = self.join(left.sort, right.sort)
        return Term(Operator.IF, sort, (self.formula(decides), left, right))

    # -- terms

    def sort_of(self, value: Value) -> Sort:
        """The least sort of a value."""
        shape = Shape()
        try:
            shape.add(value)
        except (NoShape, NoValue) as error:
            raise Untranslated(None, f"no sort holds this value: {error}") from None
        return shape.sort(self.names)

    def term(self, value: Sym) -> Term:
        """A value as a term, in the least sort."""
        match value:
            case Term():
                return value
            case Known():
                sort = self.sort_of(value.value)
                return literal(sort, self.names.encode(value.value, sort))
            case Table():
                return self._table(value)
            case Row():
                return self._row(value)
            case Single():
                key, item = self.term(value.key), self.term(value.value)
                sort = PartialFunction(key.sort, item.sort)
                empty = literal(sort, self.names.encode((), sort))
                return Term(Operator.EXTEND, sort, (empty, key, item))
            case Chosen():
                left, right = self.pair(value.then, value.otherwise)
                sort = self.join(left.sort, right.sort)
                return Term(Operator.IF, sort, (self.formula(value.condition), left, right))
            case Nothing():
                return undefined(TRUTH)
            case Op():
                raise Untranslated(None, "an operator is no value")
        return self.set_term(value)

    def set_term(self, value: Sym) -> Term:
        """A set that is described, as a term."""
        raise NotImplementedError

    def _table(self, table: Table) -> Term:
        rows = table.rows
        if not rows:
            return literal(Tuple(), ())
        if all(key in rows for key in range(1, len(rows) + 1)) and all(type(k) is int for k in rows):
            row = [self.term(rows[key]) for key in range(1, len(rows) + 1)]
            return Term(Operator.TUPLE, Tuple(*(item.sort for item in row)), tuple(row))
        if all(type(key) is str for key in rows):
            fields = {field_name(k): self.term(rows[k]) for k in self.names.order.sorted(rows)}
            sort = Record(**{name: item.sort for name, item in fields.items()})
            return Term(Operator.RECORD, sort, tuple(fields.values()))
        exact = exact_sort(frozenset(rows), self.names)
        if exact is None:
            shape = Shape()
            for key in rows:
                shape.add(key)
            return self.as_partial(table, shape.sort(self.names), None)
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

    def _row(self, row: Row) -> Term:
        items = [self.term(slot) for slot in row.slots]
        if not items:
            return literal(Sequence(NOTHING, 0), ())
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
            found = self.joins[one, other] = shape.sort(self.names)
        return found

    def join_all(self, sorts: Iterable[Sort]) -> Sort:
        """The same of several."""
        found: Sort | None = None
        for sort in sorts:
            found = sort if found is None else self.join(found, sort)
        return NOTHING if found is None else found

    def pair(self, one: Sym, other: Sym) -> tuple[Term, Term]:
        """Two values as terms whose sorts are alike."""
        for this, side, swapped in ((one, other, False), (other, one, True)):
            if isinstance(this, Known) and not isinstance(side, Known):
                that = self.term(side)
                try:
                    made = literal(that.sort, self.names.encode(this.value, that.sort))
                except NotInSort:
                    continue
                return (that, made) if swapped else (made, that)
        left, right = self.term(one), self.term(other)
        if alike(left.sort, right.sort):
            return left, right
        sort = self.join(left.sort, right.sort)
        return self.convert(left, sort), self.convert(right, sort)

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
        if alike(source, target):
            return YES, value
        if isinstance(source, Variant):
            return self._from_variant(value, source, target)
        if isinstance(target, Variant):
            return self._to_variant(value, target)
        if source in (Sequence(NOTHING, 0), PartialFunction(NOTHING, NOTHING)):
            empty: Value = ()
            try:
                return YES, literal(target, self.names.encode(empty, target))
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
            case (Tuple() | Sequence()), Sequence():
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
            case Function(), Tuple() if source.domain == Range(1, len(target.items)):
                items = [self._applied(value, Known(i)) for i in range(1, len(target.items) + 1)]
                return self._tupled(items, target)
        return NO, value

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

    def _to_sequence(self, value: Term, target: Sequence) -> tuple[Sym, Term]:
        source = value.sort
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
            self.implies(self.less(Known(i), self.length(value)), partial(_itself, fit))
            for i, (fit, _) in enumerate(parts)
        ]
        return self.and_(used), self._row(row)

    def _applied(self, value: Term, key: Known) -> Term:
        assert isinstance(value.sort, Function | PartialFunction)
        made = literal(value.sort.domain, self.names.encode(key.value, value.sort.domain))
        return Term(Operator.APPLY, value.sort.range, (value, made))

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
                body = self.term(self.if_(fits, body, Nothing()))
            sort = PartialFunction(target.domain, body.sort)
            return YES, Term(Operator.PARTIAL_FUNCTION, sort, (self.formula(inside), body), binds=symbol)
        if isinstance(source, Tuple):
            rows = {place: self.item(value, place - 1) for place in range(1, len(source.items) + 1)}
        elif isinstance(source, Record):
            rows = {self.names.field(name): self.field(value, name) for name, _ in source.fields}
        else:
            assert isinstance(source, Sequence)
            sort = PartialFunction(target.domain, self.join(target.range, source.element))
            made: Term = literal(sort, self.names.encode((), sort))
            for place in range(source.capacity):
                key = literal(target.domain, place + 1)
                longer = Term(
                    Operator.EXTEND, sort, (made, key, self.convert(self.at(value, place), sort.range))
                )
                used = Term(Operator.LESS, TRUTH, (number(place), self.length(value)))
                made = Term(Operator.IF, sort, (used, longer, made))
            return YES, made
        if not rows:
            return YES, literal(target, self.names.encode((), target))
        for key in rows:
            try:
                self.names.encode(key, target.domain)
            except NotInSort:
                return NO, value
        return YES, self.as_partial(Table(rows), target.domain, target.range)

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
            keys = [self.names.field(name) for name, _ in target.fields]
        try:
            rows: dict[Value, Sym] = {key: self._applied(value, Known(key)) for key in keys}
        except NotInSort:
            return NO, value
        domain = Term(Operator.DOMAIN, Set(source.domain), (value,))
        fits = self.equal(domain, Known(frozenset(keys)))
        further, made = self.fitted(self._table(Table(rows)), target)
        return self.and_([fits, further]), made

    def _set(self, value: Term, source: Set, target: Set) -> tuple[Sym, Term]:
        if source.element == NOTHING:
            return YES, literal(target, frozenset())
        symbol = self.fresh("e", source.element)
        inside = Term(Operator.CONTAINS, TRUTH, (value, variable(symbol)))
        fits, body = self.fitted(variable(symbol), target.element)
        every: Sym = YES
        if fits is not YES:
            formula = Term(Operator.IMPLIES, TRUTH, (inside, self.formula(fits)))
            every = Term(Operator.FORALL, TRUTH, (formula,), binds=symbol)
            inside = Term(Operator.AND, TRUTH, (inside, self.formula(fits)))
        return every, Term(Operator.IMAGE, Set(body.sort), (inside, body), binds=symbol)

    def _to_variant(self, value: Term, target: Variant) -> tuple[Sym, Term]:
        best: tuple[Sym, Term] | None = None
        for tag, part in target.alternatives:
            if isinstance(value.sort, SCALARS) and isinstance(part, SCALARS) and not _meet(value.sort, part):
                continue
            fits, made = self.fitted(value, part)
            if fits is NO:
                continue
            sort = Variant(**{n: made.sort if n == tag else s for n, s in target.alternatives})
            wrapped = Term(Operator.VARIANT, sort, (made,), tag)
            if isinstance(value.sort, SCALARS) and not _within(value.sort, part):
                return self._spread_scalar(value, target)
            best = (fits, wrapped)
            break
        return best or (NO, value)

    def _spread_scalar(self, value: Term, target: Variant) -> tuple[Sym, Term]:
        """A value without parts whose tag depends on it."""
        conditions: list[Sym] = []
        made: Sym = Nothing()
        for tag, part in target.alternatives:
            if not isinstance(part, SCALARS) or not _meet(value.sort, part):
                continue
            inside = Term(Operator.CONTAINS, TRUTH, (literal(Set(part), frozenset(part.values())), value))
            chosen = Term(
                Operator.CHOOSE,
                part,
                (Term(Operator.EQUAL, TRUTH, (variable(symbol := self.fresh("v", part)), value)),),
                binds=symbol,
            )
            conditions.append(inside)
            made = self.if_(inside, Term(Operator.VARIANT, target, (chosen,), tag), made)
        return self.or_(conditions), self.term(made)

    def _from_variant(self, value: Term, source: Variant, target: Sort) -> tuple[Sym, Term]:
        conditions: list[Sym] = []
        made: Sym = Nothing()
        for tag, _ in source.alternatives:
            fits, part = self.fitted(self.payload(value, tag), target)
            if fits is NO:
                continue
            if (
                isinstance(part.sort, SCALARS)
                and isinstance(target, SCALARS)
                and not _meet(part.sort, target)
            ):
                continue
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

    # -- parts

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
            if isinstance(this, Table) and (rows := table_of(that)) is not None:
                if this.rows.keys() != rows.rows.keys():
                    return NO
                return self.and_([self.equal(item, rows.rows[key]) for key, item in this.rows.items()])
        left, right = self.pair(one, other)
        if (
            isinstance(left.sort, SCALARS)
            and isinstance(right.sort, SCALARS)
            and not _meet(left.sort, right.sort)
        ):
            return NO
        return Term(Operator.EQUAL, TRUTH, (left, right))


def table_of(value: Sym) -> Table | None:
    """A function whose keys are known as a table."""
    match value:
        case Table():
            return value
        case Known():
            found = listed(value.value) if is_function(value.value) else value.value
            if isinstance(found, tuple):
                return Table({number: Known(item) for number, item in enumerate(found, 1)})
            if isinstance(found, Fn):
                return Table({key: Known(item) for key, item in found.items()})
    return None


def known_table(table: Table) -> Sym:
    """A table all of whose values are known as a known value."""
    if all(isinstance(item, Known) for item in table.rows.values()):
        return Known(function({key: listed(item.value) for key, item in table.rows.items()}))  # type: ignore[union-attr]
    return table


def _itself(value: Sym) -> Sym:
    return value


def _same_known(one: Sym, other: Sym) -> bool:
    if not (isinstance(one, Known) and isinstance(other, Known)):
        return False
    try:
        return type(one.value) is type(other.value) and bool(one.value == other.value)
    except NoValue:
        return False


def _infinite(value: Sym) -> bool:
    from verifier.tla.values import is_infinite

    return isinstance(value, Known) and is_set(value.value) and is_infinite(value.value)


def _within(one: Sort, other: Sort) -> bool:
    return all(other.contains(value) for value in one.values())


def _meet(one: Sort, other: Sort) -> bool:
    if isinstance(one, Range) and isinstance(other, Range):
        return one.low <= other.high and other.low <= one.high
    return any(other.contains(value) for value in one.values())


__all__ = ["Maker", "alike", "known_table", "literal", "number", "table_of", "text", "undefined", "variable"]
