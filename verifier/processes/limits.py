"""The limits of a run, and the reasons when they are used up."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from verifier.processes.interrupts import INTERRUPTED, is_stop_asked

__all__ = ["GRACE_MEMORY", "GRACE_SECONDS", "INTERRUPTED", "Interrupted", "Limits", "is_about_memory"]

GRACE_SECONDS = 10.0
GRACE_MEMORY = 256 * 2**20
"""The memory of an engine's process beyond the engine's own limits before it is killed: an engine that
ends by itself knows the depth that it closed, and it does not count the process around it."""


def is_about_memory(reason: str | None) -> bool:
    """True for the reason of a run that its limit of memory ended."""
    return "memory limit of " in (reason or "")


class Interrupted(Exception):
    """The limits ended the run: its time, its memory, or the user. The text says which."""


@dataclass(frozen=True)
class Limits:
    """The limits of a run; None is no limit."""

    seconds: float | None = None
    memory: int | None = None
    """Bytes of resident memory, over all its processes."""
    since: float | None = None
    """When the time began, on the monotonic clock; None: when the work begins."""
    until: float | None = None
    """When the share of the time ends that this part of the run has; None: with the time."""
    with_grace: bool = False
    """True if the process is only killed some time and memory beyond the limits."""

    after_interrupt: bool = False
    """True if this is about what others still say after the user asked to stop."""

    def begin(self) -> Limits:
        """The limits of work that begins now, unless its time has begun already."""
        return self if self.since is not None else replace(self, since=time.monotonic())

    def share(self, parts: int) -> Limits:
        """Return the limits of the first of several parts: each gets an equal share of the remaining time."""
        begun, left = self.begin(), self.begin().seconds_left
        if left is None or parts < 2:
            return begun
        return replace(begun, until=time.monotonic() + left / parts)

    @property
    def seconds_left(self) -> float | None:
        """Return the remaining time, at most that of this part of the run; None is no limit."""
        left = self._seconds_of_run
        if left is None or self.until is None:
            return left
        return min(left, self.until - time.monotonic())

    @property
    def _seconds_of_run(self) -> float | None:
        if self.seconds is None or self.since is None:
            return self.seconds
        grace = GRACE_SECONDS if self.with_grace else 0.0
        return self.seconds + grace - (time.monotonic() - self.since)

    def check_time(self) -> None:
        """Raises Interrupted if the time is over, or the user asked this process to stop."""
        if not self.after_interrupt and is_stop_asked():
            raise Interrupted(INTERRUPTED)
        left = self._seconds_of_run
        if left is not None and left <= 0:
            raise Interrupted(f"timeout of {_in_seconds(self.seconds)}{self._how}")
        if self.until is not None and time.monotonic() >= self.until:
            raise Interrupted(f"timeout: this property's share of {_in_seconds(self.seconds)}")

    def check_memory(self, used: int) -> None:
        """Raises Interrupted if that many bytes are too many."""
        if self.memory is not None and self.is_beyond(used):
            raise Interrupted(f"memory limit of {self.memory / 2**20:g} MiB{self._how}")

    def is_beyond(self, used: int) -> bool:
        """True if that many bytes are too many."""
        return self.memory is not None and used > self.memory + (GRACE_MEMORY if self.with_grace else 0)

    @property
    def _how(self) -> str:
        return ": killed" if self.with_grace else ""


def _in_seconds(seconds: float | None) -> str:
    """Return a time limit for a message. A share of one is no round number."""
    shown = seconds or 0
    return f"{shown:g} s" if shown < 0.1 else f"{shown:.1f} s".replace(".0 s", " s")
