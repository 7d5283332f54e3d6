"""Proofs for all constants beside a CONSTRAINT, which they ignore: only executions within it violate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Cut ----
EXTENDS Naturals
CONSTANT Node
VARIABLES x, S
TypeOK == x \in TYPE /\ S \in SUBSET Node
Init == x = 0 /\ S = {}
Next == \/ x' = x + 1 /\ UNCHANGED S
        \/ \E n \in Node : S' = S \cup {n} /\ x' = 0
Few == x < 3
Later == x # 1 \/ S # {}
Up == x' # x + 1 \/ S # {}
Less == x <= 3
Two == x # 2
Grown == S = {}
Natural == x >= 0
====
"""


def _prove(folder: Path, limit: str, *names: str, types: str = "Nat") -> Run:
    spec = folder / "Cut.tla"
    spec.write_text(MODULE.replace("TYPE", types), encoding="utf-8")
    config = f"INIT Init\nNEXT Next\nCONSTANT Node = {{a, b}}\n{limit}\nCHECK_DEADLOCK FALSE\n"
    spec.with_suffix(".cfg").write_text(config, encoding="utf-8")
    return execute("prove", load(str(spec), {}), ProveOptions(properties=names, all_constants=True))


def _verdicts(run: Run) -> dict[str, str]:
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


def test_a_proof_ignores_the_constraint_and_says_so(tmp_path: Path) -> None:
    run = _prove(tmp_path, "CONSTRAINT Few", "Natural", "Less", "Two", "Grown")
    expected = {"Natural": "PROVED", "Less": "INCONCLUSIVE", "Two": "VIOLATED", "Grown": "VIOLATED"}
    assert _verdicts(run) == expected
    assert run.outcome.statistics["ignored"] == "CONSTRAINT Few"
    reasons = {one.property_name: one.reason or "" for one in run.outcome.verdicts}
    assert "an execution of 4 steps violates it, but CONSTRAINT Few does not allow it" in reasons["Less"]
    assert {one["property"]: one["steps"] for one in as_object(run)["results"]}["Two"] == 2
    assert run.exit_code == 10


@pytest.mark.parametrize("limit", ["CONSTRAINT Later", "ACTION_CONSTRAINT Up"])
def test_a_longer_execution_within_the_constraint_is_found(limit: str, tmp_path: Path) -> None:
    """The shortest execution to 2 is beyond the constraint: it has no node."""
    run = _prove(tmp_path, limit, "Two")
    assert _verdicts(run) == {"Two": "VIOLATED"}
    (result,) = as_object(run)["results"]
    assert result["steps"] == 3


def test_types_that_are_left_beyond_the_constraint_alone_violate_nothing(tmp_path: Path) -> None:
    run = _prove(tmp_path, "CONSTRAINT Few", "Natural", types="0..3")
    assert _verdicts(run) == {"Natural": "INCONCLUSIVE"}
    assert "not found within CONSTRAINT Few, but a proof ignores" in (run.outcome.verdicts[0].reason or "")


def test_types_that_are_left_within_the_constraint_are_violated(tmp_path: Path) -> None:
    run = _prove(tmp_path, "CONSTRAINT Few", "Natural", types="0..1")
    assert _verdicts(run)["TypeOK"] == "VIOLATED"


def test_the_warning_is_shown(tmp_path: Path) -> None:
    spec = tmp_path / "Cut.tla"
    text = MODULE.replace("TYPE", "Nat").replace("Naturals", "Naturals, TLC")
    spec.write_text(text.replace("Few ==", "Sym == Permutations(Node)\nFew =="), encoding="utf-8")
    config = (
        "INIT Init\nNEXT Next\nCONSTANT Node = {a, b}\nCONSTRAINT Few\nSYMMETRY Sym\nCHECK_DEADLOCK FALSE\n"
    )
    spec.with_suffix(".cfg").write_text(config, encoding="utf-8")
    done = verify("prove", str(spec), "--property", "Natural", "--all-constants")
    assert done.exit_code == 0
    assert (
        "warning: CONSTRAINT Few of the configuration is ignored: a proof covers more states." in done.stdout
    )
