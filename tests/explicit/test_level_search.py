"""Exploration in files, by this process or several: all that it finds is what the search in memory finds."""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.engines.test_explore import KAFKA, SMALL
from tests.engines.test_random_systems import RandomProtocol
from tests.support.command_line import LOCK, ROOT, verify, wrong
from tests.support.level_search import (
    IN_FILES,
    TWO_PROCESSES,
    Here,
    Switching,
    collect_findings,
    everything,
    same,
)
from tests.support.models import build
from tests.support.random_protocols import random_protocol
from tests.support.sampling import rest_slow
from tests.support.toys import Chain, LockServer, Lottery, Overflow, SelfLoop, Unreachable
from verifier.cluster.session import SparkSettings
from verifier.engines import level_search, task_processes
from verifier.engines.exploration import Beyond, Runner
from verifier.engines.explore import Progress, Request, explore
from verifier.engines.findings import Findings
from verifier.errors import UsageError
from verifier.explicit import level_tasks as levels
from verifier.explicit import settling
from verifier.explicit.blocks import Damaged, Shelf
from verifier.explicit.level_tasks import (
    CHUNK_SHIFT,
    MOVE_BITS,
    PLACE_BITS,
    Expand,
    Result,
    Settle,
    Settled,
    Stage,
    Task,
    capacity_of,
    keys_of_chunk,
    parse_key,
)
from verifier.explicit.moves import MOST_MOVES, Moves
from verifier.explicit.orbits import Orbits
from verifier.explicit.performing import perform
from verifier.explicit.scattering import SPACE, bounds, columns_of, parts_of, rows_of
from verifier.explicit.sections import Sections, in_sections, join_sections, sections
from verifier.explicit.sorted_states import contains, distinct, merge_runs, mostly_distinct
from verifier.processes.cores import cores
from verifier.processes.limits import Limits
from verifier.runs.table import engine_named
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model
from verifier.verdict import VerdictKind

TOYS = [Chain(), SelfLoop(), Unreachable(), Overflow(), LockServer(), Lottery()]


def _small(spec: str) -> Model:
    return with_deadlock(build(load(spec)(dict(SMALL.get(spec, KAFKA)))))


@pytest.fixture(scope="module")
def kafka() -> Model:
    return _small("kafka-truncate-hw")


@pytest.mark.parametrize("protocol", TOYS, ids=lambda protocol: type(protocol).__name__)
def test_toys_are_the_same_in_files(protocol: Protocol) -> None:
    model = with_deadlock(build(protocol))
    same(model, everything(model))
    same(model, everything(model, symmetry=True, max_depth=2))
    same(model, Request((model.system.properties[0].name,)))


@pytest.mark.thorough
@pytest.mark.parametrize("spec", BUILT_IN)
def test_protocols_are_the_same_in_files(spec: str) -> None:
    model = _small(spec)
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
    model = _small("kip320")
    explored = explore(model, everything(model, beyond=IN_FILES, max_states=100))
    assert "more than 100 states" in str(explored.verdicts[0].reason)
    assert 100 < explored.statistics["distinct_states"] < 277


# -- going on


def _interrupting(depth: int) -> Any:
    def interrupt(news: Progress) -> None:
        if news.depth >= depth and news.violated is None:
            raise KeyboardInterrupt

    return interrupt


def test_what_was_interrupted_goes_on(kafka: Model, tmp_path: Path) -> None:
    request = everything(kafka)
    expected, beyond = explore(kafka, request), replace(IN_FILES, folder=tmp_path / "states")
    first = explore(kafka, replace(request, beyond=beyond), _interrupting(3))
    assert first.verdicts[0].reason == "interrupted"
    assert first.verdicts[0].depth == 3
    resumed = replace(beyond, resume=True)
    second = explore(kafka, replace(request, beyond=resumed), _interrupting(6))
    assert second.verdicts[0].depth == 6
    for _ in range(2):  # one that has ended says again what it found
        again = explore(kafka, replace(request, beyond=resumed))
        assert collect_findings(again) == collect_findings(expected)
    assert again.statistics["states_per_second"] == 0  # it found none
    shallow = explore(kafka, replace(request, beyond=resumed, keep_going=False))
    assert shallow.statistics["complete"]


