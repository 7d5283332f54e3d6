"""The states of a search in files.

Values have numbers. A block has the bytes of new values (``coding``), one after the other. Another block has
a row for each state: the numbers of its values, and the number of its predecessor plus one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.storage.blocks import Block, Column, Shelf, Slice, read_slice
from verifier.storage.distinct import distinct
from verifier.tla.coding import Code, Coding
from verifier.tla.exploration_result import State
from verifier.tla.value_types import Value

Numbers = NDArray[np.int64]
_NUMBER = np.dtype("<u4")
_NUMBERS_IN_A_WORD, _BYTES_IN_A_WORD = 2, 8
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Part:
    """The states of one or more levels, in the order of the search."""

    rows: Block
    states: int
    values: Block
    new_values: int
    """The number of values that earlier parts lack."""

    @property
    def blocks(self) -> tuple[Block, Block]:
        """Return the two files."""
        return self.rows, self.values

    def as_list(self) -> list[Any]:
        """Return it for a manifest."""
        return [self.rows.whole().as_list(), self.states, self.values.whole().as_list(), self.new_values]


def read_part(content: Sequence[Any]) -> Part:
    """Read a part from a manifest. Raises ValueError or TypeError for other data."""
    rows, states, values, new_values = content
    if not all(type(count) is int and count >= 0 for count in (states, new_values)):
        raise ValueError("a part has no count of states")
    return Part(read_slice(rows).block, states, read_slice(values).block, new_values)


class Translation:
    """The numbers in files of values that a search numbers in its own way."""

    def __init__(self, encode: Callable[[int], Code]) -> None:
        """``encode`` returns the bytes of a value by the search's own number."""
        self._encode = encode
        self._numbers = np.zeros(0, np.int64)

    def translate(self, own: Numbers, first: int, codes: list[Code]) -> Numbers:
        """Return the numbers in files. New values get the next numbers after ``first`` and ``codes``, to
        which their bytes are added. Raises Uncodable."""
        most = int(own.max(initial=-1)) + 1
        if most > len(self._numbers):
            more = np.full(2 * most - len(self._numbers), -1, np.int64)
            self._numbers = np.concatenate([self._numbers, more])
        new = distinct(own[self._numbers[own] < 0])
        made = [self._encode(number) for number in new.tolist()]
        self._numbers[new] = np.arange(len(made)) + first + len(codes)
        codes += made
        return self._numbers[own]


@dataclass(frozen=True)
class Source:
    """States of a search, and the translation of each variable's numbers."""

    columns: Sequence[Numbers]
    parents: Numbers
    translations: Sequence[Translation]


class StateFiles:
    """The blocks of the states of a search."""

    def __init__(self, shelf: Shelf, run: str, coding: Coding) -> None:
        """``run`` begins the names of blocks."""
        self.shelf, self.run, self.coding = shelf, run, coding
        self.parts: list[Part] = []
        self._made = 0

    @property
    def state_count(self) -> int:
        """Return the number of states in files."""
        return sum(part.states for part in self.parts)

    @property
    def value_count(self) -> int:
        """Return the number of values in files."""
        return sum(part.new_values for part in self.parts)

    def append(self, source: Source) -> None:
        """Write the next states. Raises OSError and Uncodable."""
        first, codes = self.value_count, list[Code]()
        pairs = zip(source.columns, source.translations, strict=True)
        columns = [own.translate(column, first, codes) for column, own in pairs]
        rows = np.stack([*columns, source.parents + 1], axis=1).astype(_NUMBER)
        states, values = len(rows), b"".join(codes)
        self._made += 1
        name = f"{self.run}{self._made:06}"
        part = Part(
            self.shelf.write(f"{name}.rows", [_as_words(rows.tobytes())]),
            states,
            self.shelf.write(f"{name}.values", [_as_words(values)]),
            len(codes),
        )
        self.parts.append(part)

    def read_states(self, variables: int) -> Iterator[tuple[State, int]]:
        """Yield the states, each with the number of its predecessor. Raises OSError, Damaged, and ValueError
        or IndexError for other data."""
        values: list[Value] = []
        for part in self.parts:
            whole = part.values.whole()
            values += self.coding.decode_several(self.shelf.read(whole, 0).tobytes(), part.new_values)
            for first in range(0, part.states, _ROWS_AT_ONCE):
                rows = self._read_rows(part, variables, first, min(part.states, first + _ROWS_AT_ONCE))
                for *numbers, parent in rows.tolist():
                    yield tuple([values[number] for number in numbers]), parent - 1

    def _read_rows(self, part: Part, variables: int, first: int, end: int) -> NDArray[np.uint32]:
        width = variables + 1
        start = first * width // _NUMBERS_IN_A_WORD
        until = -(-end * width // _NUMBERS_IN_A_WORD)
        numbers = self.shelf.read(Slice(part.rows, start, until), 0).view(_NUMBER)
        skipped = first * width - start * _NUMBERS_IN_A_WORD
        return numbers[skipped : skipped + (end - first) * width].reshape(end - first, width)


def _as_words(data: bytes) -> Column:
    return np.frombuffer(data + bytes(-len(data) % _BYTES_IN_A_WORD), np.uint64)
