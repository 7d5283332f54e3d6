"""Every command stops when told, by SIGINT and SIGTERM, once and twice, and says what it knows."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from random import Random

import pytest

from tests.support.signals import Trial, commands, draw_trial, prepare, run, wrongs
from verifier.processes.interrupts import Interrupts, is_interrupt, is_stop_asked, terminable

_SECONDS = 5.0
"""For a machine that does other work, too."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", commands(Path("/tmp")))
def test_each_command_ends_at_a_signal(name: str, tmp_path: Path) -> None:
    words, within = commands(tmp_path)[name]
    prepare(tmp_path)
    chance = Random(name)
    for _ in range(8):
        trial = draw_trial(words, within, chance)
        ended = run(trial)
        assert wrongs(trial, ended, _SECONDS) == [], (trial, ended)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_proof_of_several_properties_ends_as_a_whole(number: int, tmp_path: Path) -> None:
    words, _ = commands(tmp_path)["prove-unbounded"]
    trial = Trial(words, 8.0, number, None, False)
    ended = run(trial)
    assert wrongs(trial, ended, _SECONDS) == []
    assert ended.code in (10, 12)
    assert len(json.loads(ended.output)["results"]) == 5


def test_an_interrupt_is_remembered_within_the_process() -> None:
    assert not is_stop_asked()
    with pytest.raises(KeyboardInterrupt), terminable():
        signal.raise_signal(signal.SIGTERM)
    assert is_stop_asked()
    for number in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_what_is_held_is_interrupted_afterwards() -> None:
    handler, done = Interrupts(), list[str]()

    def write() -> None:
        with handler.hold_back():
            handler(signal.SIGINT, None)
            done.append("written")

    with pytest.raises(KeyboardInterrupt):
        write()
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    assert done == ["written"]


def test_an_error_that_came_of_an_interrupt_is_one() -> None:
    """As Python 3.11 makes a RuntimeError of one in ``__set_name__``."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises((RuntimeError, KeyboardInterrupt)) as caught:
        type("Owner", (), {"name": Named()})
    assert is_interrupt(caught.value)
    assert not is_interrupt(RuntimeError("another"))
