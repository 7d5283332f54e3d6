"""How this process allocates memory."""

from __future__ import annotations

import ctypes
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's options (its malloc.h)."""
_KEPT, _LARGE = 1 << 30, 1 << 25
"""Bytes. Some versions of glibc take no more for the second."""


@cache
def keep_what_is_freed() -> None:
    """Lets freed memory stay with this process, where the C library can be told so.

    It is then allocated again. Else each large array gets its memory from the system again, page by page: a
    tenth of the time of a process that makes arrays and drops them. What it takes at most is about the same,
    what it takes at the end is not.
    """
    try:
        options = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return
    options(_MMAP_THRESHOLD, _LARGE)
    options(_TRIM_THRESHOLD, _KEPT)
