"""Proofs by ranking: what is proved, what is refused and why, and that nothing false is proved."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.live_systems import Plan, families, is_violated, plan_of, protocol_of
from tests.support.models import build
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.expressions import literal
from verifier.encodings.quantifiers import constantly, if_
from verifier.encodings.sorts import Boolean, Function, Range, Sort
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.engines.ranking import RankingFailed, _first_failing
from verifier.processes.limits import Limits
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    Protocol,
    Ranking,
    State,
    Step,
    action,
    define,
    eventually,
    ranking,
    temporal,
    weak,
)
from verifier.specs.rabbitmq.single_active_consumer import RabbitSac, RabbitSacRestart
from verifier.specs.temporal import Fairness, Strength
from verifier.specs.titles import TYPED
from verifier.system.fairness import conditions_named
from verifier.system.liveness import LiveModel, live_model
from verifier.system.model import Model
from verifier.system.model import build as build_defined
from verifier.system.ranking_model import NoRanking, ranking_claims
from verifier.trust.certificate import make_claimed_model
from verifier.trust.certify import check
from verifier.verdict import Verdict, VerdictKind


class Countdown(Protocol, camel_case=True):
    """Work is done step by step, while a light is switched on and off."""

    def state(self) -> State:
        return State(left=Range(0, 3), light=Boolean())

    def init(self, s: Any) -> Any:
        return (s.left == 3) & ~s.light

    @action()
    def work(self, s: Any) -> Step:
        return Step(when=[s.left > 0, s.light], then={s.left: s.left - 1, s.light: False})

    @action()
    def switch(self, s: Any) -> Step:
        return Step(then={s.light: ~s.light})

    @temporal
    def done(self, s: Any) -> Any:
        return eventually(s.left == 0)

    def fairness(self) -> list[Fairness]:
        return [weak("switch"), weak("work")]


class Lit(Countdown):
    """The light is only switched on, so that each step counts."""

    @action()
    def switch(self, s: Any) -> Step:
        return Step(when=[~s.light], then={s.light: True})

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left, ~s.light), helpful={weak("switch"): ~s.light, weak("work"): s.light})


class Itself(Lit):
    """Every step lowers the rank, whichever it is."""

    def fairness(self) -> list[Fairness]:
        return [weak()]

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left, ~s.light))


def live_of(model: Model) -> LiveModel:
    """The first property under the protocol's own fairness."""
    definition = model.definition
    return live_model(model, definition.temporal[0], "spec", definition.fairness[0].conditions)


def decide_by_ranking(protocol: Protocol, expected: VerdictKind) -> Verdict:
    """The verdict by ranking; exploration must not contradict it."""
    model = build(protocol)
    live = live_of(model)
    request = Request((), "spec", (), LiveEngine.RANKING, limits=Limits(60.0).begin())
    outcome = decide_property(live, request)
    (verdict,) = outcome.verdicts
    assert verdict.kind is expected, verdict.reason
    if verdict.kind is VerdictKind.PROVED:
        (explored,) = decide_property(live, replace(request, engine=LiveEngine.EXPLICIT)).verdicts
        assert explored.kind is VerdictKind.PROVED
        (proof,) = outcome.proofs
        assert not check(make_claimed_model(model, proof.certificate), proof.certificate, "z3").failed
    return verdict


@pytest.mark.parametrize("protocol", [Lit(), Itself()], ids=lambda one: type(one).__name__)
def test_a_ranking_that_falls_is_a_proof(protocol: Protocol) -> None:
    decide_by_ranking(protocol, VerdictKind.PROVED)


# Each claim of a ranking is needed: without it, something false would be proved


class Silent(Countdown):
    """Nothing is said to help."""

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left,), helpful={weak("work"): constantly(False)})


class InTheDark(Countdown):
    """Work is said to help in the dark, too, where it is not possible."""

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left,), helpful={weak("work"): constantly(True)})


