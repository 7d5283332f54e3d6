"""The time of a check: its engines end a little earlier than it does, so that they can report in time."""

from __future__ import annotations

from verifier.processes.limits import Limits

_SECONDS_TO_END, _SHARE_TO_END = 0.5, 0.1
"""The time that engines have to end and to report, and its greatest share of the timeout."""


def begin_of_engines(limits: Limits) -> float | None:
    """Return when the time of an engine began, so that it ends before that of the check."""
    if limits.since is None or limits.seconds is None:
        return limits.since
    return limits.since - _reserve(limits.seconds)


def has_time(limits: Limits) -> bool:
    """True if an engine that starts now could report something."""
    left = limits.seconds_left
    return left is None or limits.seconds is None or left > _reserve(limits.seconds)


def _reserve(seconds: float) -> float:
    return min(_SECONDS_TO_END, seconds * _SHARE_TO_END)
