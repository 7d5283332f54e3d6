"""Temporal properties decided among states up to symmetry: never anything that exploration contradicts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.support.models import build
from verifier.encodings.quantifiers import count
from verifier.encodings.sorts import Function, Option, Range
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.engines.live_orbits import Region
from verifier.processes.limits import Limits
from verifier.specs.members import ActionMember
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    always_eventually,
    eventually,
    eventually_always,
    temporal,
)
from verifier.specs.temporal import Fairness, Strength
from verifier.specs.temporal_members import TemporalMember
from verifier.system.liveness import live_model
from verifier.verdict import Verdict, VerdictKind


def ask_verdict(protocol: Protocol, engine: LiveEngine, *fairness: Fairness) -> Verdict:
    """The verdict on the protocol's property."""
    model = build(protocol)
    live = live_model(model, model.definition.temporal[0], "spec", fairness)
    request = Request((), "spec", (), engine, limits=Limits(60.0).begin())
    return decide_property(live, request).verdicts[-1]


class Baton(Protocol, camel_case=True):
    """A baton is passed on, or put down forever."""

    nodes = IndexSetConstant(3, "those who pass it on", kind="node")

    def state(self) -> State:
        return State(holder=Option(self.nodes))

    def init(self, s: Any) -> Any:
        return s.holder.is_some

    @action(old="nodes", new="nodes")
    def hand_on(self, s: Any, old: Any, new: Any) -> Step:
        return Step(when=[s.holder == old, old != new], then={s.holder: new})

    @action(node="nodes")
    def put_down(self, s: Any, node: Any) -> Step:
        return Step(when=[s.holder == node], then={s.holder: None})

    @temporal
    def down(self, s: Any) -> Any:
        return always_eventually(s.holder.is_none)


class PutDown(Baton):
    """It can only be put down."""

    next = ("put_down",)


class OfOne(PutDown):
    """The property is about one node."""

    @temporal
    def down(self, s: Any) -> Any:
        return always_eventually(s.holder != next(iter(self.nodes.each())))


class Once(PutDown):
    """The property speaks of the past."""

    @temporal
    def down(self, s: Any) -> Any:
        return eventually(s.holder.is_none)


NEXT = Fairness(Strength.WEAK)
NAMED = Fairness(Strength.WEAK, ("PutDown",), given=(("node", "n1"),))


def test_executions_that_only_stop_are_decided() -> None:
    assert ask_verdict(PutDown(), LiveEngine.ORBITS, NEXT).kind is VerdictKind.PROVED
    verdict = ask_verdict(PutDown(), LiveEngine.ORBITS)
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.trace is not None
    assert verdict.trace.loop is not None


def test_a_loop_that_is_one_up_to_names_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All states with a holder are one up to names: handing on leads from it to itself."""
    assert ask_verdict(Baton(), LiveEngine.EXPLICIT, NEXT).kind is VerdictKind.VIOLATED
    verdict = ask_verdict(Baton(), LiveEngine.ORBITS, NEXT)
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "states up to symmetry do not show whether executions may miss it forever" in str(verdict.reason)
    monkeypatch.setattr(Region, "_renames", lambda self, states: False)
    assert ask_verdict(Baton(), LiveEngine.ORBITS, NEXT).kind is VerdictKind.PROVED


@pytest.mark.parametrize(
    ("protocol", "fairness", "why"),
    [
        (OfOne(), NEXT, "the property tells elements apart"),
        (Once(), NEXT, "the property is about the past or the future of a state"),
        (PutDown(), NAMED, "fairness names elements"),
    ],
    ids=["property", "past", "fairness"],
)
def test_what_tells_elements_apart_is_refused(protocol: Protocol, fairness: Fairness, why: str) -> None:
    if fairness is NAMED:
        first = next(iter(protocol.nodes.each()))  # type: ignore[attr-defined]
        fairness = Fairness(Strength.WEAK, ("PutDown",), given=(("node", first),))
    verdict = ask_verdict(protocol, LiveEngine.ORBITS, fairness)
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert verdict.reason == f"symmetry cannot be used: {why}"


# Random protocols of nodes that are alike


def random_protocol(seed: int) -> tuple[Protocol, tuple[Fairness, ...]]:
    """Nodes that go from one of three places to another, if so many others are at some place."""
    rng = random.Random(seed)

    def move() -> ActionMember:
        one, other, third = rng.choice([(0, 1), (0, 1), (1, 2), (0, 2), (2, 0), (1, 0)]) + (rng.randrange(3),)
        most, least = rng.choice([0, 1, 2, 3]), rng.choice([0, 0, 1])

        def method(self: Any, s: Any, node: Any) -> Step:
            there = count(s.at[n] == third for n in self.nodes)
            return Step(when=[s.at[node] == one, there <= most, there >= least], then={s.at[node]: other})

        return ActionMember(method, {"node": "nodes"})

    place, least = rng.randrange(3), rng.randint(1, 3)
    operator = rng.choice([always_eventually, always_eventually, eventually_always])

    def claim(self: Any, s: Any) -> Any:
        there = operator(count(s.at[n] == place for n in self.nodes) >= least)
        return ~there if seed % 5 == 0 else there

    moves = [f"move{number}" for number in range(rng.randint(1, 3))]
    body: dict[str, Any] = {
        "nodes": IndexSetConstant(3, "nodes", kind="node"),
        "state": lambda self: State(at=Function(self.nodes, Range(0, 2))),
        "init": lambda self, s: count(s.at[n] == 0 for n in self.nodes) == self.nodes.size,
        **{name: move() for name in moves},
        "claim": TemporalMember(claim, True, None),
    }
    each = rng.choice([(), ("node",)])
    titles = tuple(name.title() for name in moves)
    wanted = rng.choice([(), (NEXT,), (Fairness(rng.choice(list(Strength)), titles[:1], each),)])
    return type("Alike", (Protocol,), body, camel_case=True)(), wanted


@pytest.mark.parametrize(
    "seeds",
    [
        group if group[0] < 20 else pytest.param(group, marks=pytest.mark.thorough)
        for group in ((first, first + 20) for first in range(0, 300, 20))
    ],
    ids=str,
)
def test_exploration_contradicts_nothing(seeds: tuple[int, int]) -> None:
    decisive = 0
    for seed in range(*seeds):
        protocol, fairness = random_protocol(seed)
        verdict = ask_verdict(protocol, LiveEngine.ORBITS, *fairness)
        if verdict.kind is not VerdictKind.INCONCLUSIVE:
            decisive += 1
            assert ask_verdict(protocol, LiveEngine.EXPLICIT, *fairness).kind is verdict.kind, seed
    assert decisive > 5
