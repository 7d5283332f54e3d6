"""Standard output and standard error that may be full, closed, or unable to show some characters."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from verifier.errors import UsageError
from verifier.files import reason_of


class _Descriptor(io.FileIO):
    """A descriptor that fails once. What is still buffered then is dropped, without a second complaint."""

    def __init__(self, descriptor: int, what: str | None) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._what = what
        self._failed = False

    def write(self, data: Any) -> int:
        """Writes the data. Raises UsageError the first time that it cannot; of what has no name, nothing."""
        if not self._failed:
            try:
                return super().write(data) or 0
            except BlockingIOError:
                raise
            except OSError as error:
                self._failed = True
                if self._what is not None:
                    raise UsageError(f"{self._what} cannot be written: {reason_of(error)}") from None
        return len(data)


def prepare_streams() -> None:
    """Replaces standard output and standard error.

    Where standard output cannot be written, that is a mistake of the user's. Where standard error cannot,
    nobody can be told, and the exit code still says what was found.
    """
    sys.stdout = _stream(sys.stdout, 1, "standard output")
    sys.stderr = _stream(sys.stderr, 2, None)


def _stream(old: TextIO | None, descriptor: int, what: str | None) -> TextIO:
    if old is None:  # closed: without anything there, the next file that is opened would take its place
        opened = os.open(os.devnull, os.O_WRONLY)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)
    else:
        old.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(descriptor, what)),
        encoding="utf-8" if old is None else old.encoding,
        errors="replace",  # traces have arrows, which not every terminal can show
        line_buffering=descriptor == 2 or os.isatty(descriptor),
    )
