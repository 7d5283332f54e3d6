"""An exploration in files meets a full disk, and processes that are killed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.child_processes import list_children
from tests.support.command_line import ROOT
from tests.support.level_search import IN_FILES, TWO_PROCESSES, collect_findings, everything, same
from verifier.engines import task_processes
from verifier.engines.explore import explore
from verifier.explicit.level_tasks import Stage, Task
from verifier.explicit.performing import perform
from verifier.system.model import Model
from verifier.verdict import VerdictKind


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
    command = [sys.executable, "-B", "-c", script]  # -B: no bytecode is cut short
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
    assert not list_children()
