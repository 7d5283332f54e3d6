"""Reductions without their conditions are noticed: by the random protocols, or by the direct tests."""

from __future__ import annotations

import pytest

from tests.support.reduction_mutants import MUTANTS, Mutant, count_until_noticed
from tests.symmetry import test_reductions as direct
from verifier.encodings.sorts import Bag, Function, Option, Range, Sort

SEEDS = range(300)
DIRECTLY: dict[str, Sort] = {
    "mentions miss options": Option(direct.CLIENTS),
    "mentions miss functions": Function(Range(0, 1), direct.CLIENTS),
    "mentions miss bags": Bag(direct.CLIENTS, 1),
}
"""Mutants that random protocols detect late or never, and a sort on which the direct test fails.

Some executions use an element without naming it. Each has a renaming in which it is named, so almost all of
them are found anyway.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant", [mutant for mutant in MUTANTS if mutant.name not in DIRECTLY], ids=lambda mutant: mutant.name
)
def test_random_protocols_notice_a_reduction_without_its_condition(mutant: Mutant) -> None:
    assert count_until_noticed(mutant, SEEDS) is not None


@pytest.mark.parametrize("name", DIRECTLY)
def test_direct_tests_notice_what_mentions_miss(name: str) -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)
    direct.test_an_instance_names_all_that_its_parameters_hold(DIRECTLY[name])
    direct._model.cache_clear()
    with mutant.at_work(), pytest.raises(AssertionError):
        direct.test_an_instance_names_all_that_its_parameters_hold(DIRECTLY[name])
    direct._model.cache_clear()
