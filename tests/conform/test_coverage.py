"""The actions, parts of guards and fields that accepted logs cover."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong

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
LOGS = {
    "d1": '{"event": "Inc", "load": 1}\n{"event": "Inc", "x": 2}\n{"event": "Set", "n": 1, "who": "a"}\n',
    "d2": '{"event": "Inc", "load": 1}\n{"event": "Reset"}\n',
    "bad": '{"event": "Set", "n": 3}\n{"event": "Inc", "x": 9}\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {**LOGS, "Dis.tla": MODULE, "door.py": PROTOCOL}.items():
        Path(name).write_text(text)
    Path("Dis.cfg").write_text("INIT Init\nNEXT Next\n")
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


def test_coverage_needs_a_mapping() -> None:
    assert "--coverage is for logs with --map" in wrong("conform", "d1", "--spec", "Dis.tla", "--coverage")
