"""Temporal formulas: how they may be combined. Proofs of liveness: what lemmas do for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_live import ENGINES, ask_verdict
from tests.support.command_line import verify
from tests.support.models import build
from verifier.encodings.sorts import Range
from verifier.engines.live import LiveEngine
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    Protocol,
    State,
    Step,
    action,
    always,
    always_eventually,
    define,
    eventually,
    eventually_always,
    leads_to,
    now,
    temporal,
    until,
)
from verifier.specs.registry import load
from verifier.specs.temporal import Fairness, Strength
from verifier.symmetry.instance_orbits import instance_representatives
from verifier.system.liveness import live_model
from verifier.system.liveness_to_safety import loop_model
from verifier.verdict import VerdictKind


class Nested(Protocol, camel_case=True):
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


class OfItself(Nested):
    """A formula of one state where a temporal one was meant, and the other way round."""

    @temporal
    def claim(self, s: Any) -> Any:
        return now(eventually(s.x == 2))


class Twice(Nested):
    """It may come back to zero, and then it must come to two again, and stay there or come back."""

    @action()
    def back(self, s: Any) -> Step:
        return Step(when=[s.x == 2], then={s.x: 0})

    @temporal
    def claim(self, s: Any) -> Any:
        return always(now(s.x != 0) | until(s.x <= 1, s.x == 2))

    @temporal(default=False)
    def strict(self, s: Any) -> Any:
        return always(now(s.x != 0) | until(s.x == 0, s.x == 2))


def test_temporal_formulas_are_combined_and_nested() -> None:
    with pytest.raises(DefinitionError, match=r"the temporal formula eventually \(x = 2\) is not a value"):
        define(OfAState())
    with pytest.raises(DefinitionError, match="what now is about is a formula of one state"):
        define(OfItself())
    model = build(Combined())
    for fairness in ((), (Fairness(Strength.WEAK, ("Go",)),)):
        live = live_model(model, model.definition.temporal[0], "spec", fairness)
        for engine in ENGINES:
            assert ask_verdict(live, engine).kind is VerdictKind.VIOLATED


def test_engines_agree_on_nested_formulas() -> None:
    going = (Fairness(Strength.WEAK, ("Go",)),)
    for protocol, place, fairness, expected in (
        (Nested(), 0, going, VerdictKind.PROVED),
        (Nested(), 0, (), VerdictKind.VIOLATED),
        (Twice(), 0, going, VerdictKind.PROVED),
        (Twice(), 0, (), VerdictKind.VIOLATED),
        (Twice(), 1, going, VerdictKind.VIOLATED),
    ):
        model = build(protocol)
        prop = model.definition.temporal[place]
        live = live_model(model, prop, "spec", fairness)
        for engine in (LiveEngine.EXPLICIT, LiveEngine.L2S):
            assert ask_verdict(live, engine).kind is expected, (prop.name, engine)


def test_lemmas_serve_proofs_of_liveness() -> None:
    """The step that starts a loop is of no action of the protocol, and no image of another instance."""
    model = build(load("rabbit-sac")({"queues": 2, "apps": 2}))
    loops = loop_model(live_model(model, model.definition.temporal[0], "none", ()))
    assert model.system.lemmas
    assert len(instance_representatives(model.definition, loops.system)) == len(model.system.instances) + 1


@pytest.mark.thorough
def test_liveness_is_proved_with_a_certificate_that_lemmas_are_part_of(tmp_path: Path) -> None:
    file = tmp_path / "certificate.json"
    small = ("--spec", "exactly-once", "--set", "message_count=1", "--set", "dup_count=1")
    done = verify("live", *small, "--engine", "l2s", "--certificate", str(file), "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"][0]["verdict"] == "PROVED"
    assert verify("certify", str(file)).exit_code == 0


REQUESTS = '''"""Clients ask, and nobody serves them."""

from verifier import *


class RequestState(State):
    def __init__(self, p):
        self.waiting = variable(Function(p.clients, Boolean()))
        self.served = variable(Function(p.clients, Boolean()))


class Requests(Protocol):
    clients = IndexSetConstant(2, "clients", kind="client")

    def state(self):
        return RequestState(self)

    def init(self, s):
        return forall(self.clients, lambda c: ~s.waiting[c] & ~s.served[c])

    @action(client="clients")
    def ask(self, s, client):
        return Step(when=[~s.waiting[client]], then={s.waiting[client]: True})

    def all(self, s, value):
        return forall(self.clients, lambda c: s.served[c] == value)

    @temporal
    def answered(self, s):
        FORMULA
'''


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (
            "return for_each(self.clients, lambda c: leads_to(s.waiting[c], s.served[c]))",
            [
                "true in state 1 for c = {c}: waiting[{c}] (waiting[{c}] = true)",
                "false from there on, and in every state of the loop for c = {c}: served[{c}]",
            ],
        ),
        (
            "return for_each(self.clients, lambda c: always_eventually(s.served[c] | ~s.waiting[c]))",
            ["false in every state of the loop for c = {c}:"],
        ),
        (
            "return eventually(self.all(s, False)) & eventually(self.all(s, True))",
            ["false in every state of the loop for c = c1: served[c1] = true"],
        ),
    ],
)
def test_the_part_that_fails_is_named_with_its_values(tmp_path: Path, formula: str, words: list[str]) -> None:
    file = tmp_path / "requests.py"
    file.write_text(REQUESTS.replace("FORMULA", formula))
    done = verify("live", str(file), "--engine", "bmc")
    assert done.exit_code == 10, done.output
    shown = " ".join(done.output.split())
    assert any(all(one.format(c=c) in shown for one in words) for c in ("c1", "c2")), done.output
