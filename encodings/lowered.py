"""Lowered values: every value as scalars and single conditions, and the operations on all sorts alike.

====================  ==========================================================
sort                  lowered form
====================  ==========================================================
Boolean               a boolean term
Range, Enum, IndexSet a Scalar; an Option of these is a Scalar with ``None``
Record, Function      a dict from field name or key to the lowered part
Set                   a dict from element to the condition that it is in
Bag                   a dict from element to the Scalar of its copies
Sequence              a LoweredSequence: length and slots, unused ones at the default
Option of others      a LoweredOption: a condition and a payload, at its default if none
====================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Sequence as PythonSequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import FALSE, TRUE, choice, conjunction, disjunction, equivalence, negation
from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Bag, Boolean, Function, Option, Range, Record, Sequence, Set, Sort


@dataclass(frozen=True, eq=False)
class LoweredSequence:
    """``slots[i]`` is the element at ``i`` where the length is greater than ``i``."""

    length: Scalar
    slots: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class LoweredOption:
    """``payload`` counts where ``present`` holds."""

    present: FNode
    payload: Any


Lowered: TypeAlias = FNode | Scalar | dict[Any, Any] | LoweredSequence | LoweredOption


def children(sort: Sort) -> list[tuple[Any, Sort]]:
    """The keys and sorts of the parts of a record, function, set or bag."""
    match sort:
        case Record():
            return list(sort.fields)
        case Function():
            return [(key, sort.range) for key in sort.domain.values()]
        case Set():
            return [(item, Boolean()) for item in sort.element.values()]
        case Bag():
            return [(item, Range(0, sort.maximum)) for item in sort.element.values()]
    raise AssertionError(sort)


def known(sort: Sort, value: Any) -> Lowered:
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
            filler = [sort.element.default] * (sort.capacity - len(value))
            slots = tuple(known(sort.element, item) for item in (*value, *filler))
            return LoweredSequence(Scalar.known(len(value)), slots)
        case Set():
            return {item: TRUE if item in value else FALSE for item in sort.element.values()}
        case Bag():
            return {item: Scalar.known(value.get(item, 0)) for item in sort.element.values()}
        case _:
            return {key: known(part, value[key]) for key, part in children(sort)}


def either(condition: FNode, then: Lowered, otherwise: Lowered) -> Any:
    """``if condition then then else otherwise``; both of the same sort."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    match then, otherwise:
        case Scalar(), Scalar():
            return scalars.either(condition, then, otherwise)
        case dict(), dict():
            return {key: either(condition, then[key], otherwise[key]) for key in then}
        case LoweredSequence(), LoweredSequence():
            slots = zip(then.slots, otherwise.slots, strict=True)
            return LoweredSequence(
                scalars.either(condition, then.length, otherwise.length),
                tuple(either(condition, a, b) for a, b in slots),
            )
        case LoweredOption(), LoweredOption():
            present = choice(condition, then.present, otherwise.present)
            return LoweredOption(present, either(condition, then.payload, otherwise.payload))
        case FNode(), FNode():
            return choice(condition, then, otherwise)
    raise AssertionError((then, otherwise))


def select(options: PythonSequence[tuple[FNode, Lowered]], exhaustive: bool) -> Any:
    """The value whose condition holds; the conditions exclude each other. Without any: no value."""
    options = [(when, value) for when, value in options if when is not FALSE]
    if len(options) == 1 and options[0][0] is TRUE:
        return options[0][1]
    match [value for _, value in options]:
        case []:
            return Scalar((), exactly=(), total=False)
        case [Scalar(), *_]:
            return scalars.select(options, exhaustive)  # type: ignore[arg-type]
        case [FNode(), *_]:
            return disjunction(conjunction((when, value)) for when, value in options)
        case [dict() as first, *_]:
            return {key: select([(when, value[key]) for when, value in options], exhaustive) for key in first}  # type: ignore[index]
        case [LoweredSequence() as first, *_]:
            lengths = [(when, value.length) for when, value in options]  # type: ignore[union-attr]
            slots = range(len(first.slots))
            chosen = (select([(when, v.slots[i]) for when, v in options], exhaustive) for i in slots)  # type: ignore[union-attr]
            return LoweredSequence(scalars.select(lengths, exhaustive), tuple(chosen))
        case [LoweredOption(), *_]:
            present = disjunction(conjunction((when, v.present)) for when, v in options)  # type: ignore[union-attr]
            payload = select([(when, value.payload) for when, value in options], exhaustive)  # type: ignore[union-attr]
            return LoweredOption(present, payload)
    raise AssertionError(options)


def equal(left: Lowered, right: Lowered) -> FNode:
    """Whether both have the same value."""
    match left, right:
        case FNode(), FNode():
            return equivalence(left, right)
        case Scalar(), Scalar():
            return scalars.equal(left, right)
        case dict(), dict():
            keys = {**left, **right}
            return conjunction(_equal_parts(left.get(key), right.get(key)) for key in keys)
        case LoweredOption(), LoweredOption():
            same = conjunction((left.present, right.present, equal(left.payload, right.payload)))
            return disjunction((same, conjunction((negation(left.present), negation(right.present)))))
        case LoweredSequence(), LoweredSequence():
            same_slots = (
                disjunction((negation(left.length.at_least(index + 1)), equal(a, b)))
                for index, (a, b) in enumerate(zip(left.slots, right.slots, strict=False))
            )
            return conjunction((scalars.equal(left.length, right.length), *same_slots))
    raise AssertionError((left, right))


