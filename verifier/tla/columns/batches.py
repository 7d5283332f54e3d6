"""Rows of a search in progress: the source state of each row, and the numbers of its values so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from verifier.tla.columns.numbers import Column, Numbers

UNSET_NUMBER = -1
"""The number of a variable of the next state that has no value yet."""


NO_VALUE = -2
"""The number of a part of an expression that has no value, or none that is listed."""


class _Derived(Protocol):
    reads: list[ColumnReference]

    def of(self, batch: Batch) -> Column:
        """The numbers for the rows of a batch."""


@dataclass(eq=False, frozen=True)
class ColumnReference:
    """A column: a variable of the state or of the next one, a bound name, or a derived expression."""

    numbers: Numbers
    name: str
    variable: int | None = None
    primed: bool = False
    derived: _Derived | None = None


class Batch:
    """Rows. A column is made when it is first needed; otherwise a batch does not change."""

    __slots__ = ("_base", "_own", "_rows", "names", "parents", "states")

    def __init__(
        self,
        states: Sequence[Column],
        parents: Column,
        own: Mapping[ColumnReference, Column] = MappingProxyType({}),
        base: Batch | None = None,
        rows: Column | None = None,
    ) -> None:
        """``states``: the variables of all source states. ``parents``: the source state of each row. The rows
        are these ``rows`` of ``base``, or all of it, with columns of their own."""
        self.states, self.parents = states, parents
        self._own, self._base, self._rows = dict(own), base, rows
        self.names: Set[ColumnReference] = (
            own.keys() if base is None else base.names | own.keys() if own else base.names
        )
        """The columns besides those of the source state."""

    def __len__(self) -> int:
        return len(self.parents)

    def column(self, of: ColumnReference) -> Column:
        """Return the numbers of a column."""
        column = self._own.get(of)
        if column is None:
            column = self._own[of] = self._find_column(of)
        return column

    def _find_column(self, of: ColumnReference) -> Column:
        base, rows = self._base, self._rows
        if of.derived is not None:
            # Rows of another batch keep its derived columns, unless other columns were added.
            kept = None if base is None or rows is None else base._own.get(of)
            return of.derived.of(self) if kept is None else kept[rows]
        if of.variable is not None and not of.primed:
            return self.states[of.variable][self.parents]
        if of not in self.names or base is None:
            return np.full(len(self), UNSET_NUMBER, np.int64)
        column = base.column(of)
        return column if rows is None else column[rows]

    def take(self, rows: Column) -> Batch:
        """Return some of the rows."""
        return Batch(self.states, self.parents[rows], base=self, rows=rows)

    def where(self, mask: np.typing.NDArray[np.bool_]) -> Batch:
        """Return the rows that a mask selects."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def put(self, of: ColumnReference, column: Column) -> Batch:
        """Return the batch with one more column."""
        return Batch(self.states, self.parents, {of: column}, base=self)

    def without(self, columns: Sequence[ColumnReference]) -> Batch:
        """Return the batch without some columns."""
        made = Batch(self.states, self.parents, base=self)
        made.names = self.names - set(columns)
        return made


def merge_batches(batches: Sequence[Batch], order: ColumnReference) -> Batch:
    """Merge the rows of several batches. ``order``: the column with the row of another batch from which each
    row comes."""
    filled = [batch for batch in batches if len(batch)]
    if not filled:
        return batches[0].without([order])
    if len(filled) == 1:
        return filled[0].without([order])
    parents = np.concatenate([batch.parents for batch in filled])
    names = set().union(*(batch.names for batch in filled))
    columns = {of: np.concatenate([batch.column(of) for batch in filled]) for of in names}
    made = Batch(filled[0].states, parents, columns)
    return made.take(np.argsort(columns[order], kind="stable")).without([order])
