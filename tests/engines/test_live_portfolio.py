"""Engines for temporal properties side by side: one answer whichever is faster, and none if they disagree."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support.command_line import start_verify, verify
from tests.support.live_systems import live_of, plan_of
from tests.support.models import build
from verifier.engines import bmc, explore, live_portfolio
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.engines.live_methods import by_exploration
from verifier.engines.proofs import ProveOutcome
from verifier.processes.limits import Limits
from verifier.specs.registry import load
from verifier.system.fairness import conditions_named
from verifier.system.liveness import LiveModel, live_model
from verifier.verdict import Verdict, VerdictKind

Decide = Callable[[LiveModel, Request, Any], ProveOutcome]
REQUEST = Request(("Liveness",), "spec", (), limits=Limits(60.0))


def rabbit(fairness: str = "spec", **constants: int) -> LiveModel:
    model = build(load("rabbit-sac")(constants or {"queues": 2, "apps": 2}))
    prop = model.definition.temporal[0]
    return live_model(model, prop, fairness, conditions_named(model.definition, fairness))


def ending(live: LiveModel, request: Request = REQUEST, listen: Any = lambda _: None) -> ProveOutcome:
    return decide_property(live, replace(request, limits=request.limits.begin()), listen)


def own(outcome: ProveOutcome) -> Verdict:
    return outcome.verdicts[-1]


def later(decide: Decide, seconds: float = 1.5) -> Decide:
    """The engine, started too late."""

    def work(live: LiveModel, request: Request, listen: Any) -> ProveOutcome:
        time.sleep(seconds)
        return decide(live, request, listen)

    return work


def saying(kind: VerdictKind, reason: str | None = None) -> Decide:
    """A broken engine, which looks at nothing."""

    def work(live: LiveModel, request: Request, listen: Any) -> ProveOutcome:
        return ProveOutcome((Verdict(live.property_.name, kind, None, 0.0, reason),), (), {})

    return work


def closing(depth: int) -> Decide:
    """A broken search, which says that it has looked at every lasso of so many states."""

    def work(live: LiveModel, request: Request, listen: Any) -> ProveOutcome:
        listen(bmc.Progress("serial", (live.property_.name,), depth, 0.0))
        return saying(VerdictKind.INCONCLUSIVE, "it had enough")(live, request, listen)

    return work


def engines(monkeypatch: pytest.MonkeyPatch, **others: Decide) -> None:
    known = {**live_portfolio._ENGINES, **{LiveEngine(name): work for name, work in others.items()}}
    monkeypatch.setattr(live_portfolio, "_ENGINES", known)


NOTHING = saying(VerdictKind.INCONCLUSIVE, "nothing was looked at")


@pytest.mark.parametrize("fairness", ["spec", "each-subscribe"])
@pytest.mark.parametrize("slow", [None, "explicit", "l2s"])
def test_speed_decides_nothing(slow: str | None, fairness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if slow is not None:
        engines(monkeypatch, **{slow: later(live_portfolio._ENGINES[LiveEngine(slow)])})
    live = rabbit(fairness, queues=1, apps=2) if fairness == "each-subscribe" else rabbit(fairness)
    expected = VerdictKind.PROVED if fairness == "each-subscribe" else VerdictKind.VIOLATED
    assert own(ending(live)).kind is expected


@pytest.mark.parametrize("seed", [5, 20])
@pytest.mark.parametrize("only", ["explicit", "bmc", "l2s"])
def test_each_engine_decides_alone(only: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_of(plan_of(seed))
    expected = own(ending(live, replace(REQUEST, engine=LiveEngine.EXPLICIT))).kind
    if only == "bmc" and expected is not VerdictKind.VIOLATED:
        return  # it has no end
    engines(monkeypatch, **{name.value: NOTHING for name in live_portfolio._ENGINES if name.value != only})
    outcome = ending(live)
    assert own(outcome).kind is expected
    assert outcome.statistics["decided_by"] == only


def test_a_lasso_against_a_proof_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, bmc=NOTHING, l2s=saying(VerdictKind.PROVED))
    waited: list[float] = []

    def listen(news: Any) -> None:
        """Whoever follows is so slow that both have answered."""
        if isinstance(news, explore.Progress) and not waited:
            waited.append(1.0)
            time.sleep(1.0)

    monkeypatch.setattr(live_portfolio._Portfolio, "_decisive", late_decision)
    verdict = own(ending(rabbit(), listen=listen))
    assert verdict.kind is VerdictKind.ERROR
    assert verdict.reason == "explicit found a lasso, but l2s says PROVED"
    assert verdict.kind.exit_code == 1


def late_decision(portfolio: Any, running: list[str]) -> list[LiveEngine]:
    """Waits for all answers."""
    if running:
        return []
    return [engine for engine, verdict in portfolio._own() if verdict.kind is not VerdictKind.INCONCLUSIVE]


def test_a_lasso_where_none_should_be_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    engines(monkeypatch, bmc=closing(20), l2s=NOTHING, explicit=later(by_exploration, 0.5))
    verdict = own(ending(rabbit()))
    assert verdict.kind is VerdictKind.ERROR
    assert verdict.reason is not None
    assert verdict.reason.startswith("bmc says that there is no lasso of at most 20 states, but explicit f")


def test_what_the_others_found_by_then_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(live: LiveModel, request: Request, listen: Any) -> ProveOutcome:
        raise RuntimeError("no luck")

    engines(monkeypatch, bmc=closing(3), l2s=fails)
    outcome = ending(rabbit(), replace(REQUEST, max_states=50))
    verdict = own(outcome)
    assert (verdict.kind, verdict.depth) == (VerdictKind.INCONCLUSIVE, 3)
    assert verdict.reason is not None
    for words in ("explicit: more than 50 states", "bmc: it had enough", "l2s: RuntimeError: no luck"):
        assert words in verdict.reason
    assert outcome.statistics["engines"]["bmc"] == {"depth": 3}
    assert outcome.statistics["engines"]["explicit"]["states"] > 50


@pytest.mark.thorough
def test_the_command_says_who_decided_and_what_was_found() -> None:
    rabbit = ("live", "--spec", "rabbit-sac", "--set", "queues=2", "--set", "apps=2")
    said = verify(*rabbit, "--fairness", "each-subscribe").stdout
    assert re.search(r"Liveness: decided by the engine (explicit|ranking)\.", said)
    done = verify(*rabbit, "--fairness", "each-subscribe", "--max-states", "50", "--timeout", "2s")
    if done.exit_code:  # a proof may be faster
        assert done.exit_code == 12
        assert "Liveness: explicit looked at " in done.stdout


def test_an_engine_that_fails_leaves_the_answer_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(live: LiveModel, request: Request, listen: Any) -> ProveOutcome:
        raise MemoryError

    engines(monkeypatch, bmc=fails, l2s=fails)
    assert own(ending(rabbit())).kind is VerdictKind.VIOLATED


@pytest.mark.thorough
def test_time_ends_all_of_them() -> None:
    live = rabbit("each-subscribe", queues=4, apps=4)
    began = time.monotonic()
    outcome = ending(live, replace(REQUEST, limits=Limits(4.0)))
    assert time.monotonic() - began < 8
    verdict = own(outcome)
    assert (verdict.kind, verdict.reason) == (VerdictKind.INCONCLUSIVE, "timeout of 4 s")
    assert outcome.statistics["engines"]["explicit"]["states"] > 0


@pytest.mark.thorough
def test_an_interrupt_keeps_what_was_found() -> None:
    rabbit = ("--spec", "rabbit-sac-restart", "--set", "queues=4", "--set", "apps=4")
    process = start_verify("live", *rabbit, "--format", "json")
    assert process.stderr is not None
    while "states" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 12
    content = json.loads(out)
    assert content["results"][0]["reason"] == "interrupted"
    assert content["statistics"]["properties"]["Liveness"]["engines"]["explicit"]["states"] > 0
