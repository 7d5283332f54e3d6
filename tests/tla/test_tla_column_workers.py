"""Searches by columns in several processes: they find what one process finds, in its order."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil
import pytest

from tests.support.child_processes import list_children
from tests.support.columns import QUIET
from tests.support.command_line import start_verify, verify
from tests.support.tla_modules import specify_module
from tests.support.tla_random_texts import configuration, module
from tests.support.workers import find_with_workers, share_all_columns
from tests.tla.test_tla_workers import BODY, CONFIGURATIONS, LIMITS, SYMMETRIC
from verifier.storage.work_folder import WorkFolder
from verifier.tla.columns.search import Search
from verifier.tla.explorer import Explorer
from verifier.tla.storing import level_keeper
from verifier.tla.storing.checkpoints import read_search
from verifier.tla.workers import column_levels
from verifier.tla.workers.column_pool import ColumnPool
from verifier.tla.workers.division import Division


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return share_all_columns(monkeypatch)


def _compare(folder: Path, body: str, config: str, given: list[str], **options: Any) -> tuple[Any, ...]:
    """Compare one process with two and three. Return what they find."""
    one, _ = find_with_workers(specify_module(folder, body, config), 1, **options)
    for workers in (2, 3):
        given.clear()
        found, _ = find_with_workers(specify_module(folder, body, config), workers, **options)
        assert len(set(given)) > 1
        assert found == one
    return one


@pytest.mark.parametrize(
    "options", [{}, {"keep_going": True}, {"first": True}, {"max_states": 60}, {"max_depth": 3}]
)
@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_what_a_configuration_says(
    config: str, options: dict[str, Any], tmp_path: Path, given: list[str]
) -> None:
    """Counts per level, coverage, states and the first counterexample are those of one process."""
    _compare(tmp_path, BODY, f"INIT Init\nNEXT Next\n{config}", given, **options)


@pytest.mark.parametrize("seed", range(12))
def test_random_modules(seed: int, tmp_path: Path, given: list[str]) -> None:
    text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
    made = specify_module(tmp_path, text, config)
    for options in ({}, LIMITS[seed % len(LIMITS)]):
        one, _ = find_with_workers(made, 1, **options)
        for workers in (2, 3):
            assert find_with_workers(made, workers, **options)[0] == one


@pytest.mark.parametrize(
    "more", ["", "INVARIANT Inv\n", "CONSTRAINT Within\n", "INVARIANT Inv\nCONSTRAINT Within\n"]
)
def test_symmetry(more: str, tmp_path: Path, given: list[str]) -> None:
    config = f"{QUIET}\nCONSTANTS S = {{a, b, c, d}}\nSYMMETRY Sym\n{more}"
    one = _compare(tmp_path, SYMMETRIC, config, given, keep_going=True)
    assert one[6][0] > one[1][0]  # orbits of several states


_MANY = (
    "EXTENDS Naturals, FiniteSets\nVARIABLES x, y\n"
    "Init == x = {} /\\ y = [s \\in {} |-> 0]\nInv == Cardinality(x) < 99\n"
    "Next == \\E s \\in 1..10 : s \\notin x /\\ x' = x \\cup {s} /\\ "
    "y' = [t \\in x \\cup {s} |-> IF t = s THEN Cardinality(x) % 2 ELSE y[t]]\n"
)


def test_many_values_of_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of states grow while workers search, and workers exchange new values."""
    given, fits = share_all_columns(monkeypatch, 50), []
    compute = Search._compute_keys

    def note(self: Search) -> None:
        fits.append(bool(self.later))
        compute(self)

    monkeypatch.setattr(Search, "_compute_keys", note)
    _compare(tmp_path, _MANY, QUIET, given)
    assert any(fits)  # some keys were made again while new states were not yet among the others


def test_workers_that_take_as_long_as_one_process_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = share_all_columns(monkeypatch, 20)
    monkeypatch.setattr(column_levels, "_JUDGED_SECONDS", 0.0)
    monkeypatch.setattr(column_levels, "_MOST_SHARE", -1.0)
    one, _ = find_with_workers(specify_module(tmp_path, _MANY, QUIET), 1)
    explorer = Explorer(specify_module(tmp_path, _MANY, QUIET), properties=(), workers=2)
    explorer.explore()
    assert 0 < len(given) < 9
    assert explorer.columns.search is not None
    assert explorer.workers is not None
    assert explorer.workers.means[-1][0] == 1
    assert explorer.result.levels == one[1][2]


def test_a_worker_that_is_killed_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, give = share_all_columns(monkeypatch), ColumnPool.give

    def kill_later(self: ColumnPool, name: str, *part: int) -> None:
        if len(given) == 9:
            os.kill(self._children._children[name].process.pid, signal.SIGKILL)
        give(self, name, *part)

    monkeypatch.setattr(ColumnPool, "give", kill_later)
    found, _ = find_with_workers(specify_module(tmp_path, _MANY, QUIET), 2)
    assert found[0] == "a worker ended before the search: killed by signal 9"
    assert 0 < found[1][0] == len(found[5][0])
    assert not list_children()


