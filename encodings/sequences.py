"""Operations on lowered sequences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings import scalars
from verifier.encodings.bits import conjunction, disjunction
from verifier.encodings.concrete import Concrete
from verifier.encodings.lowered import Lowered, LoweredSequence, either, equal, known, padded, select
from verifier.encodings.scalars import Scalar
from verifier.encodings.sorts import Sequence, Sort


def single(item: Lowered) -> LoweredSequence:
    """The sequence of one item."""
    return LoweredSequence(Scalar.known(1), (item,))


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
    filler = known(element, element.default)
    slots = (either(length.at_least(index + 1), slot, filler) for index, slot in enumerate(sequence.slots))
    kept = scalars.lesser(sequence.length, scalars.greater(length, Scalar.known(0)))
    return LoweredSequence(kept, tuple(slots))


def concatenate(sort: Sequence, left: LoweredSequence, right: LoweredSequence) -> LoweredSequence:
    """The elements of ``left``, then those of ``right``."""
    filler = known(sort.element, sort.element.default)
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


def keep(
    sort: Sequence, sequence: LoweredSequence, verdicts: Iterable[tuple[Concrete, FNode]]
) -> LoweredSequence:
    """The elements for which the condition at the same place holds."""
    wanted = [(known(sort.element, value), verdict) for value, verdict in verdicts]
    result = LoweredSequence(Scalar.known(0), ())
    for index, slot in enumerate(sequence.slots):
        taken = disjunction(conjunction((verdict, equal(slot, item))) for item, verdict in wanted)
        longer = Sequence(sort.element, index + 1)
        result = either(
            conjunction((sequence.length.at_least(index + 1), taken)),
            concatenate(longer, result, single(slot)),
            LoweredSequence(result.length, padded(list(result.slots), longer)),
        )
    return result