def _equal_parts(left: Lowered | None, right: Lowered | None) -> FNode:
    if left is None or right is None:  # an element outside the other's universe: absent there
        present = right if left is None else left
        return present.equals(0) if isinstance(present, Scalar) else negation(present)  # type: ignore[arg-type]
    return equal(left, right)


def cases(sort: Sort, value: Lowered) -> list[tuple[Concrete, FNode]]:
    """Every concrete value that a lowered one may have, with the condition for it."""
    match value:
        case Scalar():
            return value.cases()
        case FNode():
            pairs: list[tuple[Concrete, FNode]] = [(False, negation(value)), (True, value)]
            return [(item, when) for item, when in pairs if when is not FALSE]
        case LoweredOption():
            assert isinstance(sort, Option)
            none = [(None, negation(value.present))] if value.present is not TRUE else []
            held = [(v, conjunction((value.present, when))) for v, when in cases(sort.inner, value.payload)]
            return [*none, *((v, when) for v, when in held if when is not FALSE)]
        case LoweredSequence():
            assert isinstance(sort, Sequence)
            element = sort.element
            return [
                (tuple(items), when)
                for length, at in value.length.cases()
                for items, when in _combinations([cases(element, slot) for slot in value.slots[:length]], at)  # type: ignore[misc]
            ]
        case dict():
            sorts = dict(children(sort))
            parts = [cases(sorts[key], part) for key, part in value.items()]
            return [(_assemble(sort, list(value), items), when) for items, when in _combinations(parts, TRUE)]
    raise AssertionError(value)


def is_total(value: Lowered) -> bool:
    """Whether every part of the value is known to be defined."""
    match value:
        case Scalar():
            return value.total
        case LoweredOption():
            return is_total(value.payload)
        case LoweredSequence():
            return value.length.total and all(is_total(slot) for slot in value.slots)
        case dict():
            return all(is_total(part) for part in value.values())
    return True


def _combinations(
    parts: list[list[tuple[Concrete, FNode]]], start: FNode
) -> list[tuple[tuple[Concrete, ...], FNode]]:
    combined = []
    for choice_ in product(*parts):
        when = conjunction((start, *(condition for _, condition in choice_)))
        if when is not FALSE:
            combined.append((tuple(item for item, _ in choice_), when))
    return combined


def _assemble(sort: Sort, keys: list[Any], items: tuple[Any, ...]) -> Concrete:
    pairs = list(zip(keys, items, strict=True))
    if isinstance(sort, Set):
        return frozenset(key for key, present in pairs if present)
    if isinstance(sort, Bag):
        return FrozenMap((key, count) for key, count in pairs if count)
    return FrozenMap(pairs)


def convert(value: Any, source: Sort, target: Sort) -> Any:
    """``value`` of ``source`` in the shape of ``target``, whose values include it or which it may overrun.

    Slots that ``target`` does not have are dropped; ``outside`` says when that loses something.
    """
    if source == target or target.is_scalar or isinstance(target, Boolean):
        return value
    match source, target:
        case Option(), Option():
            payload = convert(value.payload, source.inner, target.inner)
            filler = known(target.inner, target.inner.default)
            return LoweredOption(value.present, either(value.present, payload, filler))
        case Sequence(), Sequence():
            filler = known(target.element, target.element.default)
            slots = []
            for index in range(target.capacity):
                if index < len(value.slots):
                    slot = convert(value.slots[index], source.element, target.element)
                    slots.append(either(value.length.at_least(index + 1), slot, filler))
                else:
                    slots.append(filler)
            return LoweredSequence(value.length, tuple(slots))
        case Set(), Set():
            return {item: value.get(item, FALSE) for item in {**dict.fromkeys(target.element.values()), **value}}
        case Bag(), Bag():
            zero = Scalar.known(0)
            return {item: value.get(item, zero) for item in {**dict.fromkeys(target.element.values()), **value}}
        case _:
            sorts = dict(children(source))
            return {key: convert(value[key], sorts[key], part) for key, part in children(target)}


def outside(sort: Sort, value: Any) -> FNode:
    """Whether ``value`` is undefined or not in ``sort``, and so cannot be assigned to a variable of it."""
    match value:
        case FNode():
            return FALSE
        case Scalar():
            return scalars.outside(tuple(sort.values()), value)
        case LoweredOption():
            assert isinstance(sort, Option)
            return conjunction((value.present, outside(sort.inner, value.payload)))
        case LoweredSequence():
            assert isinstance(sort, Sequence)
            too_long = scalars.outside(range(sort.capacity + 1), value.length)
            within = (
                conjunction((value.length.at_least(index + 1), outside(sort.element, slot)))
                for index, slot in enumerate(value.slots[: sort.capacity])
            )
            return disjunction((too_long, *within))
        case dict():
            sorts = dict(children(sort))
            parts = []
            for key, part in value.items():
                if key in sorts:
                    parts.append(outside(sorts[key], part))
                else:
                    parts.append(part if isinstance(part, FNode) else part.at_least(1))
            return disjunction(parts)
    raise AssertionError(value)
