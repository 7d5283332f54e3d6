"""Limits of work that does not check them itself: one long evaluation in this process.

A thread checks the limits and raises in the thread of the work, which need not be the main one. Uninterrupted
C code is only interrupted when it ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

import psutil

from verifier.processes.limits import Interrupted, Limits

T = TypeVar("T")
_SECONDS_BETWEEN_LOOKS, _SECONDS_UNTIL_AGAIN = 0.2, 1.0
"""An exception is raised again where it does not end the work: Python loses it where it arrives in the
destructor of an object, and those of solvers have many, or in what the collector of garbage calls."""
_ENOUGH_TO_ARRIVE = 10_000
"""Rounds of a loop, in the first of which an exception that waits arrives."""
_SPARED = 0.2
"""The share of the memory that is free when building begins, which is left free if no limit is given."""


class Watched:
    """A context in which ``check`` is asked again and again. Where it raises Interrupted, the work ends, and
    the context raises it with the same text. Work that takes more than a second to clean up is interrupted
    again."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check
        self.reason = ""
        """Why the work was interrupted."""
        self.raised = False
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._working = threading.get_ident()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watched:
        self._working = threading.get_ident()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended.set()
        if self.raised:
            # What was raised and has not arrived yet must not arrive later. It is not taken back: Python 3.11
            # then believes forever that something waits, and hangs in the next function that is traced.
            with contextlib.suppress(Interrupted):
                for _ in range(_ENOUGH_TO_ARRIVE):
                    pass
        self._thread.join()
        if kind is Interrupted and not str(error):  # what arrives from the thread has no text
            raise Interrupted(self.reason) from None

    def _look(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_LOOKS):
            try:
                self.check()
            except Interrupted as stop:
                self.reason = str(stop)
                break
        while not self._ended.is_set():
            self._raise()
            self._ended.wait(_SECONDS_UNTIL_AGAIN)

    def _raise(self) -> None:
        with self._lock:
            if not self._ended.is_set():
                self.raised = True
                thread = ctypes.c_ulong(self._working)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(Interrupted))


def within(limits: Limits, work: Callable[[], T], patience: float | None = None) -> T:
    """Run work that does not check limits itself. ``patience``: see ``look_at``. Raises Interrupted."""
    limits.check_time()
    with Watched(look_at(limits, patience)):
        return work()


def look_at(limits: Limits, patience: float | None = None) -> Callable[[], None]:
    """Raises Interrupted when it is called after the time, or with too much memory in use."""
    process = psutil.Process()
    free = psutil.virtual_memory().available
    most = process.memory_info().rss + free * (1 - _SPARED)

    def look() -> None:
        limits.check_time()
        if patience is not None and time.process_time() > patience:
            raise Interrupted("it takes too much time")
        used = process.memory_info().rss
        limits.check_memory(used)
        # Others may have given back since what they had when this began.
        if used > most and psutil.virtual_memory().available < free * _SPARED:
            raise Interrupted("the memory of this machine")

    return look
