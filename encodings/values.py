"""Values: the expressions in which a protocol is written.

A value wraps a term and offers the operations of its sort, so an action looks similar to TLA+.
``==`` and ``<`` build formulas, and ``&``, ``|``, ``~`` stand for and, or, not; Python's own ``and``,
``or``, ``not``, ``if`` on a formula raise an error that says so.

A partial operation outside its domain (a function beyond its keys, the value of a none, the minimum
of an empty set, a sequence beyond its length) has no value. A protocol must not
read it, unless the formula to its left decides (``verifier.encodings.definedness``). Such a read violates
``UndefinedRead``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias

from verifier.encodings import integer_bounds
from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.encodings.listed_sort import range_of
from verifier.encodings.printing import text
from verifier.encodings.scalar_sorts import Expression
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    SortError,
    Tuple,
    Variant,
    join,
    plain,
)
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.type_variables import F, K, V
from verifier.errors import among

BOOLEAN = Boolean()
Truth: TypeAlias = "BooleanValue | bool"
Number: TypeAlias = "IntegerValue | int"
Plain: TypeAlias = int | str | Collection[Any] | None
"""A Python value that stands for an expression: ``0``, ``"idle"``, ``None``, ``{"epoch": 0}``, ``set()``."""
SetLike: TypeAlias = "SetValue[V] | Sort[V] | Plain"
"""What may stand beside a set. A sort stands for the set of all its values."""


class Value(Expression):
    """An expression of some sort."""

    __slots__ = ("_term",)

    def __init__(self, term: Term) -> None:
        self._term = term

    @property
    def term(self) -> Term:
        """The expression itself. Of a record use ``term_of``: a field may have this name."""
        return self._term

    @property
    def sort(self) -> Sort:
        """The sort of this expression. Of a record use ``sort_of``: a field may have this name."""
        return self._term.sort

    def __eq__(self, other: Self | OptionValue[Self] | Plain) -> BooleanValue:  # type: ignore[override]
        left, right = unify(self, other)
        return BooleanValue(Term(Operator.EQUAL, BOOLEAN, (left._term, right._term)))

    def __ne__(self, other: Self | OptionValue[Self] | Plain) -> BooleanValue:  # type: ignore[override]
        return ~(self == other)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return text(self._term)

    def __iter__(self) -> Iterator[Any]:
        raise SortError(
            "a value has no elements while the protocol is being read: quantify over it with forall(…), "
            "exists(…), comprehension(…) or count(…) instead of a loop, and ask contains(…) instead of in"
        )

    def __bool__(self) -> bool:
        from verifier.encodings import generators  # which is written with values

        return generators.truth(self)


def term_of(value: Value) -> Term:
    """The expression that a value is."""
    return value._term


def sort_of(value: Value) -> Sort:
    """The sort of a value."""
    return value._term.sort


class BooleanValue(Value):
    """A formula."""

    __slots__ = ()

    def __and__(self, other: Truth) -> BooleanValue:
        return BooleanValue(Term(Operator.AND, BOOLEAN, (self.term, _joined("&", other).term)))

    def __or__(self, other: Truth) -> BooleanValue:
        return BooleanValue(Term(Operator.OR, BOOLEAN, (self.term, _joined("|", other).term)))

    def __rand__(self, other: Truth) -> BooleanValue:
        return self.__and__(other)

    def __ror__(self, other: Truth) -> BooleanValue:
        return self.__or__(other)

    def __invert__(self) -> BooleanValue:
        return BooleanValue(Term(Operator.NOT, BOOLEAN, (self.term,)))

    def implies(self, other: Truth) -> BooleanValue:
        """``self => other``."""
        return BooleanValue(Term(Operator.IMPLIES, BOOLEAN, (self.term, coerce(other, BOOLEAN)._term)))


class IntegerValue(Value):
    """An integer with static bounds. Each operation computes the bounds of its result."""

    __slots__ = ()

    def _compare(self, operator: Operator, other: Number, swapped: bool = False) -> BooleanValue:
        left, right = self.term, integer(other).term
        return BooleanValue(Term(operator, BOOLEAN, (right, left) if swapped else (left, right)))

    def __lt__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS, other)

    def __le__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS_EQUAL, other)

    def __gt__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS, other, swapped=True)

    def __ge__(self, other: Number) -> BooleanValue:
        return self._compare(Operator.LESS_EQUAL, other, swapped=True)

    def __add__(self, other: Number) -> IntegerValue:
        right = integer(other)
        a, b = bounds(self), bounds(right)
        sort = Range(a.low + b.low, a.high + b.high)
        return IntegerValue(Term(Operator.ADD, sort, (self.term, right.term)))

    def __radd__(self, other: Number) -> IntegerValue:
        return self.__add__(other)

    def __sub__(self, other: Number) -> IntegerValue:
        right = integer(other)
        a, b = bounds(self), bounds(right)
        sort = Range(a.low - b.high, a.high - b.low)
        return IntegerValue(Term(Operator.SUBTRACT, sort, (self.term, right.term)))

    def __rsub__(self, other: Number) -> IntegerValue:
        return integer(other) - self

    def __neg__(self) -> IntegerValue:
        return 0 - self

    def __mul__(self, other: Number) -> IntegerValue:
        return self._calculate(Operator.MULTIPLY, integer_bounds.product, other)

    def __rmul__(self, other: Number) -> IntegerValue:
        return self.__mul__(other)

    def __floordiv__(self, other: Number) -> IntegerValue:
        """The floor of the quotient (TLA+ ``\\div``); undefined unless the divisor is positive."""
        return self._calculate(Operator.DIVIDE, integer_bounds.quotient, other)

    def __rfloordiv__(self, other: Number) -> IntegerValue:
        return integer(other) // self

    def __mod__(self, other: Number) -> IntegerValue:
        """The remainder, which is never negative (TLA+ ``%``); undefined unless the divisor is positive."""
        return self._calculate(Operator.MODULO, integer_bounds.remainder, other)

    def __rmod__(self, other: Number) -> IntegerValue:
        return integer(other) % self

    def _calculate(
        self, operator: Operator, result: Callable[[Sort, Sort], Range], other: Number
    ) -> IntegerValue:
        right = integer(other)
        if operator is not Operator.MULTIPLY and isinstance(other, int) and other < 1:
            raise SortError(f"// and % have a positive divisor, and {other} is none")
        return IntegerValue(Term(operator, result(self.sort, right.sort), (self.term, right.term)))


class AtomValue(Value):
    """An element of an index set or a member of an enumeration."""

    __slots__ = ()


class OptionValue(Value, Generic[V]):
    """A value or none."""

    __slots__ = ()

    @property
    def is_none(self) -> BooleanValue:
        """Whether there is no value."""
        return BooleanValue(Term(Operator.IS_NONE, BOOLEAN, (self.term,)))

    @property
    def is_some(self) -> BooleanValue:
        """Whether there is a value."""
        return ~self.is_none

    @property
    def value(self) -> V:
        """The value of the option; undefined if it is none."""
        assert isinstance(self.sort, Option)
        result: V = wrap(Term(Operator.GET, self.sort.inner, (self.term,)))
        return result


class RecordValue(Value):
    """A record; its fields are its attributes. A field named like a method hides the method.

    For such records there are the functions ``updated``, ``term_of`` and ``sort_of``.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        record_sort = self._term.sort
        assert isinstance(record_sort, Record)
        sort = record_sort.field_sorts.get(name)
        if sort is not None:
            return wrap(Term(Operator.FIELD, sort, (self._term,), name))
        try:
            return object.__getattribute__(self, name)
        except AttributeError:
            raise AttributeError(_no_field(record_sort, name)) from None

    def updated(self, /, **changes: Any) -> RecordValue:
        """The same record with the given fields changed (TLA+ ``EXCEPT``)."""
        term = self._term
        for name, value in changes.items():
            assert isinstance(term.sort, Record)
            fields = term.sort.field_sorts
            if name not in fields:
                raise SortError(_no_field(term.sort, name))
            changed = coerce(value, fields[name])._term
            sort = Record(**{**fields, name: join(fields[name], changed.sort)})
            term = Term(Operator.RECORD_UPDATE, sort, (term, changed), name)
        return RecordValue(term)


