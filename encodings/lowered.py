"""Lowered values: every value as scalars and boolean conditions, and the operations common to all sorts.

====================  ==========================================================
sort                  lowered form
====================  ==========================================================
Boolean               a boolean term; a PartialBoolean if it may have no value
Range, Enum, IndexSet a Scalar; an Option of these is a Scalar with ``None``
Listed                a Scalar
Record, Function      a dict from field name or key to the lowered part
Tuple                 a dict from place to the lowered item
PartialFunction       a dict from key to a LoweredOption, which is none where the key is absent
Set                   a dict from element to the condition that the set contains it
Bag                   a dict from element to the Scalar of its number of copies
Sequence              a LoweredSequence: length and slots; unused slots hold the default
Option of others      a LoweredOption: a condition and a payload; at its default if none
Variant               a LoweredVariant: a tag, and for each tag a payload; at its default if it is another
====================  ==========================================================

An element that a set or bag does not list is not in it. A value without parts (a record without fields) is
always defined, because no part could be undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, choice, conjunction, disjunction, equivalence, negation
from verifier.encodings.concrete import show
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)


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


@dataclass(frozen=True, eq=False)
class LoweredVariant:
    """A payload is the value's if the tag is that of the payload. Without tag there is no value."""

    tag: Scalar
    payloads: dict[str, Any]

    def iterate_payloads(self) -> Iterator[tuple[FNode, str, Any]]:
        """The payloads that may be the value's, each with the condition that it is, and its tag."""
        for tag, payload in self.payloads.items():
            yield self.tag.equals(tag), tag, payload


Lowered: TypeAlias = (
    FNode | PartialBoolean | Scalar | dict[Any, Any] | LoweredSequence | LoweredOption | LoweredVariant
)


@dataclass(frozen=True)
class Slot(Option):
    """The value of a partial function at a key. It may hold an option, and is a LoweredOption in any case."""

    def __post_init__(self) -> None:
        pass

    @property
    def is_scalar(self) -> bool:
        return False


_NO_COPIES = Scalar.make_constant(0)


def children(sort: Sort) -> list[tuple[Any, Sort]]:
    """The keys and sorts of the parts of a record, tuple, function, set or bag."""
    match sort:
        case Tuple():
            return list(enumerate(sort.items))
        case PartialFunction():
            slot = Slot(sort.range)
            return [(key, slot) for key in sort.domain.each()]
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


def lower_constant(sort: Sort, value: Any) -> Any:
    """The concrete ``value`` of ``sort``, lowered."""
    if sort.is_scalar:
        return Scalar.make_constant(value)
    match sort:
        case Boolean():
            return TRUE if value else FALSE
        case Option():
            if value is None:
                return LoweredOption(FALSE, lower_default(sort.inner))
            return LoweredOption(TRUE, lower_constant(sort.inner, value))
        case Sequence():
            slots = [lower_constant(sort.element, item) for item in value]
            return LoweredSequence(Scalar.make_constant(len(value)), pad_slots(slots, sort))
        case Set():
            # The order of a frozenset differs between processes. Sorting it makes all output the same.
            return dict.fromkeys(sorted(value, key=show), TRUE)
        case Bag():
            return {item: Scalar.make_constant(copies) for item, copies in value.items()}
        case Variant():
            return tag_value(sort, value.tag, lower_constant(sort.payload(value.tag), value.payload))
        case PartialFunction():
            nothing = lower_constant(Slot(sort.range), None)
            present = {
                key: LoweredOption(TRUE, lower_constant(sort.range, item)) for key, item in value.items()
            }
            return {key: present.get(key, nothing) for key in sort.domain.each()}
    return {key: lower_constant(part, value[key]) for key, part in children(sort)}


def lower_default(sort: Sort) -> Any:
    """The value that fills unused slots, lowered. If ``sort`` is empty, no slot is ever used."""
    return lower_constant(sort, sort.default) if sort.size else make_undefined(sort)


def tag_value(sort: Variant, tag: str, payload: Any) -> LoweredVariant:
    """The value of a variant with this tag and payload."""
    others = {name: lower_default(part) for name, part in sort.alternatives if name != tag}
    return LoweredVariant(
        Scalar.make_constant(tag), {name: payload if name == tag else others[name] for name in sort.payloads}
    )


def make_undefined(sort: Sort) -> Any:
    """The lowered form of a value of ``sort`` that is undefined everywhere."""
    if sort.is_scalar:
        return Scalar((), exactly=(), total=False)
    match sort:
        case Boolean():
            return PartialBoolean(FALSE, FALSE)
        case Option():
            return LoweredOption(TRUE, make_undefined(sort.inner))
        case Sequence():
            return LoweredSequence(Scalar((), exactly=(), total=False), pad_slots([], sort))
        case Variant():
            fillers = {tag: lower_default(part) for tag, part in sort.alternatives}
            return LoweredVariant(Scalar((), exactly=(), total=False), fillers)
    return {key: make_undefined(part) for key, part in children(sort)}


def holds(value: FNode | PartialBoolean) -> FNode:
    """A boolean as a formula. It is false where the boolean has no value."""
    return value.true if isinstance(value, PartialBoolean) else value


def make_definedness(value: Lowered) -> FNode:
    """True if the value and all its parts have a value."""
    match value:
        case FNode():
            return TRUE
        case Scalar() | PartialBoolean():
            return value.defined
        case LoweredOption():
            return disjunction((negation(value.present), make_definedness(value.payload)))
        case LoweredSequence():
            within = (
                disjunction((negation(value.length.at_least(index + 1)), make_definedness(slot)))
                for index, slot in enumerate(value.slots)
            )
            return conjunction((value.length.defined, *within))
        case LoweredVariant():
            payloads = (
                disjunction((negation(held), make_definedness(part)))
                for held, _, part in value.iterate_payloads()
            )
            return conjunction((value.tag.defined, *payloads))
        case dict():
            return conjunction(make_definedness(part) for part in value.values())
    raise AssertionError(value)


