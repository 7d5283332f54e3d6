"""Rows of a search in work: the state that each starts from, and the numbers of what it has so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from verifier.tla.columns.numbers import Column, Numbers

UNSET_NUMBER = -1
"""Stands for a variable of the next state that has no value yet."""


NO_VALUE = -2
"""Stands for a part of an expression that has no value, or none that is listed."""


class _Derived(Protocol):
    reads: list[Of]

    def of(self, batch: Batch) -> Column:
        """The numbers for the rows of a batch."""


@dataclass(eq=False, frozen=True)
class Of:
    """A column: a variable of the state or of the next one, what a name is bound to, or what others say."""

    numbers: Numbers
    name: str
    variable: int | None = None
    primed: bool = False
    derived: _Derived | None = None


class Batch:
    """Rows. A column is made when it is first asked for; nothing else changes once a batch is made."""

    __slots__ = ("_base", "_own", "_rows", "names", "parents", "states")

    def __init__(
        self,
        states: Sequence[Column],
        parents: Column,
        own: Mapping[Of, Column] = MappingProxyType({}),
        base: Batch | None = None,
        rows: Column | None = None,
    ) -> None:
        """``states`` has the variables of all states that rows may start from, and ``parents`` which of them
        each row starts from. The rows are these ``rows`` of ``base``, or all of it, with columns of their
        own."""
        self.states, self.parents = states, parents
        self._own, self._base, self._rows = dict(own), base, rows
        self.names: Set[Of] = own.keys() if base is None else base.names | own.keys() if own else base.names
        """The columns besides those of this state."""

    def __len__(self) -> int:
        return len(self.parents)

    def column(self, of: Of) -> Column:
        """The numbers of a column."""
        found = self._own.get(of)
        if found is None:
            found = self._own[of] = self._found(of)
        return found

    def _found(self, of: Of) -> Column:
        base, rows = self._base, self._rows
        if of.derived is not None:
            # Rows of another batch have what was derived there; with other columns it may be something else.
            kept = None if base is None or rows is None else base._own.get(of)
            return of.derived.of(self) if kept is None else kept[rows]
        if of.variable is not None and not of.primed:
            return self.states[of.variable][self.parents]
        if of not in self.names or base is None:
            return np.full(len(self), UNSET_NUMBER, np.int64)
        found = base.column(of)
        return found if rows is None else found[rows]

    def take(self, rows: Column) -> Batch:
        """Some of the rows."""
        return Batch(self.states, self.parents[rows], base=self, rows=rows)

    def where(self, mask: np.typing.NDArray[np.bool_]) -> Batch:
        """The rows that are marked."""
        return self if mask.all() else self.take(np.flatnonzero(mask))

    def put(self, of: Of, column: Column) -> Batch:
        """The same with a column."""
        return Batch(self.states, self.parents, {of: column}, base=self)

    def without(self, columns: Sequence[Of]) -> Batch:
        """The same without some columns."""
        made = Batch(self.states, self.parents, base=self)
        made.names = self.names - set(columns)
        return made


def merged(batches: Sequence[Batch], order: Of) -> Batch:
    """The rows of several batches, by the rows of another batch that they come from, which ``order`` says."""
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
