"""Errors as clients get them: a kind, words, and the place in a text if there is one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from verifier.errors import UsageError
from verifier.processes.limits import Interrupted
from verifier.specs.definition import DefinitionError
from verifier.tla.errors import Place, TlaError
from verifier.tla.frames import Undefined
from verifier.tla.value_types import NoValue

_PLACE = re.compile(
    r"(?P<file>[^:\n]+\.(?:tla|cfg|py|toml))(?::|, line )(?P<line>\d+)(?::(?P<column>\d+))?: "
)
"""A message's place: ``M.tla:3:1: `` in a module, ``p.py, line 3: `` in Python."""


@dataclass(frozen=True)
class Problem:
    """The reason why a request has no answer."""

    kind: str
    """``usage``: the request or the text is wrong; ``undefined``: an expression has no value; ``cancelled``;
    ``internal``: a defect of this program."""
    words: str
    place: Place | None = None

    def as_object(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        made: dict[str, Any] = {"kind": self.kind, "message": self.words}
        if self.place is not None:
            made["place"] = place_object(self.place)
        return made


class Refused(Exception):
    """Raised where another process found why a request has no answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.words)
        self.problem = problem


def place_object(place: Place) -> dict[str, Any]:
    """Return a place as JSON: lines and columns begin at 1."""
    made: dict[str, Any] = {"file": place.file, "line": place.line, "column": place.column}
    if place.end != (0, 0):
        made["end"] = {"line": place.end[0], "column": place.end[1]}
    return made


def find_place(words: str) -> Place | None:
    """Return the place with which a message begins; None if it begins with none."""
    match = _PLACE.match(words)
    return Place(match["file"], int(match["line"]), int(match["column"] or 1)) if match else None


def drop_place(words: str) -> str:
    """Return a message without the place with which it begins."""
    match = _PLACE.match(words)
    return words[match.end() :] if match else words


def explain_failure(error: Exception) -> Problem:
    """Return what a client is told of an exception."""
    if isinstance(error, Refused):
        return error.problem
    words = " ".join(str(error).split())
    if isinstance(error, TlaError):
        return Problem("usage", words, error.place if error.place.line else None)
    if isinstance(error, Undefined):
        return Problem("undefined", words, error.place)
    if isinstance(error, NoValue):
        return Problem("undefined", words)
    if isinstance(error, RecursionError):
        return Problem("usage", "it is nested too deep, or an operator calls itself without an end")
    if isinstance(error, UsageError | DefinitionError):
        return Problem("usage", words, find_place(words))
    if isinstance(error, Interrupted):
        return Problem("cancelled", words)
    return Problem("internal", f"{type(error).__name__}: {words}")
