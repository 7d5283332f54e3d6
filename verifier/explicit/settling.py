"""A level is settled: of the successors in a part of the space of states, the new ones are found
(``level_tasks``).

Source: Stern and Dill 1998, doi:10.1007/BFb0028743, keep states on disk and find new ones by level, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.level_tasks import (
    CHUNK_SHIFT,
    MOVE_MASK,
    PLACE_BITS,
    LevelPart,
    Settle,
    Settled,
    Stage,
    peak_memory,
)
from verifier.explicit.packing import Rows, places
from verifier.explicit.scattering import bounds, rows_of
from verifier.explicit.sections import Section, in_sections
from verifier.explicit.sorted_states import Columns, Places, Run, find_new, merge_runs, size
from verifier.storage.blocks import Column, Shelf, Slice

if TYPE_CHECKING:
    from verifier.explicit.fused import FusedLooks
    from verifier.explicit.moves import Transitions

FindNew: TypeAlias = Callable[[Shelf, NDArray[np.uint64], int, int, Sequence[Run]], tuple[Columns, Places]]
Keep: TypeAlias = Callable[[NDArray[np.uint64], NDArray[np.bool_]], Iterable[Column]]
FEW_RUNS = 4
"""The number of runs of a partition up to which they stay as they are."""
FEW_FOR_KERNELS = 64
"""This number for tasks that may use the library. It looks through one more run in little time, but to merge
all runs takes as much of the disk again as all states."""
_MUCH_LARGER = 2
"""A run that exceeds the sum of later ones by this factor is not merged with them."""


def settle(stage: Stage, task: Settle) -> Settled:
    """Does a task. Raises OSError or Damaged where the folder cannot be written or read."""
    settling = _Settling(stage, task)
    areas = pairwise(bounds(len(task.pieces), *settling.area))
    for pieces, (low, high) in zip(task.pieces, areas, strict=True):
        settling.settle(pieces, low, high)
    return settling.result()


def first_to_merge(sizes: Sequence[int], few: int = FEW_RUNS) -> int:
    """Return the place from which on the runs of these sizes, the oldest first, are merged: the last one if
    none are.

    To look through a few runs takes less time than to merge them, which reads and writes whole states: while
    levels grow, nearly all that was seen would be written again with each. Of more, those are merged that are
    not much larger than all after them together. So a state that is merged again is in a run at least half
    as large again, and where there are more than a few runs, each is much larger than those after it.
    """
    first, total = len(sizes) - 1, sum(sizes[-1:])
    while len(sizes) > few and first > 0 and sizes[first - 1] < _MUCH_LARGER * total:
        first -= 1
        total += sizes[first]
    return first


class _Settling:
    def __init__(self, stage: Stage, task: Settle) -> None:
        self._stage, self._task = stage, task
        self._shelf, self._words = stage.shelf, stage.transitions.words
        limits = bounds(stage.partitions)
        self.area = (limits[task.partition], limits[task.partition + 1])
        self._parts: list[LevelPart] = []
        self._run: list[Slice] = []
        self._found = np.zeros(len(stage.transitions.actions), np.int64)
        self._sources = np.zeros(task.chunks, np.int64)
        self._tally, self._failing = stage.tally(), dict[str, int]()
        self._find_new: FindNew = find_new
        self._keep: Keep = _keep
        self._transitions: Transitions | FusedLooks = stage.transitions
        self._orbits = stage.orbits
        if task.kernels:
            self._use_library()

    def _use_library(self) -> None:
        from verifier.explicit import fused_tasks  # only long searches need it

        if (fused := fused_tasks.fused_looks(self._stage, self._task)) is not None:
            self._find_new = partial(fused_tasks.find_new, fused.library)
            self._keep = fused.library.keep
            self._transitions = fused
            self._orbits = fused_tasks.fuse(self._stage.orbits, fused.library)

    def settle(self, pieces: Sequence[Section], low: int, high: int) -> None:
        """Finds the new states of a range, of which these are all successors: at once, if they fit into
        memory."""
        if not pieces:
            return
        most_seen = max(map(size, self._task.runs), default=0) // len(self._task.pieces)
        total = max(sum(piece.count for piece in pieces), most_seen)
        if total <= self._task.capacity:
            self._find(self._read(pieces), low, high)
            return
        for first, end in pairwise(bounds(-(-total // self._task.capacity), low, high)):
            # one by one, as there is no room for all
            self._find(np.concatenate([self._within(piece, first, end) for piece in pieces], 1), first, end)

    def _find(self, successors: NDArray[np.uint64], low: int, high: int) -> None:
        """Finds the new states of a range among the successors, which ascend by their keys."""
        states, firsts = self._find_new(self._shelf, successors, low, high, self._task.runs)
        keys_met = successors[-1].take(firsts)
        self._found += _count(keys_met >> np.uint64(PLACE_BITS) & np.uint64(MOVE_MASK), self._found)
        if self._task.properties is not None:
            del successors
            self._look(rows_of(states), keys_met, self._task.properties)
        elif len(firsts):
            arrived = np.zeros(successors.shape[1], np.bool_)
            arrived[firsts] = True
            *columns, keys = self._keep(successors, arrived)
            del successors
            self._write(states, columns, keys)

    def _read(self, pieces: Sequence[Section]) -> NDArray[np.uint64]:
        return in_sections(self._shelf, pieces, self._words, self._stage.transitions.bits)

    def _within(self, piece: Section, low: int, high: int) -> NDArray[np.uint64]:
        columns = self._read([piece])
        return columns[:, (columns[0] >= low) & (columns[0] <= high - 1)]

    def _write(self, ascending: Columns, columns: Columns, keys: Column) -> None:
        """Writes new states, ascending by state for the run, and by key for the level."""
        name = self._name(len(self._parts))
        self._run.append(self._shelf.write(f"{name}.run", ascending).whole())
        rows = self._shelf.write(f"{name}.rows", columns)
        self._parts.append(LevelPart(self._shelf.write(f"{name}.keys", [keys]).whole(), rows.whole()))
        self._sources += _count(keys >> np.uint64(CHUNK_SHIFT), self._sources)

    def _look(self, rows: Rows, keys: Column, properties: Sequence[str]) -> None:
        """Looks at new states, in any order."""
        chunk = self._stage.transitions.chunk()
        for start in range(0, len(rows), chunk):
            look = self._transitions.look(rows[start : start + chunk])
            self._tally.count(look, self._orbits)
            self._tally.unexpanded |= bool(look.enabled.any())
            for name in properties:
                failing = places(look.failing[name])
                if len(failing):
                    first = int(keys[start : start + chunk][failing].min())
                    self._failing[name] = min(first, self._failing.get(name, first))

    def _name(self, part: int) -> str:
        return f"{self._stage.run}{self._task.level:05}-p{self._task.partition:04}-{part:03}"

    def result(self) -> Settled:
        """The findings."""
        runs: list[Run] = [*self._task.runs, *([tuple(self._run)] if self._run else [])]
        few = FEW_FOR_KERNELS if self._task.kernels else FEW_RUNS
        first = first_to_merge([size(run) for run in runs], few)
        if first < len(runs) - 1:
            name = f"{self._name(0)}.merged"
            runs[first:] = [merge_runs(self._shelf, runs[first:], name, self.area, self._task.capacity)]
        return Settled(
            partition=self._task.partition,
            count=int(self._found.sum()),
            parts=tuple(self._parts),
            runs=tuple(runs),
            tally=self._tally,
            failing=self._failing,
            found=self._found,
            sources=self._sources,
            peak_memory=peak_memory(),
        )


def _keep(columns: NDArray[np.uint64], wanted: NDArray[np.bool_]) -> list[Column]:
    return [column[wanted] for column in columns]


def _count(values: Column, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add the number of times that each number below the length of the counts is among the values."""
    return np.bincount(values.astype(np.int64), minlength=len(counts))
