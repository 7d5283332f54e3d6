"""SIGINT and SIGTERM: one mechanism for all commands.

The first signal raises KeyboardInterrupt in the main thread, wherever it is. What is known is then concluded.
Python loses an exception in some places, and a search may take it for the end of a part only. So the signal
is also remembered: whoever looks at limits is told (``Limits.check_time``), and what works on is interrupted
again.

A second signal ends what is only waited for. A process that does not end then is ended by force, after its
last word: nothing that is known is lost, whenever a signal comes.

The handler itself has the state. A signal is sent to a process, and children of this one have other handlers.
Nothing is imported here but what Python needs to handle signals: this is loaded before all else.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = "interrupted"
"""Why a run ended that the user ended."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED_CODE = 12
"""``ExitCode.INCONCLUSIVE``, whose module may not be imported yet."""
_PATIENCE_SECONDS = 2.0
"""After a signal, how long a further one is ignored: it would disturb the conclusion."""
_HURRY_SECONDS = 3.0
"""After a second signal, the time to conclude without waiting for others."""
_LAST_WORD_SECONDS = 1.0
"""The time for the last word of a process that is ended by force."""
_LOOK_SECONDS, _AT_ONCE_SECONDS = 0.5, 0.05
"""The time between checks whether work continues, and the time until a lost exception is raised again."""
_WORK_SECONDS, _WAIT_SECONDS = 2.0, 8.0
"""Work that continues, or waits, for so long after an interrupt did not hear of it. The first is processor
time: a busy machine makes a conclusion slow."""
_STANDARD_OUTPUT = 1
LastWord = Callable[[bool], int]
"""Writes what is known where the process is ended by force, unless the answer is there or has begun (True).
Returns the exit code."""
_MOST_TIMES = 4
"""The number of interrupts in vain after which the process ends."""


class Interrupts:
    """The handler of both signals, and of the clock that interrupts again."""

    def __init__(self) -> None:
        self.asked = False
        """True if the user asked this process to stop."""
        self.by = ""
        """The name of the signal by which the user asked."""
        self.hurried = False
        """True if the user asked again: others are not waited for any more."""
        self.last_word: LastWord | None = None
        self._since = self._worked = self._raised = 0.0
        self._times = 0
        self._held = 0
        self._pending = False
        self._concluding = False
        self._answering = self._answered = False
        self._report_lost = sys.unraisablehook

    def __call__(self, number: int, _: Any) -> None:
        """Handles a signal."""
        now = time.monotonic()
        if number == signal.SIGALRM:
            self._look(now)
        elif not self.asked:
            self.asked, self._since, self.by = True, now, signal.Signals(number).name
            self._interrupt()
        elif now - self._since > _PATIENCE_SECONDS:
            self._since = now
            if self.hurried and not (self._answering and _has_room(_STANDARD_OUTPUT)):
                self._end_by_force()
            self.hurried = True
            signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)

    def _interrupt(self) -> None:
        if self._concluding:
            return
        self._pending = self._held > 0
        if self._pending:
            return
        if self._times == _MOST_TIMES:
            self._end_by_force()
        self._times += 1
        self._worked, self._raised = time.process_time(), time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, _LOOK_SECONDS, _LOOK_SECONDS)
        raise KeyboardInterrupt

    def _look(self, now: float) -> None:
        if self.hurried and now - self._since >= _HURRY_SECONDS and self._is_stuck():
            self._end_by_force()
        works = time.process_time() - self._worked > _WORK_SECONDS
        if works or now - self._raised > _WAIT_SECONDS:
            self._interrupt()

    def _is_stuck(self) -> bool:
        """True if the process neither prints its answer nor writes a file."""
        if self._answering:
            return not _has_room(_STANDARD_OUTPUT)
        return not self._concluding and not self._held

    def _end_by_force(self) -> None:
        """Ends the process, after its last word."""
        code = _INTERRUPTED_CODE
        signal.signal(signal.SIGALRM, lambda *_: os._exit(code))
        signal.setitimer(signal.ITIMER_REAL, _LAST_WORD_SECONDS)
        try:
            if self.last_word is not None:
                code = self.last_word(self.has_answered)
        finally:
            os._exit(code)

    def note_lost_exception(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Python dropped an exception: in a destructor, in a callback, or in what runs at a fork."""
        if unraisable.exc_type is not KeyboardInterrupt:
            self._report_lost(unraisable)
        elif self.asked:
            # Not at once: that would be within this function, whose exceptions are dropped too.
            self._worked = -_WORK_SECONDS
            self._times -= 1
            signal.setitimer(signal.ITIMER_REAL, _AT_ONCE_SECONDS, _LOOK_SECONDS)

    @contextmanager
    def hold_back(self) -> Iterator[None]:
        """Hold interrupts back; a signal is heeded afterwards."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
        if self._pending and not self._held:
            self._interrupt()

    def conclude(self) -> None:
        """Begin the end, in which only known results are printed and written. A signal does not interrupt
        that."""
        self._concluding = True
        if not self.hurried:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    @property
    def has_answered(self) -> bool:
        """True if the answer of the command is printed, or its first part."""
        return self._answering or self._answered

    @contextmanager
    def answering(self) -> Iterator[None]:
        """The answer is printed here. Nothing interrupts that, nor what follows."""
        self.conclude()
        self._answering = True
        try:
            yield
        finally:
            self._answering, self._answered = False, True

    def install(self) -> None:
        """Handles the signals from now on."""
        sys.unraisablehook = self.note_lost_exception
        for number in (*_SIGNALS, signal.SIGALRM):
            signal.signal(number, self)


def _has_room(descriptor: int) -> bool:
    """True if what reads a descriptor still takes something."""
    room = select.poll()
    room.register(descriptor, select.POLLOUT)
    return bool(room.poll(0))


def handler() -> Interrupts | None:
    """The handler of this process's signals, if it is ours."""
    current = signal.getsignal(signal.SIGINT)
    return current if isinstance(current, Interrupts) else None


def is_stop_asked() -> bool:
    """True if the user asked this process to stop."""
    interrupts = handler()
    return interrupts is not None and interrupts.asked


def describe_stop() -> str:
    """Return why work ended that the user ended, with the signal if it is known."""
    found = handler()
    return f"{INTERRUPTED} by {found.by}" if found is not None and found.by else INTERRUPTED


def is_hurried() -> bool:
    """True if the user asked twice: others are not waited for any more."""
    interrupts = handler()
    return interrupts is not None and interrupts.hurried


def speak_last(word: LastWord) -> None:
    """Set the last word of this process, in place of an earlier one."""
    interrupts = handler()
    if interrupts is not None:
        interrupts.last_word = word


@contextmanager
def answering() -> Iterator[None]:
    """The answer of the command is printed here, where signals are handled."""
    interrupts = handler()
    if interrupts is None:
        yield
    else:
        with interrupts.answering():
            yield


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Hold interrupts back, where signals are handled."""
    interrupts = handler()
    if interrupts is None:
        yield
    else:
        with interrupts.hold_back():
            yield


@contextmanager
def terminable() -> Iterator[None]:
    """Work that SIGTERM ends like Ctrl-C. What comes after it is the conclusion.

    Within a process that does not handle the signals itself, they are as before afterwards, unless one came.
    """
    interrupts = handler()
    if interrupts is not None:
        try:
            yield
        finally:
            interrupts.conclude()
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
