"""Limits Python's own use of expressions while a protocol is read: it may do next to nothing.

Python hashes an expression by its identity and shows its text, and the code that asked goes on with an answer
that has nothing to do with any state. So whoever reads a protocol sets a guard, which is asked first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any, Protocol


class Guard(Protocol):
    """Decides on uses of expressions by Python. It raises SortError for one that is refused."""

    def hash_expression(self, value: Any, frame: FrameType) -> int:
        """The hash of an expression for the code that runs in a frame."""

    def show_expression(self, value: Any, frame: FrameType) -> str | None:
        """The text of an expression, or what is written to a file of it, for the code that runs in a frame;
        None if that is the expression as it is written."""

    def truth(self, value: Any) -> bool | None:
        """The truth value of an expression for Python; None if it has none."""

    def take_collection(self, container: Any) -> None:
        """The language takes a dictionary or a set of Python, whose keys may be expressions."""

    def body(self, symbols: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """The result of a quantifier's function for its bound variables, which ``call`` calls it with."""


GUARD: ContextVar[Guard | None] = ContextVar("what decides on uses of expressions by Python", default=None)


def take(container: Any) -> Any:
    """The dictionary or set, whose keys the language reads one by one: they were hashed for this."""
    guard = GUARD.get()
    if guard is not None:
        guard.take_collection(container)
    return container
