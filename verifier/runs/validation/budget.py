"""The time for a comparison.

The limits of states and steps are so small that a small module is done in time: then the same seed compares
the same states. The time is processor time, so that other work on the machine changes nothing, unless the
user gives a duration.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LEAST_SECONDS, SHARE = 0.2, 0.05
"""Validation takes this time, or this share of the run, whichever is more."""


class OutOfTime(Exception):
    """Raised when the time of a comparison is over."""


class Budget:
    """The time of a comparison, which begins now."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._began = clock()
        self._ends = self._began + seconds
        self._seconds = seconds

    def check(self) -> None:
        """Raise OutOfTime if the time is over."""
        if self._clock() > self._ends:
            raise OutOfTime

    @property
    def spent(self) -> float:
        """Return the used share: 1 at the end."""
        return (self._clock() - self._began) / self._seconds if self._seconds else 1.0


def default_seconds(run_seconds: float) -> float:
    """Return the time of the comparison for a run of this duration."""
    return max(LEAST_SECONDS, SHARE * run_seconds)


__all__ = ["Budget", "OutOfTime", "default_seconds"]
