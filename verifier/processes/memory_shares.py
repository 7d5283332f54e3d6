"""The memory of a run, which the processes that it forks share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import psutil

_LEAST_GAIN = 2
"""The factor by which a share must grow before its process starts again."""


@dataclass
class MemoryShares:
    """The share of each process in bytes. One that needed more starts again once others have ended.

    A forked process begins with the memory of this one. That counts in its own memory, too, and is there
    once. So only the rest is shared, and the limit of a process is its share beyond what it inherits.
    """

    memory: int | None
    """The limit of all together; None is no limit."""
    shares: dict[str, int] = field(default_factory=dict)

    def give(self, name: str, part: float) -> int | None:
        """Return the limit of a process that gets this part of the memory."""
        if self.memory is None:
            return None
        inherited = measure_inherited()
        self.shares[name] = int(max(self.memory - inherited, 0) * part)
        return inherited + self.shares[name]

    def give_more(self, name: str, running: Iterable[str]) -> int | None:
        """Return the limit with all memory that no running process has; None if that is not much more than
        before."""
        if self.memory is None or name not in self.shares:
            return None
        inherited = measure_inherited()
        free = self.memory - inherited - sum(self.shares[other] for other in running)
        if free <= 0 or free < _LEAST_GAIN * self.shares[name]:
            return None
        self.shares[name] = free
        return inherited + free


def measure_inherited() -> int:
    """Return the memory that a process begins with if it is forked now."""
    return int(psutil.Process().memory_info().rss)
