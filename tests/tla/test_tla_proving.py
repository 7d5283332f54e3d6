"""Proofs by the interpreter, where a module takes long to translate or cannot be translated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import question_of, translate_body
from verifier.errors import TooLargeError
from verifier.outcomes.run import Run
from verifier.runs.modules import proving, refining
from verifier.runs.modules.module_question import BudgetExceeded, ModuleQuestion
from verifier.runs.modules.refining import run_from_sample
from verifier.runs.modules.strategy import answer_question
from verifier.runs.modules.translating import NotTranslated, Symbolic
from verifier.runs.modules.verdicts import SettledVerdicts
from verifier.specs.titles import NO_DEADLOCK
from verifier.verdict import VerdictKind

CONFIG = "\nINIT Init\nNEXT Next\nINVARIANTS Inv Low\nPROPERTY Grows\n"
DEEP = """
EXTENDS Integers
VARIABLE x
RECURSIVE Up(_)
Up(n) == IF n = 0 THEN 0 ELSE Up(n - 1) + 1
Init == x = 0
Next == (x < 50 /\\ x' = x + 1) \\/ (x = 50 /\\ x' = x)
Inv == Up(x) < 51
Low == Up(x) < 49
Grows == [][x' >= x]_x
"""


def _make_question(folder: Path, body: str = DEEP, **options: Any) -> ModuleQuestion:
    return question_of(translate_body(folder, body, CONFIG), "prove", **options)


def _run(folder: Path, body: str = DEEP, **options: Any) -> Run:
    return answer_question(_make_question(folder, body, **options))


def _kinds(run: Run) -> dict[str, str]:
    return {verdict.property_name: verdict.kind.value for verdict in run.outcome.verdicts}


@pytest.mark.thorough
def test_what_cannot_be_translated_is_proved_by_looking_at_all_states_twice(tmp_path: Path) -> None:
    found = _run(tmp_path)
    assert _kinds(found) == {"Inv": "PROVED", "Low": "VIOLATED", "Grows": "PROVED", NO_DEADLOCK: "PROVED"}
    assert [proof["property"] for proof in found.proofs] == ["Inv", "Grows", NO_DEADLOCK]
    assert {proof["states"] for proof in found.proofs} == {51}
    assert len(found.traces["Low"]["states"]) == 50
    assert found.outcome.enabled == ("Next",)


@pytest.mark.parametrize("options", [{"explore": False}, {"engine": "kind"}, {"solver": "z3"}])
def test_it_is_not_where_it_is_said_how_to_prove(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(NotTranslated, match="no value as translated"):
        _run(tmp_path, properties=("Inv",), **options)


def test_what_takes_long_to_translate_is_proved_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(asked: ModuleQuestion, made: Symbolic, settled: SettledVerdicts | None) -> Run:
        if asked.patience is not None:
            raise BudgetExceeded
        return run_from_sample(asked, made, settled)

    monkeypatch.setattr(refining, "run_from_sample", slow)
    body, asked = DEEP.replace("50", "5"), {"properties": ("Inv",)}
    assert {proof["found_by"] for proof in _run(tmp_path, body, **asked).proofs} == {"explore"}
    own, differing = proving._describe_exploration, iter([6, 7])
    monkeypatch.setattr(
        proving, "_describe_exploration", lambda *given: replace(own(*given), states=next(differing))
    )
    different = _run(tmp_path, body, **asked)
    assert different.solvers  # the explorations contradict each other, so it is translated
    assert _kinds(different)["Inv"] == "PROVED"


def test_a_state_without_a_value_is_no_proof(tmp_path: Path) -> None:
    body = DEEP.replace("Up(x) < 51", "IF Up(x) < 48 THEN TRUE ELSE x.a")
    assert proving.prove_by_exploring(_make_question(tmp_path, body, properties=("Inv",))) is None


@pytest.mark.thorough
def test_what_has_no_end_is_no_proof(tmp_path: Path) -> None:
    body = DEEP.replace("x < 50 /\\ x'", "x < 999999999 /\\ x'").replace("Up(x) < 51", "x >= 0")
    assert proving.prove_by_exploring(_make_question(tmp_path, body, properties=("Inv",)), 0.3) is None


BOTH_PARTS = """
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
One == x \\in 0..2 /\\ [][x' # x + 2]_x /\\ []<>(x = 1)
Two == [](x < 3) /\\ []<>(x = 2)
"""


@pytest.mark.parametrize("words", [(), ("--no-explore",)])
def test_a_proof_uses_the_part_of_a_property_that_is_about_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """The other part, of the same name, is not translated here."""
    monkeypatch.chdir(tmp_path)
    Path("T.tla").write_text(f"---- MODULE T ----{BOTH_PARTS}====\n")
    Path("T.cfg").write_text("SPECIFICATION Spec PROPERTIES One Two\n")
    run = json.loads(verify("prove", "T.tla", *words, "--format", "json").stdout)
    found = {one["property"]: one["verdict"] for one in run["results"]}
    assert [found["One"], found["Two"], found["One (temporal part)"]] == ["PROVED", "PROVED", "INCONCLUSIVE"]


def test_what_is_too_large_to_translate_is_proved_by_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise TooLargeError("something goes through all values of a sort")

    monkeypatch.setattr("verifier.tla.translate.definition.translate", refuse)
    verdicts = {one.property_name: one.kind for one in _run(tmp_path).outcome.verdicts}
    assert verdicts["Inv"] is VerdictKind.PROVED
    assert verdicts["Low"] is VerdictKind.VIOLATED
