"""Advice in messages: what to write in place of a part of a module that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from verifier.tla.errors import Place
from verifier.tla.first_order.kinds import Kind, Member, Optional, SetOf, Whole, Word
from verifier.tla.first_order.scopes import Unread

INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(
        ("Seq", "Len", "Append", "Head", "Tail", "SubSeq", "\\o"),
        "write a function from a range such as 1..N, and a variable for the length",
    ),
    "^": "write a constant in place of the power, with an ASSUME that compares it",
}
"""The advice by the name of the operator."""


def advise(one: Kind | None, other: Kind | None) -> str:
    """Return what to write in place of values of two kinds, after a colon; nothing if no advice is known."""
    words = _advise(one, other) or _advise(other, one)
    return f": {words}" if words else ""


def refuse_pair(words: str, place: Place, one: Kind | None, other: Kind | None) -> NoReturn:
    """Raise Unread for an operator on sets, with advice."""
    advice = _advise_union(one, other) if "union" in words else advise(one, other)
    raise Unread(place, words.format(f"sets of {one} and of {other}") + advice)


def _advise_union(one: Kind | None, other: Kind | None) -> str:
    """Return what to write in place of a union, after a colon; nothing if no advice is known."""
    if isinstance(one, Word) or isinstance(other, Word):
        return ": beside other values write only one string or model value"
    if isinstance(one, Whole) or isinstance(other, Whole):
        return ": in place of integers beside other values write one string or model value"
    return advise(one, other)


def _advise(one: Kind | None, other: Kind | None) -> str:
    match one, other:
        case SetOf(element=mine), SetOf(element=theirs):
            return _advise(mine, theirs) or _advise(theirs, mine)
        case Member(constant=mine), Member(constant=theirs) if mine != theirs:
            return (
                f"write one constant set in place of {mine} and {theirs}, and a variable that never changes "
                "for a part of it"
            )
        case Member(constant=mine), Whole():
            return f"in place of {mine} write a range, such as 0..Most with a constant Most"
        case Optional(inner=Member(constant=mine)), Member(constant=theirs) if mine == theirs:
            return f"name the element before, as in \\E x \\in {mine} : x = … /\\ …"
        case ((Member(constant=mine) | Optional(inner=Member(constant=mine))), Word()):
            return f"no element of {mine} is known by its name, so name any, as in \\A x \\in {mine} : …"
    return ""
