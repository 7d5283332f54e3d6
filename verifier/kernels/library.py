"""The functions of the library, with the kinds of their arrays."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

VERSION = 1
LANES, BATCH = 16, 128
"""As in the source: words that a register holds, and successors that are collected."""
MOST_STATES = 1 << 40
"""A slot has no more bits for a state's number."""
FREE = ~np.uint64(0)
"""In a slot without a state."""

Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

_U64: Any = np.ctypeslib.ndpointer(np.uint64, flags="C_CONTIGUOUS")
_I64: Any = np.ctypeslib.ndpointer(np.int64, flags="C_CONTIGUOUS")
_I32: Any = np.ctypeslib.ndpointer(np.int32, flags="C_CONTIGUOUS")
_INT = ctypes.c_int64


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
