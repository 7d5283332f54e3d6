"""Columns that are written for several readers: a section of the file for each, read in one piece."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.blocks import Column, Shelf, Slice


def sections(columns: Sequence[Column], order: NDArray[np.int64], limits: Sequence[int]) -> Column:
    """One column of sections, of those values of the columns that ``order`` names. A section has what is
    named between two limits: of the first column, then of the second, and so on."""
    content = np.empty(len(order) * len(columns), np.uint64)
    for low, high in pairwise(limits):
        section = content[low * len(columns) : high * len(columns)].reshape(len(columns), high - low)
        for column, part in zip(columns, section, strict=True):
            column.take(order[low:high], out=part, mode="clip")  # or else it goes by way of a buffer
    return content


def in_sections(shelf: Shelf, parts: Sequence[Slice], columns: int) -> NDArray[np.uint64]:
    """The columns of several sections, one section after the other. Raises Damaged."""
    counts = [len(part) // columns for part in parts]
    content = np.empty((columns, sum(counts)), np.uint64)
    start = 0
    for part, count in zip(parts, counts, strict=True):
        shelf.read_into(part, [column[start : start + count] for column in content])
        start += count
    return content
