"""Intervals with many members: whose ends are known, or lie at a known distance from each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

_MODULE = r"""---- MODULE Sp ----
EXTENDS Naturals
VARIABLES x, s
Init == x = 0 /\ s = {}
A == \E y \in x..x + 350 : y % 7 = 3 /\ x' = y % 13 /\ s' = s \cup {y % 3}
B == x' \in x..x + 400 /\ x' < 20 /\ UNCHANGED s
C == x' \in 5..(3 + 2) /\ s' \in SUBSET {x % 2}
D == x' \in (x + 310)..x /\ s' = s
Next == (x < 10 /\ A) \/ (x < 15 /\ B) \/ C \/ D
Low == x \in 0..900000 /\ {x, x + 3} \subseteq x..x + 500 /\ x + 501 \notin x..x + 500
Far == \E y \in x..x + 320 : y = 330
Near == \A y \in x..x + 320 : y >= x /\ y # x + 321
High == x \in 3..7000000 \/ x < 3
====
"""


@pytest.mark.parametrize("by", ["translation", "interpreter"])
def test_both_semantics_find_tlcs_states(tmp_path: Path, by: str) -> None:
    spec = tmp_path / "Sp.tla"
    spec.write_text(_MODULE)
    names = "Low Far Near High"
    spec.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANTS {names} CHECK_DEADLOCK FALSE\n")
    done = verify("explore", str(spec), "--by", by, "--keep-going", "--format", "json")
    found = json.loads(done.stdout)
    kinds = {one["property"]: one["verdict"] for one in found["results"]}
    assert kinds == {"Low": "HOLDS", "Far": "VIOLATED", "Near": "HOLDS", "High": "HOLDS"}
    figures = found["statistics"]
    assert (figures["distinct_states"], figures["generated_states"]) == (160, 5889)


def test_a_step_into_a_wide_interval_has_an_instance_for_each_distance(tmp_path: Path) -> None:
    spec = tmp_path / "Step.tla"
    spec.write_text(
        "---- MODULE Step ----\nEXTENDS Naturals\nVARIABLE x\nInit == x \\in 1..10\n"
        "Next == x \\in 1..300 /\\ x' \\in x..x + 40\nInv == x # 250\n====\n"
    )
    spec.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE\n")
    done = verify("bmc", str(spec), "--depth", "8", "--by", "translation", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["results"][0]["verdict"], found["results"][0]["steps"]) == ("VIOLATED", 6)
    assert found["statistics"]["instances"] == 41


@pytest.mark.parametrize("high", ["y + 400", "(x * 2) + 400", "(x - 1) + 400", "IF y = 0 THEN x ELSE y"])
def test_ends_that_are_not_written_alike_have_no_known_distance(tmp_path: Path, high: str) -> None:
    spec = tmp_path / "Two.tla"
    spec.write_text(
        "---- MODULE Two ----\nEXTENDS Integers\nVARIABLES x, y\nInit == x \\in 1..10 /\\ y \\in {0, 300}\n"
        f"Next == UNCHANGED <<x, y>>\nInv == ~\\E z \\in x..{high} : z = 402\n====\n"
    )
    spec.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE\n")
    done = verify("bmc", str(spec), "--depth", "1", "--by", "translation")
    expected = verify("bmc", str(spec), "--depth", "1", "--by", "interpreter")
    refused = done.exit_code == 2 and "the translation would expand a range" in done.stderr
    assert refused or done.exit_code == expected.exit_code, done.output