class FunctionValue(Value, Generic[K, V]):
    """A total function; ``f[key]`` applies it."""

    __slots__ = ()

    def __getitem__(self, key: K | Plain) -> V:
        assert isinstance(self.sort, Function)
        at = coerce(key, self.sort.domain)._term
        result: V = wrap(Term(Operator.APPLY, self.sort.range, (self.term, at)))
        return result

    def updated(self, key: K | Plain, value: V | Any) -> FunctionValue[K, V]:
        """The same function with ``key`` mapped to ``value`` (TLA+ ``EXCEPT``); undefined beyond the keys."""
        assert isinstance(self.sort, Function)
        at, changed = coerce(key, self.sort.domain)._term, coerce(value, self.sort.range)._term
        sort = Function(self.sort.domain, join(self.sort.range, changed.sort))
        return FunctionValue(Term(Operator.FUNCTION_UPDATE, sort, (self.term, at, changed)))


class SetValue(Value, Generic[V]):  # noqa: PLW1641 -- only type checkers see its __eq__
    """A set of values of one sort. ``|``, ``&``, ``-``, ``<=``, ``<``, ``>=``, ``>`` mean the same as for
    Python's sets. A sort in the place of the other set stands for the set of all its values."""

    __slots__ = ()

    if TYPE_CHECKING:  # a sort is a set here and in no other place

        def __eq__(self, other: SetLike[V] | OptionValue[Self]) -> BooleanValue: ...  # type: ignore[override]
        def __ne__(self, other: SetLike[V] | OptionValue[Self]) -> BooleanValue: ...  # type: ignore[override]

    @property
    def element(self) -> Sort[V]:
        """The sort of the elements."""
        assert isinstance(self.sort, Set)
        return self.sort.element

    def __iter__(self) -> Iterator[V]:
        from verifier.encodings import generators

        return generators.elements(self)

    def contains(self, item: V | Plain) -> BooleanValue:
        """Whether ``item`` is an element."""
        return BooleanValue(Term(Operator.CONTAINS, BOOLEAN, (self.term, coerce(item, self.element)._term)))

    def _combine(self, operator: Operator, other: SetLike[V]) -> SetValue[V]:
        with _no_element(self.element, other, "write .add(…) or .remove(…)"):
            left, right = unify(self, other)
        return SetValue(Term(operator, join(left.sort, right.sort), (left.term, right.term)))

    def __or__(self, other: SetLike[V]) -> SetValue[V]:
        return self._combine(Operator.UNION, other)

    def __and__(self, other: SetLike[V]) -> SetValue[V]:
        return self._combine(Operator.INTERSECTION, other)

    def __sub__(self, other: SetLike[V]) -> SetValue[V]:
        return self._combine(Operator.DIFFERENCE, other)

    def __ror__(self, other: Sort[V] | Plain) -> SetValue[V]:
        return _set_like(self, other) | self

    def __rand__(self, other: Sort[V] | Plain) -> SetValue[V]:
        return _set_like(self, other) & self

    def __rsub__(self, other: Sort[V] | Plain) -> SetValue[V]:
        return _set_like(self, other) - self

    def __le__(self, other: SetLike[V]) -> BooleanValue:
        with _no_element(self.element, other, "write .contains(…)"):
            left, right = unify(self, other)
        return BooleanValue(Term(Operator.SUBSET, BOOLEAN, (left.term, right.term)))

    def __ge__(self, other: SetLike[V]) -> BooleanValue:
        return _set_like(self, other) <= self

    def __lt__(self, other: SetLike[V]) -> BooleanValue:
        right = _set_like(self, other)
        return (self <= right) & (self != right)

    def __gt__(self, other: SetLike[V]) -> BooleanValue:
        return _set_like(self, other) < self

    def add(self, item: V | Plain) -> SetValue[V]:
        """The set with ``item`` in it."""
        return self | set_of(self.element, item)

    def remove(self, item: V | Plain) -> SetValue[V]:
        """The set without ``item``."""
        return self - set_of(self.element, item)

    @property
    def is_empty(self) -> BooleanValue:
        """Whether there is no element."""
        empty: SetValue = literal(self.sort, frozenset())
        return self == empty

    @property
    def cardinality(self) -> IntegerValue:
        """How many elements there are."""
        return IntegerValue(Term(Operator.CARDINALITY, Range(0, self.element.size), (self.term,)))

    @property
    def minimum(self) -> IntegerValue:
        """The least element of a set of integers; undefined if the set is empty."""
        return self._extreme(Operator.MINIMUM_OF, "minimum")

    @property
    def maximum(self) -> IntegerValue:
        """The greatest element of a set of integers; undefined if the set is empty."""
        return self._extreme(Operator.MAXIMUM_OF, "maximum")

    def _extreme(self, operator: Operator, name: str) -> IntegerValue:
        if range_of(self.element) is None:
            raise SortError(
                f"{name} is for sets of integers, not of {self.element}: use choose(…) for others"
            )
        return IntegerValue(Term(operator, self.element, (self.term,)))


