"""The exact set of the states seen: hashes say where to look, a comparison of whole rows decides.

The table keeps the states in the order of insertion, and the number of each in a slot: the one that its hash
names, or the next one that was free (linear probing: Knuth, The Art of Computer Programming, volume 3,
section 6.4). All rows of an insertion probe at the same time, one slot after the other. So equal rows probe
the same slots at the same times, and of those that find a slot free the first one takes it: no state is
inserted twice, whatever the hashes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.packing import Rows

Indices = NDArray[np.int64]
"""Numbers of states, or slots, one for each of several rows: shape (rows,)."""
_FIRST_CAPACITY = 1 << 12
_GROWTH = 1.5
_FREE = -1
"""In a slot without a state."""
_SLOTS_PER_STATE = 2
"""At least. The fewer there are, the more are probed."""
_ROW_BYTES, _SLOT_BYTES = 8, 8
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""2 ** 64 divided by the golden ratio, and odd (the same section)."""


def hashes_of(rows: Rows) -> NDArray[np.uint64]:
    """The hashes. The upper bits of each depend on all bits of its row."""
    result = rows[:, 0] * _FACTOR
    for word in range(1, rows.shape[1]):
        result ^= result >> np.uint64(29)
        result += rows[:, word]
        result *= _FACTOR
    if rows.shape[1] > 1:
        result ^= result >> np.uint64(32)
        result *= _FACTOR
    return result


class StateTable:
    """The states seen, numbered in the order of insertion, each with a predecessor."""

    def __init__(self, words: int) -> None:
        self.words = words
        self._rows: Rows = np.empty((_FIRST_CAPACITY, words), np.uint64)
        self._predecessors: Indices = np.empty(_FIRST_CAPACITY, np.int64)
        self._slots: Indices = np.full(slots_for(_FIRST_CAPACITY), _FREE, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def rows(self, start: int, end: int) -> Rows:
        """The states with these numbers. The caller must not change them."""
        return self._rows[start:end]

    def predecessor(self, state: int) -> int | None:
        """The number of the state from which this one was first found; None for an initial state."""
        number = int(self._predecessors[state])
        return None if number < 0 else number

    def predecessors(self, start: int, end: int) -> Indices:
        """The numbers of the states from which these were first found; -1 for initial states."""
        return self._predecessors[start:end]

    def chain(self, state: int) -> list[Rows]:
        """A state of each depth on the way to this one, from an initial state on."""
        numbers = [state]
        while (before := self.predecessor(numbers[-1])) is not None:
            numbers.append(before)
        return [self.rows(number, number + 1).copy() for number in reversed(numbers)]

    def growth(self, coming: int) -> int:
        """The most bytes that the table allocates at once for this many further states."""
        needed, more = self._count + coming, 0
        if needed > len(self._rows):
            more = int(needed * _GROWTH) * _ROW_BYTES * (self.words + 1)
        if slots_for(needed) > len(self._slots):
            more += slots_for(needed) * _SLOT_BYTES
        return more

    def insert(self, rows: Rows, predecessors: Indices) -> Indices:
        """Adds the states that are new, and returns their places among ``rows``, ascending."""
        self._make_room(len(rows))
        count, end = self._count, self._count + len(rows)
        self._rows[count:end] = rows  # while they are looked for, rows have numbers as if all were new
        asking, slots = np.arange(count, end), self._first_slots(rows)
        new = np.zeros(len(rows), np.bool_)
        taken: list[tuple[Indices, Indices]] = []
        while len(asking):
            numbers = self._slots.take(slots)
            free = np.flatnonzero(numbers == _FREE)
            if len(free):
                asks, there = asking.take(free), slots.take(free)
                self._slots[there[::-1]] = asks[::-1]  # of several, what is written last stays: the first one
                owners = self._slots.take(there)
                numbers[free] = owners
                first = np.flatnonzero(owners == asks)
                taken.append((asks.take(first), there.take(first)))
                new[taken[-1][0] - count] = True
            others = self._differ(numbers, asking)
            asking, slots = asking.take(others), self._following(slots.take(others))
        arrival, order = np.flatnonzero(new), np.cumsum(new)
        for numbers, slots in taken:
            self._slots[slots] = order.take(numbers - count) + (count - 1)
        self._count += len(arrival)
        self._rows[count : self._count] = rows.take(arrival, axis=0)
        self._predecessors[count : self._count] = predecessors.take(arrival)
        return arrival

    def find(self, rows: Rows) -> Indices:
        """The numbers of states that are in the table."""
        self._make_room(len(rows))
        count, end = self._count, self._count + len(rows)
        self._rows[count:end] = rows
        result = np.empty(len(rows), np.int64)
        asking, slots = np.arange(count, end), self._first_slots(rows)
        while len(asking):
            numbers = self._slots.take(slots)
            result[asking - count] = numbers  # those that ask again are written again
            others = self._differ(numbers, asking)
            asking, slots = asking.take(others), self._following(slots.take(others))
        return result

    def _differ(self, numbers: Indices, others: Indices) -> Indices:
        """The places at which the rows with these numbers differ."""
        unequal = self._rows.take(numbers, axis=0) != self._rows.take(others, axis=0)
        differ = unequal[:, 0].copy()
        for word in range(1, self.words):  # a reduction along rows that are so short takes twice as long
            differ |= unequal[:, word]
        return np.flatnonzero(differ)

    def _first_slots(self, rows: Rows) -> Indices:
        shift = np.uint64(64 - (len(self._slots) - 1).bit_length())
        return (hashes_of(rows) >> shift).astype(np.int64)

    def _following(self, slots: Indices) -> Indices:
        return (slots + 1) & (len(self._slots) - 1)

    def _make_room(self, coming: int) -> None:
        """Make room for this number of further states."""
        needed = self._count + coming
        if needed > len(self._rows):
            self._lengthen(needed)
        if slots_for(needed) > len(self._slots):
            self._slots = np.full(slots_for(needed), _FREE, np.int64)
            self._fill_slots()

    def _lengthen(self, needed: int) -> None:
        capacity = int(needed * _GROWTH)
        self._rows = _longer(self._rows, self._count, capacity)
        self._predecessors = _longer(self._predecessors, self._count, capacity)

    def _fill_slots(self) -> None:
        """Puts the states into slots; all of them differ."""
        numbers, slots = np.arange(self._count), self._first_slots(self._rows[: self._count])
        while len(numbers):
            free = np.flatnonzero(self._slots.take(slots) == _FREE)
            self._slots[slots.take(free)] = numbers.take(free)
            left = np.flatnonzero(self._slots.take(slots) != numbers)
            numbers, slots = numbers.take(left), self._following(slots.take(left))


def slots_for(states: int) -> int:
    """The least power of two that gives each state its slots."""
    return 1 << (_SLOTS_PER_STATE * states - 1).bit_length()


def _longer(column: NDArray[Any], count: int, capacity: int) -> NDArray[Any]:
    longer = np.empty((capacity, *column.shape[1:]), column.dtype)
    longer[:count] = column[:count]
    return longer
