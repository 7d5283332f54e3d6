"""One job in a child process: whatever becomes of it, there is a row."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.support.command_line import CHAIN, ROOT, TOYS
from tests.support.sweeping import jobs_of, misbehaving, verdicts
from verifier.outcomes.content import as_object
from verifier.outcomes.row import rows_of
from verifier.processes import limits
from verifier.report.sweep import render_summary
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.loading import load
from verifier.sweep.execution import _describe_difference, run_job
from verifier.sweep.summary import Count, Line, Summary


@pytest.mark.parametrize("engine", ["bmc", "explore", "induct", "prove"])
def test_a_job_gives_the_row_that_a_run_gives(engine: str) -> None:
    grid = {"specs": (CHAIN,), "properties": ("NeverTop", "StartsLow"), "engines": (engine,)}
    for job in jobs_of("top=3", **grid):
        (row,) = run_job(job, "sweep")
        found = engine_named(engine)
        known = {name: value for name, value in job.options.items() if value is not None}
        options = found.options_of({**known, "properties": [job.property_name]})
        (plain,) = rows_of(as_object(execute(engine, load(CHAIN, {"top": 3}), options)))
        assert row.job_id == plain.job_id == job.job_id
        assert row.run_id == "sweep"
        for same in ("verdict", "depth", "steps", "trace", "constants", "options", "spec_hash", "exit_code"):
            assert getattr(row, same) == getattr(plain, same)


def test_a_type_invariant_that_is_violated_has_a_row_too() -> None:
    (job,) = jobs_of(specs=(f"{TOYS}:Overflow",), properties=("Small",), depth=5)
    rows = run_job(job, "sweep")
    assert ("TypeInvariant", "VIOLATED") in verdicts(rows)
    assert len({row.job_id for row in rows}) == len(rows) == 2


@pytest.mark.parametrize(
    ("trouble", "verdict", "reason"),
    [
        (1, "ERROR", "killed by signal 11"),
        (2, "INCONCLUSIVE", "timeout of 1 s"),
        (3, "INCONCLUSIVE", "memory limit of 300 MiB"),
        (4, "ERROR", "RuntimeError: as planned"),
        (5, "ERROR", "ended with code 3"),
        (6, "INCONCLUSIVE", "timeout of 1 s"),
    ],
)
def test_trouble_becomes_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: int, verdict: str, reason: str
) -> None:
    monkeypatch.setattr(limits, "GRACE_SECONDS", 0.0)
    (job,) = jobs_of(
        f"trouble={trouble}",
        specs=(misbehaving(tmp_path),),
        properties=("NeverTop",),
        timeout=1.0 if trouble in (2, 6) else 60.0,
        memory=300 * 2**20,
    )
    (row,) = run_job(job, "sweep")
    assert row.verdict.value == verdict
    assert reason in (row.reason or "")
    assert row.job_id == job.job_id
    assert (row.error is not None) == (verdict == "ERROR")
    assert not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "1000"]]


def test_a_job_that_answers_another_question_is_an_error(tmp_path: Path) -> None:
    spec = misbehaving(tmp_path, "pass")
    (job,) = jobs_of("trouble=1", specs=(spec,), properties=("NeverTop",))
    file = Path(spec.partition(":")[0])
    changed = file.read_text(encoding="utf-8") + "\nChain.init = lambda self, s: s.x == 1\n"
    file.write_text(changed, encoding="utf-8")
    (row,) = run_job(job, "sweep")
    assert row.verdict.value == "ERROR"
    here = load(spec, job.constants).definition.spec_hash
    words = f"another question was answered than asked: the spec is {here} here and was {job.spec_hash}"
    assert row.reason == words  # and nothing that is the same
    answer = replace(row, spec_hash=job.spec_hash, options={**row.options, "depth": 7}, tool_version="0")
    told = _describe_difference(job, [answer])
    assert "the spec" not in told
    assert "depth=7" in told
    assert told.endswith(f", this program is 0 here and was {job.tool_version}")


def test_nothing_survives_a_worker_that_is_killed(tmp_path: Path) -> None:
    """The job's process and the engine's children below it end with it."""
    code = (
        "from tests.support.sweeping import jobs_of\n"
        "from tests.support.command_line import LOCK\n"
        "from verifier.sweep.execution import run_job\n"
        "(job,) = jobs_of(specs=(LOCK,), properties=('HolderWaitsNoMore',), depth=100000, "
        "options={'solver': 'cadical'})\n"
        "run_job(job, 'x')\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    try:
        below: list[psutil.Process] = []
        until = time.monotonic() + 60
        while len(below) < 3 and time.monotonic() < until:  # the job, and two searches
            time.sleep(0.1)
            below = psutil.Process(worker.pid).children(recursive=True)
        assert len(below) >= 3
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    _, alive = psutil.wait_procs(below, timeout=10)
    assert not alive


def test_constants_are_shown_as_they_are_written() -> None:
    line = Line("locks", "Safe", "bmc", '{"resend": true, "clients": 2}', "HOLDS", 3, 1.0, None)
    count = Count("locks", "Safe", "Safe", "bmc", "HOLDS", 1, 3, None, None, 1.0)
    shown = "\n".join(render_summary(Summary((count,), (line,), ())))
    assert "resend=true, clients=2" in shown


def test_specs_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    written = Path(TOYS).read_text(encoding="utf-8")
    mended = tmp_path / "mended.py"
    mended.write_text(written.replace("s.x != self.top", "s.x <= self.top"), encoding="utf-8")
    first, second = CHAIN, f"{mended}:Chain"
    jobs = jobs_of(specs=(first, second), properties=("NeverTop",))
    assert [job.name for job in jobs] == [f"chain ({first})", f"chain ({second})"]
    rows = [run_job(job, "x")[0] for job in jobs]
    assert [(row.spec, row.verdict.value) for row in rows] == [
        (f"chain ({first})", "VIOLATED"),
        (f"chain ({second})", "HOLDS"),
    ]
    (alone,) = jobs_of(specs=(first,), properties=("NeverTop",))
    assert alone.name == "chain"
