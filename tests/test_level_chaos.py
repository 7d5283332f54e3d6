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
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command_line import started, verify

pytestmark = pytest.mark.slow
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")

EITHER_WAY = pytest.mark.parametrize(
    "how",
    [
        pytest.param(("--workers", "2"), id="workers"),
        pytest.param(("--master", "local[2]"), id="spark", marks=needs_java),
    ],
)
CLUSTER = "local-cluster[2,1,1024]"
QUESTION = ("--spec", "kip320", "--property", "StrongIsr", "--format", "json")
"""737,794 states; seven levels are large."""
SECONDS = 600
COUNTS = ("distinct_states", "generated_states", "depth", "deadlocks", "levels", "actions", "complete")


def exploration(*more: str) -> subprocess.Popen[str]:
    """An exploration in a process of its own."""
    return started("explore", *QUESTION, *more)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What it said in the end."""
    said, noise = process.communicate(timeout=SECONDS)
    assert said, noise
    content: dict[str, Any] = json.loads(said)
    return content


def counts(content: dict[str, Any]) -> list[Any]:
    """All that is counted, and the verdict."""
    (result,) = [one for one in content["results"] if one["property"] == "StrongIsr"]
    return [*(content["statistics"][name] for name in COUNTS), result["verdict"], result["depth"]]


@cache
def expected() -> list[Any]:
    """What the search in memory counts."""
    return counts(json.loads(verify("explore", *QUESTION).stdout))


def until(condition: Callable[[], Any]) -> Any:
    """What the condition gives once it gives something."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it never happened")


def levels(folder: Path) -> int:
    """How many levels of the folder are whole."""
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "states"


@EITHER_WAY
def test_a_driver_that_was_killed_goes_on(folder: Path, how: tuple[str, ...]) -> None:
    process = exploration(*how, "--work", str(folder))
    until(lambda: levels(folder) >= 3)
    others = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert not psutil.wait_procs(others, timeout=30)[1]  # nobody works on alone
    before = levels(folder)
    assert before >= 3
    resumed = ended(exploration(*how, "--work", str(folder), "--resume"))
    assert counts(resumed) == expected()
    assert levels(folder) > before


def test_a_worker_that_was_killed_is_replaced(folder: Path) -> None:
    process = exploration("--workers", "2", "--work", str(folder))
    for level in (2, 4):
        while levels(folder) < level:
            time.sleep(0.02)
        for child in psutil.Process(process.pid).children()[:1]:
            child.kill()
    assert counts(ended(process)) == expected()


@needs_java
@pytest.mark.parametrize("part", ["CoarseGrainedExecutorBackend", "pyspark.daemon"])
def test_an_executor_that_was_killed_is_replaced(folder: Path, part: str) -> None:
    process = exploration("--master", CLUSTER, "--work", str(folder))
    until(lambda: levels(folder) >= 2)
    for child in until(lambda: below(process, part))[:1]:
        os.kill(child.pid, signal.SIGKILL)
    assert counts(ended(process)) == expected()


@needs_java
def test_spark_that_ends_ends_the_exploration_and_it_goes_on(folder: Path) -> None:
    process = exploration("--master", "local[2]", "--work", str(folder))
    until(lambda: levels(folder) >= 2)
    for child in until(lambda: below(process, "SparkSubmit")):
        child.kill()
    content = ended(process)
    assert content["exit_code"] == 12
    assert not content["statistics"]["complete"]
    assert "Spark" in content["results"][0]["reason"]
    assert counts(ended(exploration("--work", str(folder), "--resume"))) == expected()


def test_an_interrupt_keeps_what_was_found(folder: Path) -> None:
    process = exploration("--workers", "2", "--work", str(folder))
    until(lambda: levels(folder) >= 3)
    process.send_signal(signal.SIGINT)
    content = ended(process)
    assert content["exit_code"] == 12
    found, whole = content["statistics"]["levels"], expected()[COUNTS.index("levels")]
    assert found == whole[: len(found)]
    assert counts(ended(exploration("--work", str(folder), "--resume"))) == expected()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 8 MiB, where this may be made."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@EITHER_WAY
def test_a_full_disk_is_said_and_nothing_wrong_is_counted(small_disk: Path, how: tuple[str, ...]) -> None:
    place = str(small_disk / "states")
    content = ended(exploration(*how, "--work", place))
    assert content["exit_code"] == 12
    assert "no space left on device" in content["results"][0]["reason"]
    found, whole = content["statistics"]["levels"], expected()[COUNTS.index("levels")]
    assert found == whole[: len(found)]
    assert not content["statistics"]["complete"]
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    assert counts(ended(exploration(*how, "--work", place, "--resume"))) == expected()


@needs_java
@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_spark_finds_the_same(master: str) -> None:
    content = ended(exploration("--master", master))
    assert counts(content) == expected()
    assert content["statistics"]["peak_task_memory_bytes"] < 1 << 30
