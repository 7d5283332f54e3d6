"""The folder of an exploration: it goes on, belongs to one exploration, and keeps the files of others."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.level_search import IN_FILES, build_small, collect_findings, everything, interrupting, same
from verifier.engines import level_search
from verifier.engines.exploration import Beyond
from verifier.engines.explore import explore
from verifier.errors import UsageError
from verifier.explicit import level_tasks as levels
from verifier.explicit.level_tasks import Expand, Result, Settle, Settled, Stage, Task
from verifier.explicit.moves import Moves
from verifier.explicit.orbits import Orbits
from verifier.explicit.performing import perform
from verifier.storage.blocks import Damaged
from verifier.system.model import Model


def test_what_was_interrupted_goes_on(kafka: Model, tmp_path: Path) -> None:
    request = everything(kafka)
    expected, beyond = explore(kafka, request), replace(IN_FILES, folder=tmp_path / "states")
    first = explore(kafka, replace(request, beyond=beyond), interrupting(3))
    assert first.verdicts[0].reason == "interrupted"
    assert first.verdicts[0].depth == 3
    resumed = replace(beyond, resume=True)
    second = explore(kafka, replace(request, beyond=resumed), interrupting(6))
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
    explore(kafka, replace(request, beyond=beyond), interrupting(4))
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
    model = build_small("kip101")
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
    explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
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
        with pytest.raises(UsageError, match="is not a manifest"):
            explore(kafka, resumed)


def test_a_count_that_was_changed_is_refused(kafka: Model, tmp_path: Path) -> None:
    """A digit of the manifest is as good as a block."""
    beyond = replace(IN_FILES, folder=tmp_path)
    explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
    resumed = everything(kafka, beyond=replace(beyond, resume=True))
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text()
    generated = json.loads(text)["counts"]["tally"]["generated"]
    manifest.write_text(text.replace(f'"generated": {generated}', f'"generated": {generated + 1}'))
    with pytest.raises(UsageError, match="is not a manifest of an exploration: it is damaged"):
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
        explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
    mine = tmp_path / "states" / "20261124-results.csv"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(UsageError, match=r"has other files \(states/20261124-results.csv\)"):
        explore(kafka, everything(kafka, beyond=replace(beyond, resume=resume)))
    assert mine.read_text() == "mine"


def test_what_arrives_among_the_blocks_stays(kafka: Model, tmp_path: Path) -> None:
    beyond, mine = replace(IN_FILES, folder=tmp_path), tmp_path / "states" / "20261124-results.csv"
    request = everything(kafka, beyond=beyond)
    interrupt = interrupting(5)

    def arrives(*news: Any) -> None:
        mine.write_text("mine")
        interrupt(*news)

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
    explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
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
    explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
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
    explore(kafka, everything(kafka, beyond=beyond), interrupting(5))
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
