"""Exploration in files, by this process or several: all that it finds is what the search in memory finds."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.engines.test_explore import KAFKA
from tests.engines.test_random_systems import RandomProtocol
from tests.support.level_search import (
    IN_FILES,
    TWO_PROCESSES,
    Here,
    Switching,
    build_small,
    collect_findings,
    everything,
    same,
)
from tests.support.models import build
from tests.support.random_protocols import random_protocol
from tests.support.sampling import rest_slow
from tests.support.toys import Chain, LockServer, Lottery, Overflow, SelfLoop, Unreachable
from verifier.cluster.session import SparkSettings
from verifier.engines import level_search
from verifier.engines.exploration import Beyond, Runner, RunningExploration
from verifier.engines.explore import Request, explore
from verifier.explicit import level_tasks as levels
from verifier.explicit.level_tasks import Expand, Result, Settle, Stage, Task
from verifier.explicit.moves import Moves
from verifier.explicit.performing import perform
from verifier.processes.limits import Limits
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model
from verifier.verdict import VerdictKind

TOYS = [Chain(), SelfLoop(), Unreachable(), Overflow(), LockServer(), Lottery()]


@pytest.mark.parametrize("protocol", TOYS, ids=lambda protocol: type(protocol).__name__)
def test_toys_are_the_same_in_files(protocol: Protocol) -> None:
    model = with_deadlock(build(protocol))
    same(model, everything(model))
    same(model, everything(model, symmetry=True, max_depth=2))
    same(model, Request((model.system.properties[0].name,)))


@pytest.mark.thorough
@pytest.mark.parametrize("spec", BUILT_IN)
def test_protocols_are_the_same_in_files(spec: str) -> None:
    model = build_small(spec)
    depth = 7 if spec in ("bookkeeper", "bookkeeper-4-13", "kafka-async-isr") else None
    same(model, everything(model, max_depth=depth))
    explored = same(model, everything(model, symmetry=True, max_depth=depth))
    assert any(verdict.trace is not None for verdict in explored.verdicts)


def _random(seed: int) -> Model:
    return with_deadlock(build(RandomProtocol({"rules": seed})))


@pytest.mark.parametrize("seed", range(3))
def test_random_systems_are_the_same_in_files(seed: int) -> None:
    model = _random(seed)
    same(model, everything(model))
    same(model, everything(model, symmetry=True))


@pytest.mark.parametrize("seed", rest_slow(range(20), 5))
def test_random_protocols_are_the_same_in_files(seed: int) -> None:
    for model in (_random(100 + seed), with_deadlock(build(random_protocol(seed)[1]))):
        same(model, everything(model, max_depth=6))
        same(model, everything(model, symmetry=True, max_depth=6))


def test_several_processes_find_the_same(kafka: Model) -> None:
    same(kafka, everything(kafka), TWO_PROCESSES)
    same(kafka, everything(kafka, symmetry=True, max_depth=6), TWO_PROCESSES)


@pytest.mark.thorough
def test_with_room_for_few_states_all_is_the_same(kafka: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels in many tasks, successors in many blocks, partitions with many sections, these settled range by
    range, runs merged."""
    monkeypatch.setattr(level_search, "capacity_of", lambda stage, memory: 7)
    monkeypatch.setattr(levels, "_STATES_PER_SECTION", 3)
    monkeypatch.setattr(level_search, "_LEAST_PARTITIONS", 4)
    monkeypatch.setattr(Moves, "chunk", lambda moves, octets=0: 4)
    tasks: list[Task] = []

    def note(stage: Stage, task: Task) -> Result:
        tasks.append(task)
        return perform(stage, task)

    monkeypatch.setattr(level_search, "perform", note)
    same(kafka, everything(kafka))
    model = _random(1)
    same(model, everything(model))
    assert max(task.number for task in tasks if isinstance(task, Expand)) > 3
    assert max(len(task.pieces) for task in tasks if isinstance(task, Settle)) > 3


