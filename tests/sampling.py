"""Which of many cases of one kind the quick tests take; the others are `thorough`, or `slow`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest


def some_of(cases: Iterable[Any], *, every: int) -> list[Any]:
    """All cases as parameters of a test, of which each so-manyth is quick.

    A tuple has the values of several parameters, or of one that is a tuple itself: ``((1, 2),)``.
    """
    return [_case(case, place % every == 0) for place, case in enumerate(cases)]


def first_of(cases: Iterable[Any], count: int) -> list[Any]:
    """The same, where the first ones are quick."""
    return [_case(case, place < count) for place, case in enumerate(cases)]


def rest_slow(cases: Iterable[Any], count: int) -> list[Any]:
    """All cases as parameters of a test, of which the first ones are thorough, and the rest is slow."""
    marks = (pytest.mark.thorough if place < count else pytest.mark.slow for place in itertools.count())
    return [pytest.param(case, marks=[mark]) for case, mark in zip(cases, marks, strict=False)]


def _case(case: Any, quick: bool) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=[] if quick else [pytest.mark.thorough])
