"""Sweeps that are hit from outside: no row lost, none twice, verdicts unchanged, exit codes right."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clusters import MASTER, Standalone, standalone
from tests.support.command_line import ROOT, start_verify
from tests.support.sweeping import jobs_of, misbehaving
from verifier.errors import UsageError
from verifier.specs.built_in import BUILT_IN
from verifier.specs.expectations import expectations
from verifier.sweep.expansion import expand
from verifier.sweep.grid import read_grids
from verifier.sweep.store import read_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="needs Java"),
]

CLUSTER = "local-cluster[2,1,1024]"
KAFKA = ROOT / "tests" / "support" / "kafka_grid.toml"
SECONDS = 300
JOBS = 12


def sweep(folder: Path, *more: str, master: str = "local[2]", jobs: int = JOBS) -> subprocess.Popen[str]:
    """A sweep of jobs that take a second each, of which every one holds."""
    spec = misbehaving(folder, "time.sleep(1)")
    common = ("--spec", spec, "--property", "StartsLow", "--depth", "2", "--option", "solver=cadical")
    grid = ("--grid", f"trouble=1..{jobs}", "--out", str(folder / "run"), "--format", "json")
    return start_verify("sweep", *common, *grid, "--master", master, *more)


def run_to_end(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the final output of a sweep."""
    said, noise = process.communicate(timeout=SECONDS)
    assert said, noise
    found: dict[str, Any] = json.loads(said)
    assert found["exit_code"] == process.returncode
    return found


def until(condition: Callable[[], Any]) -> Any:
    """Return the first true result of the condition."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("it never happened")


def rows_of(folder: Path) -> int:
    """The number of rows."""
    try:
        return len(read_rows(folder / "run"))
    except UsageError:
        return 0


def all_hold(folder: Path, jobs: int = JOBS) -> None:
    """Every job has one row, and it holds."""
    rows = read_rows(folder / "run")
    assert sorted(row.constants["trouble"] for row in rows) == list(range(1, jobs + 1))
    assert {(row.verdict.value, row.depth) for row in rows} == {("HOLDS", 2)}


def below(process: subprocess.Popen[str], word: str) -> list[psutil.Process]:
    """Processes below a sweep with the word in their command line."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if any(word in part for part in child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


def test_an_executor_is_killed(tmp_path: Path) -> None:
    process = sweep(tmp_path, master=CLUSTER)
    until(lambda: rows_of(tmp_path) >= 2)
    executors = below(process, "CoarseGrainedExecutorBackend")
    assert len(executors) == 2
    executors[0].kill()
    said = run_to_end(process)
    assert (said["exit_code"], said["ran"], said["rows"]) == (0, JOBS, JOBS)
    all_hold(tmp_path)


