"""Estimates of the number of states in a search, from the growth of its levels."""

from __future__ import annotations

from collections.abc import Sequence
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
