"""Explorations that are hit from outside: the counts are those of the search in memory, or it ends and
says why."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.command_line import SPARK_AT_ONCE, start_verify, verify
from verifier.cluster.daemon import DAEMON

pytestmark = pytest.mark.slow
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")


@dataclass(frozen=True)
class Question:
    """An exploration, and the means that it gets."""

    options: tuple[str, ...]
    disk: int
    """MiB of a disk that its states do not fit on."""


SMALL = Question((), 8)
"""737,794 states; seven levels are large."""
LARGE = Question(
    ("--set", "log_size=3", "--set", "max_records=3", "--set", "max_leader_epoch=3", "--depth", "18"), 700
)
"""17.8 million states. Processes do the tasks until Spark has started, and must not have done all by then."""
EITHER_WAY = pytest.mark.parametrize(
    ("question", "how"),
    [
        pytest.param(SMALL, ("--workers", "2"), id="workers"),
        pytest.param(LARGE, ("--master", "local[2]"), id="spark", marks=needs_java),
    ],
)
PYTHON_DAEMON = f"-m {DAEMON}"
"""Not the name alone, which the driver's JVM has among its settings."""
CLUSTER = "local-cluster[2,1,1024]"
SECONDS = 600
COUNTS = ("distinct_states", "generated_states", "depth", "deadlocks", "levels", "actions", "complete")


def exploration(question: Question, *more: str) -> subprocess.Popen[str]:
    """An exploration in a process of its own. Spark, where that is asked for, starts at once."""
    return start_verify("explore", *_words(question), *more, first=SPARK_AT_ONCE)


def _words(question: Question) -> tuple[str, ...]:
    return ("--spec", "kip320", "--property", "StrongIsr", "--format", "json", *question.options)


def run_to_end(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the final output of a process."""
    said, noise = process.communicate(timeout=SECONDS)
    assert said, noise
    content: dict[str, Any] = json.loads(said)
    return content


def counts(content: dict[str, Any]) -> list[Any]:
    """All that is counted, and the verdict."""
    (result,) = [one for one in content["results"] if one["property"] == "StrongIsr"]
    return [*(content["statistics"][name] for name in COUNTS), result["verdict"], result["depth"]]


@cache
def expect(question: Question) -> list[Any]:
    """Return the counts of the search in memory."""
    return counts(json.loads(verify("explore", *_words(question)).stdout))


def until(condition: Callable[[], Any]) -> Any:
    """Return the first true result of the condition."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it never happened")


def levels(folder: Path) -> int:
    """The number of levels of the folder that are whole."""
    try:
        return len(json.loads((folder / "manifest.json").read_text())["levels"])
    except FileNotFoundError:
        return 0


def below(process: subprocess.Popen[str], part: str) -> list[psutil.Process]:
    """The descendants whose command line has this part."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if part in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


def by_tasks(process: subprocess.Popen[str], folder: Path, how: tuple[str, ...]) -> bool:
    """True if two levels are whole, and Spark has taken over where it is to: the processes that did the tasks
    before, copies of the driver, have ended."""
    taken_over = bool(below(process, PYTHON_DAEMON)) and not below(process, "verifier.cli.entry")
    return levels(folder) >= 2 and (taken_over or "--master" not in how)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "states"


@EITHER_WAY
def test_a_driver_that_was_killed_goes_on(folder: Path, question: Question, how: tuple[str, ...]) -> None:
    process = exploration(question, *how, "--work", str(folder))
    until(lambda: by_tasks(process, folder, how))
    others = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert not psutil.wait_procs(others, timeout=30)[1]  # nobody works on alone
    before = levels(folder)
    assert before >= 2
    resumed = run_to_end(exploration(question, *how, "--work", str(folder), "--resume"))
    assert counts(resumed) == expect(question)
    assert levels(folder) > before


def test_a_worker_that_was_killed_is_replaced(folder: Path) -> None:
    process = exploration(SMALL, "--workers", "2", "--work", str(folder))
    for level in (2, 4):
        while levels(folder) < level:
            time.sleep(0.02)
        for child in psutil.Process(process.pid).children()[:1]:
            child.kill()
    assert counts(run_to_end(process)) == expect(SMALL)


@needs_java
@pytest.mark.parametrize("part", ["CoarseGrainedExecutorBackend", PYTHON_DAEMON])
def test_an_executor_that_was_killed_is_replaced(folder: Path, part: str) -> None:
    process = exploration(LARGE, "--master", CLUSTER, "--work", str(folder))
    until(lambda: by_tasks(process, folder, ("--master",)))
    for child in until(lambda: below(process, part))[:1]:
        os.kill(child.pid, signal.SIGKILL)
    assert counts(run_to_end(process)) == expect(LARGE)


@needs_java
def test_spark_that_ends_ends_the_exploration_and_it_goes_on(folder: Path) -> None:
    process = exploration(LARGE, "--master", "local[2]", "--work", str(folder))
    until(lambda: by_tasks(process, folder, ("--master",)))
    for child in until(lambda: below(process, "SparkSubmit")):
        child.kill()
    content = run_to_end(process)
    assert content["exit_code"] == 12
    assert not content["statistics"]["complete"]
    assert "Spark" in content["results"][0]["reason"]
    assert counts(run_to_end(exploration(LARGE, "--work", str(folder), "--resume"))) == expect(LARGE)


def test_an_interrupt_keeps_what_was_found(folder: Path) -> None:
    process = exploration(SMALL, "--workers", "2", "--work", str(folder))
    until(lambda: levels(folder) >= 3)
    process.send_signal(signal.SIGINT)
    content = run_to_end(process)
    assert content["exit_code"] == 12
    found, whole = content["statistics"]["levels"], expect(SMALL)[COUNTS.index("levels")]
    assert found == whole[: len(found)]
    assert counts(run_to_end(exploration(SMALL, "--work", str(folder), "--resume"))) == expect(SMALL)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk, where this may be made."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def _resize(disk: Path, mebibytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={mebibytes}m", str(disk)], check=True)


@EITHER_WAY
def test_a_full_disk_is_said_and_nothing_wrong_is_counted(
    small_disk: Path, question: Question, how: tuple[str, ...]
) -> None:
    _resize(small_disk, question.disk)
    place = str(small_disk / "states")
    content = run_to_end(exploration(question, *how, "--work", place))
    assert content["exit_code"] == 12
    assert "no space left on device" in content["results"][0]["reason"]
    found, whole = content["statistics"]["levels"], expect(question)[COUNTS.index("levels")]
    assert found == whole[: len(found)]
    assert not content["statistics"]["complete"]
    _resize(small_disk, 4000)
    assert counts(run_to_end(exploration(question, *how, "--work", place, "--resume"))) == expect(question)


@needs_java
@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_spark_finds_the_same(master: str) -> None:
    content = run_to_end(exploration(LARGE, "--master", master))
    assert counts(content) == expect(LARGE)
    assert content["statistics"]["peak_task_memory_bytes"] < 1 << 30
