"""Tasks of levels by the compiled library beside NumPy: successors, sections, new states, whole searches."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.level_search import (
    IN_FILES,
    Switching,
    build_small,
    collect_findings,
    everything,
    interrupting,
)
from tests.support.level_search import processes as in_processes
from tests.support.sampling import some_of
from verifier.cluster.session import SparkSettings
from verifier.engines.exploration import Beyond, Runner, RunningExploration
from verifier.engines.explore import explore
from verifier.explicit import fused_tasks, settling
from verifier.explicit.fused import FusedLooks
from verifier.explicit.fused_tasks import FusedCollection
from verifier.explicit.initial import initial_states
from verifier.explicit.level_tasks import Expand, Expanded, Result, Stage, Task, keys_of_chunk
from verifier.explicit.moves import Moves
from verifier.explicit.packing import Rows
from verifier.explicit.scattering import columns_of
from verifier.explicit.sections import Sections, in_sections
from verifier.explicit.sorted_states import distinct, find_new
from verifier.kernels.library import Library
from verifier.specs.built_in import BUILT_IN
from verifier.storage.blocks import Shelf

_USED = "compiled kernels do tasks"
_HASHED = np.uint64(0x9E3779B97F4A7C15)


def _some_level(moves: Moves, most: int) -> Rows:
    rows = initial_states(moves.model.system)
    while len(rows) < most:
        following = [step.rows for step in moves.successors(moves.look(rows[: moves.chunk()]))]
        more = np.unique(np.concatenate([rows, *following]), axis=0)
        if len(more) == len(rows):
            break
        rows = more
    return np.ascontiguousarray(rows[:most])


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=2))
def test_collected_successors_are_the_first_ones(spec: str, library: Library, tmp_path: Path) -> None:
    """Of a few at a time none is there twice; each section has those of its part, in the order of keys."""
    moves = Moves(build_small(spec))
    rows = _some_level(moves, min(700, moves.chunk()))
    stage, looks = Stage(tmp_path, moves, None, 4), FusedLooks(moves, library)
    task = Expand(3, 0, (), (0, 0), 0, 0, len(rows), (), True, capacity=500, sections=8)
    written: list[Sections] = []

    def write(content: Any, bounds: list[int], least: int | None) -> None:
        block = stage.shelf.write(f"{len(written)}", [content], lasting=False)
        written.append(Sections(block, tuple(bounds), least))

    collection = FusedCollection(looks, stage, task, write)
    collection.add(looks.look(rows), 5)
    collection.write()
    steps = list(moves.successors(moves.look(rows)))
    states = np.concatenate([step.rows for step in steps])
    keys = np.concatenate([keys_of_chunk(5, step.move, step.sources) for step in steps])
    columns = columns_of(states)
    by_key = {int(key): tuple(int(column[n]) for column in columns) for n, key in enumerate(keys)}
    seen: dict[tuple[int, ...], int] = {}
    for number, some in enumerate(written):
        found = []
        for part, section in some.each():
            content = in_sections(stage.shelf, [section], moves.words, moves.bits)
            assert np.array_equal(content[0] >> np.uint64(61), np.full(section.count, part))
            assert np.array_equal(content[-1], np.sort(content[-1]))
            found += [(int(key), tuple(state)) for *state, key in content.T.tolist()]
        found.sort()
        assert len({state for _, state in found}) == len(found)
        for key, state in found:
            assert by_key[key] == state
            seen.setdefault(state, key)
        assert number == len(written) - 1 or len(found) >= 500
    expected: dict[tuple[int, ...], int] = {}
    for key in sorted(by_key):
        expected.setdefault(by_key[key], key)
    assert seen == expected


def _columns(rng: np.random.Generator, count: int, words: int, kind: str) -> Any:
    columns = [rng.integers(0, 30, count, np.uint64) for _ in range(words)]
    if kind != "narrow":
        columns[0] = rng.integers(0, max(1, count // 3), count, np.uint64) * _HASHED
    if kind == "area":
        columns[0] = columns[0] >> np.uint64(3) | np.uint64(5 << 61)
    return np.array(columns)


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("kind", ["spread", "narrow", "area"])
def test_new_states_are_those_that_numpy_finds(
    words: int, kind: str, tmp_path: Path, library: Library
) -> None:
    """Also where many first words are equal or too close, and where ranges are parts of the space."""
    rng, shelf = np.random.default_rng(3), Shelf(tmp_path)
    low, high = (5 << 61, 6 << 61) if kind == "area" else (0, 1 << 64)
    for count in (0, 1, 5, 20_000):
        columns = _columns(rng, count, words, kind)
        runs = []
        for number in range(3):
            half = np.concatenate([columns[:, number::5], _columns(rng, 50, words, kind)], axis=1)
            known, _ = distinct(list(half))
            runs.append((shelf.write(f"{count}-{number}", known).whole(),))
        successors = np.vstack([columns, np.arange(count, dtype=np.uint64)])
        expected, places = find_new(shelf, successors.copy(), low, high, runs)
        states, firsts = fused_tasks.find_new(library, shelf, successors, low, high, runs)
        assert np.array_equal(np.array(expected), np.array(states))
        assert np.array_equal(places, firsts)
        wanted = rng.integers(0, 2, count).astype(np.bool_)
        assert np.array_equal(library.keep(successors.copy(), wanted), successors[:, wanted])


def _in_files(*, kernels: bool, model: Any, beyond: Beyond, **more: Any) -> Any:
    return explore(model, everything(model, beyond=beyond, kernels=kernels, **more))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=2))
def test_searches_in_files_find_the_same(spec: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = build_small(spec)
    expected = explore(model, everything(model, kernels=False, max_depth=9))
    assert _USED not in caplog.text
    explored = _in_files(kernels=True, model=model, beyond=IN_FILES, max_depth=9)
    assert _USED in caplog.text
    assert collect_findings(explored) == collect_findings(expected)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("spec", ["kafka-truncate-hw", "rabbit-sac"])
def test_searches_in_files_with_symmetry_find_the_same(spec: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = build_small(spec)
    expected = explore(model, everything(model, kernels=False, symmetry=True, max_depth=9))
    beyond = Beyond(runner=partial(in_processes, 2), large_level=3)
    explored = _in_files(kernels=True, model=model, beyond=beyond, symmetry=True, max_depth=9)
    assert _USED in caplog.text
    assert collect_findings(explored) == collect_findings(expected)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("depth", [4, 9])
def test_processes_and_a_last_level_find_the_same(depth: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = build_small("kafka-truncate-hw")
    beyond = Beyond(runner=partial(in_processes, 2), large_level=30)
    expected = explore(model, everything(model, kernels=False, max_depth=depth))
    explored = _in_files(kernels=True, model=model, beyond=beyond, max_depth=depth)
    assert _USED in caplog.text
    assert collect_findings(explored) == collect_findings(expected)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kernels", [False, True])
def test_a_folder_goes_on_with_and_without(kernels: bool, tmp_path: Path) -> None:
    model = build_small("kafka-truncate-hw")
    expected = explore(model, everything(model, kernels=False))
    beyond = replace(IN_FILES, large_level=30, folder=tmp_path / "work")
    begun = explore(model, everything(model, beyond=beyond, kernels=kernels), interrupting(6))
    assert not begun.statistics["complete"]
    again = _in_files(kernels=not kernels, model=model, beyond=replace(beyond, resume=True))
    assert collect_findings(again) == collect_findings(expected)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("symmetry", [False, True])
def test_files_that_last_are_the_same(
    symmetry: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a task may be repeated with the library or without. Whether runs are merged depends on the task."""
    monkeypatch.setattr(settling, "FEW_FOR_KERNELS", settling.FEW_RUNS)
    model, files = build_small("kafka-truncate-hw"), []
    for kernels in (False, True):
        folder = tmp_path / str(kernels)
        beyond = replace(IN_FILES, large_level=30, folder=folder)
        _in_files(kernels=kernels, model=model, beyond=beyond, symmetry=symmetry)
        states = sorted((folder / "states").iterdir())
        files.append({file.name.split("-", 1)[1]: file.read_bytes() for file in states})
    assert files[0] == files[1]
    assert files[0]


class _Recording(Switching):
    """Records the names of the files that tasks on Spark write."""

    def __init__(self, findings: RunningExploration, settings: SparkSettings) -> None:
        super().__init__(findings, settings)
        self.written: list[str] = []

    def _on_spark(self, stage: Stage, tasks: Sequence[Task], parts: int) -> Iterator[Result]:
        for result in super()._on_spark(stage, tasks, parts):
            if isinstance(result, Expanded):
                self.written += [piece.block.name for piece in result.pieces]
            yield result


@pytest.mark.thorough
@pytest.mark.usefixtures("at_once")
@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_tasks_on_spark_use_it(tmp_path: Path) -> None:
    clusters: list[_Recording] = []

    def on_spark(findings: RunningExploration, folder: Path) -> Runner:
        clusters.append(_Recording(findings, SparkSettings("local[2]", tmp_path / "spark.log")))
        return clusters[0]

    model = build_small("kafka-truncate-hw")
    expected = explore(model, everything(model, kernels=False))
    explored = _in_files(kernels=True, model=model, beyond=replace(IN_FILES, runner=on_spark))
    assert collect_findings(explored) == collect_findings(expected)
    assert clusters[0].written
    assert all(name.endswith("-c.new") for name in clusters[0].written)
