"""Shares of memory: what a process inherits by fork is there once, and counts in its own memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import pytest

from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.memory_shares import MemoryShares, measure_inherited
from verifier.processes.watching import within

MIB = 2**20


def work_within(memory: int | None) -> Callable[[Callable[[Any], None], Connection], None]:
    """Return work that reports True if it is not ended at once by the limit."""

    def work(report: Callable[[Any], None], _: Connection) -> None:
        try:
            report(within(Limits(memory=memory), lambda: sum(range(10**6)) > 0))
        except Interrupted:
            report(False)

    return work


def test_a_process_of_a_large_one_does_not_meet_its_limit_at_once() -> None:
    held = bytearray(b"1" * (200 * MIB))
    shares = MemoryShares(measure_inherited() + 100 * MIB)
    share = shares.give("half", 0.5)
    assert share is not None
    assert len(held) < share < measure_inherited() + 60 * MIB
    with Children(Limits()) as children:
        children.start("half", work_within(share))
        heard = [one for one in children.events() if not isinstance(one, ChildEnded)]
    assert heard == [Message("half", True)]


def test_only_what_is_not_inherited_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.processes.memory_shares.measure_inherited", lambda: 100 * MIB)
    shares = MemoryShares(500 * MIB)
    assert (shares.give("one", 0.25), shares.give("two", 0.75)) == (200 * MIB, 400 * MIB)
    assert shares.give_more("one", ["two"]) is None
    assert shares.give_more("one", []) == 500 * MIB
    assert shares.give_more("one", []) is None  # it had all
    small = MemoryShares(50 * MIB)
    assert small.give("one", 1) == 100 * MIB
    assert small.give_more("one", []) is None
    assert MemoryShares(None).give("one", 0.5) is None


def test_memory_that_children_share_with_this_process_is_there_once() -> None:
    """Three children of a large process use little more than one: none of them writes to what it has."""
    held = bytearray(b"1" * (200 * MIB))

    def wait(report: Callable[[Any], None], _: Connection) -> None:
        time.sleep(0.6)
        report(len(held))

    with Children(Limits(memory=measure_inherited() + 50 * MIB)) as children:
        for name in ("one", "two", "three"):
            children.start(name, wait)
        heard = [one for one in children.events() if isinstance(one, Message)]
    assert len(heard) == 3
    assert 0 < children.peak_memory < measure_inherited() + 50 * MIB
