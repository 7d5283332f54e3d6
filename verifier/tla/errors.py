"""Errors in TLA+ text, each with its place."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.errors import UsageError


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file. Lines and columns start at 1; line 0 is the file as a whole."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class TlaError(UsageError):
    """Something is wrong with a module or a configuration: one line, which begins with the place."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(f"{place}: {words}")
        self.place = place
        self.words = words
