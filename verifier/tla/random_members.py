"""Random members of sets, including large ones: RandomElement and RandomSubset.

Source: ``tlc2.module.TLC`` and ``tlc2.module.Randomization`` (tlaplus/tlaplus).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from verifier.tla.lazy_sets import FunctionSet, Interval, Powerset, ProductSet, RecordSet
from verifier.tla.value_types import Fn, NoValue, Value, function
from verifier.tla.values import has_at_most, members

_LISTED = 2**16
"""The largest set that is listed."""


@contextmanager
def drawn_by(seed: str) -> Iterator[None]:
    """Draw random members with this seed; later draws are as if there had been none."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def random_subset(order: Callable[[Value], Iterable[Value]], count: Value, value: Value) -> Value:
    """Return a random subset with this number of members, or the whole set. Raises NoValue."""
    if type(count) is not int or count < 0:
        raise NoValue("the number of elements of a random subset is a natural number")
    if has_at_most(value, max(_LISTED, 2 * count)):
        items = list(order(value))
        return frozenset(random.sample(items, min(count, len(items))))
    members: set[Value] = set()
    while len(members) < count:  # more than half of the draws are new
        members.add(random_member(order, value))
    return frozenset(members)


def random_member(order: Callable[[Value], Iterable[Value]], value: Value) -> Value:
    """Return a random member of a set that is not empty. Raises NoValue."""
    if isinstance(value, Interval):
        return random.randint(value.low, value.high)
    if has_at_most(value, _LISTED):
        return random.choice(list(order(value)))
    match value:
        case Powerset():
            return frozenset(item for item in order(value.base) if random.getrandbits(1))
        case FunctionSet():
            return function({key: random_member(order, value.range) for key in members(value.domain)})
        case RecordSet():
            return Fn({name: random_member(order, of) for name, of in value.fields.items()})
        case ProductSet():
            return tuple(random_member(order, of) for of in value.items)
    return random.choice(list(order(value)))
