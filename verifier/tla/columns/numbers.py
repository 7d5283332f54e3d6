"""Values as numbers, and numbers of several columns as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.tla.values import Value, listed

Column = npt.NDArray[np.int64]

_MOST_BITS = 62
_BITS_OF_A_CLASS = 31
_FEWEST_BITS, _SPARE_BITS = 3, 2
_FEWEST_SLOT_BITS, _SLOTS_PER_NUMBER = 4, 4
_SPREADING = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 divided by the golden ratio: keys multiplied by it differ in their first bits."""


class Unsuited(Exception):
    """What columns cannot explore: the interpreter does."""


class Numbers:
    """The values of one variable or bound name, each with a number. Equal values have one."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def of(self, value: Value) -> int:
        """The number of a value."""
        value = listed(value)
        found = self._numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def __len__(self) -> int:
        return len(self.values)


class Classes:
    """Numbers for keys, in the order in which they are first asked for.

    A key is looked up in the slot that its hash says. A slot has one number; further keys of a slot that is
    taken are kept apart, in order. Whole keys decide, so hashes that are equal cost time and no more.
    """

    def __init__(self) -> None:
        self._count = 0
        self._keys = np.zeros(0, np.int64)
        """The key of each number; there is room for more."""
        self._crowded, self._crowded_numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._spread(_FEWEST_SLOT_BITS)

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Column:
        """The key of each number."""
        return self._keys[: self._count]

    def _spread(self, bits: int) -> None:
        """Makes so many slots, without any number."""
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, -1, np.int32)
        self._crowded, self._crowded_numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def _places(self, keys: Column) -> npt.NDArray[np.uint64]:
        return (keys.view(np.uint64) * _SPREADING) >> self._shift

    def find(self, keys: Column) -> tuple[Column, Column]:
        """The number of each key; and where those stand that were not known, which get the next numbers."""
        numbers = self.known(keys)
        missing = np.flatnonzero(numbers < 0)
        if not len(missing):
            return numbers, missing
        different, firsts, inverse = np.unique(keys[missing], return_index=True, return_inverse=True)
        made = np.empty(len(different), np.int64)
        order = np.argsort(firsts)
        made[order] = np.arange(len(self), len(self) + len(different))
        numbers[missing] = made[inverse.reshape(-1)]
        self.add(different[order])
        return numbers, missing[firsts[order]]

    def known(self, keys: Column) -> Column:
        """The number of each key, or -1."""
        if not self._count:
            return np.full(len(keys), -1, np.int64)
        found = self._slots[self._places(keys)].astype(np.int64)
        other = np.flatnonzero((found >= 0) & (self._keys[found] != keys))
        if len(other):
            found[other] = self._apart(keys[other])
        return found

    def _apart(self, keys: Column) -> Column:
        """The same of keys whose slots have the number of another key."""
        if not len(self._crowded):
            return np.full(len(keys), -1, np.int64)
        places = np.minimum(np.searchsorted(self._crowded, keys), len(self._crowded) - 1)
        return np.where(self._crowded[places] == keys, self._crowded_numbers[places], -1)

    def add(self, keys: Column) -> None:
        """Gives the next numbers to keys that are not known, all different."""
        first, self._count = self._count, self._count + len(keys)
        if self._count > len(self._keys):
            room = np.zeros(2 * self._count, np.int64)
            room[:first] = self._keys[:first]
            self._keys = room
        self._keys[first : self._count] = keys
        if self._count * _SLOTS_PER_NUMBER > len(self._slots):
            self._spread((self._count * 2 * _SLOTS_PER_NUMBER).bit_length())
            first = 0
        self._fill(np.arange(first, self._count))

    def _fill(self, numbers: Column) -> None:
        """Puts numbers into their slots."""
        keys = self._keys[numbers]
        places = self._places(keys)
        free = self._slots[places] < 0
        self._slots[places[free]] = numbers[free]
        crowded = self._slots[places] != numbers
        if crowded.any():
            more = keys[crowded]
            order = np.argsort(more)
            where = np.searchsorted(self._crowded, more[order])
            self._crowded = np.insert(self._crowded, where, more[order])
            self._crowded_numbers = np.insert(self._crowded_numbers, where, numbers[crowded][order])


class Packed:
    """The numbers of several columns as one key each: different numbers have different keys."""

    def __init__(self, columns: Sequence[Numbers]) -> None:
        self.columns = columns
        self._fit()

    def _fit(self) -> None:
        """Room for all numbers there are, and for some more. Earlier keys mean nothing afterwards."""
        self.widths = [max(len(one).bit_length() + _SPARE_BITS, _FEWEST_BITS) for one in self.columns]
        self._classes: dict[int, Classes] = {}
        self.bits = sum(self.widths)

    def outgrown(self) -> bool:
        """Whether there are more numbers than there is room for; then there is, and keys are new ones."""
        if all(len(one) < 1 << width for one, width in zip(self.columns, self.widths, strict=True)):
            return False
        self._fit()
        return True

    def keys(self, numbers: Sequence[Column], count: int) -> Column:
        """The keys of so many rows, each of which is -1 or a number in each column."""
        if not numbers:
            return np.zeros(count, np.int64)
        found, used = numbers[0] + 1, self.widths[0]
        for place, (one, width) in enumerate(zip(numbers[1:], self.widths[1:], strict=True)):
            if used + width > _MOST_BITS:
                found, _ = self._classes.setdefault(place, Classes()).find(found)
                used = _BITS_OF_A_CLASS
                if used + width > _MOST_BITS:
                    raise Unsuited("a variable has too many values")
            found = (found << width) | (one + 1)
            used += width
        return found


class Grown:
    """Numbers that are appended one by one and read as an array."""

    def __init__(self) -> None:
        self._made, self._more = np.zeros(0, np.int64), list[int]()

    def append(self, number: int) -> None:
        """One more."""
        self._more.append(number)

    def extend(self, numbers: Any) -> None:
        """Several more."""
        self._more.extend(numbers)

    def __len__(self) -> int:
        return len(self._made) + len(self._more)

    @property
    def array(self) -> Column:
        """All of them."""
        if self._more:
            self._made = np.concatenate([self._made, np.array(self._more, np.int64)])
            self._more = []
        return self._made
