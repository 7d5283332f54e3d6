"""Small protocols made to mislead a reduction, through every engine and the naive reading."""

from __future__ import annotations

from typing import Any

import pytest

from tests.naive import Naive
from tests.naive_comparisons import Subject, disagreements
from tests.random_plans import plan_of
from verifier.encodings.quantifiers import count, those
from verifier.encodings.sorts import Bag, Record, Set, Sort
from verifier.model import build
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant


class TwoKinds(Protocol):
    """Coordinators come up one by one; then a client uses one that is not up."""

    clients = IndexSetConstant(3, kind="client")
    coordinators = IndexSetConstant(3, kind="coordinator")

    @property
    def pairs(self) -> Sort:
        return Record(client=self.clients, coordinator=self.coordinators)

    def state(self) -> State:
        return State(up=Set(self.coordinators), used=Set(self.pairs))

    def init(self, s: Any) -> Any:
        return s.up.is_empty & s.used.is_empty

    @action(c="coordinators")
    def come_up(self, s: Any, c: Any) -> Step:
        return Step([~s.up.contains(c), s.used.is_empty], {s.up: s.up.add(c)})

    @action(p="pairs")
    def use(self, s: Any, p: Any) -> Step:
        when = [~s.up.contains(p.coordinator), s.up.cardinality == 2, s.used.is_empty]
        return Step(when, {s.used: s.used.add(p)})

    @invariant()
    def unused(self, s: Any) -> Any:
        return s.used.is_empty


class BagParameter(Protocol):
    """Each step marks the one node of which there is a copy in the bag."""

    nodes = IndexSetConstant(2, kind="node")

    @property
    def bags(self) -> Sort:
        return Bag(self.nodes, 1)

    def state(self) -> State:
        return State(done=Set(self.nodes))

    def init(self, s: Any) -> Any:
        return s.done.is_empty

    @action(b="bags")
    def mark(self, s: Any, b: Any) -> Step:
        return Step(
            [count(self.nodes, lambda n: b.copies(n) > 0) == 1],
            {s.done: those(self.nodes, lambda n: s.done.contains(n) | (b.copies(n) > 0))},
        )

    @invariant()
    def not_all(self, s: Any) -> Any:
        return s.done.cardinality < 2


@pytest.mark.parametrize("protocol", [TwoKinds, BagParameter])
def test_engines_are_not_misled(protocol: type[Protocol]) -> None:
    model = build(protocol())
    naive = Naive(model.definition)
    truth = naive.explore()
    assert truth.complete
    assert truth.steps
    subject = Subject(0, plan_of("0"), model, naive, truth)
    assert not list(disagreements(subject, slow=False))
