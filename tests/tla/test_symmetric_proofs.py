"""Proofs by exploration up to the SYMMETRY of a configuration, where the provers leave properties open."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.processes.limits import Interrupted
from verifier.runs.asking import execute
from verifier.runs.explore_options import ExploreOptions
from verifier.runs.loading import load
from verifier.runs.modules import strategy, symmetric_proving
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.prove_options import ProveOptions
from verifier.text.proof import render_proof

MODULE = r"""---- MODULE Sym ----
EXTENDS Naturals, TLC, FiniteSets
CONSTANT Node
VARIABLES x, S
First == CHOOSE n \in Node : TRUE
Init == x = [n \in Node |-> 0] /\ S = {}
Up(n) == x[n] < 2 /\ x' = [x EXCEPT ![n] = @ + 1] /\ UNCHANGED S
Take(n) == GUARD /\ S' = S \cup {n} /\ UNCHANGED x
Next == \E n \in Node : Up(n) \/ Take(n)
Few == \A n \in Node : x[n] <= 1
Sym == Permutations(Node)
Good == \A n \in S : x[n] >= 1
Bad == Cardinality(S) < 3
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANT Node = {a, b, c}\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture(autouse=True)
def _no_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provers come to no end. They are asked again only if the explorations decide nothing."""

    def end(asked: ModuleQuestion) -> Run:
        # The translation takes its time from the options.
        assert asked.question.options.timeout == asked.question.limits.seconds
        if asked.question.limits.seconds is not None:
            raise Interrupted("timeout of their share")
        return asked.engine.run(replace(asked.question, ended="no prover"), asked.listen, asked.built)

    monkeypatch.setattr(strategy, "_run_provers", end)


def _prove(folder: Path, guard: str = "x[n] >= 1", more: str = "SYMMETRY Sym\n", name: str = "Good") -> Run:
    spec = folder / "Sym.tla"
    spec.write_text(MODULE.replace("GUARD", guard), encoding="utf-8")
    spec.with_suffix(".cfg").write_text(CONFIG + more, encoding="utf-8")
    return execute("prove", load(str(spec), {}), ProveOptions(properties=(name,)))


def test_what_the_provers_leave_open_is_proved_up_to_symmetry(tmp_path: Path) -> None:
    run = _prove(tmp_path)
    (verdict,) = run.outcome.verdicts
    assert (verdict.kind.name, verdict.found_by) == ("PROVED", "explore")
    assert verdict.reason == symmetric_proving.UP_TO_SYMMETRY
    assert run.exit_code == 0
    (proof,) = run.proofs
    states = execute("explore", load(str(tmp_path / "Sym.tla"), {}), _explore_options()).outcome.statistics
    assert proof["states"] == states["states_in_orbits"]
    assert proof["symmetry"]
    shown = " ".join(str(line) for line in render_proof(run, 110, full=False))
    assert "Good: every reachable state was explored, up to SYMMETRY" in shown
    assert "nothing was translated" in shown


def _explore_options() -> ExploreOptions:

    return ExploreOptions(by="interpreter")


def test_the_constraint_of_the_configuration_is_kept(tmp_path: Path) -> None:
    guard, claim = "x[n] >= 2", "Bad"
    assert (
        _prove(tmp_path, guard, "SYMMETRY Sym\nCONSTRAINT Few\n", claim).outcome.verdicts[0].kind.name
        == "PROVED"
    )


def test_a_violation_is_left_to_the_provers(tmp_path: Path) -> None:
    assert _prove(tmp_path, name="Bad").outcome.verdicts[0].kind.name == "INCONCLUSIVE"


def test_a_symmetry_that_is_none_proves_nothing(tmp_path: Path) -> None:
    """A choice tells the nodes apart, so one state does not stand for its class."""
    run = _prove(tmp_path, "n # First")
    assert run.outcome.verdicts[0].kind.name in ("INCONCLUSIVE", "VIOLATED")


def test_without_symmetry_the_provers_are_asked_alone(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(symmetric_proving, "prove_beside_symmetry", None)
        assert _prove(tmp_path, more="").outcome.verdicts[0].kind.name == "INCONCLUSIVE"


def test_explorations_that_differ_prove_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With permutations of which one is wrong, the numbers of states differ."""
    monkeypatch.setattr(symmetric_proving, "_is_even", lambda one: False)
    assert _prove(tmp_path).outcome.verdicts[0].kind.name == "PROVED"
    monkeypatch.setattr("verifier.tla.explorer.Explorer.in_orbits", 7)
    assert _prove(tmp_path).outcome.verdicts[0].kind.name == "INCONCLUSIVE"


def test_even_permutations_are_those_of_evenly_many_exchanges() -> None:
    assert symmetric_proving._is_even({})
    chance = random.Random(1)
    for _ in range(50):
        order, exchanges = list(range(5)), chance.randrange(6)
        for _ in range(exchanges):
            one, other = chance.sample(range(5), 2)
            order[one], order[other] = order[other], order[one]
        moved = {place: to for place, to in enumerate(order) if place != to}
        assert symmetric_proving._is_even(moved) == (exchanges % 2 == 0)
