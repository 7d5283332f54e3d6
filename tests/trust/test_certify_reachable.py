"""Certificates of what must be reachable, and is not: what `certify` says of them, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import toys
from tests.support.command_line import TOYS, verify
from tests.support.models import build
from verifier.specs.protocol import Step, action, deadlock_invariant
from verifier.trust.certificate import FoundBy, certificate_of, dump, readable
from verifier.verdict import NO_STATE_REACHES

CORRIDOR = f"{TOYS}:Corridor"


@pytest.mark.parametrize("engine", ["ic3", "kind", "auto"])
def test_certify_says_what_prove_said(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    asked = ("--spec", CORRIDOR, "--property", "AtFive", "--engine", engine, "--certificate", str(path))
    proved = verify("prove", *asked, "--format", "json")
    assert proved.exit_code == 10
    as_json = verify("certify", str(path), "--spec", CORRIDOR, "--format", "json")
    assert as_json.exit_code == 10
    (before,), content = json.loads(proved.stdout)["results"], json.loads(as_json.stdout)
    assert content["exit_code"] == 10
    (after,) = content["results"]
    assert (after["verdict"], after["reason"]) == (before["verdict"], before["reason"])
    assert (after["verdict"], after["reason"]) == ("VIOLATED", NO_STATE_REACHES)
    text = verify("certify", str(path), "--spec", CORRIDOR)
    assert text.exit_code == 10
    assert f"AtFive  VIOLATED({NO_STATE_REACHES})" in text.stdout
    assert "PROVED" not in text.stdout
    summary = tmp_path / "run.json"
    summary.write_text(as_json.stdout)
    reported = verify("report", str(summary))
    assert "1 VIOLATED" in reported.stdout
    assert verify("prove", *asked, "--expect", "violated").exit_code == 0
    assert verify("prove", *asked, "--expect", "proved").exit_code == 10


def test_what_is_reached_has_no_proof(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    asked = ("--spec", CORRIDOR, "--property", "AtFive", "--engine", "ic3", "--certificate", str(path))
    assert verify("prove", *asked).exit_code == 10
    model = build(toys.Corridor())
    forged = certificate_of(model, "AtFour", ("AtFour",), (), FoundBy("ic3", "cadical", "1"))
    path.write_text(dump(model, forged))
    done = verify("certify", str(path), "--spec", CORRIDOR)
    assert done.exit_code == 11
    assert "NOT_INDUCTIVE" in done.stdout


def test_the_invariant_is_said_as_it_is_meant() -> None:
    """In an invariant, a reachable property stands for its negation, a deadlock invariant for a choice."""

    class Stuck(toys.Corridor):
        @action()
        def rest(self, s: object) -> Step:
            return Step(when=[s.x == 6], then={})  # type: ignore[attr-defined]

        @deadlock_invariant()
        def only_at_top(self, s: object) -> object:
            return s.x == 6  # type: ignore[attr-defined]

    model = build(Stuck())
    proof = certificate_of(model, "AtFive", ("AtFive", "OnlyAtTop"), (), FoundBy("ic3", "cadical", "1"))
    says = [line["says"] for line in readable(model, proof)]
    assert says == ["(x ≠ 5)", "an action is enabled, or else x = 6"]
