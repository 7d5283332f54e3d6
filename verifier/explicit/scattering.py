"""States as columns of which the first is scattered evenly, so that its ranges are parts of equal size.

The first word of a row is replaced by a hash of the whole row. The other words stay. The hash is invertible,
so different states have different columns: a comparison of all columns needs no row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.packing import Rows
from verifier.storage.blocks import Column

_FACTORS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)
_MODULUS = 1 << 64
INVERSES = tuple(pow(factor, -1, _MODULUS) for factor in _FACTORS)
SPACE = 1 << 64
"""The first column has values below this."""
MOST_PARTS = 1 << 16
"""The limit of parts of equal size."""


def columns_of(rows: Rows) -> list[Column]:
    """The columns of states."""
    return scatter([np.ascontiguousarray(rows[:, word]) for word in range(rows.shape[1])])


def scatter(words: Sequence[Column]) -> list[Column]:
    """The columns of states that are given as columns, a word each."""
    first, *others = words
    first = _mix(first.copy(), _FACTORS[0])
    for word in others:
        first += word
        first = _mix(first, _FACTORS[1])
    return [first, *others]


def rows_of(columns: list[Column]) -> Rows:
    """The states with these columns."""
    first, others = columns[0].copy(), columns[1:]
    for word in reversed(others):
        first = _unmix(first, INVERSES[1])
        first -= word
    return np.ascontiguousarray(np.stack([_unmix(first, INVERSES[0]), *others], axis=1))


def bounds(parts: int, low: int = 0, high: int = SPACE) -> list[int]:
    """Return the bounds of this number of equal parts of a range of the first column."""
    return [low + (high - low) * part // parts for part in range(parts + 1)]


def parts_of(first: Column, parts: int) -> NDArray[np.uint16]:
    """Return for each value the part in which it lies, of a number of parts that is a power of two."""
    return (first >> np.uint64(48)).astype(np.uint16) >> np.uint16(17 - parts.bit_length())


def _mix(values: Column, factor: int) -> Column:
    values ^= values >> np.uint64(32)
    values *= np.uint64(factor)
    values ^= values >> np.uint64(29)
    values *= np.uint64(factor)
    values ^= values >> np.uint64(32)
    return values


def _unmix(values: Column, inverse: int) -> Column:
    values ^= values >> np.uint64(32)
    values *= np.uint64(inverse)
    values ^= (values >> np.uint64(29)) ^ (values >> np.uint64(58))
    values *= np.uint64(inverse)
    values ^= values >> np.uint64(32)
    return values
