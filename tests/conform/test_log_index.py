"""The variable that is the place in the log, and postconditions that need more than a search's depth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.conform.outcome import LogVerdict
from verifier.conform.trace_modules import TraceModule
from verifier.errors import UsageError

MODULE = r"""---- MODULE I ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES b, c, l
Log == ndJsonDeserialize(IOEnv.LOG_OF_I)
Table == <<1, 2, 3, 1>>
Init == b = 1 /\ c = 0 /\ l = FIRST
Next == ACTION
Whole == POST
====
"""
DEPTH = 'TLCGet("stats").diameter - 1 = Len(Log)'
MANY = r"b' \in 1..4 /\ c' \in 0..30"
STORED = r"""l \in 1..Len(Log) /\ Log[l].event = "e" /\ l' = l + 1 /\ b' = Log[l].value /\ c' = c"""
TABLE = "Table[b] > 0 /\\ Table[b] < 9"


def _judge(folder: Path, action: str, post: str, first: int | str = 1, more: str = "") -> LogVerdict:
    text = MODULE.replace("FIRST", str(first)).replace("ACTION", action).replace("POST", post or "TRUE")
    (folder / "I.tla").write_text(text)
    ends = "POSTCONDITION Whole\n" if post else ""
    (folder / "I.cfg").write_text(f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n{ends}{more}")
    (folder / "log").write_text('{"event": "e"}\n' * 4)
    return TraceModule(str(folder / "I.tla"), "LOG_OF_I", {}, None, []).judge(folder / "log")


def test_a_constant_of_the_module_is_no_log(tmp_path: Path) -> None:
    begin = rf"""l \in 1..Len(Log) /\ Log[l].event = "e" /\ l' = l + 1 /\ {TABLE}"""
    found = _judge(tmp_path, rf"{begin} /\ b' = Table[b] /\ c' = c", "")
    assert found.verdict.name == "ACCEPTED"
    found = _judge(tmp_path, rf"{begin} /\ b' = b + 1 /\ c' = c /\ l < 3", "")
    assert (found.verdict.name, found.line, found.explained) == ("REJECTED", 3, 2)
    found = _judge(tmp_path, rf"{begin} /\ {MANY} /\ l < 3", DEPTH)
    assert (found.verdict.name, found.line, found.explained) == ("REJECTED", 3, 2)


@pytest.mark.parametrize("way", [
    (0, r'l + 1 \in 1..Len(Log) /\ Log[l + 1].event = "e"'),
    (0, r'l < Len(Log) /\ l\' = l + 1 /\ Log[l\'].event = "e"'.replace("\\'", "'")),
    (2, r'l < Len(Log) + 2 /\ Log[l - 1].event = "e"'),
    (1, r'l \in 1..Len(Log) /\ LET e == Log[l] IN e.event = "e"'),
])  # fmt: skip
@pytest.mark.parametrize("post", ["", DEPTH])
def test_the_place_may_be_counted_otherwise(tmp_path: Path, way: tuple[int, str], post: str) -> None:
    first, entry = way
    action = rf"{entry} /\ l' = l + 1 /\ {MANY}"
    found = _judge(tmp_path, action, post, first)
    assert (found.verdict.name, found.explained) == ("ACCEPTED", 4)
    found = _judge(tmp_path, rf"{action} /\ (l = {first + 2} => c = 99)", post, first)
    assert (found.verdict.name, found.line, found.explained) == ("REJECTED", 3, 2)


@pytest.mark.parametrize(("first", "entry", "other"), [(1, "l", "l + 1"), (0, "l + 1", "l"), (0, "l'", "l")])
def test_the_entry_before_or_after_is_not_the_place(
    tmp_path: Path, first: int, entry: str, other: str
) -> None:
    beside = f'Log[{other}].event # "x" /\\ Log[{other}].event # "y"'
    action = rf"""l' = l + 1 /\ {entry} \in 1..Len(Log) /\ Log[{entry}].event = "e" /\ {MANY}
        /\ ({other} \in 1..Len(Log) => {beside})"""
    found = _judge(tmp_path, action, "", first)
    assert (found.verdict.name, found.explained) == ("ACCEPTED", 4)
    found = _judge(tmp_path, rf"{action} /\ (l = {first + 3} => c = 99)", "", first)
    assert (found.verdict.name, found.line, found.explained) == ("REJECTED", 4, 3)


def test_many_states_without_a_place_are_all_looked_at(tmp_path: Path) -> None:
    step = rf"""l # <<>> /\ Head(l).event = "e" /\ l' = Tail(l) /\ {MANY}"""
    found = _judge(tmp_path, step, DEPTH, "Log")
    assert found.verdict.name == "ACCEPTED"
    found = _judge(tmp_path, rf"{step} /\ (Len(l) = 1 => c = 99)", DEPTH, "Log")
    assert (found.verdict.name, found.explained) == ("REJECTED", 3)


def test_a_postcondition_of_all_states_is_not_judged_by_one_execution(tmp_path: Path) -> None:
    begin = rf"""l \in 1..Len(Log) /\ Log[l].event = "e" /\ l' = l + 1 /\ {MANY}"""
    noted = rf"{begin} /\ (b = 4 /\ c = 30 => TLCSet(7, 1))"
    assert (
        _judge(tmp_path, rf"{noted} /\ (l = 1 => TLCSet(7, 0))", "TLCGet(7) = 0").verdict.name == "REJECTED"
    )
    assert _judge(tmp_path, begin, 'TLCGet("stats").distinct < 300').verdict.name == "REJECTED"
    longer = rf"({begin}) \/ (c = 30 /\ c' = 40 /\ UNCHANGED <<b, l>>)"
    found = _judge(tmp_path, longer, DEPTH)
    assert found.verdict.name == "REJECTED"


def test_a_value_that_tla_lacks_may_stand_in_a_state(tmp_path: Path) -> None:
    (tmp_path / "I.tla").write_text(
        MODULE.replace("FIRST", "1").replace("POST", DEPTH).replace("ACTION", STORED)
    )
    (tmp_path / "I.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nPOSTCONDITION Whole\n")
    module = TraceModule(str(tmp_path / "I.tla"), "LOG_OF_I", {}, None, [])
    for last, verdict in (("e", "ACCEPTED"), ("f", "REJECTED")):
        events = [{"event": "e", "value": 1}, {"event": last, "value": None}]
        (tmp_path / "log").write_text("".join(f"{json.dumps(one)}\n" for one in events))
        assert module.judge(tmp_path / "log").verdict.name == verdict


def test_an_error_names_the_line_of_the_log(tmp_path: Path) -> None:
    action = (
        r"""l \in 1..Len(Log) /\ Log[l].event = "e" /\ l' = l + 1 /\ b' = b + 1 /\ (b = 3 => c) /\ c' = c"""
    )
    with pytest.raises(UsageError, match="at line 3 of the log"):
        _judge(tmp_path, action, DEPTH)
