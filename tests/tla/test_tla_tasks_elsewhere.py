"""Searches whose states are expanded elsewhere, by workers that know nothing of earlier tasks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.columns import QUIET
from tests.support.tasks_elsewhere import Elsewhere, list_asked, send_all_levels
from tests.support.tla_modules import all_found, specify_module
from tests.support.tla_random_texts import configuration, module
from tests.tla.test_tla_workers import BODY, CONFIGURATIONS, GRID, LIMITS, SYMMETRIC
from verifier.tla.columns import level_choice as columns
from verifier.tla.explorer import Explorer
from verifier.tla.known_states import KnownStates
from verifier.tla.workers.messages import Task
from verifier.tla.workers.stateless_worker import StatelessWorker

AGAIN = (
    "EXTENDS Integers, Sequences\nCONSTANTS a, b\nVARIABLES x, y\n"
    'Init == x = <<>> /\\ y = [m |-> {a, <<1>>}, n |-> "none"]\n'
    "Away(s) == Len(x) < 3 /\\ x' = Append(x, s) /\\ y' = [m |-> {s}, n |-> \"one\"]\n"
    "Back == x # <<>> /\\ x' = <<>> /\\ y' = [m |-> {<<1>>, a}, n |-> \"none\"]\n"
    "Half == Len(x) = 2 /\\ x' = Tail(x) /\\ y' = [y EXCEPT !.m = {a, <<1>>}]\n"
    "Next == Back \\/ Half \\/ \\E s \\in {a, b} : Away(s)\n"
)
"""Values of the initial state come again, made by workers that have not seen it."""
WRONG_STEP = (
    "EXTENDS Naturals, Sequences\nVARIABLES x\nInit == x = <<>>\n"
    "Next == (\\E s \\in 1..3 : Len(x) < 4 /\\ x' = Append(x, s)) \\/ (x = <<3, 2, 1>> /\\ x' = x[4])\n"
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    send_all_levels(monkeypatch, 25)


def find(folder: Path, body: str, config: str, runner: Any = None, **options: Any) -> tuple[Any, ...]:
    """Return all that a search finds."""
    made = specify_module(folder, body, config)
    explorer = Explorer(made, properties=list_asked(made), by_columns=False, runner=runner, **options)
    if runner is not None:
        assert explorer.workers is not None
        assert not explorer.workers.why_alone
    found, _ = all_found(explorer)
    return found


def compare(folder: Path, body: str, config: str, **options: Any) -> tuple[Any, ...]:
    """Compare one process with tasks elsewhere. Return what they find."""
    specify = partial(specify_module, folder, body, config)
    one = find(folder, body, config, **options)
    lost = repeated = 0
    for seed in range(3):
        runner = Elsewhere(specify, seed)
        assert find(folder, body, config, runner, **options) == one
        assert runner.done
        lost, repeated = lost + runner.lost, repeated + runner.repeated
    assert lost
    assert repeated
    return one


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_what_a_configuration_says(config: str, tmp_path: Path) -> None:
    """Invariants, properties of steps, deadlocks, constraints and views: counts, order and executions."""
    whole = f"INIT Init\nNEXT Next\n{config}"
    compare(tmp_path, BODY, whole)
    compare(tmp_path, BODY, whole, keep_going=True)
    compare(tmp_path, BODY, whole, first=True)


@pytest.mark.parametrize("seed", range(6))
def test_random_modules(seed: int, tmp_path: Path) -> None:
    text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
    specify = partial(specify_module, tmp_path, text, config)
    made = specify()
    for options in ({}, LIMITS[seed % len(LIMITS)]):
        one = Explorer(made, properties=list_asked(made), by_columns=False, **options)
        runner = Elsewhere(specify, seed)
        again = specify()
        other = Explorer(again, properties=list_asked(again), by_columns=False, runner=runner, **options)
        assert all_found(other) == all_found(one)


def test_a_deadlock_is_found_where_it_is(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLES x\nInit == x = 0\nNext == x < 40 /\\ x' \\in {x + 1, x + 7}\n"
    one = compare(tmp_path, body, "INIT Init\nNEXT Next")
    assert one[3]


def test_an_error_inside_a_step(tmp_path: Path) -> None:
    one = compare(tmp_path, WRONG_STEP, QUIET)
    assert "M.tla" in one[0]


def test_values_of_the_first_state_that_come_again(tmp_path: Path) -> None:
    """They have one number, though the worker that makes them has never heard of them."""
    one = compare(tmp_path, AGAIN, f"{QUIET}\nCONSTANTS a = a\nb = b", keep_going=True)
    assert one[1][2][0] == 1
    states = one[5][0]
    assert len({tuple(sorted(state.items())) for state in states}) == len(states) > 10


def test_an_infinite_set_is_left_to_one_process(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = {}\n"
        "Next == x < 9 /\\ x' \\in {x + 1, x + 2} /\\ y' = IF x > 4 THEN Nat ELSE {x}\n"
    )
    specify = partial(specify_module, tmp_path, body, QUIET)
    assert find(tmp_path, body, QUIET, Elsewhere(specify, 0)) == find(tmp_path, body, QUIET)


def test_symmetry_is_left_to_one_process(tmp_path: Path) -> None:
    made = specify_module(tmp_path, SYMMETRIC, f"{QUIET}\nCONSTANTS S = {{a, b, c}}\nSYMMETRY Sym")
    explorer = Explorer(made, properties=(), runner=Elsewhere(lambda: made, 0))
    assert explorer.workers is not None
    assert explorer.workers.why_alone == "the configuration has SYMMETRY"


@pytest.mark.parametrize("rival", [0.0, 1e9])
def test_columns_go_on_only_if_they_are_faster_than_many_processes(
    rival: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "_LARGE", 30)
    monkeypatch.setattr(columns, "_TRIED_BESIDE_OTHERS", 0.0)
    specify = partial(specify_module, tmp_path, GRID, QUIET)
    runner = Elsewhere(specify, 0)
    runner.rival = rival
    explorer = Explorer(specify(), properties=(), runner=runner)
    found, by_columns = all_found(explorer)
    assert by_columns is (rival == 0.0)
    one = all_found(Explorer(specify(), properties=(), by_columns=False))[0]
    assert found == one
    assert explorer.workers is not None
    assert explorer.workers.means[-1][0] == (1 if by_columns else 6)


def test_what_is_found_stays_where_nobody_answers_any_more(tmp_path: Path) -> None:
    specify = partial(specify_module, tmp_path, GRID, QUIET)
    whole = find(tmp_path, GRID, QUIET)
    found = find(tmp_path, GRID, QUIET, Elsewhere(specify, 1, tasks=12))
    assert found[0] == "elsewhere nobody is left"
    count = found[1][0]
    assert 3 < count < whole[1][0]
    assert found[5][0] == whole[5][0][:count]
    assert not found[1][5]


class Remembering(StatelessWorker):
    """Drops what an earlier task of this worker had found."""

    remembered: KnownStates | None = None

    def _listen(self, task: Task) -> float:
        began = super()._listen(task)
        if self.remembered is not None:
            for state in self.remembered.states:
                key, number = self.known.find(state)
                if number is None:
                    self.known.add(state, -1, key)
        self.remembered = self.known
        return began


def test_a_worker_that_remembers_earlier_tasks_loses_states(tmp_path: Path) -> None:
    """So the comparison notices if workers are not stateless."""
    one = find(tmp_path, GRID, QUIET)
    specify = partial(specify_module, tmp_path, GRID, QUIET)
    found = [find(tmp_path, GRID, QUIET, Elsewhere(specify, seed, Remembering)) for seed in range(3)]
    assert all(other[1][0] < one[1][0] for other in found)
