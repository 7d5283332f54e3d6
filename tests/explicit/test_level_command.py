"""The options of `verify explore` that say where and with what it runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command_line import LOCK, verify, wrong
from verifier.processes.cores import cores
from verifier.runs.engine import engine_named


@pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")
def test_spark_that_does_nothing_yet_is_said_at_once() -> None:
    result = verify("explore", LOCK, "--master", "local[2]")
    assert "Spark starts after 100,000,000 successors" in result.stderr.splitlines()[1]
    assert "Explored by one process (levels 0 to" in result.stdout


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    assert "--resume needs --work" in wrong("explore", LOCK, "--resume")
    assert "exclude each other" in wrong("explore", LOCK, "--workers", "2", "--master", "local[2]")
    assert "need --master" in wrong("explore", LOCK, "--conf", "a=b")
    assert "it takes an integer, at least 1" in wrong("explore", LOCK, "--workers", "0")
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
    assert "holds no completed level, so the exploration starts from the beginning" in again.stderr


def test_more_workers_than_cores_are_mentioned() -> None:
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
