"""States with the elements of index sets, or listed values, renamed, as terms over the bits of the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import (
    LoweredOption,
    LoweredSequence,
    LoweredVariant,
    children,
    either,
    lower_constant,
)
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)

Renaming = Mapping[Any, Mapping[Concrete, Concrete]]
"""For each index set, or sort that lists its values, the new element for each element. Elements that it does
not list stay as they are."""


def rename_bits(layout: Layout, renaming: Renaming) -> list[FNode]:
    """The bits of the renamed state, in the order of the layout's bits."""
    lowered = layout.lowered
    return layout.encode({name: _value(sort, lowered[name], renaming) for name, sort in layout.sorts.items()})


def rename_value(sort: Sort, value: Any, renaming: Renaming) -> Any:
    """A concrete value with its elements renamed."""
    match sort:
        case IndexSet() | Listed():
            return renaming.get(sort, {}).get(value, value)
        case Option():
            return None if value is None else rename_value(sort.inner, value, renaming)
        case Record():
            return FrozenMap((name, rename_value(part, value[name], renaming)) for name, part in sort.fields)
        case Function() | PartialFunction():
            return FrozenMap(
                (rename_value(sort.domain, key, renaming), rename_value(sort.range, item, renaming))
                for key, item in value.items()
            )
        case Set():
            return frozenset(rename_value(sort.element, item, renaming) for item in value)
        case Sequence():
            return tuple(rename_value(sort.element, item, renaming) for item in value)
        case Tuple():
            return tuple(
                rename_value(part, item, renaming) for part, item in zip(sort.items, value, strict=True)
            )
        case Variant():
            return Tagged(value.tag, rename_value(sort.payload(value.tag), value.payload, renaming))
        case Bag():
            return FrozenMap(
                (rename_value(sort.element, item, renaming), count) for item, count in value.items()
            )
    return value


def _value(sort: Sort, value: Any, renaming: Renaming) -> Any:
    """A lowered value of a state with its elements renamed. Unused slots keep their default."""
    match sort:
        case _ if sort.is_scalar:
            return _scalar(sort, value, renaming)
        case Boolean():
            return value
        case Option():
            payload = _value(sort.inner, value.payload, renaming)
            default = lower_constant(sort.inner, sort.inner.default)
            return LoweredOption(value.present, either(value.present, payload, default))
        case Sequence():
            filler = lower_constant(sort.element, sort.element.default)
            slots = (
                either(value.length.at_least(index + 1), _value(sort.element, slot, renaming), filler)
                for index, slot in enumerate(value.slots)
            )
            return LoweredSequence(value.length, tuple(slots))
        case Variant():
            payloads = {}
            for held, tag, payload in value.iterate_payloads():
                part = sort.payload(tag)
                moved = _value(part, payload, renaming)
                payloads[tag] = either(held, moved, lower_constant(part, part.default))
            return LoweredVariant(value.tag, payloads)
        case Record() | Tuple():
            return {name: _value(part, value[name], renaming) for name, part in children(sort)}
    keys = sort.domain if isinstance(sort, Function | PartialFunction) else sort.element  # type: ignore[attr-defined]
    return {
        rename_value(keys, key, renaming): _value(part, value[key], renaming) for key, part in children(sort)
    }


def _scalar(sort: Sort, value: Scalar, renaming: Renaming) -> Scalar:
    inner = sort.inner if isinstance(sort, Option) else sort
    if not isinstance(inner, IndexSet | Listed) or inner not in renaming:
        return value
    return Scalar(
        [rename_value(sort, item, renaming) for item in value.values],
        exactly=value.exactly,
        total=value.total,
    )
