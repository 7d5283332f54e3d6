"""Small protocols made to mislead a reduction, through every engine and the naive reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.models import build
from tests.support.naive import Naive
from tests.support.naive_comparisons import Subject, disagreements
from tests.support.random_plans import plan_of
from verifier.clauses.structural_invariants import _candidates
from verifier.encodings.expressions import literal
from verifier.encodings.quantifiers import comprehension, count, forall, if_
from verifier.encodings.sorts import Bag, Boolean, Enum, Function, Option, Range, Record, Set, Sort
from verifier.engines import prove
from verifier.engines.choices import EngineChoice
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
)
from verifier.verdict import VerdictKind


class TwoKinds(Protocol, camel_case=True):
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


class BagParameter(Protocol, camel_case=True):
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
            {s.done: comprehension(self.nodes, lambda n: s.done.contains(n) | (b.copies(n) > 0))},
        )

    @invariant()
    def not_all(self, s: Any) -> Any:
        return s.done.cardinality < 2


class KeyNames(Protocol, camel_case=True):
    """Two keys of a function look alike without quotes."""

    topic = Enum("Topic", ("a", "b", "a, b"))

    def state(self) -> State:
        return State(open=Function(Set(self.topic), Boolean()))

    def init(self, s: Any) -> Any:
        return forall(Set(self.topic), lambda t: ~s.open[t])

    def at(self, s: Any, *topics: str) -> Any:
        return s.open[literal(Set(self.topic), frozenset(topics))]

    @action()
    def put(self, s: Any) -> Step:
        return Step([], {self.at(s, "a", "b"): True})

    @invariant()
    def other_stays_closed(self, s: Any) -> Any:
        return ~self.at(s, "a, b")

    @invariant()
    def opened(self, s: Any) -> Any:
        return ~self.at(s, "a", "b")


class Rare(Protocol, camel_case=True):
    """Whoever is picked so many times in a row becomes rare, and then is not among the others."""

    nodes = IndexSetConstant(5, kind="node")
    row = IntegerConstant(2)

    def state(self) -> State:
        one, some = Option(self.nodes), Set(self.nodes)
        flag, run = Boolean(), Range(0, self.row)
        return State(last=one, run=run, rare=some, other=some, bad=some, x=flag, y=flag)

    def init(self, s: Any) -> Any:
        nobody = s.last.is_none & s.rare.is_empty & s.other.is_empty & s.bad.is_empty
        return nobody & (s.run == 0) & ~s.x & ~s.y

    @action(n="nodes")
    def pick(self, s: Any, n: Any) -> Step:
        return Step([s.run < self.row], {s.last: n, s.run: if_(s.last == n, s.run + 1, 1)})

    @action(n="nodes")
    def become(self, s: Any, n: Any) -> Step:
        when = [s.run == self.row, s.last == n, ~s.other.contains(n)]
        return Step(when, {s.rare: s.rare.add(n), s.run: 0, s.last: None})

    @action(n="nodes")
    def toggle(self, s: Any, n: Any) -> Step:
        return Step(
            [~s.rare.contains(n)],
            {s.other: if_(s.other.contains(n), s.other.remove(n), s.other.add(n))},
        )

    @action(n="nodes")
    def mark(self, s: Any, n: Any) -> Step:
        return Step([(s.rare.contains(n) & s.other.contains(n)) | ~s.x | ~s.y], {s.bad: s.bad.add(n)})

    @action(n="nodes")
    def unmark(self, s: Any, n: Any) -> Step:
        return Step([], {s.bad: s.bad.remove(n)})

    @action()
    def set_x(self, s: Any) -> Step:
        return Step([s.bad.is_empty | ~s.y], {s.x: ~s.x})

    @action()
    def set_y(self, s: Any) -> Step:
        return Step([s.bad.is_empty | ~s.x], {s.y: ~s.y})

    @invariant()
    def never_all(self, s: Any) -> Any:
        return s.bad.is_empty | ~s.x | ~s.y


def test_ic3_learns_from_facts_with_all_their_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images of clauses are added without a query; that is right only if the seeds have all images, too, as
    those have that were found orbit by orbit."""
    structural = "verifier.clauses.structural_invariants"
    monkeypatch.setattr(f"{structural}._orbits", lambda candidates, _: list(enumerate(candidates)))
    model = build(Rare())
    rare = [place for place, bit in enumerate(model.system.bits, 1) if "rare" in bit.symbol_name()]

    def of_one_node(history: Sequence[int]) -> list[list[int]]:
        return [clause for clause in _candidates(history) if not {abs(v) for v in clause} & set(rare[1:])]

    monkeypatch.setattr(f"{structural}._candidates", of_one_node)
    request = prove.Request(("NeverAll",), EngineChoice.IC3)
    (verdict,) = prove.check(model, request).verdicts
    assert verdict.kind is VerdictKind.PROVED
    monkeypatch.setattr("verifier.engines.ic3.frames._with_images", lambda clauses, permutations: clauses)
    (verdict,) = prove.check(model, request).verdicts
    assert verdict.kind is VerdictKind.ERROR
    assert "claims a proof, but cadical refutes" in str(verdict.reason)


class LowestNode(Protocol, camel_case=True):
    """Who has joined first leads, which the least of them may not be."""

    nodes = IndexSetConstant(3, kind="node")

    def state(self) -> State:
        return State(joined=Set(self.nodes), leader=Option(self.nodes))

    def init(self, s: Any) -> Any:
        return s.joined.is_empty & s.leader.is_none

    @action(n="nodes")
    def elect(self, s: Any, n: Any) -> Step:
        return Step([], {s.joined: s.joined.add(n), s.leader: s.joined.minimum})


def test_interchangeable_elements_have_no_least() -> None:
    with pytest.raises(DefinitionError, match="minimum is for sets of integers, not of node"):
        build(LowestNode())


@pytest.mark.parametrize("protocol", [TwoKinds, BagParameter, KeyNames])
def test_engines_are_not_misled(protocol: type[Protocol]) -> None:
    model = build(protocol())
    naive = Naive(model.definition)
    truth = naive.explore()
    assert truth.complete
    assert truth.steps
    subject = Subject(0, plan_of("0"), model, naive, truth)
    assert not list(disagreements(subject, slow=False))
