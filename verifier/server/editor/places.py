"""Places of this program, and positions of an editor."""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol.types import Location, Position, Range
from pygls import uris
from pygls.workspace import PositionCodec

from verifier.server.editor.columns import to_column, to_index
from verifier.tla.errors import Place

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
"""A line as editors count them: Python would end one at a form feed, too."""
_WORD = re.compile(r"\w+|\S")


def path_of(uri: str) -> Path:
    """Return the file of an editor's document."""
    return Path(uris.to_fs_path(uri) or uri)


def uri_of(path: Path) -> str:
    """Return the document of a file."""
    return uris.from_fs_path(str(path)) or str(path)


class Positions:
    """Positions in the lines of a text."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.lines, self._codec = _LINE.findall(text), codec

    def line(self, number: int) -> str:
        """Return a line without its end; numbers begin at 1."""
        return self.lines[number - 1].rstrip("\r\n") if 0 < number <= len(self.lines) else ""

    def to_range(self, place: Place) -> Range:
        """Return the range of a place: the word that begins there, if its end is not known."""
        line = max(place.line, 1)
        begin = to_index(self.line(line), max(place.column, 1))
        if place.end != (0, 0):
            end_line, end = place.end[0], to_index(self.line(place.end[0]), place.end[1])
        else:
            word = _WORD.match(self.line(line), begin)
            end_line, end = line, word.end() if word else begin + 1
        whole = Range(Position(line - 1, begin), Position(end_line - 1, end))
        return self._codec.range_to_client_units(self.lines, whole)

    def to_place(self, position: Position) -> tuple[int, int]:
        """Return the line and column of a position, as the reader of modules counts them."""
        own = self._codec.position_from_client_units(self.lines, position)
        line = own.line + 1
        return line, to_column(self.line(line), own.character)


def location(path: Path, positions: Positions, place: Place) -> Location:
    """Return a place in a file."""
    return Location(uri_of(path), positions.to_range(place))
