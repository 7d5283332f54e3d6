"""The functions of the library, with the kinds of their arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.kernels.class_functions import LANES, ClassFunctions

__all__ = ["BATCH", "FREE", "LANES", "Collected", "Library", "Look", "Steps", "Table"]

VERSION = 3
BATCH = 128
"""As in the source: successors that are collected."""
MOST_STATES = 1 << 40
"""A slot has no more bits for a state's number."""
FREE = ~np.uint64(0)
"""In a slot without a state."""
MOST_COLLECTED = 1 << 31
"""More states are not collected, nor distinguished, at a time."""
_OVERFLOW = 1 << 12
"""Slots beyond the last. States with evenly spread first words need few of them."""

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_U64: Any = np.ctypeslib.ndpointer(np.uint64, flags="C_CONTIGUOUS")
_I64: Any = np.ctypeslib.ndpointer(np.int64, flags="C_CONTIGUOUS")
_I32: Any = np.ctypeslib.ndpointer(np.int32, flags="C_CONTIGUOUS")
_FLAGS: Any = np.ctypeslib.ndpointer(np.bool_, flags="C_CONTIGUOUS")
_INT, _UNSIGNED, _ADDRESS = ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p


@dataclass(frozen=True)
class Steps:
    """The terms to evaluate in states, and the moves, as the source describes them."""

    words: int
    """Of a state."""
    statements: NDArray[np.int32]
    registers: int
    masks: NDArray[np.int32]
    """Registers. The last ones are guards, one for each move."""
    values: NDArray[np.int32]
    """Registers with the computed bits of moves."""
    starts: Numbers
    positions: Words
    kept: Words
    ones: Words
    """A row for each move, as ``kept``."""


@dataclass(frozen=True)
class Look:
    """States that were evaluated, with a row of masks for the guard of each move, and the computed bits."""

    rows: Words
    guards: Words
    values: Words


@dataclass
class Table:
    """The arrays of a table of states."""

    rows: Words
    predecessors: Numbers
    slots: Words
    count: int

    @property
    def slot_bits(self) -> int:
        """Return the binary logarithm of the number of slots."""
        return (len(self.slots) - 1).bit_length()


@dataclass
class Collected:
    """States that differ, collected in an order: each row has the words of a state and its key."""

    rows: Words
    slots: Words
    """A power of two, more than the rows."""
    count: int = 0

    def clear(self) -> None:
        """Forget all."""
        self.count = 0
        self.slots[:] = FREE


