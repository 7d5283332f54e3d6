"""Work that holds a lock lets others have a turn."""

from __future__ import annotations

import threading

from verifier.server.turns import Turns


def work(turns: Turns, ready: threading.Event, ends: threading.Event, *, yields: bool) -> None:
    """Hold the lock until another thread ended."""
    with turns:
        ready.set()
        while not ends.wait(0.001):
            if yields:
                turns.give_way()


def test_who_waits_gets_the_lock_between_two_steps() -> None:
    turns, ready, ends = Turns(), threading.Event(), threading.Event()
    thread = threading.Thread(target=work, args=(turns, ready, ends), kwargs={"yields": True})
    thread.start()
    ready.wait()
    for _ in range(50):
        with turns:
            pass
    ends.set()
    thread.join()


def test_who_does_not_want_to_wait_is_told() -> None:
    turns, ready, ends = Turns(), threading.Event(), threading.Event()
    thread = threading.Thread(target=work, args=(turns, ready, ends), kwargs={"yields": False})
    thread.start()
    ready.wait()
    with turns.take_within(0.01) as is_free:
        assert not is_free
    ends.set()
    thread.join()
    with turns.take_within(0.01) as is_free:
        assert is_free
    with turns.take_within(0.01) as is_free:
        assert is_free
