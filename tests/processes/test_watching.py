"""Work that is interrupted from a thread that looks at the limits."""

from __future__ import annotations

import sys
import time
from subprocess import run

import pytest

from tests.support.command_line import ROOT
from tests.support.random_protocols import random_protocol
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import Watched
from verifier.runs.building import build_model
from verifier.specs.protocol import define

TRACED = """
import sys, time
from verifier.processes.limits import Interrupted
from verifier.processes.watching import Watched

def late():
    if time.monotonic() - began > 0.1:
        raise Interrupted("late")

began = time.monotonic()
try:
    with Watched(late):
        while True:
            time.sleep(0.01)
except Interrupted:
    pass
sys.settrace(lambda *_: None)
(lambda: 1)()
"""


def _at_once() -> None:
    raise Interrupted("over")


def _endless() -> None:
    while True:
        time.sleep(0.01)


def test_work_is_interrupted_and_the_reason_is_known() -> None:
    watched = Watched(_at_once)
    with pytest.raises(Interrupted, match=r"^over$"), watched:
        _endless()
    assert watched.reason == "over"


def test_nothing_arrives_after_the_work() -> None:
    with pytest.raises(Interrupted), Watched(_at_once):
        time.sleep(0.5)  # what waits arrives when this ends
    for _ in range(1000):
        time.sleep(0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_lost_in_a_destructor_is_raised_again() -> None:
    """Python prints it there, and goes on."""

    class Slow:
        def __del__(self) -> None:
            _endless()

    def work() -> None:
        Slow()
        _endless()

    began = time.monotonic()
    with pytest.raises(Interrupted, match=r"^over$"), Watched(_at_once):
        work()
    assert time.monotonic() - began > 1


def test_work_that_ends_in_time_is_left_alone() -> None:
    with Watched(lambda: None) as watched:
        time.sleep(0.01)
    assert not watched.reason


def test_functions_are_traced_after_an_interruption() -> None:
    """Python 3.11 once hung here: an exception that was taken back waited forever."""
    assert run([sys.executable, "-c", TRACED], cwd=ROOT, timeout=30, check=False).returncode == 0


def test_the_time_ends_building_that_does_not_look_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def build_slowly(*_: object) -> None:
        for _each in range(10**9):
            pass

    monkeypatch.setattr("verifier.runs.building.build", build_slowly)
    began = time.monotonic()
    with pytest.raises(Interrupted, match="timeout"):
        build_model(define(random_protocol(0)[1]), Limits(seconds=0.3).begin())
    assert time.monotonic() - began < 20
