"""Evaluation, successors and new states by the compiled library, for a search within memory.

The order of states is that of ``Transitions``: by chunk, then by move, then by predecessor.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.compiled import Code
from verifier.explicit.moves import Look, Successors, Transitions
from verifier.explicit.packing import WORD, Rows, lanes
from verifier.explicit.table import Indices, StateTable, slots_for
from verifier.kernels.library import LANES, Collected, Library, Steps, Table
from verifier.kernels.library import Look as Evaluated

_WORD_BYTES = 8
_SUCCESSORS_AT_ONCE = 1 << 18
"""The most that are made at once, and then taken by parts."""
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""MAP_NORESERVE, which ``mmap`` does not name."""
_OPERATIONS = {"&": 0, "|": 1, "^": 2, "~": 3, "?": 4}


class FusedTable(StateTable):
    """A table that takes over the states of another. Its slots are the library's.

    It reserves addresses for as many states as memory may hold. Pages come as they are written, so nothing is
    copied as it grows. Where addresses are limited it grows as other tables do.
    """

    def __init__(self, table: StateTable, library: Library, memory: int) -> None:
        """``memory``: the bytes that the process may take."""
        super().__init__(table.words)
        self._library, count = library, len(table)
        row_bytes = _WORD_BYTES * (self.words + 1)
        most = max(memory // row_bytes, count)
        rows, predecessors = _reserve(most * self.words), _reserve(most)
        if rows is None or predecessors is None:
            most = count
            rows, predecessors = np.empty(most * self.words, np.uint64), np.empty(most, np.uint64)
        self._rows, self._predecessors = rows.reshape(most, self.words), predecessors.view(np.int64)
        self._rows[:count] = table.rows(0, count)
        self._predecessors[:count] = table.predecessors(0, count)
        self._count = count
        self._slots = np.empty(slots_for(count), np.int64)
        self._fill_slots()

    def insert(self, rows: Rows, predecessors: Indices) -> Indices:
        """Adds the states that are new, and returns their places among ``rows``, ascending."""
        numbers, count = self._library.insert(self.make_room(len(rows)), rows, predecessors)
        arrived = np.flatnonzero(numbers >= self._count)
        highest = np.maximum.accumulate(numbers[arrived])  # new states have numbers in their order
        first = np.diff(highest, prepend=self._count - 1) > 0
        self._count = count
        return arrived[first]

    def find(self, rows: Rows) -> Indices:
        """The numbers of states that are in the table."""
        return self._library.find(self._arrays(), rows)

    def growth(self, coming: int) -> int:
        """The most bytes that the table takes for this number of further states."""
        needed = self._count + coming
        if needed > len(self._rows):
            return super().growth(coming)
        more = coming * _WORD_BYTES * (self.words + 1)
        return more + (slots_for(needed) * _WORD_BYTES if slots_for(needed) > len(self._slots) else 0)

    def make_room(self, coming: int) -> Table:
        """Make room for this number of further states."""
        needed = self._count + coming
        if needed > len(self._rows):
            self._lengthen(needed)
        if slots_for(needed) > len(self._slots):
            self._slots = np.empty(slots_for(needed), np.int64)
            self._fill_slots()
        return self._arrays()

    def take(self, count: int) -> None:
        """Say how many states there are now."""
        self._count = count

    def _arrays(self) -> Table:
        return Table(self._rows, self._predecessors, self._slots.view(np.uint64), self._count)

    def _fill_slots(self) -> None:
        self._library.fill(self._arrays())


def _reserve(words: int) -> NDArray[np.uint64] | None:
    """Memory that the system gives as it is written; None if it has not as many addresses."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    try:
        space = mmap.mmap(-1, max(1, words) * _WORD_BYTES, flags)
    except (OSError, ValueError, OverflowError, MemoryError):
        return None
    with suppress(OSError, AttributeError):  # not on Linux
        space.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(space, np.uint64, words)


class FusedLooks:
    """Evaluates as ``Transitions`` does, by the library."""

    def __init__(self, transitions: Transitions, library: Library) -> None:
        self.library = library
        self.steps = _encode(transitions)
        self._names = transitions.names
        width = transitions.chunk() // WORD
        self._registers = np.zeros(self.steps.registers * LANES, np.uint64)
        self._masks = np.empty(len(self.steps.masks) * width, np.uint64)
        self.values = np.empty(max(1, len(self.steps.values)) * width, np.uint64)
        """The computed bits of moves in the states of the last look."""
        self._collected: Collected | None = None

    def collected(self, room: int) -> Collected:
        """An empty collection with room for so many states. The last one asked for is kept, since new memory
        costs time."""
        if self._collected is None or len(self._collected.rows) != room:
            self._collected = None
            rows = np.empty((room, self.steps.words + 1), np.uint64)
            self._collected = Collected(rows, np.empty(1 << (2 * room - 1).bit_length(), np.uint64))
        self._collected.clear()
        return self._collected

    def look(self, rows: Rows) -> Look:
        """Evaluate properties, constraint and guards on states, as ``Transitions.look``; not more than a
        chunk. It holds until the next one."""
        real = lanes(len(rows))
        masks = self._masks[: len(self.steps.masks) * len(real)].reshape(-1, len(real))
        self.library.evaluate(self.steps, rows, self._registers, masks, self.values)
        first = 2 + len(self._names)
        masks[first:] &= real
        return Look(
            rows=rows,
            values=masks,
            failing={name: ~holds & real for name, holds in zip(self._names, masks[2:first], strict=True)},
            within=masks[0] & real,
            deadlocked=~masks[1] & real,
            enabled=masks[first:],
        )

    def successors(self, look: Look) -> Iterator[Successors]:
        """The successors of the states of the last look, as ``Transitions.successors``."""
        evaluated = Evaluated(look.rows, look.enabled, self.values)
        for moves, _ in self.portions(look, _SUCCESSORS_AT_ONCE):
            rows, sources = self.library.succeed(self.steps, evaluated, moves)
            counts = np.bitwise_count(look.enabled[moves.start : moves.stop]).sum(axis=1, dtype=np.int64)
            ends = np.cumsum(counts)
            for move in np.flatnonzero(counts).tolist():
                part = slice(int(ends[move] - counts[move]), int(ends[move]))
                yield Successors(moves.start + move, sources[part], rows[part])

    def portions(self, look: Look, most: int) -> Iterator[tuple[range, int]]:
        """The moves that are enabled in some states, in ranges that end at ``most`` successors, and how many
        each range has."""
        counts = np.bitwise_count(look.enabled).sum(axis=1, dtype=np.int64).tolist()
        start = total = 0
        for move, count in enumerate(counts):
            total += count
            if total >= most:
                yield range(start, move + 1), total
                start, total = move + 1, 0
        if total:
            yield range(start, len(counts)), total


class FusedSteps(FusedLooks):
    """Evaluates and expands by the library; has the table of the states found."""

    def __init__(self, transitions: Transitions, table: StateTable, library: Library, memory: int) -> None:
        """Takes over the states of a table. ``memory``: the bytes that the process may take."""
        super().__init__(transitions, library)
        self.table = FusedTable(table, library, memory)

    def expand(self, look: Look, first: int, moves: range, coming: int) -> NDArray[np.int64]:
        """Add the new states after some moves from the states of the last look, which begin at ``first`` in
        the table. Returns how many each move found. ``coming``: how many successors there are."""
        found = np.zeros(len(self.steps.kept), np.int64)
        arrays = self.table.make_room(coming)
        count = self.library.expand(self.steps, arrays, first, look.values, self.values, moves, found)
        self.table.take(count)
        return found


def _encode(transitions: Transitions) -> Steps:
    code, words, updates = transitions.compiled.code, transitions.words, transitions.updates
    registers = [place_of(code, words, output) for output in code.outputs]
    statements = encode_statements(code, words)
    outputs, positions, starts = list[int](), list[int](), [0]
    for update in updates:
        for word in range(words):
            for target, computed, places in update.computed:
                if target == word:
                    outputs += range(computed.start, computed.stop)
                    positions += places[:, 0].tolist()
            starts.append(len(outputs))
    return Steps(
        words=words,
        statements=statements,
        registers=place_of(code, words, code.registers),
        masks=np.array(registers[: 2 + len(transitions.names) + len(updates)], np.int32),
        values=np.array([registers[output] for output in outputs], np.int32),
        starts=np.array(starts, np.int64),
        positions=np.array(positions, np.uint64),
        kept=np.array([update.kept for update in updates], np.uint64).reshape(-1, words),
        ones=np.array([update.ones for update in updates], np.uint64).reshape(-1, words),
    )


def encode_statements(code: Code, words: int) -> NDArray[np.int32]:
    """The statements as the library reads them, a row for each."""
    statements = [_encode_statement(code, words, *statement) for statement in code.statements]
    return np.array(statements, np.int32).reshape(-1, 5)


def _encode_statement(code: Code, words: int, target: int, name: str, parts: tuple[int, ...]) -> list[int]:
    places = [place_of(code, words, register) for register in (target, *parts)]
    return [_OPERATIONS[name], *places, *places[-1:] * (4 - len(places))]


def place_of(code: Code, words: int, register: int) -> int:
    """The library's number of a register: it has registers for all bits of the words of a state."""
    return register if register < 2 + code.inputs else register - code.inputs + words * WORD
