"""Coverage: how often each action is enabled and taken, and how many new states it finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.moves import Look, Successors


class Coverage:
    """Counts for each action. ``of_moves`` names the action of each move."""

    def __init__(self, actions: Sequence[str], of_moves: Sequence[str]) -> None:
        self._actions = tuple(actions)
        self._action = tuple(of_moves)
        self.taken = np.zeros(len(of_moves), np.int64)
        """By each move."""
        self.found = np.zeros(len(of_moves), np.int64)
        """By each move, new states."""
        self._enabled: Counter[str] = Counter()

    def count_enabled(self, look: Look) -> None:
        """Counts the moves that are enabled in the states of a look."""
        counts = np.bitwise_count(look.enabled).sum(axis=1, dtype=np.int64)
        self.taken += counts
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
            self.found[step.move] += count

    def add(self, other: Coverage) -> None:
        """Add counts from elsewhere."""
        self.taken += other.taken
        self.found += other.found
        self._enabled.update(other._enabled)

    @property
    def never_enabled(self) -> tuple[str, ...]:
        """The actions that are enabled in no state seen."""
        return tuple(name for name, counts in self.by_action().items() if not counts["enabled"])

    @property
    def enabled(self) -> tuple[str, ...]:
        """The actions that are enabled in some state seen."""
        return tuple(name for name, counts in self.by_action().items() if counts["enabled"])

    def by_action(self) -> dict[str, dict[str, int]]:
        """Count for each action the states that enable it, its steps, and the states that it finds."""
        result = {name: {"enabled": self._enabled[name], "taken": 0, "found": 0} for name in self._actions}
        for action, taken, found in zip(self._action, self.taken, self.found, strict=True):
            result[action]["taken"] += int(taken)
            result[action]["found"] += int(found)
        return result

    def as_object(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "taken": self.taken.tolist(),
            "found": self.found.tolist(),
            "enabled": dict(self._enabled),
        }

    def read(self, content: Mapping[str, Any]) -> None:
        """Takes over counts that were written as JSON values."""
        self.taken = np.array(content["taken"], np.int64)
        self.found = np.array(content["found"], np.int64)
        self._enabled = Counter(content["enabled"])
