"""Logs that a TLA+ module reads itself: accepted, or rejected at the right line with the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Inc == x < 3 /\\ x' = x + 1
Set(n) == x > 1 /\\ n /= x /\\ x' = n
Next == Inc \\/ \\E n \\in 0..3 : Set(n)
====
"""
TRACE = """---- MODULE T ----
EXTENDS Counter, Sequences, TLC, Json, IOUtils
VARIABLE l
Trace == ndJsonDeserialize(IOEnv.LOG_OF_T)
Is(e) == l <= Len(Trace) /\\ Trace[l].event = e /\\ l' = l + 1
TraceInit == Init /\\ l = 1
TraceNext == (Is("inc") /\\ Inc) \\/ (Is("set") /\\ \\E n \\in 0..3 : Set(n) /\\ n = Trace[l].to)
Whole == TLCGet("stats").diameter - 1 = Len(Trace)
Matched == [](l <= Len(Trace) => [](TLCGet("queue") = 1 \\/ l > Len(Trace)))
Small == x < 3
====
"""
CONFIG = "INIT TraceInit\nNEXT TraceNext\nCHECK_DEADLOCK FALSE\n"
GOOD: list[dict[str, Any]] = [
    {"event": "inc", "at": 1.5},
    {"event": "inc", "at": None},
    {"event": "set", "to": 0},
    {"event": "inc"},
]


def _module(folder: Path, asked: str) -> str:
    (folder / "Counter.tla").write_text(COUNTER)
    (folder / "T.tla").write_text(TRACE)
    (folder / "T.cfg").write_text(CONFIG + asked)
    return str(folder / "T.tla")


def _log(folder: Path, events: list[dict[str, Any]], name: str = "log.ndjson") -> str:
    (folder / name).write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(folder / name)


@pytest.mark.parametrize("asked", ["POSTCONDITION Whole", "PROPERTY Matched", ""])
def test_a_log_is_accepted_or_rejected_at_its_line(asked: str, tmp_path: Path) -> None:
    module = _module(tmp_path, asked)
    logs = [
        _log(tmp_path, GOOD, "good"),
        _log(tmp_path, [*GOOD[:1], *GOOD[2:]], "dropped"),
        _log(tmp_path, [*GOOD[:3], {"event": "stop"}], "unknown"),
    ]
    done = verify("conform", *logs, "--spec", module, "--format", "json")
    assert done.exit_code == 10
    found = json.loads(done.stdout)["logs"]
    assert [(one["verdict"], one["line"], one["explained"]) for one in found] == [
        ("ACCEPTED", None, 4),
        ("REJECTED", 2, 1),
        ("REJECTED", 4, 3),
    ]
    nearest = found[1]["obstacles"][0]
    assert (nearest["formula"], nearest["values"]["x"]) == ("x > 1", "1")
    assert nearest["place"].endswith("Counter.tla:6:11")
    assert found[1]["states"] == [{"x": "1", "l": "2"}]
    assert json.loads(found[1]["text"]) == {"event": "set", "to": 0}


def test_a_rejected_log_has_its_lines_and_the_states_before(tmp_path: Path) -> None:
    module = _module(tmp_path, "POSTCONDITION Whole")
    log = _log(tmp_path, [*GOOD[:3], {"event": "stop"}])
    done = verify("conform", log, "--spec", module, "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    assert [(one["line"], one["state"]["x"]) for one in found["path"]] == [
        (None, "0"), (1, "1"), (2, "2"), (3, "0"),
    ]  # fmt: skip
    assert found["path"][0]["action"] == ""
    assert found["path"][-1]["action"].startswith("TraceNext(n=0")
    assert [json.loads(one["text"]) for one in found["events"][:3]] == GOOD[:3]
    assert found["path"][-1]["state"] == found["states"][0]


