"""Formulas of whole batches, composed of leaves: evaluated from the left, and no further than needed.

So a part is evaluated for exactly the rows for which the interpreter evaluates it, and fails where the
interpreter finds an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from verifier.tla.columns.batches import Batch, ColumnReference
from verifier.tla.columns.leaves import Members, Test, Valued

Mask = npt.NDArray[np.bool_]
"""A truth value for each row: shape (rows,)."""


class Truth(ABC):
    """A formula."""

    @abstractmethod
    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""


@dataclass(frozen=True)
class Tested(Truth):
    """A formula that is evaluated as a whole."""

    leaf: Test

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        return self.leaf.true(batch)


@dataclass(frozen=True)
class Joined(Truth):
    """A conjunction or disjunction."""

    conjunction: bool
    items: Sequence[Truth]

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        undecided, mask = np.arange(len(batch)), np.full(len(batch), self.conjunction)
        for item in self.items:
            if not len(undecided):
                break
            here = item.true(batch if len(undecided) == len(batch) else batch.take(undecided))
            mask[undecided] = here
            undecided = undecided[here if self.conjunction else ~here]
        return mask


@dataclass(frozen=True)
class Negated(Truth):
    """``~A``"""

    item: Truth

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        return ~self.item.true(batch)


@dataclass(frozen=True)
class Chosen(Truth):
    """IF, as a formula."""

    condition: Truth
    then: Truth
    otherwise: Truth

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        mask = self.condition.true(batch)
        for rows, part in ((np.flatnonzero(mask), self.then), (np.flatnonzero(~mask), self.otherwise)):
            if len(rows):
                mask[rows] = part.true(batch.take(rows))
        return mask


@dataclass(frozen=True)
class Quantified(Truth):
    """A quantifier over the members of a set, evaluated one by one until it is decided."""

    universal: bool
    members: Members
    names: Sequence[ColumnReference]
    body: Truth

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        starts, sizes = self.members.measure(batch)
        mask = np.full(len(batch), self.universal)
        undecided, number = np.flatnonzero(sizes > 0), 0
        while len(undecided):
            here = batch.take(undecided)
            for of, column in zip(self.names, self.members.lists.at(starts[undecided] + number), strict=True):
                here = here.put(of, column)
            held = self.body.true(here)
            mask[undecided] = held
            number += 1
            undecided = undecided[(held if self.universal else ~held) & (sizes[undecided] > number)]
        return mask


@dataclass(frozen=True)
class Kept(Truth):
    """``x' = x``: equal values have one number."""

    now: ColumnReference
    next: ColumnReference

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        mask: Mask = batch.column(self.now) == batch.column(self.next)
        return mask


@dataclass(frozen=True)
class Unchanged(Truth):
    """An expression that has the same value in the next state."""

    now: Valued
    next: Valued

    def true(self, batch: Batch) -> Mask:
        """Return the mask of the rows for which the formula is true."""
        mask: Mask = self.now.of(batch) == self.next.of(batch)
        return mask
