"""Counterexamples for all constants in the module's own text, and suggestions that the time ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module
from verifier.processes.limits import Interrupted
from verifier.runs import suggested_proofs

pytestmark = pytest.mark.usefixtures("few_drawn_states")

_COUNTER = """EXTENDS Naturals
CONSTANT N
ASSUME N \\in Nat
VARIABLE x
Init == x = 0
Next == x < N /\\ x' = x + 1
TypeOK == x \\in 0..N
Positive == N > 0
Low == x <= N"""
_SHARED = """CONSTANT Proc
VARIABLE pc
Init == pc = [p \\in Proc |-> "idle"]
Take(p) == pc[p] = "idle" /\\ pc' = [pc EXCEPT ![p] = "in"]
Next == \\E p \\in Proc : Take(p)
TypeOK == pc \\in [Proc -> {"idle", "in"}]
Mutex == \\A p, q \\in Proc : p # q => ~(pc[p] = "in" /\\ pc[q] = "in")"""


def _prove(folder: Path, body: str, constant: str, *options: str) -> str:
    module = write_module(folder, body)
    config = f"INIT Init\nNEXT Next\nCONSTANT {constant}\nCHECK_DEADLOCK FALSE\nINVARIANT TypeOK"
    (folder / "M.cfg").write_text(config)
    return verify("prove", str(module), "--all-constants", *options).stdout


def test_a_constant_has_its_name_and_value(tmp_path: Path) -> None:
    said = _prove(tmp_path, _COUNTER, "N = 2", "--property", "Positive", "--property", "Low")
    assert "  M.tla:9: N > 0 is false\n  where N = 0\n" in said
    assert "Positive   VIOLATED in 0 steps, with N=0 (fewest)" in said
    assert "open:" not in said
    assert "obligation shown" not in said
    assert "Low: " in said


def test_elements_have_the_names_of_the_execution(tmp_path: Path) -> None:
    said = _prove(tmp_path, _SHARED, "Proc = {a, b}", "--property", "Mutex")
    assert "Take(p=P1)" in said
    assert "  for p = P1, q = P2:\n    M.tla:8: ~(pc[p] = " in said
    assert 'where pc = (P1 :> "in" @@ P2 :> "in")' in said
    assert "open:" not in said


def test_a_suggestion_that_the_time_ended_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_lemmas(*_: object) -> list[object]:
        raise Interrupted("timeout of 5 s")

    monkeypatch.setattr(suggested_proofs, "find_lemmas", find_lemmas)
    body = _COUNTER.replace("Low == x <= N", "Low == x # 7 \\/ N # 8")
    said = _prove(tmp_path, body, "N = 2", "--property", "Low", "--suggest")
    assert "The search for lemmas was ended (timeout of 5 s), so there may be some that help." in said
    assert "A greater --timeout may find them." in said
    assert "no lemma that was found" not in said