class Refilled(Countdown):
    """There may always be more to do."""

    @action()
    def work(self, s: Any) -> Step:
        return Step(when=[s.left > 0], then={s.left: s.left - 1})

    @action()
    def refill(self, s: Any) -> Step:
        return Step(when=[s.left > 0], then={s.left: 3})

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left,), helpful={weak("work"): constantly(True)})


class Idle(Countdown):
    """Switching is said to help, and changes no measure."""

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left,), helpful={weak("switch"): constantly(True)})


class InTurns(Countdown):
    """Work by day or by night, each under weak fairness of its own: neither need ever be done."""

    @action()
    def work(self, s: Any) -> Step:
        return Step(when=[s.left > 0, s.light], then={s.left: s.left - 1})

    @action()
    def grope(self, s: Any) -> Step:
        return Step(when=[s.left > 0, ~s.light], then={s.left: s.left - 1})

    def fairness(self) -> list[Fairness]:
        return [weak("work"), weak("grope")]

    @ranking("Done")
    def less_to_do(self, s: Any) -> Ranking:
        return Ranking((s.left,), helpful={weak("work"): s.light, weak("grope"): ~s.light})


REFUSED: dict[type[Protocol], tuple[str, str]] = {
    Silent: ("a fairness condition helps", ""),
    InTheDark: ("where weak fairness of Work helps, such a step is possible", ""),
    Refilled: ("Refill() does not raise the rank", " (measure 1 goes from "),
    Idle: ("Switch() lowers the rank where its fairness helps", " (no measure changes)"),
    InTurns: ("Switch() lowers the rank where it ends that fairness helps", " (no measure changes)"),
}


@pytest.mark.parametrize("protocol", REFUSED, ids=lambda one: one.__name__)
def test_each_claim_of_a_ranking_is_needed(protocol: type[Protocol]) -> None:
    says, change = REFUSED[protocol]
    verdict = decide_by_ranking(protocol(), VerdictKind.INCONCLUSIVE)
    assert f"fails at this claim: {says}{change}" in str(verdict.reason)
    assert "a lemma has to exclude it" in str(verdict.reason)
    live = live_of(build(protocol()))
    others = [claim for claim in ranking_claims(live) if claim.says != says]
    assert _first_failing(live, (TYPED,), others, lambda _: None) is None
    (explored,) = decide_property(live, Request((), "spec", (), LiveEngine.EXPLICIT)).verdicts
    assert explored.kind is VerdictKind.VIOLATED


# Nothing false is proved


def draw_ranked(seed: int) -> tuple[Plan, LiveModel]:
    """A random system with a ranking that may or may not be one: ways to a target, and random help."""
    rng = random.Random(seed)
    plan = plan_of(rng.randrange(10**6))
    target = frozenset(s for s in range(plan.states) if rng.random() < 0.4)
    kinds = [("always eventually", target), ("eventually", target)]
    everywhere = frozenset(range(plan.states))
    formula = rng.choice([*kinds, ("leads to", rng.choice([everywhere, frozenset({0})]), target)])
    weak_ones = tuple(replace(one, strength=Strength.WEAK) for one in plan.fairness)
    plan = replace(plan, formula=formula, fairness=weak_ones, split=False)
    far = _distances(plan, target) if rng.random() < 0.8 else [rng.randrange(3) for _ in range(plan.states)]
    own = protocol_of(plan)

    def rank(self: Any, s: Any) -> Ranking:
        own_chance = random.Random(seed)  # a method changes nothing: it draws the same each time

        def helps(labels: list[tuple[str, int]]) -> Any:
            lower = {s for one in labels for s, t in plan.steps[one].items() if far[t] < far[s]}
            chosen = {state for state in lower if own_chance.random() < 0.9}
            return table_of(plan, s, Boolean(), lambda x: x in chosen)

        helpful: dict[Fairness, Any] = {}
        for written, stated in zip(own.fairness(self), _state_fairness(plan), strict=True):
            groups = [labels for labels, _ in families(replace(plan, fairness=(stated,)))]
            if stated.each:
                helpful[written] = lambda value, groups=groups: if_(
                    value == 0, helps(groups[0]), helps(groups[-1])
                )
            else:
                helpful[written] = helps(groups[0])
        return Ranking((table_of(plan, s, Range(0, plan.states), lambda x: far[x]),), helpful)

    kind = type("Ranked", (own,), {"why": ranking("Claim")(rank)})
    definition = define(kind())
    return plan, live_of(build_defined(definition))


