"""Symbolic scalars.

A symbolic scalar has a condition for each of its values. An integer, or an optional integer with none as
the least value, has the conditions *at least v*. A member of an enumeration, an index element or a listed
value has the conditions *exactly v*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import accumulate, pairwise

from pysmt.fnode import FNode

from verifier.encodings.bits import (
    FALSE,
    TRUE,
    choice,
    conjunction,
    disjunction,
    equivalence,
    negation,
)
from verifier.encodings.concrete import Concrete
from verifier.encodings.sorts import Sort

_MOST_ONE_BY_ONE = 16
"""More conditions are counted in halves: one by one, each threshold is a disjunction that is made again, and
longer, for each of them."""


def _rank(value: Concrete) -> int | float:
    """A key that orders integers and none; none is least."""
    if value is None:
        return float("-inf")
    assert isinstance(value, int)
    return value


def is_ordered(values: Iterable[Concrete]) -> bool:
    """True if the values are integers or none. Such values have thresholds."""
    return all(value is None or isinstance(value, int) for value in values)


def _ascends(values: Sequence[Concrete]) -> bool:
    return all(_rank(low) < _rank(high) for low, high in pairwise(values))


class Scalar:
    """A value among ``values``, or undefined.

    The caller gives ``exactly`` or ``thresholds``: one condition per value, in ascending order. The other
    form is derived when it is needed. The conditions *exactly* exclude each other. ``total`` says that the
    scalar is defined in all states.
    """

    __slots__ = ("_exactly", "_thresholds", "bits", "total", "values")

    def __init__(
        self,
        values: Sequence[Concrete],
        *,
        exactly: Sequence[FNode] | None = None,
        thresholds: Sequence[FNode] | None = None,
        total: bool,
        bits: Sequence[FNode] | None = None,
    ) -> None:
        self.bits = None if bits is None else tuple(bits)
        """The bits of the binary code, where these hold the scalar."""
        self.values = tuple(values)
        self._exactly = None if exactly is None else tuple(exactly)
        self._thresholds = None if thresholds is None else tuple(thresholds)
        self.total = total
        if exactly is not None and is_ordered(self.values) and not _ascends(self.values):
            # Members of an enumeration may be integers in any order; thresholds need ascending order.
            pairs = sorted(zip(self.values, exactly, strict=True), key=lambda pair: _rank(pair[0]))
            self.values = tuple(value for value, _ in pairs)
            self._exactly = tuple(when for _, when in pairs)

    @staticmethod
    def make_constant(value: Concrete) -> Scalar:
        """The constant ``value``."""
        return Scalar((value,), exactly=(TRUE,), thresholds=(TRUE,), total=True)

    @property
    def exactly(self) -> tuple[FNode, ...]:
        """Return for each value the condition that the scalar equals it."""
        if self._exactly is None:
            assert self._thresholds is not None
            following = (*self._thresholds[1:], FALSE)[: len(self._thresholds)]
            self._exactly = tuple(
                conjunction((here, negation(above)))
                for here, above in zip(self._thresholds, following, strict=True)
            )
        return self._exactly

    @property
    def thresholds(self) -> tuple[FNode, ...]:
        """Return for each value the condition that the scalar is at least this value; only for ordered
        values."""
        if self._thresholds is None:
            assert self._exactly is not None
            descending = list(accumulate(reversed(self._exactly), lambda a, b: disjunction((b, a))))
            if self.total and descending:
                descending[-1] = TRUE
            self._thresholds = tuple(reversed(descending))
        return self._thresholds

    @property
    def defined(self) -> FNode:
        """True if there is a value."""
        if self.total:
            return TRUE
        return disjunction(self.exactly)

    @property
    def ordered(self) -> bool:
        """True if the values are integers or none."""
        return is_ordered(self.values)

    def cases(self) -> list[tuple[Concrete, FNode]]:
        """The possible values, each with its condition."""
        pairs = zip(self.values, self.exactly, strict=True)
        return [(value, when) for value, when in pairs if when is not FALSE]

    def equals(self, value: Concrete) -> FNode:
        """True if the scalar is ``value``."""
        return self.exactly[self.values.index(value)] if value in self.values else FALSE

    def at_least(self, value: Concrete) -> FNode:
        """True if the scalar is at least ``value``."""
        if value in self.values:
            return self.thresholds[self.values.index(value)]
        rank = _rank(value)
        for own, when in zip(self.values, self.thresholds, strict=True):
            if _rank(own) > rank:
                return when
        return FALSE

    def shift(self, amount: int) -> Scalar:
        """The scalar plus a constant."""
        if amount == 0:
            return self
        values = [_integer(value) + amount for value in self.values]
        return Scalar(values, exactly=self._exactly, thresholds=self._thresholds, total=self.total)

    def without(self, value: Concrete) -> Scalar:
        """The scalar, but undefined where it equals ``value``."""
        if value not in self.values:
            return self
        kept = [index for index, own in enumerate(self.values) if own != value]
        exactly = [self.exactly[index] for index in kept]
        return Scalar([self.values[index] for index in kept], exactly=exactly, total=False)


def _integer(value: Concrete) -> int:
    assert isinstance(value, int)
    return value


def _merge_values(scalars: Iterable[Scalar]) -> list[Concrete]:
    union = {value: None for scalar in scalars for value in scalar.values}
    return sorted(union, key=_rank) if is_ordered(union) else list(union)


def select(options: Sequence[tuple[FNode, Scalar]], exhaustive: bool) -> Scalar:
    """The scalar whose condition holds. The conditions exclude each other."""
    values = _merge_values(scalar for _, scalar in options)
    total = exhaustive and all(scalar.total for _, scalar in options)
    if is_ordered(values):
        thresholds = [
            disjunction(conjunction((when, scalar.at_least(value))) for when, scalar in options)
            for value in values
        ]
        if total and thresholds:
            thresholds[0] = TRUE
        return Scalar(values, thresholds=thresholds, total=total)
    exactly = [
        disjunction(conjunction((when, scalar.equals(value))) for when, scalar in options) for value in values
    ]
    return Scalar(values, exactly=exactly, total=total)


def either(condition: FNode, then: Scalar, otherwise: Scalar) -> Scalar:
    """``if condition then then else otherwise``."""
    if condition is TRUE:
        return then
    if condition is FALSE or then is otherwise:
        return otherwise
    values = _merge_values((then, otherwise))
    total = then.total and otherwise.total
    if is_ordered(values):
        view = [choice(condition, then.at_least(value), otherwise.at_least(value)) for value in values]
        return Scalar(values, thresholds=view, total=total)
    view = [choice(condition, then.equals(value), otherwise.equals(value)) for value in values]
    return Scalar(values, exactly=view, total=total)


def equal(left: Scalar, right: Scalar) -> FNode:
    """True if both are defined and equal."""
    if len(right.values) == 1:
        return conjunction((right.defined, left.equals(right.values[0])))
    if len(left.values) == 1:
        return equal(right, left)
    if left.total and right.total and left.ordered and right.ordered:
        values = _merge_values((left, right))
        return conjunction(equivalence(left.at_least(value), right.at_least(value)) for value in values)
    return disjunction(conjunction((when, right.equals(value))) for value, when in left.cases())


def less(left: Scalar, right: Scalar) -> FNode:
    """True if both are defined and ``left < right``."""
    steps = [conjunction((right.at_least(value), negation(left.at_least(value)))) for value in right.values]
    return conjunction((left.defined, disjunction(steps)))


def less_equal(left: Scalar, right: Scalar) -> FNode:
    """True if both are defined and ``left <= right``."""
    return conjunction((left.defined, right.defined, negation(less(right, left))))


def lesser(left: Scalar, right: Scalar) -> Scalar:
    """The minimum of two integers; undefined where one of them is undefined."""
    return _extreme(left, right, lambda a, b: conjunction((a, b)))


def greater(left: Scalar, right: Scalar) -> Scalar:
    """The maximum of two integers; undefined where one of them is undefined."""
    return _extreme(left, right, lambda a, b: disjunction((a, b)))


def _extreme(left: Scalar, right: Scalar, combine: Callable[[FNode, FNode], FNode]) -> Scalar:
    values = _merge_values((left, right))
    both = conjunction((left.defined, right.defined))
    view = [conjunction((both, combine(left.at_least(value), right.at_least(value)))) for value in values]
    kept = [(value, when) for value, when in zip(values, view, strict=True) if when is not FALSE]
    return Scalar(
        [value for value, _ in kept], thresholds=[when for _, when in kept], total=left.total and right.total
    )


def add(left: Scalar, right: Scalar) -> Scalar:
    """``left + right``; undefined where one of them is undefined."""
    if len(left.values) == 1 and left.total:
        return right.shift(_integer(left.values[0]))
    if len(right.values) == 1 and right.total:
        return left.shift(_integer(right.values[0]))
    return _combine(left, right, lambda a, b: a + b)


def subtract(left: Scalar, right: Scalar) -> Scalar:
    """``left - right``; undefined where one of them is undefined."""
    if len(right.values) == 1 and right.total:
        return left.shift(-_integer(right.values[0]))
    return _combine(left, right, lambda a, b: a - b)


def multiply(left: Scalar, right: Scalar) -> Scalar:
    """``left * right``; undefined where one of them is undefined."""
    return _combine(left, right, lambda a, b: a * b)


def quotient(left: Scalar, right: Scalar) -> Scalar:
    """The floor of ``left / right``; undefined where one of them is, or the divisor is not positive."""
    return _combine(left, _above_zero(right), lambda a, b: a // b)


def remainder(left: Scalar, right: Scalar) -> Scalar:
    """``left`` modulo ``right``; undefined where one of them is, or the divisor is not positive."""
    return _combine(left, _above_zero(right), lambda a, b: a % b)


def _above_zero(scalar: Scalar) -> Scalar:
    kept = [(value, when) for value, when in scalar.cases() if _integer(value) > 0]
    total = scalar.total and all(_integer(value) > 0 for value in scalar.values)
    return Scalar([value for value, _ in kept], exactly=[when for _, when in kept], total=total)


def sum_of(summands: Iterable[Scalar]) -> Scalar:
    """The sum of any number of integers; undefined where one of them is undefined."""
    return reduce(add, summands, Scalar.make_constant(0))


def _combine(left: Scalar, right: Scalar, operation: Callable[[int, int], int]) -> Scalar:
    """Apply an operation to two integers, by cases."""
    conditions: dict[int, list[FNode]] = {}
    for a, when_a in left.cases():
        for b, when_b in right.cases():
            both = conjunction((when_a, when_b))
            conditions.setdefault(operation(_integer(a), _integer(b)), []).append(both)
    values = sorted(conditions)
    exactly = [disjunction(conditions[value]) for value in values]
    return Scalar(values, exactly=exactly, total=left.total and right.total)


def total_of(flags: Iterable[FNode]) -> Scalar:
    """The number of conditions that hold, as a scalar with thresholds."""
    every = [flag for flag in flags if flag is not FALSE]
    if len(every) <= _MOST_ONE_BY_ONE:
        reached = _make_thresholds(every)
    else:
        half = len(every) // 2
        reached = _merge_thresholds(total_of(every[:half]).thresholds, total_of(every[half:]).thresholds)
    return Scalar(range(len(reached)), thresholds=reached, total=True)


def _merge_thresholds(some: Sequence[FNode], others: Sequence[FNode]) -> list[FNode]:
    """The thresholds of a sum (Bailleux and Boufkhad 2003, doi:10.1007/978-3-540-45193-8_8)."""
    sums: list[list[FNode]] = [[] for _ in range(len(some) + len(others) - 1)]
    for one, reached in enumerate(some):
        for other, reached_too in enumerate(others):
            sums[one + other].append(conjunction((reached, reached_too)))
    return [disjunction(ways) for ways in sums]


def _make_thresholds(flags: Iterable[FNode]) -> list[FNode]:
    reached = [TRUE]
    for flag in flags:
        longer = [*reached, FALSE]
        for number in range(len(longer) - 1, 0, -1):
            longer[number] = disjunction((longer[number], conjunction((flag, longer[number - 1]))))
        reached = longer
    while len(reached) > 1 and reached[-1] is FALSE:
        reached.pop()
    return reached


def outside(sort: Sort, scalar: Scalar) -> FNode:
    """True if the scalar is undefined or not in ``sort``. Then a field of this sort cannot hold it."""
    beyond = [when for value, when in scalar.cases() if not sort.contains(value)]
    return disjunction((*beyond, negation(scalar.defined)))
