"""Translated modules are compared with the interpreter, and rules that were wrong stay right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.sampling import first_of
from tests.support.tla_modules import question_of, translate_body, write_module
from tests.support.translation_mutants import names_left, trials, try_mutant
from tests.support.translation_rules import RULES, Rule
from verifier.encodings.sorts import Range
from verifier.encodings.terms import Symbol
from verifier.outcomes.run import Run
from verifier.runs.building import as_built
from verifier.runs.modules import refining
from verifier.runs.modules.refining import run_from_sample
from verifier.runs.modules.translating import Symbolic
from verifier.runs.validation import wanted_formulas
from verifier.runs.validation.agreement import Disagrees
from verifier.runs.validation.budget import Budget, OutOfTime
from verifier.runs.validation.lanes import Lane
from verifier.runs.validation.subject import Subject
from verifier.runs.validation.validating import Validation
from verifier.specs.definition import Action, Parameter
from verifier.system.model import build
from verifier.tla.exploration_result import State
from verifier.tla.translate import membership
from verifier.tla.translate.symbolic import NO, Products, Sym
from verifier.trust.certificate import Certificate, FoundBy
from verifier.verdict import VerdictKind

pytestmark = pytest.mark.validation

CONFIG = "\nINIT Init\nNEXT Next\nINVARIANT Inv\n"
SEQUENCE = r"""
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Next == \/ Len(q) < 3 /\ \E e \in 1..3 : q' = Append(q, e)
        \/ q # <<>> /\ q' = Tail(q)
Inv == q \notin (1..3) \X (1..3)
"""
HOLDING = SEQUENCE.replace(r"q \notin (1..3) \X (1..3)", "Len(q) < 4")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_wrong_rule_still_changes_the_translation(rule: Rule) -> None:
    assert names_left(rule) == set()


def _run(folder: Path, body: str, engine: str = "prove", **options: Any) -> Run:
    """The run by the translation alone."""
    made = translate_body(folder, body, CONFIG + ("CONSTANT None = None\n" if "None" in body else ""))
    return run_from_sample(question_of(made, engine, **options), made)


def _kinds(found: Run) -> dict[str, VerdictKind]:
    return {one.property_name: one.kind for one in found.outcome.verdicts}


MIXED = r"""
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANT None
VARIABLES x
Init == x = None
Next == STEPS
Inv == x = None \/ ~(FORMULA)
"""
EVERY = r"<<>>; <<1>>; <<1, 2>>; <<2, 1, 1>>; [a |-> 1]; [a |-> 1, b |-> 2]; (0 :> 1); (0 :> 1 @@ 1 :> 2)"


@pytest.mark.parametrize(
    ("values", "formula"),
    [
        (r"<<>>; <<1>>; <<1, 2>>", r"x \in (1..2) \X (1..2)"),
        (r"<<>>; <<1>>; <<1, 2>>", r"x \in Seq({1})  /\ Len(x) = 1"),
        (r"[a |-> 1]; [a |-> 1, b |-> 2]; [c |-> 1]", r"x \in [a : {1}, b : {2}]"),
        (r"(0 :> 1); (0 :> 1 @@ 1 :> 2); <<1, 2>>", r"x \in [{0, 1} -> {1, 2}]"),
        (r"(0 :> 1); (0 :> 1 @@ 1 :> 2); <<1, 2>>", r"x \in [1..2 -> {1, 2}]"),
        (r"{<<1>>}; {<<1, 2>>}; {<<1>>, <<1, 2>>}", r"x \subseteq {1} \X {2} /\ Cardinality(x) = 1"),
        (r"{<<1>>}; {<<1, 2>>}; {<<>>, <<1, 2>>}", r"x \in SUBSET Seq({1, 2}) /\ Cardinality(x) = 2"),
        (r"{1}; {1, 2}", r"IsFiniteSet(x \cup Nat) = FALSE"),
        (r"{1}; {1, 2}", r"IsFiniteSet(x)"),
        (EVERY, r"DOMAIN x = {0, 1}"),
        (EVERY, r"x \in [1..3 -> 1..2]"),
    ],
)
@pytest.mark.parametrize("engine", first_of(["bmc", "prove"], 1))
def test_members_of_every_kind_are_found(tmp_path: Path, values: str, formula: str, engine: str) -> None:
    steps = " \\/ ".join(f"x' = {value}" for value in values.split("; "))
    body = MIXED.replace("STEPS", steps).replace("FORMULA", formula)
    options: dict[str, Any] = {"depth": 3} if engine == "bmc" else {}
    assert _kinds(_run(tmp_path, body, engine, **options))["Inv"] is VerdictKind.VIOLATED


def test_a_sequence_may_be_a_tuple(tmp_path: Path) -> None:
    assert _kinds(_run(tmp_path, SEQUENCE))["Inv"] is VerdictKind.VIOLATED


@pytest.mark.parametrize("engine", ["prove", "bmc", "induct", "explore"])
def test_a_verdict_says_how_much_was_compared(tmp_path: Path, engine: str) -> None:
    options: dict[str, Any] = {"depth": 3} if engine == "bmc" else {}
    found = _run(tmp_path, HOLDING, engine, **options)
    said = found.outcome.statistics["validation"]
    assert said["states"] >= 40
    assert said["steps"] >= 40


def _answer_never(right: Callable[..., Sym]) -> Callable[..., Sym]:
    def wrong(self: Any, of: Any, term: Any) -> Sym:
        return NO if isinstance(of, Products) else right(self, of, term)

    return wrong


@pytest.mark.parametrize("engine", ["prove", "bmc", "induct"])
def test_a_rule_that_answers_never_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setattr(membership, "_sequence_in", _answer_never(membership._sequence_in))
    options: dict[str, Any] = {"depth": 1} if engine == "bmc" else {}
    found = _run(tmp_path, SEQUENCE, engine, **options)
    (verdict,) = (one for one in found.outcome.verdicts if one.property_name == "Inv")
    assert verdict.kind is VerdictKind.ERROR
    assert "does not agree with the module on q \\notin (1..3) \\X (1..3), and so on Inv" in (
        verdict.reason or ""
    )
    assert not found.proofs
    assert not found.certificates


def test_a_step_that_is_lost_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = refining._make_definition

    def without_a_step(*given: Any) -> Any:
        made = definition(*given)
        return replace(made, actions=made.actions[:1])

    monkeypatch.setattr(refining, "_make_definition", without_a_step)
    found = _run(tmp_path, HOLDING)
    (verdict,) = (one for one in found.outcome.verdicts if one.property_name == "Inv")
    assert verdict.kind is VerdictKind.ERROR
    assert "a step to" in (verdict.reason or "")


DEEP = r"""
EXTENDS Naturals, Sequences, TLC
CONSTANT None
VARIABLES i, j, x, y
Init == i = 0 /\ j = 0 /\ x = <<>> /\ y \in 0..1
Next == \/ i < 60 /\ i' = i + 1 /\ x' \in {<<>>, <<1>>, <<1, 2>>} /\ UNCHANGED <<j, y>>
        \/ j < 60 /\ j' = j + 1 /\ UNCHANGED <<i, x, y>>
        \/ i = 60 /\ j = 60 /\ Len(x) = 1 /\ y' = 1 /\ UNCHANGED <<i, j, x>>
