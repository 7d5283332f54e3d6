"""The number of processes that can run at a time on this machine."""

from __future__ import annotations

import os


def cores() -> int:
    """The cores that this process may use; all cores where the system does not say which."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