def test_an_invariant_that_fails_is_told_at_its_line(tmp_path: Path) -> None:
    module = _module(tmp_path, "INVARIANT Small\nPOSTCONDITION Whole")
    log = _log(tmp_path, [{"event": "inc"}] * 3 + [{"event": "set", "to": 0}])
    done = verify("conform", log, "--spec", module, "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    assert (found["verdict"], found["explained"]) == ("REJECTED", 3)
    assert found["reason"].startswith("Small is violated")


def test_the_text_names_file_line_and_conjunct(tmp_path: Path) -> None:
    module = _module(tmp_path, "POSTCONDITION Whole")
    log = _log(tmp_path, [{"event": "set", "to": 2}])
    done = verify("conform", log, "--spec", module)
    assert done.exit_code == 10
    assert f"{log}:1: REJECTED: the postcondition Whole is false" in done.stdout
    assert "x > 1   is false" in done.stdout
    assert "n = 0" in done.stdout


def test_both_sides_of_a_comparison_are_told(tmp_path: Path) -> None:
    """Names and literals tell their values themselves. A side without a value is left out."""
    _module(tmp_path, "POSTCONDITION Whole")
    (tmp_path / "T.tla").write_text(TRACE.replace("n = Trace[l].to)", "n + 1 = Trace[l].to + 7)"))
    log = _log(tmp_path, [{"event": "inc"}, {"event": "inc"}, {"event": "set", "to": 2}])
    done = verify("conform", log, "--spec", str(tmp_path / "T.tla"), "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    near, far = ({**one["values"]} for one in found["obstacles"])
    assert near == {"n": "0", "n + 1": "1", "Trace[l].to + 7": "9", "l": "3"}
    assert far == {"e": '"inc"', "Trace[l].event": '"set"', "l": "3"}


def test_only_names_in_the_scope_of_a_conjunct_are_told(tmp_path: Path) -> None:
    _module(tmp_path, "POSTCONDITION Whole")
    same = "To(e) == Trace[l].to = e\nSame(m) == \\E k \\in {7, 8} : k > 7 /\\ To(m)\nTraceInit =="
    text = TRACE.replace("n = Trace[l].to)", "Same(n))").replace("TraceInit ==", same)
    (tmp_path / "T.tla").write_text(text)
    log = _log(tmp_path, [*GOOD[:2], {"event": "set", "to": 9}])
    done = verify("conform", log, "--spec", str(tmp_path / "T.tla"), "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    one = found["obstacles"][0]
    assert (found["line"], one["formula"]) == (3, "Trace[l].to = e")
    assert one["action"].endswith("Same / To")
    assert one["values"] == {"e": "0", "Trace[l].to": "9", "l": "3"}


def test_an_empty_log_is_an_execution_of_no_steps(tmp_path: Path) -> None:
    module = _module(tmp_path, "POSTCONDITION Whole")
    (tmp_path / "empty").write_text("")
    assert verify("conform", str(tmp_path / "empty"), "--spec", module).exit_code == 0


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    module = _module(tmp_path, "POSTCONDITION Whole")
    (tmp_path / "log").write_text('{"event": "inc"}\n{"event": \n')
    done = verify("conform", str(tmp_path / "log"), "--spec", module)
    assert done.exit_code == 2
    assert "log:2: ERROR: no JSON: Expecting value" in done.stdout


def test_the_variable_of_the_log_must_be_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = Path(_module(tmp_path, "POSTCONDITION Whole"))
    log = _log(tmp_path, GOOD)
    two = TRACE.replace("Whole ==", "Other == ndJsonDeserialize(IOEnv.OTHER)\nWhole ==")
    module.write_text(two)
    assert "LOG_OF_T, OTHER" in wrong("conform", log, "--spec", str(module))
    assert verify("conform", log, "--spec", str(module), "--env", "LOG_OF_T").exit_code == 0
    monkeypatch.setenv("OTHER", "none")
    assert verify("conform", log, "--spec", str(module)).exit_code == 0


def test_too_many_states_leave_a_log_undecided(tmp_path: Path) -> None:
    module = _module(tmp_path, "POSTCONDITION Whole")
    done = verify("conform", _log(tmp_path, GOOD), "--spec", module, "--max-states", "2")
    assert done.exit_code == 12
    assert "more than 2 states" in done.stdout


SHARED = Path(__file__).parents[3] / "shared" / "tla" / "traces" / "key-value-store"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded traces are not here")
@pytest.mark.slow
def test_the_logs_of_a_key_value_store_are_judged_as_tlc_judges_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFIG_PATH", str(SHARED / "conf.10-20-5.ndjson"))
    logs = [str(SHARED / f"trace.ndjson.{name}") for name in ("4C.VEA", "8C.EA", "4C.E", "4C.V", "BUG-12.EA")]
    done = verify("conform", *logs, "--spec", str(SHARED / "KeyValueStoreTrace.tla"), "--format", "json")
    found = [(one["verdict"], one["line"]) for one in json.loads(done.stdout)["logs"]]
    assert found == [*[("ACCEPTED", None)] * 4, ("REJECTED", 54)]
