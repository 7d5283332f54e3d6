"""Protocols made to mislead about joined steps, overlapping keys and free parameters of compound sorts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.models import build
from tests.support.naive import Naive
from tests.support.naive_comparisons import Subject, disagreements
from tests.support.random_plans import plan_of
from verifier import (
    IndexSetConstant,
    Listed,
    Option,
    PartialFunction,
    Protocol,
    Range,
    Record,
    Sequence,
    SortError,
    State,
    Step,
    Tuple,
    Variant,
    action,
    arbitrary,
    forall,
    free,
    free_or_expanded,
    invariant,
    step_invariant,
)


class Overlapping(Protocol, camel_case=True):
    """Whole values and parts of them are assigned at keys that may be equal, in both orders."""

    nodes = IndexSetConstant(2, kind="node")

    @property
    def entry(self) -> Any:
        return Record(x=Range(0, 2), by=Option(self.nodes))

    def state(self) -> State:
        return State(g=PartialFunction(self.nodes, self.entry), last=self.nodes)

    def init(self, s: Any) -> Any:
        return [s.g.is_empty, arbitrary(s.last)]

    def new(self, s: Any, n: Any, m: Any) -> Step:
        return Step(~s.g.contains(n), {s.g[n]: self.entry(x=0, by=m)})

    @action(n="nodes", m="nodes")
    def whole_first(self, s: Any, n: Any, m: Any) -> Step:
        return self.new(s, n, m) & Step(then={s.g[m].x: 1, s.last: n})

    @action(n="nodes", m="nodes")
    def part_first(self, s: Any, n: Any, m: Any) -> Step:
        return Step(s.last == m, {s.g[m].x: 2}) & self.new(s, n, s.last)

    @action(n="nodes")
    def drop(self, s: Any, n: Any) -> Step:
        return Step(s.g.contains(n), {s.g: s.g.without(n)})

    @invariant
    def no_one(self, s: Any) -> Any:
        return forall(s.g[n].x != 1 for n in s.g.domain)

    @invariant
    def no_two(self, s: Any) -> Any:
        return forall(s.g[n].x != 2 for n in s.g.domain)

    @step_invariant
    def entries_stay(self, s: Any, after: Any) -> Any:
        return forall(s.g[n].x == after.g[n].x for n in s.g.domain & after.g.domain)

    @step_invariant
    def last_is_kept(self, s: Any, after: Any) -> Any:
        return after.g.is_empty | (s.g[after.last].x <= 2)


class FreeCompounds(Protocol, camel_case=True):
    """Parameters of compound sorts hold interchangeable elements, and the solver chooses them."""

    nodes = IndexSetConstant(2, kind="node")

    @property
    def votes(self) -> Any:
        return PartialFunction(self.nodes, Range(0, 1))

    @property
    def message(self) -> Any:
        vote, pair = Record(n=self.nodes, e=Range(0, 1)), Tuple(self.nodes, self.nodes)
        return Variant(vote=vote, stop=None, pair=pair)

    @property
    def orders(self) -> Any:
        return Sequence(self.nodes, 2)

    def state(self) -> State:
        taken = PartialFunction(self.nodes, Tuple(Range(0, 1), self.nodes))
        return State(g=self.votes, m=self.message, h=taken)

    def init(self, s: Any) -> Any:
        return [s.g.is_empty, s.m.is_stop, s.h.is_empty]

    @action(p=free("votes"), n=free_or_expanded("nodes"))
    def vote(self, s: Any, p: Any, n: Any) -> Step:
        return Step([p.contains(n), ~s.g.contains(n), p.domain.cardinality == 1], {s.g[n]: p[n]})

    @action(m=free("message"))
    def send(self, s: Any, m: Any) -> Step:
        return Step([s.m.is_stop, m.is_pair & (m.pair[0] != m.pair[1])], {s.m: m})

    @action(m=free_or_expanded("message"), k=free("nodes"))
    def take(self, s: Any, m: Any, k: Any) -> Step:
        when = [m.is_vote & (m.vote.n == k), s.m.is_pair, s.g.contains(k)]
        return Step(when, {s.h[k]: (m.vote.e, s.m.pair[0])})

    @action(q=free("orders"))
    def drop(self, s: Any, q: Any) -> Step:
        return Step([q.length == 2, q[0] != q[1], s.h.domain == self.nodes], {s.h: s.h.without(q.last)})

    @invariant
    def not_all(self, s: Any) -> Any:
        return s.h.domain != self.nodes

    @invariant
    def of_others(self, s: Any) -> Any:
        return forall(s.h[n][1] != n for n in s.h.domain)

    @step_invariant
    def grows(self, s: Any, after: Any) -> Any:
        return s.h.domain <= after.h.domain

    @step_invariant
    def higher(self, s: Any, after: Any) -> Any:
        return forall(s.h[n][0] <= after.h[n][0] for n in s.h.domain)


@pytest.mark.parametrize(
    ("protocol", "steps"),
    [
        (
            Overlapping,
            {"TypeInvariant": 0, "NoOne": 1, "UndefinedRead": 0, "NoTwo": 2, "EntriesStay": 2},
        ),
        (FreeCompounds, {"OfOthers": 3, "Higher": 4, "NotAll": 5, "UndefinedRead": 5, "Grows": 6}),
    ],
)
def test_engines_are_not_misled(protocol: type[Protocol], steps: dict[str, int]) -> None:
    model = build(protocol())
    naive = Naive(model.definition)
    truth = naive.explore()
    assert truth.complete
    assert truth.steps == steps
    assert not list(disagreements(Subject(0, plan_of("0"), model, naive, truth), slow=False))


def test_listed_values_of_other_types_are_not_compared() -> None:
    """Python takes (1,) and (True,) for equal; the sorts that list them are two."""
    ones, truths = Listed((0,), (1,)), Listed((False,), (True,))
    assert ones != truths
    state: Any = State(k=ones, z=truths)
    with pytest.raises(SortError, match="do not go together"):
        state.k == state.z  # noqa: B015
