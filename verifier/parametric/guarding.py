"""Sorts that reveal to a protocol's code only what a reading for all constants may use.

``Range(0, self.n).high`` is n again, a stand-in object (``read_constants``). The values of the sort, and
whether a number is among them, would be answered for one n; so such questions are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from verifier.encodings.sorts import Range, Sort
from verifier.parametric.callers import asker, is_of_verifier, place_of_frame
from verifier.parametric.errors import NotParametric
from verifier.parametric.read_constants import ReadConstant
from verifier.parametric.traced import Decisions, Traced

_KNOWN = frozenset(
    (
        *("low", "high", "count", "capacity", "maximum", "name", "prefix", "symmetric", "is_scalar", "parts"),
        *("element", "inner", "domain", "range", "fields", "field_sorts", "items"),
        *("alternatives", "payloads", "payload", "tags", "make"),
    )
)
"""Attributes that reveal no values of constants: a number in a sort is a stand-in object."""


@contextmanager
def guard_protocol_code(decisions: Decisions) -> Iterator[None]:
    """The context in which a protocol's code runs. All sorts answer it with stand-ins."""
    decisions.is_reading = True
    Sort.__getattribute__ = _answer  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        del Sort.__getattribute__
        decisions.is_reading = False


def _answer(sort: Sort, name: str) -> Any:
    if name.startswith("__") and (name != "__dict__" or is_of_verifier(sys._getframe(1))):
        return object.__getattribute__(sort, name)
    frame = asker(sys._getframe(1))
    if frame is None or (traced := _trace(sort)) is None:
        return object.__getattribute__(sort, name)
    if name == "size" and type(sort) is Range:
        return _size(sort)
    value = object.__getattribute__(sort, name)
    if isinstance(value, Traced):
        return ReadConstant(value)
    if name in _KNOWN:
        return value
    error = NotParametric(
        f"{place_of_frame(frame)}: {name} of a sort that depends on constants has no reading for all of them"
    )
    traced.decisions.refused.append(error)
    raise error


def _size(sort: Range) -> Any:
    """Return the size of a range, which is assumed not to end before it begins."""
    size: Any = object.__getattribute__(sort, "high") - object.__getattribute__(sort, "low") + 1
    if isinstance(size, Traced):
        fits = size.decisions.note(size.polynomial, ">=", {}, int(size) >= 0)
        return ReadConstant(size) if fits else 0
    return size


def _trace(sort: Sort) -> Traced | None:
    """Return a number in the sort that depends on constants; None if there is none."""
    own = object.__getattribute__(sort, "__dict__").values()
    number = next((value for value in own if isinstance(value, Traced)), None)
    parts = object.__getattribute__(sort, "parts")()
    among_parts = (one for part in parts if (one := _trace(part)) is not None)
    return number if number is not None else next(among_parts, None)