def test_an_interrupt_keeps_what_is_found(tmp_path: Path, given: list[str]) -> None:
    def stop(explorer: Explorer) -> None:
        if explorer.result.distinct > 300:
            raise KeyboardInterrupt

    made = specify_module(tmp_path, _MANY, QUIET)
    explorer = Explorer(made, properties=(), workers=2, enforce=stop)
    with pytest.raises(KeyboardInterrupt):
        explorer.explore()
    assert given
    assert explorer.result.distinct == explorer.count == len(explorer.states) > 300
    assert not list_children()


@pytest.mark.parametrize("full", [False, True])
def test_memory_that_is_nearly_full(full: bool, tmp_path: Path, given: list[str]) -> None:
    """The workers end, and states go to files as with one process."""
    one, _ = find_with_workers(specify_module(tmp_path, _MANY, QUIET), 1)

    def fill(explorer: Explorer) -> None:
        explorer.crowded = explorer.count > 500
        explorer.full = full and explorer.crowded

    explorer = Explorer(specify_module(tmp_path, _MANY, QUIET), properties=(), workers=2, enforce=fill)
    explorer.explore()
    assert given
    assert explorer.in_files == full
    assert explorer.result.levels == one[1][2]
    assert list(explorer.result.taken.items()) == one[2][4]
    assert not list_children()


@pytest.mark.parametrize("config", CONFIGURATIONS[:4])
def test_a_search_continues_from_its_folder(
    config: str, tmp_path: Path, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(level_keeper, "_LEAST_SECONDS", -1.0)
    monkeypatch.setattr(level_keeper, "_TIMES_THE_COST", 0.0)
    whole = f"INIT Init\nNEXT Next\n{config}"
    one, _ = find_with_workers(specify_module(tmp_path, BODY, whole), 1, keep_going=True)
    found: tuple[Any, ...] = ()
    for depth in (2, 4, None):
        made = specify_module(tmp_path, BODY, whole)
        resume = (tmp_path / "work" / "manifest.json").exists()
        with WorkFolder(tmp_path / "work", {}, read_search, resume=resume) as held:
            keeper = level_keeper.LevelKeeper(held, made.evaluator.model_values, resume=resume)
            found, _ = find_with_workers(made, 2, keep_going=True, keeper=keeper, max_depth=depth)
    assert given
    assert found == one


_SHARING = (
    "from verifier.tla.workers import column_levels as shared; "
    "from verifier.tla.columns import level_choice as columns; "
    "columns._LARGE = 1; columns.ByColumns._pays = lambda *_: True; "
    "shared._BEGIN_SECONDS, shared._WORTH_SECONDS, shared._MOST_IN_PART = -1.0, -1.0, 50; "
)


def test_a_killed_worker_ends_a_command_and_another_one_continues(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{_MANY.replace('1..10', '1..11')}====\n")
    (tmp_path / "M.cfg").write_text(f"{QUIET}\nINVARIANT Inv")
    path, work = str(tmp_path / "M.tla"), str(tmp_path / "work")
    keeping = "from verifier.tla.storing import level_keeper; level_keeper._LEAST_SECONDS = 0.0; "
    command = ["explore", path, "--by", "interpreter", "--work", work, "--workers", "2", "--format", "json"]
    running = start_verify(*command, first=keeping + _SHARING)
    deadline, children = time.monotonic() + 60, list[psutil.Process]()
    while not (tmp_path / "work" / "manifest.json").exists() or len(children) < 2:
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
        children = psutil.Process(running.pid).children()
    children[0].kill()
    output, _ = running.communicate()
    assert "a worker ended before the search: killed by signal 9" in str(output)
    assert not psutil.wait_procs(children, timeout=60)[1]
    resumed = json.loads(verify(*command, "--resume").stdout)
    assert resumed["statistics"]["complete"]
    alone = json.loads(verify("explore", path, "--by", "interpreter", "--format", "json").stdout)
    same = ("distinct_states", "generated_states", "levels", "actions")
    assert [resumed["statistics"][name] for name in same] == [alone["statistics"][name] for name in same]


def test_a_division_gives_each_worker_later_states_only() -> None:
    """Each state is given once, whoever is slow."""
    random = np.random.default_rng(1)
    for count in (2, 3, 5):
        division, latest, taken = Division(10, 210, 3, count), [-1] * count, list[int]()
        while division:
            worker = int(random.choice(count, p=np.arange(1, count + 1) / sum(range(count + 1))))
            part = division.take(worker)
            if part is not None:
                assert part[0] > latest[worker]
                latest[worker] = part[0]
                taken += range(*part)
        assert sorted(taken) == list(range(10, 210))
