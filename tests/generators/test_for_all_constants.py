"""The page of built-in protocols that are proved for all constants."""

from __future__ import annotations

import pytest

from results.generators import for_all_constants
from verifier.runs.loading import load


def test_a_row_has_the_verdict_and_the_check() -> None:
    row = for_all_constants.measure("rabbit-sac", "TypeOK", (), 100.0)
    assert (row.verdict, row.obligations > 0, row.cpu > 0) == ("PROVED", True, True)
    assert row.rechecked.isdigit()
    assert f"| {' | '.join(row.cells())} |" in for_all_constants.page([row])


@pytest.mark.parametrize("spec", sorted({one[0] for one in for_all_constants.PROOFS}))
def test_the_proofs_are_about_properties_that_exist(spec: str) -> None:
    known = [one.name for one in load(spec, {}).definition.properties]
    assert {claim for name, claim, _ in for_all_constants.PROOFS if name == spec} <= set(known)
