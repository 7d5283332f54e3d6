"""Sets of states as sorted columns: duplicates left out, states seen before taken away, sorted runs merged.

Columns are those of ``scattering``, ascending by the first. Different states may have the same first word;
all columns are compared, so such states are kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.scattering import SPACE, bounds
from verifier.storage.blocks import BlockWriter, Column, Shelf, Slice

Run: TypeAlias = tuple[Slice, ...]
"""States that were seen, ascending from slice to slice."""
Columns: TypeAlias = list[Column]
"""The words of states, each word a column: shape (states,)."""

Places: TypeAlias = NDArray[np.int64]
"""Indices of states in columns: shape (states,)."""

_SLOTS_PER_STATE = 2
_PREFIX_SHIFT = np.uint64(32)
"""States are first ordered by the bits of the first column above this one."""
_FEW = 64
"""The factor by which a run exceeds the sought states for it to be searched instead of read."""


def mostly_distinct(columns: Columns) -> Places:
    """The places of the states, ascending, without most duplicates: of equal states the first one stays, and
    perhaps some others.

    Each state is compared with one other only, the first of those whose hashes name the same slot. So none
    is left out but one that equals an earlier one that stays.
    """
    count = len(columns[0])
    if count < 2:
        return np.arange(count)
    slot_bits = (_SLOTS_PER_STATE * count - 1).bit_length()
    slots = (columns[0] >> np.uint64(64 - slot_bits)).view(np.int64)
    numbers = np.arange(count, dtype=np.int32)
    first = np.empty(1 << slot_bits, np.int32)
    first[slots[::-1]] = numbers[::-1]  # of several, what is written last stays
    others = first.take(slots)
    asked = np.flatnonzero(others != numbers)
    others = others.take(asked)
    equal = np.ones(len(asked), np.bool_)
    for column in columns:
        equal &= column.take(asked) == column.take(others)
    stays = np.ones(count, np.bool_)
    stays[asked[equal]] = False
    return np.flatnonzero(stays)


def distinct(columns: Columns) -> tuple[Columns, Places]:
    """The states without duplicates, ascending by the first column, and the place of the first of each."""
    if not len(columns[0]):
        return columns, np.empty(0, np.int64)
    order = _order(columns[0])
    ascending = [column.take(order) for column in columns]
    differs = _differ(ascending)
    prefix = ascending[0] >> _PREFIX_SHIFT
    mixed = prefix[1:][differs & (prefix[1:] == prefix[:-1])]
    if len(mixed):  # states whose hashes begin alike have come in the order given
        within = _ranges_of(prefix, mixed)
        order[within] = order[within][np.lexsort([column[within] for column in reversed(ascending)])]
        for column, given in zip(ascending, columns, strict=True):
            column[within] = given[order[within]]
        differs = _differ(ascending)
    starts = np.concatenate(([0], np.flatnonzero(differs) + 1))
    return [column.take(starts) for column in ascending], order.take(starts)


def _order(first: Column) -> Places:
    """The stable order by the upper bits: by two digits, the lower one first. NumPy counts digits of 16 bits,
    where it compares longer numbers; that takes a third of the time."""
    lower, upper = ((first >> np.uint64(shift)).astype(np.uint16) for shift in (_PREFIX_SHIFT, 48))
    order = np.argsort(lower, kind="stable")
    return order.take(np.argsort(upper.take(order), kind="stable"))


def _differ(columns: Columns) -> NDArray[np.bool_]:
    """Return for each state but the first whether it differs from the one before."""
    result: NDArray[np.bool_] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        result |= column[1:] != column[:-1]
    return result


def _ranges_of(ascending: Column, values: Column) -> Places:
    """The places of these values, each of which is there."""
    values = np.unique(values)
    starts = np.searchsorted(ascending, values)
    counts = np.searchsorted(ascending, values, side="right") - starts
    places: Places = np.repeat(starts - np.cumsum(counts) + counts, counts)
    places += np.arange(len(places))
    return places


def find_new(
    shelf: Shelf, successors: NDArray[np.uint64], low: int, high: int, runs: Sequence[Run]
) -> tuple[Columns, Places]:
    """The states of a range that are in no run, ascending, and the place of the first of each among the
    successors, whose last column is their keys."""
    states, firsts = distinct(list(successors[:-1]))
    for run in runs:
        for part in narrow_slices(shelf, run, low, high):
            new = ~contains(shelf, states, part)
            if not new.all():
                states, firsts = [column[new] for column in states], firsts[new]
    return states, firsts


def contains(shelf: Shelf, columns: Columns, part: Slice) -> NDArray[np.bool_]:
    """Return which of the states, in ascending order, a slice of a run contains."""
    mask = np.zeros(len(columns[0]), np.bool_)
    if not len(part) or not len(mask):
        return mask
    run = (shelf.map_file if is_few(mask, part) else shelf.read)(part, 0)
    place = np.searchsorted(run, columns[0])
    # A state beyond the end is compared with the last one of the run, which is less.
    undecided = np.flatnonzero(run.take(place, mode="clip") == columns[0])
    view = shelf.map_file if is_few(undecided, part) else shelf.read
    others = [(column, view(part, number)) for number, column in enumerate(columns) if number]
    while len(undecided):
        there = place[undecided]
        equal = np.ones(len(undecided), np.bool_)
        for column, of_run in others:
            equal &= of_run[there] == column[undecided]
        mask[undecided[equal]] = True
        undecided = undecided[~equal]
        place[undecided] += 1  # another state with the same first word
        undecided = undecided[place[undecided] < len(run)]
        undecided = undecided[run[place[undecided]] == columns[0][undecided]]
    return mask


def is_few(states: Sized, part: Slice) -> bool:
    """True if it is less to look these up than to read the slice."""
    return len(states) * _FEW < len(part)


def narrow_slices(shelf: Shelf, run: Sequence[Slice], low: int, high: int) -> list[Slice]:
    """The parts of slices within a range of the first column."""
    if (low, high) == (0, SPACE):
        return [part for part in run if len(part)]
    narrowed = []
    for part in run:
        if not len(part):
            continue
        first, last = shelf.ends(part)
        if low <= first and last < high:
            narrowed.append(part)
        elif first < high and last >= low and len(inner := shelf.narrow(part, low, high)):
            narrowed.append(inner)
    return narrowed


def size(run: Run) -> int:
    """Return the number of states."""
    return sum(map(len, run))


def merge_runs(shelf: Shelf, runs: Sequence[Run], name: str, area: tuple[int, int], capacity: int) -> Run:
    """One run of several without common states, whose first column lies in an area. At most about
    ``capacity`` states are read at a time. Raises OSError."""
    total = sum(map(size, runs))
    words = next(part.block.columns for run in runs for part in run)
    with BlockWriter(shelf, name, words, total) as writer:
        for low, high in _ranges(area, -(-total // capacity)):
            parts = [part for run in runs for part in narrow_slices(shelf, run, low, high)]
            if not parts:
                continue
            columns = [np.concatenate([shelf.read(part, word) for part in parts]) for word in range(words)]
            order = np.argsort(columns[0], kind="stable")
            writer.append([column[order] for column in columns])
        return (writer.finish().whole(),)


def _ranges(area: tuple[int, int], parts: int) -> list[tuple[int, int]]:
    return list(pairwise(bounds(max(1, parts), *area)))
