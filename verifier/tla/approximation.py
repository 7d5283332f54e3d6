"""Values that are known in part: what an expression may be while some of its names range over intervals.

Source: interval arithmetic as an abstract domain, Cousot and Cousot 1977, doi:10.1145/512950.512973.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from verifier.tla.comparing import is_refused
from verifier.tla.value_types import Fn, NoValue, Value
from verifier.tla.values import pairs_of

_MOST_PAIRS = 400
"""The most pairs of values that are compared one by one."""


class Unsure(Exception):
    """Raised where an expression may have no value, or where no rule says what it may be."""


@dataclass(slots=True)
class Exactly:
    """One value."""

    value: Value


@dataclass(slots=True)
class Within:
    """An integer of an interval, which is not empty."""

    low: int
    high: int


@dataclass(slots=True)
class OneOf:
    """One of some values."""

    values: tuple[Value, ...]


@dataclass(slots=True)
class Items:
    """A tuple."""

    items: tuple[Approximate, ...]


@dataclass(slots=True)
class Listed:
    """A set with at most these members."""

    items: tuple[Approximate, ...]


@dataclass(slots=True)
class Fields:
    """A record."""

    fields: dict[str, Approximate]


@dataclass(slots=True)
class Part:
    """A subsequence of a sequence, whose length is in an interval."""

    of: tuple[Value, ...]
    low: int
    high: int


@dataclass(slots=True)
class OneMore:
    """A bag of records with one more record."""

    bag: dict[Value, int]
    item: Fields


Approximate: TypeAlias = Exactly | Within | OneOf | Items | Listed | Fields | Part | OneMore


def interval(one: Approximate) -> Within:
    """Return the interval in which an integer is. Raises Unsure for what may be no integer."""
    match one:
        case Within():
            return one
        case Exactly(value) if type(value) is int:
            return Within(value, value)
        case OneOf(values) if all(type(value) is int for value in values):
            return Within(min(values), max(values))
    raise Unsure


def join_approximations(one: Approximate, other: Approximate) -> Approximate:
    """Return what is one or the other."""
    if one == other:
        return one
    values = [*_values(one), *_values(other)]
    if values and all(type(value) is not int for value in values):
        return OneOf(tuple(values))
    first, second = interval(one), interval(other)
    return Within(min(first.low, second.low), max(first.high, second.high))


def _values(one: Approximate) -> tuple[Value, ...]:
    match one:
        case Exactly(value):
            return (value,)
        case OneOf(values):
            return values
    return ()


def may_equal(value: Value, one: Approximate) -> bool:
    """True if a value may be the one that is known in part. Raises Unsure if TLC may refuse to compare
    them."""
    match one:
        case Exactly(other):
            if is_refused(value, other):
                raise Unsure
            return bool(value == other)
        case Within(low, high):
            if type(value) is not int:
                raise Unsure
            return low <= value <= high
        case OneOf(values):
            if any(is_refused(value, other) for other in values):
                raise Unsure
            return value in values
        case Part(of, low, high):
            if type(value) is not tuple or not _are_compared(frozenset(value), frozenset(of)):
                raise Unsure
            return low <= len(value) <= high
        case Fields(fields):
            return _may_be_record(value, fields)
        case OneMore():
            return _may_be_bag(value, one)
    raise Unsure


def _are_compared(some: frozenset[Value], others: frozenset[Value]) -> bool:
    """True if it is known that TLC compares each of some values with each of the others."""
    if len(some) * len(others) <= _MOST_PAIRS:
        return not any(is_refused(one, another) for one in some for another in others)
    shapes = set(map(_shape, some | others))
    return len(shapes) == 1 and None not in shapes


def _shape(value: Value) -> object:
    """Return what two integers, strings, or records of these have in common if TLC compares them; None for
    other values."""
    if type(value) in (int, str):
        return type(value)
    if not _is_record(value) or not all(type(item) in (int, str) for item in value.values()):
        return None
    return frozenset((name, type(item)) for name, item in value.items())


def _may_be_record(value: Value, fields: dict[str, Approximate]) -> bool:
    if not _is_record(value):
        raise Unsure
    if value.keys() != fields.keys():
        return False
    unsure = False
    for name, one in fields.items():
        try:
            if not may_equal(value[name], one):
                return False  # TLC refuses to compare records only if it refuses all fields that differ
        except Unsure:
            unsure = True
    if unsure:
        raise Unsure
    return True


def _is_record(value: Value) -> bool:
    return type(value) is Fn and all(type(key) is str for key in value)


def _may_be_bag(value: Value, one: OneMore) -> bool:
    changed = find_one_more(value, one.bag)
    return changed is not None and may_equal(changed, one.item)


def count_records(bag: Value) -> dict[Value, int]:
    """Return the counts of a bag of records. Raises Unsure for another value."""
    try:
        counts = pairs_of(bag)
    except NoValue:
        raise Unsure from None
    if not all(_is_record(item) and type(count) is int for item, count in counts.items()):
        raise Unsure
    return counts


def find_one_more(value: Value, bag: dict[Value, int]) -> Value | None:
    """Return the record of which a value has one more than a bag, if it has the others as often; else None.
    TLC refuses to compare two functions only if it refuses each item of one with each of the other, and a
    common item is never refused. Raises Unsure where it may refuse them."""
    counts = count_records(value)
    changed = [item for item, count in counts.items() if count != bag.get(item, 0)]
    missing = any(item not in counts for item in bag)
    if not missing and len(changed) == 1 and counts[changed[0]] == bag.get(changed[0], 0) + 1:
        return changed[0]
    alike = len(counts) in (len(bag), len(bag) + 1)
    if alike and counts and not any(item in counts for item in bag):
        raise Unsure
    return None
