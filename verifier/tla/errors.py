"""Errors in TLA+ text, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.errors import UsageError, cut

LARGEST = 2**31 - 1
"""The largest of TLC's integers, which have 32 bits."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file. Lines and columns start at 1; line 0 is the file as a whole."""

    file: str
    line: int
    column: int
    end: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)
    """The line and column after a text that was read from a module."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class TlaError(UsageError):
    """An error in a module or a configuration: one line, which begins with the place."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(f"{place}: {words}")
        self.place = place
        self.words = words


def takes(name: str, arguments: int) -> str:
    """Return ``Op takes no arguments``, ``Op takes 1 argument``."""
    return f"{name} takes {arguments or 'no'} argument{'' if arguments == 1 else 's'}"


def takes_not(name: str, arguments: int, given: int) -> str:
    """Return ``Op takes 2 arguments, 1 is given``."""
    return f"{takes(name, arguments)}, {given} {'is' if given == 1 else 'are'} given"


def integer(digits: str, place: Place, base: int = 10) -> int:
    """Return the number that a text denotes. Raises TlaError if it is too large for TLC."""
    # Digits are counted first: Python refuses to convert thousands of them.
    if len(digits.lstrip("-0")) > LARGEST.bit_length() or abs(integer := int(digits, base)) > LARGEST:
        raise TlaError(place, f"the number {cut(digits)} is beyond TLC's integers of 32 bits")
    return integer
