"""Processes that serve several requests of a pool."""

from __future__ import annotations

import gc
import os
import time
from collections import deque
from typing import Any

from verifier.processes import pool
from verifier.processes.limits import Limits
from verifier.processes.pool import Task, run_tasks, serve


def _make_counter() -> Any:
    """Return an answer with the process, the number of its requests so far, and the request."""
    seen: list[Any] = []

    def answer(request: Any) -> Any:
        seen.append(request)
        if request == "fails":
            raise ValueError("no such request")
        if request == "dies":
            os._exit(3)
        if request == "sleeps":
            time.sleep(60)
        return os.getpid(), len(seen), request

    return answer


def _ask(requests: list[Any], at_once: int = 1, seconds: float | None = None) -> dict[str, Any]:
    work = serve(_make_counter())
    tasks = [Task(f"{n} {one}", work, Limits(seconds=seconds), one) for n, one in enumerate(requests)]
    return {done.name: done for done in run_tasks(tasks, at_once)}


def test_requests_share_a_process_that_keeps_what_it_made() -> None:
    done = [one.reported for one in _ask(list(range(5))).values()]
    assert [answer[1:] for (answer,) in done] == [(n + 1, n) for n in range(5)]
    assert len({answer[0] for (answer,) in done}) == 1


def test_each_request_gets_its_own_answer_with_several_processes() -> None:
    done = _ask(list(range(40)), at_once=3)
    assert {name: one.reported[0][2] for name, one in done.items()} == {f"{n} {n}": n for n in range(40)}
    assert len({one.reported[0][0] for one in done.values()}) <= 3


def test_a_process_ends_after_so_many_requests(monkeypatch: Any) -> None:
    monkeypatch.setattr(pool, "_REQUESTS_PER_PROCESS", 2)
    numbers = [one.reported[0][1] for one in _ask(list(range(5))).values()]
    assert numbers == [1, 2, 1, 2, 1]


def test_a_request_that_fails_or_dies_ends_its_process_alone() -> None:
    done = _ask(["a", "fails", "b", "dies", "c"])
    assert done["1 fails"].failure == "ValueError: no such request"
    assert done["3 dies"].failure == "ended with code 3"
    assert [done[name].reported[0][1:] for name in ("0 a", "2 b", "4 c")] == [(1, "a"), (1, "b"), (1, "c")]


def test_the_clock_of_a_request_ends_its_process_alone() -> None:
    done = _ask(["a", "sleeps", "b"], seconds=1.0)
    assert done["1 sleeps"].limit == "timeout of 1 s"
    assert not done["1 sleeps"].reported
    assert done["2 b"].reported[0][1:] == (1, "b")


def test_nothing_is_left_when_nobody_asks_any_more() -> None:
    work = serve(_make_counter())
    waiting = deque(Task(f"{n}", work, Limits(), n) for n in range(6))
    pids = {done.reported[0][0] for done, _ in zip(run_tasks(waiting, 2), range(3), strict=False)}
    gc.collect()
    for pid in pids:
        assert not os.path.exists(f"/proc/{pid}")