Inv == i \in 0..60 /\ j \in 0..60
"""


def _validation(made: Symbolic, seed: int = 0, **about: Any) -> Validation:
    """A comparison of a module with its translation, without a run."""
    model = build(as_built(made.definition(), free=False))
    names = frozenset(prop.name for prop in model.system.properties)
    return Validation(Subject(made, model, names), seed=seed, **about)


def test_a_solver_gives_states_behind_a_guard(tmp_path: Path) -> None:
    validation = _validation(translate_body(tmp_path, DEEP, CONFIG + "CONSTANT None = None\n"))
    found = validation.run(5)
    assert found.given
    assert any(lane.state[:2] == (60, 60) and following for lane, following in _follow(validation))


def _follow(validation: Validation) -> Iterator[tuple[Lane, list[State]]]:
    return zip(validation.lanes, validation.following, strict=True)


def test_the_same_seed_compares_the_same(tmp_path: Path) -> None:
    first, again, other = (
        _validation(translate_body(tmp_path, SEQUENCE, CONFIG), seed) for seed in (0, 0, 1)
    )
    for validation in (first, again, other):
        validation.run(20)
    assert first.agreement.expressions > 10
    assert [lane.state for lane in first.lanes] == [lane.state for lane in again.lanes]
    assert replace(first.agreement, seconds=0.0) == replace(again.agreement, seconds=0.0)
    assert [lane.state for lane in first.lanes] != [lane.state for lane in other.lanes]


def test_an_invariant_that_excludes_what_is_reached_is_an_error(tmp_path: Path) -> None:
    made = translate_body(tmp_path, HOLDING, CONFIG)
    bit = _validation(made).subject.model.system.bits[0].symbol_name()
    clauses = tuple(((bit, value),) for value in (True, False))
    proof = Certificate("M", "", {}, "Inv", (), clauses, FoundBy("ic3", "minisat", ""))
    with pytest.raises(
        Disagrees, match="the invariant of the proof of Inv: the interpreter says it is reach"
    ):
        _validation(made, certificates={"Inv": proof}).run(5)


def test_what_is_drawn_at_random_is_not_compared(tmp_path: Path) -> None:
    body = r"""
