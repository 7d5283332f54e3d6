"""Room for deep recursion: on Python's stack, and on the machine's."""

from __future__ import annotations

import resource
import sys
import threading

_FRAMES = 60_000
_BYTES = 120 << 20
"""Of the machine's stack, which some frames need, too: about 400 bytes each. Linux leaves 128 MiB free below
the stack of the first thread, and takes no memory before it is used."""


def make_room_for_recursion() -> None:
    """Raise Python's limit of recursion, for recursive operators and deep formulas.

    Raise the machine's limit of this thread, if it is the first one, and of threads that begin later.
    """
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
    threading.stack_size(max(threading.stack_size(), _BYTES))
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _BYTES if hard == resource.RLIM_INFINITY else min(_BYTES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))
