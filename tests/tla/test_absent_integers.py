r"""Integers that may be absent in proofs for all constants, as those of ``[Key -> Nat \cup {None}]``."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Last ----
EXTENDS Naturals
CONSTANTS Key, None
VARIABLE m
TypeOK == m \in [Key -> SET \cup {None}]
Init == m = [k \in Key |-> None]
Next == \E k \in Key : m' = [m EXCEPT ![k] = NEW]
Claim == \A k \in Key : CLAIM
====
"""
CONFIG = "CONSTANTS Key = {a, b} None = None\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
COUNTED = "IF @ = None THEN 2 ELSE @ + 1"


def _prove(folder: Path, new: str, claim: str, numbers: str = "Nat") -> Run:
    text = MODULE.replace("SET", numbers).replace("NEW", new).replace("CLAIM", claim)
    (folder / "Last.tla").write_text(text)
    (folder / "Last.cfg").write_text(CONFIG)
    loaded = load(str(folder / "Last.tla"), {})
    return execute("prove", loaded, ProveOptions(properties=("Claim", "TypeOK"), all_constants=True))


@pytest.mark.parametrize(
    ("new", "claim", "kinds"),
    [
        ("0", "m[k] = None \\/ m[k] = 0", ["PROVED", "PROVED"]),
        ("0", "m[k] # 0", ["VIOLATED", "PROVED"]),
        ("0", "m[k] # 1", ["PROVED", "PROVED"]),
        (COUNTED, "m[k] # None => m[k] >= 2", ["PROVED", "PROVED"]),
        (COUNTED, "m[k] # None => m[k] < 4", ["VIOLATED", "PROVED"]),
        (COUNTED, "m[k] # 1", ["INCONCLUSIVE", "PROVED"]),
    ],
)
def test_an_integer_is_a_value_beside_none(tmp_path: Path, new: str, claim: str, kinds: list[str]) -> None:
    assert [one.kind.name for one in _prove(tmp_path, new, claim).outcome.verdicts] == kinds


def test_an_integer_beyond_the_bounds_violates_the_type_invariant(tmp_path: Path) -> None:
    run = _prove(tmp_path, "7", "m[k] # 2", "0..3")
    kinds = {one.property_name: one.kind.name for one in run.outcome.verdicts}
    assert kinds["TypeOK"] == "VIOLATED"
    assert kinds["Claim"] != "PROVED"


def test_a_claim_that_reads_what_is_absent_is_open(tmp_path: Path) -> None:
    (verdict, _) = _prove(tmp_path, "0", "m[k] >= 0").outcome.verdicts
    assert verdict.kind.name == "INCONCLUSIVE"
    assert "Claim has no value in a reachable state" in str(verdict.reason)


def test_a_step_that_reads_what_is_absent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a step has no value"):
        _prove(tmp_path, "@ + 1", "m[k] # 1")
