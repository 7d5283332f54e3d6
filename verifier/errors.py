"""Mistakes of the person who asked, as opposed to defects of this program."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

_LIKENESS = 0.6
"""The likeness of two names from which one may be meant for the other; 1 is equal."""
_LIKENESS_OF_SHORT, _SHORT = 0.5, 3
"""The likeness for names of at most three letters, of which one differs: ``z4`` for ``z3``."""
_SHORTEST_BEGINNING = 3
"""The number of letters from which the beginning of a name is near to it."""
_LONGEST = 80
_HALF = 35


class UsageError(Exception):
    """Wrong usage or bad input; the message is one line for the user (exit code 2)."""


class ReaderGone(UsageError):
    """Raised if nobody reads standard output any more, as in ``verify show SPEC | head``: nothing is said."""


class TooLargeError(UsageError):
    """Raised if something is too large to be built. The words say what to do."""

    def __init__(self, words: str, advice: str = "") -> None:
        super().__init__(words + advice)
        self.words = words


def make_unknown_name_error(kind: str, name: str, allowed: Iterable[str]) -> UsageError:
    """The error for a name that is not known.

    `kind` says what was named ("solver", "property"), `name` is what was written and `allowed`
    lists what could have been, in the order to show. The message offers the nearest of them.
    """
    return UsageError(f"unknown {kind} {cut(name)!r} {among(name, allowed)}")


def cut(value: Any) -> str:
    """A value as an error names it: long ones without their middle."""
    text = str(value)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_HALF]}…{text[-_HALF:]}"


def among(name: str, allowed: Iterable[str]) -> str:
    """The names that could have been written instead: ``(allowed: a, b); did you mean 'a'?``"""
    choices = list(allowed)
    listing = ", ".join(choices) if choices else "none are defined"
    return f"(allowed: {listing}){suggest(name, choices)}"


def suggest(name: str, allowed: Iterable[str]) -> str:
    """The nearest of the names that could have been written: ``; did you mean 'a'?``"""
    near = nearest(str(name), allowed)
    return f"; did you mean {near!r}?" if near else ""


def nearest(name: str, allowed: Iterable[str]) -> str | None:
    """The name that was probably meant; None if none is near."""
    # Case is the most common slip, and difflib counts it as a difference like any other.
    by_folded = {choice.casefold(): choice for choice in reversed(list(allowed))}
    folded = cut(name).casefold()
    likeness = _LIKENESS if len(folded) > _SHORT else _LIKENESS_OF_SHORT
    near = difflib.get_close_matches(folded, list(by_folded), n=1, cutoff=likeness)
    if not near and len(folded) >= _SHORTEST_BEGINNING:
        near = [choice for choice in by_folded if choice.startswith(folded)][:1]
    return by_folded[near[0]] if near else None
