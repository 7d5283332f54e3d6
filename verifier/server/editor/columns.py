"""Columns of a text as the reader of modules counts them, a tab as up to 8 spaces, and as Python does."""

from __future__ import annotations

TAB_STOP = 8


def to_index(line: str, column: int) -> int:
    """Return the index in a line of a column that begins at 1 and counts tabs as spaces."""
    at = 0
    for index, character in enumerate(line):
        width = TAB_STOP - at % TAB_STOP if character == "\t" else 1
        if at + width >= column:
            return index
        at += width
    return min(len(line), len(line) + column - 1 - at)


def to_column(line: str, index: int) -> int:
    """Return the column of an index in a line."""
    at = 0
    for character in line[:index]:
        at += TAB_STOP - at % TAB_STOP if character == "\t" else 1
    return at + 1
