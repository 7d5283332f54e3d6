"""A clock for what a test runs in its own process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTime(BaseException):
    """Raised if the running code takes too long. No handler of ordinary errors catches it."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises OutOfTime inside when that many seconds are over."""

    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
