"""Lists of members: all of them one after the other, a column for each name that takes a part of a member."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.tla.columns.batches import Batch, Of
from verifier.tla.columns.numbers import Column, Grown


class Lists:
    """Lists, numbered in the order in which they were added."""

    def __init__(self, names: int) -> None:
        """``names``: how many numbers a member has."""
        self.starts, self.sizes, self.flat = Grown(), Grown(), [Grown() for _ in range(names)]

    def sized(self, lists: Column) -> tuple[Column, Column]:
        """Where the members of lists begin, and how many they are."""
        return self.starts.array[lists], self.sizes.array[lists]

    def at(self, places: Column) -> list[Column]:
        """The numbers of each name for members."""
        return [flat.array[places] for flat in self.flat]

    def expanded(self, batch: Batch, lists: Column, names: Sequence[Of]) -> Batch:
        """A row for each row and member of its list."""
        starts, sizes = self.sized(lists)
        rows = np.repeat(np.arange(len(batch)), sizes)
        places = np.arange(len(rows)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        made = batch.take(rows)
        for of, column in zip(names, self.at(places), strict=True):
            made = made.put(of, column)
        return made
