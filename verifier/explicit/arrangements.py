"""Orders of things some of which are alike, one exchange of neighbours after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, prod

Arrangement = tuple[int, ...]
"""Labels; things with one label are alike."""


@dataclass(frozen=True)
class Step:
    """Exchanges the things at ``position`` and the next one in a block."""

    block: int
    position: int
    is_new: bool
    """True if this leads to an arrangement of all blocks that was not visited before."""


def arrangements(labels: Arrangement) -> int:
    """Return the number of different orders of a block's things."""
    return factorial(len(labels)) // prod(factorial(labels.count(label)) for label in set(labels))


def walk(blocks: Sequence[Arrangement]) -> Iterator[Step]:
    """Visits all arrangements of the blocks, each of which is arranged by itself; starts from the given one,
    which is not new. Each arrangement is left by the way that led to it, so the steps are fewer than two for
    each arrangement."""
    start = tuple(blocks)
    seen = {start}
    path = [(start, _exchanges(start))]
    undo: list[tuple[int, int]] = []
    while path:
        here, exchanges = path[-1]
        for block, position in exchanges:
            there = _exchange(here, block, position)
            if there not in seen:
                seen.add(there)
                yield Step(block, position, is_new=True)
                path.append((there, _exchanges(there)))
                undo.append((block, position))
                break
        else:
            path.pop()
            if undo:
                block, position = undo.pop()
                yield Step(block, position, is_new=False)


def _exchanges(blocks: tuple[Arrangement, ...]) -> Iterator[tuple[int, int]]:
    for block, labels in enumerate(blocks):
        for position in range(len(labels) - 1):
            if labels[position] != labels[position + 1]:
                yield block, position


def _exchange(blocks: tuple[Arrangement, ...], block: int, position: int) -> tuple[Arrangement, ...]:
    labels = list(blocks[block])
    labels[position], labels[position + 1] = labels[position + 1], labels[position]
    return (*blocks[:block], tuple(labels), *blocks[block + 1 :])
