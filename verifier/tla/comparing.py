"""``=`` of two values as in TLC, which refuses to compare some by their kinds or their parts.

TLC compares tuples item by item, and other values part by part in an order of its own (``tlc2.value.impl``:
``TupleValue``, ``RecordValue``, ``FcnRcdValue``, ``SetEnumValue``, each ``equals``).
"""

from __future__ import annotations

from collections.abc import Iterable

from verifier.tla.value_types import Boolean, Fn, NoValue, Value
from verifier.tla.values import pairs_of, same

COMPOUND = frozenset((frozenset, tuple, Fn))
"""The Python types of listed values that have parts."""

_SCALARS = frozenset((int, str, Boolean))
"""Types of values that TLC compares with each other, whatever they are."""


def equals(one: Value, other: Value) -> bool:
    """True if two values are equal. Raises NoValue where TLC does not compare them, or parts of them."""
    if one is other or same(one, other):
        return True
    if type(one) in COMPOUND and type(other) in COMPOUND and has_parts_to_refuse(one, other):
        raise NoValue("values with parts of different kinds are compared")
    return False


def has_parts_to_refuse(one: Value, other: Value) -> bool:
    """True if TLC refuses to compare two unequal sets or functions because of their parts. For tuples, the
    first items that differ decide. For other values, all parts that differ must be refused. If some differ
    otherwise, TLC's order decides, and FALSE is as good as an error."""
    if type(one) is frozenset:
        return len(one) == len(other) and are_all_refused(one, other)
    if len(one) != len(other):
        return False
    if type(one) is type(other) is tuple:
        differing = ((item, another) for item, another in zip(one, other, strict=True) if item != another)
        return is_refused(*next(differing))
    parts, others = pairs_of(one), pairs_of(other)
    if others.keys().isdisjoint(parts):
        return are_all_refused(parts, others)
    for key, item in parts.items():
        if key not in others:  # a key of both is compared with itself, which is not refused
            return False
        other_item = others[key]
        if item is not other_item and item != other_item and not is_refused(item, other_item):
            return False
    return True


def differs_plainly(one: Value, other: Value) -> bool:
    """True for two numbers, strings or truth values that are not equal: TLC compares them."""
    return type(one) is type(other) and type(one) in _SCALARS and one != other


def are_all_refused(some: Iterable[Value], others: Iterable[Value]) -> bool:
    """True if TLC refuses to compare each of some values with each of the others."""
    return all(is_refused(one, another) for one in some for another in others)


def is_refused(one: Value, other: Value) -> bool:
    """True if TLC refuses to compare two values."""
    if type(one) is type(other) and type(one) in _SCALARS:
        return False
    try:
        equals(one, other)
    except NoValue:
        return True
    return False
