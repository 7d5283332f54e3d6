"""Coverage: how often each action was enabled and taken, and how many states it was first to reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.moves import Look, Moves, Successors


class Coverage:
    """Counts, action by action."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._action = [move.instance.action for move in moves.moves]
        self._taken = np.zeros(len(moves.moves), np.int64)
        self._enabled: Counter[str] = Counter()
        self._found = np.zeros(len(moves.moves), np.int64)

    def looked(self, look: Look) -> None:
        """Counts what is enabled in the states looked at."""
        counts = np.bitwise_count(look.enabled).sum(axis=1, dtype=np.int64)
        self._taken += counts
        anywhere: dict[str, NDArray[np.uint64]] = {}
        for number in np.flatnonzero(counts):
            action, mask = self._action[number], look.enabled[number]
            anywhere[action] = anywhere[action] | mask if action in anywhere else mask
        for action, mask in anywhere.items():
            self._enabled[action] += int(np.bitwise_count(mask).sum())

    def found(self, steps: Sequence[Successors], new: NDArray[np.int64]) -> None:
        """Counts the new states, given by their places among the successors."""
        ends = np.cumsum([len(step.rows) for step in steps])
        by_step = np.bincount(np.searchsorted(ends, new, side="right"), minlength=len(steps))
        for step, count in zip(steps, by_step, strict=True):
            self._found[step.move] += count

    @property
    def never(self) -> tuple[str, ...]:
        """The actions that were enabled nowhere."""
        return tuple(name for name, counts in self.by_action().items() if not counts["enabled"])

    @property
    def ever(self) -> tuple[str, ...]:
        """The actions that were enabled somewhere."""
        return tuple(name for name, counts in self.by_action().items() if counts["enabled"])

    def by_action(self) -> dict[str, dict[str, int]]:
        """For each action: the states it is enabled in, the steps it takes from them, states it finds."""
        result = {
            action.name: {"enabled": self._enabled[action.name], "taken": 0, "found": 0}
            for action in self._moves.model.definition.actions
        }
        for action, taken, found in zip(self._action, self._taken, self._found, strict=True):
            result[action]["taken"] += int(taken)
            result[action]["found"] += int(found)
        return result
