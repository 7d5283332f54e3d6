"""Guided walks: violations that plain walks miss, found again with the same seed, and replayed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.support.command_line import verify, wrong
from tests.support.models import build
from tests.support.toys import Chain, Lamps, SelfLoop
from verifier.encodings.sorts import Range
from verifier.engines.guided_walks import walk_guided
from verifier.engines.novelty import Novelty
from verifier.engines.probes import Probes
from verifier.engines.simulate import Request, simulate
from verifier.explicit.packing import pack_columns
from verifier.processes.limits import Limits
from verifier.specs.protocol import Protocol, State, Step, action, invariant, reachable
from verifier.specs.registry import load
from verifier.trust.replay import Replayer
from verifier.trust.shorten import condense, shorten
from verifier.verdict import VerdictKind


class Combination(Protocol, camel_case=True):
    """A lock that opens at forty right turns; every wrong turn begins again."""

    def state(self) -> State:
        return State(turns=Range(0, 40), noise=Range(0, 3))

    def init(self, s: Any) -> Any:
        return (s.turns == 0) & (s.noise == 0)

    @action()
    def turn(self, s: Any) -> Step:
        return Step(when=[s.turns < 40], then={s.turns: s.turns + 1})

    @action()
    def slip(self, s: Any) -> Step:
        return Step(when=[s.turns > 0], then={s.turns: 0})

    @action()
    def shake(self, s: Any) -> Step:
        return Step(when=[s.turns > 0, s.noise < 3], then={s.turns: 0, s.noise: s.noise + 1})

    @action()
    def settle(self, s: Any) -> Step:
        return Step(when=[s.noise > 0], then={s.noise: 0})

    @invariant()
    def closed(self, s: Any) -> Any:
        return s.turns < 40

    @reachable()
    def half_way(self, s: Any) -> Any:
        return s.turns == 20


def test_what_plain_walks_miss_is_found() -> None:
    model = build(Combination())
    asked = Request(("Closed",), walks=4000, depth=200)
    assert simulate(model, asked).verdicts[0].kind is VerdictKind.INCONCLUSIVE
    verdict = walk_guided(model, asked).verdicts[0]
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.trace is not None
    Replayer(model).check(verdict.trace)
    assert (verdict.steps, verdict.fewest) == (40, False)


def test_a_witness_is_reached() -> None:
    outcome = walk_guided(build(Combination()), Request(("HalfWay",), walks=20_000))
    assert outcome.verdicts[0].kind is VerdictKind.REACHED


def test_the_same_seed_finds_the_same() -> None:
    first_try = build(load("kip320-first-try")({"replicas": 3}))
    asked = Request(("StrongIsr",), walks=100_000, depth=200, seed=3, first=True)
    one, other = (walk_guided(first_try, asked) for _ in range(2))
    assert one.verdicts[0].kind is VerdictKind.VIOLATED
    assert one.verdicts[0].trace == other.verdicts[0].trace
    timed = ("steps_per_second",)
    assert {n: v for n, v in one.statistics.items() if n not in timed} == {
        n: v for n, v in other.statistics.items() if n not in timed
    }


def test_no_violation_says_what_was_tried() -> None:
    outcome = walk_guided(build(load("kip320")({"replicas": 2})), Request(("StrongIsr",), walks=1500))
    verdict = outcome.verdicts[0]
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert f"{outcome.statistics['steps']:,} actions" in str(verdict.reason)
    assert 1500 == outcome.statistics["walks"] > outcome.statistics["restarts"] > 0
    assert outcome.statistics["probes"] > 0


def test_limits_end_guided_walks() -> None:
    endless = Request(("StartsLow",), walks=10**9, limits=Limits(0.5))
    verdict = walk_guided(build(SelfLoop()), endless).verdicts[0]
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "timeout of 0.5 s" in str(verdict.reason)


def test_probes_see_what_is_a_few_parallel_steps_ahead() -> None:
    system = build(Lamps()).system
    probes = Probes(system, ["SomeDarkBelow", "SomeDarkAbove"], "cadical", 0)
    dark = [False] * len(system.bits)
    found = probes.search(dark)
    assert found is not None
    assert found[0] == ["SomeDarkBelow"]
    assert len(found[1]) == 4
    probes.settle("SomeDarkBelow")
    assert probes.search(dark) is None
    probes.look_further()
    found = probes.search(dark)
    assert found is not None
    assert found[0] == ["SomeDarkAbove"]
    assert len(found[1]) == 8
    lit = [True] * len(system.bits)
    assert probes.search(lit) is not None, "no action is needed"
    probes.close()


def test_new_values_are_novel() -> None:
    model = build(Combination())
    novelty = Novelty(model.layout.leaves, np.random.default_rng(0))
    bits = len(model.system.bits)
    old, new = np.zeros((1, bits), np.bool_), np.ones((1, bits), np.bool_)
    for _ in range(100):
        novelty.note(pack_columns(old))
    assert novelty.score(pack_columns(new))[0] > 10 * novelty.score(pack_columns(old))[0]


def test_long_executions_are_condensed() -> None:
    model = build(Combination())
    by_action = {instance.action: (instance, ()) for instance in model.system.instances}
    vain = ["Turn", "Turn", "Shake", "Turn", "Slip", "Settle"]
    firings = [by_action[name] for name in [*vain * 20, *["Turn"] * 39, "Turn"]]
    replayer, start = Replayer(model), model.layout.encode_state({"turns": 0, "noise": 0})
    condensed = condense(replayer, start, firings, "Closed")
    assert condensed == shorten(replayer, start, condensed, "Closed") == [by_action["Turn"]] * 40


def test_guided_walks_are_no_sample() -> None:
    assert "--guided walks are not a sample" in wrong(
        "simulate", "kip101", "--guided", "--count-action", "LeaderWrite"
    )


def test_the_command_says_that_walks_were_guided() -> None:
    done = verify("simulate", "kip320-first-try", "--property", "StrongIsr", "--guided", "--first")
    assert done.exit_code == 10
    assert "guided random executions of at most 100 actions, seed 0, cadical" in done.stdout
    assert "maybe not the fewest" in done.stdout
    assert "walks restarted from a promising state" in done.stdout


def test_chains_without_a_choice_end() -> None:
    outcome = walk_guided(build(Chain()), Request(("StartsLow",), walks=10))
    assert outcome.statistics["walks"] <= 10


class Twice(Protocol, camel_case=True):
    """A counter that goes past its limit and stays there."""

    def state(self) -> State:
        return State(x=Range(0, 9))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < 9], then={s.x: s.x + 1})

    @action()
    def down(self, s: Any) -> Step:
        return Step(when=[s.x > 0], then={s.x: s.x - 1})

    @invariant()
    def small(self, s: Any) -> Any:
        return s.x < 2


def test_each_walk_counts_once_however_often_it_violates() -> None:
    found = walk_guided(build(Twice()), Request(properties=("Small",), walks=3000, seed=1)).statistics
    assert 0 < found["walks_violating"]["Small"] <= found["walks"] <= 3000


def test_actions_of_one_name_are_counted_together() -> None:
    model = build(Twice())
    up, down = model.definition.actions
    same = replace(model.definition, actions=(up, replace(down, name=up.name)))
    instances = tuple(replace(one, action=up.name) for one in model.system.instances)
    model = replace(model, definition=same, system=replace(model.system, instances=instances))
    found = walk_guided(model, Request(properties=("Small",), walks=2000, seed=1)).statistics
    assert list(found["actions"]) == ["Up"]
    assert found["actions"]["Up"]["taken"] == found["steps"] > 0


def test_a_walk_that_a_violation_ends_counts() -> None:
    found = walk_guided(build(Twice()), Request(properties=("Small",), seed=1, first=True))
    assert found.verdicts[0].kind is VerdictKind.VIOLATED
    assert found.statistics["walks"] > 0
    assert found.statistics["walks_violating"]["Small"] > 0