def test_orbits_of_any_size_are_counted_on(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their number may have more digits than are read in a file of anyone."""
    monkeypatch.setattr(Orbits, "sizes", lambda orbits, rows: np.full(len(rows), 10**30, object))
    request = everything(kafka, symmetry=True, max_depth=6)
    beyond = replace(IN_FILES, folder=tmp_path)
    explore(kafka, replace(request, beyond=beyond), _interrupting(4))
    resumed = explore(kafka, replace(request, beyond=replace(beyond, resume=True)))
    assert collect_findings(resumed) == collect_findings(explore(kafka, request))
    assert resumed.statistics["states_in_orbits"] == resumed.statistics["distinct_states"] * 10**30


def test_a_folder_goes_with_one_exploration(kafka: Model, tmp_path: Path) -> None:
    folder = tmp_path / "states"
    beyond = Beyond(folder, runner=IN_FILES.runner, large_level=1, question={"properties": ["A"]})
    explore(kafka, everything(kafka, beyond=beyond))
    with pytest.raises(UsageError, match="holds an exploration: --resume"):
        explore(kafka, everything(kafka, beyond=beyond))
    other = replace(beyond, resume=True, question={"properties": ["B"]})
    with pytest.raises(UsageError, match="another exploration: of another properties"):
        explore(kafka, everything(kafka, beyond=other))
    model = _small("kip101")
    with pytest.raises(UsageError, match="another exploration: of another steps"):
        explore(model, everything(model, beyond=replace(beyond, resume=True)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    with pytest.raises(UsageError, match="has other files"):
        explore(kafka, everything(kafka, beyond=replace(beyond, folder=tmp_path / "full")))
    with pytest.raises(UsageError, match="cannot be used"):
        explore(kafka, everything(kafka, beyond=replace(beyond, folder=tmp_path / "no", resume=True)))


def test_damaged_files_are_refused(kafka: Model, tmp_path: Path) -> None:
    beyond = replace(IN_FILES, folder=tmp_path / "states")
    explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    resumed = everything(kafka, beyond=replace(beyond, resume=True))
    block = next((tmp_path / "states" / "states").glob("*.run"))
    whole = block.read_bytes()
    block.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    with pytest.raises(UsageError, match="is damaged"):
        explore(kafka, resumed)
    block.write_bytes(whole[:-8])
    with pytest.raises(UsageError, match="bytes and not"):
        explore(kafka, resumed)
    block.unlink()
    with pytest.raises(UsageError, match="is missing"):
        explore(kafka, resumed)
    manifest = tmp_path / "states" / "manifest.json"
    content = json.loads(manifest.read_text())
    for wrong_content in ({}, {**content, "runs": []}, {**content, "format": 1}, {**content, "levels": [1]}):
        manifest.write_text(json.dumps(wrong_content))
        with pytest.raises(UsageError, match="is no manifest"):
            explore(kafka, resumed)


def test_a_count_that_was_changed_is_refused(kafka: Model, tmp_path: Path) -> None:
    """A digit of the manifest is as good as a block."""
    beyond = replace(IN_FILES, folder=tmp_path)
    explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    resumed = everything(kafka, beyond=replace(beyond, resume=True))
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text()
    generated = json.loads(text)["counts"]["tally"]["generated"]
    manifest.write_text(text.replace(f'"generated": {generated}', f'"generated": {generated + 1}'))
    with pytest.raises(UsageError, match="is no manifest of an exploration: it is damaged"):
        explore(kafka, resumed)
    manifest.write_text(text)
    assert collect_findings(explore(kafka, resumed)) == collect_findings(explore(kafka, everything(kafka)))


@pytest.mark.parametrize("resume", [False, True])
def test_files_of_others_stay(kafka: Model, tmp_path: Path, resume: bool) -> None:
    beyond = replace(IN_FILES, folder=tmp_path, resume=resume)
    mine = tmp_path / "states" / "mine.txt"
    mine.parent.mkdir()
    mine.touch()
    with pytest.raises(UsageError, match=r"has other files \(states/mine.txt\)"):
        explore(kafka, everything(kafka, beyond=beyond))
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [mine]
    mine.unlink()
    elsewhere = tmp_path / "mine.txt"
    elsewhere.touch()
    with pytest.raises(UsageError, match=r"has other files \(mine.txt\)"):
        explore(kafka, everything(kafka, beyond=beyond))
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("resume", [False, True])
def test_a_file_is_not_ours_because_its_name_is_like_ours(kafka: Model, tmp_path: Path, resume: bool) -> None:
    beyond = replace(IN_FILES, folder=tmp_path)
    if resume:
        explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    mine = tmp_path / "states" / "20261124-results.csv"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match=r"has other files \(states/20261124-results.csv\)"):
        explore(kafka, everything(kafka, beyond=replace(beyond, resume=resume)))
    assert mine.read_text() == "mine"


def test_what_arrives_among_the_blocks_stays(kafka: Model, tmp_path: Path) -> None:
    beyond, mine = replace(IN_FILES, folder=tmp_path), tmp_path / "states" / "20261124-results.csv"
    request = everything(kafka, beyond=beyond)
    interrupting = _interrupting(5)

    def arrives(*news: Any) -> None:
        mine.write_text("mine")
        interrupting(*news)

    explore(kafka, request, arrives)
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["states", "manifest.json", "runs.json", "lock", "spark.log"])
@pytest.mark.parametrize("resume", [False, True])
def test_links_in_a_folder_are_not_followed(kafka: Model, tmp_path: Path, name: str, resume: bool) -> None:
    folder, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir() if name == "states" else elsewhere.write_text("mine")
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f"{name} in it is a link, which is not followed"):
        explore(kafka, everything(kafka, beyond=replace(IN_FILES, folder=folder, resume=resume)))
    assert list(elsewhere.iterdir()) == [] if name == "states" else elsewhere.read_text() == "mine"
    assert [file.name for file in folder.iterdir()] == [name]


def test_a_link_to_a_block_is_not_followed(kafka: Model, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "work", tmp_path / "block"
    beyond = replace(IN_FILES, folder=folder)
    explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    block = max((folder / "states").iterdir())
    block.rename(elsewhere)
    block.symlink_to(elsewhere)
    with pytest.raises(UsageError, match=f"states/{block.name} in it is a link, which is not followed"):
        explore(kafka, everything(kafka, beyond=replace(beyond, resume=True)))
    assert block.is_symlink()
    assert elsewhere.is_file()


def test_blocks_that_a_killed_search_left_are_removed(kafka: Model, tmp_path: Path) -> None:
    """They begin as it said that they would."""
    beyond = replace(IN_FILES, folder=tmp_path)
    explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    (run,) = json.loads((tmp_path / "runs.json").read_text())
    left = [tmp_path / "states" / f"{dot}{run}left" for dot in ("", ".")]
    for file in left:
        file.touch()
    explore(kafka, everything(kafka, beyond=replace(beyond, resume=True)))
    assert not any(file.exists() for file in left)


def test_an_empty_folder_is_begun_in(kafka: Model, tmp_path: Path) -> None:
    """Also where it is said to go on: it may have ended before the first file."""
    (tmp_path / ".manifest.json.0123.tmp").touch()
    explored = explore(kafka, everything(kafka, beyond=replace(IN_FILES, folder=tmp_path, resume=True)))
    assert collect_findings(explored) == collect_findings(explore(kafka, everything(kafka)))


def test_who_asks_for_less_than_there_is_gets_no_more(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "_STATES_PER_SECTION", 4)
    beyond = replace(IN_FILES, folder=tmp_path)
    explore(kafka, everything(kafka, beyond=beyond, max_depth=6))
    resumed = replace(beyond, resume=True)
    with pytest.raises(UsageError, match=r"is at depth 6, .* --depth 5 is too small"):
        explore(kafka, everything(kafka, beyond=resumed, max_depth=5))
    few = explore(kafka, everything(kafka, beyond=resumed, max_states=10))
    assert few.statistics["levels"] == explore(kafka, everything(kafka, max_depth=5)).statistics["levels"]
    assert "more than 10 states" in str(few.verdicts[0].reason)
    for depth in (6, 7, 7):
        asked = everything(kafka, max_depth=depth)
        assert collect_findings(explore(kafka, replace(asked, beyond=resumed))) == collect_findings(
            explore(kafka, asked)
        )


@pytest.mark.thorough
@pytest.mark.parametrize(("lasting", "partitions"), [(False, 1), (False, 2), (True, 2)])
def test_the_last_level_is_written_only_if_someone_may_go_on_from_it(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lasting: bool, partitions: int
) -> None:
    """All that is found is the same: also the first of several failures, in whatever partitions they are, and
    where what was asked for is decided one level before the last."""
    monkeypatch.setattr(Moves, "chunk", lambda moves, octets=0: 1)
    monkeypatch.setattr(levels, "_STATES_PER_SECTION", 2)
    monkeypatch.setattr(level_search, "_LEAST_PARTITIONS", partitions)
    monkeypatch.setattr(level_search, "_PARTITIONS_PER_SLOT", partitions)
    written: dict[int, bool] = {}

    def watch(stage: Stage, task: Task) -> Result:
        result = perform(stage, task)
        if isinstance(result, Settled) and isinstance(task, Settle) and result.count:
            written[task.level] = bool(result.parts)
        return result

    monkeypatch.setattr(level_search, "perform", watch)
    whole = explore(kafka, everything(kafka))
    failing = {v.property_name: v.depth for v in whole.verdicts if v.trace is not None and v.depth}
    assert len(failing) > 1
    for depth in sorted({depth + more for depth in failing.values() for more in (0, 1)}):
        for names in (None, *((name,) for name in failing)):
            asked = everything(kafka, max_depth=depth)
            if names is not None:
                asked = replace(asked, properties=names, keep_going=False)
            folder = tmp_path / f"{depth}-{names}" if lasting else None
            written.clear()
            same(kafka, asked, replace(IN_FILES, folder=folder))
            assert all(found == (lasting or level < depth) for level, found in written.items())


def test_a_task_of_a_killed_search_that_still_runs_changes_nothing(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files have other names than those of the search that goes on, which divides levels otherwise."""
    stages: list[tuple[Stage, Task]] = []

    def note(stage: Stage, task: Task) -> Result:
        stages.append((stage, task))
        return perform(stage, task)

    beyond = replace(IN_FILES, folder=tmp_path / "states")
    monkeypatch.setattr(level_search, "perform", note)
    explore(kafka, everything(kafka, beyond=beyond), _interrupting(5))
    late = [(stage, task) for stage, task in stages if isinstance(task, Expand)][-1]

    def disturb(stage: Stage, task: Task) -> Result:
        result = perform(stage, task)
        if isinstance(task, Expand) and task.level == late[1].level + 1:
            with suppress(Damaged, OSError):
                perform(late[0], replace(late[1], level=task.level, parts=task.parts, count=1))
        return result

    monkeypatch.setattr(level_search, "perform", disturb)
    again = explore(kafka, everything(kafka, beyond=replace(beyond, resume=True)))
    assert collect_findings(again) == collect_findings(explore(kafka, everything(kafka)))


def test_keys_have_room_for_all_moves_and_places() -> None:
    assert MOST_MOVES <= 1 << MOVE_BITS
    moves = Moves(build(Chain()))
    assert moves.chunk(1 << 62) <= 1 << PLACE_BITS
    sources = np.array([0, (1 << PLACE_BITS) - 1])
    for chunk, move in ((0, 0), (12345, MOST_MOVES - 1), ((1 << 33) - 1, 7)):
        parsed = [parse_key(key) for key in keys_of_chunk(chunk, move, sources).tolist()]
        assert parsed == [(chunk, move, place) for place in sources.tolist()]


# -- what goes wrong


@pytest.mark.parametrize("written", [0, 3, 40, 100])
def test_a_full_disk_ends_it_and_it_goes_on_when_there_is_room(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    beyond = replace(IN_FILES, folder=tmp_path / "states")
    expected = explore(kafka, everything(kafka))
    write, left = os.pwrite, iter(range(written))

    def full(*arguments: Any) -> int:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(*arguments)

    monkeypatch.setattr(os, "pwrite", full)
    explored = explore(kafka, everything(kafka, beyond=beyond))
    assert not explored.statistics["complete"]
    ended = [verdict for verdict in explored.verdicts if verdict.trace is None]
    assert {verdict.kind for verdict in ended} == {VerdictKind.INCONCLUSIVE}
    assert all("no space left on device" in str(verdict.reason) for verdict in ended)
    levels = expected.statistics["levels"]
    assert explored.statistics["levels"] == levels[: len(explored.statistics["levels"])]
    monkeypatch.undo()
    assert not [file for file in tmp_path.rglob("*") if file.suffix == ".draft"]
    again = explore(kafka, everything(kafka, beyond=replace(beyond, resume=True)))
    assert collect_findings(again) == collect_findings(expected)


def test_files_that_may_not_grow_end_it() -> None:
    """By the system's own refusal, in processes."""
    script = (
        "import resource, signal; from tests.explicit.test_level_search import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\n"
        "model = build(LockServer())\n"
        "found = explore(model, everything(model, beyond=TWO_PROCESSES))\n"
        "print(found.verdicts[0].kind, found.verdicts[0].reason)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout.startswith("INCONCLUSIVE"), done.stderr
    assert "file too large" in done.stdout


def _lose_tasks(monkeypatch: pytest.MonkeyPatch, marks: Path, times: int) -> None:
    """So many tasks end their process."""

    def attempt(stage: Stage, task: Task) -> Any:
        for number in range(times):
            try:
                (marks / str(number)).touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return perform(stage, task)

    monkeypatch.setattr(task_processes, "attempt", attempt)


def test_tasks_of_a_process_that_is_killed_are_done_again(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lose_tasks(monkeypatch, tmp_path, 2)
    same(kafka, everything(kafka, max_depth=4), TWO_PROCESSES)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_task_that_always_ends_its_process_ends_the_exploration(
    kafka: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _lose_tasks(monkeypatch, tmp_path, 1000)
    explored = explore(kafka, everything(kafka, beyond=TWO_PROCESSES))
    assert "ended 3 times at one task: killed by signal 9" in str(explored.verdicts[0].reason)
    assert not psutil.Process().children()


def test_the_result_names_the_means_of_each_level(kafka: Model) -> None:
    large = replace(TWO_PROCESSES, large_level=20)
    figures = explore(kafka, everything(kafka, beyond=large)).statistics
    first_level = next(level for level, count in enumerate(figures["levels"]) if count >= 20)
    begin, then = figures["explored_by"][:2]
    assert begin == {"name": "one process", "first_level": 0}
    assert then == {"name": "2 processes", "first_level": first_level}
    assert "explored_by" not in explore(kafka, everything(kafka)).statistics


@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_spark_that_does_nothing_yet_is_said_at_once() -> None:
    result = verify("explore", LOCK, "--master", "local[2]")
    assert "Spark starts after 100,000,000 successors" in result.stderr.splitlines()[1]
    assert "Explored by one process (levels 0 to" in result.stdout


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


# -- the parts


def _columns(rng: np.random.Generator, count: int, *, narrow: bool) -> list[Any]:
    """Random columns; narrow ones have many equal first words."""
    most = 20 if narrow else 1 << 63
    return [rng.integers(0, most, count, np.uint64), rng.integers(0, 20, count, np.uint64)]


def _pairs(columns: Sequence[Any]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("narrow", [False, True])
def test_states_with_equal_hashes_are_kept_apart(tmp_path: Path, narrow: bool) -> None:
    rng, shelf = np.random.default_rng(5), Shelf(tmp_path)
    for count in (1, 5, 2000):
        columns, keys = _columns(rng, count, narrow=narrow), rng.permutation(count).astype(np.uint64)
        least: dict[tuple[int, ...], int] = {}
        for state, key in zip(_pairs(columns), keys.tolist(), strict=True):
            least[state] = min(key, least.get(state, key))
        order = np.argsort(keys)  # as successors come
        different, places = distinct([column[order] for column in columns])
        first = keys[order][places]
        assert _pairs([*different, first]) == [(*state, key) for state, key in sorted(least.items())]
        known = sorted(set(_pairs(_columns(rng, count, narrow=narrow))) | set(_pairs(different)[::3]))
        block = shelf.write(f"run{count}", list(np.array(known, np.uint64).T))
        for part in (block.whole(), block.whole().part(len(known) // 2, len(known))):
            there = set(known[part.start : part.end])
            assert contains(shelf, different, part).tolist() == [
                state in there for state in _pairs(different)
            ]
            few = [column[:1] for column in different]  # searched in, and not read
            assert contains(shelf, few, part).tolist() == [state in there for state in _pairs(few)]


def test_states_whose_hashes_begin_alike_are_ordered_all_the_same() -> None:
    """Only the upper half of a hash is sorted by digits: of thousands of states some have it in common."""
    rng = np.random.default_rng(7)
    for prefixes in (1, 40, 1 << 31):
        first = rng.integers(0, prefixes, 3000, np.uint64) << np.uint64(32)
        columns = [first | rng.integers(0, 3, 3000, np.uint64), rng.integers(0, 3, 3000, np.uint64)]
        columns = [np.concatenate([column, column[::-1]]) for column in columns]
        states = _pairs(columns)
        least = {state: place for place, state in reversed(list(enumerate(states)))}
        different, places = distinct(columns)
        assert _pairs(different) == sorted(least)
        assert places.tolist() == [least[state] for state in sorted(least)]


@pytest.mark.parametrize("alike", [False, True])
def test_most_duplicates_are_left_out_and_nothing_else(alike: bool) -> None:
    """Each state stays where it came first. States of one slot are compared: alike, all are of one."""
    rng = np.random.default_rng(8)
    for count in (0, 1, 2, 5000):
        columns = [rng.integers(0, max(1, count // 3), count, np.uint64) for _ in range(2)]
        columns[1] %= np.uint64(2)
        if not alike:
            columns[0] *= np.uint64(0x9E3779B97F4A7C15)
        stays = mostly_distinct(columns)
        assert np.array_equal(stays, np.unique(stays))
        states = _pairs(columns)
        firsts = {state: place for place, state in reversed(list(enumerate(states)))}
        assert set(firsts.values()) <= set(stays.tolist())
        if count > 2:
            assert len(stays) < count
        if count > 2 and not alike:
            assert len(stays) < len(firsts) * 1.5 < count


@pytest.mark.parametrize(
    ("bits", "beyond", "span", "fits"),
    [
        (64 * 2 + 20, 0, 1 << 44, True),
        (64 * 2 + 20, 0, (1 << 44) + 1, False),
        (64 * 2 + 20, 1 << 63, 1 << 44, False),
        (64 * 2 + 63, 0, 2, True),
        (64 * 3, 0, 1, False),
        (64, 0, 1, False),
    ],
)
def test_sections_are_read_as_they_were_written(
    tmp_path: Path, bits: int, beyond: int, span: int, fits: bool
) -> None:
    """Keys are in the last word where it has room for all of them, and no state has a bit there."""
    rng, shelf, words = np.random.default_rng(9), Shelf(tmp_path), -(-bits // 64)
    columns = [rng.integers(0, 1 << 64, 100, np.uint64, endpoint=False) for _ in range(words)]
    columns[-1] &= np.uint64((1 << bits - 64 * (words - 1)) - 1)
    columns[-1][99] |= np.uint64(beyond)
    least = (5 << CHUNK_SHIFT) - 1
    keys = np.sort(rng.integers(least, least + span, 100, np.uint64))
    keys[[0, -1]] = least, least + span - 1
    order, limits = rng.permutation(100)[:80], (0, 0, 30, 80)
    expected = [column[np.concatenate([order[30:80], order[:30]])] for column in (*columns, keys)]
    written, least_key = join_sections(columns, keys, bits)
    assert (least_key, len(written)) == ((least, words) if fits else (None, words + 1))
    block = shelf.write("some", [sections(written, order, limits)], lasting=False)
    (one, first), (two, second) = Sections(block, limits, least_key).each()
    assert (one, two, first.count, second.count) == (1, 2, 30, 50)
    assert np.array_equal(in_sections(shelf, [second, first], words, bits), expected)
    (tmp_path / "some").write_bytes((tmp_path / "some").read_bytes()[:-8])
    with pytest.raises(Damaged):
        in_sections(shelf, [first, second], words, bits)


@pytest.mark.parametrize("parts", [1, 2, 16, 1 << 16])
def test_states_are_in_the_part_whose_bounds_they_lie_in(parts: int) -> None:
    limits = bounds(parts)
    values = [limit + more for limit in limits for more in (-1, 0, 1)] + [123 << 55]
    first = np.array([value for value in values if 0 <= value < SPACE], np.uint64)
    for value, part in zip(first.tolist(), parts_of(first, parts).tolist(), strict=True):
        assert limits[part] <= value < limits[part + 1]


def test_runs_are_merged_range_by_range(tmp_path: Path) -> None:
    rng, shelf = np.random.default_rng(6), Shelf(tmp_path)
    states = sorted(set(_pairs([rng.integers(0, 1 << 63, 999, np.uint64) * np.uint64(2)] * 2)))
    one, other = (np.array(states[start::2], np.uint64).T for start in (0, 1))
    runs = [(shelf.write("one", list(one)).whole(),), (shelf.write("other", list(other)).whole(),)]
    for capacity in (10, 100_000):
        (part,) = merge_runs(shelf, runs, f"both{capacity}", (0, SPACE), capacity)
        shelf.check(part.block)
        assert _pairs([shelf.read(part, 0), shelf.read(part, 1)]) == states


@pytest.mark.parametrize("few", [0, 1, settling.FEW_RUNS])
def test_however_many_runs_are_left_all_is_the_same(
    kafka: Model, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    most: list[int] = []

    def note(stage: Stage, task: Task) -> Result:
        if isinstance(task, Settle):
            most.append(len(task.runs))
        return perform(stage, task)

    monkeypatch.setattr(settling, "FEW_RUNS", few)
    monkeypatch.setattr(level_search, "perform", note)
    same(kafka, everything(kafka))
    assert max(most) > 1  # otherwise nothing is looked up in several runs


@pytest.mark.parametrize("growth", [0.0, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0])
def test_runs_stay_few_and_are_seldom_written_anew(growth: float) -> None:
    runs: list[int] = []
    found = written = 0
    for level in range(60):
        new = max(1, int(1000 * growth**level))
        runs.append(new)
        found += new
        first = settling.first_to_merge(runs)
        if first < len(runs) - 1:
            runs[first:] = [sum(runs[first:])]
            written += runs[first]
        assert sum(runs) == found
        assert len(runs) <= settling.FEW_RUNS or all(old >= 2 * new for old, new in pairwise(runs))
    assert written <= found * math.log(found, 1.5)
    assert growth < 2 or written < found  # while levels grow, less is written again than is found


def test_a_run_that_is_much_larger_is_not_written_with_small_ones() -> None:
    assert settling.first_to_merge([]) == -1
    assert settling.first_to_merge([5]) == 0
    assert settling.first_to_merge([1] * settling.FEW_RUNS) == settling.FEW_RUNS - 1
    assert settling.first_to_merge([1] * (settling.FEW_RUNS + 1)) == 0
    assert settling.first_to_merge([1000, 1, 1, 1, 1]) == 1
    assert settling.first_to_merge([10_000, 1000, 100, 10, 1]) == 4


@pytest.mark.parametrize("words", [1, 2, 5])
def test_scattered_states_are_the_same_states(words: int) -> None:
    rows = np.random.default_rng(words).integers(0, 1 << 63, (4000, words), np.uint64)
    rows[:2000, 0] = np.arange(2000)
    columns = columns_of(rows)
    assert np.array_equal(rows_of(columns), rows)
    parts = np.histogram(columns[0], np.array(bounds(8)[:-1] + [SPACE - 1], np.float64))[0]
    assert parts.min() > 400


def test_blocks_know_their_size_and_content(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    block = shelf.write("some", [np.arange(10, dtype=np.uint64), np.arange(10, 20, dtype=np.uint64)])
    assert shelf.read(block.whole().part(3, 5), 1).tolist() == [13, 14]
    assert len(shelf.narrow(block.whole(), 2, 7)) == 5
    (tmp_path / "some").write_bytes((tmp_path / "some").read_bytes()[:-8])
    with pytest.raises(Damaged):
        shelf.read(block.whole(), 1)
    with pytest.raises(Damaged):
        shelf.map_file(block.whole(), 0)


@pytest.mark.parametrize("symmetry", [False, True])
def test_what_is_sent_to_other_machines_needs_no_protocol(symmetry: bool, tmp_path: Path) -> None:
    model = build(load("rabbit-sac")(dict(SMALL["rabbit-sac"])))
    moves = Moves(model)
    stage = Stage(tmp_path, moves, Orbits(model) if symmetry else None, 4)
    sent = pickle.dumps(stage.alone())
    assert b"pysmt" not in sent
    assert b"Model" not in sent
    received = pickle.loads(sent)
    assert received.transitions.digest == moves.digest
    assert capacity_of(received, 1 << 30) == capacity_of(stage, 1 << 30)
    rows = np.random.default_rng(1).integers(0, 1 << 62, (500, moves.words), np.uint64)
    rows &= np.uint64((1 << moves.bits) - 1)
    if symmetry:
        assert np.array_equal(received.orbits.representatives(rows), stage.orbits.representatives(rows))  # type: ignore[union-attr]
    for one, other in zip(
        moves.successors(moves.look(rows)),
        received.transitions.successors(received.transitions.look(rows)),
        strict=True,
    ):
        assert (one.move, one.rows.tolist()) == (other.move, other.rows.tolist())


# -- the command


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    assert "--resume needs --work" in wrong("explore", LOCK, "--resume")
    assert "exclude each other" in wrong("explore", LOCK, "--workers", "2", "--master", "local[2]")
    assert "need --master" in wrong("explore", LOCK, "--conf", "a=b")
    assert "it takes an integer from 1" in wrong("explore", LOCK, "--workers", "0")
    graph = str(tmp_path / "states.dot")
    assert "--graph is for few states" in wrong("explore", LOCK, "--graph", graph, "--workers", "2")
    (tmp_path / "mine").touch()
    assert "has other files (mine)" in wrong("explore", LOCK, "--work", str(tmp_path))
    assert "cannot be used" in wrong("explore", LOCK, "--work", str(tmp_path / "no"), "--resume")


def test_files_that_ask_for_many_runs_do_not_say_where_one_runs(tmp_path: Path) -> None:
    grid = tmp_path / "grid.toml"
    for line in ('master = "local[2]"', 'work = "states"', "resume = true"):
        grid.write_text(
            f'[[grid]]\nspecs = ["kip320"]\nengines = ["explore"]\noptions = {{ {line} }}\n', encoding="utf-8"
        )
        assert "only the command has it" in wrong("sweep", str(grid), "--out", str(tmp_path / "run"))
    given = {"workers": 2, "max_states": 100}
    assert engine_named("explore").parse_options(given) == given


def test_a_small_exploration_needs_no_files(tmp_path: Path) -> None:
    folder = tmp_path / "states"
    done = verify("explore", LOCK, "--workers", "2", "--work", str(folder), "--format", "json")
    content = json.loads(done.stdout)
    assert "bytes_in_files" not in content["statistics"]
    assert (content["options"]["workers"], content["options"]["work"]) == (2, str(folder))
    assert not (folder / "manifest.json").exists()
    again = verify("explore", LOCK, "--workers", "2", "--work", str(folder), "--resume")
    assert "has no level to go on from: it begins anew" in again.stderr


def test_more_workers_than_cores_are_spoken_of() -> None:
    many = cores() + 1
    assert f"--workers {many} is more than the cores, which are {cores()}" in _remarks(many)
    assert "cores" not in _remarks(cores())


def _remarks(workers: int) -> str:
    return verify("explore", LOCK, "--workers", str(workers)).stderr


def test_where_it_runs_is_no_part_of_what_is_asked() -> None:
    from verifier.outcomes.row import rows_of as rows_of_run

    keys = set()
    for options in ((), ("--workers", "2"), ("--memory", "2GiB")):
        done = verify("explore", LOCK, "--format", "json", *options)
        keys.add(rows_of_run(json.loads(done.stdout))[0].job_id)
    assert len(keys) == 1


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_spark_finds_the_same(tmp_path: Path) -> None:
    """From the middle of a level on, with symmetry; the executors' processes know no protocol."""
    clusters: list[Switching] = []

    def on_spark(findings: Findings, folder: Path) -> Runner:
        clusters.append(Switching(findings, SparkSettings("local[2]", tmp_path / "spark.log")))
        return clusters[0]

    model = _small("rabbit-sac")
    explored = same(model, everything(model, symmetry=True), replace(IN_FILES, runner=on_spark))
    assert explored.statistics["complete"]
    assert clusters[0].done_by_processes == Switching.times
