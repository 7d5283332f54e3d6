"""Logs with which many states agree: one execution to the end is enough; a rejection is complete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.conform import trace_modules, witness
from verifier.processes.limits import Interrupted

TRACE = """---- MODULE W ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
Trace == ndJsonDeserialize(IOEnv.LOG_OF_W)
Is(e) == l <= Len(Trace) /\\ Trace[l].event = e /\\ l' = l + 1
Init == x = 0 /\\ l = 1
Free == Is("any") /\\ x' \\in 0..60
Even == Is("even") /\\ x % 2 = 0 /\\ x' = x
Large == Is("large") /\\ x > 60 /\\ x' = x
Next == Free \\/ Even \\/ Large
Whole == TLCGet("stats").diameter - 1 = Len(Trace)
NotOdd == [][x' % 2 = 0 \\/ x' > x]_x
====
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    (tmp_path / "W.tla").write_text(TRACE)
    (tmp_path / "W.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nPOSTCONDITION Whole\n")
    return str(tmp_path / "W.tla")


def _judge(module: str, *names: str) -> tuple[str, int | None, int]:
    log = Path(module).with_name("log")
    log.write_text("".join(json.dumps({"event": name}) + "\n" for name in names))
    done = verify("conform", str(log), "--spec", module, "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    return found["verdict"], found["line"], found["explained"]


def test_one_execution_to_the_end_accepts_a_log(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(judgement: object) -> None:
        raise AssertionError("all executions are looked at")

    monkeypatch.setattr(trace_modules._Judgement, "_whole", refuse)
    assert _judge(module, "any", "even", "any", "any", "even") == ("ACCEPTED", None, 5)


def test_a_log_without_an_execution_is_rejected_by_all_states(module: str) -> None:
    assert _judge(module, "any", "even", "any", "large", "even") == ("REJECTED", 4, 3)


def test_a_violation_is_no_reason_to_reject_before_all_states_are_seen(module: str) -> None:
    config = Path(module).with_suffix(".cfg")
    config.write_text(f"{config.read_text()}PROPERTY NotOdd\n")
    assert _judge(module, "any", "any", "any", "any")[0] == "REJECTED"


def test_a_log_that_is_left_undecided_says_how_far_executions_came(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(judgement: trace_modules._Judgement) -> None:
        if judgement.reached:
            raise Interrupted("timeout of 1 s")
        explore(judgement)

    explore = trace_modules._Judgement._explore
    monkeypatch.setattr(trace_modules._Judgement, "_explore", end)
    monkeypatch.setattr(witness, "find_bound", lambda *_: None)  # x alone shows that no step is Large
    assert _judge(module, "any", "even", "any", "large", "even") == ("UNDECIDED", None, 3)
    done = verify("conform", str(Path(module).with_name("log")), "--spec", module)
    words = "timeout of 1 s; no execution drawn at random agrees with more than the first 3 of 5 events"
    assert words in done.stdout
