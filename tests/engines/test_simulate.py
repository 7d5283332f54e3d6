"""Simulation: only real executions, even choices, counts, histograms, and violations that replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command_line import CHAIN, LOCK, verify, wrong
from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery, SelfLoop
from verifier.encodings.sorts import Range
from verifier.engines.explore import Request as Exploring
from verifier.engines.explore import explore
from verifier.engines.simulate import Progress, Request, simulate
from verifier.errors import UsageError
from verifier.processes.limits import Limits
from verifier.specs.presentation import vocabulary
from verifier.specs.protocol import IntegerConstant, Protocol, State, Step, action, invariant
from verifier.specs.registry import load
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.measure import measure
from verifier.system.model import Model
from verifier.trust.replay import Replayer
from verifier.verdict import VerdictKind


class Branching(Protocol, camel_case=True):
    """One of three ways first; one of them goes on."""

    ways = IntegerConstant(3)

    def state(self) -> State:
        return State(place=Range(0, 4))

    def init(self, s: Any) -> Any:
        return s.place == 0

    @action()
    def left(self, s: Any) -> Step:
        return Step(when=[s.place == 0], then={s.place: 1})

    @action()
    def middle(self, s: Any) -> Step:
        return Step(when=[s.place == 0], then={s.place: 2})

    @action()
    def right(self, s: Any) -> Step:
        return Step(when=[s.place == 0], then={s.place: 3})

    @action()
    def on(self, s: Any) -> Step:
        return Step(when=[s.place == 3], then={s.place: 4})

    @invariant()
    def never_at_the_end(self, s: Any) -> Any:
        return s.place != 4


def _measures(model: Model, protocol: Protocol, *texts: str) -> dict[str, Any]:
    return {text: measure(model, text, vocabulary(protocol)) for text in texts}


def test_choices_are_even() -> None:
    model = build(Branching())
    measures = _measures(model, Branching(), "place")
    found = simulate(model, Request((), walks=30_000, measures=measures, counted_actions=("On",)))
    places = found.statistics["histograms"]["place"]
    assert places.keys() == {"1", "2", "4"}
    assert all(9_500 < count < 10_500 for count in places.values())
    assert found.statistics["action_counts"]["On"] == {"0": places["1"] + places["2"], "1": places["4"]}
    assert found.statistics["lengths"] == {"1": places["1"] + places["2"], "2": places["4"]}
    assert found.statistics["walks_at_deadlock"] == 30_000
    assert found.statistics["actions"]["On"] == {"enabled": places["4"], "taken": places["4"]}


def test_the_same_seed_gives_the_same_walks() -> None:
    model = build(LockServer())
    measures = _measures(model, LockServer(), "holder")
    requests = (Request((), walks=500, seed=seed, measures=measures) for seed in (1, 1, 2))
    first, again, other = (simulate(model, request).statistics["histograms"] for request in requests)
    assert first == again != other


def test_a_violation_is_replayed_and_without_detours() -> None:
    model = with_deadlock(build(LockServer()))
    found = simulate(model, Request(("NotAllAsk", "HolderWaitsNoMore", NO_DEADLOCK), walks=1000))
    all_ask, holder, deadlock = found.verdicts
    assert (all_ask.kind, all_ask.steps) == (VerdictKind.VIOLATED, 3)
    assert (deadlock.kind, deadlock.fewest) == (VerdictKind.VIOLATED, False)
    assert all_ask.trace is not None
    Replayer(model).check(all_ask.trace)
    assert holder.kind is VerdictKind.INCONCLUSIVE
    assert "no violation in 1,000 random executions, each up to its first violation" in str(holder.reason)
    counts = found.statistics["walks_violating"]
    assert counts["NotAllAsk"] + counts[NO_DEADLOCK] == 1000  # they end there or stuck


def test_walks_end_at_the_depth() -> None:
    found = simulate(build(SelfLoop()), Request((), walks=10, depth=7))
    assert found.statistics["lengths"] == {"7": 10}
    assert (found.statistics["walks_cut_at_depth"], found.statistics["walks_at_deadlock"]) == (10, 0)
    chain = simulate(build(Chain()), Request((), walks=10, depth=2)).statistics
    assert (chain["walks_cut_at_depth"], chain["walks_at_deadlock"]) == (0, 10)


@pytest.mark.parametrize("protocol", [LockServer, Lottery])
def test_walks_see_only_what_is_reachable(protocol: type[Protocol]) -> None:
    model = build(protocol())
    found = simulate(model, Request((), walks=2000)).statistics
    explored = explore(model, Exploring(("TypeInvariant",), keep_going=True)).statistics
    assert max(map(int, found["lengths"])) <= explored["distinct_states"]
    for name, counts in explored["actions"].items():
        assert bool(counts["taken"]) == bool(found["actions"][name]["taken"])


def test_balance_takes_no_release_where_every_app_has_its_share_at_once() -> None:
    protocol = load("rabbit-sac")({"queues": 2, "apps": 2})
    model = with_deadlock(build(protocol))
    texts = ("active_count(s, 'a1')", "count(queues, lambda q: active[q].is_some) == 2")
    measures = _measures(model, protocol, *texts)
    request = Request(("DeadlockBalanced",), walks=2000, counted_actions=("Release",), measures=measures)
    found = simulate(model, request).statistics
    assert found["walks_at_deadlock"] == 2000
    assert found["histograms"] == {
        "active_count(s, 'a1')": {"1": 2000},
        "count(queues, lambda q: active[q].is_some) == 2": {"true": 2000},
    }
    assert found["action_counts"]["Release"].keys() >= {"0", "1"}


def test_limits_and_interrupts_keep_what_was_counted() -> None:
    model = build(LockServer())
    timed = simulate(model, Request(("HolderWaitsNoMore",), limits=Limits(seconds=1e-9)))
    assert "timeout" in str(timed.verdicts[0].reason)

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    stopped = simulate(model, Request(("HolderWaitsNoMore",), walks=100_000), interrupt)
    assert "interrupted; no violation in 4,096" in str(stopped.verdicts[0].reason)
    assert stopped.statistics["walks"] == 4096


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os')", "names __import__, which is not known"),
        ("().__class__", "may not name __class__"),
        ("[1]", "may not have List"),
        ("asked.__init__", "may not name __init__"),
        ("holder ==", "is not Python"),
        ("1", "does not read the state"),
        ("asked", "not one value"),
        ("nothing", "names nothing"),
        ("asked.contains('c9')", "not allowed"),
        ("holder + 1", "not allowed"),
    ],
)
def test_other_expressions_are_turned_down(text: str, words: str) -> None:
    with pytest.raises(UsageError, match="expression") as error:
        measure(build(LockServer()), text, vocabulary(LockServer()))
    assert words in str(error.value)


def test_the_command_prints_histograms_and_json() -> None:
    arguments = ("simulate", LOCK, "--property", "none", "--walks", "300", "--count-action", "Grant")
    done = verify(*arguments, "--histogram", "asked.cardinality")
    assert done.exit_code == 0, done.output
    assert "Grant taken in an execution" in done.stdout
    assert "asked.cardinality in the last state" in done.stdout
    result = json.loads(verify(*arguments, "--format", "json").stdout)
    assert (result["engine"], result["results"]) == ("simulate", [])
    assert sum(result["statistics"]["lengths"].values()) == 300


def test_exit_codes_of_the_command() -> None:
    assert verify("simulate", CHAIN, "--property", "StartsLow").exit_code == 12
    assert verify("simulate", CHAIN, "--property", "StartsLow", "--expect", "inconclusive").exit_code == 0
    assert verify("simulate", CHAIN, "--property", "NeverTop").exit_code == 10
    assert verify("simulate", CHAIN, "--property", "none", "--deadlock").exit_code == 13
    assert verify("simulate", CHAIN, "--property", "none", "--property", "all").exit_code == 2
    assert verify("simulate", CHAIN, "--count-action", "Cuont").exit_code == 2


def test_an_unknown_variable_of_a_histogram_has_a_near_one() -> None:
    words = wrong("simulate", "--spec", LOCK, "--histogram", "s.askd.cardinality")
    assert "unknown state variable 'askd'" in words
    assert words.endswith("did you mean 'asked'?")
    words = wrong("simulate", "--spec", LOCK, "--histogram", "askd.cardinality")
    assert "names askd, which is not known; did you mean 'asked'?" in words
