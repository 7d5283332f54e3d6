"""Expressions of sets, sequences and bags."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias

from verifier.encodings import integer_bounds
from verifier.encodings.expressions import (
    BOOLEAN,
    Number,
    Plain,
    Value,
    bounds,
    coerce,
    describe_value,
    integer,
    literal,
    set_of,
    unify,
    wrap,
)
from verifier.encodings.listed_sort import range_of
from verifier.encodings.open_integers import greatest, least
from verifier.encodings.sorts import Bag, Range, Sequence, Set, Sort, SortError, join
from verifier.encodings.terms import Operator, Term
from verifier.encodings.type_variables import V
from verifier.encodings.values import BooleanValue, IntegerValue, OptionValue

SetLike: TypeAlias = "SetValue[V] | Sort[V] | Plain"
"""An operand that set operations accept. A sort stands for the set of all its values."""


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
        """True if ``item`` is an element."""
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
        """True if there is no element."""
        empty: SetValue = literal(self.sort, frozenset())
        return self == empty

    @property
    def cardinality(self) -> IntegerValue:
        """The number of elements."""
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


def _set_like(value: SetValue[V], other: Any) -> SetValue[V]:
    """``other`` as a set that goes together with ``value``."""
    result = coerce(other, value.sort)
    assert isinstance(result, SetValue)
    return result


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
        """The number of elements."""
        return IntegerValue(Term(Operator.LENGTH, Range(0, self._sort.capacity), (self.term,)))

    @property
    def is_empty(self) -> BooleanValue:
        """True if there is no element."""
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
        """True if ``item`` is an element."""
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
        longest = least(self._sort.capacity, bounds(stop).high) - greatest(0, bounds(start).low)
        sort = Sequence(self._sort.element, greatest(0, longest))
        return SequenceValue(Term(Operator.BETWEEN, sort, (self.term, start.term, stop.term)))

    def updated(self, index: Number, value: V | Plain) -> SequenceValue[V]:
        """The sequence with another element at ``index`` (TLA+ ``EXCEPT``); undefined beyond its end."""
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


def _index(given: Any) -> IntegerValue:
    if isinstance(given, slice):
        raise SortError("[ ] of a sequence takes one index: write .between(first, end) for a part of it")
    return integer(given)


class BagValue(Value, Generic[V]):
    """A multiset."""

    __slots__ = ()

    @property
    def _sort(self) -> Bag:
        assert isinstance(self.sort, Bag)
        return self.sort

    def copies(self, item: V | Plain) -> IntegerValue:
        """The number of copies of ``item``."""
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
        raise SortError(f"{describe_value(other)} is an element, not several: {instead}") from error
