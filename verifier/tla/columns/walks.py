"""The walk over Next for whole batches: one row for each way in which it can be true, in TLC's order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from verifier.tla.ast import Definition
from verifier.tla.columns.batches import UNSET_NUMBER, Batch, ColumnReference, merge_batches
from verifier.tla.columns.leaves import Members, Valued
from verifier.tla.columns.numbers import Column, Numbers
from verifier.tla.columns.truths import Mask, Truth
from verifier.tla.columns.unsuited import Unsuited
from verifier.tla.comparing import equals


class Walk(ABC):
    """A formula that is walked."""

    @abstractmethod
    def rows(self, batch: Batch) -> Batch:
        """Return the rows that follow, in the order of the rows from which they come."""


def new_mark() -> ColumnReference:
    """Return a column for the numbers of rows."""
    return ColumnReference(Numbers(), "")


def mark_rows(batch: Batch, mark: ColumnReference) -> Batch:
    """Return a batch with the numbers of its rows."""
    return batch.put(mark, np.arange(len(batch)))


@dataclass(frozen=True)
class Guard(Walk):
    """A formula that is only tested."""

    test: Truth

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        return batch.where(self.test.true(batch))


@dataclass(frozen=True)
class Sequenced(Walk):
    """A conjunction."""

    items: Sequence[Walk]

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        for item in self.items:
            if not len(batch):
                break
            batch = item.rows(batch)
        return batch


@dataclass(frozen=True)
class Branches(Walk):
    """A disjunction."""

    items: Sequence[Walk]
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        own = mark_rows(batch, self.mark)
        return merge_batches([item.rows(own) for item in self.items], self.mark)


@dataclass(frozen=True)
class Either(Walk):
    """IF or CASE: some rows take one branch, and the others another one."""

    condition: Truth
    then: Walk
    otherwise: Walk
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        return divide_rows(batch, self.condition.true(batch), self.then, self.otherwise, self.mark)


def divide_rows(batch: Batch, mask: Mask, then: Walk, otherwise: Walk, mark: ColumnReference) -> Batch:
    """Return the rows of two walks, one for the rows that the mask selects and one for the others."""
    if mask.all():
        return then.rows(batch)
    if not mask.any():
        return otherwise.rows(batch)
    own = mark_rows(batch, mark)
    return merge_batches([then.rows(own.where(mask)), otherwise.rows(own.where(~mask))], mark)


@dataclass(frozen=True)
class Exists(Walk):
    """``\\E``: the sets are evaluated first."""

    sets: Sequence[tuple[Members, Sequence[ColumnReference]]]
    body: Walk

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        return self.body.rows(self.expand(batch)).without([of for _, names in self.sets for of in names])

    def expand(self, batch: Batch) -> Batch:
        """Return one row for each row and combination of members of its sets."""
        for members, _ in self.sets:
            members.of(batch)
        for members, names in self.sets:
            batch = members.expand(batch, names)
        return batch


@dataclass(frozen=True)
class Every(Walk):
    r"""``\A`` of a formula that is walked: the set is evaluated first, and its members follow each other."""

    members: Members
    names: Sequence[ColumnReference]
    first: Walk
    later: Walk
    start: ColumnReference = field(default_factory=new_mark)
    size: ColumnReference = field(default_factory=new_mark)
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        starts, sizes = self.members.measure(batch)
        batch = batch.put(self.start, starts).put(self.size, sizes)
        for number in range(int(sizes.max())):
            mask = batch.column(self.size) > number
            if not mask.any():
                break
            own = mark_rows(batch, self.mark)
            here = own.where(mask)
            member = self.members.lists.at(here.column(self.start) + number)
            for of, column in zip(self.names, member, strict=True):
                here = here.put(of, column)
            here = (self.later if number else self.first).rows(here).without(self.names)
            batch = merge_batches([here, own.where(~mask)], self.mark)
        return batch.without([self.start, self.size])


@dataclass(frozen=True)
class Named(Walk):
    """A definition that names the steps of the rows."""

    mark: ColumnReference
    number: int
    body: Walk

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        return self.body.rows(batch.put(self.mark, np.full(len(batch), self.number)))


@dataclass(frozen=True)
class Impossible(Walk):
    """A formula whose error the interpreter reports."""

    words: str

    def rows(self, batch: Batch) -> Batch:
        """Raise Unsuited if there is a row."""
        if len(batch):
            raise Unsuited(self.words)
        return batch


@dataclass(frozen=True)
class Settled(Walk):
    """A formula that follows others. As in TLC, it is only tested once all variables have values."""

    walk: Walk
    test: Truth
    variables: Sequence[ColumnReference]
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        unset = np.zeros(len(batch), np.bool_)
        for of in self.variables:
            unset |= batch.column(of) == UNSET_NUMBER
        return divide_rows(batch, unset, self.walk, Guard(self.test), self.mark)


def _assign_column(batch: Batch, of: ColumnReference, column: Column) -> Batch:
    """Assign a value to a variable. Rows where it has another value are removed."""
    if of not in batch.names:
        return batch.put(of, column)
    before = batch.column(of)
    clash = (before != UNSET_NUMBER) & (before != column)
    values = of.numbers.values
    for one, other in set(zip(before[clash].tolist(), column[clash].tolist(), strict=True)):
        equals(values[one], values[other])  # raises NoValue if they may not be compared
    return batch.put(of, np.where(before == UNSET_NUMBER, column, before)).where(~clash)


@dataclass(frozen=True)
class Assign(Walk):
    """``x' = e``"""

    of: ColumnReference
    value: Valued

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        return _assign_column(batch, self.of, self.value.of(batch)) if len(batch) else batch


@dataclass(frozen=True)
class Keep(Walk):
    """UNCHANGED of variables."""

    pairs: Sequence[tuple[ColumnReference, ColumnReference]]
    """The column of each variable in this state and in the next."""

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        agree = np.ones(len(batch), np.bool_)
        for now, following in self.pairs:
            values = batch.column(now)
            before = batch.column(following)
            agree &= (before == UNSET_NUMBER) | (before == values)
            batch = batch.put(following, np.where(before == UNSET_NUMBER, values, before))
        return batch.where(agree)


@dataclass(frozen=True)
class AssignSome(Walk):
    """``x' \\in S``"""

    of: ColumnReference
    members: Members
    test: Truth
    mark: ColumnReference = field(default_factory=new_mark)

    def rows(self, batch: Batch) -> Batch:
        """The rows that follow."""
        if not len(batch):
            return batch
        unset = batch.column(self.of) == UNSET_NUMBER
        return divide_rows(batch, unset, _Some(self.of, self.members), Guard(self.test), self.mark)


@dataclass(frozen=True)
class _Some(Walk):
    of: ColumnReference
    members: Members

    def rows(self, batch: Batch) -> Batch:
        """Return one row for each member."""
        return self.members.expand(batch, [self.of])


@dataclass
class Actions:
    """The numbered definitions that name steps."""

    mark: ColumnReference = field(default_factory=new_mark)
    definitions: list[Definition] = field(default_factory=list)

    def make_named(self, symbol: Definition, body: Walk) -> Named:
        """Return a walk whose steps are named by a definition."""
        self.definitions.append(symbol)
        return Named(self.mark, len(self.definitions) - 1, body)
