"""The counts of a sweep's summary; a sweep with nothing to do starts no Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, ROOT, verify
from tests.support.sweeping import jobs_of
from verifier.outcomes.row import Row
from verifier.sweep.execution import error_row, run_job
from verifier.sweep.store import Store
from verifier.sweep.summary import Count, Summary, summarise
from verifier.verdict import VerdictKind

GRID = ("--spec", CHAIN, "--property", "NeverTop", "--depth", "3", "--grid", "top=2..5")


def row(number: int, verdict: VerdictKind, seconds: float, **more: Any) -> Row:
    (job,) = jobs_of(specs=(CHAIN,), properties=("NeverTop",))
    found = error_row(job, "run", "why")
    return replace(found, job_id=f"{number:016x}", verdict=verdict, seconds=seconds, **more)


def test_nothing_is_an_empty_summary() -> None:
    assert summarise([]) == Summary((), (), ())


def test_verdicts_are_counted_with_their_extremes() -> None:
    holds, violated = VerdictKind.HOLDS, VerdictKind.VIOLATED
    found = summarise(
        [
            row(1, violated, 1.0, steps=4, depth=4),
            row(2, violated, 2.0, steps=2, depth=2),
            row(3, violated, 0.5, steps=None, depth=None),
            row(4, holds, 3.0, depth=None),
        ]
    )
    assert found.counts == (
        Count("chain", "NeverTop", "NeverTop", "bmc", "HOLDS", 1, None, None, None, 3.0),
        Count("chain", "NeverTop", "NeverTop", "bmc", "VIOLATED", 3, 2, 2, 4, 3.5),
    )
    assert (found.seconds, found.undecided) == (6.5, ())
    assert set(found.verdicts) == {("NeverTop", "HOLDS"), ("NeverTop", "VIOLATED")}


def test_the_slowest_and_the_undecided_come_first_and_are_few() -> None:
    error, undecided = VerdictKind.ERROR, VerdictKind.INCONCLUSIVE
    rows = [row(n, undecided if n % 2 else error, float(n // 2)) for n in range(24)]
    found = summarise(rows)
    assert [(line.seconds, line.verdict) for line in found.slowest] == [
        *((11.0, "ERROR"), (11.0, "INCONCLUSIVE"), (10.0, "ERROR"), (10.0, "INCONCLUSIVE")),
        (9.0, "ERROR"),
    ]
    assert [line.verdict for line in found.undecided] == ["ERROR"] * 10
    assert [line.seconds for line in found.undecided] == [float(n) for n in range(11, 1, -1)]
    assert json.loads(found.slowest[0].constants) == {"top": 2}


@pytest.fixture
def done_before(tmp_path: Path) -> Path:
    """A folder in which all jobs of the grid have their rows."""
    with Store(tmp_path / "run") as store:
        for job in jobs_of("top=2..5", specs=(CHAIN,), properties=("NeverTop",), depth=3):
            store.add(run_job(job, "run"), job.job_id)
        (older,) = jobs_of("top=9", specs=(CHAIN,), properties=("NeverTop",), depth=3)
        store.add([error_row(older, "run", "of another sweep")], older.job_id)
    return tmp_path / "run"


def test_a_sweep_with_nothing_to_do_starts_no_spark(
    done_before: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))  # Spark could not be started
    done = verify("sweep", *GRID, "--out", str(done_before), "--format", "json")
    said = json.loads(done.stdout)
    assert (done.exit_code, said["exit_code"], said["ran"], said["rows"], said["seconds"]) == (
        10,
        10,
        0,
        4,
        0,
    )
    assert {(c["verdict"], c["jobs"]) for c in said["counts"]} == {("VIOLATED", 2), ("HOLDS", 2)}
    assert "4 jobs, 4 of them done before\n" in done.stderr
    assert not (done_before / "spark.log").exists()
    text = verify("sweep", *GRID, "--out", str(done_before)).stdout
    assert f"4 rows in the folder {done_before}; 0 jobs run in 0.0 s" in text


def test_what_is_missing_still_needs_java(
    done_before: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    (file, *_) = sorted((done_before / "rows").iterdir())
    file.write_bytes(b"PAR1 no more")
    refused = verify("sweep", *GRID, "--out", str(done_before))
    assert (refused.exit_code, "--repair sets it aside" in refused.stderr) == (2, True)
    repaired = verify("sweep", *GRID, "--out", str(done_before), "--repair")
    assert f"set aside in {done_before / 'damaged'}: {file} holds no rows of a sweep" in repaired.stderr
    assert (repaired.exit_code, "does not run" in repaired.stderr) == (2, True)  # one job is missing now
    assert len(list((done_before / "damaged").iterdir())) == 1


def test_counting_needs_no_spark() -> None:
    code = "import sys, verifier.sweep.summary; assert 'pyspark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
