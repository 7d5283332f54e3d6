"""Temporal properties under fairness: the classical traps, lassos and their replay, what TLC found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.support.command_line import CHAIN, verify, wrong
from tests.support.live_systems import Formula, Plan, live_of
from tests.support.models import build
from tests.support.tlc import LIVENESS, MEASURED, constants_of
from verifier.cli.main import cli
from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Function, Option, Range, Set
from verifier.engines.live import LiveEngine, Request, check, decide_property
from verifier.processes.limits import Limits
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    always_eventually,
    define,
    eventually,
    for_each,
    free,
    leads_to,
    temporal,
    weak,
)
from verifier.specs.registry import load
from verifier.specs.temporal import Fairness, Strength
from verifier.sweep.expansion import expand
from verifier.sweep.grid import Grid
from verifier.system.fairness import conditions_named
from verifier.system.liveness import LiveModel, live_model
from verifier.trust.lasso import check_lasso
from verifier.trust.replay import ReplayFailure
from verifier.verdict import Verdict, VerdictKind

ENGINES = [LiveEngine.EXPLICIT, LiveEngine.BMC]
NEXT = Fairness(Strength.WEAK)
RABBIT = ("--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
Steps = Mapping[tuple[str, int], Mapping[int, int]]


def system(steps: Steps, formula: Formula, *fairness: Fairness, states: int = 4) -> LiveModel:
    """A system that starts in 0. Fairness that is not given is that of a step that is never possible."""
    labels = {(name, value) for name, _ in steps for value in (0, 1)} | {("Never", 0), ("Never", 1)}
    whole = {label: steps.get(label, {}) for label in sorted(labels)}
    never = Fairness(Strength.STRONG, ("Never",))
    return live_of(Plan(states, frozenset({0}), whole, formula, fairness or (never,)))


def ask_verdict(live: LiveModel, engine: LiveEngine = LiveEngine.EXPLICIT) -> Verdict:
    request = Request((), "spec", (), engine, depth=8, limits=Limits(60.0).begin())
    (verdict,) = decide_property(live, request).verdicts
    return verdict


def agree(live: LiveModel, *, violated: bool) -> Verdict:
    """The verdict by exploration, with which bounded search has to agree."""
    explicit, bounded = (ask_verdict(live, engine) for engine in ENGINES)
    assert explicit.kind is (VerdictKind.VIOLATED if violated else VerdictKind.PROVED)
    assert bounded.kind is (VerdictKind.VIOLATED if violated else VerdictKind.HOLDS)
    return explicit


def holds_of(states: set[int], operator: str = "eventually") -> Formula:
    return (operator, frozenset(states))


# The classical traps

ALTERNATING = {("Turn", 0): {0: 1}, ("Turn", 1): {1: 0}, ("Leave", 0): {0: 2}}


@pytest.mark.parametrize("strength", Strength)
def test_weak_fairness_does_not_help_where_enabledness_alternates(strength: Strength) -> None:
    leaving = Fairness(strength, ("Leave",))
    verdict = agree(system(ALTERNATING, holds_of({2}), NEXT, leaving), violated=strength is Strength.WEAK)
    if verdict.trace is not None:
        assert verdict.trace.loop is not None
        assert dict(verdict.trace.loop.conditions)["weak fairness of Leave"] == "not enabled in state 1"


def test_an_execution_may_stop_anywhere_without_fairness() -> None:
    steps = {("Go", 0): {0: 1}}
    verdict = agree(system(steps, holds_of({1})), violated=True)
    assert verdict.trace is not None
    assert (verdict.steps, len(verdict.trace.states), verdict.trace.loop and verdict.trace.loop.start) == (
        0,
        1,
        0,
    )
    agree(system(steps, holds_of({1}), NEXT), violated=False)


def test_an_execution_stays_in_a_deadlock_for_ever() -> None:
    verdict = agree(system({("Go", 0): {0: 1}}, holds_of({2}), NEXT), violated=True)
    assert verdict.trace is not None
    assert verdict.trace.loop is not None
    assert (verdict.trace.loop.start, verdict.trace.loop.closing) == (1, None)
    assert verdict.trace.loop.conditions == (
        ("weak fairness of the next step", "enabled in no state of the loop"),
    )


@pytest.mark.parametrize("strength", Strength)
def test_a_step_that_changes_nothing_is_not_demanded(strength: Strength) -> None:
    steps = {("Rest", 0): {0: 0}, ("Go", 0): {0: 1}}
    agree(system(steps, holds_of({1}), Fairness(strength, ("Rest",))), violated=True)


def test_a_step_that_is_never_possible_excludes_no_execution() -> None:
    """Fairness of steps can always be met: it demands nothing of a step that is never possible."""
    never = [Fairness(strength, ("Never",)) for strength in Strength]
    agree(system({("Go", 0): {0: 1}}, holds_of({1}), *never), violated=True)


def test_what_happens_in_the_stem_only_violates_too() -> None:
    steps = {("Go", 0): {0: 1}, ("Go", 1): {1: 2}, ("Turn", 0): {2: 3}, ("Turn", 1): {3: 2}}
    for formula in (
        ("not", holds_of({1})),
        ("leads to", frozenset({1}), frozenset({0})),
        ("not", ("leads to", frozenset({1}), frozenset({3}))),
    ):
        verdict = agree(system(steps, formula, NEXT), violated=True)
        assert verdict.trace is not None
        assert verdict.trace.loop is not None
    agree(system(steps, ("leads to", frozenset({1}), frozenset({3})), NEXT), violated=False)
    late = frozenset({1})
    agree(system(steps, ("leads to", late, late), NEXT), violated=False)  # at once is not too late


def test_a_conjunction_fails_with_one_of_its_parts() -> None:
    steps = {("Turn", 0): {0: 1}, ("Turn", 1): {1: 0}}
    again, stays = holds_of({1}, "always eventually"), holds_of({1}, "eventually always")
    for formula, violated in (
        (again, False),
        (stays, True),
        (("and", again, stays), True),
        (("and", stays, again), True),
        (("or", again, stays), False),
        (("not", ("and", again, stays)), False),
    ):
        agree(system(steps, formula, NEXT), violated=violated)


def test_fairness_of_each_value_is_more_than_of_the_action() -> None:
    steps = {("Turn", 0): {0: 1, 1: 0}, ("Turn", 1): {0: 2, 1: 2}}
    agree(system(steps, holds_of({2}), Fairness(Strength.WEAK, ("Turn",))), violated=True)
    agree(system(steps, holds_of({2}), Fairness(Strength.WEAK, ("Turn",), ("value",))), violated=False)
    one = Fairness(Strength.WEAK, ("Turn",), (), (("value", 1),))
    agree(system(steps, holds_of({2}), one), violated=False)


def test_strong_fairness_of_two_steps_that_exclude_each_other() -> None:
    """Removing the states of one unfair step may make another one unfair: the search goes on below."""
    steps = {("Turn", 0): {0: 1, 1: 2, 2: 0}, ("A", 0): {1: 3}, ("B", 0): {3: 3, 2: 3}}
    fair = [Fairness(Strength.STRONG, (name,)) for name in ("A", "B")]
    agree(system(steps, holds_of({3}), NEXT, *fair), violated=False)
    agree(system(steps, holds_of({3}), NEXT, fair[0]), violated=False)
    agree(system(steps, holds_of({3}), NEXT), violated=True)


def test_a_loop_may_avoid_the_states_in_which_a_strongly_fair_step_is_possible() -> None:
    steps = {("Turn", 0): {0: 1, 1: 0}, ("Turn", 1): {1: 2, 2: 1}, ("Leave", 0): {2: 3}}
    leaving = Fairness(Strength.STRONG, ("Leave",))
    agree(system(steps, holds_of({3}), NEXT, leaving), violated=True)
    each = Fairness(Strength.STRONG, ("Turn",), ("value",))
    agree(system(steps, holds_of({3}), leaving, each), violated=False)


# Replay


def test_a_lasso_that_was_tampered_with_does_not_replay() -> None:
    live = system(ALTERNATING, holds_of({2}), NEXT)
    trace = ask_verdict(live).trace
    assert trace is not None
    loop = trace.loop
    assert loop is not None
    assert check_lasso(live, trace) == trace
    for other, words in (
        (replace(trace, loop=None), "no loop"),
        (replace(trace, loop=replace(loop, start=9)), "no loop"),
        (replace(trace, loop=replace(loop, start=1)), "another state"),
        (replace(trace, loop=replace(loop, closing=None)), "stays in its last state"),
        (replace(trace, loop=replace(loop, start=1, closing=None)), "not fair"),
    ):
        with pytest.raises(ReplayFailure, match=words):
            check_lasso(live, other)
    strict = system(ALTERNATING, holds_of({2}), NEXT, Fairness(Strength.STRONG, ("Leave",)))
    with pytest.raises(ReplayFailure, match="strong fairness of Leave"):
        check_lasso(strict, trace)
    other_claim = system(ALTERNATING, holds_of({1}), NEXT)
    with pytest.raises(ReplayFailure, match="holds of this execution"):
        check_lasso(other_claim, trace)


# Protocols with more in them


class Turns(Protocol, camel_case=True):
    """Clients ask, and one of them is served at a time; which ones are told is chosen freely."""

    clients = IndexSetConstant(2, kind="client")

    @property
    def groups(self) -> Set:
        return Set(self.clients)

    def state(self) -> State:
        return State(asked=Set(self.clients), served=Option(self.clients), told=Set(self.clients))

    def init(self, s: Any) -> Any:
        return s.asked.is_empty & s.served.is_none & s.told.is_empty

    @action(client="clients")
    def ask(self, s: Any, client: Any) -> Step:
        return Step(when=[~s.asked.contains(client)], then={s.asked: s.asked.add(client)})

    @action(client="clients")
    def serve(self, s: Any, client: Any) -> Step:
        return Step(when=[s.served.is_none, s.asked.contains(client)], then={s.served: client})

    @action()
    def leave(self, s: Any) -> Step:
        return Step(when=[s.served.is_some], then={s.asked: s.asked.remove(s.served.value), s.served: None})

    @action(group=free("groups"))
    def tell(self, s: Any, group: Any) -> Step:
        return Step(then={s.told: group})

    @temporal
    def all_served(self, s: Any) -> Any:
        return for_each(self.clients, lambda c: leads_to(s.asked.contains(c), s.served == c))

    @temporal(default=False)
    def again(self, s: Any) -> Any:
        return always_eventually(s.served.is_none) & eventually(exists(self.clients, lambda c: s.served == c))

    @temporal(default=False)
    def told_often(self, s: Any) -> Any:
        return always_eventually(s.told.is_empty) | ~always_eventually(s.told.is_empty)

    def fairness(self) -> list[Fairness]:
        return [weak("ask"), weak("serve"), weak("leave"), weak("tell")]

    def fairness_variants(self) -> dict[str, list[Fairness]]:
        each = Fairness(Strength.STRONG, ("serve",), ("client",))
        return {"each-served": [each, weak("leave")]}


def turns(fairness: str, *names: str, engine: LiveEngine = LiveEngine.EXPLICIT) -> dict[str, VerdictKind]:
    definition = define(Turns())
    request = Request(names, fairness, conditions_named(definition, fairness), engine, 9, limits=Limits(60.0))
    outcome = check(build(Turns()), request)
    return {verdict.property_name: verdict.kind for verdict in outcome.verdicts}


def test_each_client_is_served_only_under_strong_fairness_of_each() -> None:
    assert turns("spec", "AllServed") == {"AllServed": VerdictKind.VIOLATED}
    assert turns("spec", "AllServed", engine=LiveEngine.BMC) == {"AllServed": VerdictKind.VIOLATED}
    assert turns("each-served", "AllServed") == {"AllServed": VerdictKind.PROVED}
    assert turns("spec", "Again", "ToldOften") == dict.fromkeys(("Again", "ToldOften"), VerdictKind.PROVED)
    assert turns("none", "Again") == {"Again": VerdictKind.VIOLATED}


class Undefined(Protocol, camel_case=True):
    """A temporal property that reads what has no value."""

    def state(self) -> State:
        return State(x=Range(0, 2), held=Function(Range(0, 1), Option(Range(0, 1))))

    def init(self, s: Any) -> Any:
        return (s.x == 0) & s.held[0].is_none & s.held[1].is_none

    @action()
    def go(self, s: Any) -> Step:
        return Step(when=[s.x < 2], then={s.x: s.x + 1})

    @temporal
    def read(self, s: Any) -> Any:
        return eventually(s.held[0].value == 1)

    def constraint(self, s: Any) -> Any:
        return s.x < 2

    @temporal
    def goes(self, s: Any) -> Any:
        return always_eventually(s.x == s.x)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_read_without_value_is_reported_instead(engine: LiveEngine) -> None:
    outcome = check(build(Undefined()), Request(("Read",), "none", (), engine, 4))
    kinds = {verdict.property_name: verdict.kind for verdict in outcome.verdicts}
    assert kinds == {"UndefinedRead": VerdictKind.VIOLATED, "Read": VerdictKind.INCONCLUSIVE}


def test_nothing_is_proved_beyond_a_constraint() -> None:
    (verdict,) = check(build(Undefined()), Request(("Goes",), "none", (), LiveEngine.EXPLICIT)).verdicts
    assert verdict.kind is VerdictKind.HOLDS
    assert verdict.reason is not None
    assert "within the constraint" in verdict.reason


# What TLC found


def _rows() -> list[Any]:
    found = json.loads(MEASURED.read_text(encoding="utf-8"))["rows"]
    rows = [row for row in found if LIVENESS & set(row["properties"]) and row["verdict"] != "not finished"]
    quick = [row for row in rows if row["distinct_states"] < 1000]
    assert len(quick) == 3
    slow = [pytest.param(row, marks=pytest.mark.slow) for row in rows if row not in quick]
    return [*quick, *slow]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row['spec']}-{row['distinct_states']}")
def test_exploration_agrees_with_tlc(row: Mapping[str, Any]) -> None:
    model = build(load(row["spec"])(constants_of(row)))
    fairness = "each-subscribe" if "LSpec2" in row["note"] else "spec"
    (name,) = row["properties"]
    (prop,) = (one for one in model.definition.temporal if one.name == name)
    live = live_model(model, prop, fairness, conditions_named(model.definition, fairness))
    outcome = decide_property(live, Request((), fairness, (), LiveEngine.EXPLICIT, limits=Limits().begin()))
    assert outcome.verdicts[-1].kind is VerdictKind.PROVED
    if name == "Liveness":  # there are no monitors, so the states are the protocol's
        assert outcome.statistics["distinct_states"] == row["distinct_states"]


# The command


def test_the_lasso_of_rabbitmq_is_shown_written_and_replayed(tmp_path: Path) -> None:
    file = tmp_path / "lasso.itf.json"
    done = verify("live", *RABBIT, "--format", "json", "--trace-out", str(file))
    assert done.exit_code == 10, done.stderr
    content = json.loads(done.stdout)
    (result,) = content["results"]
    assert (content["engine"], content["options"]["fairness"]) == ("live", "spec")
    assert result["verdict"] == "VIOLATED"
    assert 0 <= result["trace"]["loop"] < len(result["trace"]["states"])
    assert result["steps"] == len(result["trace"]["states"])
    run = tmp_path / "run.json"
    run.write_text(done.stdout)
    reported = verify("report", str(run), "--format", "markdown")
    assert f"goes back to state {result['trace']['loop']}" in reported.stdout
    replayed = verify("replay", str(file), "--show")
    assert replayed.exit_code == 0, replayed.stderr
    assert "back to state" in replayed.stdout
    trace = json.loads(file.read_text())
    file.write_text(json.dumps({**trace, "loop": trace["loop"] - 1}))
    assert "does not replay" in wrong("replay", str(file))
    del trace["loop"]
    file.write_text(json.dumps(trace))
    assert "the trace has no loop" in wrong("replay", str(file))


def test_named_fairness_and_expectations() -> None:
    done = verify("live", *RABBIT, "--fairness", "each-subscribe", "--expect", "Liveness=proved")
    assert done.exit_code == 0, done.output
    assert "no fair loop among 181 states" in done.stdout
    assert "allowed: spec, none, each-subscribe" in wrong("live", *RABBIT, "--fairness", "each")
    assert "did you mean 'Liveness'?" in wrong("live", *RABBIT, "--property", "Livenes")
    assert "has no temporal property" in wrong("live", "--spec", CHAIN)


def test_the_shell_offers_temporal_properties() -> None:
    words = {"COMP_WORDS": "verify live --spec rabbit-sac --property ", "COMP_CWORD": "5"}
    done = CliRunner().invoke(cli, env={"_VERIFY_COMPLETE": "bash_complete", **words}, prog_name="verify")
    assert set(done.stdout.split()) == {"plain,all", "plain,Liveness"}


def test_grids_ask_each_engine_what_it_can_be_asked() -> None:
    grid = Grid(specs=("rabbit-sac",), engines=("live", "bmc"))
    found = {(job.engine, job.property_name) for job in expand([grid]).jobs}
    assert {name for engine, name in found if engine == "live"} == {"Liveness"}
    assert ("bmc", "Liveness") not in found
    assert ("bmc", "TypeOK") in found


def test_a_manifest_expects_temporal_properties(tmp_path: Path) -> None:
    about = json.loads(verify("show", *RABBIT, "--format", "json").stdout)
    manifest = tmp_path / "verify.toml"
    for fairness, code in (("each-subscribe", 0), ("spec", 10)):
        manifest.write_text(
            f'[[cell]]\nid = "live"\nspec = "rabbit-sac"\nengine = "live"\n'
            f'spec_hash = "{about["spec_hash"]}"\n'
            f'constants = {{ queues = 2, apps = 2 }}\noptions = {{ fairness = "{fairness}" }}\n'
            '[cell.expect]\nLiveness = "proved"\n'
            f'[[cell]]\nid = "rest"\nspec = "rabbit-sac"\nengine = "explore"\n'
            f'spec_hash = "{about["spec_hash"]}"\nconstants = {{ queues = 2, apps = 2 }}\n'
            '[cell.expect]\nTypeOK = "holds"\nDeadlockBalanced = "holds"\nDeadlockPerfect = "holds"\n'
        )
        done = verify("ci", str(manifest))
        assert done.exit_code == code, done.output


def test_the_terminal_says_what_never_comes() -> None:
    shown = " ".join(verify("live", *RABBIT).stdout.split())
    assert (
        "fails in this execution: false in every state of the loop for a = a1, q = q1: (active[q1] = a1)"
        in shown
    )
