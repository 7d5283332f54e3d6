"""Temporal formulas: how they may be combined. Proofs of liveness: what lemmas do for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import verify
from tests.models import build
from tests.test_live import ENGINES, asked
from verifier.encodings.sorts import Range
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    Protocol,
    State,
    Step,
    action,
    always_eventually,
    define,
    eventually,
    eventually_always,
    leads_to,
    temporal,
)
from verifier.specs.registry import load
from verifier.specs.temporal import Fairness, Strength
from verifier.symmetry.instance_orbits import representatives
from verifier.system.liveness import live_model
from verifier.system.loops import loop_model
from verifier.verdict import VerdictKind


class Nested(Protocol):
    """A temporal formula in another one."""

    def state(self) -> State:
        return State(x=Range(0, 2))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def go(self, s: Any) -> Step:
        return Step(when=[s.x < 2], then={s.x: s.x + 1})

    @temporal
    def claim(self, s: Any) -> Any:
        return leads_to(s.x == 0, always_eventually(s.x == 2))


class OfAState(Nested):
    """A formula of one state that implies a temporal one."""

    @temporal
    def claim(self, s: Any) -> Any:
        return (s.x == 0).implies(eventually(s.x == 2))


class Combined(Nested):
    """Temporal formulas, combined to any depth."""

    @temporal
    def claim(self, s: Any) -> Any:
        late, due = eventually(s.x == 2), leads_to(s.x == 0, s.x == 1)
        return ~(~(late | ~due) & ~always_eventually(s.x == 1)).implies(eventually_always(s.x == 1))


def test_temporal_formulas_are_combined_but_not_nested() -> None:
    with pytest.raises(DefinitionError, match="leads to is about is a formula of one state, not another"):
        define(Nested())
    with pytest.raises(DefinitionError, match=r"the temporal formula eventually \(x = 2\) is not a value"):
        define(OfAState())
    model = build(Combined())
    for fairness in ((), (Fairness(Strength.WEAK, ("Go",)),)):
        live = live_model(model, model.definition.temporal[0], "spec", fairness)
        for engine in ENGINES:
            assert asked(live, engine).kind is VerdictKind.VIOLATED


def test_lemmas_serve_proofs_of_liveness() -> None:
    """The step that starts a loop is of no action of the protocol, and no image of another instance."""
    model = build(load("rabbit-sac")({"queues": 2, "apps": 2}))
    loops = loop_model(live_model(model, model.definition.temporal[0], "none", ()))
    assert model.system.lemmas
    assert len(representatives(model.definition, loops.system)) == len(model.system.instances) + 1


@pytest.mark.thorough
def test_liveness_is_proved_with_a_certificate_that_lemmas_are_part_of(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    small = ("--spec", "exactly-once", "--set", "message_count=1", "--set", "dup_count=1")
    done = verify("live", *small, "--engine", "prove", "--certificate", str(file), "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"][0]["verdict"] == "PROVED"
    assert verify("certify", str(file)).exit_code == 0
