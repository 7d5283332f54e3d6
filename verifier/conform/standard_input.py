"""A log that comes on standard input, and may still grow."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from verifier.processes.interrupts import is_stop_asked

STANDARD_INPUT = Path("-")
_BYTES = "surrogateescape"
"""Bytes that are no text are passed on as they are, so that the line that has them is named."""


def _open() -> TextIO:
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors=_BYTES)
    return sys.stdin


def read_input() -> Iterator[str]:
    """Yield the lines as they come. The user's signal ends them."""
    try:
        yield from _open()
    except KeyboardInterrupt:
        if not is_stop_asked():
            raise


@contextmanager
def as_file(log: Path) -> Iterator[Path]:
    """Give standard input as a file, once it is at its end."""
    if log != STANDARD_INPUT:
        yield log
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input.ndjson"
        with file.open("w", encoding="utf-8", errors=_BYTES) as copy:
            shutil.copyfileobj(_open(), copy)
        yield file
