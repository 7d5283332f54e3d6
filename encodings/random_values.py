"""Random values of a sort. Each value may be drawn."""

from __future__ import annotations

from random import Random

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.sorts import (
    Bag,
    Function,
    Option,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)

_MOST_LISTED = 64
"""A sort of at most so many values is listed, and one of them drawn."""


def draw_value(sort: Sort, chance: Random) -> Concrete:
    """A value of a sort that has one.

    Raises LookupError for a sort without a value.
    """
    if sort.size <= _MOST_LISTED or not isinstance(sort, _COMPOUND):
        return chance.choice(tuple(sort.each()))
    match sort:
        case Option():
            return None if chance.random() < 0.5 else draw_value(sort.inner, chance)
        case Set():
            return frozenset(_draw_some(sort.element, chance))
        case Bag():
            drawn = _draw_some(sort.element, chance)
            return FrozenMap((value, chance.randint(1, sort.maximum)) for value in drawn if sort.maximum)
        case Sequence():
            length = chance.randint(0, sort.capacity)
            return tuple(draw_value(sort.element, chance) for _ in range(length))
        case Tuple():
            return tuple(draw_value(item, chance) for item in sort.items)
        case Record():
            return FrozenMap((name, draw_value(part, chance)) for name, part in sort.fields)
        case Function():
            return FrozenMap((key, draw_value(sort.range, chance)) for key in sort.domain.each())
        case PartialFunction():
            return FrozenMap((key, draw_value(sort.range, chance)) for key in _draw_some(sort.domain, chance))
        case Variant():
            tag, payload = chance.choice(sort.alternatives)
            return Tagged(tag, draw_value(payload, chance))
    raise AssertionError(sort)


_COMPOUND = (Option, Set, Bag, Sequence, Tuple, Record, Function, PartialFunction, Variant)


def _draw_some(sort: Sort, chance: Random) -> list[Concrete]:
    """Distinct members: each with a share that is drawn too."""
    if sort.size > 4 * _MOST_LISTED:
        return list(dict.fromkeys(draw_value(sort, chance) for _ in range(chance.randint(0, 4))))
    share = chance.choice((0.1, 0.3, 0.5, 0.9))
    return [value for value in sort.each() if chance.random() < share]
