"""Proofs for all constants of a protocol with quorums: they meet because of how many nodes they have."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.parametric_readings import attempt_proof
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Function, Range, Set
from verifier.parametric.protocol_readings import read_for_all
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
    lemma,
)


class Votes(Protocol, camel_case=True):
    """Nodes vote once; what a quorum voted for is decided. Two quorums have a node in common."""

    nodes = IndexSetConstant(3, kind="node")
    values = IntegerConstant(2, minimum=1)
    quorum = IntegerConstant(2, minimum=1)

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.quorum * 2 > self.nodes.size, "quorum * 2 > nodes")]

    def state(self) -> State:
        return State(votes=Function(self.choices, Set(self.nodes)), decided=Set(self.choices))

    def init(self, s: Any) -> Any:
        return forall(s.votes[v].is_empty for v in self.choices) & s.decided.is_empty

    @action(node="nodes", value="choices")
    def vote(self, s: Any, node: Any, value: Any) -> Step:
        fresh = ~exists(s.votes[v].contains(node) for v in self.choices)
        return Step(when=[fresh], then={s.votes[value]: s.votes[value].add(node)})

    @property
    def choices(self) -> Range:
        return Range(1, self.values)

    @action(value="choices")
    def decide(self, s: Any, value: Any) -> Step:
        return Step(when=[s.votes[value].cardinality >= self.quorum], then={s.decided: s.decided.add(value)})

    @invariant
    def agreement(self, s: Any) -> Any:
        return forall(a == b for a in s.decided for b in s.decided)

    @lemma
    def one_vote_each(self, s: Any) -> Any:
        return forall(
            (v == w) | ~s.votes[v].contains(n) | ~s.votes[w].contains(n)
            for n in self.nodes
            for v in self.choices
            for w in self.choices
        )

    @lemma
    def decided_by_quorum(self, s: Any) -> Any:
        return forall(s.votes[v].cardinality >= self.quorum for v in s.decided)


class Unequal(Votes):
    """Quorums need not meet."""

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.quorum <= self.nodes.size, "quorum <= nodes")]


class TwoVotes(Votes):
    """A node votes as often as it likes."""

    @action(node="nodes", value="choices")
    def vote(self, s: Any, node: Any, value: Any) -> Step:
        return Step(then={s.votes[value]: s.votes[value].add(node)})


class Hasty(Votes):
    """One vote less than a quorum decides."""

    @action(value="choices")
    def decide(self, s: Any, value: Any) -> Step:
        enough = s.votes[value].cardinality >= self.quorum - 1
        return Step(when=[enough], then={s.decided: s.decided.add(value)})


class Forgetful(Votes):
    """Votes are forgotten."""

    @action(node="nodes", value="choices")
    def forget(self, s: Any, node: Any, value: Any) -> Step:
        return Step(then={s.votes[value]: s.votes[value].remove(node)})


def test_quorums_that_meet_decide_one_value() -> None:
    attempt = attempt_proof(Votes, "Agreement")
    assert attempt.proved, attempt.open
    assert read_for_all(Votes, {}).beyond_declared == ()


@pytest.mark.parametrize("kind", [Unequal, TwoVotes, Hasty, Forgetful])
def test_mutants_are_not_proved(kind: type[Protocol]) -> None:
    assert not attempt_proof(kind, "Agreement").proved
