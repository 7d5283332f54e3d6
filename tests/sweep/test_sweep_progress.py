"""The progress of a running sweep, and the jobs that count as done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sweeping import jobs_of
from verifier.cli.sweep_progress import SweepText
from verifier.engines.explore import Progress
from verifier.sweep.execution import error_row, not_run_row, was_run
from verifier.sweep.session import _is_missing
from verifier.sweep.sweep import News
from verifier.text.progress import StatesText

NEWS = News(done=2, total=10, running=(), cost_left=8.0, cost_done=2.0)


def test_what_the_environment_did_not_run_is_run_again() -> None:
    (job,) = jobs_of(specs=("kip101",), properties=("WeakIsr",), depth=2)
    lost = not_run_row(job, "run", "Spark could not finish it: No module named 'verifier'", 3)
    assert "with --archive" in str(lost.reason)
    assert not was_run(lost)
    assert _is_missing(lost, ())
    crashed = error_row(job, "run", "the job's process: killed by signal 11")
    assert was_run(crashed)
    assert not _is_missing(crashed, ())
    assert _is_missing(None, ())


def test_the_rest_is_not_estimated_from_the_first_job() -> None:
    text = SweepText()
    assert "left" not in text.take(NEWS)
    assert "s left" in text.take(replace(NEWS, done=3))


@pytest.mark.parametrize(
    ("workers", "words"),
    [(2, "5 of 10 jobs"), (1, "1 of 2 workers lost"), (0, "no worker is there: waiting for one")],
)
def test_lost_workers_are_said(workers: int, words: str) -> None:
    text = SweepText()
    text.take(replace(NEWS, workers=2))
    said = text.take(replace(NEWS, done=5, workers=workers))
    assert words in said
    assert ("s left" in said) == (workers > 0)


def test_between_two_levels_the_rate_is_that_of_the_whole() -> None:
    text = StatesText()
    first = Progress(depth=3, states=1000, frontier=10, seconds=6.0)
    assert not list(text.hear(first))
    assert "167 states per second" in text.now()
    again = replace(first, seconds=20.0)
    assert not list(text.hear(again))
    assert "50 states per second" in text.now()
