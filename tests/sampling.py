"""Which of many cases of one kind the quick tests take; the others are `thorough`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some_of(cases: Iterable[Any], *, every: int) -> list[Any]:
    """All cases as parameters of a test, of which each so-manyth is quick."""
    return [case if place % every == 0 else _thorough(case) for place, case in enumerate(cases)]


def first_of(cases: Iterable[Any], count: int) -> list[Any]:
    """All cases as parameters of a test, of which the first ones are quick."""
    return [case if place < count else _thorough(case) for place, case in enumerate(cases)]


def _thorough(case: Any) -> Any:
    """One case, or the values of several parameters in a tuple."""
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.thorough)
