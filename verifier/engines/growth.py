"""Estimates of the number of states in a search, from the growth of its levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


def expect_states(levels: Sequence[int], depth: int, most: int) -> float:
    """The states to the depth, if levels go on to grow as the last ones did, or by less and less where the
    last one grew by less than that before. Of more than ``most`` it says only that they are more."""
    growths = [max(later / before, 1.0) for before, later in pairwise(levels[-3:])]
    if not growths:
        return 0.0
    growth, level, count = growths[-1], float(levels[-1]), float(sum(levels))
    slower = min((growth - 1) / (growths[0] - 1), 1.0) if growths[0] > 1 else 1.0
    for _ in range(depth + 1 - len(levels)):
        growth = 1 + (growth - 1) * slower
        level *= growth
        count += level
        if count > most:
            break
    return count


@dataclass(frozen=True)
class StateBudget:
    """The states that a search to a depth may have."""

    found: int
    """States that are found before an expectation counts."""
    expected: int
    """The limit of states that are expected to the depth."""

    def is_exceeded(self, states: int, levels: Sequence[int], depth: int) -> bool:
        """True if many states are found, and too many are expected."""
        return states > self.found and expect_states(levels, depth, self.expected) > self.expected
