"""Disjunctions with TRUE whose other parts may have no value, for all constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.parametric.proving import Proofs, prove
from verifier.processes.limits import Limits
from verifier.runs.loading import load
from verifier.runs.reading_for_all import reading_of

MODULE = """---- MODULE Before ----
EXTENDS Integers
CONSTANT N
VARIABLE x
Max(A) == CHOOSE m \\in A : \\A v \\in A : m >= v
Below == {y \\in 0..N : y < x}
TypeOK == x \\in 0..N
Init == x = 0
Next == x < N /\\ x' = x + 1
Read == Max(Below) >= 0 \\/ TRUE
NotRead == TRUE \\/ Max(Below) >= 0
====
"""


@pytest.mark.parametrize(("claim", "is_proved"), [("Read", False), ("NotRead", True)])
def test_what_comes_before_true_needs_a_value(claim: str, is_proved: bool, tmp_path: Path) -> None:
    """TLC reads parts from left to right: the maximum of no elements is an error in the first state."""
    (tmp_path / "Before.tla").write_text(MODULE)
    config = f"INIT Init\nNEXT Next\nCONSTANT N = 2\nINVARIANTS TypeOK {claim}\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Before.cfg").write_text(config)
    loaded = load(str(tmp_path / "Before.tla"), {})
    assert loaded.source is not None
    proofs = Proofs.of(reading_of(loaded.source.as_protocol(loaded, (claim,), ())))
    assert prove(proofs, claim, Limits(20.0, None).begin()).proved is is_proved
