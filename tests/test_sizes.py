"""Numbers of values in the reading for all constants: what is said of them holds of all finite sets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest

from tests.finite_structures import Structure
from tests.test_parametric import attempted
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Function, Range, Set
from verifier.parametric.loading import read_for_all
from verifier.parametric.logic import BOOL, INT, Logic, Node
from verifier.parametric.sizes import Fact, Facts, Size, abstracted
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

SORT = "sort node"
MOST = 3


def sets_of(number: int) -> Iterator[tuple[list[str], list[frozenset[str]]]]:
    """So many sets of up to three elements, in every way."""
    for size in range(1, MOST + 1):
        elements = [f"n{place}" for place in range(size)]
        subsets = [frozenset(some) for k in range(size + 1) for some in combinations(elements, k)]
        for chosen in product(subsets, repeat=number):
            yield elements, list(chosen)


def facts_of(number: int) -> tuple[Any, Facts, list[Node]]:
    logic = Logic()
    sizes: dict[str, Size] = {}
    for place in range(number):
        one = logic.variable(SORT)
        sizes[f"size {place}"] = Size((), (one,), logic.app(f"set {place}", BOOL, (one,)))
    system = SimpleNamespace(logic=logic, definitions=SimpleNamespace(axioms={}, sizes={}))
    return system, Facts(logic, sizes, {}), [logic.app(name, INT) for name in sizes]


def holds(system: Any, fact: Fact, elements: list[str], sets: list[frozenset[str]]) -> bool:
    """Whether the fact holds with some values in the place of what it says there is."""
    known: dict[Any, Any] = {}
    for place, members in enumerate(sets):
        known[f"size {place}", ()] = len(members)
        known |= {(f"set {place}", (one,)): one in members for one in elements}
    for chosen in product(elements, repeat=len(fact.witnesses)):
        there = {(w.data, ()): one for w, one in zip(fact.witnesses, chosen, strict=True)}
        structure = Structure(system, {"node": elements}, known | there, random.Random(0))
        if structure.value(fact.said):
            return True
    return False


@pytest.mark.parametrize("name", ["positive", "not_more", "meet"])
def test_each_fact_holds_of_all_small_sets(name: str) -> None:
    number = {"positive": 1, "not_more": 2, "meet": 3}[name]
    system, facts, numbers = facts_of(number)
    fact = getattr(facts, name)(*numbers)
    assert all(holds(system, fact, elements, sets) for elements, sets in sets_of(number))


@pytest.mark.parametrize("name", ["not_more_than_all", "meet_in_all"])
def test_what_is_said_of_all_holds_of_all_small_sets(name: str) -> None:
    number = {"not_more_than_all": 1, "meet_in_all": 2}[name]
    system, facts, numbers = facts_of(number)
    for elements, sets in sets_of(number):
        fact = getattr(facts, name)(*numbers, system.logic.integer(len(elements)))
        assert holds(system, fact, elements, sets)


def test_what_is_counted_is_not_none() -> None:
    system, facts, (number,) = facts_of(1)
    for elements, sets in sets_of(1):
        for one in elements:
            fact = facts.counted(number, (system.logic.app("item", SORT),))
            known: dict[Any, Any] = {("size 0", ()): len(sets[0]), ("item", ()): one}
            known |= {("set 0", (e,)): e in sets[0] for e in elements}
            assert Structure(system, {"node": elements}, known, random.Random(0)).value(fact.said)


def test_the_check_of_facts_can_fail() -> None:
    """That all of one are among the other does not make them as many."""
    system, facts, (one, other) = facts_of(2)
    right = facts.not_more(one, other)
    wrong = Fact(facts.logic.disj((*right.said.args[:1], facts.logic.equal(one, other))), right.witnesses)
    assert not all(holds(system, wrong, elements, sets) for elements, sets in sets_of(2))


def test_the_same_condition_on_other_elements_is_the_same_set() -> None:
    logic = Logic()
    texts = []
    for word in ("client?", "other"):
        item = logic.variable(SORT)
        said = logic.app("confirmed", BOOL, (logic.app(word, "sort client"), item))
        inside, outside = abstracted(logic, said, (item,))
        texts.append((inside.args[0].kind, [node.data for node in outside.values()]))
    assert texts == [("var", ["client?"]), ("var", ["other"])]


# A protocol with quorums


class Votes(Protocol):
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
        return Step(
            when=[s.votes[value].cardinality >= self.quorum], then={s.decided: s.decided.add(value)}
        )

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
    attempt = attempted(Votes, "Agreement")
    assert attempt.proved, attempt.open
    assert read_for_all(Votes, {}).beyond_declared == ()


@pytest.mark.parametrize("kind", [Unequal, TwoVotes, Hasty, Forgetful])
def test_mutants_are_not_proved(kind: type[Protocol]) -> None:
    assert not attempted(kind, "Agreement").proved
