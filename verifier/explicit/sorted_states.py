"""Sets of states as sorted columns: duplicates left out, states seen before taken away, sorted runs merged.

Columns are those of ``scattering``, ascending by the first. Different states may have the same first word;
all columns are compared, so such states are kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.blocks import BlockWriter, Column, Shelf, Slice
from verifier.explicit.scattering import SPACE, bounds

Run: TypeAlias = tuple[Slice, ...]
"""States that were seen, ascending from slice to slice."""
Columns: TypeAlias = list[Column]

_FEW = 64
"""Where a run has so many times more states than are looked for, it is not read but searched in."""


def distinct(columns: Columns, keys: Column) -> tuple[Columns, Column]:
    """The states without duplicates, ascending, each with the least of its keys."""
    if not len(keys):
        return columns, keys
    order = np.argsort(columns[0])
    ascending = columns[0][order]
    differs = ascending[1:] != ascending[:-1]
    same = np.flatnonzero(~differs)
    if any((column[order[same]] != column[order[same + 1]]).any() for column in columns[1:]):
        order = np.lexsort(columns[::-1])
        differs = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in columns])
    starts = np.concatenate(([0], np.flatnonzero(differs) + 1))
    firsts = order[starts]
    return [column[firsts] for column in columns], np.minimum.reduceat(keys[order], starts)


def seen(shelf: Shelf, columns: Columns, part: Slice) -> NDArray[np.bool_]:
    """Which of the states, ascending, a slice of a run has."""
    found = np.zeros(len(columns[0]), np.bool_)
    if not len(part) or not len(found):
        return found
    view = shelf.mapped if len(found) * _FEW < len(part) else shelf.read
    run = view(part, 0)
    place = np.searchsorted(run, columns[0])
    undecided = np.arange(len(found))
    others = [(column, view(part, number)) for number, column in enumerate(columns) if number]
    while len(undecided):
        undecided = undecided[place[undecided] < len(run)]
        undecided = undecided[run[place[undecided]] == columns[0][undecided]]
        there = place[undecided]
        equal = np.ones(len(undecided), np.bool_)
        for column, of_run in others:
            equal &= of_run[there] == column[undecided]
        found[undecided[equal]] = True
        undecided = undecided[~equal]
        place[undecided] += 1  # another state with the same first word
    return found


def narrowed(shelf: Shelf, run: Sequence[Slice], low: int, high: int) -> list[Slice]:
    """What slices have in a range of the first column."""
    if (low, high) == (0, SPACE):
        return [part for part in run if len(part)]
    return [inner for part in run if len(inner := shelf.narrowed(part, low, high))]


def size(run: Run) -> int:
    """How many states it has."""
    return sum(map(len, run))


def merged(shelf: Shelf, runs: Sequence[Run], name: str, area: tuple[int, int], capacity: int) -> Run:
    """One run of several without common states, whose first column lies in an area. At most about
    ``capacity`` states are read at a time. Raises OSError."""
    total = sum(map(size, runs))
    words = next(part.block.columns for run in runs for part in run)
    with BlockWriter(shelf, name, words, total) as writer:
        for low, high in _ranges(area, -(-total // capacity)):
            parts = [part for run in runs for part in narrowed(shelf, run, low, high)]
            if not parts:
                continue
            columns = [np.concatenate([shelf.read(part, word) for part in parts]) for word in range(words)]
            order = np.argsort(columns[0], kind="stable")
            writer.append([column[order] for column in columns])
        return (writer.done().whole(),)


def _ranges(area: tuple[int, int], parts: int) -> list[tuple[int, int]]:
    return list(pairwise(bounds(max(1, parts), *area)))
