"""Properties without a proof for all constants that executions at small constants violate."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.engines.all_constants import check
from verifier.engines.small_violations import EarlyViolations
from verifier.parametric.protocol_readings import read_for_all
from verifier.processes.limits import Limits
from verifier.runs.building import build_model
from verifier.runs.protocol_loading import load_class_at
from verifier.specs.registry import load as load_class
from verifier.system.model import Model

PROTOCOL = """
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
    def inside(self, s):
        return s.x * 2 < self.n * 2 + 1

    @invariant
    def below_two(self, s):
        return s.x < 2
"""


def _prove(tmp_path: Path, *properties: str, more: tuple[str, ...] = ()) -> dict[str, Any]:
    spec = tmp_path / "wheel.py"
    spec.write_text(PROTOCOL, encoding="utf-8")
    named = [part for name in properties for part in ("--property", name)]
    done = verify("prove", str(spec), "--all-constants", *named, *more, "--format", "json")
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


def test_false_claims_are_violated_although_a_hard_proof_takes_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.parametric.proving.decide", lambda *_, **__: time.sleep(600))
    verdicts = _verdicts(_prove(tmp_path, "inside", "grows", "below_two", more=("--timeout", "12s")))
    assert verdicts == {
        "inside": ("INCONCLUSIVE", None),
        "grows": ("VIOLATED", 3),
        "below_two": ("VIOLATED", 2),
    }


def _models(tmp_path: Path, sizes: tuple[int, ...]) -> list[Callable[[], Model | None]]:
    spec = tmp_path / "wheel.py"
    spec.write_text(PROTOCOL, encoding="utf-8")
    kind = load_class(str(spec))
    return [
        partial(lambda n: build_model(load_class_at(kind, {"n": n}).definition, Limits()), n) for n in sizes
    ]


def _await(early: EarlyViolations, name: str) -> bool:
    until = time.monotonic() + 60
    while not (known := early.knows(name)) and time.monotonic() < until:
        time.sleep(0.05)
    return known


def test_the_early_search_keeps_each_violation_with_its_constants(tmp_path: Path) -> None:
    with EarlyViolations(_models(tmp_path, (1, 2)), ("grows", "below_two", "moves"), Limits()) as early:
        until = time.monotonic() + 60
        while not {"grows", "below_two"} <= early.found.get(1, {}).keys() and time.monotonic() < until:
            assert not early.knows("moves")
    place, violated = early.find_best(("grows", "below_two"))
    assert place == 1
    assert set(violated) == {"grows", "below_two"}
    assert early.find_best(("grows",))[0] == 0
    assert early.find_best(("moves",)) == (None, {})


def test_an_early_search_without_time_finds_nothing(tmp_path: Path) -> None:
    with EarlyViolations(_models(tmp_path, (1,)), ("grows",), Limits(seconds=0.0)) as early:
        assert not early.knows("grows")


def test_a_proof_ends_where_an_execution_violates_its_property(tmp_path: Path) -> None:
    (tmp_path / "wheel.py").write_text(PROTOCOL, encoding="utf-8")
    reading = read_for_all(load_class(str(tmp_path / "wheel.py")), {"n": 2})
    with EarlyViolations(_models(tmp_path, (1, 2)), ("below_two",), Limits()) as early:
        assert _await(early, "below_two")
        outcome = check(reading, ("below_two", "moves"), Limits(), early=early)
    ended, other = outcome.attempts
    assert ended.violated
    assert not ended.proved
    assert not ended.results
    assert other.proved
    assert set(outcome.certificates) == {"moves"}
