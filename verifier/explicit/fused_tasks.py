"""The tasks of a level by the compiled library: successors are collected, and new states found
(``expanding``, ``settling``).

What a task finds is the same as by NumPy. Files of successors differ, since the library leaves out all
duplicates of those that it collects, and collects more; they have another name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.fused import FusedLooks
from verifier.explicit.fused_orbits import fuse
from verifier.explicit.level_tasks import PLACE_BITS, Expand, Settle, Stage, key_of_chunk
from verifier.explicit.moves import Look, Transitions
from verifier.explicit.sections import bits_before_keys
from verifier.explicit.sorted_states import Columns, Places, Run, distinct, is_few, narrow_slices
from verifier.kernels.building import load_library
from verifier.kernels.library import BATCH, Library
from verifier.kernels.library import Look as Evaluated
from verifier.storage.blocks import Column, Shelf, Slice

__all__ = ["FusedCollection", "find_new", "fuse", "fused_looks"]

_COLLECTED_AT_ONCE = 1 << 22
"""The most successors that differ and are collected. Of more, fewer are written."""
Write = Callable[[NDArray[np.uint64], list[int], "int | None"], None]


def fused_looks(stage: Stage, task: Expand | Settle) -> FusedLooks | None:
    """Return the evaluation by the library, if the task may use it and there is one."""
    if not task.kernels or (library := load_library()) is None:
        return None
    return _fused_looks(stage.transitions, library)


@lru_cache(maxsize=1)
def _fused_looks(transitions: Transitions, library: Library) -> FusedLooks:
    return FusedLooks(transitions, library)


class FusedCollection:
    """Collects successors without duplicates."""

    def __init__(self, looks: FusedLooks, stage: Stage, task: Expand, write: Write) -> None:
        """``write`` gets the words of sections, their bounds, and the least key if keys are in the last word
        of states."""
        self._looks, self._sections, self._write = looks, task.sections, write
        self._bits = stage.transitions.bits
        self._most = min(_COLLECTED_AT_ONCE, task.capacity)
        self._collected = looks.collected(self._most + stage.transitions.chunk() + BATCH)

    def add(self, look: Look, chunk: int) -> None:
        """Take the successors of the states of the last look, which are a chunk of the level."""
        evaluated = Evaluated(look.rows, look.enabled, self._looks.values)
        move, end, library = 0, len(look.enabled), self._looks.library
        while move < end:
            move = library.collect(
                self._looks.steps,
                evaluated,
                key_of_chunk(chunk),
                PLACE_BITS,
                move,
                self._most,
                self._collected,
            )
            if self._collected.count >= self._most:
                self.write()

    def write(self) -> None:
        """Write what is collected."""
        collected = self._collected
        if not collected.count:
            return
        words = collected.rows.shape[1] - 1
        rows = collected.rows[: collected.count]
        first, last = int(rows[0, words]), int(rows[-1, words])
        used = bits_before_keys(rows[:, words - 1], words, self._bits, last - first)
        limits, content = self._looks.library.divide(collected, self._sections, used or 0)
        self._write(content, limits.tolist(), None if used is None else first)
        collected.clear()


def find_new(
    library: Library, shelf: Shelf, successors: NDArray[np.uint64], low: int, high: int, runs: Sequence[Run]
) -> tuple[Columns, Places]:
    """The states of a range that are in no run, ascending, and the place of the first of each among the
    successors, whose last column is their keys."""
    columns = successors[:-1]
    firsts = library.distinct(columns, low, high)
    if firsts is None:  # not evenly spread
        _, firsts = distinct(list(columns))
    states = columns.take(firsts, axis=1)
    known = np.zeros(len(firsts), np.bool_)
    for run in runs:
        for part in narrow_slices(shelf, run, low, high):
            _mark(library, shelf, states, part, known)
    return list(library.keep(states, ~known)), firsts[~known]


def _mark(
    library: Library, shelf: Shelf, states: NDArray[np.uint64], part: Slice, known: NDArray[np.bool_]
) -> None:
    """Mark the states that a slice of a run contains."""
    if not len(part) or not states.shape[1]:
        return
    mapped = shelf.map_columns(part)
    first: Column = mapped[0] if is_few(states[0], part) else shelf.read(part, 0)
    library.mark_contained(states, first, mapped[1:], known)
