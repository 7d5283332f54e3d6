"""Variables that no loop changes have one value in each strongly connected part of the explored graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engines.test_random_systems import RandomProtocol
from tests.support.models import build
from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Range, Set
from verifier.engines.explore import Request, explore
from verifier.engines.fair_loops import StateGraph, components
from verifier.explicit.packing import unpack
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, free
from verifier.specs.registry import load
from verifier.system.frozen import find_frozen_variables
from verifier.system.model import Model


def agrees_with_exploration(model: Model) -> frozenset[str]:
    """The frozen variables, of which each has one value in each strongly connected part."""
    frozen = find_frozen_variables(model)
    asked = Request(tuple(p.name for p in model.system.properties), keep_going=True, graph=True)
    graph = explore(model, asked).graph
    assert graph is not None
    edges = graph.edges[np.argsort(graph.edges[:, 0], kind="stable")]
    states = StateGraph(len(graph.rows), edges[:, 0], edges[:, 1])
    labels = components(states, np.ones(states.states, np.bool_))
    seen: dict[int, Any] = {}
    for label, row in zip(labels.tolist(), graph.rows, strict=True):
        state = model.layout.decode_state(unpack(row, len(model.system.bits)))
        values = {name: state[name] for name in frozen}
        assert seen.setdefault(label, values) == values
    return frozen


@pytest.mark.parametrize(
    ("spec", "constants", "expected"),
    [
        ("rabbit-sac", {"queues": 2, "apps": 2}, {"app_id", "next_id"}),
        ("rabbit-sac-restart", {"queues": 2, "apps": 2}, {"app_id", "next_id"}),
        ("exactly-once-atomic", {"max_queue": 1, "max_retry": 1}, set()),
        ("kafka-truncate-hw", {"replicas": 2, "log_size": 1, "max_records": 1}, None),
    ],
)
def test_built_in_protocols(spec: str, constants: dict[str, Any], expected: set[str] | None) -> None:
    found = agrees_with_exploration(build(load(spec)(constants)))
    assert expected is None or found == expected


@pytest.mark.parametrize("rules", range(12))
def test_random_protocols(rules: int) -> None:
    agrees_with_exploration(build(RandomProtocol({"rules": rules})))


class Kinds(Protocol, camel_case=True):
    """Variables that grow, fall, come back, are chosen freely, or change with another one."""

    things = IndexSetConstant(2, kind="thing")

    @property
    def groups(self) -> Set:
        return Set(self.things)

    def state(self) -> State:
        return State(
            grows=Range(0, 3),
            falls=Range(0, 2),
            turns=Range(0, 1),
            wraps=Range(0, 2),
            held=Set(self.things),
            told=Set(self.things),
            copied=Range(0, 3),
            until=Range(0, 2),
        )

    def init(self, s: Any) -> Any:
        sets = s.held.is_empty & s.told.is_empty
        numbers = (s.grows == 0) & (s.falls == 2) & (s.turns == 0) & (s.wraps == 0) & (s.copied == 0)
        return sets & numbers & (s.until == 0)

    @action()
    def grow(self, s: Any) -> Step:
        return Step(when=[s.grows < 3], then={s.grows: s.grows + 1, s.until: 0})

    @action()
    def copy(self, s: Any) -> Step:
        return Step(then={s.copied: s.grows})

    @action()
    def fall(self, s: Any) -> Step:
        return Step(when=[s.falls > 0], then={s.falls: s.falls - 1})

    @action()
    def turn(self, s: Any) -> Step:
        return Step(then={s.turns: 1 - s.turns})

    @action()
    def go_up(self, s: Any) -> Step:
        return Step(when=[s.wraps < 2], then={s.wraps: s.wraps + 1})

    @action()
    def go_back(self, s: Any) -> Step:
        return Step(when=[s.wraps == 2], then={s.wraps: 0})

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[s.until < 2], then={s.until: s.until + 1})

    @action(thing="things")
    def hold(self, s: Any, thing: Any) -> Step:
        return Step(then={s.held: s.held.add(thing)})

    @action(group=free("groups"))
    def tell(self, s: Any, group: Any) -> Step:
        return Step(when=[exists(self.things, group.contains)], then={s.told: group})


def test_what_only_grows_or_falls_is_frozen() -> None:
    """``until`` goes back only in a step that lets ``grows`` grow. Of ``copied`` it is not seen that what it
    copies only grows."""
    assert agrees_with_exploration(build(Kinds())) == {"grows", "falls", "held", "until"}
