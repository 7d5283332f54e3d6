"""Exploration beside the provers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import verifier
from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.command_line import verify
from tests.support.explicit import explore as enumerated
from tests.support.models import build
from tests.support.toys import Chain, Corridor, LockServer
from verifier.engines import proof_by_exploring, property_proof
from verifier.engines.bounded_search import ViolationFound
from verifier.engines.choices import EngineChoice
from verifier.engines.explore import Exploration
from verifier.engines.explore import explore as right
from verifier.engines.proof_by_exploring import exploring_work
from verifier.engines.prove import Request, check
from verifier.engines.state_space import ExplorationsDiffer, Explored
from verifier.processes.children import Children, Message, seconds_of_others
from verifier.processes.limits import Limits
from verifier.system.model import Model
from verifier.verdict import NEVER_REACHED, VerdictKind

TOYS = Path(__file__).parents[1] / "support" / "toys.py"
LOCK = f"{TOYS}:LockServer"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exploration without the other provers, and without their head start."""
    monkeypatch.setattr(proof_by_exploring, "_HEAD_START", 0.0)
    monkeypatch.setattr(proof_by_exploring, "_POLITENESS", 0)
    monkeypatch.setattr(property_proof.PropertyProof, "_start", lambda proof: None)


def _collect(model: Model, *names: str) -> list[Any]:
    told: list[Any] = []
    exploring_work(model.asking(names), names, Limits())(told.append, None)  # type: ignore[arg-type]
    return told


@pytest.mark.usefixtures("alone")
def test_it_alone_decides_all_properties() -> None:
    model = build(LockServer())
    names = tuple(prop.name for prop in model.system.properties)
    found = check(model.asking(names), Request(names, explore=True))
    by_name = {verdict.property_name: verdict for verdict in found.verdicts}
    reached = enumerated(model).steps
    for name in names:
        expected = VerdictKind.VIOLATED if name in reached else VerdictKind.PROVED
        assert (by_name[name].kind, by_name[name].found_by) == (expected, "explore")
        assert by_name[name].steps == reached.get(name)
    assert {each.states for each in found.explored.values()} == {enumerated(model).distinct_states}
    assert found.proofs == ()
    assert found.never_enabled == ()
    assert set(found.enabled) == {action.name for action in model.definition.actions}


@pytest.mark.usefixtures("alone")
def test_random_protocols() -> None:
    for seed in range(12):
        model = build(RandomProtocol({"rules": seed}))
        steps = enumerated(model).steps
        told = _collect(model, *NAMES)
        violated = {news.violates: news.steps for news in told if isinstance(news, ViolationFound)}
        holds = [name for news in told if isinstance(news, Explored) for name in news.holds]
        assert set(holds).isdisjoint(steps)
        assert all(violated[name] == steps[name] for name in violated)
        assert holds or violated


@pytest.mark.usefixtures("alone")
def test_what_no_state_reaches() -> None:
    model = build(Corridor())
    (verdict,) = check(model.asking(("AtFive",)), Request(("AtFive",), explore=True)).verdicts
    assert (verdict.kind, verdict.reason, verdict.found_by) == (
        VerdictKind.VIOLATED,
        NEVER_REACHED,
        "explore",
    )


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("changed", [{"engine": EngineChoice.IC3}, {"solver": "z3"}, {"explore": False}])
def test_where_others_are_named_it_does_not_run(changed: dict[str, Any]) -> None:
    request = replace(Request(("HolderWaitsNoMore",), explore=True), **changed)
    (verdict,) = check(build(LockServer()), request).verdicts
    assert verdict.kind is VerdictKind.INCONCLUSIVE


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("limit", ["_MOST_STATES", "_MOST_STATES_AGAIN"])
def test_many_states_prove_nothing(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_by_exploring, limit, 3)
    assert not any(isinstance(news, Explored) for news in _collect(build(LockServer()), "HolderWaitsNoMore"))
    (verdict,) = check(build(LockServer()), Request(("HolderWaitsNoMore",), explore=True)).verdicts
    assert verdict.kind is VerdictKind.INCONCLUSIVE


def _mistaken(which: int, change: Callable[[Exploration], Exploration]) -> Callable[..., Exploration]:
    calls: list[Any] = []

    def explore(*given: Any) -> Exploration:
        calls.append(given)
        found = right(*given)
        return change(found) if len(calls) == which else found

    return explore


def _one_more(found: Exploration) -> Exploration:
    count = {"distinct_states": found.statistics["distinct_states"] + 1}
    return replace(found, statistics={**found.statistics, **count})