class SequenceValue(Value, Generic[V]):
    """A sequence, indexed from 0."""

    __slots__ = ()

    @property
    def _sort(self) -> Sequence:
        assert isinstance(self.sort, Sequence)
        return self.sort

    def __iter__(self) -> Iterator[V]:
        from verifier.encodings import generators

        return generators.elements(self)

    @property
    def length(self) -> IntegerValue:
        """How many elements there are."""
        return IntegerValue(Term(Operator.LENGTH, Range(0, self._sort.capacity), (self.term,)))

    @property
    def is_empty(self) -> BooleanValue:
        """Whether there is no element."""
        return self.length == 0

    @property
    def last(self) -> V:
        """The last element; undefined if the sequence is empty."""
        return self[self.length - 1]

    @property
    def head(self) -> V:
        """The first element; undefined if the sequence is empty."""
        return self[0]

    @property
    def tail(self) -> SequenceValue[V]:
        """All elements but the first; undefined if the sequence is empty."""
        return self.between(1, self.length)

    @property
    def reversed(self) -> SequenceValue[V]:
        """The elements in the opposite order."""
        return SequenceValue(Term(Operator.REVERSE, self.sort, (self.term,)))

    @property
    def elements(self) -> SetValue[V]:
        """The set of the elements."""
        return SetValue(Term(Operator.ELEMENTS, Set(self._sort.element), (self.term,)))

    @property
    def sum(self) -> IntegerValue:
        """The sum of a sequence of integers; 0 if it is empty."""
        element = self._sort.element
        if range_of(element) is None:
            raise SortError(f"sum is for sequences of integers, not of {element}")
        sort = integer_bounds.total(element, 0, self._sort.capacity)
        return IntegerValue(Term(Operator.SUM, sort, (self.term,)))

    def contains(self, item: V | Plain) -> BooleanValue:
        """Whether ``item`` is an element."""
        term = coerce(item, self._sort.element)._term
        return BooleanValue(Term(Operator.OCCURS, BOOLEAN, (self.term, term)))

    def __getitem__(self, index: Number) -> V:
        result: V = wrap(Term(Operator.AT, self._sort.element, (self.term, _index(index).term)))
        return result

    def between(self, first: Number, end: Number) -> SequenceValue[V]:
        """The elements from the index ``first`` up to the one before the index ``end``, counted from 0.

        Like Python's ``sequence[first:end]`` and TLA+'s ``SubSeq(sequence, first + 1, end)``, but undefined
        unless ``0 <= first <= end <= length``.
        """
        start, stop = integer(first), integer(end)
        longest = min(self._sort.capacity, bounds(stop).high) - max(0, bounds(start).low)
        sort = Sequence(self._sort.element, max(0, longest))
        return SequenceValue(Term(Operator.BETWEEN, sort, (self.term, start.term, stop.term)))

    def updated(self, index: Number, value: V | Plain) -> SequenceValue[V]:
        """The same sequence with another element at ``index`` (TLA+ ``EXCEPT``); undefined beyond its end."""
        at, changed = integer(index).term, coerce(value, self._sort.element)._term
        sort = Sequence(join(self._sort.element, changed.sort), self._sort.capacity)
        return SequenceValue(Term(Operator.SEQUENCE_UPDATE, sort, (self.term, at, changed)))

    def prepend(self, item: V | Plain) -> SequenceValue[V]:
        """The sequence with ``item`` before its first element. The capacity of its sort grows by one."""
        first = coerce([item], self.sort)
        assert isinstance(first, SequenceValue)
        return first + self

    def append(self, item: V | Plain) -> SequenceValue[V]:
        """The sequence with ``item`` at its end. The capacity of its sort grows by one."""
        added = coerce(item, self._sort.element)._term
        sort = Sequence(join(self._sort.element, added.sort), self._sort.capacity + 1)
        return SequenceValue(Term(Operator.APPEND, sort, (self.term, added)))

    def truncate(self, length: Number) -> SequenceValue[V]:
        """The first ``length`` elements, or the whole sequence if it is not longer."""
        return SequenceValue(Term(Operator.TRUNCATE, self.sort, (self.term, integer(length).term)))

    def __add__(self, other: SequenceValue[V] | Plain) -> SequenceValue[V]:
        with _no_element(self._sort.element, other, "write .append(…)"):
            right = coerce(other, self.sort) if not isinstance(other, SequenceValue) else other
        assert isinstance(right.sort, Sequence)
        element = join(self._sort.element, right.sort.element)
        sort = Sequence(element, self._sort.capacity + right.sort.capacity)
        return SequenceValue(Term(Operator.CONCATENATE, sort, (self.term, right.term)))


