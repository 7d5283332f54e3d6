"""How long a comparison may take.

The bounds on states and steps are small enough that a small module is done before the time is over: then the
same seed compares the same. The time is that of the processor, so that other work on the machine changes
nothing, unless somebody says how long they want to wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LEAST_SECONDS, SHARE = 0.2, 0.05
"""Validation takes this long, or this share of the run, whichever is more."""


class OutOfTime(Exception):
    """The time of a comparison is over."""


class Budget:
    """The time of a comparison, which begins now."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._began = clock()
        self._ends = self._began + seconds
        self._seconds = seconds

    def check(self) -> None:
        """Raises OutOfTime."""
        if self._clock() > self._ends:
            raise OutOfTime

    @property
    def spent(self) -> float:
        """The share that is over: 1 at the end."""
        return (self._clock() - self._began) / self._seconds if self._seconds else 1.0


def default_seconds(run_seconds: float) -> float:
    """How long the comparison for a run of so many seconds takes."""
    return max(LEAST_SECONDS, SHARE * run_seconds)


__all__ = ["Budget", "OutOfTime", "default_seconds"]
