"""The first rows of columns in a temporary file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from verifier.tla.files.temporary_file import TemporaryFile

Column = npt.NDArray[np.int64]
_NUMBER = np.dtype(np.int32)
"""The numbers in the file: a search has fewer states and values than that."""


class ColumnFile:
    """Rows that are appended, and read again by their numbers."""

    def __init__(self, columns: int) -> None:
        self._file, self._width = TemporaryFile(), columns
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """Return the bytes in the file."""
        return self._file.size

    def append(self, columns: Sequence[Column]) -> None:
        """Write rows, given as columns."""
        self._file.append(np.stack(columns, axis=1).astype(_NUMBER).data.cast("B"))
        self._count += len(columns[0])

    def read(self, first: int, end: int) -> list[Column]:
        """Return the columns of some rows."""
        row = self._width * _NUMBER.itemsize
        numbers = np.frombuffer(self._file.read(first * row, end * row), _NUMBER)
        return list(numbers.reshape(end - first, self._width).T.astype(np.int64))