class BagValue(Value, Generic[V]):
    """A multiset."""

    __slots__ = ()

    @property
    def _sort(self) -> Bag:
        assert isinstance(self.sort, Bag)
        return self.sort

    def copies(self, item: V | Plain) -> IntegerValue:
        """How many copies of ``item`` there are."""
        term = coerce(item, self._sort.element)._term
        return IntegerValue(Term(Operator.COPIES, Range(0, self._sort.maximum), (self.term, term)))

    def add(self, item: V | Plain) -> BagValue[V]:
        """The bag with one more copy of ``item``. The maximum of its sort grows by one."""
        added = coerce(item, self._sort.element)._term
        sort = Bag(join(self._sort.element, added.sort), self._sort.maximum + 1)
        return BagValue(Term(Operator.BAG_ADD, sort, (self.term, added)))

    def remove(self, item: V | Plain) -> BagValue[V]:
        """The bag with one copy of ``item`` less, or the same bag if it has none."""
        removed = coerce(item, self._sort.element)._term
        return BagValue(Term(Operator.BAG_REMOVE, self.sort, (self.term, removed)))


_WRAPPERS: Mapping[type[Sort], type[Value]] = {
    Boolean: BooleanValue,
    Range: IntegerValue,
    Enum: AtomValue,
    IndexSet: AtomValue,
    Option: OptionValue,
    Record: RecordValue,
    Function: FunctionValue,
    Set: SetValue,
    Sequence: SequenceValue,
    Bag: BagValue,
}


