"""The functions of the library for classes of states that exchanges of elements carry into each other."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

LANES = 16
"""As in the source: words that a register holds."""
Words: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.int32]

_U64: Any = np.ctypeslib.ndpointer(np.uint64, flags="C_CONTIGUOUS")
_I64: Any = np.ctypeslib.ndpointer(np.int64, flags="C_CONTIGUOUS")
_I32: Any = np.ctypeslib.ndpointer(np.int32, flags="C_CONTIGUOUS")
_INT, _ADDRESS = ctypes.c_int64, ctypes.c_void_p
_MOST_VISITED = 1 << 24
"""States times steps of one call, so that Python can answer an interrupt now and then."""


@dataclass(frozen=True)
class Exchanges:
    """Exchanges of elements, as changes of states."""

    words: int
    """Of a state."""
    registers: int
    """The constants, the bits of a state and the values of statements."""
    statements: Places
    statement_starts: Numbers
    """For each exchange the first of its statements, and their number at the end."""
    moves: Places
    """Register by register: the one that changes, and the one whose value it takes."""
    move_starts: Numbers
    space: Words = field(init=False)
    """Room for the registers, and for what the functions keep beside them."""

    def __post_init__(self) -> None:
        """Make the space."""
        object.__setattr__(self, "space", np.empty((self.registers + 3 * 64 * self.words) * LANES, np.uint64))

    def __len__(self) -> int:
        return len(self.move_starts) - 1


@dataclass(frozen=True)
class Keys:
    """The bits of the keys of an index set's elements."""

    single: Places
    """For each element a row of bits of a state."""
    larger: tuple[Places, ...]
    """For each class, for each element a row of bits of a state."""


class ClassFunctions:
    """The functions. Sizes are checked here, since C does not."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        """Raises AttributeError if one is missing."""
        common = [_I32, _I64, _I32, _I64]
        self._least = functions.kernel_least
        self._least.restype = None
        self._least.argtypes = [_U64, _INT, _INT, *common, _I32, _INT, _ADDRESS, _ADDRESS, _ADDRESS]
        self._sort = functions.kernel_sort
        self._sort.restype = None
        self._sort.argtypes = [_U64, _INT, _INT, *common, _INT, _I32, _I32, _INT, _I32, _I64, _INT]
        self._sort.argtypes += [_ADDRESS, _ADDRESS, _U64, _U64, _INT]
        self._changes = functions.kernel_changes
        self._changes.restype = None
        self._changes.argtypes = [_U64, _INT, _INT, *common, _I32, _INT, _ADDRESS, _U64, _INT]

    def take_least(
        self, exchanges: Exchanges, rows: Words, steps: Places, *, counted: bool
    ) -> tuple[Words, Numbers]:
        """The least of the states to which steps lead from each. A step has an exchange, and 1 if its
        arrangement is new. The second result counts for each state one, and with ``counted`` the new
        arrangements that give the state itself."""
        assert rows.shape[1] == exchanges.words
        assert not len(steps) or 0 <= int(steps[:, 0].min()) <= int(steps[:, 0].max()) < len(exchanges)
        result, fixed = rows.copy(), np.ones(len(rows), np.int64)
        at_once = max(64 * LANES, _MOST_VISITED // max(1, len(steps)))
        registers, space = self._space_of(exchanges)
        for first in range(0, len(rows), at_once):
            some = result[first : first + at_once]
            counts = fixed[first : first + at_once].ctypes.data if counted else None
            self._least(
                some, len(some), exchanges.words, exchanges.statements, exchanges.statement_starts,
                exchanges.moves, exchanges.move_starts, steps, len(steps), registers, space, counts,
            )  # fmt: skip
        return result, fixed

    def sort(self, exchanges: Exchanges, rows: Words, keys: Keys, numbers: Places) -> Words:
        """Sort elements in each state by their keys, in place. ``numbers``: the exchanges of neighbours.
        Returns for each two neighbours a mask of the states where their keys are equal."""
        elements, singles = keys.single.shape
        assert rows.shape[1] == exchanges.words
        assert len(numbers) == elements - 1
        assert not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < len(exchanges)
        assert all(len(part) == elements for part in keys.larger)
        width = -(-len(rows) // 64)
        sizes = np.array([part.shape[1] for part in keys.larger], np.int64)
        larger = np.concatenate([np.empty(0, np.int32), *(part.ravel() for part in keys.larger)])
        key_space = np.empty(max(1, elements * (singles + 3 * len(sizes))) * LANES, np.uint64)
        ties = np.empty((elements - 1, width), np.uint64)
        registers, space = self._space_of(exchanges)
        self._sort(
            rows, len(rows), exchanges.words, exchanges.statements, exchanges.statement_starts,
            exchanges.moves, exchanges.move_starts, elements, numbers, keys.single, singles, larger, sizes,
            len(sizes), registers, space, key_space, ties, width,
        )  # fmt: skip
        return ties

    def find_changes(self, exchanges: Exchanges, rows: Words, numbers: Places) -> Words:
        """For each of some exchanges a mask of the states that it changes."""
        assert rows.shape[1] == exchanges.words
        assert not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < len(exchanges)
        width = -(-len(rows) // 64)
        masks = np.empty((len(numbers), width), np.uint64)
        self._changes(
            rows, len(rows), exchanges.words, exchanges.statements, exchanges.statement_starts,
            exchanges.moves, exchanges.move_starts, numbers, len(numbers), self._space_of(exchanges)[0],
            masks, width,
        )  # fmt: skip
        return masks

    @staticmethod
    def _space_of(exchanges: Exchanges) -> tuple[int, int]:
        """The addresses of the registers, and of the space beyond them."""
        start = exchanges.space.ctypes.data
        return start, start + 8 * LANES * exchanges.registers
