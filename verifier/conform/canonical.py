"""One state of each class of states that differ in names only, as far as colours tell the names apart.

The colour of a name is a hash of the places at which it stands. The names of each set are put in the order of
their colours, and renamed to that order. Two images of one state may stay different, where names have equal
colours without being exchangeable. That costs time only: an image is an image under a permutation in any
case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from zlib import crc32

from verifier.tla.exploration_result import State
from verifier.tla.symmetry import Renaming
from verifier.tla.value_types import Fn, ModelValue, Value
from verifier.tla.values import LazyFunction, LazySet

_ROUNDS = 4
_MOST_SINGLED = 8
"""The most names that get a colour of their own, one after the other, if several have the same."""


class Canonical:
    """Renames states. Each group has the names of one set, which may be exchanged."""

    def __init__(self, groups: Sequence[Sequence[ModelValue]]) -> None:
        self.groups = groups
        self.constant = dict[Value, int]()
        """The hashes of values without such names."""
        self.begin = {name: number for number, group in enumerate(groups) for name in group}

    def rename(self, state: State) -> State:
        """Return the image of a state under a permutation of names."""
        colours = self._refine(state, self.begin)
        for number in range(1, _MOST_SINGLED + 1):
            tied = self._find_tied(colours)
            if tied is None:
                break
            colours = self._refine(state, {**colours, tied: hash((colours[tied], number))})
        permutation = dict[Value, Value]()
        for group in self.groups:
            row = sorted(group, key=colours.__getitem__)
            permutation.update(pair for pair in zip(row, group, strict=True) if pair[0] is not pair[1])
        return tuple(map(Renaming(permutation).of, state)) if permutation else state

    def find_twins(self, state: State) -> dict[ModelValue, int]:
        """Return a number for each name. Two names with equal numbers may be exchanged, and the state stays
        the same."""
        colours, twins = self._refine(state, self.begin), dict[ModelValue, int]()
        firsts = defaultdict[int, list[ModelValue]](list)
        for name, colour in colours.items():
            for first in firsts[colour]:
                renaming = Renaming({first: name, name: first})
                if all(renaming.of(value) == value for value in state):
                    twins[name] = twins[first]
                    break
            else:
                firsts[colour].append(name)
                twins[name] = len(twins)
        return twins

    def _refine(self, state: State, colours: dict[ModelValue, int]) -> dict[ModelValue, int]:
        count = len(set(colours.values()))
        for _ in range(_ROUNDS):
            colours = _Round(self, colours).run(state)
            before, count = count, len(set(colours.values()))
            if count == before:
                break
        return colours

    def _find_tied(self, colours: dict[ModelValue, int]) -> ModelValue | None:
        """Return the first of the fewest names with one colour; None if no two have the same."""
        alike = defaultdict[int, list[ModelValue]](list)
        for name, colour in colours.items():
            alike[colour].append(name)
        tied = [row for row in alike.values() if len(row) > 1]
        return min(tied, key=len)[0] if tied else None


class _Round:
    def __init__(self, canonical: Canonical, colours: dict[ModelValue, int]) -> None:
        self.constant, self.colours = canonical.constant, colours
        self.hashes = dict[Value, int]()
        self.places = defaultdict[ModelValue, list[int]](list)

    def run(self, state: State) -> dict[ModelValue, int]:
        """Return a new colour for each name: of its colour and its places."""
        self._visit(tuple(state), 0)
        return {name: hash((colour, *sorted(self.places[name]))) for name, colour in self.colours.items()}

    def _hash(self, value: Value) -> int:
        kind = type(value)
        if kind is ModelValue and value in self.colours:
            return self.colours[value]
        known = self.constant.get(value)
        if known is None:
            known = self.hashes.get(value)
        if known is not None:
            return known
        hashes = self.hashes
        match value:
            case tuple():
                made = hash((1, *map(self._hash, value)))
                constant = all(map(self.constant.__contains__, value))
            case frozenset():
                made = hash((2, *sorted(map(self._hash, value))))
                constant = all(map(self.constant.__contains__, value))
            case Fn():
                made = hash((3, *sorted((self._hash(key), self._hash(item)) for key, item in value.items())))
                constant = all(map(self.constant.__contains__, (*value, *value.values())))
            case LazySet() | LazyFunction():
                return self._hash(value.materialize())
            case _:
                made, constant = hash((4, crc32(f"{kind.__name__} {value}".encode()))), True
        (self.constant if constant else hashes)[value] = made
        return made

    def _visit(self, value: Value, place: int) -> None:
        """Note the places of the names in a value."""
        if type(value) is ModelValue:
            if value in self.colours:
                self.places[value].append(place)
            return
        own = self._hash(value)
        if value in self.constant:
            return
        match value:
            case tuple():
                for number, item in enumerate(value):
                    self._visit(item, hash((place, own, number)))
            case frozenset():
                for item in value:
                    self._visit(item, hash((place, own)))
            case Fn():
                for key, item in value.items():
                    self._visit(key, hash((place, own, self._hash(item), 1)))
                    self._visit(item, hash((place, own, self._hash(key), 2)))
            case LazySet() | LazyFunction():
                self._visit(value.materialize(), place)
