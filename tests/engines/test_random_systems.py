"""Random small protocols: bounded model checking against explicit exploration.

Symmetry breaking, swapping of neighbours that commute and parallel steps all leave out executions;
here is where one left out too many would show.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.support.explicit import explore
from tests.support.models import build
from tests.support.sampling import first_of
from verifier.encodings.quantifiers import exists, forall
from verifier.encodings.sorts import Function, Option, Range, Set
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
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

DEPTH = 6
SEEDS = range(100)


class RandomProtocol(Protocol, camel_case=True):
    """Nodes with a level each, a set, a chosen one and a counter, under random rules."""

    nodes = IndexSetConstant(3, kind="node")
    rules = IntegerConstant(0, "the seed of the rules")

    def state(self) -> State:
        return State(
            level=Function(self.nodes, Range(0, 2)),
            ready=Set(self.nodes),
            chosen=Option(self.nodes),
            count=Range(0, 3),
        )

    def init(self, s: Any) -> Any:
        return (
            forall(self.nodes, lambda n: s.level[n] == 0)
            & s.ready.is_empty
            & s.chosen.is_none
            & (s.count == 0)
        )

    def atom(self, rng: random.Random, s: Any, nodes: list[Any]) -> Any:
        """A random small formula over the state and the nodes at hand."""
        node = rng.choice(nodes)
        formula = rng.choice(
            [
                s.level[node] == rng.randrange(3),
                s.level[node] < s.count,
                s.ready.contains(node),
                s.chosen == node,
                s.chosen.is_none,
                s.count == rng.randrange(4),
                s.ready.cardinality < rng.randrange(1, 4),
                exists(self.nodes, lambda n: (s.level[n] == 2) & (n != node)),
            ]
        )
        return ~formula if rng.random() < 0.4 else formula

    def step(self, rng: random.Random, s: Any, nodes: list[Any]) -> Step:
        """A random action."""
        node = rng.choice(nodes)
        other = rng.choice(nodes)
        changes: list[dict[Any, Any]] = [
            {s.level[node]: rng.choice([1, 2, s.level[other]])},
            {s.ready: s.ready.add(node)},
            {s.ready: s.ready.remove(node)},
            {s.chosen: node},
            {s.chosen: None},
            {s.count: s.level[node]},
        ]
        when = [self.atom(rng, s, nodes) for _ in range(rng.randrange(2))]
        if rng.random() < 0.4:
            when.append(s.count < 3)
            changes.append({s.count: s.count + 1})
        picked = rng.sample(changes, rng.randrange(1, 4))
        then: dict[Any, Any] = {}
        roots: set[int] = set()
        for change in picked:
            for target, value in change.items():
                root = id(target.term.arguments[0]) if target.term.arguments else id(target.term)
                if root not in roots:
                    roots.add(root)
                    then[target] = value
        return Step(when, then)

    def rng(self, salt: str) -> random.Random:
        """Randomness of its own for each rule, the same whenever the rule is read."""
        return random.Random(f"{self.rules}-{salt}")

    @action(one="nodes")
    def first(self, s: Any, one: Any) -> Step:
        return self.step(self.rng("first"), s, [one])

    @action(one="nodes", two="nodes")
    def second(self, s: Any, one: Any, two: Any) -> Step:
        return self.step(self.rng("second"), s, [one, two])

    @action(two="nodes", one="nodes")
    def third(self, s: Any, two: Any, one: Any) -> Step:
        return self.step(self.rng("third"), s, [one, two])

    @action(one="nodes")
    def fourth(self, s: Any, one: Any) -> Step:
        return self.step(self.rng("fourth"), s, [one])

    def claim(self, s: Any, salt: str) -> Any:
        """That two different nodes, and the counter, are never in some random situation."""
        rng = self.rng(salt)

        def situation(a: Any, b: Any) -> Any:
            levels = (s.level[a] == rng.randrange(1, 3)) & (s.level[b] == rng.randrange(3))
            return (
                levels & (s.ready.contains(a) | (s.chosen == b)) & (s.count == rng.randrange(1, 4)) & (a != b)
            )

        return forall(self.nodes, self.nodes, lambda a, b: ~situation(a, b))

    @invariant()
    def claim_one(self, s: Any) -> Any:
        return self.claim(s, "one")

    @invariant()
    def claim_two(self, s: Any) -> Any:
        return self.claim(s, "two")

    @invariant()
    def claim_three(self, s: Any) -> Any:
        return self.claim(s, "three")


NAMES = ("ClaimOne", "ClaimTwo", "ClaimThree")


def _expect(rules: int) -> dict[str, int | None]:
    found = explore(build(RandomProtocol({"rules": rules}))).steps
    return {
        name: steps if (steps := found.get(name)) is not None and steps <= DEPTH else None for name in NAMES
    }


@pytest.mark.parametrize("rules", first_of(SEEDS, 20))
def test_serial_and_parallel_steps_find_what_exploration_finds(rules: int) -> None:
    expected = _expect(rules)
    model = build(RandomProtocol({"rules": rules}))
    for steps in (StepsChoice.SERIAL, StepsChoice.PARALLEL):
        request = Request(NAMES, DEPTH, steps, "cadical", shortest=steps is StepsChoice.SERIAL)
        verdicts = {v.property_name: v for v in check(model, request).verdicts}
        for name in NAMES:
            verdict = verdicts[name]
            assert verdict.kind is (VerdictKind.HOLDS if expected[name] is None else VerdictKind.VIOLATED)
            if steps is StepsChoice.SERIAL:
                assert verdict.steps == expected[name]
            assert verdict.steps is None or (expected[name] or 0) <= verdict.steps <= DEPTH


@pytest.mark.parametrize("stride", [2, 4, 7])
@pytest.mark.parametrize("rules", first_of(SEEDS, 8))
def test_a_search_that_leaps_misses_nothing(rules: int, stride: int) -> None:
    expected = _expect(rules)
    model = build(RandomProtocol({"rules": rules}))
    found = check(model, Request(NAMES, DEPTH, StepsChoice.PARALLEL, "cadical", stride=stride))
    for verdict in found.verdicts:
        if (least := expected[verdict.property_name]) is None:
            assert verdict.kind is VerdictKind.HOLDS
        else:
            assert verdict.kind is VerdictKind.VIOLATED
            assert verdict.steps is not None
            assert least <= verdict.steps <= DEPTH


@pytest.mark.thorough
def test_the_random_protocols_are_worth_checking() -> None:
    lengths = [steps for rules in SEEDS for steps in _expect(rules).values()]
    violated = [steps for steps in lengths if steps]
    assert len(violated) >= 25
    assert max(violated) >= 5
    assert lengths.count(None) >= 30
