"""Lowered values in the shape of another sort, and where they are outside of it."""

from __future__ import annotations

from typing import Any, TypeVar

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, conjunction, disjunction, negation
from verifier.encodings.lowered import (
    Lowered,
    LoweredOption,
    LoweredSequence,
    LoweredVariant,
    PartialBoolean,
    Slot,
    absent,
    children,
    either,
    equal,
    lower_constant,
    lower_default,
    pad_slots,
)
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import (
    Function,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Sort,
    SortError,
    Tuple,
    Variant,
)

_Kind = TypeVar("_Kind", bound=Sort)


def convert(value: Any, source: Sort, target: Sort) -> Any:
    """``value``, which has the sort ``source``, in the shape of the sort ``target``.

    Slots that ``target`` does not have are dropped. ``outside`` says in which states that loses an element.
    """
    if source == target:
        return value
    match source, target:
        case Option(), Option() if not target.is_scalar:
            payload = convert(value.payload, source.inner, target.inner)
            filled = _fill(value.present, payload, source.inner, target.inner)
            return LoweredOption(value.present, filled)
        case Sequence(), Sequence():
            slots = []
            for index, slot in enumerate(value.slots[: target.capacity]):
                used = value.length.at_least(index + 1)
                converted = convert(slot, source.element, target.element)
                slots.append(_fill(used, converted, source.element, target.element))
            return LoweredSequence(value.length, pad_slots(slots, target))
        case Variant(), Variant():
            payloads = {}
            for held, tag, payload in value.iterate_payloads():
                old, new = source.payload(tag), target.payload(tag)
                payloads[tag] = _fill(held, convert(payload, old, new), old, new)
            return LoweredVariant(value.tag, payloads)
        case PartialFunction(), PartialFunction():
            old_slot, new_slot = Slot(source.range), Slot(target.range)
            nothing = lower_constant(new_slot, None)
            return {
                key: convert(value[key], old_slot, new_slot) if key in value else nothing
                for key in target.domain.each()
            }
        case (Record(), Record()) | (Function(), Function()) | (Tuple(), Tuple()):
            sorts = dict(children(source))
            return {key: convert(value[key], sorts[key], part) for key, part in children(target)}
        case Listed(), Range() if isinstance(value, Scalar):
            for item in value.values:  # words are in no order with integers
                value = value if isinstance(item, int) else value.without(item)
    return value


def _fill(used: FNode, value: Lowered, source: Sort, target: Sort) -> Any:
    """``value`` where the slot is used. Elsewhere the default of ``target`` replaces that of ``source``."""
    if source.size and target.size and source.default == target.default:
        return value
    return either(used, value, lower_default(target))


def outside(sort: Sort, value: Lowered) -> FNode:
    """True if ``value`` is undefined or not in ``sort``. Then no variable of this sort can hold it."""
    match value:
        case FNode():
            return FALSE
        case PartialBoolean():
            return negation(value.defined)
        case Scalar():
            return scalars.outside(sort, value)
        case LoweredOption():
            option = _of_kind(sort, Option)
            return conjunction((value.present, outside(option.inner, value.payload)))
        case LoweredSequence():
            row = _of_kind(sort, Sequence)
            too_long = scalars.outside(Range(0, row.capacity), value.length)
            within = (
                conjunction((value.length.at_least(index + 1), outside(row.element, slot)))
                for index, slot in enumerate(value.slots[: row.capacity])
            )
            return disjunction((too_long, *within))
        case LoweredVariant():
            variant = _of_kind(sort, Variant)
            beyond = (
                conjunction((held, outside(variant.payload(tag), part)))
                for held, tag, part in value.iterate_payloads()
            )
            return disjunction((negation(value.tag.defined), *beyond))
        case dict():
            sorts = dict(children(sort))
            return disjunction(
                outside(sorts[key], part) if key in sorts else negation(equal(part, absent(part)))
                for key, part in value.items()
            )
    raise AssertionError(value)


def beyond(sort: Sort, value: Lowered) -> FNode:
    """True if ``value`` is not in ``sort``, in states where it is defined; elsewhere it says nothing."""
    match value:
        case FNode() | PartialBoolean():
            return FALSE
        case Scalar():
            return disjunction(when for item, when in value.cases() if not sort.contains(item))
        case LoweredOption():
            option = _of_kind(sort, Option)
            return conjunction((value.present, beyond(option.inner, value.payload)))
        case LoweredSequence():
            row = _of_kind(sort, Sequence)
            within = (
                conjunction((value.length.at_least(index + 1), beyond(row.element, slot)))
                for index, slot in enumerate(value.slots[: row.capacity])
            )
            return disjunction((beyond(Range(0, row.capacity), value.length), *within))
        case LoweredVariant():
            variant = _of_kind(sort, Variant)
            return disjunction(
                conjunction((held, beyond(variant.payload(tag), part)))
                for held, tag, part in value.iterate_payloads()
            )
        case dict():
            sorts = dict(children(sort))
            return disjunction(
                beyond(sorts[key], part) if key in sorts else _is_there(part) for key, part in value.items()
            )
    raise AssertionError(value)


def _of_kind(sort: Sort, kind: type[_Kind]) -> _Kind:
    """The sort, to which a value of that kind belongs. Raises SortError: another one has no rule."""
    if isinstance(sort, kind):
        return sort
    raise SortError(f"a value of the kind {kind.__name__} is assigned where {sort} is expected")


def _is_there(part: Any) -> FNode:
    return part.present if isinstance(part, LoweredOption) else negation(equal(part, absent(part)))
