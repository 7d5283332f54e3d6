"""A lock that long work hands to whoever waits, and takes again."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_MOMENT_SECONDS = 0.001
"""The pause in which a thread that waits gets the lock: without it, the same thread takes it again."""


class Turns:
    """A lock. Between two steps, whoever holds it lets others have a turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0

    def __enter__(self) -> None:
        self._take(-1)

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def give_way(self) -> None:
        """Let others have a turn, if any waits. The caller holds the lock, and keeps nothing by it."""
        if self._waiting:
            self._lock.release()
            time.sleep(_MOMENT_SECONDS)
            self._take(-1)

    @contextmanager
    def take_within(self, seconds: float) -> Iterator[bool]:
        """Take the lock, if it is free within this time. Gives True if it was."""
        is_taken = self._take(seconds)
        try:
            yield is_taken
        finally:
            if is_taken:
                self._lock.release()

    def _take(self, seconds: float) -> bool:
        with self._counting:
            self._waiting += 1
        try:
            return self._lock.acquire(timeout=seconds)
        finally:
            with self._counting:
                self._waiting -= 1
