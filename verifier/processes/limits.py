"""What a run may take, and what it says when that is used up."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace


class Interrupted(Exception):
    """The limits ended the run: its time, its memory, or the user. The text says which."""


@dataclass(frozen=True)
class Limits:
    """What a run may take; None is no limit."""

    seconds: float | None = None
    memory: int | None = None
    """Bytes of resident memory, over all its processes."""
    since: float | None = None
    """When the time began, on the monotonic clock; None: when the work begins."""

    def begun(self) -> Limits:
        """The limits of work that begins now, unless its time has begun already."""
        return self if self.since is not None else replace(self, since=time.monotonic())

    @property
    def seconds_left(self) -> float | None:
        """Of the time; None is no limit."""
        if self.seconds is None or self.since is None:
            return self.seconds
        return self.seconds - (time.monotonic() - self.since)

    def check_time(self) -> None:
        """Raises Interrupted if the time is over."""
        left = self.seconds_left
        if left is not None and left <= 0:
            raise Interrupted(f"timeout of {self.seconds:g} s")

    def check_memory(self, used: int) -> None:
        """Raises Interrupted if that many bytes are too many."""
        if self.memory is not None and used > self.memory:
            raise Interrupted(f"memory limit of {self.memory / 2**20:g} MiB")
