"""Integers that a protocol's code must not look at, because it is read for all of their values."""

from __future__ import annotations

from typing import Any


class OpenInteger:
    """Stands for an integer in a protocol's code, and is none, so that Python cannot decide with it."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def number_of(value: Any) -> Any:
    """The integer that is stood for. Anything else is returned as it is.

    All places where sorts and expressions take integers from a protocol call this function.
    """
    return value.number if isinstance(value, OpenInteger) else value
