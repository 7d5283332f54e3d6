"""Orbits of states under symmetry: permutations map the states of an orbit to each other.

Source: Ip and Dill 1996, doi:10.1007/BF00625968.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.tla.symmetry import Renaming
from verifier.tla.value_types import Boolean, Fn, ModelValue, Value
from verifier.tla.values import LazyFunction, LazySet

Marks: TypeAlias = NDArray[np.uint64]
"""A hash of a value, and of its image under each permutation."""
_REMEMBERED_NUMBERS = 8_000_000
_FACTORS = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_HALF = np.uint64(32)


class Orbits:
    """Assigns states to orbits.

    The hashes of a state are computed from those of its parts, for all permutations at once. States of one
    orbit have the same least hash. Equal hashes alone never decide that two states are in one orbit.
    """

    def __init__(self, renamings: list[Renaming]) -> None:
        self.renamings = renamings
        self.keys: list[Value] = []
        self.ways: list[int] = []
        """For each orbit: the permutation under which its state has the least hash; 0 for the identity."""
        self.classes: dict[int, list[int]] = {}
        """The orbits with each least hash."""
        self.size = 0
        """The number of states in all orbits."""
        self.known: dict[Value, Marks] = {}
        self.latest: tuple[Value, Marks] | None = None

    def find(self, key: Value, marks: Marks | None = None) -> int | None:
        """Return the number of a state's orbit; None for a new one. ``marks``: its hashes, if they are
        known."""
        if marks is None:
            marks = self.marks(key)
        self.latest = key, marks
        way = int(marks.argmin())
        alike = self.classes.get(int(marks[way]))
        if alike is None:
            return None
        least = self._rename(key, way)
        for number in alike:
            if self._rename(self.keys[number], self.ways[number]) == least:
                return number
        # Several of its images may have the least hash, so all are compared.
        every = ((number, self.keys[number]) for number in alike)
        return next((n for n, known in every if any(r.of(known) == key for r in self.renamings)), None)

    def add(self, key: Value) -> None:
        """Add an orbit by one of its states."""
        latest = self.latest
        marks = latest[1] if latest is not None and latest[0] == key else self.marks(key)
        way = int(marks.argmin())
        self.classes.setdefault(int(marks[way]), []).append(len(self.keys))
        self.keys.append(key)
        self.ways.append(way)
        self.size += len(set(marks.tolist()))

    def _rename(self, key: Value, way: int) -> Value:
        return self.renamings[way - 1].of(key) if way else key

    def marks(self, value: Value) -> Marks:
        """Return the hashes of a state, or of another value."""
        if type(value) is tuple:
            return self._sum(value)
        return self._part(value)

    def _part(self, value: Value) -> Marks:
        part = self.known.get(value)
        if part is None:
            part = self._compute_marks(value)
            if len(self.known) * len(part) > _REMEMBERED_NUMBERS:
                self.known.clear()
            self.known[value] = part
        return part

    def _compute_marks(self, value: Value) -> Marks:
        kind = type(value)
        if kind is tuple:
            return self._row(value)
        if kind is frozenset:
            return self._mix(self.all(value).sum(axis=0) + _FACTORS[0])
        if kind is Fn:
            keys, items = _weights(2)
            pairs = self.all(value) * keys + self.all(value.values()) * items
            return self._mix(self._mix(pairs).sum(axis=0) + _FACTORS[1])
        if kind is ModelValue:
            images = [value, *(renaming.of(value) for renaming in self.renamings)]
            return self._mix(np.array([_number(image) for image in images], np.uint64))
        if isinstance(value, LazySet | LazyFunction):
            return self._part(value.materialize())
        word = f"{value.truth}" if kind is Boolean else value
        return self._mix(np.full(len(self.renamings) + 1, _number(word), np.uint64))

    def all(self, values: Iterable[Value]) -> Marks:
        """Return the hashes of values, one line for each."""
        rows = [self._part(value) for value in values]
        return np.array(rows) if rows else np.zeros((0, len(self.renamings) + 1), np.uint64)

    def _row(self, values: tuple[Value, ...]) -> Marks:
        return self._mix(self._sum(values) + _FACTORS[2])

    def _sum(self, values: tuple[Value, ...]) -> Marks:
        """Return the hashes of a row, without the final mixing that a row inside a value needs."""
        total: Marks = (self.all(values) * _weights(len(values))).sum(axis=0)
        return total

    @staticmethod
    def sum_hashes(rows: Sequence[Marks]) -> Marks:
        """Return the hashes of states, one line for each, from those of their variables' values."""
        hashes = np.zeros_like(rows[0])
        for weight, row in zip(_weights(len(rows)), rows, strict=True):
            hashes += row * weight
        return hashes

    @staticmethod
    def _mix(numbers: Marks) -> Marks:
        for factor in _FACTORS[1:]:
            numbers ^= numbers >> _HALF
            numbers *= factor
        numbers ^= numbers >> _HALF
        return numbers


@cache
def _weights(count: int) -> Marks:
    """Return the factors of the parts of a row: odd, and different for each place."""
    weights: Marks = np.multiply.accumulate(np.full((count, 1), _FACTORS[0]))
    return weights


def _number(value: Value) -> int:
    # Python's hashes of -1 and -2 are equal.
    return (value if type(value) is int else hash(value)) & (2**64 - 1)