def is_total(value: Lowered) -> bool:
    """True if the value is known to be defined."""
    return make_definedness(value) is TRUE


def restrict_value(sort: Sort, condition: FNode, value: Lowered) -> Any:
    """``value`` where ``condition`` holds; undefined elsewhere."""
    return select(sort, [(condition, value)], exhaustive=False)


def pad_slots(slots: list[Any], sort: Sequence) -> tuple[Any, ...]:
    """The slots, extended by defaults to as many as the sort has."""
    if len(slots) < sort.capacity:
        filler = lower_default(sort.element)
        slots = [*slots, *[filler] * (sort.capacity - len(slots))]
    return tuple(slots)


def _boolean(true: FNode, defined: FNode) -> FNode | PartialBoolean:
    return true if defined is TRUE else PartialBoolean(true, defined)


def absent(example: Lowered) -> Lowered:
    """The lowered form for an element that is not in a set or bag, or an absent key of a partial function.

    ``example`` shows which it is.
    """
    if isinstance(example, LoweredOption):
        return LoweredOption(FALSE, example.payload)
    return _NO_COPIES if isinstance(example, Scalar) else FALSE


def _pair(left: dict[Any, Any], right: dict[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """The parts of two dicts by key. If one dict lacks a key, its part is that of an absent element."""
    for key, part in left.items():
        other = right.get(key)
        yield key, part, absent(part) if other is None else other
    for key, part in right.items():
        if key not in left:
            yield key, absent(part), part


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
            return {key: either(condition, a, b) for key, a, b in _pair(then, otherwise)}
        case LoweredSequence(), LoweredSequence():
            slots = zip(then.slots, otherwise.slots, strict=True)
            return LoweredSequence(
                scalars.either(condition, then.length, otherwise.length),
                tuple(either(condition, a, b) for a, b in slots),
            )
        case LoweredOption(), LoweredOption():
            present = choice(condition, then.present, otherwise.present)
            return LoweredOption(present, either(condition, then.payload, otherwise.payload))
        case LoweredVariant(), LoweredVariant():
            return LoweredVariant(
                scalars.either(condition, then.tag, otherwise.tag),
                {tag: either(condition, a, otherwise.payloads[tag]) for tag, a in then.payloads.items()},
            )
    true = choice(condition, holds(then), holds(otherwise))
    return _boolean(true, choice(condition, make_definedness(then), make_definedness(otherwise)))


def select(sort: Sort, options: Iterable[tuple[FNode, Any]], exhaustive: bool) -> Any:
    """The value of ``sort`` whose condition holds. The conditions exclude each other.

    Where no condition holds, the result is undefined. ``exhaustive`` says that some condition always holds.
    """
    options = [(when, value) for when, value in options if when is not FALSE]
    if not options:
        return make_undefined(sort)
    if len(options) == 1 and options[0][0] is TRUE:
        return options[0][1]
    if sort.is_scalar:
        return scalars.select(options, exhaustive)
    match sort:
        case Boolean():
            true = disjunction(conjunction((when, holds(value))) for when, value in options)
            if exhaustive and all(isinstance(value, FNode) for _, value in options):
                return true
            return _boolean(
                true, disjunction(conjunction((when, make_definedness(value))) for when, value in options)
            )
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
        case Variant():  # where the tag is undefined, the payloads have no meaning
            tag = scalars.select([(when, value.tag) for when, value in options], exhaustive)
            held = {
                name: select(part, [(when, value.payloads[name]) for when, value in options], True)
                for name, part in sort.alternatives
            }
            return LoweredVariant(tag, held)
        case Set() | Bag():
            part = Boolean() if isinstance(sort, Set) else Range(0, sort.maximum)
            none = lower_constant(part, part.default)
            mentioned = {key: None for _, value in options for key in value}
            return {
                key: select(part, [(when, value.get(key, none)) for when, value in options], exhaustive)
                for key in (mentioned if exhaustive else sort.element.each())
            }
    return {
        key: select(part, [(when, value[key]) for when, value in options], exhaustive)
        for key, part in children(sort)
    }


def equal(left: Lowered, right: Lowered) -> FNode:
    """True if both have the same value."""
    match left, right:
        case FNode(), FNode():
            return equivalence(left, right)
        case Scalar(), Scalar():
            return scalars.equal(left, right)
        case dict(), dict():
            return conjunction(equal(a, b) for _, a, b in _pair(left, right))
        case LoweredOption(), LoweredOption():
            same = conjunction((left.present, right.present, equal(left.payload, right.payload)))
            return disjunction((same, conjunction((negation(left.present), negation(right.present)))))
        case LoweredSequence(), LoweredSequence():
            same_slots = (
                disjunction((negation(left.length.at_least(index + 1)), equal(a, b)))
                for index, (a, b) in enumerate(zip(left.slots, right.slots, strict=False))
            )
            return conjunction((scalars.equal(left.length, right.length), *same_slots))
        case LoweredVariant(), LoweredVariant():
            same_payloads = (
                disjunction((negation(held), equal(payload, right.payloads[tag])))
                for held, tag, payload in left.iterate_payloads()
            )
            return conjunction((scalars.equal(left.tag, right.tag), *same_payloads))
    return conjunction(
        (make_definedness(left), make_definedness(right), equivalence(holds(left), holds(right)))
    )