def test_the_driver_is_killed_and_started_again(tmp_path: Path) -> None:
    process = sweep(tmp_path)
    until(lambda: rows_of(tmp_path) >= 3)
    all_of_it = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(all_of_it, timeout=60)
    assert not alive
    before = rows_of(tmp_path)
    assert 3 <= before < JOBS
    said = run_to_end(sweep(tmp_path))
    assert (said["exit_code"], said["ran"], said["rows"]) == (0, JOBS - before, JOBS)
    all_hold(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_is_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    process = sweep(tmp_path)
    until(lambda: rows_of(tmp_path) >= 2)
    process.send_signal(number)
    said = run_to_end(process)
    assert (said["exit_code"], said["interrupted"]) == (12, True)
    assert said["rows"] == rows_of(tmp_path) >= 2
    assert run_to_end(sweep(tmp_path))["exit_code"] == 0
    all_hold(tmp_path)


def test_two_sweeps_want_one_folder(tmp_path: Path) -> None:
    first = sweep(tmp_path)
    until((tmp_path / "run" / "lock.holder").exists)
    second = sweep(tmp_path)
    said, noise = second.communicate(timeout=SECONDS)
    assert (second.returncode, said) == (2, "")
    assert f"process {first.pid} on" in noise
    assert len(noise.splitlines()) == 1
    assert run_to_end(first)["rows"] == JOBS
    all_hold(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 KiB, for those who may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_the_disk_is_full(small_disk: Path, tmp_path: Path) -> None:
    jobs = 30
    process = sweep(small_disk, "--spark-log", str(tmp_path / "log"), jobs=jobs)
    said, noise = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, noise
    (line,) = [line for line in noise.splitlines() if line.startswith("verify:")]
    assert "no space left on device" in line
    assert json.loads(said)["exit_code"] == 1
    before = rows_of(small_disk)
    assert 0 < before < jobs
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    again = run_to_end(sweep(small_disk, "--spark-log", str(tmp_path / "log"), jobs=jobs))
    assert (again["exit_code"], again["ran"]) == (0, jobs - before)
    all_hold(small_disk, jobs)


_ALWAYS_SPLIT = """
from verifier.cli.main import main
from verifier.sweep import sweep
sweep._has_decided = lambda job, future: False
main()
"""
"""The command, with every job split, also one that ends before its parts are chosen."""


def test_a_job_in_parts_on_a_cluster_says_what_it_says_whole(tmp_path: Path) -> None:
    for name, verdict, code in (("kip320", "HOLDS", 0), ("kafka-truncate-hw", "VIOLATED", 10)):
        asked = ("--spec", name, "--property", "StrongIsr", "--depth", "9", "--option", "steps=serial")
        where = ("--format", "json", "--out", str(tmp_path / name), "--master", CLUSTER)
        command = [sys.executable, "-c", _ALWAYS_SPLIT, "sweep", *asked, *where, "--split", "4"]
        said = run_to_end(subprocess.Popen(command, stdout=-1, stderr=-1, text=True, cwd=ROOT))
        (count,) = said["counts"]
        assert (count["verdict"], said["exit_code"]) == (verdict, code)
        (job,) = jobs_of(specs=(name,), properties=("StrongIsr",), depth=9, options={"steps": "serial"})
        (row,) = read_rows(tmp_path / name)
        assert row.job_id == job.job_id
        # A cluster of local processes counts as this machine: no more parts than its two cores.
        assert len(row.statistics["parts"]) == 2 or verdict == "VIOLATED"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    with standalone(tmp_path / "cluster") as started_one:
        yield started_one


def test_a_standalone_cluster(tmp_path: Path, cluster: Standalone) -> None:
    said = run_to_end(sweep(tmp_path, master=cluster.url))
    assert (said["exit_code"], said["ran"], said["rows"]) == (0, JOBS, JOBS)
    all_hold(tmp_path)


def test_a_worker_of_a_standalone_cluster_is_killed(tmp_path: Path, cluster: Standalone) -> None:
    process = sweep(tmp_path, master=cluster.url)
    until(lambda: rows_of(tmp_path) >= 2)
    cluster.kill("one")
    said = run_to_end(process)
    assert (said["exit_code"], said["rows"]) == (0, JOBS)
    all_hold(tmp_path)


def test_the_master_of_a_standalone_cluster_is_killed(tmp_path: Path, cluster: Standalone) -> None:
    """The workers that have the job go on; what is not done in the end, the same command does."""
    process = sweep(tmp_path, master=cluster.url)
    until(lambda: rows_of(tmp_path) >= 2)
    cluster.kill(MASTER)
    said = run_to_end(process)
    assert said["exit_code"] in (0, 1)
    cluster.start(MASTER)
    again = run_to_end(sweep(tmp_path, master=cluster.url))
    assert (again["exit_code"], said["ran"] + again["ran"], again["rows"]) == (0, JOBS, JOBS)
    all_hold(tmp_path)


def pack_environment(folder: Path) -> Path:
    """An environment as an archive: a Python that finds the copy of the package which is in there."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    found = 'export PYTHONPATH="$(dirname "$0")/../lib"'
    python.write_text(f'#!/bin/sh\n{found}\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    shutil.copytree(ROOT / "verifier", folder / "lib" / "verifier")
    return Path(shutil.make_archive(str(folder), "gztar", folder))


def test_executors_take_the_package_from_an_archive(tmp_path: Path, cluster: Standalone) -> None:
    archive = pack_environment(tmp_path / "packed")
    said = run_to_end(sweep(tmp_path, "--archive", str(archive), master=cluster.url))
    assert (said["exit_code"], said["ran"], said["rows"]) == (0, JOBS, JOBS)
    all_hold(tmp_path)
    assert list(tmp_path.glob("cluster/*/app-*/*/environment/lib/verifier/sweep/worker.py"))


def test_every_golden_kafka_row_is_in_a_sweep(tmp_path: Path) -> None:
    jobs = expand(read_grids(KAFKA)).jobs
    assert len(jobs) >= 200
    out = str(tmp_path / "run")
    said = run_to_end(
        start_verify("sweep", str(KAFKA), "--out", out, "--master", "local[2]", "--format", "json")
    )
    assert (said["ran"], said["rows"], said["exit_code"]) == (len(jobs), len(jobs), 10)
    rows = {}
    for row in read_rows(Path(out)):
        key = (row.engine, row.spec, json.dumps(row.constants, sort_keys=True), row.property_name)
        rows[*key, row.options.get("depth")] = row
    family = [name for name, protocol in BUILT_IN.items() if ".kafka." in protocol.place]
    checked = 0
    for expected in (item for name in family for item in expectations(name)):
        constants = json.dumps(dict(expected.constants), sort_keys=True)
        asked = ("explore", None) if expected.distinct_states else ("bmc", 12)
        row = rows[asked[0], expected.spec, constants, expected.property_name, asked[1]]
        assert row.verdict.value == expected.verdict.upper()
        assert row.steps == expected.steps
        if row.engine == "explore" and expected.verdict == "holds":
            assert row.statistics["distinct_states"] == expected.distinct_states
            assert row.depth == expected.depth
        checked += 1
    assert checked >= 60
