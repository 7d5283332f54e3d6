"""Values with their kinds, sets of such values, and how a value of one kind is one of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from verifier.encodings.expressions import BOOLEAN, all_values, integer, literal, set_of, some, term_of, wrap
from verifier.encodings.operations import constantly, if_
from verifier.encodings.partiality import is_total
from verifier.encodings.quantifiers import function, image
from verifier.encodings.sorts import Enum, Option, Sort
from verifier.encodings.sorts import Tuple as TupleSort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BooleanValue
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Map,
    Optional,
    Pair,
    SetOf,
    Sorts,
    Truth,
    Whole,
    Word,
    has_integers,
    is_within,
)

ALWAYS, NEVER = constantly(True), constantly(False)


@dataclass(frozen=True)
class Typed:
    """A value with its kind."""

    kind: Kind
    value: Any
    """The expression; None for the empty set whose elements are not known."""
    word: str | None = None
    """The word that it is, if it is written as one."""

    @property
    def formula(self) -> BooleanValue:
        """Return the value as a formula."""
        assert isinstance(self.kind, Truth)
        formula: BooleanValue = self.value
        return formula


@dataclass(frozen=True)
class Collection:
    """A set: of which kind its elements are, and which values of that kind it has.

    ``has`` is false of integers beyond the bounds of the kind. The elements of ``made`` are within them.
    """

    element: Kind | None
    """None for the empty set whose elements are not known."""
    has: Callable[[Typed], BooleanValue]
    """Takes values of just this kind."""
    made: Any = None
    """The set as an expression; None for sets that only say what belongs to them."""
    whole: bool = False
    """True if it has all values of its kind."""
    words: tuple[str, ...] | None = None
    """The words that it lists, if it is written so."""
    unbounded: bool = False
    """True if there is no bound for its integers, as for Nat. Nothing ranges over such a set."""


def conjoin(*formulas: BooleanValue) -> BooleanValue:
    """Return a conjunction without what is always true."""
    left = [one for one in formulas if one is not ALWAYS]
    if not left:
        return ALWAYS
    return left[0] if len(left) == 1 else BooleanValue(Term(Operator.AND, BOOLEAN, _terms(left)))


def disjoin(*formulas: BooleanValue) -> BooleanValue:
    """Return a disjunction. What is always true stays alone, unless a part before it may have no value."""
    for place, one in enumerate(formulas):
        if one is ALWAYS:
            if all(is_total(earlier.term) for earlier in formulas[:place]):
                return ALWAYS
            formulas = formulas[: place + 1]
            break
    left = [one for one in formulas if one is not NEVER]
    if not left:
        return NEVER
    return left[0] if len(left) == 1 else BooleanValue(Term(Operator.OR, BOOLEAN, _terms(left)))


def _terms(formulas: list[BooleanValue]) -> tuple[Term, ...]:
    return tuple(one.term for one in formulas)


def quantify(universal: bool, symbol: Symbol, body: BooleanValue) -> BooleanValue:
    """Return a quantified formula."""
    operator = Operator.FORALL if universal else Operator.EXISTS
    return BooleanValue(Term(operator, BOOLEAN, (body.term,), binds=symbol))


def variable_of(symbol: Symbol) -> Any:
    """Return the value of a symbol."""
    return wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))


def make_word(words: Enum[Any], word: str) -> Typed:
    """Return a word as a value."""
    return Typed(Word(), literal(words, word), word)


def field_of(record: Any, sort: Sort[Any], name: str) -> Any:
    """Return a field of a record, or an item of a tuple."""
    return wrap(Term(Operator.FIELD, sort, (term_of(record),), name))


def find_number(typed: Typed) -> int | None:
    """Return the integer that a value is written as; None for another value. At given constants, a constant
    is a literal too, but its kind names the constant."""
    if not isinstance(typed.kind, Whole) or typed.kind.low is None or typed.kind.low.parts:
        return None
    term = term_of(typed.value)
    if term.operator is not Operator.LITERAL or type(term.data) is not int:
        return None
    return term.data


def _has_any(_: Typed) -> BooleanValue:
    return ALWAYS


@dataclass(frozen=True)
class Assigned(Typed):
    """The next value of a variable, whose integers may leave the bounds of its kind. The type invariant says
    that they do not. It must not be read: a bound name with these bounds would lack values."""


class Kinds:
    """Changes of values between kinds, at the sorts of one protocol."""

    def __init__(self, sorts: Sorts, *, for_assignment: bool = False) -> None:
        """``for_assignment``: take integers beyond the bounds too. Results are for assignments, or for the
        equality of values without sets, where bounds do not matter."""
        self.sorts, self.for_assignment = sorts, for_assignment

    def whole(self, kind: Kind) -> Collection:
        """Return the set of all values of a kind, whose parts are no integers. Another integer than those of
        the kind may be sought in it."""
        assert isinstance(kind, Whole) or not has_integers(kind)
        has = self._within(kind) if isinstance(kind, Whole) else _has_any
        return Collection(kind, has, all_values(kind.sort(self.sorts)), whole=True)

    def is_within(self, one: Typed, kind: Whole) -> BooleanValue:
        """Return the formula that an integer is between the bounds of a kind."""
        return self._within(kind)(one)

    def _within(self, kind: Whole) -> Callable[[Typed], BooleanValue]:
        assert kind.low is not None
        assert kind.high is not None
        low, high = (integer(bound.at(self.sorts.numbers)) for bound in (kind.low, kind.high))
        return lambda one: conjoin(low <= one.value, one.value <= high)

    def of_set(self, typed: Typed) -> Collection:
        """Return the set that a value is."""
        assert isinstance(typed.kind, SetOf)
        if typed.kind.element is None:
            return Collection(None, lambda _: NEVER)
        return Collection(typed.kind.element, lambda one: typed.value.contains(one.value), typed.value)

    # -- wider kinds

    def widen(self, typed: Typed, kind: Kind) -> Typed | None:
        """Return the same value as one of a kind that has all values of its own; None if it may not have."""
        if typed.kind == kind:
            return typed
        match kind, typed.kind:
            case Optional(), _:
                return self._widen_optional(typed, kind)
            case Whole(), Whole():
                return Typed(kind, typed.value) if self._may_widen(typed.kind, kind) else None
            case SetOf(), SetOf(element=None) if kind.element is not None:
                return Typed(kind, set_of(kind.element.sort(self.sorts)))
            case SetOf(element=Whole() as element), SetOf(element=Whole() as own):
                return Typed(kind, typed.value) if self._may_widen(own, element) else None
            case SetOf(), SetOf() if kind.element is not None and typed.kind.element is not None:
                return self._widen_set(typed, typed.kind.element, kind.element)
            case Map(), Map() if kind.domain == typed.kind.domain:
                return self._widen_map(typed, typed.kind, kind)
            case Pair(), Pair() if len(kind.items) == len(typed.kind.items):
                return self._widen_pair(typed, typed.kind, kind)
            case Fields(), Fields():
                return self._widen_fields(typed, typed.kind, kind)
        return None

    def _may_widen(self, own: Whole, kind: Whole) -> bool:
        return self.for_assignment or is_within(own, kind)

    def _widen_optional(self, typed: Typed, kind: Optional) -> Typed | None:
        sort = kind.sort(self.sorts)
        marker = typed.word if typed.word is not None else find_number(typed)
        if marker is not None and marker == kind.absent:
            return Typed(kind, literal(sort, None))
        if isinstance(typed.kind, Optional):
            if typed.kind.absent != kind.absent:
                return None
            held = self.widen(Typed(typed.kind.inner, typed.value.value), kind.inner)
            if held is None:
                return None
            return Typed(kind, if_(typed.value.is_none, literal(sort, None), some(held.value)))
        held = self.widen(typed, kind.inner)
        return None if held is None else Typed(kind, some(held.value))

    def _widen_set(self, typed: Typed, own: Kind, element: Kind) -> Typed | None:
        symbol = Symbol("x", own.sort(self.sorts))
        if self.widen(Typed(own, variable_of(symbol)), element) is None:
            return None

        def wider(one: Any) -> Any:
            widened = self.widen(Typed(own, one), element)
            assert widened is not None
            return widened.value

        return Typed(SetOf(element), image(typed.value, wider))

    def _widen_map(self, typed: Typed, own: Map, kind: Map) -> Typed | None:
        key = Symbol("x", own.domain.sort(self.sorts))
        if self.widen(Typed(own.range, typed.value[variable_of(key)]), kind.range) is None:
            return None

        def wider(one: Any) -> Any:
            widened = self.widen(Typed(own.range, typed.value[one]), kind.range)
            assert widened is not None
            return widened.value

        return Typed(kind, function(kind.domain.sort(self.sorts), wider, kind.range.sort(self.sorts)))

    def _widen_pair(self, typed: Typed, own: Pair, kind: Pair) -> Typed | None:
        items = [self.widen(self.item(typed, place), wanted) for place, wanted in enumerate(kind.items)]
        known = [item for item in items if item is not None]
        return self.tuple_of(known) if len(known) == len(items) else None

    def _widen_fields(self, typed: Typed, own: Fields, kind: Fields) -> Typed | None:
        if any(kind.part(part.name) is None for part in own.parts):
            return None
        fields: dict[str, Any] = {}
        for part in kind.parts:
            mine = own.part(part.name)
            if mine is None:
                if not part.may_lack:
                    return None
                fields[part.name] = literal(Option(part.kind.sort(self.sorts)), None)
                continue
            value = self.raw_field(typed, part.name)
            if mine.may_lack:
                if not part.may_lack or mine.kind != part.kind:
                    return None
                fields[part.name] = value
                continue
            wider = self.widen(Typed(mine.kind, value, self._word_of(typed, part.name)), part.kind)
            if wider is None:
                return None
            fields[part.name] = some(wider.value) if part.may_lack else wider.value
        return Typed(kind, self._record(kind, fields))

    @staticmethod
    def _word_of(typed: Typed, name: str) -> str | None:
        """Return the word that a field of a written record is."""
        return typed.words.get(name) if isinstance(typed, WrittenRecord) else None

    def _record(self, kind: Fields, values: dict[str, Any]) -> Any:
        terms = tuple(term_of(values[part.name]) for part in kind.parts)
        return wrap(Term(Operator.RECORD, kind.sort(self.sorts), terms))

    # -- parts

    def item(self, typed: Typed, place: int) -> Typed:
        """Return an item of a tuple."""
        assert isinstance(typed.kind, Pair)
        kind = typed.kind.items[place]
        word = typed.words.get(str(place)) if isinstance(typed, WrittenRecord) else None
        term = term_of(typed.value)
        if term.operator is Operator.TUPLE:
            return Typed(kind, wrap(term.arguments[place]), word)
        return Typed(kind, wrap(Term(Operator.FIELD, kind.sort(self.sorts), (term,), place)), word)

    def tuple_of(self, items: list[Typed]) -> Typed:
        """Return a tuple."""
        kind = Pair(tuple(item.kind for item in items))
        terms = tuple(term_of(item.value) for item in items)
        value = wrap(Term(Operator.TUPLE, _tuple_sort(terms), terms))
        words = {str(place): item.word for place, item in enumerate(items) if item.word is not None}
        return WrittenRecord(kind, value, None, words)

    def record_of(self, fields: dict[str, Typed], kind: Fields) -> Typed:
        """Return a record with just these fields."""
        words = {name: one.word for name, one in fields.items() if one.word is not None}
        value = self._record(kind, {name: one.value for name, one in fields.items()})
        return WrittenRecord(kind, value, None, words)

    def raw_field(self, typed: Typed, name: str) -> Any:
        """Return a field of a record; an option if some records lack it."""
        assert isinstance(typed.kind, Fields)
        part = typed.kind.part(name)
        assert part is not None
        own = part.kind.sort(self.sorts)
        return field_of(typed.value, Option(own) if part.may_lack else own, name)

    # -- narrower kinds

    def narrow(self, typed: Typed, kind: Kind) -> tuple[BooleanValue, Typed] | None:
        """Return the formula that a value is one of a narrower kind, and that value; None if no rule says.
        Integers are not compared with the bounds of the kind: the sets in which a value is sought do that."""
        if typed.kind == kind:
            return ALWAYS, typed
        match typed.kind, kind:
            case Optional(absent=str() as absent), Word():
                assert self.sorts.words is not None
                return typed.value.is_none, make_word(self.sorts.words, absent)
            case Optional(absent=int() as number), Whole():
                return typed.value.is_none, Typed(kind, integer(number))
            case Optional(inner=inner), _:
                below = self.narrow(Typed(inner, typed.value.value), kind)
                return None if below is None else (conjoin(typed.value.is_some, below[0]), below[1])
            case Whole(), Whole():
                return ALWAYS, Typed(kind, typed.value)
            case Fields(), Fields():
                return self._narrow_fields(typed, typed.kind, kind)
            case Map(range=Whole()), Map(range=Whole()) if typed.kind.domain == kind.domain:
                return ALWAYS, Typed(kind, typed.value)
            case SetOf(element=Whole()), SetOf(element=Whole()):
                return ALWAYS, Typed(kind, typed.value)
            case Pair(), Pair() if len(typed.kind.items) == len(kind.items):
                items = [self.narrow(self.item(typed, place), one) for place, one in enumerate(kind.items)]
                known = [one for one in items if one is not None]
                if len(known) < len(items):
                    return None
                return conjoin(*(one[0] for one in known)), self.tuple_of([one[1] for one in known])
        return None

    def _narrow_fields(self, typed: Typed, own: Fields, kind: Fields) -> tuple[BooleanValue, Typed] | None:
        conditions, fields = [], dict[str, Any]()
        if any(own.part(part.name) is None for part in kind.parts):
            return None
        for part in own.parts:
            value, wanted = self.raw_field(typed, part.name), kind.part(part.name)
            if wanted is None:
                if not part.may_lack:
                    return None
                conditions.append(value.is_none)
                continue
            if part.may_lack and wanted.may_lack:
                if part.kind != wanted.kind:
                    return None
                fields[part.name] = value
                continue
            if part.may_lack:
                conditions.append(value.is_some)
                value = value.value
            below = self.narrow(Typed(part.kind, value), wanted.kind)
            if below is None:
                return None
            conditions.append(below[0])
            fields[part.name] = some(below[1].value) if wanted.may_lack else below[1].value
        return conjoin(*conditions), Typed(kind, self._record(kind, fields))


@dataclass(frozen=True)
class WrittenRecord(Typed):
    """A record or tuple that is written with its fields, of which some are words."""

    words: dict[str, str] = None  # type: ignore[assignment]


def _tuple_sort(terms: tuple[Term, ...]) -> Sort[Any]:
    return TupleSort(*(term.sort for term in terms))
