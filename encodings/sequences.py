"""Operations on lowered sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import conjunction, disjunction
from verifier.encodings.cases import cases
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import (
    Lowered,
    LoweredSequence,
    either,
    equal,
    is_total,
    lower_constant,
    lower_default,
    make_definedness,
    pad_slots,
    restrict_value,
    select,
)
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Range, Sequence, Set, Sort


def single(item: Lowered) -> LoweredSequence:
    """The sequence of one item."""
    return LoweredSequence(Scalar.make_constant(1), (item,))


def at(element: Sort, sequence: LoweredSequence, index: Scalar) -> Any:
    """The element at the index; undefined if the index is outside the sequence."""
    options = []
    for place, when in index.cases():
        if isinstance(place, int) and 0 <= place < len(sequence.slots):
            used = sequence.length.at_least(place + 1)
            options.append((conjunction((when, used)), sequence.slots[place]))
    return select(element, options, exhaustive=False)


def truncate(element: Sort, sequence: LoweredSequence, length: Scalar) -> LoweredSequence:
    """The first ``length`` elements, or all elements if there are fewer."""
    filler = lower_default(element)
    slots = (either(length.at_least(index + 1), slot, filler) for index, slot in enumerate(sequence.slots))
    kept = scalars.lesser(sequence.length, scalars.greater(length, Scalar.make_constant(0)))
    return LoweredSequence(kept, tuple(slots))


def concatenate(sort: Sequence, left: LoweredSequence, right: LoweredSequence) -> LoweredSequence:
    """The elements of ``left``, then those of ``right``."""
    filler = lower_default(sort.element)
    slots = []
    for index in range(sort.capacity):
        follows = filler
        for length, when in left.length.cases():
            assert isinstance(length, int)
            if 0 <= index - length < len(right.slots):
                follows = either(when, right.slots[index - length], follows)
        own = left.slots[index] if index < len(left.slots) else follows
        slots.append(either(left.length.at_least(index + 1), own, follows))
    return LoweredSequence(scalars.add(left.length, right.length), tuple(slots))


def between(sort: Sequence, sequence: LoweredSequence, first: Scalar, end: Scalar) -> LoweredSequence:
    """The elements from one index up to the one before another; undefined if these are not in order."""
    starts = [(place, when) for place, when in first.cases() if isinstance(place, int) and place >= 0]
    lengths = [
        (conjunction((begins, ends, sequence.length.at_least(stop))), Scalar.make_constant(stop - start))
        for start, begins in starts
        for stop, ends in end.cases()
        if isinstance(stop, int) and start <= stop <= len(sequence.slots)
    ]
    length = select(Range(0, sort.capacity), lengths, exhaustive=False)
    filler = lower_default(sort.element)
    slots = []
    for index in range(sort.capacity):
        slot = filler
        for start, begins in starts:
            if start + index < len(sequence.slots):
                slot = either(begins, sequence.slots[start + index], slot)
        slots.append(either(length.at_least(index + 1), slot, filler))
    return LoweredSequence(length, tuple(slots))


def reverse(sort: Sequence, sequence: LoweredSequence) -> LoweredSequence:
    """The elements in the opposite order."""
    filler = lower_default(sort.element)
    slots = []
    for index in range(len(sequence.slots)):
        slot = filler
        for length in range(index + 1, len(sequence.slots) + 1):
            slot = either(sequence.length.at_least(length), sequence.slots[length - 1 - index], slot)
        slots.append(slot)
    return LoweredSequence(sequence.length, tuple(slots))


def update(sequence: LoweredSequence, index: Scalar, item: Lowered) -> LoweredSequence:
    """The sequence with another element at the index; undefined if the index is outside the sequence."""
    slots, within = list(sequence.slots), []
    for place, when in index.cases():
        if isinstance(place, int) and 0 <= place < len(slots):
            slots[place] = either(when, item, slots[place])
            within.append(conjunction((when, sequence.length.at_least(place + 1))))
    length = restrict_value(Range(0, len(slots)), disjunction(within), sequence.length)
    return LoweredSequence(length, tuple(slots))


def occurs(sequence: LoweredSequence, item: Lowered) -> FNode:
    """True if both are defined and the item is an element."""
    places = (conjunction((used, equal(slot, item))) for used, slot in _list_used(sequence))
    return conjunction((make_definedness(sequence), make_definedness(item), disjunction(places)))


def elements(sort: Set, sequence: LoweredSequence) -> Any:
    """The set of the elements."""
    members: dict[Concrete, list[FNode]] = {}
    for used, slot in _list_used(sequence):
        for value, when in cases(sort.element, slot):
            members.setdefault(value, []).append(conjunction((used, when)))
    held = {value: disjunction(conditions) for value, conditions in members.items()}
    return restrict_value(sort, make_definedness(sequence), held)


def total(sort: Sort, sequence: LoweredSequence) -> Any:
    """The sum of a sequence of integers."""
    summands = (scalars.either(used, slot, Scalar.make_constant(0)) for used, slot in _list_used(sequence))
    return restrict_value(sort, sequence.length.defined, scalars.sum_of(summands))


def map_sequence(
    source: Sort, target: Sort, sequence: LoweredSequence, body: Callable[[Concrete], Lowered]
) -> LoweredSequence:
    """The sequence of the body's values for the elements, which are of the sort ``source``."""
    filler = lower_default(target)
    slots = []
    for used, slot in _list_used(sequence):
        options = [(when, body(value)) for value, when in cases(source, slot)]
        slots.append(either(used, select(target, options, exhaustive=is_total(slot)), filler))
    return LoweredSequence(sequence.length, tuple(slots))


def _list_used(sequence: LoweredSequence) -> list[tuple[FNode, Any]]:
    """The slots, each after the condition that it holds an element."""
    return [(sequence.length.at_least(index + 1), slot) for index, slot in enumerate(sequence.slots)]


def keep(
    sort: Sequence, sequence: LoweredSequence, verdicts: Iterable[tuple[Concrete, FNode]]
) -> LoweredSequence:
    """The elements for which the condition at the same place holds."""
    wanted = [(lower_constant(sort.element, value), verdict) for value, verdict in verdicts]
    result = LoweredSequence(Scalar.make_constant(0), ())
    for index, slot in enumerate(sequence.slots):
        taken = disjunction(conjunction((verdict, equal(slot, item))) for item, verdict in wanted)
        longer = Sequence(sort.element, index + 1)
        result = either(
            conjunction((sequence.length.at_least(index + 1), taken)),
            concatenate(longer, result, single(slot)),
            LoweredSequence(result.length, pad_slots(list(result.slots), longer)),
        )
    return result
