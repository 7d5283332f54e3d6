"""Temporal formulas nested in others: every engine against a naive reading of all short lassos."""

from __future__ import annotations

import pytest

from tests.support.nested_formulas import compare
from tests.support.sampling import rest_slow

GROUPS = [(first, first + 20) for first in range(0, 400, 20)]
QUICK = [*GROUPS[:2], *rest_slow(GROUPS[2:], 6)]


@pytest.mark.parametrize("seeds", QUICK, ids=str)
def test_nested_formulas_mean_what_their_operators_say(seeds: tuple[int, int]) -> None:
    for seed in range(*seeds):
        compare(seed, prove=seed % 10 == 0)
