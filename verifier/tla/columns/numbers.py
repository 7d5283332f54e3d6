"""Values as numbers, and numbers of several columns as one key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.value_types import Value
from verifier.tla.values import materialize

Column = npt.NDArray[np.int64]
"""The number of a value for each row: shape (rows,)."""

_MOST_BITS = 62
_BITS_OF_A_CLASS = 31
_FEWEST_BITS, _SPARE_BITS = 3, 2
_FEWEST_SLOT_BITS, _SLOTS_PER_NUMBER = 4, 4
_SPREADING = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 divided by the golden ratio: keys multiplied by it differ in their first bits."""


class Numbers:
    """The numbered values of one variable or bound name. Equal values have one number."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def of(self, value: Value) -> int:
        """Return the number of a value."""
        value = materialize(value)
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def __len__(self) -> int:
        return len(self.values)


class Classes:
    """Numbers for keys, in the order in which they are first looked up.

    The hash of a key decides its slot. A slot has one number. Further keys of an occupied slot are kept in a
    sorted array. Whole keys are compared, so equal hashes only cost time.
    """

    def __init__(self) -> None:
        self._count = 0
        self._keys = np.zeros(0, np.int64)
        """The key of each number, with spare room."""
        self._crowded, self._crowded_numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._spread(_FEWEST_SLOT_BITS)

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Column:
        """Return the key of each number."""
        return self._keys[: self._count]

    def _spread(self, bits: int) -> None:
        """Make new slots, without any number."""
        self._shift = np.uint64(64 - bits)
        self._slots = np.full(1 << bits, -1, np.int32)
        self._crowded, self._crowded_numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)

    def _places(self, keys: Column) -> npt.NDArray[np.uint64]:
        return (keys.view(np.uint64) * _SPREADING) >> self._shift

    def find(self, keys: Column) -> tuple[Column, Column]:
        """Return the number of each key, and the positions of new keys, which get the next numbers."""
        numbers = self.find_numbers(keys)
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

    def find_numbers(self, keys: Column) -> Column:
        """Return the number of each key, or -1."""
        if not self._count:
            return np.full(len(keys), -1, np.int64)
        numbers = self._slots[self._places(keys)].astype(np.int64)
        other = np.flatnonzero((numbers >= 0) & (self._keys[numbers] != keys))
        if len(other):
            numbers[other] = self._apart(keys[other])
        return numbers

    def _apart(self, keys: Column) -> Column:
        """Return the number, or -1, of keys whose slots have the number of another key."""
        if not len(self._crowded):
            return np.full(len(keys), -1, np.int64)
        places = np.minimum(np.searchsorted(self._crowded, keys), len(self._crowded) - 1)
        return np.where(self._crowded[places] == keys, self._crowded_numbers[places], -1)

    def add(self, keys: Column) -> None:
        """Give the next numbers to new keys, all different."""
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
        """Store numbers in their slots."""
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
    """The numbers of several columns as one key. Different numbers have different keys."""

    def __init__(self, columns: Sequence[Numbers]) -> None:
        self.columns = columns
        self._fit()

    def _fit(self) -> None:
        """Make room for all current numbers, and for some more. Earlier keys become invalid."""
        self.widths = [max(len(one).bit_length() + _SPARE_BITS, _FEWEST_BITS) for one in self.columns]
        self._classes: dict[int, Classes] = {}
        self.bits = sum(self.widths)

    def outgrown(self) -> bool:
        """True if there were more numbers than room. Then room is made, and keys are new."""
        if all(len(one) < 1 << width for one, width in zip(self.columns, self.widths, strict=True)):
            return False
        self._fit()
        return True

    def keys(self, numbers: Sequence[Column], count: int) -> Column:
        """Return the keys of rows. Each row has -1 or a number in each column."""
        if not numbers:
            return np.zeros(count, np.int64)
        keys, used = numbers[0] + 1, self.widths[0]
        for place, (one, width) in enumerate(zip(numbers[1:], self.widths[1:], strict=True)):
            if used + width > _MOST_BITS:
                keys, _ = self._classes.setdefault(place, Classes()).find(keys)
                used = _BITS_OF_A_CLASS
                if used + width > _MOST_BITS:
                    raise Unsuited("a variable has too many values")
            keys = (keys << width) | (one + 1)
            used += width
        return keys


class Grown:
    """Numbers that are appended one by one and read as an array."""

    def __init__(self) -> None:
        self._made, self._more = np.zeros(0, np.int64), list[int]()

    def append(self, number: int) -> None:
        """Append a number."""
        self._more.append(number)

    def extend(self, numbers: Any) -> None:
        """Append several numbers."""
        self._more.extend(numbers)

    def __len__(self) -> int:
        return len(self._made) + len(self._more)

    @property
    def array(self) -> Column:
        """Return all numbers."""
        if self._more:
            self._made = np.concatenate([self._made, np.array(self._more, np.int64)])
            self._more = []
        return self._made
