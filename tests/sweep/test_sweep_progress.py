"""The progress of a running sweep, and the jobs that count as done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.sweeping import jobs_of
from verifier.cli.sweep import command
from verifier.cli.sweep_progress import SweepText
from verifier.engines.explore import Progress
from verifier.runs.engine import engine_named
from verifier.runs.table import ENGINES
from verifier.sweep.execution import error_row, not_run_row
from verifier.sweep.session import _is_missing
from verifier.sweep.sweep import News
from verifier.text.progress import StatesText
from verifier.verdict import VerdictKind

NEWS = News(done=2, total=10, running=())


def test_what_the_environment_did_not_run_is_run_again() -> None:
    (job,) = jobs_of(specs=("kip101",), properties=("WeakIsr",), depth=2)
    lost = not_run_row(job, "run", "Spark could not finish it: No module named 'verifier'", 3)
    assert "with --archive" in str(lost.reason)
    assert _is_missing(lost, ())
    assert _is_missing(None, ())


def test_an_error_is_run_again_and_a_verdict_is_not() -> None:
    (job,) = jobs_of(specs=("kip101",), properties=("WeakIsr",), depth=2)
    crashed = error_row(job, "run", "the job's process: killed by signal 11")
    assert _is_missing(crashed, ())
    open_row = replace(crashed, verdict=VerdictKind.INCONCLUSIVE)
    assert not _is_missing(open_row, ())
    assert _is_missing(open_row, ("verdict=inconclusive",))


def test_the_rest_is_not_estimated_from_the_first_job() -> None:
    text = SweepText()
    assert "left" not in text.take(NEWS)
    assert "s left" in text.take(replace(NEWS, done=3))


def test_the_rest_takes_as_long_as_the_jobs_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    text, now = SweepText(), [100.0]
    monkeypatch.setattr("verifier.cli.sweep_progress.time.monotonic", lambda: now[0])
    news = replace(NEWS, done=0, total=180)
    text.take(news)
    for done, seconds, left in ((9, 15, 285), (120, 200, 100), (175, 291, 8)):
        now[0] = 100.0 + seconds
        assert text.take(replace(news, done=done)).endswith(f"about {left} s left")
    assert "left" not in text.take(replace(news, done=8))
    assert "left" not in text.take(replace(news, done=180))


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


def test_a_search_that_begins_again_has_a_rate_of_its_own() -> None:
    text = StatesText()
    list(text.hear(Progress(depth=49, states=4_296_843, frontier=10, seconds=12.0)))
    list(text.hear(Progress(depth=2, states=20, frontier=10, seconds=2.0)))
    assert "20 states, 10 still to visit, 10 states per second" in text.now()
    list(text.hear(Progress(depth=5, states=220, frontier=10, seconds=12.0)))
    assert "20 states per second" in text.now()


def test_a_violation_does_not_take_the_figures_back() -> None:
    text = StatesText()
    assert not list(text.hear(Progress(depth=0, states=0, frontier=0, seconds=0.0)))
    assert "0 states" not in text.now()
    news = Progress(depth=5, states=100, frontier=10, seconds=1.0, violated="Consistent")
    assert list(text.hear(news)) == ["Consistent is violated at depth 5"]
    assert text.now().startswith("1 s: depth 5, 100 states, ")


def test_the_help_names_each_engine_that_decides() -> None:
    deciding = [name for name in ENGINES if engine_named(name).decides]
    (option,) = (one for one in command.params if one.name == "engines")
    named = str(getattr(option, "help", "")).partition(".")[0].replace(" or ", ", ").split(", ")
    assert sorted(named) == sorted(deciding)
