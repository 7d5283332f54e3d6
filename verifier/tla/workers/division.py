"""The division of a level among workers: each has a range of its own, and takes it part by part.

States that follow each other have much in common, and so have their successors in the next level. A worker
that stays in its range evaluates little that another one has evaluated. Each worker takes states in the order
of the search. So it may drop successors that it knows: an earlier state has the same one.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

Part: TypeAlias = tuple[int, int]
"""The first state, and the end."""
_LEAN = 0.2
"""The size by which the last range exceeds the first one. A worker may only help with later states."""


class Division:
    """The parts of a level that no worker has."""

    def __init__(self, first: int, end: int, size: int, count: int) -> None:
        """``size``: the number of states in a part. ``count``: the number of workers."""
        parts = [(start, min(start + size, end)) for start in range(first, end, size)]
        weights = [1.0 + _LEAN * place / max(count - 1, 1) for place in range(count)]
        ends = [round(len(parts) * sum(weights[: place + 1]) / sum(weights)) for place in range(count)]
        self._ranges = [deque(parts[start:stop]) for start, stop in zip([0, *ends], ends, strict=False)]
        self._latest = [-1] * count
        """The first state of the latest part of each worker."""

    def __bool__(self) -> bool:
        return any(self._ranges)

    def take(self, worker: int) -> Part | None:
        """Return the next part for a worker: of its own range, else of the later half of another one."""
        own = self._ranges[worker]
        if not own:
            own += self._take_half(self._latest[worker])
        if not own:
            return None
        part = own.popleft()
        self._latest[worker] = part[0]
        return part

    def _take_half(self, after: int) -> list[Part]:
        """Take the later half of the longest range that comes after a state."""
        ranges = [one for one in self._ranges if one and one[-1][0] > after]
        longest = max(ranges, key=len, default=deque[Part]())
        half = [longest.pop() for part in list(longest)[len(longest) // 2 :] if part[0] > after]
        return half[::-1]

    def put_back(self, worker: int, part: Part) -> None:
        """Give back the rest of the part that a worker took last."""
        self._ranges[worker].appendleft(part)
