"""The choice of quick, `thorough` and `slow` tests among many cases of one kind.

What continuous integration runs has to end soon: for each quick case it runs a thorough one. `make slow`
runs the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet  # pytest has no public name for it

_THOROUGH_FOR_A_QUICK_ONE = 1


def some_of(cases: Iterable[Any], *, every: int) -> list[Any]:
    """All cases as parameters of a test, of which each nth is quick.

    A tuple has the values of several parameters, or of one that is a tuple itself: ``((1, 2),)``. What
    ``pytest.param`` gives keeps its name.
    """
    return [_case(case, place % every, 1) for place, case in enumerate(cases)]


def first_of(cases: Iterable[Any], count: int) -> list[Any]:
    """Return the cases as parameters, with the first ones in the quick tests."""
    return [_case(case, place, count) for place, case in enumerate(cases)]


def rest_slow(cases: Iterable[Any], count: int) -> list[Any]:
    """All cases as parameters of a test, of which the first ones are thorough, and the rest is slow."""
    return [
        pytest.param(case, marks=[pytest.mark.thorough if place < count else pytest.mark.slow])
        for place, case in enumerate(cases)
    ]


def _case(case: Any, place: int, quick: int) -> Any:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=[*case.marks, *_marks(place, quick)], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=_marks(place, quick))


def _marks(place: int, quick: int) -> list[pytest.MarkDecorator]:
    if place < quick:
        return []
    few = place < quick * (1 + _THOROUGH_FOR_A_QUICK_ONE)
    return [pytest.mark.thorough if few else pytest.mark.slow]
