"""SIGINT and SIGTERM: one mechanism for all commands.

The first signal raises KeyboardInterrupt in the main thread, wherever it is. What is known is then concluded.
Python loses an exception in some places, and a search may take it for the end of a part only. So the signal
is also remembered: whoever looks at limits is told (``Limits.check_time``), and what works on is interrupted
again.

The handler itself has the state. A signal is sent to a process, and children of this one have other handlers.
Nothing is imported here but what Python needs to handle signals: this is loaded before all else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = "interrupted"
"""Why a run ended that the user ended."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED_CODE = 12
"""``ExitCode.INCONCLUSIVE``, whose module may not be imported yet."""
_PATIENCE_SECONDS = 2.0
"""After a signal, how long a further one is ignored: it would disturb the conclusion."""
_LOOK_SECONDS, _AT_ONCE_SECONDS = 0.5, 0.05
"""The time between checks whether work continues, and the time until a lost exception is raised again."""
_WORK_SECONDS, _WAIT_SECONDS = 2.0, 8.0
"""Work that continues, or waits, for so long after an interrupt did not hear of it. The first is processor
time: a busy machine makes a conclusion slow."""
_MOST_TIMES = 4
"""The number of interrupts in vain after which the process ends."""


class Interrupts:
    """The handler of both signals, and of the clock that interrupts again."""

    def __init__(self) -> None:
        self.asked = False
        """True if the user asked this process to stop."""
        self._since = self._worked = self._raised = 0.0
        self._times = 0
        self._held = 0
        self._pending = False
        self._concluding = False
        self._report_lost = sys.unraisablehook

    def __call__(self, number: int, _: Any) -> None:
        """Handles a signal."""
        now = time.monotonic()
        if number == signal.SIGALRM:
            self._look(now)
        elif not self.asked:
            self.asked, self._since = True, now
            self._interrupt()
        elif now - self._since > _PATIENCE_SECONDS:
            os._exit(_INTERRUPTED_CODE)

    def _interrupt(self) -> None:
        if self._concluding:
            return
        self._pending = self._held > 0
        if self._pending:
            return
        if self._times == _MOST_TIMES:
            os._exit(_INTERRUPTED_CODE)
        self._times += 1
        self._worked, self._raised = time.process_time(), time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)
        raise KeyboardInterrupt

    def _look(self, now: float) -> None:
        works = time.process_time() - self._worked > _WORK_SECONDS
        if works or now - self._raised > _WAIT_SECONDS:
            self._interrupt()

    def lost(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Python dropped an exception: in a destructor, in a callback, or in what runs at a fork."""
        if unraisable.exc_type is not KeyboardInterrupt:
            self._report_lost(unraisable)
        elif self.asked:
            # Not at once: that would be within this function, whose exceptions are dropped too.
            self._worked = -_WORK_SECONDS
            self._times -= 1
            signal.setitimer(signal.ITIMER_REAL, _AT_ONCE_SECONDS, _LOOK_SECONDS)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold interrupts back; a signal is heeded afterwards."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self._pending and not self._held:
            self._interrupt()

    def conclude(self) -> None:
        """From now on only known results are printed and written. A signal does not interrupt that."""
        self._concluding = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def install(self) -> None:
        """Handles the signals from now on."""
        sys.unraisablehook = self.lost
        for number in (*_SIGNALS, signal.SIGALRM):
            signal.signal(number, self)


def handler() -> Interrupts | None:
    """The handler of this process's signals, if it is ours."""
    found = signal.getsignal(signal.SIGINT)
    return found if isinstance(found, Interrupts) else None


def asked_to_stop() -> bool:
    """True if the user asked this process to stop."""
    found = handler()
    return found is not None and found.asked


@contextmanager
def held() -> Iterator[None]:
    """Hold interrupts back, where signals are handled."""
    found = handler()
    if found is None:
        yield
    else:
        with found.held():
            yield


@contextmanager
def terminable() -> Iterator[None]:
    """Work that SIGTERM ends like Ctrl-C. What comes after it is the conclusion.

    Within a process that does not handle the signals itself, they are as before afterwards, unless one came.
    """
    found = handler()
    if found is not None:
        try:
            yield
        finally:
            found.conclude()
        return
    before = {number: signal.getsignal(number) for number in (*_SIGNALS, signal.SIGALRM)}
    hook, own = sys.unraisablehook, Interrupts()
    own.install()
    try:
        yield
    finally:
        own.conclude()
        if not own.asked:
            sys.unraisablehook = hook
            for number, one in before.items():
                signal.signal(number, one)


def is_interrupt(error: BaseException) -> bool:
    """True if an exception is an interrupt, or came of one: Python sometimes makes another error of it."""
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes_of(error))


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that it came of."""
    seen = set[int]()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        yield cause
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
