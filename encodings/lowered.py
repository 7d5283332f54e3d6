"""Lowered values: every value as scalars and boolean conditions, and the operations common to all sorts.

====================  ==========================================================
sort                  lowered form
====================  ==========================================================
Boolean               a boolean term; a PartialBoolean if it may have no value
Range, Enum, IndexSet a Scalar; an Option of these is a Scalar with ``None``
Record, Function      a dict from field name or key to the lowered part
Set                   a dict from element to the condition that the set contains it
Bag                   a dict from element to the Scalar of its number of copies
Sequence              a LoweredSequence: length and slots; unused slots hold the default
Option of others      a LoweredOption: a condition and a payload; at its default if none
====================  ==========================================================

An element that a set or bag does not list is not in it. A value without parts (a record without fields) is
always defined, because no part could be undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, choice, conjunction, disjunction, equivalence, negation
from verifier.encodings.concrete import Concrete, FrozenMap, show
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Bag, Boolean, Function, Option, Range, Record, Sequence, Set, Sort


@dataclass(frozen=True, eq=False)
class PartialBoolean:
    """A boolean that may have no value. ``true`` implies ``defined``."""

    true: FNode
    defined: FNode


@dataclass(frozen=True, eq=False)
class LoweredSequence:
    """``slots[i]`` is the element at ``i`` if the length is greater than ``i``."""

    length: Scalar
    slots: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class LoweredOption:
    """If ``present`` holds, ``payload`` is the value. If ``present`` is undefined, so is the option."""

    present: FNode
    payload: Any


Lowered: TypeAlias = FNode | PartialBoolean | Scalar | dict[Any, Any] | LoweredSequence | LoweredOption

_NO_COPIES = Scalar.known(0)


def children(sort: Sort) -> list[tuple[Any, Sort]]:
    """The keys and sorts of the parts of a record, function, set or bag."""
    match sort:
        case Record():
            return list(sort.fields)
        case Function():
            return [(key, sort.range) for key in sort.domain.each()]
        case Set():
            boolean = Boolean()
            return [(item, boolean) for item in sort.element.each()]
        case Bag():
            copies = Range(0, sort.maximum)
            return [(item, copies) for item in sort.element.each()]
    raise AssertionError(sort)


def known(sort: Sort, value: Any) -> Any:
    """The concrete ``value`` of ``sort``, lowered."""
    if sort.is_scalar:
        return Scalar.known(value)
    match sort:
        case Boolean():
            return TRUE if value else FALSE
        case Option():
            payload = sort.inner.default if value is None else value
            return LoweredOption(FALSE if value is None else TRUE, known(sort.inner, payload))
        case Sequence():
            slots = [known(sort.element, item) for item in value]
            return LoweredSequence(Scalar.known(len(value)), padded(slots, sort))
        case Set():
            # The order of a frozenset differs between processes. Sorting it makes all output the same.
            return dict.fromkeys(sorted(value, key=show), TRUE)
        case Bag():
            return {item: Scalar.known(copies) for item, copies in value.items()}
    return {key: known(part, value[key]) for key, part in children(sort)}


def undefined(sort: Sort) -> Any:
    """The lowered form of a value of ``sort`` that is undefined everywhere."""
    if sort.is_scalar:
        return Scalar((), exactly=(), total=False)
    match sort:
        case Boolean():
            return PartialBoolean(FALSE, FALSE)
        case Option():
            return LoweredOption(TRUE, undefined(sort.inner))
        case Sequence():
            return LoweredSequence(Scalar((), exactly=(), total=False), padded([], sort))
    return {key: undefined(part) for key, part in children(sort)}


def holds(value: FNode | PartialBoolean) -> FNode:
    """A boolean as a formula. It is false where the boolean has no value."""
    return value.true if isinstance(value, PartialBoolean) else value


def defined(value: Lowered) -> FNode:
    """Whether the value and all its parts have a value."""
    match value:
        case FNode():
            return TRUE
        case Scalar() | PartialBoolean():
            return value.defined
        case LoweredOption():
            return disjunction((negation(value.present), defined(value.payload)))
        case LoweredSequence():
            within = (
                disjunction((negation(value.length.at_least(index + 1)), defined(slot)))
                for index, slot in enumerate(value.slots)
            )
            return conjunction((value.length.defined, *within))
        case dict():
            return conjunction(defined(part) for part in value.values())
    raise AssertionError(value)


def is_total(value: Lowered) -> bool:
    """Whether the value is known to be defined."""
    return defined(value) is TRUE


def restricted(sort: Sort, condition: FNode, value: Lowered) -> Any:
    """``value`` where ``condition`` holds; undefined elsewhere."""
    return select(sort, [(condition, value)], exhaustive=False)


def padded(slots: list[Any], sort: Sequence) -> tuple[Any, ...]:
    """The slots, extended by defaults to as many as the sort has."""
    if len(slots) < sort.capacity:
        filler = known(sort.element, sort.element.default)
        slots = [*slots, *[filler] * (sort.capacity - len(slots))]
    return tuple(slots)


def _boolean(true: FNode, defined: FNode) -> FNode | PartialBoolean:
    return true if defined is TRUE else PartialBoolean(true, defined)


def _absent(example: Lowered) -> Lowered:
    """The lowered form for an element that is not in a set or bag. ``example`` shows which of both it is."""
    return _NO_COPIES if isinstance(example, Scalar) else FALSE


def _paired(left: dict[Any, Any], right: dict[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """The parts of two dicts by key. If one dict lacks a key, its part is that of an absent element."""
    for key, part in left.items():
        other = right.get(key)
        yield key, part, _absent(part) if other is None else other
    for key, part in right.items():
        if key not in left:
            yield key, _absent(part), part


def either(condition: FNode, then: Lowered, otherwise: Lowered) -> Any:
    """``if condition then then else otherwise``. Both values have the same sort."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    match then, otherwise:
        case FNode(), FNode():
            return choice(condition, then, otherwise)
        case Scalar(), Scalar():
            return scalars.either(condition, then, otherwise)
        case dict(), dict():
            return {key: either(condition, a, b) for key, a, b in _paired(then, otherwise)}
        case LoweredSequence(), LoweredSequence():
            slots = zip(then.slots, otherwise.slots, strict=True)
            return LoweredSequence(
                scalars.either(condition, then.length, otherwise.length),
                tuple(either(condition, a, b) for a, b in slots),
            )
        case LoweredOption(), LoweredOption():
            present = choice(condition, then.present, otherwise.present)
            return LoweredOption(present, either(condition, then.payload, otherwise.payload))
    true = choice(condition, holds(then), holds(otherwise))
    return _boolean(true, choice(condition, defined(then), defined(otherwise)))


