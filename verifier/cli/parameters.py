"""Types of options: each turns a word into a value, or says on one line what is allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from verifier.errors import UsageError, unknown_name
from verifier.runs.quantities import DURATION, SIZE, parse_duration, parse_size


class OneOf(click.ParamType[str]):
    """One of several words; for any other the nearest is offered."""

    name = "choice"

    def __init__(self, kind: str, choices: Sequence[str]) -> None:
        self.kind = kind
        self.choices = tuple(choices)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What the help shows as the value."""
        return f"[{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word itself. Raises UsageError for an unknown one."""
        if value not in self.choices:
            raise unknown_name(self.kind, value, self.choices)
        return str(value)


class _Checked(click.ParamType[Any]):
    """A word that is parsed, with what is allowed said in words."""

    allowed = ""

    def parse(self, word: str) -> Any:
        """The value, or ValueError."""
        raise NotImplementedError

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value. Raises UsageError if the word is not allowed."""
        if not isinstance(value, str):
            return value  # a default
        try:
            return self.parse(value)
        except ValueError:
            option = param.opts[0] if param is not None else self.name
            raise UsageError(f"{option} {value} is not allowed: it takes {self.allowed}") from None


class Count(_Checked):
    """An integer from 0."""

    name = "integer"
    allowed = "an integer from 0"

    def parse(self, word: str) -> int:
        """The integer."""
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise ValueError
        return int(word)


class Positive(_Checked):
    """An integer from 1."""

    name = "integer"
    allowed = "an integer from 1"

    def parse(self, word: str) -> int:
        """The integer."""
        if not re.fullmatch(r"0*[1-9][0-9]{0,8}", word):
            raise ValueError
        return int(word)


class Duration(_Checked):
    """Seconds, or a number with a unit."""

    name = "duration"
    allowed = DURATION

    def parse(self, word: str) -> float:
        """The seconds."""
        return parse_duration(word)


class Size(_Checked):
    """An amount of memory."""

    name = "size"
    allowed = SIZE

    def parse(self, word: str) -> int:
        """The bytes."""
        return parse_size(word)
