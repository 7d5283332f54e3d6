"""Exploration as one of the searches of bounded model checking."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery
from verifier.encodings.sorts import Range
from verifier.engines import search_by_exploring
from verifier.engines.bmc import Request, check
from verifier.engines.bounded_search import DepthClosed, Event, ViolationFound
from verifier.engines.search_by_exploring import NAME, ExploringSearch, is_worth_trying
from verifier.processes.limits import Limits
from verifier.specs.protocol import Protocol, State, Step, action, invariant
from verifier.verdict import VerdictKind


def _silence(*_: Any) -> None:
    """A search that says nothing."""


def _events(protocol: Any, name: str, depth: int) -> list[Event]:
    told: list[Event] = []
    task = ExploringSearch(depth, (name,), symmetry=True, limits=Limits())
    model = build(protocol)
    search_by_exploring.search_by_exploring(model.asking((name,)), task, told.append)
    return told


def test_it_alone_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.engines.bmc.search", _silence)
    held = check(build(Chain()), Request(("NeverTop",), 1)).verdicts[0]
    assert (held.kind, held.depth, held.found_by) == (VerdictKind.HOLDS, 1, NAME)
    found = check(build(Chain()), Request(("NeverTop",), 99)).verdicts[0]
    assert found.kind is VerdictKind.VIOLATED
    assert found.fewest
    assert found.trace is not None
    assert found.found_by == NAME


def test_a_finished_exploration_closes_every_depth() -> None:
    closed = [
        event for event in _events(LockServer(), "HolderWaitsNoMore", 1000) if isinstance(event, DepthClosed)
    ]
    assert closed[-1].depth == 1000


def test_less_than_the_violation_is_closed_before_it() -> None:
    told = _events(Chain(), "NeverTop", 99)
    place = next(n for n, event in enumerate(told) if isinstance(event, ViolationFound))
    violation, before = told[place], told[place - 1]
    assert isinstance(violation, ViolationFound)
    assert isinstance(before, DepthClosed)
    assert before.depth == violation.steps - 1


def test_too_many_states_close_no_more_than_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_by_exploring, "MOST_STATES", 2)
    monkeypatch.setattr(search_by_exploring, "_MOST_EXPECTED", 2)
    depths = [event.depth for event in _events(Chain(), "NeverTop", 99) if isinstance(event, DepthClosed)]
    assert max(depths, default=-1) < 3
    assert not any(isinstance(event, ViolationFound) for event in _events(Chain(), "NeverTop", 99))


class Tree(Protocol, camel_case=True):
    """At depth n are 3 to the power of n states."""

    branches = Range(1, 3)

    def state(self) -> State:
        return State(place=Range(0, 120))

    def init(self, s: Any) -> Any:
        return s.place == 0

    @action(branch="branches")
    def grow(self, s: Any, branch: Any) -> Step:
        return Step(when=[s.place < 40], then={s.place: 3 * s.place + branch})

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.place <= 120


@pytest.mark.parametrize(("most", "closed"), [(400, 4), (100, 2)])
def test_where_states_are_many_more_are_looked_at_if_few_are_expected(
    most: int, closed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 + 3 + 9 + 27 + 81 states."""
    monkeypatch.setattr(search_by_exploring, "MOST_STATES", 20)
    monkeypatch.setattr(search_by_exploring, "_MOST_EXPECTED", most)
    depths = [event.depth for event in _events(Tree(), "Fine", 4) if isinstance(event, DepthClosed)]
    assert max(depths) == closed


def test_many_moves_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(Lottery())
    assert is_worth_trying(model)
    monkeypatch.setattr(search_by_exploring, "_MOST_MOVES", 6)
    assert not is_worth_trying(model)
