"""Coverage: how often each action is enabled and taken, and how many new states it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.moves import Look, Moves, Successors


class Coverage:
    """Counts for each action."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._action = [move.instance.action for move in moves.moves]
        self._taken = np.zeros(len(moves.moves), np.int64)
        self._enabled: Counter[str] = Counter()
        self._found = np.zeros(len(moves.moves), np.int64)

    def count_enabled(self, look: Look) -> None:
        """Counts the moves that are enabled in the states of a look."""
        counts = np.bitwise_count(look.enabled).sum(axis=1, dtype=np.int64)
        self._taken += counts
        anywhere: dict[str, NDArray[np.uint64]] = {}
        for number in np.flatnonzero(counts):
            action, mask = self._action[number], look.enabled[number]
            anywhere[action] = anywhere[action] | mask if action in anywhere else mask
        for action, mask in anywhere.items():
            self._enabled[action] += int(np.bitwise_count(mask).sum())

    def count_new(self, steps: Sequence[Successors], new: NDArray[np.int64]) -> None:
        """Counts new states. ``new`` gives their places among the successors."""
        ends = np.cumsum([len(step.rows) for step in steps])
        by_step = np.bincount(np.searchsorted(ends, new, side="right"), minlength=len(steps))
        for step, count in zip(steps, by_step, strict=True):
            self._found[step.move] += count

    @property
    def never_enabled(self) -> tuple[str, ...]:
        """The actions that are enabled in no state seen."""
        return tuple(name for name, counts in self.by_action().items() if not counts["enabled"])

    @property
    def enabled(self) -> tuple[str, ...]:
        """The actions that are enabled in some state seen."""
        return tuple(name for name, counts in self.by_action().items() if counts["enabled"])

    def by_action(self) -> dict[str, dict[str, int]]:
        """For each action: how many states enable it, how many steps it takes, how many states it finds."""
        result = {
            action.name: {"enabled": self._enabled[action.name], "taken": 0, "found": 0}
            for action in self._moves.model.definition.actions
        }
        for action, taken, found in zip(self._action, self._taken, self._found, strict=True):
            result[action]["taken"] += int(taken)
            result[action]["found"] += int(found)
        return result
