"""Integers that a protocol's code must not look at, because it is read for all of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

LARGEST = "largest integer"
"""The constant that stands for the bounds of integers without bounds, such as those of Nat. At given
constants it is a bound. For all constants, a bound that mentions it is none. No author's constant has a space
in its name."""


class OpenInteger:
    """A stand-in for an integer in a protocol's code. It is no integer, so that Python cannot decide with
    it."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def number_of(value: Any) -> Any:
    """The integer that is stood for. Anything else is returned as it is.

    All places where sorts and expressions take integers from a protocol call this function.
    """
    return value.number if isinstance(value, OpenInteger) else value


class OriginInteger(int):
    """An integer that knows what it was computed from."""

    def compute(self, value: int, how: str, numbers: Sequence[int]) -> int:
        """The value, which was computed so from numbers of which this is one. It knows that, too."""
        raise NotImplementedError

    def refuse(self, what: str) -> NoReturn:
        """Raises an error, because this number is something that it must not be."""
        raise NotImplementedError


def compute_from(value: int, how: str, numbers: Sequence[int]) -> int:
    """The value, which was computed so from the numbers: it knows that if one of them knows its own origin.

    All code that computes the bounds of a sort by more than sums and products calls this function. The
    comparisons in such code would hide that the result is another one at other constants.
    """
    known = next((number for number in numbers if isinstance(number, OriginInteger)), None)
    return value if known is None else known.compute(value, how, numbers)


def least(*numbers: int) -> int:
    """The least of the numbers."""
    return compute_from(min(numbers), "the least", numbers)


def greatest(*numbers: int) -> int:
    """The greatest of the numbers."""
    return compute_from(max(numbers), "the greatest", numbers)
