"""Fairness of an execution depends on its steps, not on their names; a step that was cut off never makes it
fair."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.live_systems import live_of, plan_of
from tests.support.models import build
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.quantifiers import exists
from verifier.encodings.sorts import Boolean, Function, Range, Sequence
from verifier.engines.live import LiveEngine, Request, check
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
    eventually_always,
    strong,
    temporal,
    weak,
)
from verifier.specs.temporal import Fairness
from verifier.system.fairness import conditions_named
from verifier.system.liveness import LiveModel, live_model
from verifier.system.same_steps import SameSteps, changes
from verifier.trust.certificate import Certificate, FoundBy, Misfit, make_claimed_model
from verifier.trust.lasso import check_lasso
from verifier.trust.replay import ReplayFailure
from verifier.trust.trace import Loop, Trace
from verifier.verdict import Verdict, VerdictKind

SIDE_BY_SIDE = pytest.param(LiveEngine.AUTO, marks=pytest.mark.thorough)
ENGINES = [LiveEngine.EXPLICIT, LiveEngine.BMC, LiveEngine.L2S, SIDE_BY_SIDE]


def ask_verdicts(protocol: Protocol, engine: LiveEngine, depth: int = 6) -> dict[str, Verdict]:
    """Return an engine's verdicts on the protocol's temporal property, and on the properties checked with
    it."""
    definition = define(protocol)
    (prop,) = definition.temporal
    conditions = conditions_named(definition, "spec")
    request = Request((prop.name,), "spec", conditions, engine, depth, limits=Limits(60.0))
    return {verdict.property_name: verdict for verdict in check(build(protocol), request).verdicts}


def live_model_of(protocol: Protocol) -> LiveModel:
    """The protocol's temporal property under the protocol's fairness."""
    model = build(protocol)
    conditions = conditions_named(model.definition, "spec")
    return live_model(model, model.definition.temporal[0], "spec", conditions)


# Steps that are cut off


class Grows(Protocol, camel_case=True):
    """Grows beyond its sort, where it would be done."""

    def state(self) -> State:
        return State(x=Range(0, 2), done=Boolean())

    def init(self, s: Any) -> Any:
        return (s.x == 0) & ~s.done

    @action()
    def grow(self, s: Any) -> Step:
        return Step(when=[~s.done], then={s.x: s.x + 1, s.done: s.x == 2})

    def fairness(self) -> list[Fairness]:
        return [weak("grow")]

    @temporal
    def ends(self, s: Any) -> Any:
        return eventually(s.done)


class Jumps(Grows):
    """No state has a step that stays in its sort, so there is no instance."""

    @action()
    def grow(self, s: Any) -> Step:
        return Step(when=[~s.done], then={s.x: s.x + 3, s.done: True})


class Reads(Protocol, camel_case=True):
    """Reads the first of an empty queue."""

    def state(self) -> State:
        return State(queue=Sequence(Range(0, 1), 1), done=Boolean())

    def init(self, s: Any) -> Any:
        return s.queue.is_empty & ~s.done

    @action()
    def go(self, s: Any) -> Step:
        return Step(when=[~s.done, s.queue[0] == 0], then={s.done: True})

    def fairness(self) -> list[Fairness]:
        return [strong("go")]

    @temporal
    def ends(self, s: Any) -> Any:
        return eventually(s.done)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("protocol", "breach"),
    [(Grows, "TypeInvariant"), (Jumps, "TypeInvariant"), (Reads, "UndefinedRead")],
)
def test_a_step_that_is_cut_off_is_not_impossible(
    protocol: type[Protocol], breach: str, engine: LiveEngine
) -> None:
    found = ask_verdicts(protocol(), engine)
    kinds = {name: verdict.kind for name, verdict in found.items()}
    assert kinds == {breach: VerdictKind.VIOLATED, "Ends": VerdictKind.INCONCLUSIVE}
    assert found["Ends"].reason is not None
    assert f"{breach} is violated" in found["Ends"].reason


def test_bounded_search_says_how_far_a_step_that_is_cut_off_does_not_matter() -> None:
    assert ask_verdicts(Grows(), LiveEngine.BMC)["Ends"].depth == 3  # the states that are left in two steps


def test_a_lasso_in_which_a_step_is_cut_off_does_not_replay() -> None:
    live = live_model_of(Grows())
    definition = live.base.definition
    states = tuple({"x": x, "done": False} for x in (0, 1, 2))
    taken = ask_verdicts(Grows(), LiveEngine.EXPLICIT)["TypeInvariant"].trace
    assert taken is not None
    trace = Trace(
        spec=definition.name,
        spec_hash=definition.spec_hash,
        constants=definition.constants,
        violates="Ends",
        states=states,
        actions=taken.actions,
        loop=Loop(2, None, "spec"),
    )
    with pytest.raises(ReplayFailure, match="leaves its sort or reads what has no value"):
        check_lasso(live, trace)


class AlsoStops(Grows):
    """May stop for good before its sort is left."""

    @action()
    def stop(self, s: Any) -> Step:
        return Step(when=[s.x == 0], then={s.stopped: True})

    @action()
    def grow(self, s: Any) -> Step:
        return Step(when=[~s.done, ~s.stopped], then={s.x: s.x + 1, s.done: s.x == 2})

    def state(self) -> State:
        return State(x=Range(0, 2), done=Boolean(), stopped=Boolean())

    def init(self, s: Any) -> Any:
        return (s.x == 0) & ~s.done & ~s.stopped


@pytest.mark.parametrize("engine", [LiveEngine.EXPLICIT, LiveEngine.BMC])
def test_a_lasso_that_rests_on_no_step_that_is_cut_off_counts(engine: LiveEngine) -> None:
    found = ask_verdicts(AlsoStops(), engine)
    assert found["Ends"].kind is VerdictKind.VIOLATED
    assert found["Ends"].trace is not None
    assert check_lasso(live_model_of(AlsoStops()), found["Ends"].trace) == found["Ends"].trace


class Counters(Protocol, camel_case=True):
    """Each node counts beyond its sort."""

    nodes = IndexSetConstant(2, kind="node")

    def state(self) -> State:
        return State(counted=Function(self.nodes, Range(0, 1)), done=Boolean())

    def init(self, s: Any) -> Any:
        return exists(self.nodes, lambda n: s.counted[n] == 0) & ~s.done

    @action(node="nodes")
    def count(self, s: Any, node: Any) -> Step:
        return Step(when=[~s.done], then={s.counted[node]: s.counted[node] + 1})

    def fairness(self) -> list[Fairness]:
        return [weak()]

    @temporal
    def ends(self, s: Any) -> Any:
        return always_eventually(s.done)


def test_states_up_to_symmetry_know_steps_that_are_cut_off() -> None:
    found = {name: verdict.kind for name, verdict in ask_verdicts(Counters(), LiveEngine.ORBITS).items()}
    assert found == {"TypeInvariant": VerdictKind.VIOLATED, "Ends": VerdictKind.INCONCLUSIVE}


# Steps with several names


class TwoNames(Protocol, camel_case=True):
    """Two actions lead from 0 to 1, by the same step, and one leads back."""

    def state(self) -> State:
        return State(x=Range(0, 1))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def one(self, s: Any) -> Step:
        return Step(when=[s.x == 0], then={s.x: 1})

    @action()
    def other(self, s: Any) -> Step:
        return Step(when=[s.x == 0], then={s.x: s.x + 1})

    @action()
    def back(self, s: Any) -> Step:
        return Step(when=[s.x == 1], then={s.x: 0})

    def fairness(self) -> list[Fairness]:
        return [strong("one"), strong("other"), weak("back")]

    @temporal
    def stays(self, s: Any) -> Any:
        return eventually_always(s.x == 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_is_one_of_all_actions_that_lead_there(engine: LiveEngine) -> None:
    verdict = ask_verdicts(TwoNames(), engine, depth=2)["Stays"]
    assert verdict.kind is VerdictKind.VIOLATED
    assert verdict.trace is not None
    assert verdict.trace.loop is not None
    assert len(verdict.trace.states) == 2 or not verdict.fewest
    reasons = dict(verdict.trace.loop.conditions)
    assert sum(reason.endswith("leads where it does") for reason in reasons.values()) == 1


def test_that_instances_have_steps_in_common_is_known_exactly() -> None:
    in_common = 0
    for seed in range(25):
        system = live_of(plan_of(seed)).base.system
        same = SameSteps(system.instances, system.bits)
        for number, one in enumerate(system.instances):
            for place, other in enumerate(system.instances):
                rows = [one.updates.get(bit, bit) for bit in system.bits]
                others = [other.updates.get(bit, bit) for bit in system.bits]
                said = (system.valid, one.guard, changes(one), other.guard, same.when(number, place))
                evaluator = Evaluator(system.bits, [*said, *rows, *others])
                for code in range(1 << len(system.bits)):
                    valid, *told = evaluator.single([bool(code >> n & 1) for n in range(len(system.bits))])
                    taken, moves, possible, says, *after = told
                    if valid and taken and moves:
                        half = len(after) // 2
                        assert says == (possible and after[:half] == after[half:]), (seed, number, place)
                        in_common += says and number != place
    assert in_common > 20


# Constraints


class Bounded(Grows):
    """Is looked at while it is small."""

    def constraint(self, s: Any) -> Any:
        return s.x < 2


@pytest.mark.parametrize(
    ("engine", "depth", "words"),
    [
        (LiveEngine.EXPLICIT, 2, "vacuous: no fair execution stays within the constraint"),
        (LiveEngine.BMC, 6, "no lasso of at most 6 states, stem and loop together, within the constraint"),
    ],
)
def test_what_holds_within_a_constraint_says_so_and_counts_states_of_lassos(
    engine: LiveEngine, depth: int, words: str
) -> None:
    verdict = ask_verdicts(Bounded(), engine)["Ends"]
    assert (verdict.kind, verdict.depth) == (VerdictKind.HOLDS, depth)
    assert verdict.reason is not None
    assert verdict.reason.startswith(words)


@pytest.mark.parametrize("ranking", [False, True])
def test_no_certificate_of_a_temporal_property_counts_under_a_constraint(ranking: bool) -> None:
    model = build(Bounded())
    definition = model.definition
    about = (definition.name, definition.spec_hash, dict(definition.constants), "Ends")
    forged = Certificate(*about, (), (), FoundBy("ic3", "minisat", "2"), fairness="spec", ranking=ranking)
    with pytest.raises(Misfit, match="within the constraint only"):
        make_claimed_model(model, forged)
    assert make_claimed_model(model, replace(forged, fairness=None)) is model


# What is refused at once


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--engine", "explicit", "--depth", "3"), "--depth is for --engine bmc"),
        (("--depth", "3"), "--depth is for --engine bmc"),
        (("--engine", "explicit", "--certificate", "c.json"), "use --engine auto, l2s or ranking"),
        (("--engine", "orbits", "--certificate", "c.json"), "use --engine auto, l2s or ranking"),
    ],
)
def test_options_that_an_engine_cannot_take_are_refused(words: tuple[str, ...], expected: str) -> None:
    assert expected in wrong("live", "--spec", "rabbit-sac", *words)


@pytest.mark.thorough
def test_a_certificate_that_is_asked_for_is_written(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    constants = ("--set", "processes=1", "--set", "message_count=1", "--set", "dup_count=1")
    done = verify("live", "--spec", "exactly-once", *constants, "--certificate", str(file))
    assert done.exit_code == 0, done.output
    assert "decided by the engine l2s" in done.stdout
    assert file.exists()
