"""The different numbers of a column are those of Python's sets, in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.storage.distinct import distinct


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("most", [1, 10, 10**6])
def test_different_numbers_come_once_and_in_order(kind: Any, size: int, most: int) -> None:
    numbers = np.random.default_rng(size).integers(0, most, size).astype(kind)
    given = numbers.copy()
    found = distinct(numbers)
    assert found.dtype == kind
    assert found.tolist() == sorted({*given.tolist()})
    assert numbers.tolist() == given.tolist()  # they are left as they were


def test_the_ends_of_the_range_are_numbers_like_others() -> None:
    ends = np.iinfo(np.int64)
    numbers = np.array([ends.max, -1, ends.min, 0, -1, ends.max])
    assert distinct(numbers).tolist() == [ends.min, -1, 0, ends.max]
