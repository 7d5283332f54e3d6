"""Expressions that the interpreter evaluates once for the numbers of all columns that they read.

This is sound if an expression has one value for the values of its columns. ``read_variables`` finds these
columns, and refuses expressions that may have another value each time. During evaluation, no other variable
has a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from verifier.tla.ast import Expression
from verifier.tla.columns.batches import NO_VALUE, UNSET_NUMBER, Batch, ColumnReference
from verifier.tla.columns.environments import Columns, Environment
from verifier.tla.columns.lists import Lists
from verifier.tla.columns.numbers import Classes, Column, Grown, Numbers, Packed
from verifier.tla.frames import PLAIN, UNSET, Evaluate, Frame, Undefined
from verifier.tla.value_types import NoValue

_MOST_LISTED_BITS = 18
"""The most bits of keys for which results are in an array of all keys."""
_UNKNOWN = -1


class _Known:
    """The known results of an expression, by key."""

    def __init__(self, reads: Sequence[ColumnReference]) -> None:
        self.packed = Packed([of.numbers for of in reads])
        self.forget()

    def forget(self) -> None:
        """Forget all results: keys have changed their meaning, or some of them have no result."""
        listed = self.packed.bits <= _MOST_LISTED_BITS
        self.table = np.full(1 << self.packed.bits, _UNKNOWN, np.int64) if listed else None
        self.classes, self.results = Classes(), Grown()


class Leaf(ABC):
    """An expression, with its known results by key."""

    def __init__(
        self,
        columns: Columns,
        whole: Expression,
        around: Environment,
        make: Evaluate,
        *,
        primed: bool = False,
    ) -> None:
        self.core, self.evaluate = columns.core, make
        self.reads = columns.read(whole, around, primed)
        self.framed = columns.make_framing(whole, around, self.reads)
        self.known = _Known(self.reads)
        self.plain: Callable[[], Leaf] | None = None
        """The expression as it is written, if parts of it are derived columns."""
        self.evaluated = 0
        """The number of evaluations by the interpreter."""

    def reading(self, reads: Sequence[ColumnReference]) -> Self:
        """Return the same function of other columns, which have the same numbers."""
        made = copy(self)
        made.reads, made.plain = list(reads), None
        return made

    @abstractmethod
    def result(self, value: Any) -> int:
        """Return the number of an evaluated result."""

    def of(self, batch: Batch) -> Column:
        """Return the results for the rows of a batch."""
        if not len(batch):
            return np.zeros(0, np.int64)
        numbers = [batch.column(of) for of in self.reads]
        if self.plain is not None:
            none = np.zeros(len(batch), np.bool_)
            for of, column in zip(self.reads, numbers, strict=True):
                if of.derived is not None:
                    none |= column == NO_VALUE
            if none.any():
                return self._divide(batch, none, self.plain())
        known = self.known
        if known.packed.outgrown():
            known.forget()
        keys = known.packed.keys(numbers, len(batch))
        if known.table is None:
            places, new = known.classes.find(keys)
            try:
                known.results.extend(self._compute_unknown(numbers, new))
            except BaseException:
                known.forget()  # some of the keys have no result
                raise
            return known.results.array[places]
        results = known.table[keys]
        missing = np.flatnonzero(results == _UNKNOWN)
        if len(missing):
            _, firsts = np.unique(keys[missing], return_index=True)
            new = missing[firsts]
            known.table[keys[new]] = self._compute_unknown(numbers, new)
            results = known.table[keys]
        return results

    def _divide(self, batch: Batch, none: npt.NDArray[np.bool_], plain: Leaf) -> Column:
        """Return the results if some parts have no value in some rows."""
        values = np.zeros(len(batch), np.int64)
        values[none] = plain.of(batch.where(none))
        values[~none] = self.of(batch.where(~none))
        return values

    def _compute_unknown(self, numbers: Sequence[Column], rows: Column) -> list[int]:
        """Compute the results of rows that are not known."""
        now, following = self.core.now, self.core.next
        now[:], following[:] = [UNSET] * len(now), [UNSET] * len(now)
        own = [_values(of, each[rows]) for of, each in zip(self.reads, numbers, strict=True)]
        put = [
            (following if of.primed else now, of.variable, place)
            for place, of in enumerate(self.reads)
            if of.variable is not None
        ]
        values, result, evaluate, framed = [], self.result, self.evaluate, self.framed
        for here in zip(*own, strict=True) if own else [()] * len(rows):
            for target, index, place in put:
                target[index] = here[place]
            values.append(result(evaluate(framed(here))))
        self.evaluated += len(rows)
        return values


def _values(of: ColumnReference, numbers: Column) -> Sequence[Any]:
    """Return the values of a column's numbers."""
    values = of.numbers.values
    if (numbers == UNSET_NUMBER).any():
        return [UNSET if number == UNSET_NUMBER else values[number] for number in numbers.tolist()]
    return [values[number] for number in numbers.tolist()]


class Test(Leaf):
    """A formula."""

    def result(self, value: Any) -> int:
        """Return 1 for a true formula, else 0."""
        return 1 if value else 0

    def true(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Return the mask of the rows for which the formula is true."""
        mask: npt.NDArray[np.bool_] = self.of(batch) == 1
        return mask


class Valued(Leaf):
    """An expression with a value."""

    def __init__(
        self,
        columns: Columns,
        whole: Expression,
        around: Environment,
        make: Evaluate,
        numbers: Numbers,
        *,
        primed: bool = False,
    ) -> None:
        self.numbers = numbers
        super().__init__(columns, whole, around, make, primed=primed)

    def result(self, value: Any) -> int:
        """Return the number of the value."""
        return self.numbers.of(value)


class Derived(Valued):
    """A part of an expression. It may have no value."""

    def __init__(
        self, columns: Columns, whole: Expression, around: Environment, make: Evaluate, numbers: Numbers
    ) -> None:
        def make_plain(e: Frame) -> Any:
            try:
                value = make(e)
                return value if type(value) in PLAIN else UNSET
            except (Undefined, NoValue, RecursionError):
                return UNSET

        super().__init__(columns, whole, around, make_plain, numbers)

    def result(self, value: Any) -> int:
        """Return the number of the value, or NO_VALUE."""
        try:
            return NO_VALUE if value is UNSET else self.numbers.of(value)
        except NoValue:
            return NO_VALUE


class Members(Leaf):
    """A set whose members are enumerated in TLC's order. Names are bound to them, or to their parts."""

    def __init__(
        self,
        columns: Columns,
        whole: Expression,
        around: Environment,
        make: Evaluate,
        names: Sequence[Numbers],
        parts: Callable[[Any], Sequence[Any]],
    ) -> None:
        self.names, self.parts = names, parts
        self.lists = Lists(len(names))
        super().__init__(columns, whole, around, make)

    def result(self, value: Any) -> int:
        """Return the number of the list of members."""
        lists = self.lists
        count, start = 0, len(lists.flat[0])
        for item in value:
            for flat, numbers, part in zip(lists.flat, self.names, self.parts(item), strict=True):
                flat.append(numbers.of(part))
            count += 1
        lists.starts.append(start)
        lists.sizes.append(count)
        return len(lists.sizes) - 1

    def measure(self, batch: Batch) -> tuple[Column, Column]:
        """Return the start and the number of the members of each row's set."""
        return self.lists.measure(self.of(batch))

    def expand(self, batch: Batch, names: Sequence[ColumnReference]) -> Batch:
        """Return one row for each row and member of its set."""
        return self.lists.expand(batch, self.of(batch), names)
