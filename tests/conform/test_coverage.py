"""The actions, parts of guards and fields that accepted logs cover."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import verifier
from tests.support.command_line import verify

MODULE = """---- MODULE Dis ----
EXTENDS Naturals
VARIABLES x, up
Init == x = 0 /\\ up = TRUE
Inc == (x < 2 \\/ x = 7 \\/ up) /\\ x' = x + 1 /\\ up' = up
Set(n) == /\\ IF n > x THEN up ELSE TRUE
          /\\ x' = n /\\ up' = up
Reset == x' = 0 /\\ up' = FALSE
Next == Inc \\/ Reset \\/ \\E n \\in 0..3 : Set(n)
====
"""
PROTOCOL = '''from __future__ import annotations

from verifier import Formula, Protocol, Range, State, Step, action, variable


class DoorState(State):
    def __init__(self) -> None:
        self.count = variable(Range(0, 3))


class Door(Protocol):
    """A door."""

    def state(self) -> DoorState:
        return DoorState()

    def init(self, s: DoorState) -> Formula:
        return s.count == 0

    @action()
    def push(self, s: DoorState) -> Step:
        return Step(when=[(s.count == 0) | (s.count == 3)], then={s.count: 3})
'''
TRACE = """---- MODULE DisTrace ----
EXTENDS Dis, Sequences, Json, IOUtils, TLC
VARIABLE l
Log == ndJsonDeserialize(IOEnv.LOG)
Is(e) == l <= Len(Log) /\\ Log[l].event = e /\\ l' = l + 1
TraceNext == (Is("Inc") /\\ Inc) \\/ (Is("Reset") /\\ Reset) \\/ (Is("Set") /\\ Set(Log[l].n))
TraceInit == Init /\\ l = 1
Whole == TLCGet("stats").diameter - 1 = Len(Log)
====
"""
MANY = """---- MODULE Many ----
EXTENDS Naturals, Sequences, Json, IOUtils
VARIABLES l, x
Log == ndJsonDeserialize(IOEnv.LOG)
Init == l = 1 /\\ x = 0
Pick == Log[l].event = "a" /\\ x' \\in 0..40
Never == Log[l].event = "b" /\\ x' = 0
Next == l <= Len(Log) /\\ l' = l + 1 /\\ (Pick \\/ Never)
====
"""
LOGS = {
    "stuck": '{"event": "Inc"}\n{"event": "Jump"}\n',
    "good": '{"event": "Inc"}\n' * 3 + '{"event": "Set", "n": 1}\n',
    "other": '{"event": "Inc"}\n',
    "d1": '{"event": "Inc", "load": 1}\n{"event": "Inc", "x": 2}\n{"event": "Set", "n": 1, "who": "a"}\n',
    "d2": '{"event": "Inc", "load": 1}\n{"event": "Reset"}\n',
    "bad": '{"event": "Set", "n": 3}\n{"event": "Inc", "x": 9}\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {**LOGS, "Dis.tla": MODULE, "door.py": PROTOCOL, "DisTrace.tla": TRACE}.items():
        Path(name).write_text(text)
    Path("Dis.cfg").write_text("INIT Init\nNEXT Next\n")
    Path("DisTrace.cfg").write_text(
        "INIT TraceInit\nNEXT TraceNext\nPOSTCONDITION Whole\nCHECK_DEADLOCK FALSE\n"
    )
    Path("map.toml").write_text('event = "event"\n')


def test_what_accepted_logs_never_saw_is_told() -> None:
    asked = ("--spec", "Dis.tla", "--map", "map.toml", "--coverage")
    done = verify("conform", "d1", "bad", *asked)
    assert done.stdout.split("coverage by ")[1].splitlines() == [
        "1 accepted log, one execution for each:",
        "  Inc    2 steps",
        "  Reset  0 steps",
        "  Set    1 step",
        "  actions never seen: Reset",
        "  parts of guards never seen:",
        f"    Inc: x = 7  ({Path('Dis.tla')}:5:18)",
        f"    Set: n > x is true  ({Path('Dis.tla')}:6:17)",
        "  fields of Inc that nothing reads: load",
        "  fields of Set that nothing reads: who",
    ]


def test_coverage_without_an_accepted_log_is_said() -> None:
    done = verify("conform", "bad", "--spec", "Dis.tla", "--map", "map.toml", "--coverage")
    assert done.stdout.splitlines()[-1] == "coverage: no log is accepted, so there is none"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_logs_cover_together(jobs: str) -> None:
    asked = ("--spec", "Dis.tla", "--map", "map.toml", "--coverage", "--jobs", jobs, "--format", "json")
    done = json.loads(verify("conform", "d1", "d2", "bad", *asked).stdout)
    assert done["coverage"]["actions"] == {"Inc": 3, "Reset": 1, "Set": 1}
    counts = {one["formula"]: one["count"] for one in done["coverage"]["parts"]}
    assert counts == {"x < 2": 3, "x = 7": 0, "up": 3, "n > x is true": 0, "n > x is false": 1}
    assert [one["coverage"] is None for one in done["logs"]] == [False, False, True]


def test_disjuncts_of_a_protocol_are_counted() -> None:
    Path("log").write_text('{"event": "Push"}\n')
    asked = ("--spec", "door.py", "--map", "map.toml", "--coverage", "--format", "json")
    done = json.loads(verify("conform", "log", *asked).stdout)
    counts = {one["formula"]: one["count"] for one in done["coverage"]["parts"]}
    assert counts == {"count = 0": 1, "count = 3": 0}


def test_an_execution_in_itf_is_covered() -> None:
    states = [{"x": 0, "up": True}, {"x": 1, "up": True}, {"x": 0, "up": False}]
    Path("run.itf.json").write_text(json.dumps({"vars": ["x", "up"], "states": states}))
    done = json.loads(
        verify("conform", "run.itf.json", "--spec", "Dis.tla", "--coverage", "--format", "json").stdout
    )
    assert done["coverage"]["actions"] == {"Inc": 1, "Reset": 1, "Set": 0}


def test_a_module_that_reads_its_log_says_what_it_covers() -> None:
    done = verify("conform", "good", "other", "stuck", "--spec", "DisTrace.tla", "--coverage")
    assert done.exit_code == 10
    assert done.stdout.split("coverage by ")[1].splitlines() == [
        "2 accepted logs, one execution for each:",
        "  Is     5 steps",
        "  Inc    4 steps",
        "  Reset  0 steps",
        "  Set    1 step",
        "  actions never seen: Reset",
        "  parts of guards never seen:",
        f"    Inc: x = 7  ({Path('Dis.tla')}:5:18)",
        f'    TraceNext: Is("Reset") /\\ Reset  ({Path("DisTrace.tla")}:6:37)',
        f"    Set: n > x is true  ({Path('Dis.tla')}:6:17)",
    ]


def test_a_part_of_a_trace_module_is_counted_if_it_is_a_way_of_the_step() -> None:
    asked = ("--spec", "DisTrace.tla", "--coverage", "--format", "json")
    done = json.loads(verify("conform", "good", *asked).stdout)
    counts = {(one["action"], one["formula"]): one["count"] for one in done["coverage"]["parts"]}
    assert counts["Inc", "x < 2"] == 2
    assert counts["Inc", "up"] == 3
    assert counts["Set", "n > x is false"] == 1
    assert done["logs"][0]["coverage"] == done["coverage"]


def test_a_log_found_by_one_execution_among_many_is_covered() -> None:
    Path("Many.tla").write_text(MANY)
    Path("Many.cfg").write_text("INIT Init\nNEXT Next\n")
    Path("many").write_text('{"event": "a"}\n' * 3)
    done = json.loads(
        verify("conform", "many", "--spec", "Many.tla", "--coverage", "--format", "json").stdout
    )
    assert done["logs"][0]["verdict"] == "ACCEPTED"
    assert done["coverage"]["actions"] == {"Pick": 3, "Never": 0}


def test_python_asks_for_coverage_and_for_a_module_that_reads_its_log() -> None:
    found = verifier.load("DisTrace.tla").conform("good", "stuck", coverage=True)
    assert [one.verdict for one in found] == ["ACCEPTED", "REJECTED"]
    assert found[0].coverage is not None
    assert found[0].coverage.actions == {"Is": 4, "Inc": 3, "Reset": 0, "Set": 1}
    assert found[1].coverage is None


def test_the_page_shows_coverage() -> None:
    verify("conform", "good", "stuck", "--spec", "DisTrace.tla", "--coverage", "--html", "page.html")
    page = Path("page.html").read_text()
    section = page.split('id="coverage"')[1].split("</section>")[0]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in section.split("<tr>")]
    assert ["Reset", "never"] in rows
    assert ["Inc", "x", "=", "7", "never", "Dis.tla:5:18"] in rows
    assert 'href="#coverage"' in page
    verify("conform", "good", "--spec", "DisTrace.tla", "--html", "page.html")
    assert 'id="coverage"' not in Path("page.html").read_text()
