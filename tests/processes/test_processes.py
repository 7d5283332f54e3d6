"""Child processes that have children of their own: counted with them, and killed with them."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import psutil
import pytest

from tests.support.clock import at_most
from verifier.processes import interrupts
from verifier.processes.children import Child, ChildEnded, Children, Message
from verifier.processes.interrupts import Interrupts
from verifier.processes.limits import Interrupted, Limits

SOON_SECONDS = 10


def _sleeps(report: Callable[[Any], None], _: Connection) -> None:
    report(os.getpid())
    time.sleep(600)


def _has_a_child(report: Callable[[Any], None], _: Connection) -> None:
    with Children(Limits()) as inner:
        inner.start("inner", _sleeps)
        for event in inner.events():
            report(event)


def _eats_in_a_child(report: Callable[[Any], None], _: Connection) -> None:
    def eat(*_: Any) -> None:
        eaten = bytearray(300 * 2**20)
        report(len(eaten))
        time.sleep(600)

    with Children(Limits()) as inner:
        inner.start("inner", eat)
        list(inner.events())


def _ends(pid: int) -> bool:
    until = time.monotonic() + SOON_SECONDS
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_killing_a_nested_child_kills_its_children() -> None:
    with Children(Limits(), nested=True) as children:
        children.start("outer", _has_a_child)
        (event,) = children.poll(SOON_SECONDS)
        assert isinstance(event, Message)
        inner = event.content.content
        assert psutil.pid_exists(inner)
        children.kill("outer")
        assert _ends(inner)


@pytest.mark.parametrize("written", [0, 2, 4, 9])
def test_a_child_killed_in_the_midst_of_a_message_has_ended(written: int) -> None:
    """With as many bytes of it written: of its length, all of that, or of the content too."""

    def half(report: Any, _: Connection) -> None:
        message = struct.pack("!i", 1 << 20) + b"some of the content"
        os.write(report.__self__.fileno(), message[:written])
        os.kill(os.getpid(), signal.SIGKILL)

    with Children(Limits(), nested=True) as children:
        children.start("half", half)
        assert list(children.events()) == [ChildEnded("half", "killed by signal 9")]


def test_a_child_that_gives_way_has_a_lower_priority() -> None:
    def niceness(report: Any, incoming: Any) -> None:
        incoming.recv()
        report(os.getpriority(os.PRIO_PROCESS, 0))

    own = os.getpriority(os.PRIO_PROCESS, 0)
    with Children(Limits()) as children:
        for name in ("polite", "other"):
            children.start(name, niceness)
        children.give_way("polite", 3)
        children.give_way("gone", 3)
        for name in ("polite", "other"):
            children.send(name, None)
        told = {event.child: event.content for event in children.events() if isinstance(event, Message)}
    assert told == {"polite": own + 3, "other": own}


def test_a_child_dies_with_the_process_that_started_it() -> None:
    with Children(Limits(), nested=True) as children:
        children.start("outer", _has_a_child)
        (event,) = children.poll(SOON_SECONDS)
        assert isinstance(event, Message)
        os.kill(psutil.Process(event.content.content).ppid(), signal.SIGKILL)
        assert list(children.events()) == [ChildEnded("outer", "killed by signal 9")]
        assert _ends(event.content.content)


_LEAVES_A_CHILD = """
import multiprocessing, time
from verifier.processes.children import Children
from verifier.processes.limits import Limits
Children(Limits(), nested=True).start("left", lambda report, incoming: time.sleep(600))
multiprocessing.get_context("fork").Process(target=lambda: (time.sleep(0.3), print("the script's"))).start()
"""


def test_a_process_ends_although_an_interrupt_left_a_child_behind() -> None:
    """Python would wait for a child that may have children of its own, and hear no signal."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", _LEAVES_A_CHILD], check=True, timeout=60, stdout=-1)
    assert time.monotonic() - began < SOON_SECONDS
    assert done.stdout == b"the script's\n"  # its own processes are waited for


def test_a_child_that_is_interrupted_at_once_shows_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    """Until it has handlers of its own, it has those of this process, which raise."""
    with Children(Limits()) as children:
        for number in range(60):
            children.start(str(number), lambda report, incoming: None)
            children.interrupt(str(number))
        assert all(isinstance(event, ChildEnded) for event in children.events())
    assert "Traceback" not in capfd.readouterr().err


def test_an_interrupt_waits_until_all_children_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    own, strike = Interrupts(), Children._strike
    monkeypatch.setattr(interrupts, "handler", lambda: own)

    def struck(children: Children, child: Child) -> None:
        own(signal.SIGINT, None)
        strike(children, child)

    monkeypatch.setattr(Children, "_strike", struck)
    pids: list[int] = []

    def start_and_leave() -> None:
        with Children(Limits(), nested=True) as children:
            for name in ("one", "other"):
                children.start(name, _sleeps)
                pids.extend(event.content for event in children.poll(SOON_SECONDS))  # type: ignore[union-attr]

    with pytest.raises(KeyboardInterrupt):
        start_and_leave()
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    assert len(pids) == 2
    assert all(_ends(pid) for pid in pids)


def test_memory_is_counted_with_all_descendants() -> None:
    with Children(Limits(memory=250 * 2**20), nested=True) as children:
        children.start("outer", _eats_in_a_child)
        with pytest.raises(Interrupted, match="memory limit of 250 MiB"):
            for _ in children.events():
                pass
        assert children.peak_memory > 250 * 2**20


def test_memory_beyond_the_limit_is_never_too_early_to_count() -> None:
    with Children(Limits(memory=250 * 2**20), nested=True) as children:
        children.pace.counted_again = float("inf")
        children.start("outer", _eats_in_a_child)
        with at_most(60), pytest.raises(Interrupted, match="memory limit of 250 MiB"):
            for _ in children.events():
                pass


def test_memory_within_the_limit_is_counted_as_seldom_as_counting_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = []

    def slowly(process: psutil.Process) -> int:
        until = time.thread_time() + 0.1
        while time.thread_time() < until:
            pass
        counted.append(process.pid)
        return 1

    monkeypatch.setattr("verifier.processes.children._proportional", slowly)
    with Children(Limits(memory=2**40), nested=True) as children:
        children.start("outer", _sleeps)
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            list(children.poll(0.1))
        assert len(counted) == 1
        assert children.peak_memory == 1
