"""Conversion between rows and slices, the two forms of a set of states (see the package's docstring)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.uint64]
"""A row per state, 64 bits to a word, the first bit lowest; unused bits are 0. Shape (states, words)."""
Slices: TypeAlias = NDArray[np.uint64]
"""A row per state bit; bit j of word w belongs to state 64 w + j. Bits beyond the last state are 0.

Shape (bits, words), with a word for each 64 states."""

WORD = 64


def words_for(bits: int) -> int:
    """Return the number of words that hold this number of bits; at least one."""
    return max(1, -(-bits // WORD))


def to_slices(rows: Rows, bits: int) -> Slices:
    """The slices of states given as rows."""
    count, words = rows.shape
    width = words_for(count)
    padded = rows
    if count != width * WORD:
        padded = np.zeros((width * WORD, words), np.uint64)
        padded[:count] = rows
    result = np.empty((words * WORD, width), np.uint64)
    for word in range(words):
        block = result[word * WORD : (word + 1) * WORD]
        block[:] = padded[:, word].reshape(width, WORD).T
        _transpose(block)
    return result[:bits]


def to_rows(slices: Slices, count: int) -> Rows:
    """The rows of the first ``count`` states given as slices."""
    bits, width = slices.shape
    words = words_for(bits)
    result = np.empty((width * WORD, words), np.uint64)
    block = np.empty((WORD, width), np.uint64)
    for word in range(words):
        part = slices[word * WORD : (word + 1) * WORD]
        block[: len(part)] = part
        block[len(part) :] = 0
        _transpose(block)
        result[:, word].reshape(width, WORD)[:] = block.T
    return result[:count]


def _transpose(block: NDArray[np.uint64]) -> None:
    """Transposes in place: each column of the block is a matrix of 64 by 64 bits.

    It swaps quarters of the matrix, then quarters of these (Warren, Hacker's Delight, section 7-3).
    """
    width = block.shape[1]
    distance, mask = 32, (1 << 32) - 1
    while distance:
        halves = block.reshape(WORD // (2 * distance), 2, distance, width)
        low, high = halves[:, 0], halves[:, 1]
        shift = np.uint64(distance)
        swapped = low >> shift
        swapped ^= high
        swapped &= np.uint64(mask)
        high ^= swapped
        swapped <<= shift
        low ^= swapped
        distance >>= 1
        mask ^= mask << distance
        mask &= (1 << WORD) - 1


def lanes(count: int) -> NDArray[np.uint64]:
    """A slice that is 1 for the first ``count`` states."""
    result = np.full(words_for(count), ~np.uint64(0))
    if count % WORD or not count:
        result[-1] = (1 << count % WORD) - 1
    return result


def places(slice_: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The states whose bit is 1."""
    return np.flatnonzero(np.unpackbits(slice_.view(np.uint8), bitorder="little").view(np.bool_))


def pack_columns(states: NDArray[np.bool_]) -> Rows:
    """The rows of states given as a matrix, a row per state."""
    count, bits = states.shape
    octets = np.zeros((count, words_for(bits) * 8), np.uint8)
    packed = np.packbits(states, axis=1, bitorder="little")
    octets[:, : packed.shape[1]] = packed
    return octets.view(np.uint64)


def unpack(row: NDArray[np.uint64], bits: int) -> list[bool]:
    """The bits of one state."""
    octets = np.ascontiguousarray(row).view(np.uint8)
    return [bool(value) for value in np.unpackbits(octets, bitorder="little", count=bits)]