class Library:
    """The functions. Sizes are checked here, since C does not."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        """Raises AttributeError if one is missing."""
        self._version = functions.kernel_version
        self._version.restype, self._version.argtypes = _INT, []
        self._evaluate = functions.kernel_evaluate
        self._evaluate.restype = None
        self._evaluate.argtypes = [_I32, _INT, _U64, _U64, _INT, _INT, _I32, _INT, _U64, _INT, _I32, _I64]
        self._evaluate.argtypes += [_INT, _U64]
        self._fill = functions.kernel_fill
        self._fill.restype, self._fill.argtypes = None, [_U64, _INT, _INT, _U64, _INT]
        self._expand = functions.kernel_expand
        self._expand.restype = _INT
        self._expand.argtypes = [_U64, _I64, _U64, _INT, _INT, _INT, _INT, _U64, _INT, _U64, _INT, _INT]
        self._expand.argtypes += [_U64, _U64, _I64, _U64, _I64, _U64]
        self._number = functions.kernel_number
        self._number.restype = _INT
        self._number.argtypes = [_U64, _I64, _U64, _INT, _INT, _INT, _U64, _ADDRESS, _INT, _I64]
        self._succeed = functions.kernel_succeed
        self._succeed.restype = None
        self._succeed.argtypes = [
            _U64,
            _INT,
            _U64,
            _INT,
            _U64,
            _INT,
            _INT,
            _U64,
            _U64,
            _I64,
            _U64,
            _U64,
            _I64,
        ]
        self._collect = functions.kernel_collect
        self._collect.restype = _INT
        self._collect.argtypes = [_U64, _INT, _U64, _INT, _U64, _I64, _INT, _U64, _U64, _I64, _U64]
        self._collect.argtypes += [_UNSIGNED, _INT, _U64, _INT, _INT, _U64, _INT]
        self._divide = functions.kernel_divide
        self._divide.restype = None
        self._divide.argtypes = [_U64, _INT, _INT, _INT, _INT, _I64, _I64, _U64]
        self._distinct = functions.kernel_distinct
        self._distinct.restype = _INT
        self._distinct.argtypes = [_U64, _INT, _INT, _UNSIGNED, _INT, _U64, _INT, _U64, _I64]
        self._contains = functions.kernel_contains
        self._contains.restype = None
        self._contains.argtypes = [_U64, _INT, _INT, _U64, _INT, _ADDRESS, _INT, _FLAGS]
        self._gather = functions.kernel_gather
        self._gather.restype, self._gather.argtypes = None, [_U64, _INT, _INT, _I64, _INT, _U64, _U64]
        self._keep = functions.kernel_keep
        self._keep.restype, self._keep.argtypes = None, [_U64, _INT, _INT, _FLAGS]
        self.classes = ClassFunctions(functions)

    @property
    def version(self) -> int:
        """Return the version of the source."""
        return int(self._version())

    def evaluate(self, steps: Steps, rows: Words, registers: Words, masks: Words, values: Words) -> None:
        """Evaluate all in states. ``masks`` has a row for each of the steps' masks, with a bit per state."""
        moves, width = len(steps.kept), masks.shape[1]
        assert rows.shape[1] == steps.words
        assert len(rows) <= 64 * width
        assert len(masks) == len(steps.masks)
        assert len(registers) >= steps.registers * LANES
        assert len(values) >= len(steps.values) * width
        self._evaluate(
            steps.statements, len(steps.statements), registers, rows, len(rows), steps.words,
            steps.masks, len(steps.masks), masks, width, steps.values, steps.starts, moves, values,
        )  # fmt: skip

    def fill(self, table: Table) -> None:
        """Put the states of a table, all of which differ, into its slots."""
        assert table.count < len(table.slots) == 1 << table.slot_bits
        table.slots[:] = FREE
        self._fill(table.rows, table.count, table.rows.shape[1], table.slots, table.slot_bits)

    def expand(
        self,
        steps: Steps,
        table: Table,
        first: int,
        masks: Words,
        values: Words,
        moves: range,
        found: Numbers,
    ) -> int:
        """Take the successors by some moves of the states from ``first`` on, which were evaluated. Adds the
        new ones of each move to ``found``, and returns the number of states in the table then. The table
        must have room for all successors."""
        guards = masks[len(masks) - len(steps.kept) :]
        width = guards.shape[1]
        assert table.rows.shape[1] == steps.words
        assert 0 <= moves.start <= moves.stop <= len(steps.kept) == len(found) == len(guards)
        assert len(values) >= len(steps.values) * width
        coming = int(np.bitwise_count(guards[moves.start : moves.stop]).sum())
        assert table.count + coming <= min(len(table.rows), len(table.predecessors), len(table.slots) - 1)
        assert 0 <= first <= table.count < MOST_STATES - coming
        space = np.empty((BATCH, steps.words), np.uint64)
        count: int = self._expand(
            table.rows, table.predecessors, table.slots, table.count, steps.words, table.slot_bits,
            first, guards, width, values, moves.start, moves.stop, steps.kept, steps.ones, steps.starts,
            steps.positions, found, space,
        )  # fmt: skip
        return count

    def insert(self, table: Table, rows: Words, predecessors: Numbers) -> tuple[Numbers, int]:
        """Put states that are new into a table, which must have room for all. Returns the number of each
        state, and the number of states in the table then."""
        assert table.count + len(rows) <= min(len(table.rows), len(table.predecessors), len(table.slots) - 1)
        assert table.count + len(rows) < MOST_STATES
        assert len(predecessors) == len(rows)
        assert predecessors.dtype == np.int64
        assert predecessors.flags.c_contiguous
        return self._number_states(table, rows, predecessors.ctypes.data)

    def find(self, table: Table, rows: Words) -> Numbers:
        """The number of each state in a table; -1 if it is not there."""
        return self._number_states(table, rows, None)[0]

    def _number_states(self, table: Table, rows: Words, predecessors: int | None) -> tuple[Numbers, int]:
        assert rows.shape[1] == table.rows.shape[1]
        numbers = np.empty(len(rows), np.int64)
        count = self._number(
            table.rows, table.predecessors, table.slots, table.count, rows.shape[1], table.slot_bits, rows,
            predecessors, len(rows), numbers,
        )  # fmt: skip
        return numbers, int(count)

    def succeed(self, steps: Steps, look: Look, moves: range) -> tuple[Words, Numbers]:
        """The successors by some moves of states that were evaluated, in the order of moves and then of
        states, with the place of each one's predecessor."""
        width = look.guards.shape[1]
        assert look.rows.shape[1] == steps.words
        assert len(look.rows) <= 64 * width
        assert 0 <= moves.start <= moves.stop <= len(steps.kept) == len(look.guards)
        assert len(look.values) >= len(steps.values) * width
        count = int(np.bitwise_count(look.guards[moves.start : moves.stop]).sum())
        successors, sources = np.empty((count, steps.words), np.uint64), np.empty(count, np.int64)
        self._succeed(
            look.rows, steps.words, look.guards, width, look.values, moves.start, moves.stop, steps.kept,
            steps.ones, steps.starts, steps.positions, successors, sources,
        )  # fmt: skip
        return successors, sources

    def collect(
        self, steps: Steps, look: Look, key: int, move_shift: int, first: int, most: int, collected: Collected
    ) -> int:
        """Collect the successors of states that were evaluated, by moves from the first on, until ``most``
        are collected. Returns the move with which to go on. ``key``: that of move 0 from the first state."""
        moves, width = look.guards.shape
        assert look.rows.shape[1] == steps.words == collected.rows.shape[1] - 1
        assert len(look.rows) <= 64 * width
        assert moves == len(steps.kept)
        assert len(look.values) >= len(steps.values) * width
        assert most + len(look.rows) + BATCH <= len(collected.rows) < len(collected.slots) <= MOST_COLLECTED
        slot_bits = (len(collected.slots) - 1).bit_length()
        assert len(collected.slots) == 1 << slot_bits
        move = np.array([first], np.int64)
        collected.count = self._collect(
            look.rows, steps.words, look.guards, width, look.values, move, moves, steps.kept, steps.ones,
            steps.starts, steps.positions, key, move_shift, collected.rows, collected.count, most,
            collected.slots, slot_bits,
        )  # fmt: skip
        return int(move[0])

    def divide(self, collected: Collected, parts: int, used: int) -> tuple[Numbers, Words]:
        """Divide collected states into a number of sections that is a power of two. Returns the bounds of the
        sections, and their words. Keys are in the last word of states, from the bit ``used`` on, lowered by
        the first; if that is 0, they are words of their own."""
        count, words = collected.count, collected.rows.shape[1] - 1
        assert parts == 1 << (parts.bit_length() - 1)
        assert 0 <= used < 64
        assert count <= len(collected.rows)
        limits, space = np.empty(parts + 1, np.int64), np.empty(parts, np.int64)
        content = np.empty(count * (words if used else words + 1), np.uint64)
        part_bits = parts.bit_length() - 1
        self._divide(collected.rows, count, words, part_bits, used, limits, space, content)
        return limits, content

    def distinct(self, columns: Words, low: int, high: int) -> Numbers | None:
        """The places of the first of equal states, ascending by state, of states given as columns. Their
        first words are from ``low`` to below ``high``, and spread evenly; None if they are not."""
        words, count = columns.shape
        assert count < MOST_COLLECTED
        if not count:
            return np.empty(0, np.int64)
        span = high - low
        bits = (2 * count - 1).bit_length() + (span != 1 << (span.bit_length() - 1))
        shift = min(63, max(0, (span - 1).bit_length() - bits))
        assert low <= int(columns[0].min())
        assert int(columns[0].max()) < high
        slots = np.empty(((span - 1) >> shift) + 1 + min(count, _OVERFLOW), np.uint64)
        firsts, places = np.empty(count, np.uint64), np.empty(count, np.int64)
        found = self._distinct(columns, count, words, low, shift, slots, len(slots), firsts, places)
        return places[:found] if found >= 0 else None

    def mark_contained(self, columns: Words, first: Words, others: Words, known: Flags) -> None:
        """Mark those of ascending states, given as columns, that are in a run: its first column, and the
        others as rows of a matrix, which may be parts of longer ones."""
        words, count = columns.shape
        assert len(known) == count
        assert others.shape == (words - 1, len(first))
        assert words == 1 or not len(first) or others.strides[1] == 8
        stride = others.strides[0] // 8 if words > 2 else 0
        self._contains(columns, count, words, first, len(first), others.ctypes.data, stride, known)

    def gather(self, columns: Words, places: Numbers, inverses: Sequence[int]) -> Words:
        """The rows of the states at these places, of states given as scattered columns."""
        words, total = columns.shape
        assert not len(places) or 0 <= int(places.min()) <= int(places.max()) < total
        rows = np.empty((len(places), words), np.uint64)
        self._gather(columns, total, words, places, len(places), np.array(inverses, np.uint64), rows)
        return rows

    def keep(self, columns: Words, wanted: Flags) -> Words:
        """Keep the wanted values of each column, in place."""
        count = columns.shape[1]
        assert len(wanted) == count
        self._keep(columns, count, len(columns), wanted)
        return columns[:, : int(np.count_nonzero(wanted))]
