"""Efforts in rounds: a short time for each, then all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.parametric.test_parametric_hints import Shelf, obligation
from verifier.parametric import deciding
from verifier.parametric.deciding import ROUNDS, SOON, STEPS_PER_SECOND, decide
from verifier.parametric.efforts import EFFORTS, Effort
from verifier.parametric.results import Open, Shown
from verifier.solvers import Answer
from verifier.solvers.interface import ScriptAnswer
from verifier.solvers.solver_names import decide_script

QUICK = int(ROUNDS[0].seconds * STEPS_PER_SECOND)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The first solver gives up at once, and says what it was asked with how many steps."""
    calls: list[tuple[str, int]] = []

    def give_up(name: str, script: str, assumed: Any, steps: int) -> ScriptAnswer:
        calls.append((script, steps))
        return ScriptAnswer(Answer.UNKNOWN)

    monkeypatch.setattr(deciding, "decide_script", give_up)
    return calls


def test_a_short_time_comes_first_and_nothing_is_asked_twice(asked: list[tuple[str, int]]) -> None:
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put")), Open)
    steps = [one for _, one in asked]
    few = next(place for place, one in enumerate(steps) if one > QUICK)
    assert 0 < few <= ROUNDS[0].most
    assert len(set(asked)) == len(asked)
    assert max(steps) == max(
        int(effort.seconds * STEPS_PER_SECOND) for effort in EFFORTS if not effort.hinted
    )


def test_an_attempt_that_must_succeed_soon_has_no_second_round(asked: list[tuple[str, int]]) -> None:
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put"), rounds=SOON), Open)
    assert 0 < len(asked) <= SOON[0].most
    assert max(steps for _, steps in asked) <= QUICK


def test_a_query_with_many_hypotheses_waits_for_the_second_round(
    asked: list[tuple[str, int]],
) -> None:
    few = (deciding.Round(0.4, 30_000, -1, 6), ROUNDS[1])
    assert isinstance(decide(*obligation(Shelf, "OneBox", "Put"), rounds=few), Open)
    assert asked[0][1] == int(EFFORTS[20].seconds * STEPS_PER_SECOND)


def test_of_too_many_hypotheses_only_the_first_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    obligations, one = obligation(Shelf, "OneBox", "Put")
    choose = obligations.premises.choose_hypotheses
    made = dict[int, int]()

    def count(of: Any, effort: Effort) -> Iterator[Any]:
        number = EFFORTS.index(effort)
        for hypothesis in choose(of, effort):
            made[number] = made.get(number, 0) + 1
            yield hypothesis

    monkeypatch.setattr(obligations.premises, "choose_hypotheses", count)
    few = 2
    assert isinstance(decide(obligations, one, rounds=(deciding.Round(0.4, 30_000, few, 24),)), Open)
    assert max(made.values()) == few + 1


def test_efforts_with_the_named_lemmas_come_before_those_with_all() -> None:
    obligations, one = obligation(Shelf, "EndIsLast", "Put")
    assert obligations.premises.is_hinted(one)
    asked = [effort for _, effort in deciding._in_turn(obligations, one, EFFORTS)]
    first = next(place for place, effort in enumerate(asked) if effort.hinted)
    assert all(effort.own for effort in asked[:first])


def test_what_needs_more_steps_is_shown_in_the_second_round(monkeypatch: pytest.MonkeyPatch) -> None:

    def slow(name: str, script: str, assumed: Any, steps: int) -> ScriptAnswer:
        return decide_script(name, script, assumed, steps) if steps > QUICK else ScriptAnswer(Answer.UNKNOWN)

    monkeypatch.setattr(deciding, "decide_script", slow)
    at = obligation(Shelf, "OneBox", "Put")
    assert isinstance(decide(*at, rounds=SOON), Open)
    assert isinstance(decide(*at), Shown)