def test_it_goes_on_in_files_where_memory_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes back to the beginning of the level in which the memory was full."""
    model = with_deadlock(build(load("kip320")({**KAFKA, "replicas": 3})))
    expected = explore(model, everything(model))
    monkeypatch.setattr(level_search, "LEAST_ROOM", 0)
    limit = psutil.Process().memory_info().rss + (1 << 28)
    grown = iter([*[0] * 8, 1 << 40])  # the ninth chunk does not fit
    monkeypatch.setattr("verifier.explicit.table.StateTable.growth", lambda table, coming: next(grown, 0))
    explored = explore(model, everything(model, beyond=Beyond(), limits=Limits(memory=limit)))
    assert collect_findings(explored) == collect_findings(expected)
    assert explored.statistics["bytes_in_files"] > 0


@pytest.mark.thorough
def test_memory_is_too_small_after_all_was_found(kafka: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """The level in which it was found is looked at wholly all the same."""
    request = Request(("WeakIsr",))
    monkeypatch.setattr(Moves, "chunk", lambda moves, octets=0: 4)
    monkeypatch.setattr(level_search, "LEAST_ROOM", -1 << 60)
    expected = collect_findings(explore(kafka, request))
    for fitting in range(58, 100, 2):
        grown = iter([0] * fitting)
        monkeypatch.setattr(
            "verifier.explicit.table.StateTable.growth",
            lambda table, coming, grown=grown: next(grown, 1 << 60),
        )
        explored = explore(kafka, replace(request, beyond=Beyond()))
        assert collect_findings(explored) == expected
        if "bytes_in_files" not in explored.statistics:
            assert fitting > 70
            break


def test_too_little_memory_ends_it(kafka: Model) -> None:
    request = everything(kafka, beyond=IN_FILES, limits=Limits(memory=1000))
    explored = explore(kafka, request)
    assert {verdict.kind for verdict in explored.verdicts} == {VerdictKind.INCONCLUSIVE}
    assert "memory limit" in str(explored.verdicts[0].reason)


def test_more_states_than_asked_for_end_it_at_the_end_of_a_level() -> None:
    model = build_small("kip320")
    explored = explore(model, everything(model, beyond=IN_FILES, max_states=100))
    assert "more than 100 states" in str(explored.verdicts[0].reason)
    assert 100 < explored.statistics["distinct_states"] < 277


def test_the_result_names_the_means_of_each_level(kafka: Model) -> None:
    large = replace(TWO_PROCESSES, large_level=20)
    figures = explore(kafka, everything(kafka, beyond=large)).statistics
    first_level = next(level for level, count in enumerate(figures["levels"]) if count >= 20)
    begin, then = figures["explored_by"][:2]
    assert begin == {"name": "one process", "first_level": 0}
    assert then == {"name": "2 processes", "first_level": first_level}
    assert "explored_by" not in explore(kafka, everything(kafka)).statistics


class Late(Here):
    """Is ready when it was asked some times."""

    asked = 0

    @property
    def ready(self) -> bool:  # type: ignore[override]
        self.asked += 1
        return self.asked > 3


def test_the_search_in_memory_goes_on_until_tasks_can_run(kafka: Model, tmp_path: Path) -> None:
    told: list[int] = []
    beyond = replace(IN_FILES, folder=tmp_path, runner=Late)
    explored = explore(kafka, everything(kafka, beyond=beyond), lambda news: told.append(news.depth))
    assert collect_findings(explored) == collect_findings(explore(kafka, everything(kafka)))
    begun = json.loads((tmp_path / "manifest.json").read_text())["begun"]
    assert len(begun["starts"]) == 4  # levels, of which three were looked at
    assert set(told) >= {0, 1, 2}
    assert max(told) > 3


class Never(Here):
    """Never starts."""

    ready = False


def test_what_is_found_before_tasks_can_run_is_all_that_is_wanted(kafka: Model) -> None:
    explored = explore(kafka, everything(kafka, beyond=replace(IN_FILES, runner=Never)))
    assert "bytes_in_files" not in explored.statistics
    assert collect_findings(explored) == collect_findings(explore(kafka, everything(kafka)))


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_spark_finds_the_same(tmp_path: Path) -> None:
    """From the middle of a level on, with symmetry; the executors' processes know no protocol."""
    clusters: list[Switching] = []

    def on_spark(findings: RunningExploration, folder: Path) -> Runner:
        clusters.append(Switching(findings, SparkSettings("local[2]", tmp_path / "spark.log")))
        return clusters[0]

    model = build_small("rabbit-sac")
    explored = same(model, everything(model, symmetry=True), replace(IN_FILES, runner=on_spark))
    assert explored.statistics["complete"]
    assert clusters[0].done_by_processes == Switching.times
