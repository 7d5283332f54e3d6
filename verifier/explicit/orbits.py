"""Symmetry: one state of an orbit represents all states of the orbit.

The states of an orbit differ only in the names of interchangeable elements. For each element a *key* says
what the state knows of it without naming the others. Elements are sorted by their keys; only those with
equal keys are then tried in every order, and the least state is the representative.

This is sound because a key is equivariant: renaming elements gives every element the key that it had under
its former name, and leaves the keys of the other index sets as they are. So the states of an orbit whose keys
ascend differ only by permutations of elements with equal keys. Most of these need not be tried: where
exchanging two elements leaves the state as it is, their order does not matter.

Source: Ip and Dill 1996, doi:10.1007/BF00625968; Clarke, Enders, Filkorn and Jha 1996,
doi:10.1007/BF00625969.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.renaming import Renaming, rename_bits
from verifier.explicit.arrangements import arrangements, walk
from verifier.explicit.compiled import Compiled, Program
from verifier.explicit.keys import Classes, Keys, key_classes
from verifier.explicit.packing import Rows, Slices, lanes, pack_columns, places, to_rows, to_slices, words_for
from verifier.processes.limits import Interrupted
from verifier.symmetry.bit_permutations import is_exact, permutation_of
from verifier.system.model import Model

_BITS_BETWEEN_CHECKS = 16
_AT_ONCE = 1 << 16
"""States that are sorted at once."""
FEW_PERMUTATIONS = 24
"""The limit of permutations that are all tried: that costs less than sorting."""
_MOST_ORDERS = 50_000
"""The most orders of elements with equal keys that are tried."""

_MOST_IN_WORDS = 1 << 40
"""Orbits of more states are counted in Python's integers, which have no end: many such counts are added."""

Mask = NDArray[np.uint64]
"""A slice, a bit per state: shape (words,)."""
Counts = NDArray[Any]
"""For each state a count: shape (states,), of int64, or of Python's integers for large orbits."""
Blocks: TypeAlias = tuple[tuple[int, int, tuple[int, ...]], ...]
"""Runs of elements with equal keys: the index set, the first element, and for each element the first one that
it is a twin of."""


