"""Vacuity: what can be reached at all, and which actions are ever enabled, in every engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import FAST, ROOT, TOYS, verify, wrong
from tests.support.models import build
from tests.support.sampling import some_of
from tests.support.toys import Corridor, LockServer
from verifier.engines import bmc, simulate
from verifier.engines.choices import StepsChoice
from verifier.engines.explore import Request as Exploring
from verifier.engines.explore import explore
from verifier.engines.outcome import Outcome
from verifier.outcomes.expectations import exit_code, parse_expectations
from verifier.specs.definition import PropertyKind
from verifier.specs.protocol import define, invariant, reachable
from verifier.system.model import Model
from verifier.trust import itf
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.verdict import NEVER_REACHED, Verdict, VerdictKind, worst

CORRIDOR = f"{TOYS}:Corridor"
ENGINES = {
    "bmc": ("bmc", CORRIDOR, "--depth", "5", *FAST),
    "explore": ("explore", CORRIDOR),
    "simulate": ("simulate", CORRIDOR, "--walks", "20"),
}
each_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture(scope="module")
def corridor() -> Model:
    return build(Corridor())


def run_bounded(model: Model, *properties: str, depth: int = 5, **how: Any) -> Outcome:
    return bmc.check(model, bmc.Request(properties, depth, solver="cadical", **how))


# Verdicts


@pytest.mark.parametrize("steps", list(StepsChoice))
def test_bounded_search_reaches_what_is_within_its_depth(corridor: Model, steps: StepsChoice) -> None:
    start, four = run_bounded(corridor, "AtStart", "AtFour", steps=steps).verdicts
    for verdict, values in ((start, [0]), (four, [0, 2, 4])):
        assert (verdict.kind, verdict.steps, verdict.fewest) == (VerdictKind.REACHED, len(values) - 1, True)
        assert verdict.trace is not None
        assert [state["x"] for state in verdict.trace.states] == values
        Replayer(corridor).check(verdict.trace)


@pytest.mark.parametrize("steps", list(StepsChoice))
def test_what_is_not_reached_within_the_depth_is_no_pass(corridor: Model, steps: StepsChoice) -> None:
    (verdict,) = run_bounded(corridor, "AtFour", depth=1, steps=steps).verdicts
    assert (verdict.kind, verdict.depth, verdict.trace) == (VerdictKind.INCONCLUSIVE, 1, None)
    assert verdict.reason == "not reached in any execution of at most 1 action"
    (verdict,) = run_bounded(corridor, "AtFive", steps=steps).verdicts
    assert verdict.reason == "not reached in any execution of at most 5 actions"


def test_a_witness_may_be_asked_for_with_the_fewest_actions() -> None:
    class Asking(LockServer):
        @reachable()
        def somebody_holds(self, s: Any) -> Any:
            return s.holder.is_some

    for symmetry in (True, False):
        (verdict,) = run_bounded(build(Asking()), "SomebodyHolds", shortest=True, symmetry=symmetry).verdicts
        assert (verdict.kind, verdict.steps, verdict.fewest) == (VerdictKind.REACHED, 2, True)
        (verdict,) = explore(build(Asking()), Exploring(("SomebodyHolds",), symmetry=symmetry)).verdicts
        assert (verdict.kind, verdict.steps) == (VerdictKind.REACHED, 2)


def test_complete_exploration_settles_what_is_reachable(corridor: Model) -> None:
    four, five = explore(corridor, Exploring(("AtFour", "AtFive"))).verdicts
    assert (four.kind, four.steps, four.fewest) == (VerdictKind.REACHED, 2, True)
    assert (five.kind, five.reason, five.trace) == (VerdictKind.VIOLATED, NEVER_REACHED, None)
    partial = explore(corridor, Exploring(("AtFive",), max_depth=2)).verdicts[0]
    assert (partial.kind, partial.depth) == (VerdictKind.INCONCLUSIVE, 2)
    assert partial.reason == "not reached in any execution of at most 2 actions"
    limited = explore(corridor, Exploring(("AtFive",), max_states=2)).verdicts[0]
    assert (limited.kind, limited.reason) == (VerdictKind.INCONCLUSIVE, "more than 2 states")


def test_exploration_goes_on_until_all_is_reached(corridor: Model) -> None:
    ended = explore(corridor, Exploring(("AtStart",)))
    assert not ended.statistics["complete"]
    assert explore(corridor, Exploring(("AtStart",), keep_going=True)).statistics["complete"]


def test_random_executions_go_on_after_a_witness(corridor: Model) -> None:
    found = simulate.simulate(corridor, simulate.Request(("AtStart", "AtFour", "AtFive"), walks=30, depth=9))
    start, four, five = found.verdicts
    assert (start.kind, start.steps) == (VerdictKind.REACHED, 0)
    assert (four.kind, four.steps) == (VerdictKind.REACHED, 2)
    assert (five.kind, five.depth) == (VerdictKind.INCONCLUSIVE, None)
    assert five.reason == "reached in none of 30 random executions of at most 9 actions"
    assert found.statistics["lengths"] == {"3": 30}
    assert found.statistics["walks_reaching"] == {"AtStart": 30, "AtFour": 30, "AtFive": 0}
    assert found.statistics["walks_violating"] == {}


def test_a_witness_that_shows_nothing_does_not_replay(corridor: Model) -> None:
    count = corridor.instance("Count()")
    start = corridor.layout.encode_state({"x": 0})
    with pytest.raises(ReplayFailure, match="AtFour is not reached in the last state"):
        Replayer(corridor).execute(start, [(count, ())], "AtFour")


def test_reaching_weighs_less_than_holding() -> None:
    verdicts = [Verdict("P", kind, 1, 0.0) for kind in (VerdictKind.REACHED, VerdictKind.HOLDS)]
    assert worst(verdict.kind for verdict in verdicts) is VerdictKind.HOLDS
    assert VerdictKind.REACHED.exit_code == 0


def test_a_reachable_property_is_not_the_invariant_of_the_same_formula() -> None:
    class Claimed(Corridor):
        name = "corridor"

        @invariant(default=False)
        def at_four(self, s: Any) -> Any:
            return s.x == 4

    one, other = define(Corridor()), define(Claimed())
    assert {p.name for p in one.properties if p.kind is PropertyKind.REACHABLE} > {"AtFour"}
    assert one.name == other.name
    assert one.spec_hash != other.spec_hash


# Actions


@each_engine
def test_actions_enabled_and_never_enabled_are_told_apart(corridor: Model, engine: str) -> None:
    outcome: Outcome
    if engine == "bmc":
        outcome = run_bounded(corridor, "NeverOdd")
    elif engine == "explore":
        outcome = explore(corridor, Exploring(("NeverOdd",)))
    else:
        outcome = simulate.simulate(corridor, simulate.Request(("NeverOdd",), walks=5))
    assert (outcome.enabled, outcome.never_enabled) == (("Count",), ("Never",))


@each_engine
@pytest.mark.parametrize("prop", some_of(["NeverOdd", "AtFour", "AtFive", "BelowFour"], every=3))
def test_every_output_names_what_was_never_enabled(engine: str, prop: str) -> None:
    arguments = (*ENGINES[engine], "--property", prop)
    lines = verify(*arguments).stdout.splitlines()
    named = [line for line in lines if "ever enabled" in line or line.startswith("Not enabled")]
    assert len(named) == 1, lines
    assert "Never" in named[0].split(":")[-1]
    result = json.loads(verify(*arguments, "--format", "json").stdout)
    assert result["statistics"]["never_enabled"] == ["Never"]


def test_nothing_counts_as_enabled_where_nothing_was_searched() -> None:
    done = verify(
        "simulate", CORRIDOR, "--property", "none", "--timeout", "0.000001", "--expect", "Count=enabled"
    )
    assert done.exit_code in (12, 14), done.output
    expected = parse_expectations(["Count=enabled"], [], ["Count"])
    assert (exit_code([], expected), exit_code([], expected, ["Count"])) == (14, 0)


# Exit codes


@pytest.mark.parametrize(
    ("engine", "arguments", "code"),
    [
        *((engine, ("--property", "AtFour"), 0) for engine in ENGINES),
        *((engine, ("--property", "AtFour", "--expect", "reached"), 0) for engine in ENGINES),
        *((engine, ("--property", "AtFour", "--expect", "AtFour=inconclusive"), 14) for engine in ENGINES),
        ("bmc", ("--property", "AtFive"), 12),
        ("simulate", ("--property", "AtFive"), 12),
        ("explore", ("--property", "AtFive"), 10),
        ("bmc", ("--property", "AtFive", "--expect", "reached"), 12),
        ("simulate", ("--property", "AtFive", "--expect", "reached"), 12),
        ("explore", ("--property", "AtFive", "--expect", "reached"), 10),
        ("explore", ("--property", "AtFive", "--expect", "AtFive=violated"), 0),
        ("bmc", ("--expect", "AtFour=reached"), 0),  # checked along, beside the default properties
        ("bmc", ("--expect", "AtFive=reached"), 12),
        ("explore", ("--expect", "AtFour=reached", "--expect", "Count=enabled"), 0),
        ("explore", ("--expect", "AtFour=reached", "--expect", "Never=enabled"), 14),
        ("bmc", ("--expect", "Count=enabled"), 0),
        ("bmc", ("--expect", "Never=enabled"), 14),
        ("bmc", ("--property", "BelowFour", "--expect", "violated", "--expect", "Never=enabled"), 14),
        ("bmc", ("--property", "BelowFour", "--expect", "Never=enabled"), 10),
        ("simulate", ("--property", "none", "--expect", "Count=enabled"), 0),
        ("simulate", ("--property", "none", "--expect", "Never=enabled"), 14),
        ("simulate", ("--property", "none", "--expect", "AtFour=reached"), 0),
        ("simulate", ("--property", "none", "--expect", "AtFive=reached"), 12),
    ],
)
def test_exit_codes(engine: str, arguments: tuple[str, ...], code: int) -> None:
    done = verify(*ENGINES[engine], *arguments)
    assert done.exit_code == code, done.output
    if "Never=enabled" in arguments:
        assert "Never was never enabled" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("AtFuor=reached", r"unknown property or action .*'AtFuor' .*did you mean 'AtFour'\?"),
        ("Nevr=enabled", r"unknown property or action .*'Nevr' .*did you mean 'Never'\?"),
        ("Never=holds", "Never is an action, so only Never=enabled can be expected"),
        ("AtFour=enabled", "AtFour is a property, but only ACTION=enabled can be expected"),
        ("enabled", "no action is named"),
        ("AtFour=reachd", "unknown verdict to expect 'reachd' .*did you mean 'reached'"),
    ],
)
@each_engine
def test_wrong_expectations(engine: str, words: str, message: str) -> None:
    assert re.search(message, wrong(*ENGINES[engine], "--expect", words))


def test_two_expectations_of_one_action_are_turned_down() -> None:
    arguments = ("--expect", "Never=enabled", "--expect", "Never=ENABLED")
    assert "another --expect is about the same" in wrong(*ENGINES["bmc"], *arguments)


# How it is shown


@each_engine
def test_a_witness_is_shown_without_a_failing_part(engine: str) -> None:
    done = verify(*ENGINES[engine], "--property", "AtFour")
    assert "AtFour: REACHED in 2 steps" in done.stdout
    assert " 2  Count()\n    x: 2 → 4\n" in done.stdout
    assert "fails" not in done.stdout
    assert "reached" in done.stderr or "witness with 2 actions" in done.stderr


def test_an_execution_that_reaches_and_violates_is_shown_once() -> None:
    done = verify(*ENGINES["explore"], "--property", "AtFour", "--property", "BelowFour")
    assert "The execution that reaches AtFour violates it too." in done.stdout
    assert "BelowFour fails in state 2:" in done.stdout


def test_what_is_reached_in_no_state_is_shown_without_a_trace() -> None:
    done = verify(*ENGINES["explore"], "--property", "AtFive")
    assert "VIOLATED(reached in no state: every reachable state was looked at)" in done.stdout
    assert "initially" not in done.stdout


@each_engine
def test_json_of_a_witness(engine: str) -> None:
    done = verify(*ENGINES[engine], "--property", "AtFour", "--expect", "Never=enabled", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["exit_code"], found["expected_but_never_enabled"]) == (14, ["Never"])
    (result,) = found["results"]
    assert (result["verdict"], result["steps"], result["reason"]) == ("REACHED", 2, None)
    assert result["trace"]["#meta"]["status"] == "witness"
    assert itf.header(result["trace"]).violates == "AtFour"


def test_a_witness_is_written_and_replayed(tmp_path: Path) -> None:
    path = str(tmp_path / "t.itf.json")
    done = verify(*ENGINES["bmc"], "--property", "AtFour", "--trace-out", path)
    assert "the execution that reaches AtFour is in" in done.stderr
    again = verify("replay", path, "--spec", CORRIDOR)
    assert again.exit_code == 0, again.output
    assert "replayed: 2 actions, AtFour is reached in the last state" in again.stdout


def test_show_names_the_kind() -> None:
    assert "AtFour   reachable, not checked by default" in verify("show", CORRIDOR).stdout


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("lease_lock.py", ("--expect", "no_lost_write=violated")),
        ("fenced_lock.py", ("--expect", "later_write=reached", "--expect", "Write=enabled")),
        ("fenced_lock.py", ("--property", "later_write")),
    ],
)
def test_the_controls_of_the_tutorial(file: str, arguments: tuple[str, ...]) -> None:
    done = verify("bmc", str(ROOT / "docs" / "tutorial" / file), *arguments, *FAST)
    assert done.exit_code == 0, done.output
    if "--property" in arguments:
        assert "later_write: REACHED in 4 steps" in done.stdout


def test_the_typo_of_the_tutorial_is_noticed(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "tutorial" / "fenced_lock.py").read_text()
    target = tmp_path / "typo.py"
    target.write_text(text.replace("s.stored.is_none | (token", "s.stored.is_some & (token"))
    assert target.read_text() != text
    done = verify("bmc", str(target), "--depth", "30", "--expect", "later_write=reached", *FAST)
    assert done.exit_code == 12, done.output
    assert "warning: never enabled within depth 30: Write (a guard too strong?)" in done.stdout
    assert "INCONCLUSIVE(not reached in any execution of at most 30 actions)" in done.stdout
