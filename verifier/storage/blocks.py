"""Blocks: columns of 64-bit words in files that are written once.

A block is written under another name and gets its own when it is complete. Its users keep its length and its
checksum, so that a truncated or damaged file is noticed, and never read as fewer states.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing import Self

Column = NDArray[np.uint64]
"""One word of each state: shape (states,)."""
WORD_BYTES = 8
DRAFT = ".draft"
"""The suffix of the name of an incomplete file."""


class Damaged(Exception):
    """A file does not hold the block that was written. The text names it."""


@dataclass(frozen=True)
class Block:
    """A file of columns, one after the other."""

    name: str
    """The name of the file, within the folder."""
    columns: int
    count: int
    """Words of each column."""
    checksum: int

    def whole(self) -> Slice:
        """All of it."""
        return Slice(self, 0, self.count)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.columns * self.count * WORD_BYTES


@dataclass(frozen=True)
class Slice:
    """A part of each column of a block."""

    block: Block
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def part(self, start: int, end: int) -> Slice:
        """A part of this part."""
        return Slice(self.block, self.start + start, self.start + end)

    def as_list(self) -> list[Any]:
        """Return it for a manifest."""
        block = self.block
        return [block.name, block.columns, block.count, block.checksum, self.start, self.end]


def read_slice(content: Sequence[Any]) -> Slice:
    """Read a part of a block from a manifest. Raises ValueError or TypeError for other data."""
    name, columns, count, checksum, start, end = content
    if not isinstance(name, str) or os.sep in name or name.startswith("."):
        raise ValueError(f"{name!r} is not a name of a block")
    numbers = (columns, count, checksum, start, end)
    if not all(type(number) is int and number >= 0 for number in numbers) or not start <= end <= count:
        raise ValueError(f"{name} has no such part")
    return Slice(Block(name, columns, count, checksum), start, end)


class Shelf:
    """The folder that blocks are in."""

    def __init__(self, folder: Path, *, lasting: bool = True) -> None:
        """``lasting``: whether blocks are read by a later exploration, and so need checksums."""
        self.folder, self.lasting = folder, lasting
        self._prefix = os.path.join(folder, "")  # paths as objects take longer than small parts of files
        self._ends: dict[Slice, tuple[int, int]] = {}

    def write(self, name: str, columns: Sequence[Column], *, lasting: bool = True) -> Block:
        """Writes a block. Raises OSError; then there is none. One that no checkpoint names need not last:
        it has no checksum."""
        with BlockWriter(self, name, len(columns), len(columns[0]), lasting=lasting) as writer:
            writer.append(columns)
            return writer.finish()

    def read(self, part: Slice, column: int) -> Column:
        """A column of a part. Raises Damaged."""
        values = np.empty(len(part), np.uint64)
        with self._open(part.block) as file:
            self._read(file, part, column, values)
        return values

    def read_into(self, part: Slice, targets: Sequence[Column]) -> None:
        """Reads a part of a block of one column, divided among arrays. Raises Damaged."""
        with self._open(part.block) as file:
            start = part.start
            for target in targets:
                self._read(file, Slice(part.block, start, part.end), 0, target)
                start += len(target)

    def read_columns(self, part: Slice, targets: Sequence[Column]) -> None:
        """Read a part of each column into an array. Raises Damaged."""
        with self._open(part.block) as file:
            for column, target in enumerate(targets):
                self._read(file, part, column, target)

    def map_file(self, part: Slice, column: int) -> Column:
        """Map the file instead of reading it, for few accesses."""
        block = part.block
        if not len(part):
            return np.empty(0, np.uint64)
        start = (column * block.count + part.start) * WORD_BYTES
        with self._open(block) as file:  # numpy.memmap takes more than twice as long
            content = mmap(file.fileno(), 0, access=ACCESS_READ)
        return np.frombuffer(content, np.uint64, len(part), start)

    def map_columns(self, part: Slice) -> NDArray[np.uint64]:
        """Map a part of all columns, as rows of a matrix."""
        block = part.block
        if not len(part):
            return np.empty((block.columns, 0), np.uint64)
        whole = self.map_file(Slice(block, 0, block.columns * block.count), 0)
        return whole.reshape(block.columns, block.count)[:, part.start : part.end]

    def ends(self, part: Slice) -> tuple[int, int]:
        """The first and last value of the first column of a part that is not empty. They are read once."""
        if (known := self._ends.get(part)) is None:
            values = self.map_file(part, 0)
            known = self._ends[part] = int(values[0]), int(values[-1])
        return known

    def narrow(self, part: Slice, low: int, high: int, column: int = 0) -> Slice:
        """The part whose values of an ascending column are from ``low`` to below ``high``."""
        values = self.map_file(part, column)
        start = int(np.searchsorted(values, np.uint64(low))) if low else 0
        end = int(np.searchsorted(values, np.uint64(high))) if high < 1 << 64 else len(part)
        return part.part(start, end)

    def check(self, block: Block) -> None:
        """Raise Damaged unless the file holds the written content."""
        self._open(block).close()
        checksum = 0
        for column in range(block.columns):
            part = 0
            for start in range(0, block.count, _AT_ONCE):
                some = self.read(Slice(block, start, min(block.count, start + _AT_ONCE)), column)
                part = zlib.crc32(some.data, part)
            checksum = _join_checksums(checksum, part)
        if checksum != block.checksum:
            raise Damaged(f"{self.folder / block.name} is damaged")

    def _open(self, block: Block) -> FileIO:
        """The file, if it has the size of the block."""
        path = self._prefix + block.name
        try:
            file = FileIO(path)
        except FileNotFoundError:
            raise Damaged(f"{path} is missing") from None
        size = os.fstat(file.fileno()).st_size
        if size != block.size:
            file.close()
            raise Damaged(f"{path} has {size} bytes and not {block.size}")
        return file

    def _read(self, file: FileIO, part: Slice, column: int, target: Column) -> None:
        """Fill an array with words of a column, from the beginning of a part on."""
        if not len(target):
            return
        place = (column * part.block.count + part.start) * WORD_BYTES
        data = target.data.cast("B")
        while data:
            count = os.preadv(file.fileno(), [data], place)
            if not count:
                raise Damaged(f"{self._prefix}{part.block.name} is shorter than it was written")
            data, place = data[count:], place + count


_AT_ONCE = 1 << 20


class BlockWriter:
    """Writes a block piece by piece. Use it as a context: a block without `finish` is removed."""

    def __init__(self, shelf: Shelf, name: str, columns: int, count: int, *, lasting: bool = True) -> None:
        self._target = shelf.folder / name
        self._draft = self._target.with_name(f".{self._target.name}.{os.urandom(6).hex()}{DRAFT}")
        self._block = (name, columns, count)
        self._checked, self._checksums = lasting and shelf.lasting, [0] * columns
        self._written = 0
        self._file = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file >= 0:
            os.close(self._file)
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)

    def append(self, columns: Sequence[Column]) -> None:
        """Writes further words of each column. Raises OSError."""
        count = self._block[2]
        for number, column in enumerate(columns):
            data = np.ascontiguousarray(column).data.cast("B")
            if self._checked:
                self._checksums[number] = zlib.crc32(data, self._checksums[number])
            place = (number * count + self._written) * WORD_BYTES
            while data:
                some = os.pwrite(self._file, data, place)
                if not some:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                data, place = data[some:], place + some
        self._written += len(columns[0])

    def finish(self) -> Block:
        """The block, now that it is whole. Raises OSError."""
        name, columns, count = self._block
        assert self._written == count
        file, self._file = self._file, -1
        try:
            os.close(file)  # where a network has the file, what went wrong before is said here
            self._draft.replace(self._target)
        except BaseException:
            with suppress(OSError):
                self._draft.unlink(missing_ok=True)
            raise
        checksum = 0
        for part in self._checksums:
            checksum = _join_checksums(checksum, part)
        return Block(name, columns, count, checksum)


def _join_checksums(one: int, other: int) -> int:
    return zlib.crc32(other.to_bytes(4, "little"), one)
