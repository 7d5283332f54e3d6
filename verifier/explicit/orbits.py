"""Symmetry: the least state of an orbit represents all states of the orbit.

The states of an orbit differ only in the names of interchangeable elements. A sequence of swaps of
neighbours visits all permutations of the elements (Johnson 1963, doi:10.1090/S0025-5718-1963-0159764-2),
so only the swaps are compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import factorial

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.concrete import Concrete
from verifier.encodings.renaming import renamed_bits
from verifier.explicit.compiled import Compiled, Program
from verifier.explicit.packing import Rows, Slices, to_rows, to_slices
from verifier.system.model import Model

_BITS_BETWEEN_CHECKS = 16


class Orbits:
    """The permutations under which a model does not change, and their effect on states."""

    def __init__(self, model: Model) -> None:
        self._bits = len(model.system.bits)
        self._swaps: list[Compiled] = []
        tours: list[list[int]] = []
        self.size = 1
        """How many permutations there are."""
        for symmetry in model.system.symmetries:
            first = len(self._swaps)
            for one, other in pairwise(symmetry.movable):
                renaming: dict[Concrete, Concrete] = {one: other, other: one}
                program = Program(model.system.bits)
                for term in renamed_bits(model.layout, {symmetry.sort: renaming}):
                    program.output(program.number(term))
                self._swaps.append(program.compile())
            tours.append([first + swap for swap in neighbour_swaps(len(symmetry.movable))])
            self.size *= factorial(len(symmetry.movable))
        self._tours = tours

    def least(self, rows: Rows) -> Rows:
        """For each state the least state of its orbit."""
        best = to_slices(rows, self._bits)
        for image in self._images(best.copy()):
            differs = image ^ best
            worse = differs & best
            same = ~differs
            less = np.zeros_like(best[0])
            undecided = ~less
            for bit in range(self._bits):
                less |= undecided & worse[bit]
                undecided &= same[bit]
                if bit % _BITS_BETWEEN_CHECKS == 0 and not undecided.any():
                    break
            differs &= less
            best ^= differs
        return to_rows(best, len(rows))

    def sizes(self, rows: Rows) -> NDArray[np.int64]:
        """For each state how many states its orbit has."""
        start = to_slices(rows, self._bits)
        fixed = np.ones(len(rows), np.int64)
        for image in self._images(start):
            moved = np.bitwise_or.reduce(image ^ start, axis=0)
            octets = np.unpackbits(moved.view(np.uint8), bitorder="little", count=len(rows))
            fixed += octets == 0
        return self.size // fixed

    def _images(self, slices: Slices) -> Iterator[Slices]:
        """The images under all permutations but the identity."""
        for swap in _walk(self._tours):
            slices = np.array(self._swaps[swap](list(slices)))
            yield slices


def neighbour_swaps(size: int) -> list[int]:
    """The swaps that visit all permutations of ``size`` things. Swap i exchanges the places i and i + 1."""
    if size < 2:
        return []
    shorter = neighbour_swaps(size - 1)
    result: list[int] = []
    downwards = True
    for index in range(len(shorter) + 1):
        sweep = range(size - 2, -1, -1) if downwards else range(size - 1)
        result.extend(sweep)
        if index < len(shorter):
            # After a sweep downwards the last thing stands in front, so the others are one place further.
            result.append(shorter[index] + (1 if downwards else 0))
        downwards = not downwards
    return result


def _walk(tours: Sequence[Sequence[int]]) -> Iterator[int]:
    """A walk through the product of the tours. Each tour alternates between forwards and backwards."""
    if not tours:
        return
    *outer, inner = tours
    forwards = True
    steps = _walk(outer)
    while True:
        yield from inner if forwards else reversed(inner)
        forwards = not forwards
        step = next(steps, None)
        if step is None:
            return
        yield step
