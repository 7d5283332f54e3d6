"""The way to a state that a search in files found: the files say where each state came from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.engines.checkpoints import Begun, Checkpoint, Level
from verifier.explicit.level_tasks import of_chunks, parse_key
from verifier.explicit.moves import Transitions
from verifier.explicit.packing import Rows
from verifier.storage.blocks import Shelf, Slice


class Ways:
    """Finds the ways. ``represented``: the states by which states are represented."""

    def __init__(self, shelf: Shelf, transitions: Transitions, represented: Callable[[Rows], Rows]) -> None:
        self._shelf, self._transitions, self._represented = shelf, transitions, represented

    def to(self, now: Checkpoint, level: int, number: int) -> Callable[[], list[Rows]]:
        """Find a state of each level on the way to one, an initial state first."""
        return lambda: self._way(now, level, number, [])

    def beyond(self, now: Checkpoint, key: int) -> Callable[[], list[Rows]]:
        """Find the way to a state of the level after the last one, by its key."""
        number, move = self._predecessor(key)
        return lambda: self._way(now, now.depth, number, [move])

    def _predecessor(self, key: int) -> tuple[int, int]:
        """The number of the predecessor within its level, and the move from there."""
        chunk, move, place = parse_key(key)
        return chunk * self._transitions.chunk() + place, move

    def _way(self, now: Checkpoint, level: int, number: int, moves: list[int]) -> list[Rows]:
        """The way to a state, and on by moves of which the last one comes first."""
        while level >= len(now.begun.starts):
            number, move = self._predecessor(self._key(now.levels[level - len(now.begun.starts) + 1], number))
            level, moves = level - 1, [*moves, move]
        rows = self._in_memory(now.begun, now.begun.starts[level] + number)
        transitions = self._transitions
        for move in reversed(moves):
            after = transitions.after(transitions.look(rows[-1]), move, np.zeros(1, np.intp))
            rows.append(self._represented(after))
        return rows

    def _key(self, level: Level, number: int) -> int:
        """The key of the state with a number within its level."""
        shelf, before = self._shelf, np.concatenate(([0], np.cumsum(level.sources)))
        chunk = int(np.searchsorted(before, number, side="right")) - 1
        inner = [part.keys.part(*of_chunks(shelf, part.keys, (chunk, chunk + 1))) for part in level.parts]
        keys = np.sort(np.concatenate([shelf.read(part, 0) for part in inner]))
        return int(keys[number - int(before[chunk])])

    def _in_memory(self, begun: Begun, number: int) -> list[Rows]:
        """The way to a state that the search in memory found."""
        shelf, words, rows = self._shelf, self._transitions.words, list[Rows]()
        while number >= 0:
            one = Slice(begun.states, number, number + 1)
            rows.append(np.stack([shelf.read(one, word) for word in range(words)], axis=1))
            number = int(shelf.read(one, words)[0]) - 1
        return rows[::-1]
