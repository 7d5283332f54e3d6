"""The exact set of the states seen: hashes find candidates, a comparison of whole rows decides.

The table keeps the states in the order of insertion. It keeps their 64-bit hashes in sorted runs and merges
runs of similar size (O'Neil et al. 1996, doi:10.1007/s002360050048). If two states have the same hash, the
table hashes all states again with other constants. So no two states in it have the same hash.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.packing import Rows

Indices = NDArray[np.int64]
_CONSTANTS = np.random.default_rng(0x5EED)
_GROWTH = 1.5
_FIRST_CAPACITY = 1 << 12


class _CollisionError(Exception):
    """Two states have one hash."""


@dataclass(frozen=True)
class _SortedRun:
    """Hashes in ascending order, and the state that each belongs to."""

    hashes: NDArray[np.uint64]
    states: Indices


class Hashing:
    """A hash function of rows. Rows of one word are their own hashes."""

    def __init__(self, words: int) -> None:
        self._words = words
        self._factors = _CONSTANTS.integers(0, 1 << 63, words, np.uint64) * np.uint64(2) + np.uint64(1)

    def __call__(self, rows: Rows) -> NDArray[np.uint64]:
        """The hashes."""
        result = rows[:, 0].copy()
        for word in range(1, self._words):
            result ^= result >> np.uint64(32)
            result *= self._factors[word]
            result ^= result >> np.uint64(29)
            result += rows[:, word]
        if self._words > 1:
            result ^= result >> np.uint64(32)
            result *= self._factors[0]
        return result


class StateTable:
    """The states seen, numbered in the order of insertion, each with a predecessor."""

    def __init__(self, words: int, hashing: type[Hashing] = Hashing) -> None:
        self._words = words
        self._hashing = hashing
        self._hash = hashing(words)
        self._rows: Rows = np.empty((_FIRST_CAPACITY, words), np.uint64)
        self._predecessors = np.empty(_FIRST_CAPACITY, np.int64)
        self._runs: list[_SortedRun] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def rows(self, start: int, end: int) -> Rows:
        """The states with these numbers. The caller must not change them."""
        return self._rows[start:end]

    def predecessor(self, state: int) -> int | None:
        """The number of the state from which this one was first found; None for an initial state."""
        number = int(self._predecessors[state])
        return None if number < 0 else number

    def predecessors(self, start: int, end: int) -> Indices:
        """The numbers of the states from which these were first found; -1 for initial states."""
        return self._predecessors[start:end]

    def chain(self, state: int) -> list[Rows]:
        """A state of each depth on the way to this one, from an initial state on."""
        numbers = [state]
        while (before := self.predecessor(numbers[-1])) is not None:
            numbers.append(before)
        return [self.rows(number, number + 1).copy() for number in reversed(numbers)]

    def growth(self, coming: int) -> int:
        """The most bytes that the table allocates at once for this many further states."""
        if self._count + coming <= len(self._rows):
            return 0
        return int((self._count + coming) * _GROWTH) * 8 * (self._words + 1)

    def insert(self, rows: Rows, predecessors: Indices) -> Indices:
        """Adds the states that are new, and returns their places among ``rows``, ascending."""
        while True:
            try:
                return self._insert(rows, predecessors)
            except _CollisionError:
                self._hash_anew()

    def find(self, rows: Rows) -> Indices:
        """The numbers of states that are in the table."""
        return self._lookup(self._hash(rows), rows)

    def _insert(self, rows: Rows, predecessors: Indices) -> Indices:
        hashes = self._hash(rows)
        order = np.argsort(hashes)
        ascending = hashes[order]
        differs = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
        starts = np.concatenate(([0], differs)) if len(order) else differs
        self._check_alike(rows, order, ascending)
        # The sort is not stable, so the first of equal states is chosen here.
        firsts = np.minimum.reduceat(order, starts) if len(starts) else order
        new = self._lookup(ascending[starts], rows[firsts]) < 0
        kept, kept_hashes = firsts[new], ascending[starts][new]
        arrival = np.sort(kept)
        if len(arrival):
            numbers = self._count + np.searchsorted(arrival, kept)
            self._append(rows[arrival], predecessors[arrival])
            self._runs.append(_SortedRun(kept_hashes, numbers))
            self._merge()
        return arrival

    def _check_alike(self, rows: Rows, order: Indices, ascending: NDArray[np.uint64]) -> None:
        if self._words == 1:
            return
        same = np.flatnonzero(ascending[1:] == ascending[:-1])
        if not np.array_equal(rows[order[same]], rows[order[same + 1]]):
            raise _CollisionError

    def _lookup(self, hashes: NDArray[np.uint64], rows: Rows) -> Indices:
        """For each row its number; -1 if it is not in the table."""
        found = np.full(len(hashes), -1, np.int64)
        for run in self._runs:
            place = np.searchsorted(run.hashes, hashes)
            place[place == len(run.hashes)] = 0
            hit = np.flatnonzero(run.hashes[place] == hashes)
            numbers = run.states[place[hit]]
            if self._words > 1 and not np.array_equal(self._rows[numbers], rows[hit]):
                raise _CollisionError
            found[hit] = numbers
        return found

    def _append(self, rows: Rows, predecessors: Indices) -> None:
        needed = self._count + len(rows)
        if needed > len(self._rows):
            capacity = int(needed * _GROWTH)
            larger = np.empty((capacity, self._words), np.uint64)
            larger[: self._count] = self._rows[: self._count]
            self._rows = larger
            longer = np.empty(capacity, np.int64)
            longer[: self._count] = self._predecessors[: self._count]
            self._predecessors = longer
        self._rows[self._count : needed] = rows
        self._predecessors[self._count : needed] = predecessors
        self._count = needed

    def _merge(self) -> None:
        while len(self._runs) > 1 and len(self._runs[-2].hashes) < 2 * len(self._runs[-1].hashes):
            later, earlier = self._runs.pop(), self._runs.pop()
            self._runs.append(
                _sorted_run(
                    np.concatenate((earlier.hashes, later.hashes)),
                    np.concatenate((earlier.states, later.states)),
                )
            )

    def _hash_anew(self) -> None:
        """Chooses other hashes for all states until no two states have the same hash."""
        while True:
            self._hash = self._hashing(self._words)
            hashes = self._hash(self._rows[: self._count])
            run = _sorted_run(hashes, np.arange(self._count))
            if np.all(run.hashes[1:] != run.hashes[:-1]):
                self._runs = [run] if self._count else []
                return


def _sorted_run(hashes: NDArray[np.uint64], states: Indices) -> _SortedRun:
    # A stable sort makes use of order: it merges two runs in a quarter of the time that the default takes.
    order = np.argsort(hashes, kind="stable")
    return _SortedRun(hashes[order], states[order])