def _none_holds(found: Exploration) -> Exploration:
    return replace(found, verdicts=())


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("change", [_one_more, _none_holds])
def test_explorations_that_differ_are_an_error(
    change: Callable[[Exploration], Exploration], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.engines.explore.explore", _mistaken(2, change))
    told = _collect(build(Chain()), "StartsLow")
    assert isinstance(told[-1], ExplorationsDiffer)
    monkeypatch.setattr("verifier.engines.explore.explore", _mistaken(2, change))
    (verdict,) = check(build(Chain()), Request(("StartsLow",), explore=True)).verdicts
    assert verdict.kind is VerdictKind.ERROR


@pytest.mark.usefixtures("alone")
def test_symmetry_is_left_out_the_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def explore(model: Model, request: Any, *rest: Any) -> Exploration:
        asked.append(request.symmetry)
        return right(model, request, *rest)

    monkeypatch.setattr("verifier.engines.explore.explore", explore)
    assert isinstance(_collect(build(LockServer()), "HolderWaitsNoMore")[-1], Explored)
    assert asked == [True, False]


@pytest.mark.parametrize(
    ("used", "pauses"),
    [
        ((0.0, 0.9, 1.8, 2.1), 3),  # they had their time
        ((0.0, 0.9, 0.9, 0.9, 2.1), 4),  # they had no turn for a while
        ((5.0, 5.1, *[5.1] * 5), 6),  # none of them works
        ((5.0, 5.1, *[4.0] * 5), 6),  # one of them was killed, and is not known any more
    ],
)
def test_the_others_begin(used: tuple[float, ...], pauses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head start is one of processor time: on a busy machine the others need more of the clock's."""
    slept: list[float] = []
    monkeypatch.setattr(proof_by_exploring, "seconds_of_others", iter(used).__next__)
    monkeypatch.setattr(proof_by_exploring, "_HEAD_START", 2.0)
    monkeypatch.setattr(time, "sleep", slept.append)
    proof_by_exploring._give_head_start()
    assert len(slept) == pauses


def test_exploration_gives_way_once_it_had_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lowered: list[int] = []
    clock = iter((0.2, 0.9, 1.1, 1.5))
    monkeypatch.setattr(time, "process_time", clock.__next__)
    monkeypatch.setattr(os, "nice", lowered.append)
    polite, before = proof_by_exploring._GivesWay(), []
    for _ in range(3):
        polite.look()
        before.append(len(lowered))
    polite.look()
    assert before == [0, 0, 1]
    assert lowered == [proof_by_exploring._POLITENESS]


def test_the_seconds_of_others_are_those_of_the_parent_and_its_other_children() -> None:
    def burn(seconds: float) -> None:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass

    def work(report: Any, _: Any) -> None:
        first = seconds_of_others()
        burn(1.0)  # its own
        until = time.monotonic() + 60
        while seconds_of_others() - first < 0.15 and time.monotonic() < until:
            time.sleep(0.01)
        report(seconds_of_others() - first)

    with Children(Limits()) as children:
        children.start("measures", work)
        children.start("burns", lambda report, _: burn(0.3))
        ended = list(children.events())
    (used,) = [event.content for event in ended if isinstance(event, Message)]
    assert 0.15 <= used < 1.0


def test_the_command_says_how_it_was_proved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(proof_by_exploring, "_HEAD_START", 0.0)
    start = property_proof.PropertyProof._start
    monkeypatch.setattr(property_proof.PropertyProof, "_start", lambda proof: None)
    asked = ("prove", "--spec", LOCK, "--property", "HolderWaitsNoMore")
    done = verify(*asked)
    assert done.exit_code == 0, done.output
    assert "HolderWaitsNoMore holds in each of the" in done.stdout
    assert "Exploration gives no inductive invariant" in done.stdout
    (proof,) = json.loads(verify(*asked, "--format", "json").stdout)["proofs"]
    assert proof["found_by"] == proof["rechecked_by"] == "explore"
    assert proof["states"] > 1
    monkeypatch.setattr(property_proof.PropertyProof, "_start", start)
    file = tmp_path / "proof.json"
    assert verify(*asked, "--certificate", str(file)).exit_code == 0
    assert verify("certify", str(file), "--spec", LOCK).exit_code == 0
    assert verifier.load(LOCK).prove("HolderWaitsNoMore")["HolderWaitsNoMore"].certificate is not None
