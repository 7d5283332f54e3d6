"""Bounded model checking on systems whose answers are known, with every solver and kind of step."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import Any

import pytest

from tests.support.models import build
from tests.support.toys import Chain, Lamps, LockServer, Lottery, Matchmaker, Overflow, SelfLoop, Unreachable
from verifier.engines import bmc, bounded_search
from verifier.engines.bmc import Progress, Request, _BoundedCheck, check
from verifier.engines.choices import StepsChoice
from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.solvers import SOLVER_NAMES
from verifier.specs.protocol import Protocol
from verifier.trust.replay import Replayer
from verifier.verdict import Verdict, VerdictKind, in_words

HOLDS, VIOLATED, INCONCLUSIVE = VerdictKind.HOLDS, VerdictKind.VIOLATED, VerdictKind.INCONCLUSIVE

KNOWN: list[tuple[Protocol, str, int, VerdictKind, int | None]] = [
    (Chain(), "NeverTop", 1, HOLDS, None),
    (Chain(), "NeverTop", 2, VIOLATED, 2),
    (Chain(), "NeverTop", 5, VIOLATED, 2),
    (Chain({"top": 6}), "NeverTop", 5, HOLDS, None),
    (Chain({"top": 6}), "NeverTop", 6, VIOLATED, 6),
    (Chain(), "StartsLow", 5, HOLDS, None),
    (Chain(), "NotAtStart", 5, VIOLATED, 0),
    (Chain(), "StuckOnlyAtTop", 5, HOLDS, None),
    (Chain(), "StuckElsewhere", 5, VIOLATED, 2),
    (SelfLoop(), "NeverTop", 5, VIOLATED, 2),
    (SelfLoop(), "StuckElsewhere", 5, HOLDS, None),
    (Unreachable(), "NeverOdd", 9, HOLDS, None),
    (Overflow(), "TypeInvariant", 2, HOLDS, None),
    (Overflow(), "TypeInvariant", 3, VIOLATED, 3),
    (LockServer(), "HolderWaitsNoMore", 5, HOLDS, None),
    (LockServer(), "NotAllAsk", 5, VIOLATED, 3),
    (LockServer(), "FirstNeverHolds", 5, VIOLATED, 2),
    (LockServer({"clients": 1}), "NotAllAsk", 4, VIOLATED, 1),
    (Lottery(), "SomeLeft", 4, VIOLATED, 1),
    (Lottery(), "DrawnInRounds", 4, HOLDS, None),
    (Matchmaker(), "SomeoneAlone", 4, VIOLATED, 2),
    (Matchmaker(), "Mutual", 4, HOLDS, None),
]


def _ids(case: Any) -> str:
    return f"{case[0].spec_name()}-{case[1]}-{case[2]}"


def _verdict(protocol: Protocol, request: Request) -> Verdict:
    model = build(protocol)
    (verdict,) = (v for v in check(model, request).verdicts if v.property_name in request.properties)
    if verdict.trace is not None:
        Replayer(model).check(verdict.trace)
    return verdict


@pytest.mark.parametrize("case", KNOWN, ids=_ids)
@pytest.mark.parametrize("steps", list(StepsChoice))
def test_known_verdicts(case: Any, steps: StepsChoice) -> None:
    protocol, name, depth, kind, length = case
    verdict = _verdict(protocol, Request((name,), depth, steps, "cadical", shortest=steps != "parallel"))
    assert (verdict.kind, verdict.steps) == (kind, length)
    if kind is HOLDS:
        assert verdict.depth == depth
    else:  # parallel steps alone prove the fewest actions only by luck
        assert verdict.fewest or steps is StepsChoice.PARALLEL


@pytest.mark.parametrize("solver", SOLVER_NAMES)
@pytest.mark.parametrize("case", KNOWN[:3] + KNOWN[11:], ids=_ids)
def test_solvers_agree(case: Any, solver: str) -> None:
    protocol, name, depth, kind, length = case
    verdict = _verdict(protocol, Request((name,), depth, StepsChoice.AUTO, solver, shortest=True))
    assert (verdict.kind, verdict.steps) == (kind, length)


def _beyond(name: str, depth: int, steps: StepsChoice, **more: Any) -> tuple[VerdictKind, int | None]:
    verdict = _verdict(Lamps(), Request((name,), depth, steps, **more))
    words = in_words(verdict.kind, verdict.depth, verdict.steps, verdict.reason)
    longer = verdict.steps is not None and verdict.steps > depth
    assert ("beyond the depth" in words) is longer
    return verdict.kind, verdict.steps


@pytest.mark.parametrize("steps", [StepsChoice.AUTO, StepsChoice.PARALLEL])
def test_what_few_parallel_steps_see_counts_beyond_the_depth(steps: StepsChoice) -> None:
    """Exploration closes these depths at once, long before parallel steps begin: no verdict depends on it."""
    assert _beyond("SomeDarkBelow", 1, steps) == (VIOLATED, 4)  # one parallel step
    assert _beyond("SomeDarkBelow", 0, steps) == (HOLDS, None)
    assert _beyond("SomeDarkAbove", 2, steps) == (VIOLATED, 8)  # two of them
    assert _beyond("SomeDarkAbove", 1, steps) == (HOLDS, None)  # where one counts


def test_serial_steps_look_at_no_longer_execution() -> None:
    assert _beyond("SomeDarkBelow", 3, StepsChoice.SERIAL) == (HOLDS, None)
    assert _beyond("SomeDarkBelow", 4, StepsChoice.SERIAL) == (VIOLATED, 4)


def test_the_shortest_beyond_the_depth_is_told_once_the_depth_is_closed() -> None:
    verdict = _verdict(Lamps(), Request(("SomeDarkAbove",), 6, shortest=True))
    assert (verdict.kind, verdict.steps, verdict.depth, verdict.fewest) == (VIOLATED, 8, 6, False)


def test_what_ends_the_search_counts_within_the_depth_only() -> None:
    """The sorts of a translation are wide enough for the depth; what leaves them later decides nothing."""
    request = Request(("SomeDarkBelow", "SomeDarkAbove"), 3, ending=("SomeDarkBelow",))
    kinds = {v.property_name: v.kind for v in check(build(Lamps()), request).verdicts}
    assert kinds == {"SomeDarkBelow": HOLDS, "SomeDarkAbove": VIOLATED}


@pytest.mark.parametrize("symmetry", [True, False])
def test_symmetry_breaking_changes_no_verdict(symmetry: bool) -> None:
    request = Request(("HolderWaitsNoMore", "NotAllAsk"), 5, StepsChoice.SERIAL, "cadical", symmetry)
    outcome = check(build(LockServer()), request)
    assert [(v.kind, v.steps) for v in outcome.verdicts] == [(HOLDS, None), (VIOLATED, 3)]


def test_one_violation_does_not_hide_another_property() -> None:
    outcome = check(build(Chain()), Request(("NotAtStart", "NeverTop", "StartsLow"), 4, solver="cadical"))
    assert [(v.kind, v.steps) for v in outcome.verdicts] == [(VIOLATED, 0), (VIOLATED, 2), (HOLDS, None)]


def test_leaving_a_sort_is_reported_even_if_not_asked_for() -> None:
    outcome = check(build(Overflow()), Request(("Small",), 5, solver="cadical"))
    assert [(v.property_name, v.kind) for v in outcome.verdicts] == [
        ("TypeInvariant", VIOLATED),
        ("Small", HOLDS),
    ]


def test_actions_never_enabled_are_named() -> None:
    assert check(build(Unreachable()), Request(("NeverOdd",), 5, solver="cadical")).never_enabled == (
        "Never",
    )
    assert check(build(LockServer()), Request(("NotAllAsk",), 5, solver="cadical")).never_enabled == ()


def test_depths_are_reported_as_they_close() -> None:
    heard: list[Progress] = []
    request = Request(("StartsLow",), 4, StepsChoice.SERIAL, "cadical")
    check(build(Chain()), request, heard.append)
    depths = [news.depth for news in heard if "StartsLow" in news.properties]
    assert depths == [0, 1, 2, 3, 4]


def _hang(*_: object) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    while True:
        time.sleep(1)


def test_a_search_that_hangs_is_killed_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.engines.bmc.search", _hang)
    began = time.monotonic()
    verdict = _verdict(Chain(), Request(("NeverTop",), 4, StepsChoice.SERIAL, limits=Limits(seconds=0.5)))
    assert (verdict.kind, verdict.depth, verdict.reason) == (INCONCLUSIVE, None, "timeout of 0.5 s")
    assert time.monotonic() - began < 5


def test_a_search_that_dies_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("verifier.engines.bmc.search", crash)
    verdict = _verdict(Chain(), Request(("NeverTop",), 4, StepsChoice.SERIAL))
    assert verdict.kind is INCONCLUSIVE
    assert verdict.reason == "the serial search failed: killed by signal 9"


def test_a_closed_depth_is_kept_when_the_solver_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(system: Any, task: Any, report: Any, *_: Any) -> None:
        report(bounded_search.DepthClosed(0, task.properties, 0.0, 0.0))
        report(bounded_search.SolverGaveUp("z3 gave up"))

    monkeypatch.setattr("verifier.engines.bmc.search", half)
    verdict = _verdict(Chain(), Request(("NeverTop",), 4, StepsChoice.SERIAL))
    assert (verdict.kind, verdict.depth, verdict.reason) == (INCONCLUSIVE, 0, "z3 gave up")


def test_a_violation_that_does_not_replay_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(system: Any, task: Any, report: Any, *_: Any) -> None:
        initial = tuple(False for _ in system.bits)
        firings = (bounded_search.Firing(0, ()),)
        report(bounded_search.ViolationFound("NeverTop", initial, firings, 1, 0.0))

    monkeypatch.setattr("verifier.engines.bmc.search", lie)
    verdict = _verdict(Chain(), Request(("NeverTop",), 4, StepsChoice.SERIAL))
    assert verdict.kind is VerdictKind.ERROR
    assert verdict.reason is not None
    assert "does not replay" in verdict.reason


def test_a_depth_closed_against_a_violation_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = bounded_search.search

    def contradict(system: Any, task: Any, report: Any, *rest: Any) -> None:
        report(bounded_search.DepthClosed(3, task.properties, 0.0, 0.0))
        real(system, task, report, *rest)

    monkeypatch.setattr("verifier.engines.bmc.search", contradict)
    verdict = _verdict(Chain(), Request(("NeverTop",), 9, StepsChoice.SERIAL))
    assert verdict.kind is VerdictKind.ERROR


@pytest.mark.parametrize("case", KNOWN, ids=_ids)
def test_depths_that_were_closed_before_change_no_verdict(case: Any) -> None:
    protocol, name, depth, kind, length = case
    before = {name: depth if length is None else length - 1}
    request = Request((name,), depth, StepsChoice.SERIAL, "cadical", shortest=True, closed=before)
    verdict = _verdict(protocol, request)
    assert (verdict.kind, verdict.steps) == (kind, length)
    ended = check(build(protocol), replace(request, limits=Limits(0.0, since=0.0))).verdicts
    found = next(one for one in ended if one.property_name == name)
    assert found.kind is INCONCLUSIVE
    assert (-1 if found.depth is None else found.depth) >= before[name]


def test_a_violation_at_a_depth_that_was_closed_before_is_an_error() -> None:
    verdict = _verdict(Chain(), Request(("NeverTop",), 9, closed={"NeverTop": 2}))
    assert verdict.kind is VerdictKind.ERROR


def test_a_depth_is_closed_no_deeper_than_for_what_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(system: Any, task: Any, report: Any, *_: Any) -> None:
        report(bounded_search.DepthClosed(2, task.properties, 0.0, 0.0))
        report(bounded_search.DepthClosed(4, ("NeverTop",), 0.0, 0.0))
        report(bounded_search.SolverGaveUp("gave up"))

    monkeypatch.setattr("verifier.engines.bmc.search", end)
    for closed, depth in (({}, 2), ({"NeverTop": 3}, 3)):
        request = Request(
            ("NeverTop", "StartsLow"), 9, StepsChoice.SERIAL, ending=("StartsLow",), closed=closed
        )
        found = {one.property_name: one.depth for one in check(build(Chain({"top": 9})), request).verdicts}
        assert found["NeverTop"] == depth


def test_children_are_killed_at_the_memory_limit() -> None:
    def eat(report: Any, _: Any) -> None:
        hoard = []
        while True:
            hoard.append(bytearray(2**22))
            time.sleep(0.001)

    with Children(Limits(seconds=30, memory=300 * 2**20)) as children:
        children.start("eater", eat)
        with pytest.raises(Interrupted, match="memory limit of 300 MiB"):
            list(children.events())


def test_what_a_child_reports_arrives_in_order() -> None:
    def count(report: Any, _: Any) -> None:
        for number in range(3):
            report(number)

    with Children(Limits()) as children:
        children.start("counter", count)
        events = list(children.events())
    assert events == [Message("counter", n) for n in range(3)] + [ChildEnded("counter", None)]


class _Searches:
    """Searches that only can be ended."""

    def __init__(self) -> None:
        self.running = ["parallel", "serial", "explore"]

    def kill(self, name: str) -> None:
        self.running.remove(name)


@pytest.mark.parametrize(
    ("closed", "has_candidate", "awaited", "is_ended"),
    [
        ((5, 5), False, (), True),
        ((5, 4), False, (), False),
        ((5, 5), True, (), False),
        ((5, 5), False, ("Up",), False),
    ],
)
def test_serial_search_ends_once_it_can_find_nothing(
    closed: tuple[int, int], has_candidate: bool, awaited: tuple[str, ...], is_ended: bool
) -> None:
    model = build(Chain({"top": 6}))
    checked = _BoundedCheck(model, Request(("NeverTop", "StartsLow"), 5, awaited=awaited), lambda _: None)
    for name, depth in zip(("NeverTop", "StartsLow"), closed, strict=True):
        checked.properties[name].closed = depth
    for name in checked.properties.keys() - {"NeverTop", "StartsLow"}:
        checked.properties[name].closed = 5
    if has_candidate:
        checked.properties["NeverTop"].candidate = object()  # type: ignore[assignment]
    checked.unseen = set(awaited)
    searches = _Searches()
    checked._end_superfluous(searches)  # type: ignore[arg-type]
    assert ("serial" not in searches.running) is is_ended
    assert {"parallel", "explore"} <= set(searches.running)


def test_serial_steps_begin_after_exploration_or_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exploration decides here long before. Without it, nothing is waited for."""
    monkeypatch.setattr(bmc, "_HEAD_START", 600.0)
    model = build(Chain({"top": 6}))
    found = check(model, Request(("NeverTop",), 5))
    assert found.verdicts[0].kind is VerdictKind.HOLDS
    assert found.statistics["searches"]["serial"] == {"solver": bmc.PREFERRED_SOLVER}
    alone = check(model, Request(("NeverTop",), 5, StepsChoice.SERIAL))
    assert alone.verdicts[0].kind is VerdictKind.HOLDS
    assert alone.statistics["searches"]["serial"]["depth"] == 5
