"""Efforts in rounds: a short time for each, then all of it, then remaining quantifiers."""

from __future__ import annotations

import pytest

from tests.parametric.test_parametric_hints import Shelf, obligation
from verifier.parametric import deciding
from verifier.parametric.deciding import ROUNDS, SOON, STEPS_PER_SECOND, decide
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.guided_search import GuidedSearch
from verifier.parametric.results import Open, Shown
from verifier.solvers import Answer

QUICK = int(ROUNDS[0].seconds * STEPS_PER_SECOND)
AT_MOST_SOON = int(SOON[0].seconds * STEPS_PER_SECOND)
Asked = list[tuple[int, int, int]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The first solver gives up at once, and says what it was asked: the search, the steps, and those for
    a model of all quantifiers."""
    calls: Asked = []

    def give_up(search: GuidedSearch, steps: int, completing: int) -> Answer:
        calls.append((id(search), steps, completing))
        return Answer.UNKNOWN

    monkeypatch.setattr(GuidedSearch, "decide", give_up)
    return calls


def test_a_short_time_comes_first_and_nothing_is_asked_twice(asked: Asked) -> None:
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put")), Open)
    steps = [one for _, one, _ in asked]
    few = next(place for place, one in enumerate(steps) if one > QUICK)
    assert 0 < few <= ROUNDS[0].most
    assert len(set(asked)) == len(asked)
    assert max(steps) == max(
        int(effort.seconds * STEPS_PER_SECOND) for effort in EFFORTS if not effort.hinted
    )


def test_remaining_quantifiers_come_last(asked: Asked) -> None:
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put")), Open)
    completing = [one for *_, one in asked]
    assert completing == sorted(completing)
    assert not completing[0]
    assert {search for search, *_ in asked} == {search for search, _, one in asked if one == completing[-1]}


def test_an_attempt_that_must_succeed_soon_has_no_second_round(asked: Asked) -> None:
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put"), rounds=SOON), Open)
    assert 0 < len(asked) <= SOON[0].most
    assert max(steps for _, steps, _ in asked) <= AT_MOST_SOON


def test_efforts_with_the_named_lemmas_come_before_those_with_all() -> None:
    obligations, one = obligation(Shelf, "EndIsLast", "Put")
    assert obligations.premises.is_hinted(one)
    asked = [effort for _, effort in deciding._in_turn(obligations, one, EFFORTS)]
    first = next(place for place, effort in enumerate(asked) if effort.hinted)
    assert all(effort.own for effort in asked[:first])


def test_what_needs_more_steps_is_shown_in_the_second_round(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = GuidedSearch.decide

    def slow(search: GuidedSearch, steps: int, completing: int) -> Answer:
        return whole(search, steps, completing) if steps > AT_MOST_SOON else Answer.UNKNOWN

    monkeypatch.setattr(GuidedSearch, "decide", slow)
    at = obligation(Shelf, "OneBox", "Put")
    assert isinstance(decide(*at, rounds=SOON), Open)
    assert isinstance(decide(*at), Shown)