EXTENDS Naturals, Randomization
VARIABLE x
Init == x \in RandomSubset(2, 1..9)
Next == x' = x
Inv == x \in 1..9
"""
    assert _validation(translate_body(tmp_path, body, CONFIG)).run(5).states


def test_each_expression_is_compared_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "_sequence_in", _answer_never(membership._sequence_in))
    body = SEQUENCE.replace(
        "Inv == ", r"Wide == q \in (1..3) \X (1..3)" + "\nInv == Len(q) > 9 => ~Wide \\/ "
    )
    with pytest.raises(Disagrees) as wrong:
        _validation(translate_body(tmp_path, body, CONFIG)).run(5)
    difference = wrong.value.disagreement
    assert difference.what == r"q \in (1..3) \X (1..3)"
    assert difference.place is not None
    assert (difference.place.line, difference.interpreter, difference.translation) == (7, "TRUE", "FALSE")


LIVE = r"""
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Up == x' = (x + 1) % 3 /\ y' = y
Flip == x = 1 /\ y' = 1 - y /\ x' = x
Next == Up \/ Flip
Spec == Init /\ [][Next]_<<x, y>> /\ WF_<<x, y>>(Up) /\ SF_y(Flip)
Inv == []<>(y = 1) /\ ((x = 2) ~> (x = 0))
"""
LIVE_CONFIG = "\nSPECIFICATION Spec\nPROPERTY Inv\nCHECK_DEADLOCK FALSE\n"


def test_temporal_formulas_and_fairness_are_compared(tmp_path: Path) -> None:
    made = translate_body(tmp_path, LIVE, LIVE_CONFIG)
    found = run_from_sample(question_of(made, "live", engine="explicit"), made)
    assert _kinds(found)["Inv"] is VerdictKind.PROVED
    assert found.outcome.statistics["validation"]["executions"] >= 20


def test_temporal_formulas_are_compared_even_if_the_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget, "check", _raise_out_of_time)
    made = translate_body(tmp_path, LIVE, LIVE_CONFIG)
    found = run_from_sample(question_of(made, "live", engine="explicit"), made)
    assert found.outcome.statistics["validation"]["executions"] == 20


def _raise_out_of_time(_: Budget) -> None:
    raise OutOfTime


@pytest.mark.parametrize("name", ["what leads is what is led to", "weak fairness is strong"])
def test_a_wrong_rule_of_temporal_formulas_is_found(tmp_path: Path, name: str) -> None:
    (rule,) = (rule for rule in RULES if rule.name == name)
    for trial in trials(rule):
        alone, validated = try_mutant(trial, tmp_path)
        assert alone.verdict == "PROVED"
        assert validated.verdict == "ERROR"


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(6))
def test_wrong_rules_are_found(tmp_path: Path, first: int) -> None:
    """A part of ``results/translation-mutants.md``."""
    for rule in RULES[first::12]:
        for trial in trials(rule):
            alone, validated = try_mutant(trial, tmp_path)
            wrong = alone.verdict in ("HOLDS", "PROVED")
            assert not wrong or validated.verdict in ("ERROR", "error"), rule.name


def test_certify_compares_again(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text(CONFIG)
    spec, proof = str(write_module(tmp_path, HOLDING)), tmp_path / "proof.json"
    result = verify("prove", "--spec", spec, "--property", "Inv", "--certificate", str(proof))
    assert result.exit_code == 0, result.output
    assert "PROVED (translation agrees with the module on " in result.stdout
    said = json.loads(proof.read_text())["validation"]
    assert said["seed"] == 0
    again = verify("certify", str(proof), "--spec", spec, "--format", "json")
    assert again.exit_code == 0, again.output
    compared = json.loads(again.stdout)["statistics"]["validation"]
    assert compared["seed"] == 1
    assert compared["states"] >= 40


@pytest.mark.thorough
def test_validation_takes_as_long_as_is_said(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text(CONFIG)
    spec = str(write_module(tmp_path, HOLDING))
    found = [
        json.loads(verify("prove", "--spec", spec, "--format", "json", *more).stdout)["statistics"][
            "validation"
        ]
        for more in ((), ("--validate", "2s"))
    ]
    assert found[1]["states"] > 2 * found[0]["states"]
    assert found[1]["seconds"] >= 1.9


def test_only_modules_are_validated() -> None:
    result = verify("bmc", "--spec", "kip320", "--validate", "1s")
    assert result.exit_code == 2
    assert "--validate is for TLA+ modules, which are translated, and kip320 is not one" in result.stderr


def test_no_formula_is_drawn_for_an_action_without_instances() -> None:
    action = Action("Never", (Parameter(Symbol("x", Range(1, 0)), free=False),), (), (), "")
    assert list(wanted_formulas._of_action(action, None, Random(1))) == []  # type: ignore[arg-type]


def test_a_function_with_an_endless_domain_is_compared_where_it_can_be(tmp_path: Path) -> None:
    (tmp_path / "N.tla").write_text(
        "---- MODULE N ----\nEXTENDS Integers, Functions\nVARIABLES v, c\nInit == v = <<>> /\\ c = 0\n"
        "Next == c < 3 /\\ c' = c + 1 /\\ v' = v\n"
        "Inv == c > 0 => IsRestriction(v, [x \\in (STRING \\cup {}) |-> x])\n====\n"
    )
    (tmp_path / "N.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", str(tmp_path / "N.tla"), "--by", "translation")
    assert done.exit_code == 0
    assert "Inv        HOLDS" in done.stdout
