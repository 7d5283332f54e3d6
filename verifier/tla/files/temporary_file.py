"""A temporary file that grows at its end."""

from __future__ import annotations

import os
import tempfile
import weakref

from verifier.files import reason_of
from verifier.processes.limits import Interrupted


class TemporaryFile:
    """Bytes in a file without a name: the system removes it with the process, however that ends. Its methods
    raise Interrupted if the file cannot be written or read."""

    def __init__(self) -> None:
        self.size = 0
        try:
            self._file, name = tempfile.mkstemp(prefix="verify-explore-")
            weakref.finalize(self, os.close, self._file)
            os.unlink(name)
        except OSError as error:
            raise _stop(error) from error

    def append(self, content: bytes | bytearray | memoryview) -> None:
        """Write bytes at the end."""
        data = memoryview(content)
        try:
            while data:
                some = os.pwrite(self._file, data, self.size)
                data, self.size = data[some:], self.size + some
        except OSError as error:
            raise _stop(error) from error

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from one place to another."""
        try:
            content = os.pread(self._file, end - start, start)
        except OSError as error:
            raise _stop(error) from error
        if len(content) != end - start:
            raise Interrupted(f"a file in {tempfile.gettempdir()} is shorter than it was written")
        return content


def _stop(error: OSError) -> Interrupted:
    return Interrupted(f"a file in {tempfile.gettempdir()}: {reason_of(error)}")