def select(sort: Sort, options: Iterable[tuple[FNode, Any]], exhaustive: bool) -> Any:
    """The value of ``sort`` whose condition holds. The conditions exclude each other.

    Where no condition holds, the result is undefined. ``exhaustive`` says that some condition always holds.
    """
    options = [(when, value) for when, value in options if when is not FALSE]
    if not options:
        return undefined(sort)
    if len(options) == 1 and options[0][0] is TRUE:
        return options[0][1]
    if sort.is_scalar:
        return scalars.select(options, exhaustive)
    match sort:
        case Boolean():
            true = disjunction(conjunction((when, holds(value))) for when, value in options)
            if exhaustive and all(isinstance(value, FNode) for _, value in options):
                return true
            return _boolean(true, disjunction(conjunction((when, defined(value))) for when, value in options))
        case Option():
            present = disjunction(conjunction((when, value.present)) for when, value in options)
            if not exhaustive:
                present = disjunction((present, negation(disjunction(when for when, _ in options))))
            payloads = [(when, value.payload) for when, value in options]
            return LoweredOption(present, select(sort.inner, payloads, exhaustive))
        case Sequence():  # where the length is undefined, the slots have no meaning
            length = scalars.select([(when, value.length) for when, value in options], exhaustive)
            slots = (
                select(sort.element, [(when, value.slots[index]) for when, value in options], True)
                for index in range(sort.capacity)
            )
            return LoweredSequence(length, tuple(slots))
        case Set() | Bag():
            part = Boolean() if isinstance(sort, Set) else Range(0, sort.maximum)
            absent = known(part, part.default)
            mentioned = {key: None for _, value in options for key in value}
            return {
                key: select(part, [(when, value.get(key, absent)) for when, value in options], exhaustive)
                for key in (mentioned if exhaustive else sort.element.each())
            }
    return {
        key: select(part, [(when, value[key]) for when, value in options], exhaustive)
        for key, part in children(sort)
    }


