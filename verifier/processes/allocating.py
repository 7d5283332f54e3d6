"""The memory allocation of this process."""

from __future__ import annotations

import ctypes
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's options (its malloc.h)."""
_KEPT, _LARGE = 1 << 30, 1 << 25
"""Bytes. Some versions of glibc take no more for the second."""


@cache
def keep_what_is_freed() -> None:
    """Let freed memory stay with this process for later allocations, if the C library supports it. Otherwise
    each large array gets its memory from the system again, page by page. That takes a tenth of the time of a
    process that makes and drops arrays. The peak of memory is about the same, but not its final amount."""
    try:
        options = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return
    options(_MMAP_THRESHOLD, _LARGE)
    options(_TRIM_THRESHOLD, _KEPT)


def give_back_freed() -> None:
    """Give freed memory back to the system, if the C library supports it."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # not glibc
        return
    trim(0)


def measure_peak() -> int:
    """Return the most bytes that this process had in memory so far; 0 if the system does not say."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0
