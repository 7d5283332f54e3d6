"""Keys of interchangeable elements: the role of each in a state, without the names of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.layout import Layout
from verifier.encodings.renaming import Renaming
from verifier.explicit.packing import Slices
from verifier.symmetry.bit_permutations import Permutation, exactly_moved, permutation_of
from verifier.system.transition_system import Symmetry

Keys: TypeAlias = NDArray[np.uint64]
"""For each element, for each bit of its key, a slice: shape (elements, bits, words)."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The state bits that the keys are made of.

    A class of the first element is a set of bits that permutations of the other elements carry into each
    other; those of the other elements are its images. A class of one bit is a bit of the key. Of a larger one
    the key has three: whether one of its bits is set, whether all are, and their parity.
    """

    single: NDArray[np.intp]
    """For each element a row of bits."""
    larger: tuple[NDArray[np.intp], ...]
    """For each class, for each element a row of bits."""

    def keys(self, slices: Slices) -> Keys:
        """The keys in each state."""
        parts = [slices[self.single]]
        for bits in self.larger:
            held = slices[bits]
            parts += [
                operator.reduce(held, axis=1)[:, np.newaxis]
                for operator in (np.bitwise_or, np.bitwise_and, np.bitwise_xor)
            ]
        return np.concatenate(parts, axis=1)


def key_classes(layout: Layout, symmetries: Sequence[Symmetry], place: int) -> Classes:
    """The bits of the keys of the elements of one index set.

    Keys leave out the fields whose unused slots hold an element that moves: there renaming is more than
    moving bits.
    """
    symmetry = symmetries[place]
    elements = symmetry.movable
    others = [_swaps(each.sort, each.movable) for each in symmetries if each is not symmetry]
    steady = [*_swaps(symmetry.sort, elements[1:]), *(swap for swaps in others for swap in swaps)]
    transports = [
        permutation_of(layout, {symmetry.sort: {elements[0]: element, element: elements[0]}})
        for element in elements
    ]
    everyone = [permutation_of(layout, swap) for swap in [*steady, *_swaps(symmetry.sort, elements)]]
    usable = set(range(1, len(layout.bits) + 1))
    for each in symmetries:
        for swap in _swaps(each.sort, each.movable):
            usable &= exactly_moved(layout, swap)
    single: list[NDArray[np.intp]] = []
    larger: list[NDArray[np.intp]] = []
    for bits in _orbits(usable, [permutation_of(layout, swap) for swap in steady]):
        if all(permutation[bit] in bits for permutation in everyone for bit in bits):
            continue  # The class is the same for all elements.
        rows = np.array([[transport[bit] - 1 for bit in bits] for transport in transports], np.intp)
        (single if len(bits) == 1 else larger).append(rows)
    none = np.empty((len(elements), 0), np.intp)
    return Classes(np.concatenate([none, *single], axis=1), tuple(larger))


def _swaps(sort: object, elements: Sequence[object]) -> list[Renaming]:
    return [{sort: {one: other, other: one}} for one, other in pairwise(elements)]


def _orbits(bits: Iterable[int], permutations: Sequence[Permutation]) -> list[tuple[int, ...]]:
    """The sets of bits that the permutations carry into each other."""
    left, result = set(bits), []
    for bit in sorted(left):
        if bit not in left:
            continue
        left.discard(bit)
        orbit = [bit]
        for one in orbit:
            for permutation in permutations:
                image = permutation[one]
                if image in left:
                    left.discard(image)
                    orbit.append(image)
        result.append(tuple(orbit))
    return result
