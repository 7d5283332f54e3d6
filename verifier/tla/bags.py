"""The built-in operators of Bags.

Source: ``tlc2.module.Bags`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from itertools import product
from typing import Any

from verifier.tla.primitives import Make, constant, simple
from verifier.tla.value_types import Fn, NoValue, Value, boolean, function
from verifier.tla.values import has_key, is_function, members, pairs_of

_SURELY_COMPARED = frozenset((int, str, Fn))
"""Types of values that TLC compares with each other, as keys of a function."""


def _is_bag(value: Value) -> Value:
    if not is_function(value):
        return boolean(False)
    return boolean(all(type(count) is int and count > 0 for count in pairs_of(value).values()))


def _counts(value: Value) -> dict[Value, int]:
    """Return the multiplicity of each item of a bag. Raises NoValue for a value that is no bag."""
    counts = pairs_of(value)
    for count in counts.values():
        if type(count) is not int:
            raise NoValue("a bag has integers as its values")
    return counts


def _copies(item: Value, bag: dict[Value, Value]) -> int:
    """Return the multiplicity of an item in a bag. As in TLC, the other items are not checked."""
    if not has_key(item, bag):
        return 0
    count = bag[item]
    if type(count) is not int:
        raise NoValue("a bag has integers as its values")
    return count


def _is_in(item: Value, bag: dict[Value, Value]) -> Value:
    """Return the truth of ``BagIn``. Raises NoValue if the item's multiplicity is not positive: there the
    definition and TLC's class (``Bags.java``) differ."""
    if has_key(item, bag) and _copies(item, bag) < 1:
        raise NoValue("a bag has positive integers as its values")
    return boolean(has_key(item, bag))


def _require_bag(value: Value) -> Value:
    """Return a bag itself. Raises NoValue for a value that is none: TLC looks at this in ``(+)``,
    ``SubBag`` and ``BagCardinality`` alone."""
    if any(count < 1 for count in _counts(value).values()):
        raise NoValue("a bag has positive integers as its values")
    return value


def _add(one: Value, other: Value) -> Value:
    return _add_counts(_require_bag(one), _require_bag(other))


def _add_counts(one: Value, other: Value) -> Value:
    counts = _counts(one)
    made = dict(counts)
    for item, count in _counts(other).items():
        made[item] = count + _copies(item, counts)
    return function(made)


def _subtract(one: Value, other: Value) -> Value:
    counts, taken = _counts(one), pairs_of(other)
    kinds = {*map(type, counts), *map(type, taken)}
    if counts and len(kinds) == 1 and kinds <= _SURELY_COMPARED and min(counts.values()) > 0:
        left = dict(counts)  # a copy hashes no item again
        for item in taken:
            if item in counts:
                left[item] = counts[item] - _copies(item, taken)
                if left[item] < 1:
                    del left[item]
        return function(left)
    left = {item: count - _copies(item, taken) for item, count in counts.items()}
    return function({item: count for item, count in left.items() if count > 0})


def _is_within(one: Value, other: Value) -> Value:
    more = pairs_of(other)
    # No early end: each multiplicity that is compared must be an integer, in whatever order.
    enough = [count <= _copies(item, more) for item, count in _counts(one).items()]
    return boolean(all(enough))


def _unite(value: Value) -> Value:
    made: Value = ()
    for bag in members(value):
        made = _add_counts(made, bag)
    return made


def _sub_bags(value: Value) -> Value:
    pairs = _counts(_require_bag(value))
    rows = product(*(range(count + 1) for count in pairs.values()))
    return frozenset(
        function({item: count for item, count in zip(pairs, row, strict=True) if count}) for row in rows
    )


def _map_items(operator: Any, value: Value) -> Value:
    made: dict[Value, int] = {}
    for item, count in _counts(value).items():
        image = operator.call(item)
        made[image] = made.get(image, 0) + count
    return function(made)


BAGS: dict[str, Make] = {
    "EmptyBag": constant(()),
    "IsABag": simple(_is_bag),
    "BagToSet": simple(lambda bag: frozenset(pairs_of(bag))),
    "SetToBag": simple(lambda value: function(dict.fromkeys(members(value), 1))),
    "BagIn": simple(lambda item, bag: _is_in(item, pairs_of(bag))),
    "(+)": simple(_add),
    "(-)": simple(_subtract),
    "BagUnion": simple(_unite),
    "\\sqsubseteq": simple(_is_within),
    "SubBag": simple(_sub_bags),
    "BagOfAll": simple(_map_items),
    "BagCardinality": simple(lambda bag: sum(_counts(_require_bag(bag)).values())),
    "CopiesIn": simple(lambda item, bag: _copies(item, pairs_of(bag))),
}
