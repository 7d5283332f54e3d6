"""States as numbers; with symmetry, one number for each orbit.

The order of the search decides which state of an orbit comes first, so columns keep the same states as the
interpreter. An orbit gets a number when one of its states is met, even one that the constraints exclude.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.tla.columns.numbers import Classes, Column, Grown, Numbers
from verifier.tla.orbits import Marks, Orbits


class ClassesOfStates:
    """Numbers the orbits of states."""

    def __init__(self, orbits: Orbits, numbers: Sequence[Numbers]) -> None:
        """``orbits``: the permutations of the search. ``numbers``: the values of each variable."""
        self.numbers, self.orbits = numbers, Orbits(orbits.renamings)
        self.orbits.known = orbits.known
        self.sizes: list[int] = []
        """The number of states in each orbit."""
        self.marks: list[Marks] = [self.orbits.all(own.values) for own in numbers]
        self.forget()

    def forget(self) -> None:
        """Forget the states that were met, after keys changed their meaning. Orbits keep their numbers."""
        self.met, self.classes = Classes(), Grown()

    def of(self, keys: Column, columns: Sequence[Column]) -> Column:
        """Return the orbits of states. ``keys``: different states have different keys."""
        numbers, new = self.met.find(keys)
        try:
            self.classes.extend(self._find_classes([column[new] for column in columns]))
        except BaseException:
            self.forget()  # some of the keys have no class
            raise
        return self.classes.array[numbers]

    def _find_classes(self, columns: Sequence[Column]) -> list[int]:
        if not len(columns[0]):
            return []
        for place, own in enumerate(self.numbers):
            known = self.marks[place]
            if len(own) > len(known):
                self.marks[place] = np.concatenate([known, self.orbits.all(own.values[len(known) :])])
        marks = Orbits.sum_hashes([own[column] for own, column in zip(self.marks, columns, strict=True)])
        values = [[own.values[n] for n in c.tolist()] for own, c in zip(self.numbers, columns, strict=True)]
        classes = []
        for state, own_marks in zip(zip(*values, strict=True), marks, strict=True):
            number = self.orbits.find(state, own_marks)
            if number is None:
                number, before = len(self.orbits.keys), self.orbits.size
                self.orbits.add(state)
                self.sizes.append(self.orbits.size - before)
            classes.append(number)
        return classes
