"""Each test begins with Python's recursion limit, whatever raised it before."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def raised() -> Iterator[int]:
    """A limit that is raised for the whole module, as loading TLA+ raises it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(60_000)
    yield 60_000
    sys.setrecursionlimit(before)


def test_a_fixture_of_the_module_raises_it_for_no_test(raised: int) -> None:
    assert sys.getrecursionlimit() < raised


def test_the_next_test_begins_with_it_too(raised: int) -> None:
    assert sys.getrecursionlimit() < raised
