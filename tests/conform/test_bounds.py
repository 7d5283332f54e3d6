"""Rejections by a weaker Next: the same verdict, line and number of events as by all states."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from verifier.conform import trace_modules
from verifier.conform.outcome import LogVerdict
from verifier.conform.trace_modules import TraceModule

HEAD = r"""---- MODULE R ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES a, b, l
vars == <<a, b>>
Trace == ndJsonDeserialize(IOEnv.LOG_OF_R)
Is(e) == l <= Len(Trace) /\ Trace[l].event = e /\ l' = l + 1
Keys == {1, 2, 3}
Take(k) == k \notin a /\ a' = a \cup {k}
Give(k) == k \in a /\ a' = a \ {k}
Free == b' \in 0..2
Init == a = {} /\ b = 0 /\ l = 1
Whole == TLCGet("stats").diameter - 1 = Len(Trace)
"""
CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nPOSTCONDITION Whole\n"
ACTIONS = (
    r"(\E k \in Keys : Take(k)) /\ Free", r"(\E k \in Keys : Give(k)) /\ Free",
    r"\E k \in Keys, v \in 0..2 : Give(k) /\ b' = v", r"a # {} /\ UNCHANGED vars",
    r"b > 0 /\ a' = {b} /\ Free",
    r"\E k \in Keys : IF k = b THEN Take(k) /\ b' = 0 ELSE Give(k) /\ b' = b", r"UNCHANGED a /\ Free",
    r"a # {} /\ b' \in 0..1 /\ (b' = 1 \/ b > 1) /\ a' = a", r"(Take(1) \/ Give(2)) /\ UNCHANGED b",
    r"LET k == b + 1 IN Take(k) /\ Free", r"(b = 1 => a # {}) /\ (\E k \in Keys : Give(k)) /\ b' = 2",
    r"(\A k \in Keys : k \in a) /\ a' = {} /\ Free", r"Cardinal(a) < 2 /\ a' \in SUBSET Keys /\ b' = 0",
)  # fmt: skip
CARDINAL = "Cardinal(s) == IF s = {} THEN 0 ELSE IF s = Keys THEN 3 ELSE 1\n"


def _write(folder: Path, actions: list[str], events: list[str], more: str = "") -> TraceModule:
    next_ = " \\/ ".join(f'(Is("e{number}") /\\ {one})' for number, one in enumerate(actions))
    (folder / "R.tla").write_text(f"{HEAD}{CARDINAL}{more}Next == {next_}\n====\n")
    (folder / "R.cfg").write_text(CONFIG)
    (folder / "log").write_text("".join(json.dumps({"event": one}) + "\n" for one in events))
    return TraceModule(str(folder / "R.tla"), "LOG_OF_R", {}, None, [])


def _judge(
    module: TraceModule, folder: Path, patch: pytest.MonkeyPatch, waiting: int
) -> tuple[LogVerdict, list[bool]]:
    """Return the verdict, and for each try to reject by a bound if it did. ``waiting``: the states beyond
    which one execution is looked for."""
    tries, reject = list[bool](), trace_modules._Judgement._reject_longest

    def note(judgement: object, *given: object) -> LogVerdict | None:
        found = reject(judgement, *given)  # type: ignore[arg-type]
        tries.append(found is not None)
        return found

    patch.setattr(trace_modules, "_MOST_WAITING", waiting)
    with patch.context() as inner:
        inner.setattr(trace_modules._Judgement, "_reject_longest", note)
        return module.judge(folder / "log"), tries


def test_bounds_reject_what_all_states_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, by_bound, accepted = Random(35), 0, 0
    for number in range(60):
        actions = chance.sample(ACTIONS, 3)
        events = [f"e{chance.randrange(3)}" for _ in range(chance.randint(2, 9))]
        module = _write(tmp_path, actions, events)
        whole, tries = _judge(module, tmp_path, monkeypatch, 1_000_000)
        assert tries == []
        early, tries = _judge(module, tmp_path, monkeypatch, 0)
        assert (early.verdict, early.explained, early.line, early.reason) == (
            whole.verdict, whole.explained, whole.line, whole.reason,
        ), (number, actions, events)  # fmt: skip
        assert not early.states or set(early.states) <= {*whole.states, *early.states}
        by_bound += sum(tries)
        accepted += early.verdict.name == "ACCEPTED"
    assert by_bound >= 10
    assert accepted >= 5


TAKES = [r"(\E k \in Keys : Take(k)) /\ Free", r"(\E k \in Keys : Give(k)) /\ Free", "UNCHANGED vars"]


def test_a_log_with_one_give_too_many_is_rejected_by_one_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(judgement: object) -> None:
        raise AssertionError("all states are looked at")

    module = _write(tmp_path, TAKES, ["e0", "e0", "e1", "e1", "e2", "e1", "e0"])
    monkeypatch.setattr(trace_modules._Judgement, "_whole", refuse)
    found, tries = _judge(module, tmp_path, monkeypatch, 0)
    assert (found.verdict.name, found.line, found.explained, tries) == ("REJECTED", 6, 5, [True])
    assert any("k \\in a" in one.formula for one in found.obstacles)
    assert len(found.path) == 6


@pytest.mark.parametrize(
    ("words", "others"),
    [
        # a postcondition that asks more of the search than its depth
        ('TLCGet("stats").diameter - 1 = Len(Trace)', 'TLCGet("stats").distinct > 1000'),
        # a step that explains no entry, but counts for the postcondition
        ("Next == ", "Next == (b < 3 /\\ l' = l /\\ b' = b + 1 /\\ a' = a) \\/ "),
        # a guard over another variable is left out: the bound still holds
        ("k \\in a /\\ a'", "b < 9 /\\ k \\in a /\\ a'"),
    ],
)
def test_a_bound_decides_nothing_where_its_condition_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, others: str
) -> None:
    module = _write(tmp_path, TAKES, ["e0", "e1", "e1"])
    file = tmp_path / "R.tla"
    assert words in file.read_text()
    file.write_text(file.read_text().replace(words, others))
    whole, _ = _judge(module, tmp_path, monkeypatch, 1_000_000)
    found, tries = _judge(module, tmp_path, monkeypatch, 0)
    assert (found.verdict, found.explained) == (whole.verdict, whole.explained)
    assert whole.verdict.name == ("ACCEPTED" if "Next" in words else "REJECTED")
    assert any(tries) == ("b < 9" in others)
