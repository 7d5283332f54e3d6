"""Standard output and standard error that may be full, closed, or unable to show some characters."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from typing import Any, TextIO

from verifier.errors import ReaderGone, UsageError
from verifier.files import reason_of
from verifier.processes.interrupts import is_stop_asked

_LOOK_MILLISECONDS = 100
_PATIENCE_SECONDS = 0.3
"""After a signal, how long standard error is waited for, where nobody reads it."""


class _Descriptor(io.FileIO):
    """A descriptor that fails once. What is still buffered then is dropped, without a second complaint."""

    def __init__(self, descriptor: int, what: str | None) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._what = what
        self._failed = False

    def write(self, data: Any) -> int:
        """Writes the data. Raises UsageError the first time that it cannot; of what has no name, nothing."""
        until: float | None = None
        while not self._failed:
            try:
                written = super().write(data)
            except OSError as error:
                self._failed = True
                if self._what is not None:
                    kind = ReaderGone if isinstance(error, BrokenPipeError) else UsageError
                    raise kind(f"{self._what} cannot be written: {reason_of(error)}") from None
                break
            if written is not None:
                return written
            self._wait_for_room()
            if self._what is None and is_stop_asked():  # a result, however, is not dropped
                until = time.monotonic() + _PATIENCE_SECONDS if until is None else until
                self._failed = time.monotonic() > until
        return len(data)

    def _wait_for_room(self) -> None:
        room = select.poll()
        room.register(self.fileno(), select.POLLOUT)
        room.poll(_LOOK_MILLISECONDS)


def prepare_streams() -> None:
    """Replaces standard output and standard error.

    Where standard output cannot be written, that is a mistake of the user's. Where standard error cannot,
    nobody can be told, and the exit code still says what was found.
    """
    sys.stdout = _stream(sys.stdout, 1, "standard output")
    sys.stderr = _stream(sys.stderr, 2, None)


def write_all(descriptor: int, text: str) -> None:
    """Writes a text to a descriptor, past the streams, which may be in use."""
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(descriptor, data) :]


def _stream(old: TextIO | None, descriptor: int, what: str | None) -> TextIO:
    if old is None:  # closed: without anything there, the next file that is opened would take its place
        opened = os.open(os.devnull, os.O_WRONLY)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)
    else:
        old.flush()
    if what is None:
        descriptor = _that_never_blocks(descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(descriptor, what)),
        encoding="utf-8" if old is None else old.encoding,
        errors="replace",  # traces have arrows, which not every terminal can show
        line_buffering=what is None or os.isatty(descriptor),
    )


def _that_never_blocks(descriptor: int) -> int:
    """Another descriptor of the same terminal or pipe, where a write that has no room returns.

    A thread that the system keeps in a write hears of no signal. The descriptor itself stays as it is: other
    processes share it.
    """
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) or os.isatty(descriptor):
            return os.open(f"/dev/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:  # of another user, or of a system without such a folder
        pass
    return descriptor
