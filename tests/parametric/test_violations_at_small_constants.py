"""Properties without a proof for all constants that executions at small constants violate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.command_line import verify

PROTOCOL = '''
from verifier import *

class Wheel(Protocol):
    n = IntegerConstant(2, minimum=1)

    def state(self):
        return State(x=Range(0, self.n))

    def init(self, s):
        return s.x == 0

    @action
    def up(self, s):
        return Step(when=s.x < self.n, then={s.x: s.x + 1})

    @action
    def reset(self, s):
        return Step(when=s.x == self.n, then={s.x: 0})

    @step_invariant
    def grows(self, s, after):
        return s.x <= after.x

    @step_invariant
    def moves(self, s, after):
        return s.x != after.x

    @invariant
    def below_two(self, s):
        return s.x < 2
'''


def _prove(tmp_path: Path, *properties: str) -> dict[str, Any]:
    spec = tmp_path / "wheel.py"
    spec.write_text(PROTOCOL, encoding="utf-8")
    named = [part for name in properties for part in ("--property", name)]
    done = verify("prove", str(spec), "--all-constants", *named, "--format", "json")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _verdicts(said: dict[str, Any]) -> dict[str, tuple[str, int | None]]:
    return {one["property"]: (one["verdict"], one["steps"]) for one in said["results"]}


def test_a_step_invariant_is_violated_at_the_least_constants(tmp_path: Path) -> None:
    said = _prove(tmp_path, "grows")
    assert _verdicts(said) == {"grows": ("VIOLATED", 2)}
    assert said["results"][0]["reason"].startswith("with n=1")
    assert said["results"][0]["trace"] is not None


def test_all_violations_are_at_the_constants_with_most_of_them(tmp_path: Path) -> None:
    said = _prove(tmp_path, "grows", "below_two", "moves")
    verdicts = _verdicts(said)
    assert verdicts == {"grows": ("VIOLATED", 3), "below_two": ("VIOLATED", 2), "moves": ("PROVED", None)}
    reasons = [one["reason"] for one in said["results"] if one["verdict"] == "VIOLATED"]
    assert all(reason.startswith("with n=2") for reason in reasons)
