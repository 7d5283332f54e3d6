"""Byte strings in a temporary file, each with a number, and an index in memory that finds them.

The index has eight bytes for each slot: a part of a hash, and a number. The hash only chooses candidates: the
whole string is read and compared, so no two strings are taken for one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from verifier.tla.files.temporary_file import TemporaryFile

_FEWEST_SLOTS = 1 << 12
_MOST_FULL = 0.7
"""The share of slots that are used, from which on the index grows."""
_WRITTEN_AT_ONCE, _READ_AT_ONCE = 1 << 20, 1 << 12
_TAG_SHIFT, _TAG_BITS = 32, 0xFFFF_FFFF_0000_0000
_NUMBER_BITS = 0xFFFF_FFFF


class ByteTable:
    """Different byte strings, numbered in the order in which they are added. Its methods raise Interrupted if
    the file cannot be written or read."""

    def __init__(self, width: int | None = None) -> None:
        """``width``: the length of each string; None if lengths differ."""
        self._width, self._count = width, 0
        self._starts = array("q", [0])
        """The place of each string, if lengths differ, and the end."""
        self._file, self._tail = TemporaryFile(), bytearray()
        """The bytes in the file, and those that follow."""
        self._slots = array("Q", bytes(8 * _FEWEST_SLOTS))

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """Return the bytes of all strings."""
        return self._file.size + len(self._tail)

    def _place(self, number: int) -> tuple[int, int]:
        if self._width is not None:
            return number * self._width, (number + 1) * self._width
        return self._starts[number], self._starts[number + 1]

    def read(self, number: int) -> bytes:
        """Return the string with a number."""
        start, end = self._place(number)
        if start >= self._file.size:
            return bytes(self._tail[start - self._file.size : end - self._file.size])
        return self._file.read(start, end)

    def find(self, content: bytes) -> int | None:
        """Return the number of a string; None for a new one."""
        slots, code = self._slots, hash(content)
        mask, tag = len(slots) - 1, code & _TAG_BITS
        place = code & mask
        while slot := slots[place]:
            if slot & _TAG_BITS == tag and self.read((slot & _NUMBER_BITS) - 1) == content:
                return (slot & _NUMBER_BITS) - 1
            place = (place + 1) & mask
        return None

    def add(self, content: bytes) -> int:
        """Add a string that ``find`` did not find. Return its number."""
        number = self._count
        self._count += 1
        self._tail += content
        if self._width is None:
            self._starts.append(self._starts[-1] + len(content))
        if len(self._tail) >= _WRITTEN_AT_ONCE:
            self._file.append(self._tail)
            self._tail = bytearray()
        if self._count > _MOST_FULL * len(self._slots):
            self._grow()
        else:
            self._put(content, number)
        return number

    def _put(self, content: bytes, number: int) -> None:
        slots, code = self._slots, hash(content)
        mask = len(slots) - 1
        place = code & mask
        while slots[place]:
            place = (place + 1) & mask
        slots[place] = code & _TAG_BITS | (number + 1)

    def _grow(self) -> None:
        self._slots = array("Q", bytes(8 * 2 * len(self._slots)))
        for number, content in enumerate(self.read_all()):
            self._put(content, number)

    def read_all(self, first: int = 0) -> Iterator[bytes]:
        """Yield the strings from one on."""
        for low in range(first, self._count, _READ_AT_ONCE):
            high = min(self._count, low + _READ_AT_ONCE)
            start, end = self._place(low)[0], self._place(high - 1)[1]
            inside = min(max(start, self._file.size), end)
            content = self._file.read(start, inside) if inside > start else b""
            content += self._tail[inside - self._file.size : end - self._file.size] if end > inside else b""
            for number in range(low, high):
                one, other = self._place(number)
                yield content[one - start : other - start]
