"""The concrete values that a lowered one may have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import counting
from verifier.encodings.bits import FALSE, TRUE, conjunction, negation
from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.counting import require_few
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    LoweredSequence,
    LoweredVariant,
    PartialBoolean,
    children,
    holds,
    make_definedness,
)
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Bag, Option, PartialFunction, Sequence, Set, Sort, Tuple, Variant


def cases(sort: Sort, value: Lowered) -> list[tuple[Concrete, FNode]]:
    """Return every concrete value that a lowered one may have, with its condition.

    Raises UsageError if there may be too many.
    """
    match value:
        case Scalar():
            return value.cases()
        case FNode() | PartialBoolean():
            true = holds(value)
            pairs = ((False, conjunction((make_definedness(value), negation(true)))), (True, true))
            return [(item, when) for item, when in pairs if when is not FALSE]
        case LoweredOption():
            assert isinstance(sort, Option)
            options: list[tuple[Concrete, FNode]] = [(None, negation(value.present))]
            for item, when in cases(sort.inner, value.payload):
                options.append((item, conjunction((value.present, when))))
            return [(item, when) for item, when in options if when is not FALSE]
        case LoweredSequence():
            assert isinstance(sort, Sequence)
            slots = [cases(sort.element, slot) for slot in value.slots]
            return [
                (items, when)
                for length in range(sort.capacity + 1)
                for items, when in _combinations(sort, slots[:length], value.length.equals(length))
            ]
        case LoweredVariant():
            assert isinstance(sort, Variant)
            return [
                (Tagged(tag, item), both)
                for held, tag, payload in value.iterate_payloads()
                if held is not FALSE
                for item, when in cases(sort.payload(tag), payload)
                if (both := conjunction((held, when))) is not FALSE
            ]
        case dict() if isinstance(sort, PartialFunction):
            slots = [_slot_cases(sort.range, slot) for slot in value.values()]
            return [(_hold_function(value, items), when) for items, when in _combinations(sort, slots, TRUE)]
        case dict():
            held = [(key, part) for key, part in children(sort) if key in value]
            keys = [key for key, _ in held]
            parts = [cases(part, value[key]) for key, part in held]
            return [(_collect(sort, keys, items), when) for items, when in _combinations(sort, parts, TRUE)]
    raise AssertionError(value)


def _slot_cases(sort: Sort, slot: LoweredOption) -> list[tuple[Concrete, FNode]]:
    """The cases of a partial function at a key: nothing, or one value, in a tuple."""
    slot_cases: list[tuple[Concrete, FNode]] = [((), negation(slot.present))]
    slot_cases += [((item,), conjunction((slot.present, when))) for item, when in cases(sort, slot.payload)]
    return [(held, when) for held, when in slot_cases if when is not FALSE]


def _combinations(
    sort: Sort, parts: list[list[tuple[Concrete, FNode]]], start: FNode
) -> Iterator[tuple[tuple[Concrete, ...], FNode]]:
    if start is not FALSE:
        require_few(sort, counting.product(map(len, parts)))
        for chosen in product(*parts):
            when = conjunction((start, *(condition for _, condition in chosen)))
            if when is not FALSE:
                yield tuple(item for item, _ in chosen), when


def _collect(sort: Sort, keys: list[Any], items: tuple[Any, ...]) -> Concrete:
    pairs = list(zip(keys, items, strict=True))
    if isinstance(sort, Set):
        return frozenset(key for key, present in pairs if present)
    if isinstance(sort, Bag):
        return FrozenMap((key, count) for key, count in pairs if count)
    if isinstance(sort, Tuple):
        return items
    return FrozenMap(pairs)


def _hold_function(keys: Iterable[Any], items: Iterable[Any]) -> FrozenMap:
    """The partial function that has for each key what is in the tuple beside it."""
    return FrozenMap((key, item) for key, held in zip(keys, items, strict=True) for item in held)
