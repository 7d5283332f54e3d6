"""Sweeps on an embedded Spark, and what becomes of them when something breaks."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, ROOT, TOYS, start_verify
from tests.support.sweeping import jobs_of, misbehaving, verdicts
from verifier.cluster.session import SparkFailed, SparkSettings
from verifier.errors import UsageError
from verifier.outcomes.row import Row
from verifier.sweep.execution import error_row, run_job
from verifier.sweep.job import Job
from verifier.sweep.spark import Spark, files_to_send
from verifier.sweep.store import Store, read_recorded, read_rows
from verifier.sweep.summary import summarise
from verifier.sweep.sweep import ATTEMPTS, News, Sweep

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")


@dataclass
class HereRunner:
    """Runs jobs at once, in this process, some of them failing as if Spark had lost them."""

    slots: int = 2
    most: int | None = None
    workers: int | None = None
    losses: dict[str, int] = field(default_factory=dict)
    submitted: list[Job] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def submit(self, job: Job, run_id: str) -> Future[list[Row]]:
        """The job, ended."""
        self.submitted.append(job)
        future: Future[list[Row]] = Future()
        if self.losses.get(job.job_id, 0) > 0:
            self.losses[job.job_id] -= 1
            future.set_exception(SparkFailed("Spark could not finish it: executor 1 lost"))
        else:
            future.set_result(run_job(job, run_id))
        return future

    def cancel(self, job: Job) -> None:
        """Notes that it was asked for."""
        self.cancelled.append(job.job_id)


def chains(*axes: str, **more: Any) -> list[Job]:
    """Jobs that take no time: NeverTop fails after as many steps as the chain is long."""
    return jobs_of(*axes, **{"specs": (CHAIN,), "properties": ("NeverTop",), "depth": 3, **more})


def test_a_lost_job_is_tried_again_and_then_named(tmp_path: Path) -> None:
    jobs = chains("top=1..3")
    runner = HereRunner(losses={jobs[0].job_id: ATTEMPTS - 1, jobs[1].job_id: ATTEMPTS})
    heard: list[News] = []
    with Store(tmp_path) as store:
        Sweep(store, runner, heard.append).run(jobs)
    rows = {row.job_id: row for row in read_rows(tmp_path)}
    assert [rows[job.job_id].verdict.value for job in jobs] == ["VIOLATED", "ERROR", "VIOLATED"]
    assert "executor 1 lost" in (rows[jobs[1].job_id].error or "")
    assert (heard[-1].done, heard[-1].total) == (3, 3)


def test_a_spark_that_has_ended_ends_the_sweep_and_keeps_what_is_done(tmp_path: Path) -> None:
    class Dying(HereRunner):
        @property
        def slots(self) -> int:
            if len(self.submitted) > 2:
                raise SparkFailed("Spark ended: connection refused")
            return 1

        @slots.setter
        def slots(self, _: int) -> None: ...

    with Store(tmp_path) as store, pytest.raises(SparkFailed, match="Spark ended"):
        Sweep(store, Dying(), lambda _: None).run(chains("top=1..5"))
    assert 0 < len(read_rows(tmp_path)) < 5


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """One embedded Spark for all tests here."""
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    log = tmp_path_factory.mktemp("spark") / "spark.log"
    before = signal.getsignal(signal.SIGINT)
    with Spark(SparkSettings("local[2]", log)) as found:
        assert signal.getsignal(signal.SIGINT) is before  # PySpark would set its own
        yield found


def test_every_job_has_its_row_and_the_summary_counts_them(spark: Spark, tmp_path: Path) -> None:
    jobs = chains("top=1..6") + jobs_of(specs=(f"{TOYS}:Overflow",), properties=("Small",), depth=5)
    with Store(tmp_path) as store:
        store.describe({"jobs": [job.job_id for job in jobs]})
        Sweep(store, spark, lambda _: None).run(jobs)
        store.add([error_row(chains("top=9")[0], "old", "of an older sweep")], "older")
    rows = {row.job_id: row for row in read_rows(tmp_path)}
    for job in jobs[:6]:
        top = job.constants["top"]
        assert rows[job.job_id].verdict.value == ("VIOLATED" if top <= 3 else "HOLDS")
        assert rows[job.job_id].steps == (top if top <= 3 else None)
    keys = {job.job_id for job in jobs}
    summary = summarise(found.row for found in read_recorded(tmp_path) if found.asked_for in keys)
    counted = {(c.spec, c.property_name, c.verdict): c for c in summary.counts}
    assert counted["chain", "NeverTop", "VIOLATED"].jobs == 3
    assert counted["chain", "NeverTop", "HOLDS"].jobs == 3
    assert (counted["chain", "NeverTop", "VIOLATED"].fewest_steps, summary.undecided) == (1, ())
    assert counted["overflow", "TypeInvariant", "VIOLATED"].jobs == 1
    assert ("NeverTop", "ERROR") not in summary.verdicts


def test_trouble_in_jobs_never_ends_the_sweep(spark: Spark, tmp_path: Path) -> None:
    jobs = jobs_of(
        "trouble=0..5", specs=(misbehaving(tmp_path),), properties=("StartsLow",), timeout=2.0, memory=2**29
    )
    with Store(tmp_path / "run") as store:
        Sweep(store, spark, lambda _: None).run(jobs)
    rows = {row.constants["trouble"]: row for row in read_rows(tmp_path / "run")}
    assert {trouble: row.verdict.value for trouble, row in rows.items()} == {
        0: "HOLDS",
        1: "ERROR",
        2: "INCONCLUSIVE",
        3: "INCONCLUSIVE",
        4: "ERROR",
        5: "ERROR",
    }


@pytest.mark.slow
def test_a_job_that_is_cancelled_ends(spark: Spark, tmp_path: Path) -> None:
    (job,) = jobs_of("trouble=2", specs=(misbehaving(tmp_path),), properties=("StartsLow",))
    future = spark.submit(job, "run")
    (quick,) = chains("top=1")
    assert spark.submit(quick, "run").result(timeout=60)
    spark.cancel(job)
    with pytest.raises(SparkFailed, match="cancel"):
        future.result(timeout=60)


def sweep(*arguments: str) -> subprocess.Popen[str]:
    """``verify sweep`` of little things in a process of its own."""
    return start_verify("sweep", "--master", "local[2]", *arguments)


@pytest.mark.slow
@needs_java
def test_the_command_runs_what_is_missing_and_says_one_object(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    common = ("--spec", CHAIN, "--property", "NeverTop", "--depth", "3", "--out", out, "--format", "json")
    said, noise = sweep(*common, "--grid", "top=2").communicate(timeout=240)
    assert "WARN" not in noise
    first = json.loads(said)
    assert (first["exit_code"], first["ran"], first["rows"]) == (10, 1, 1)
    again = sweep(*common, "--grid", "top=2..5", "--rerun", "verdict=holds", "--expect", "violated")
    second = json.loads(again.communicate(timeout=240)[0])
    assert (second["ran"], second["rows"], again.returncode) == (3, 4, 0)
    assert {(c["verdict"], c["jobs"]) for c in second["counts"]} == {("VIOLATED", 2), ("HOLDS", 2)}
    assert (tmp_path / "run" / "spark.log").stat().st_size > 0
    assert verdicts(read_rows(tmp_path / "run")).count(("NeverTop", "HOLDS")) == 2


@pytest.mark.thorough
@needs_java
def test_python_files_of_the_working_directory_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of Spark begin in it, and looked there first for what they import."""
    for name in ("queue", "verifier", "socket", "pyspark"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not to be imported')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    first = f"import sys; sys.path[:] = [{str(ROOT)!r}, *(p for p in sys.path if p)]; "
    words = ("--spec", CHAIN, "--property", "NeverTop", "--depth", "1", "--out", "run", "--format", "json")
    process = start_verify("sweep", "--master", "local[1]", *words, first=first)
    said, noise = process.communicate(timeout=240)
    assert {count["verdict"] for count in json.loads(said)["counts"]} == {"HOLDS"}, noise


def test_a_spec_file_that_would_hide_a_module_is_not_sent(tmp_path: Path) -> None:
    """Spark puts the files that it sends first on Python's path."""
    (job,) = chains("top=1")
    for name in ("queue", "verifier", "numpy"):
        with pytest.raises(UsageError, match=f"would import it in the place of {name}; rename it"):
            files_to_send([replace(job, files=(str(tmp_path / f"{name}.py"),))])
    assert files_to_send([replace(job, files=(str(tmp_path / "queue.tla"),))])
