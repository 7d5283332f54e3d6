"""Lays out entries in columns of a fixed total width and indents wrapped lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby

from verifier.text.changes import Entry

GAP = " │ "
_INDENT = "  "
_NO_BREAK = "\u00a0"
_QUOTED = re.compile(r"(?<!\S)'[^']{1,60}'(?!\S)")
_NARROWEST_TEXT = 20


def one_line(entry: Entry) -> str:
    """``hw[r1]: 0 → 1``."""
    return f"{entry.path}: {' → '.join(entry.parts)}" if entry.parts else entry.path


def cell(entries: Iterable[Entry], width: int) -> list[str]:
    """The lines of entries. If that saves line breaks, fields of one record stand under the record's path."""
    lines: list[str] = []
    for parent, members in groupby(entries, lambda entry: entry.parent):
        fields = list(members)
        if parent and any(len(one_line(entry)) > width for entry in fields):
            lines.append(parent)
            fields = [Entry(entry.lane, entry.path.removeprefix(parent), entry.parts) for entry in fields]
        lines += (line for entry in fields for line in _wrap(entry, width))
    return lines


def _wrap(entry: Entry, width: int) -> list[str]:
    """An entry on lines of at most ``width`` characters. A value is broken only if it is too long."""
    whole = one_line(entry)
    if len(whole) <= width:
        return [whole]
    parts = (_forbid_breaks(part, width - len(_INDENT) - 2) for part in entry.parts)
    arrow = f" →{_NO_BREAK}"  # the arrow stands on the line of the new value
    text = f"{entry.path}: {arrow.join(parts)}"
    return wrap(text, width, subsequent_indent=_INDENT)


def _forbid_breaks(part: str, width: int) -> str:
    """Forbids breaks in a part that fits in the width, otherwise in each ``name value`` of a record."""
    return re.sub(" " if len(part) <= width else "(?<![,:]) ", _NO_BREAK, part)


def wrap(text: str, width: int, *, initial_indent: str = "", subsequent_indent: str = "") -> list[str]:
    """Lines of at most ``width`` characters, broken at spaces if possible. No-break spaces become spaces.

    A word of a command line that stands in quotes is not broken: the command can then be copied."""
    lines = textwrap.wrap(
        _QUOTED.sub(lambda word: word[0].replace(" ", _NO_BREAK), text),
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_on_hyphens=False,
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def compact_lines(entries: Iterable[Entry], width: int) -> list[str]:
    """The entries one after the other, on as few lines as possible."""
    return wrap("   ".join(_forbid_breaks(one_line(entry), width) for entry in entries), width)


def widths(natural: Sequence[int], available: int, narrowest: int) -> list[int] | None:
    """The width of each column, from the width that each would need and the total width with gaps.

    The widest columns shrink first. None if a column would become narrower than ``narrowest``.
    """
    room = available - len(GAP) * (len(natural) - 1)
    result = list(natural)
    while (excess := sum(result) - room) > 0:
        widest = max(result)
        if widest <= narrowest:
            return None
        for index in [index for index, width in enumerate(result) if width == widest][:excess]:
            result[index] -= 1
    return result


def side_by_side(cells: Sequence[Sequence[str]], column_widths: Sequence[int]) -> list[str]:
    """The lines of one row, from the lines of its cells."""
    height = max((len(lines) for lines in cells), default=0)
    rows = []
    for number in range(height):
        texts = [lines[number] if number < len(lines) else "" for lines in cells]
        padded = [text.ljust(width) for text, width in zip(texts, column_widths, strict=True)]
        rows.append(GAP.join(padded).rstrip())
    return rows


def align_rows(rows: Sequence[Sequence[str]], width: int, indent: str = "") -> list[list[str]]:
    """The lines of each row of a table. Only the last column is wrapped."""
    if not rows:
        return []
    before = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    result = []
    for row in rows:
        start = indent + "".join(f"{text:<{size}}   " for text, size in zip(row, before, strict=False))
        room = max(width - len(start), _NARROWEST_TEXT)
        first, *more = wrap(row[-1], room) or [""]
        result.append([f"{start}{first}".rstrip(), *(" " * len(start) + line for line in more)])
    return result
