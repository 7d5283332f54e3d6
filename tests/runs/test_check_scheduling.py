"""The engines that a check starts, when, and with which priority."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier.engines.outcome import Outcome
from verifier.processes.children import ChildEnded, Message
from verifier.runs import check_portfolio
from verifier.runs.check import ENGINE
from verifier.runs.check_children import Built, News, Refusal
from verifier.runs.check_merge import EngineReport, conclude_check
from verifier.runs.check_plan import BMC, EXPLORE, LIVE, PROVE, WALKS, plan, prepare
from verifier.runs.check_portfolio import Portfolio
from verifier.runs.loading import load
from verifier.text.check import CheckText
from verifier.verdict import Verdict, VerdictKind


class Stubs:
    """Children that never run. They record what is asked of them."""

    def __init__(self) -> None:
        self.started: dict[str, Any] = {}
        self.yielding: list[str] = []
        self.events: list[Message | ChildEnded] = []

    @property
    def running(self) -> list[str]:
        return list(self.started)

    def start(self, name: str, options: Any) -> None:
        self.started[name] = options

    def kill(self, name: str) -> None:
        del self.started[name]

    def poll(self, seconds: float) -> list[Message | ChildEnded]:
        return self.events

    def give_way(self, name: str, by: int) -> None:
        assert by > 0
        self.yielding.append(name)


@pytest.fixture
def portfolio(monkeypatch: pytest.MonkeyPatch) -> tuple[Portfolio, Stubs]:
    return _make_portfolio(monkeypatch, ENGINE.options())


def _make_portfolio(
    monkeypatch: pytest.MonkeyPatch, options: Any, spec: str = "rabbit-sac"
) -> tuple[Portfolio, Stubs]:
    monkeypatch.setattr(check_portfolio, "make_work", lambda question, engine, options, name, way: options)
    question = prepare(ENGINE, load(spec, {}), options)
    made, stubs = Portfolio(question, plan(question), lambda _: None), Stubs()
    made.children = stubs  # type: ignore[assignment]
    return made, stubs


def _wait(portfolio: Portfolio, seconds: float) -> None:
    portfolio._began -= seconds
    portfolio._start_provers_in_time()
    portfolio._end_priority_in_time()


def test_provers_do_not_explore_beside_exploration(portfolio: tuple[Portfolio, Stubs]) -> None:
    made, stubs = portfolio
    made._start_first()
    assert PROVE not in stubs.started
    _wait(made, 3)
    assert stubs.started[PROVE].explore is False
    assert stubs.started[EXPLORE].properties == stubs.started[PROVE].properties


@pytest.mark.parametrize("coverage", [False, True])
def test_exploration_goes_on_to_count_formulas(monkeypatch: pytest.MonkeyPatch, coverage: bool) -> None:
    made, stubs = _make_portfolio(monkeypatch, replace(ENGINE.options(), coverage=coverage))
    monkeypatch.setattr(Portfolio, "_open_safety", [])
    made._start_first()
    assert stubs.started[EXPLORE].coverage is coverage
    stubs.started[PROVE] = None
    made._end_superfluous()
    assert PROVE not in stubs.started
    assert (EXPLORE in stubs.started) is coverage


def test_provers_explore_if_nothing_else_does(portfolio: tuple[Portfolio, Stubs]) -> None:
    made, stubs = portfolio
    made._start_first()
    del stubs.started[EXPLORE]
    _wait(made, 0)
    assert stubs.started[PROVE].explore is True


def test_an_exploration_without_end_in_sight_loses_its_priority(portfolio: tuple[Portfolio, Stubs]) -> None:
    made, stubs = portfolio
    made._start_first()
    _wait(made, 10)
    assert stubs.yielding == []
    _wait(made, 30)
    _wait(made, 30)
    assert stubs.yielding == [EXPLORE, LIVE]


def test_walks_of_a_hunt_give_way_to_bounded_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    made, stubs = _make_portfolio(monkeypatch, ENGINE.options(find_bugs=True))
    made._start_first()
    _wait(made, 10)
    assert WALKS not in stubs.yielding
    _wait(made, 6)
    _wait(made, 6)
    assert stubs.yielding.count(WALKS) == 1
    assert not any(name.startswith(BMC) for name in stubs.yielding)


def test_exploration_of_a_hunt_gives_way_once_small_specs_are_explored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, stubs = _make_portfolio(monkeypatch, ENGINE.options(find_bugs=True))
    made._start_first()
    _wait(made, 3)
    assert stubs.yielding == []
    _wait(made, 3)
    assert stubs.yielding == [EXPLORE]
    _wait(made, 3)
    assert stubs.yielding == [EXPLORE]


MODULE = """
---- MODULE Counting ----
EXTENDS Naturals
VARIABLE at
Init == at = 0
Next == at' = (at + 1) % 1000
Low == at < 900
====
"""


def _make_hunt(monkeypatch: pytest.MonkeyPatch, folder: Path, by: str = "auto") -> tuple[Portfolio, Stubs]:
    (folder / "Counting.tla").write_text(MODULE)
    (folder / "Counting.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    options = ENGINE.options(find_bugs=True, seed=3, by=by)
    made, stubs = _make_portfolio(monkeypatch, options, str(folder / "Counting.tla"))
    made._start_first()
    return made, stubs


def test_bounded_searches_of_a_module_wait_for_its_translation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, stubs = _make_hunt(monkeypatch, tmp_path)
    walks = [WALKS, f"{WALKS}, translated"]
    assert [name for name in stubs.started if name != EXPLORE] == walks
    stubs.events = [Message(WALKS, Built(WALKS)), Message(walks[1], Built(walks[1]))]
    made._hear(0)
    searches = [name for name in stubs.started if name not in (EXPLORE, *walks)]
    assert searches[:2] == [f"{BMC}, seed 3", f"{BMC}, seed 4"]
    stubs.events = [Message(walks[1], Built(walks[1])), ChildEnded(walks[1], "out of memory")]
    made._hear(0)
    # It is translated once more, for wider sorts: the searches run already.
    assert [name for name in stubs.started if name not in (EXPLORE, *walks)] == searches


@pytest.mark.parametrize("ends", [False, True])
def test_the_interpreter_walks_on_other_cores_if_there_is_no_translation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends: bool
) -> None:
    made, stubs = _make_hunt(monkeypatch, tmp_path)
    name = f"{WALKS}, translated"
    refusal = Refusal(name, "too large", of_spec=False)
    stubs.events = [ChildEnded(name, "out of memory") if ends else Message(name, refusal)]
    made._hear(0)
    assert not any(one.startswith(BMC) for one in stubs.started)
    other = stubs.started[f"{WALKS}, seed 4"]
    assert (other.by, other.seed, other.guided) == ("interpreter", 4, True)
    assert other.properties == made.plan.safety
    monkeypatch.setattr(Portfolio, "_open_safety", [])
    made._end_superfluous()
    assert not any(one.startswith(WALKS) for one in stubs.started)


def test_a_translation_that_is_asked_for_is_searched_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, stubs = _make_hunt(monkeypatch, tmp_path, "translation")
    assert {WALKS, f"{BMC}, seed 3"} <= set(stubs.started)


def test_the_interpreter_alone_hunts_by_walks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, stubs = _make_hunt(monkeypatch, tmp_path, "interpreter")
    others = {name for name in stubs.started if name != EXPLORE}
    assert {WALKS, f"{WALKS}, seed 4"} <= others
    assert all(stubs.started[name].by == "interpreter" for name in others)


def test_the_first_walks_of_a_hunt_come_before_a_translation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, _ = _make_hunt(monkeypatch, tmp_path)
    made._walkers.append(f"{WALKS}, seed 4")
    names = (WALKS, *made._walkers, f"{WALKS}, translated", f"{BMC}, seed 3")
    ways = [made._give_way(name) for name in names]
    assert ways[:2] == [0, 0]
    assert min(ways[2:]) > 0


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("interrupted", "it grows"),
        ("interrupted, while building the formulas", "it grows"),
        ("timeout of 3 s", "timeout of 3 s"),
    ],
)
def test_an_engine_that_the_check_ends_has_the_reason_of_the_check(
    portfolio: tuple[Portfolio, Stubs], reason: str, expected: str
) -> None:
    made, _ = portfolio
    name = made.plan.temporal[0]
    outcome = Outcome((Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason),), (), {})
    report = EngineReport(LIVE, outcome, (), (), {}, {}, made.question.definition, 0.0)
    done = conclude_check(made.question, made.plan, {LIVE: report}, {}, "it grows")
    assert {one.property_name: one.reason for one in done.outcome.verdicts}[name] == expected


def test_an_engine_that_lacked_memory_starts_again_with_that_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A property was left open at a fifth of the memory while all else had ended."""
    inherited = 2**29
    monkeypatch.setattr("verifier.processes.memory_shares.measure_inherited", lambda: inherited)
    made, stubs = _make_portfolio(monkeypatch, ENGINE.options(memory=inherited + 3 * 2**30))
    made._start_first()
    share = stubs.started[LIVE].memory
    assert share == stubs.started[EXPLORE].memory == inherited + 2**30
    name = made.plan.temporal[0]
    open_ = Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, "memory limit of 1024 MiB")
    report = EngineReport(LIVE, Outcome((open_,), (), {}), (), (), {}, {}, made.question.definition, 0.0)
    del stubs.started[LIVE]
    made._take(LIVE, report)
    stubs.started[PROVE] = None
    made.memory.shares[PROVE] = 2**30
    made._restart_starved()
    assert LIVE not in stubs.started  # others have the rest
    assert made._goes_on
    del stubs.started[EXPLORE]
    made._restart_starved()
    assert stubs.started[LIVE].memory == inherited + 2 * 2**30
    assert stubs.started[LIVE].properties == (name,)
    del stubs.started[LIVE]
    made._take(LIVE, report)
    made._restart_starved()
    assert LIVE not in stubs.started  # once more would not give it twice as much
    del stubs.started[PROVE]
    made._restart_starved()
    assert LIVE not in stubs.started
    assert not made._starved


def test_verdicts_tell_the_seconds_of_the_check(portfolio: tuple[Portfolio, Stubs]) -> None:
    made, _ = portfolio
    first, second = made.plan.safety[0], made.plan.temporal[0]
    decided = Verdict(first, VerdictKind.PROVED, None, 0.5)
    outcome = Outcome((decided,), (), {})
    made.reports[PROVE] = EngineReport(PROVE, outcome, (), (), {}, {}, made.question.definition, 0.5)
    made._began -= 20
    made._tell()
    made._began -= 10
    done = conclude_check(made.question, made.plan, made.known, {}, "")
    seconds = {one.property_name: one.seconds for one in made.time_verdicts(done).outcome.verdicts}
    assert 20 <= seconds[first] < 25
    assert 30 <= seconds[second] < 35


def test_the_line_of_an_engine_that_has_ended_goes() -> None:
    text = CheckText()
    for news in (News("explore", "depth 3", stays=False), News("live", "depth 1", stays=False)):
        assert not list(text.hear(news))
    assert text.now() == "explore: depth 3; live: depth 1"
    assert not list(text.hear(News.end_of("explore")))
    assert text.now() == "live: depth 1"
