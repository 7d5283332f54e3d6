"""Every step at small constants is a step of the reading for all constants; no guard is vacuous."""

from __future__ import annotations

import random

import pytest

from tests.support.command_line import ROOT
from tests.support.parametric_readings import SMALL, CheckedReading, random_transitions
from verifier.parametric.approximations import APPROXIMATIONS
from verifier.parametric.clausal import close_clause
from verifier.parametric.protocol_readings import read_traced
from verifier.parametric.proving import Proofs
from verifier.parametric.smtlib import script
from verifier.solvers import Answer
from verifier.solvers.solver_names import SCRIPT_SOLVERS, decide_script
from verifier.specs.registry import load


@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.thorough] * spec.startswith("book")) for spec in SMALL]
)
def test_steps_at_small_constants_are_steps_of_the_reading(spec: str) -> None:
    rng = random.Random(1)
    reading = CheckedReading(load(spec), SMALL[spec])
    seen = set()
    for before, taken, after in random_transitions(reading.model, 60, rng):
        assert reading.is_step(before, taken, after, rng), (taken, before, after)
        seen.add(taken.name)
    assert len(seen) > 5


def test_what_is_no_step_is_no_step_of_the_reading() -> None:
    """The check of steps can fail."""
    rng = random.Random(2)
    reading = CheckedReading(load("kip320"), SMALL["kip320"])
    transitions = random_transitions(reading.model, 30, rng)
    pairs = zip(transitions, transitions[3:], strict=False)
    wrong = [(before, taken, other) for (before, taken, after), (_, _, other) in pairs if after != other]
    assert wrong
    assert not any(reading.is_step(before, taken, after, rng) for before, taken, after in wrong)


def test_what_the_table_says_stands_in_the_documentation() -> None:
    text = (ROOT / "docs" / "all-constants.md").read_text(encoding="utf-8")
    for one in APPROXIMATIONS:
        assert f"| {one.what} | {one.read_as} | {one.why} |" in text


def test_no_guard_contradicts_the_lemmas() -> None:
    """At small constants each action of kip320 is taken in some reachable state, where all lemmas hold."""
    rng = random.Random(3)
    reading = CheckedReading(load("kip320"), SMALL["kip320"])
    system, seen = reading.system, set()
    for before, taken, _ in random_transitions(reading.model, 150, rng):
        if taken.name not in seen:
            seen.add(taken.name)
            structure = reading.structure(before, taken, rng)
            names = [lemma.name for lemma in reading.reading.definition.lemmas]
            assert all(structure.value(system.formula(name, system.before)) for name in names)
    assert seen == {step.name for step in system.steps}


@pytest.mark.thorough
@pytest.mark.parametrize("solver", SCRIPT_SOLVERS)
@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("kip320", "StrongIsr"),
        pytest.param("pulsar-compaction", "CompactionHorizonCorrectness", marks=pytest.mark.slow),
        pytest.param("exactly-once", "Safety", marks=pytest.mark.slow),
        pytest.param("exactly-once-atomic", "Safety", marks=pytest.mark.slow),
        ("rabbit-sac", "DeadlockPerfect"),
        ("rabbit-sac-restart", "DeadlockPerfect"),
    ],
)
def test_the_lemmas_alone_do_not_contradict_each_other(solver: str, spec: str, name: str) -> None:
    """Neither solver finds a contradiction in what every proof assumes."""
    proofs = Proofs.of(read_traced(load(spec), {}))
    obligations = proofs.list_obligations(name, kept=False, with_stays=spec.startswith("exactly")).obligations
    premises = obligations.premises
    lemmas = [(n, close_clause(obligations.logic, c, premises.axioms.leads)) for n, c in premises.hypotheses]
    constants = [("", clause.body) for clause in obligations.constants]
    definitions = premises.axioms.list_named(node for _, node in lemmas)
    asked = script(constants, definitions, lemmas)
    assert decide_script(solver, asked, (), 50_000).answer is not Answer.UNSATISFIABLE
