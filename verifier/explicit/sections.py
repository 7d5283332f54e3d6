"""Successors that are written for several readers: a section of a file for each, read in one piece.

A section has the first word of all its states, then the second, and so on, and then their keys. Where a last
word has bits that no state uses, keys are there and not in a word of their own, lowered by the least of the
block: a quarter less is written of states with three words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.packing import WORD
from verifier.storage.blocks import Block, Column, Shelf, Slice


@dataclass(frozen=True)
class Section:
    """The successors of a block that are in one part of the space of states."""

    part: Slice
    count: int
    least_key: int | None
    """By so much keys are lowered that are in the last word; None: they have words of their own."""


@dataclass(frozen=True)
class Sections:
    """A block with a section for each part of the space of states."""

    block: Block
    bounds: tuple[int, ...]
    """The bounds of the sections, counted in successors."""
    least_key: int | None

    def each(self) -> Iterator[tuple[int, Section]]:
        """The sections with successors, and their numbers."""
        width = self.block.count // self.bounds[-1]
        for number, (start, end) in enumerate(pairwise(self.bounds)):
            if start < end:
                part = Slice(self.block, start * width, end * width)
                yield number, Section(part, end - start, self.least_key)


def join_sections(columns: Sequence[Column], keys: Column, bits: int) -> tuple[list[Column], int | None]:
    """The words to write for states with so many bits, and the least key, if keys are put into the last word.

    They are where all fit, lowered by the least, and no state has any of these bits; then the column is
    changed. The first word has none left over: it is a hash. Keys ascend.
    """
    least = int(keys[0])
    used = bits_before_keys(columns[-1], len(columns), bits, int(keys[-1]) - least)
    if used is None:
        return [*columns, keys], None
    columns[-1] |= (keys - np.uint64(least)) << np.uint64(used)
    return list(columns), least


def bits_before_keys(last: Column, words: int, bits: int, greatest: int) -> int | None:
    """The number of bits that states have in their last words, if keys up to the greatest fit above them and
    none of these words has any of these bits; None if not."""
    used = _count_used_bits(words, bits)
    fits = words > 1 and 0 < used < WORD and not greatest >> (WORD - used)
    return used if fits and not int(last.max()) >> used else None


def sections(columns: Sequence[Column], order: NDArray[np.int64], limits: Sequence[int]) -> Column:
    """One column of sections, of those values of the columns that ``order`` names. A section has what is
    named between two limits: of the first column, then of the second, and so on."""
    content = np.empty(len(order) * len(columns), np.uint64)
    for low, high in pairwise(limits):
        section = content[low * len(columns) : high * len(columns)].reshape(len(columns), high - low)
        for column, part in zip(columns, section, strict=True):
            column.take(order[low:high], out=part, mode="clip")  # or else it goes by way of a buffer
    return content


def in_sections(shelf: Shelf, parts: Sequence[Section], words: int, bits: int) -> NDArray[np.uint64]:
    """The words of the states in several sections, one section after the other, and their keys. Raises
    Damaged."""
    content = np.empty((words + 1, sum(part.count for part in parts)), np.uint64)
    used, start = _count_used_bits(words, bits), 0
    for part in parts:
        some = content[:, start : start + part.count]
        start += part.count
        if part.least_key is None:
            shelf.read_into(part.part, list(some))
            continue
        shelf.read_into(part.part, list(some[:-1]))
        np.right_shift(some[-2], np.uint64(used), out=some[-1])
        some[-1] += np.uint64(part.least_key)
        some[-2] &= np.uint64((1 << used) - 1)
    return content


def _count_used_bits(words: int, bits: int) -> int:
    """Return the number of bits of the last word that states have."""
    return bits - WORD * (words - 1)