def table_of(plan: Plan, s: Any, sort: Sort, of: Callable[[int], Any]) -> Any:
    """A value for the present state."""
    values = FrozenMap({x: of(x) for x in range(plan.states)})
    return literal(Function(Range(0, plan.states - 1), sort), values)[s.x]


def _state_fairness(plan: Plan) -> tuple[Fairness, ...]:
    return plan.fairness or (Fairness(Strength.WEAK, ("Move0",), (), (("value", 0),)),)


def _distances(plan: Plan, target: frozenset[int]) -> list[int]:
    far = [0 if s in target else plan.states for s in range(plan.states)]
    for _ in range(plan.states):
        for leads in plan.steps.values():
            for s, t in leads.items():
                far[s] = min(far[s], far[t] + 1)
    return far


@pytest.mark.parametrize(
    "seeds",
    [
        group if group[0] < 25 else pytest.param(group, marks=pytest.mark.thorough)
        for group in ((first, first + 25) for first in range(0, 400, 25))
    ],
    ids=str,
)
def test_what_a_ranking_proves_is_true(seeds: tuple[int, int]) -> None:
    proved = 0
    for seed in range(*seeds):
        plan, live = draw_ranked(seed)
        failed = _first_failing(live, (TYPED,), ranking_claims(live), lambda _: None)
        if failed is None:
            proved += 1
            assert not is_violated(plan), seed
        else:
            assert isinstance(failed, RankingFailed)
    assert proved


# The protocol that it was made for


