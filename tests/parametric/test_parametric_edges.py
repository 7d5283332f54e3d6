"""Claims that are false at the edge of constants are not proved for all: empty ranges, crossing bounds, few
elements.

Each protocol violates ``Inv`` at the constants in ``fails``, and most of them at no smaller ones.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from tests.parametric.test_parametric_falsities import is_proved_for_all
from tests.support.sampling import some_of
from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    Range,
    Sequence,
    Set,
    State,
    Step,
    action,
    comprehension,
    deadlock_invariant,
    exists,
    forall,
    invariant,
    lemma,
    load,
    step_invariant,
    type_invariant,
)
from verifier.encodings.expressions import integer


class Edge(Protocol, camel_case=True):
    n = IntegerConstant(2, minimum=0)
    m = IntegerConstant(1, minimum=-1)
    nodes = IndexSetConstant(2)
    numbers = property(lambda self: Range(0, self.n))
    crossing = property(lambda self: Range(self.n, self.m))
    keys = property(lambda self: Range(1, self.n))
    fails: ClassVar[dict[str, int]] = {"n": 3}

    def state(self) -> State:
        return State(
            x=self.numbers,
            f=Function(self.keys, Range(0, 1)),
            q=Sequence(self.numbers, self.n),
            p=Set(self.nodes),
        )

    def init(self, s: Any) -> Any:
        return [s.x == 0, forall(s.f[i] == 0 for i in self.keys), s.q.is_empty, s.p.is_empty]

    @action
    def up(self, s: Any) -> Step:
        return Step(when=s.x < self.n, then={s.x: s.x + 1})

    @action(i="nodes")
    def add(self, s: Any, i: Any) -> Step:
        return Step(then={s.p: s.p.add(i)})


# Lemmas


class OfConstants(Edge):
    @lemma
    def few(self, s: Any) -> Any:
        return integer(self.n) < 3

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x < 3


class UsesItself(Edge):
    @lemma(using=["small"])
    def small(self, s: Any) -> Any:
        return s.x <= 2

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x <= 2


class UseEachOther(Edge):
    @lemma(using=["two"])
    def one(self, s: Any) -> Any:
        return s.x != 3

    @lemma(using={"up": ["one"]})
    def two(self, s: Any) -> Any:
        return s.x <= 2

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x <= 2


# Where something is there at some constants only


class InitialAtSome(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 6}

    def init(self, s: Any) -> Any:
        return [*super().init(s), integer(self.n) > 5]

    @invariant
    def inv(self, s: Any) -> Any:
        return s.x <= 4


class PossibleAtSome(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 1, "m": 2}

    @action(i="nodes")
    def add(self, s: Any, i: Any) -> Step:
        return Step(then={s.p: s.p.remove(i)})

    @action(i="crossing")
    def fill(self, s: Any, i: Any) -> Step:
        return Step(then={s.p: comprehension(j for j in self.nodes if i >= 0)})

    @invariant
    def inv(self, s: Any) -> Any:
        return s.p.is_empty


class StuckAtSome(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 2, "m": 1}

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n, s.x > self.n], then={s.x: s.x + 1})

    @action(i="crossing")
    def add(self, s: Any, i: Any) -> Step:
        return Step(when=i >= 0, then={s.x: s.x})

    @deadlock_invariant
    def inv(self, s: Any) -> Any:
        return s.x > 0


class NoKeys(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 0}

    @invariant
    def inv(self, s: Any) -> Any:
        return exists(s.f[i] == 0 for i in self.keys)


class OneElement(Edge):
    fails: ClassVar[dict[str, int]] = {"nodes": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return exists(~s.p.contains(i) | (i != j) for i in self.nodes for j in self.nodes)


class ThirdElement(Edge):
    fails: ClassVar[dict[str, int]] = {"nodes": 3}

    @step_invariant
    def inv(self, s: Any, after: Any) -> Any:
        return (after.p.cardinality <= s.p.cardinality + 1) & (after.p.cardinality <= 2)


class AtItsBound(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 1}

    @action
    def push(self, s: Any) -> Step:
        return Step(then={s.q: s.q.append(s.x)})

    @type_invariant
    def inv(self, s: Any) -> Any:
        return s.x >= 0


# One name twice, numbers below 0


class OneNameTwice(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return forall(exists(i > s.x for i in self.numbers) | (i < 0) | (s.x < 1) for i in self.numbers)


class QuotientBelowZero(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 5}

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.x - 3) // 2 <= 0


class RemainderBelowZero(Edge):
    fails: ClassVar[dict[str, int]] = {"n": 1}

    @invariant
    def inv(self, s: Any) -> Any:
        return (s.x - 7) % 5 != 4


EDGES = [
    *(OfConstants, UsesItself, UseEachOther, InitialAtSome, PossibleAtSome, StuckAtSome, NoKeys, OneElement),
    *(ThirdElement, AtItsBound, OneNameTwice, QuotientBelowZero, RemainderBelowZero),
]


@pytest.mark.parametrize("kind", some_of(EDGES, every=3), ids=lambda kind: kind.__name__)
def test_what_is_false_at_an_edge_is_not_proved(kind: Any) -> None:
    assert load(kind, **kind.fails).bmc(depth=8)["Inv"].trace is not None
    assert not is_proved_for_all(kind)