class Orbits:
    """The permutations under which a model does not change, and their effect on states. They can be pickled,
    and then do without the model."""

    def __init__(self, model: Model) -> None:
        self._bits = len(model.system.bits)
        self._sets = tuple(Interchangeable(model, place) for place in range(len(model.system.symmetries)))
        self.size = prod(factorial(elements.count) for elements in self._sets)
        """The number of permutations."""
        self._counted: type = np.int64 if self.size <= _MOST_IN_WORDS else object

    def representatives(self, rows: Rows) -> Rows:
        """Return for each state the state that represents its orbit."""
        result = np.empty_like(rows)
        for first in range(0, len(rows), _AT_ONCE):
            some = rows[first : first + _AT_ONCE]
            result[first : first + len(some)] = self._canonical(some, counted=False)[0]
        return result

    def sizes(self, rows: Rows) -> Counts:
        """Return for each state the size of its orbit."""
        result: Counts = np.empty(len(rows), self._counted)
        for first in range(0, len(rows), _AT_ONCE):
            some = rows[first : first + _AT_ONCE]
            result[first : first + len(some)] = self.size // self._canonical(some, counted=True)[1]
        return result

    def _canonical(self, rows: Rows, *, counted: bool) -> tuple[Rows, Counts]:
        """Return for each state the representative, and the number of permutations that leave it as it is;
        the number is right only if it is wanted."""
        if self.size <= FEW_PERMUTATIONS:
            blocks = tuple((place, 0, tuple(range(each.count))) for place, each in enumerate(self._sets))
            return self._least(rows, blocks, counted=counted)
        result, ties, changes = self._sort(rows)
        stabilisers: Counts = np.ones(len(rows), self._counted)
        unsettled = np.zeros(words_for(len(rows)), np.uint64)
        for tied, changed in zip(ties, changes, strict=True):
            run = np.ones(len(rows), np.int64)
            for mask, change in zip(tied, changed, strict=True):
                if counted:
                    run = np.where(octets(mask, len(rows)), run + 1, 1)
                    stabilisers *= run
                unsettled |= mask & change
        left = places(unsettled & lanes(len(rows)))
        if len(left):
            flags = [octets(mask, len(rows))[left] for tied in ties for mask in tied]
            result[left], stabilisers[left] = self._try_orders(
                result[left], np.array(flags).T, counted=counted
            )
        return result, stabilisers

    def _sort(self, rows: Rows) -> tuple[Rows, list[list[Mask]], list[list[Mask]]]:
        """Sort the elements of each index set by their keys. Returns the states after that. For each set,
        for each two neighbours, it says where the keys are equal, and where exchanging the two changes the
        state."""
        slices = to_slices(rows, self._bits)
        ties = [elements.sort(slices) for elements in self._sets]
        changes = [
            [elements.exchange(one, one + 1).find_changes(slices) for one in range(len(tied))]
            for elements, tied in zip(self._sets, ties, strict=True)
        ]
        return to_rows(slices, len(rows)), ties, changes

    def _find_changes(self, rows: Rows) -> list[Mask]:
        """For each two elements of an index set, where exchanging them changes the state."""
        slices = to_slices(rows, self._bits)
        return [
            elements.exchange(one, other).find_changes(slices)
            for elements in self._sets
            for one, other in combinations(range(elements.count), 2)
        ]

    def _try_orders(self, rows: Rows, tied: NDArray[np.uint8], *, counted: bool) -> tuple[Rows, Counts]:
        """Normalise states with ascending keys; ``tied``: for each, whether neighbours have equal ones."""
        twins = [1 - octets(changed, len(rows)) for changed in self._find_changes(rows)]
        flags = np.concatenate((tied, np.array(twins, np.uint8).T), axis=1)
        result = np.empty_like(rows)
        stabilisers: Counts = np.empty(len(rows), self._counted)
        for alike in _alike(pack_columns(flags.astype(np.bool_))):
            blocks = tuple(self._blocks(flags[alike[0]].tolist()))
            result[alike], fixed = self._least(rows[alike], blocks, counted=counted)
            equal = prod(factorial(labels.count(label)) for _, _, labels in blocks for label in set(labels))
            stabilisers[alike] = fixed.astype(self._counted) * equal
        return result, stabilisers

    def _blocks(self, pattern: Sequence[int]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """The runs of elements with equal keys."""
        tie, twin = 0, sum(max(0, elements.count - 1) for elements in self._sets)
        for number, elements in enumerate(self._sets):
            count = elements.count
            tied = pattern[tie : tie + count - 1]
            is_twin = dict(zip(combinations(range(count), 2), pattern[twin:], strict=False))
            first = 0
            for end in range(1, count + 1):
                if end < count and tied[end - 1]:
                    continue
                run = range(first, end)
                labels = tuple(
                    next((one for one in range(first, other) if is_twin[one, other]), other) for other in run
                )
                yield number, first, labels
                first = end
            tie, twin = tie + max(0, count - 1), twin + count * (count - 1) // 2

    def _least(self, rows: Rows, blocks: Blocks, *, counted: bool) -> tuple[Rows, NDArray[np.int64]]:
        """The least of the states in which elements of a block are in another order, and how many such
        orders give the state itself, if that is wanted."""
        count = len(rows)
        start = to_slices(rows, self._bits)
        best, current = start.copy(), start.copy()
        fixed = np.ones(count, np.int64)
        everywhere = lanes(count)
        check_orders(blocks)
        for step in walk([labels for _, _, labels in blocks]):
            number, first, _ = blocks[step.block]
            one = first + step.position
            self._sets[number].exchange(one, one + 1).apply(current, everywhere)
            if step.is_new:
                if counted:
                    changed = np.bitwise_or.reduce(current ^ start, axis=0)
                    fixed += 1 - octets(changed, count)
                less = where_less(current, best)
                best ^= (current ^ best) & less
        return to_rows(best, count), fixed


def check_orders(blocks: Blocks) -> None:
    """Raise Interrupted if elements of the blocks have too many orders to try."""
    orders = prod(arrangements(labels) for _, _, labels in blocks)
    if orders > _MOST_ORDERS:
        raise Interrupted(f"symmetry: {orders:,} orders of elements to try for one state")


class Exchange:
    """The exchange of two elements, as a change of states."""

    def __init__(self, model: Model, renaming: Renaming) -> None:
        self.compiled: Compiled | None = None
        """The new bits of a state, as a program. None: ``pairs`` of bits change places."""
        self.pairs: list[tuple[int, int]] = []
        if is_exact(model.layout, renaming):
            self.pairs = [
                (one - 1, other - 1)
                for one, other in enumerate(permutation_of(model.layout, renaming))
                if one < other
            ]
            self._ones = np.array([one for one, _ in self.pairs], np.intp)
            self._others = np.array([other for _, other in self.pairs], np.intp)
        else:
            program = Program(model.system.bits)
            for term in rename_bits(model.layout, renaming):
                program.output(program.number(term))
            self.compiled = program.compile()

    def apply(self, slices: Slices, where: Mask) -> None:
        """Exchanges the elements in these states."""
        if self.compiled is not None:
            slices ^= (np.array(self.compiled(list(slices))) ^ slices) & where
            return
        differs = (slices[self._ones] ^ slices[self._others]) & where
        slices[self._ones] ^= differs
        slices[self._others] ^= differs

    def find_changes(self, slices: Slices) -> Mask:
        """The states that the exchange changes."""
        if self.compiled is not None:
            changes = np.array(self.compiled(list(slices))) ^ slices
        else:
            changes = slices[self._ones] ^ slices[self._others]
        result: Mask = np.bitwise_or.reduce(changes, axis=0)
        return result


class Interchangeable:
    """The movable elements of one index set."""

    def __init__(self, model: Model, place: int) -> None:
        self._model: Model | None = model
        self._place = place
        self._exchanges: dict[tuple[int, int], Exchange] = {}
        self.count = len(model.system.symmetries[place].movable)

    def __getstate__(self) -> dict[str, Any]:
        """All that is otherwise made when it is needed first, and no model."""
        for one, other in combinations(range(self.count), 2):
            self.exchange(one, other)
        return {**self.__dict__, "classes": self.classes, "_model": None}

    @cached_property
    def classes(self) -> Classes:
        """The bits of the elements' keys."""
        assert self._model is not None
        return key_classes(self._model.layout, self._model.system.symmetries, self._place)

    def exchange(self, one: int, other: int) -> Exchange:
        """The exchange of the elements at these places."""
        if (one, other) not in self._exchanges:
            assert self._model is not None
            symmetry = self._model.system.symmetries[self._place]
            first, second = symmetry.movable[one], symmetry.movable[other]
            renaming = {symmetry.sort: {first: second, second: first}}
            self._exchanges[one, other] = Exchange(self._model, renaming)
        return self._exchanges[one, other]

    def sort(self, slices: Slices) -> list[Mask]:
        """Sorts the elements of each state by their keys, in place; returns for each two neighbours where
        their keys are equal."""
        keys: Keys = self.classes.keys(slices)
        for end in range(self.count - 1, 0, -1):
            for one in range(end):
                less = where_less(keys[one + 1], keys[one])
                if less.any():
                    self.exchange(one, one + 1).apply(slices, less)
                    differs = (keys[one] ^ keys[one + 1]) & less
                    keys[one] ^= differs
                    keys[one + 1] ^= differs
        return [~np.bitwise_or.reduce(one ^ other, axis=0) for one, other in pairwise(keys)]


def where_less(one: Slices, other: Slices) -> Mask:
    """Return where the first is less than the second; the first bit is the most significant."""
    less = np.zeros(one.shape[1], np.uint64)
    undecided = ~less
    for bit in range(len(one)):
        differs = (one[bit] ^ other[bit]) & undecided
        less |= differs & other[bit]
        undecided ^= differs
        if bit % _BITS_BETWEEN_CHECKS == 0 and not undecided.any():
            break
    return less


def where_different(one: Slices, other: Slices) -> Mask:
    """Return where the two differ."""
    alike = ~np.zeros(one.shape[1], np.uint64)
    for bit in range(len(one)):
        alike &= ~(one[bit] ^ other[bit])
        if bit % _BITS_BETWEEN_CHECKS == 0 and not alike.any():
            break
    return ~alike


def _alike(rows: Rows) -> list[NDArray[np.intp]]:
    """The places of rows that are equal, for each different row."""
    order = np.lexsort(rows.T)
    ordered = rows[order]
    starts = np.flatnonzero((ordered[1:] != ordered[:-1]).any(axis=1)) + 1
    return np.split(order, starts)


def octets(mask: Mask, count: int) -> NDArray[np.uint8]:
    """A byte per state, 1 where the mask has the state."""
    return np.unpackbits(mask.view(np.uint8), bitorder="little", count=count)