def _live(*words: str, code: int) -> dict[str, Any]:
    result = verify("live", "--spec", "rabbit-sac-restart", *words, "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


SIZES = [
    (2, 2, 0),
    *(pytest.param(*size, marks=pytest.mark.thorough) for size in [(2, 3, 1), (3, 2, 1)]),
    pytest.param(3, 3, 0, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("queues", "apps", "limit"), SIZES)
def test_rabbit_gets_balanced(queues: int, apps: int, limit: int, tmp_path: Path) -> None:
    file = str(tmp_path / "balanced.json")
    size = ("--set", f"queues={queues}", "--set", f"apps={apps}", "--set", f"restart_limit={limit}")
    run = _live(*size, "--engine", "ranking", "--certificate", file, code=0)
    (result,) = run["results"]
    assert result["verdict"] == "PROVED"
    assert result["found_by"] == "ranking"
    checked = verify("certify", file)
    assert checked.exit_code == 0, checked.output
    content = json.loads(Path(file).read_text())
    assert content["ranking"] is True
    assert content["ranking_says"][0]["name"] == "measure 1"


class Generous(RabbitSacRestart):
    """Apps give up queues that they should keep."""

    @action(app="apps", queue="queues")
    def release(self, s: Any, app: Any, queue: Any) -> Step:
        return Step(
            when=[s.active[queue] == app, self.active_count(s, app) >= self.ideal_number(s, app)],
            then={s.subscriber_queue[queue]: self.others(s, app, queue), s.active[queue]: None},
        )


@pytest.mark.parametrize(("queues", "apps"), [(2, 2), pytest.param(3, 3, marks=pytest.mark.thorough)])
def test_rabbit_without_stops_gets_balanced_if_each_app_subscribes(queues: int, apps: int) -> None:
    model = build(RabbitSac({"queues": queues, "apps": apps}))
    conditions = conditions_named(model.definition, "each-subscribe")
    live = live_model(model, model.definition.temporal[0], "each-subscribe", conditions)
    names = (TYPED, *(lemma.name for lemma in live.model.system.lemmas))
    assert _first_failing(live, names, ranking_claims(live), lambda _: None) is None
    own = live_model(model, model.definition.temporal[0], "spec", conditions_named(model.definition, "spec"))
    with pytest.raises(NoRanking, match="its ranking needs weak fairness of Start"):
        ranking_claims(own)


@pytest.mark.thorough
def test_a_wrong_protocol_is_not_proved_balanced() -> None:
    live = live_of(build(Generous({"queues": 2, "apps": 2})))
    kinds = {
        engine: decide_property(live, Request((), "spec", (), engine)).verdicts[-1].kind
        for engine in (LiveEngine.EXPLICIT, LiveEngine.RANKING)
    }
    assert kinds[LiveEngine.RANKING] is VerdictKind.INCONCLUSIVE
    assert kinds[LiveEngine.EXPLICIT] is VerdictKind.VIOLATED


def test_a_ranking_is_of_one_fairness() -> None:
    small = ("--set", "queues=2", "--set", "apps=2")
    (result,) = _live(*small, "--engine", "ranking", "--fairness", "next", code=12)["results"]
    assert "needs weak fairness of Subscribe, for each app, queue" in result["reason"]
    (decided,) = _live(*small, "--fairness", "next", code=10)["results"]
    assert decided["verdict"] == "VIOLATED"


def test_without_a_ranking_there_is_no_such_proof() -> None:
    run = verify("live", "--spec", "pulsar-compaction", "--engine", "ranking")
    assert run.exit_code == 12
    assert "no ranking" in run.stdout


# How it is written


def _refuse(method: Any, words: str, title: str = "Done") -> None:
    kind = type("Wrong", (Countdown,), {"why": ranking(title)(method)})
    with pytest.raises(DefinitionError, match=words):
        define(kind())


def test_mistakes_are_refused() -> None:
    _refuse(lambda self, s: Ranking((s.left,)), "has no such temporal property", title="Don")
    _refuse(lambda self, s: (s.left,), r"returns Ranking\(\(…\), helpful=\{…\}\), not")
    _refuse(lambda self, s: Ranking(()), "the measures are a tuple")
    _refuse(lambda self, s: Ranking(("left",)), "a measure is an integer, a formula, or a function")
    unnamed: Any = {"work": 1}
    _refuse(lambda self, s: Ranking((s.left,), unnamed), r"what helps is weak\(…\) or strong")
    _refuse(lambda self, s: Ranking((s.left,), {weak("wrok"): s.light}), "fairness of 'wrok'")
    _refuse(lambda self, s: Ranking((s.left,), {weak("work"): 3}), "is not a formula")
    with pytest.raises(DefinitionError, match="@ranking takes the name of a temporal property"):
        ranking(Lit)  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="@ranking marks a method"):
        ranking("Done")("less_to_do")  # type: ignore[arg-type]


def test_a_ranking_is_part_of_the_meaning() -> None:
    class Other(Lit):
        @ranking("Done")
        def less_to_do(self, s: Any) -> Ranking:
            return Ranking((s.left,), helpful={weak("switch"): ~s.light, weak("work"): s.light})

    Other.__name__ = "Lit"
    assert define(Lit()).spec_hash != define(Other()).spec_hash


def test_a_certificate_says_which_kind_of_proof_it_is(tmp_path: Path) -> None:
    from verifier.trust.certificate import digest_of

    file = tmp_path / "p.json"
    _live("--set", "queues=2", "--set", "apps=2", "--engine", "ranking", "--certificate", str(file), code=0)
    content = json.loads(file.read_text())
    del content["ranking"]
    file.write_text(json.dumps({**content, "digest": digest_of(content)}))
    assert "certificate" in wrong("certify", str(file))