def equal(left: Lowered, right: Lowered) -> FNode:
    """Whether both have the same value."""
    match left, right:
        case FNode(), FNode():
            return equivalence(left, right)
        case Scalar(), Scalar():
            return scalars.equal(left, right)
        case dict(), dict():
            return conjunction(equal(a, b) for _, a, b in _paired(left, right))
        case LoweredOption(), LoweredOption():
            same = conjunction((left.present, right.present, equal(left.payload, right.payload)))
            return disjunction((same, conjunction((negation(left.present), negation(right.present)))))
        case LoweredSequence(), LoweredSequence():
            same_slots = (
                disjunction((negation(left.length.at_least(index + 1)), equal(a, b)))
                for index, (a, b) in enumerate(zip(left.slots, right.slots, strict=False))
            )
            return conjunction((scalars.equal(left.length, right.length), *same_slots))
    return conjunction((defined(left), defined(right), equivalence(holds(left), holds(right))))


def cases(sort: Sort, value: Lowered) -> list[tuple[Concrete, FNode]]:
    """Every concrete value that a lowered one may have, with the condition for it."""
    match value:
        case Scalar():
            return value.cases()
        case FNode() | PartialBoolean():
            true = holds(value)
            pairs = ((False, conjunction((defined(value), negation(true)))), (True, true))
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
                for items, when in _combinations(slots[:length], value.length.equals(length))
            ]
        case dict():
            held = [(key, part) for key, part in children(sort) if key in value]
            keys = [key for key, _ in held]
            parts = [cases(part, value[key]) for key, part in held]
            return [(_collected(sort, keys, items), when) for items, when in _combinations(parts, TRUE)]
    raise AssertionError(value)


def _combinations(
    parts: list[list[tuple[Concrete, FNode]]], start: FNode
) -> Iterator[tuple[tuple[Concrete, ...], FNode]]:
    if start is not FALSE:
        for chosen in product(*parts):
            when = conjunction((start, *(condition for _, condition in chosen)))
            if when is not FALSE:
                yield tuple(item for item, _ in chosen), when


def _collected(sort: Sort, keys: list[Any], items: tuple[Any, ...]) -> Concrete:
    pairs = list(zip(keys, items, strict=True))
    if isinstance(sort, Set):
        return frozenset(key for key, present in pairs if present)
    if isinstance(sort, Bag):
        return FrozenMap((key, count) for key, count in pairs if count)
    return FrozenMap(pairs)


def convert(value: Any, source: Sort, target: Sort) -> Any:
    """``value``, which has the sort ``source``, in the shape of the sort ``target``.

    Slots that ``target`` does not have are dropped. ``outside`` says in which states that loses an element.
    """
    if source == target:
        return value
    match source, target:
        case Option(), Option() if not target.is_scalar:
            payload = convert(value.payload, source.inner, target.inner)
            filled = _filled(value.present, payload, source.inner, target.inner)
            return LoweredOption(value.present, filled)
        case Sequence(), Sequence():
            slots = []
            for index, slot in enumerate(value.slots[: target.capacity]):
                used = value.length.at_least(index + 1)
                converted = convert(slot, source.element, target.element)
                slots.append(_filled(used, converted, source.element, target.element))
            return LoweredSequence(value.length, padded(slots, target))
        case (Record(), Record()) | (Function(), Function()):
            sorts = dict(children(source))
            return {key: convert(value[key], sorts[key], part) for key, part in children(target)}
    return value


def _filled(used: FNode, value: Lowered, source: Sort, target: Sort) -> Any:
    """``value`` where the slot is used. Elsewhere the default of ``target`` replaces that of ``source``."""
    if source.default == target.default:
        return value
    return either(used, value, known(target, target.default))


def outside(sort: Sort, value: Lowered) -> FNode:
    """Whether ``value`` is undefined or not in ``sort``. Then no variable of this sort can hold it."""
    match value:
        case FNode():
            return FALSE
        case PartialBoolean():
            return negation(value.defined)
        case Scalar():
            return scalars.outside(sort, value)
        case LoweredOption():
            assert isinstance(sort, Option)
            return conjunction((value.present, outside(sort.inner, value.payload)))
        case LoweredSequence():
            assert isinstance(sort, Sequence)
            too_long = scalars.outside(Range(0, sort.capacity), value.length)
            within = (
                conjunction((value.length.at_least(index + 1), outside(sort.element, slot)))
                for index, slot in enumerate(value.slots[: sort.capacity])
            )
            return disjunction((too_long, *within))
        case dict():
            sorts = dict(children(sort))
            return disjunction(
                outside(sorts[key], part) if key in sorts else negation(equal(part, _absent(part)))
                for key, part in value.items()
            )
    raise AssertionError(value)
