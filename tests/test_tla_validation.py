"""Translated modules are compared with the interpreter, and rules that were wrong stay right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tla_modules import question_of, translated
from verifier.outcomes.run import Run
from verifier.runs import tla_rounds
from verifier.runs.tla_rounds import run_translated
from verifier.tla.translate import membership
from verifier.tla.translate.symbolic import NO, Products, Sym
from verifier.verdict import VerdictKind

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


def _run(folder: Path, body: str, engine: str = "prove", **options: Any) -> Run:
    """The run by the translation alone."""
    made = translated(folder, body, CONFIG + ("CONSTANT None = None\n" if "None" in body else ""))
    return run_translated(question_of(made, engine, **options), made)


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
@pytest.mark.parametrize("engine", ["prove", "bmc"])
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
    monkeypatch.setattr(
        membership.Membership, "_sequence_in", _answer_never(membership.Membership._sequence_in)
    )
    options: dict[str, Any] = {"depth": 1} if engine == "bmc" else {}
    found = _run(tmp_path, SEQUENCE, engine, **options)
    (verdict,) = (one for one in found.outcome.verdicts if one.property_name == "Inv")
    assert verdict.kind is VerdictKind.ERROR
    assert "does not agree with the module on Inv" in (verdict.reason or "")
    assert not found.proofs
    assert not found.certificates


def test_a_step_that_is_lost_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = tla_rounds._definition

    def without_a_step(*given: Any) -> Any:
        made = definition(*given)
        return replace(made, actions=made.actions[:1])

    monkeypatch.setattr(tla_rounds, "_definition", without_a_step)
    found = _run(tmp_path, HOLDING)
    (verdict,) = (one for one in found.outcome.verdicts if one.property_name == "Inv")
    assert verdict.kind is VerdictKind.ERROR
    assert "a step to" in (verdict.reason or "")
