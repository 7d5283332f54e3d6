"""Orbits by the compiled library: the same representatives and sizes as ``orbits`` finds by NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.arrangements import walk
from verifier.explicit.classes import Classes
from verifier.explicit.fused import encode_statements, place_of
from verifier.explicit.orbits import (
    FEW_PERMUTATIONS,
    Blocks,
    Exchange,
    Interchangeable,
    Mask,
    Orbits,
    check_orders,
)
from verifier.explicit.packing import Rows, words_for
from verifier.kernels.class_functions import Exchanges, Keys
from verifier.kernels.library import Library

_CONSTANTS = 2
"""Registers of the library that come before the bits of a state."""


def fuse(classes: Classes | None, library: Library) -> Classes | None:
    """The classes by the library, where it knows their kind."""
    return _fuse(classes, library) if isinstance(classes, Orbits) else classes


class FusedOrbits(Orbits):
    """Orbits that the library computes, for one process."""

    def __init__(self, orbits: Orbits, library: Library) -> None:
        self.__dict__.update(orbits.__dict__)
        self._functions = library.classes
        pairs = pairwise if self.size <= FEW_PERMUTATIONS else _choose_two
        places = [
            (place, one, other)
            for place, elements in enumerate(self._sets)
            for one, other in pairs(range(elements.count))
        ]
        self._numbers = {place: number for number, place in enumerate(places)}
        words = words_for(self._bits)
        self._exchanges = _encode([self._sets[place].exchange(*two) for place, *two in places], words)
        self._keys = [_encode_keys(elements) for elements in self._sets if self.size > FEW_PERMUTATIONS]

    def _sort(self, rows: Rows) -> tuple[Rows, list[list[Mask]], list[list[Mask]]]:
        result, ties = rows.copy(), list[list[Mask]]()
        neighbours = [
            np.array([self._numbers[place, one, one + 1] for one in range(elements.count - 1)], np.int32)
            for place, elements in enumerate(self._sets)
        ]
        for keys, numbers in zip(self._keys, neighbours, strict=True):
            ties.append(list(self._functions.sort(self._exchanges, result, keys, numbers)))
        changes = [
            list(self._functions.find_changes(self._exchanges, result, numbers)) for numbers in neighbours
        ]
        return result, ties, changes

    def _find_changes(self, rows: Rows) -> list[Mask]:
        everything = np.arange(len(self._exchanges), dtype=np.int32)
        return list(self._functions.find_changes(self._exchanges, rows, everything))

    def _least(self, rows: Rows, blocks: Blocks, *, counted: bool) -> tuple[Rows, NDArray[np.int64]]:
        check_orders(blocks)
        steps = [(self._numbers[place, one, one + 1], is_new) for place, one, is_new in _walk(blocks)]
        encoded = np.array(steps, np.int32).reshape(-1, 2)
        return self._functions.take_least(self._exchanges, rows, encoded, counted=counted)


@lru_cache(maxsize=1)
def _fuse(orbits: Orbits, library: Library) -> FusedOrbits:
    return FusedOrbits(orbits, library)


def _choose_two(elements: range) -> Iterator[tuple[int, int]]:
    return combinations(elements, 2)


@lru_cache(maxsize=256)
def _walk(blocks: Blocks) -> list[tuple[int, int, bool]]:
    """The steps that visit all orders: the index set, the element that is exchanged with the next one, and
    whether the order is new."""
    starts = [(place, first) for place, first, _ in blocks]
    return [
        (starts[step.block][0], starts[step.block][1] + step.position, step.is_new)
        for step in walk([labels for _, _, labels in blocks])
    ]


def _encode(exchanges: list[Exchange], words: int) -> Exchanges:
    statements, moves = list[NDArray[np.int32]](), list[NDArray[np.int32]]()
    registers = _CONSTANTS + 64 * words
    for exchange in exchanges:
        if (compiled := exchange.compiled) is None:
            statements.append(np.empty((0, 5), np.int32))
            pairs = [pair for one, other in exchange.pairs for pair in ((one, other), (other, one))]
            moves.append(np.array(pairs, np.int32).reshape(-1, 2) + _CONSTANTS)
            continue
        code = compiled.code
        statements.append(encode_statements(code, words))
        registers = max(registers, place_of(code, words, code.registers))
        taken = [(_CONSTANTS + bit, place_of(code, words, output)) for bit, output in enumerate(code.outputs)]
        changed = [(bit, value) for bit, value in taken if bit != value]
        moves.append(np.array(changed, np.int32).reshape(-1, 2))
    return Exchanges(
        words=words,
        registers=registers,
        statements=np.concatenate([np.empty((0, 5), np.int32), *statements]),
        statement_starts=np.cumsum([0, *map(len, statements)]),
        moves=np.concatenate([np.empty((0, 2), np.int32), *moves]),
        move_starts=np.cumsum([0, *map(len, moves)]),
    )


def _encode_keys(elements: Interchangeable) -> Keys:
    classes = elements.classes
    larger = tuple(part.astype(np.int32) for part in classes.larger)
    return Keys(np.ascontiguousarray(classes.single, np.int32), larger)