def wrap(term: Term) -> Any:
    """The term as a value of the class for its sort."""
    made_by = _WRAPPERS.get(type(term.sort)) or _compound().wrapper(term.sort)
    return made_by(term)


def _compound() -> Any:
    """The values of further sorts, which are made of those in here."""
    return import_module("verifier.encodings.compound_values")


def literal(sort: Sort[V], value: Concrete) -> V:
    """A Python value, or the name of an element, as an expression. Raises SortError if it does not fit."""
    result: V = wrap(Term(Operator.LITERAL, sort, (), constant(sort, value)))
    return result


def integer(value: Any) -> IntegerValue:
    """``value`` as an integer expression. Raises SortError if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        result = literal(Range(value, value), value)
        assert isinstance(result, IntegerValue)
        return result
    if not isinstance(value, IntegerValue):
        raise SortError(f"an integer is needed here, not {described(value)}")
    return value


def bounds(value: IntegerValue) -> Range:
    """The static bounds of an integer expression."""
    found = range_of(value.sort)
    assert found is not None
    return found


def coerce(value: Any, sort: Sort) -> Value:
    """``value`` as an expression for a place that requires ``sort``.

    A Python value becomes a literal. A value becomes an option if the sort is an option. Integers keep their
    own bounds. Raises SortError if the value does not fit.
    """
    if isinstance(value, Value):
        if isinstance(sort, Option) and not isinstance(value._term.sort, Option):
            inner = coerce(value, sort.inner)._term
            return OptionValue(Term(Operator.SOME, Option(inner.sort), (inner,)))
        if isinstance(sort, PartialFunction) and isinstance(value, FunctionValue):
            partial: Value = _compound().coerced(value, sort)
            join(partial.sort, sort)
            return partial
        join(value._term.sort, sort)
        return value
    match sort, value:
        case Range(), int() if not isinstance(value, bool):
            return integer(value)
        case Option(), _ if value is not None:
            return coerce(coerce(value, sort.inner), sort)
        case Record(), dict():
            made_record: Value = record(sort, **value)
            return made_record
        case Set(), Sort():
            everything = all_values(value)
            join(everything.sort, sort)
            return everything
        case Set(), set() | frozenset():
            # The order of a Python set differs between processes, and the term must not depend on it.
            return set_of(sort.element, *sorted(value, key=_shown))
        case Sequence(), list() | tuple():
            items = tuple(coerce(item, sort.element)._term for item in value)
            made = Sequence(_join_all(sort.element, items), len(items))
            return SequenceValue(Term(Operator.SEQUENCE, made, items))
        case (Tuple() | Variant() | PartialFunction() | Listed()), _:
            coerced: Value = _compound().coerced(value, sort)
            return coerced
    result: Value = literal(sort, value)
    return result


def all_values(sort: Sort[V]) -> SetValue[V]:
    """The set of all values of a sort. It names no value, so it keeps the symmetry of an index set."""
    true: BooleanValue = literal(BOOLEAN, True)
    return SetValue(Term(Operator.COMPREHENSION, Set(sort), (true.term,), binds=Symbol("x", sort)))


def _set_like(value: SetValue[V], other: Any) -> SetValue[V]:
    """``other`` as a set that goes together with ``value``."""
    result = coerce(other, value.sort)
    assert isinstance(result, SetValue)
    return result


@contextmanager
def _no_element(element: Sort, other: Any, instead: str) -> Iterator[None]:
    """Says what to write where ``other`` is an element, and a set or sequence of them is wanted."""
    try:
        yield
    except SortError as error:
        try:
            coerce(other, element)
        except SortError:
            raise error from None
        raise SortError(f"{described(other)} is an element, not several: {instead}") from error


def unify(left: Any, right: Any) -> tuple[Value, Value]:
    """Both as expressions that can be compared. Raises SortError if that is not possible."""
    if not isinstance(left, Value):
        right, left = unify(right, left)
        return left, right
    if isinstance(right, Value) and isinstance(right._term.sort, Option):
        return coerce(left, right._term.sort), right
    return left, coerce(right, left._term.sort)


def some(value: V) -> OptionValue[V]:
    """The option that holds ``value``."""
    if not isinstance(value, Value):
        raise SortError(f"some(…) takes a value of the state, not {value!r}: write {value!r} alone")
    return OptionValue(Term(Operator.SOME, Option(value._term.sort), (value._term,)))


def record(sort: Sort[F], /, **fields: Any) -> F:
    """A record of ``sort`` with every field given. Raises SortError for a missing or unknown field."""
    if not isinstance(sort, Record):
        raise SortError(f"record(…) makes a value of a Record, not of {sort}")
    for name in fields:
        if name not in sort.field_sorts:
            raise SortError(_no_field(sort, name))
    missing = [name for name in sort.field_sorts if name not in fields]
    if missing:
        raise SortError(f"a record is given all its fields: {', '.join(missing)} of {sort} missing")
    items = {name: coerce(fields[name], field_sort)._term for name, field_sort in sort.fields}
    made = Record(**{name: item.sort for name, item in items.items()})
    result: F = wrap(Term(Operator.RECORD, made, tuple(items.values())))
    return result


def set_of(element: Sort[V], *items: V | Plain) -> SetValue[V]:
    """The set of exactly these items."""
    terms = tuple(coerce(item, element)._term for item in items)
    return SetValue(Term(Operator.SET, Set(_join_all(element, terms)), terms))


def constant(sort: Sort, value: Any) -> Concrete:
    """A Python value as the hashable concrete value of ``sort``. Raises SortError if it does not fit."""
    match sort, value:
        case Option(), None:
            return None
        case Option(), _:
            return constant(sort.inner, value)
        case Record(), Mapping() if value.keys() == sort.field_sorts.keys():
            result: Concrete = FrozenMap((name, constant(part, value[name])) for name, part in sort.fields)
        case Function(), Mapping():
            given = {constant(sort.domain, key): item for key, item in value.items()}
            if given.keys() != set(sort.domain.values()):
                raise SortError(f"{value!r} is not a value of {sort}: it has other keys")
            result = FrozenMap((key, constant(sort.range, given[key])) for key in sort.domain.values())
        case Bag(), Mapping():
            result = FrozenMap((constant(sort.element, item), count) for item, count in value.items())
        case Set(), set() | frozenset():
            result = frozenset(constant(sort.element, item) for item in value)
        case Sequence(), list() | tuple():
            result = tuple(constant(sort.element, item) for item in value)
        case IndexSet(), str():
            result = sort.named(value)
        case (Tuple() | Variant() | PartialFunction() | Listed()), _:
            result = _compound().concrete(sort, value)
        case _:
            result = plain(value)
    if isinstance(result, Expression) or not sort.contains(result):
        raise SortError(f"{value!r} is not a value of {sort}{_instead(sort, value)}")
    return result


def _instead(sort: Sort, value: Any) -> str:
    """The names of an enumeration or index set, where one was misspelt, or the values that are listed."""
    if not (isinstance(value, str) and isinstance(sort, Enum | IndexSet)) and not isinstance(sort, Listed):
        return ""
    return f" {among(str(value), map(show, sort.values()))}"


def _index(given: Any) -> IntegerValue:
    if isinstance(given, slice):
        raise SortError("[ ] of a sequence takes one index: write .between(first, end) for a part of it")
    return integer(given)


def _no_field(sort: Record, name: str) -> str:
    return f"the record has no field {name!r} {among(name, sort.field_sorts)}"


def _joined(operator: str, other: Any) -> Value:
    """The operand of ``&`` or ``|`` beside a formula."""
    if isinstance(other, bool) or (isinstance(other, Value) and isinstance(other._term.sort, Boolean)):
        return coerce(other, BOOLEAN)
    raise SortError(
        f"{operator} joins formulas, and {described(other)} is none: {operator} binds tighter than == and <, "
        f"so write (…) {operator} (…)"
    )


def _shown(item: Any) -> str:
    return text(item._term) if isinstance(item, Value) else show(item)


def _join_all(sort: Sort, terms: Iterable[Term]) -> Sort:
    return reduce(join, (term.sort for term in terms), sort)


def described(value: Any) -> str:
    """What an author gave, in words."""
    return f"a value of {value._term.sort}" if isinstance(value, Value) else repr(value)
