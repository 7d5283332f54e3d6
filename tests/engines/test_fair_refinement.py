"""Refinement with fairness: executions of a protocol are fair executions of the abstract one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.live_systems import plan_of, protocol_of
from tests.support.models import build
from verifier.encodings.expressions import literal
from verifier.encodings.quantifiers import function, if_
from verifier.encodings.sorts import Boolean, Function, Range
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.processes.limits import Limits
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    define,
    refines,
    strong,
    weak,
)
from verifier.specs.temporal import Fairness, Strength, TemporalFormula, TemporalOperator
from verifier.system.liveness import live_model
from verifier.system.model import build as build_defined
from verifier.verdict import VerdictKind


class Hours(Protocol, camel_case=True):
    """A clock that shows hours."""

    hours = Range(0, 2)

    def state(self) -> State:
        return State(hour=self.hours)

    def init(self, s: Any) -> Any:
        return s.hour == 0

    @action
    def tick(self, s: Any) -> Step:
        return Step(then={s.hour: if_(s.hour == 2, 0, s.hour + 1)})

    def fairness(self) -> list[Fairness]:
        return [weak("tick")]


class Minutes(Protocol, camel_case=True):
    """A clock that shows minutes, too, and rings when it likes."""

    def state(self) -> State:
        return State(hour=Range(0, 2), minute=Range(0, 1), rings=Boolean())

    def init(self, s: Any) -> Any:
        return (s.hour == 0) & (s.minute == 0) & ~s.rings

    @action
    def go_on(self, s: Any) -> Step:
        hour = if_(s.minute == 0, s.hour, if_(s.hour == 2, 0, s.hour + 1))
        return Step(then={s.minute: 1 - s.minute, s.hour: hour})

    @action
    def ring(self, s: Any) -> Step:
        return Step(then={s.rings: ~s.rings})

    @refines(Hours)
    def shows_hours(self, s: Any) -> dict[str, Any]:
        """Its hours are those of a clock."""
        return {}


class Doors(Protocol, camel_case=True):
    """Each client that waits is let in, if the door is open again and again."""

    clients = IndexSetConstant(2, "those who wait", kind="client")
    how = staticmethod(strong)

    def state(self) -> State:
        return State(inside=Function(self.clients, Boolean()), open=Boolean())

    def init(self, s: Any) -> Any:
        return (s.inside == function(literal(Boolean(), False) for _ in self.clients)) & ~s.open

    @action
    def turn(self, s: Any) -> Step:
        return Step(then={s.open: ~s.open})

    @action(client="clients")
    def enter(self, s: Any, client: Any) -> Step:
        return Step(when=[s.open, ~s.inside[client]], then={s.inside[client]: True})

    def fairness(self) -> list[Fairness]:
        return [weak("turn"), self.how("enter", each="client")]


class Weakly(Doors):
    """The door need be open all the time."""

    how = staticmethod(weak)


class ToDoors(Doors):
    """Doors, as a refinement of itself."""

    @refines(Doors)
    def is_doors(self, s: Any) -> dict[str, Any]:
        return {}


class ToWeakly(Doors):
    """Doors, as a refinement of the protocol with less fairness."""

    @refines(Weakly)
    def is_doors(self, s: Any) -> dict[str, Any]:
        return {}


class FromWeakly(Weakly):
    """With less fairness than what it is to refine."""

    @refines(Doors)
    def is_doors(self, s: Any) -> dict[str, Any]:
        return {}


def verdict(protocol: Protocol, engine: LiveEngine, *fairness: Fairness) -> VerdictKind:
    """Return the engine's verdict on the fairness of the abstract protocol, under this fairness or the
    protocol's own."""
    model = build(protocol)
    definition = model.definition
    (prop,) = definition.temporal
    assert prop.name.endswith("Fairness")
    conditions = fairness or definition.fairness[0].conditions
    live = live_model(model, prop, "spec", conditions)
    request = Request((), "spec", (), engine, limits=Limits(60.0).begin())
    return decide_property(live, request).verdicts[-1].kind


@pytest.mark.parametrize("engine", [LiveEngine.EXPLICIT, LiveEngine.L2S])
def test_a_clock_that_goes_on_is_fair(engine: LiveEngine) -> None:
    going, ringing = (Fairness(weak().strength, (name,)) for name in ("GoOn", "Ring"))
    assert verdict(Minutes(), engine, going) is VerdictKind.PROVED
    assert verdict(Minutes(), engine, ringing) is VerdictKind.VIOLATED


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        (ToDoors(), VerdictKind.PROVED),
        (ToWeakly(), VerdictKind.PROVED),
        (FromWeakly(), VerdictKind.VIOLATED),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Protocol) else str(one),
)
def test_strong_fairness_is_more_than_weak(protocol: Protocol, expected: VerdictKind) -> None:
    assert verdict(protocol, LiveEngine.EXPLICIT) is expected


@pytest.mark.parametrize(
    "seeds",
    [
        group if group[0] == 0 else pytest.param(group, marks=pytest.mark.thorough)
        for group in ((first, first + 20) for first in range(0, 200, 20))
    ],
    ids=str,
)
def test_fairness_of_random_systems_means_the_same_when_mapped(seeds: tuple[int, int]) -> None:
    """A system refines itself; that other fairness is met can be asked without a refinement, too."""
    violated = 0
    for seed in range(*seeds):
        plan, other = plan_of(seed), plan_of(seed + 10_000)
        known = {name for name, _ in plan.steps}
        wanted = tuple(one for one in other.fairness if known.issuperset(one.actions))
        wanted = wanted or (Fairness(Strength.STRONG, ("Move0",)),)
        abstract = protocol_of(replace(plan, fairness=wanted))
        kind = type("Mapped", (protocol_of(plan),), {"same": refines(abstract)(lambda self, s: {})})
        definition = define(kind())
        mapped = next(prop for prop in definition.temporal if prop.name == "SameFairness")
        parts = tuple(TemporalFormula(TemporalOperator.FAIR, condition=one) for one in wanted)
        plain = replace(mapped, formula=TemporalFormula(TemporalOperator.AND, parts=parts))
        model, conditions = build_defined(definition), definition.fairness[0].conditions
        kinds = [
            decide_property(
                live_model(model, prop, "spec", conditions), Request((), "spec", (), LiveEngine.EXPLICIT)
            )
            .verdicts[-1]
            .kind
            for prop in (mapped, plain)
        ]
        assert kinds[0] is kinds[1], seed
        violated += kinds[0] is VerdictKind.VIOLATED
    assert 0 < violated < seeds[1] - seeds[0]


def test_without_fairness_there_is_no_such_property() -> None:
    class Stops(Hours):
        def fairness(self) -> list[Fairness]:
            return []

    class ToStops(Hours):
        @refines(Stops)
        def is_stops(self, s: Any) -> dict[str, Any]:
            return {}

    assert not define(ToStops()).temporal
