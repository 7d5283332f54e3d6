"""Lists of members, stored one after the other, with a column for each name that is bound to a part of a
member."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verifier.tla.columns.batches import Batch, ColumnReference
from verifier.tla.columns.numbers import Column, Grown


class Lists:
    """Lists, numbered in the order in which they were added."""

    def __init__(self, names: int) -> None:
        """``names``: the number of columns of a member."""
        self.starts, self.sizes, self.flat = Grown(), Grown(), [Grown() for _ in range(names)]

    def measure(self, lists: Column) -> tuple[Column, Column]:
        """Return the start and the number of the members of lists."""
        return self.starts.array[lists], self.sizes.array[lists]

    def at(self, places: Column) -> list[Column]:
        """Return the numbers of each name for members."""
        return [flat.array[places] for flat in self.flat]

    def expand(self, batch: Batch, lists: Column, names: Sequence[ColumnReference]) -> Batch:
        """Return one row for each row and member of its list."""
        starts, sizes = self.measure(lists)
        rows = np.repeat(np.arange(len(batch)), sizes)
        places = np.arange(len(rows)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        made = batch.take(rows)
        for of, column in zip(names, self.at(places), strict=True):
            made = made.put(of, column)
        return made
