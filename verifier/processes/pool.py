"""Tasks in child processes, several at a time, each with a clock and a memory limit that kill."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

from verifier.processes.children import ChildEnded, Children, Message, Work
from verifier.processes.limits import Interrupted, Limits

_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Task:
    """Work with a name of its own."""

    name: str
    work: Work
    limits: Limits


@dataclass(frozen=True)
class TaskResult:
    """The outcome of a task."""

    name: str
    reported: tuple[Any, ...]
    limit: str | None
    """The limit that ended it; None if none did."""
    failure: str | None
    """Why it did not come to its own end otherwise."""
    seconds: float
    peak_memory: int = 0
    """Bytes."""


@dataclass
class _Running:
    task: Task
    children: Children
    began: float = field(default_factory=time.monotonic)
    reported: list[Any] = field(default_factory=list)

    def news(self) -> TaskResult | None:
        """The end, if it has come."""
        try:
            for event in self.children.poll(0):
                match event:
                    case Message():
                        self.reported.append(event.content)
                    case ChildEnded():
                        return self._make_result(None, event.failure)
        except Interrupted as stop:
            return self._make_result(str(stop), None)
        return None

    def _make_result(self, limit: str | None, failure: str | None) -> TaskResult:
        seconds = time.monotonic() - self.began
        return TaskResult(
            self.task.name, tuple(self.reported), limit, failure, seconds, self.children.peak_memory
        )


def run_alone(
    name: str,
    work: Work,
    limits: Limits,
    *,
    nested: bool,
    hear: Callable[[Any], None] = lambda _: None,
) -> TaskResult:
    """Run one task. An interrupt counts as a limit. ``nested``: it has children of its own. What it
    reports is heard as it comes, too."""
    began, children = time.monotonic(), Children(limits, nested=nested)
    reported: list[Any] = []
    failures: list[str] = []

    def follow() -> None:
        children.start(name, work)
        for event in children.events():
            match event:
                case Message():
                    reported.append(event.content)
                    hear(event.content)
                case ChildEnded() if event.failure is not None:
                    failures.append(event.failure)

    limit = children.supervise(follow) or None
    seconds = time.monotonic() - began
    return TaskResult(name, tuple(reported), limit, next(iter(failures), None), seconds, children.peak_memory)


Watch = Callable[[Sequence[str]], None]
"""Hears, several times a second, the names of the tasks that run."""


def run_tasks(
    tasks: Sequence[Task] | deque[Task], at_once: int, watch: Watch = lambda _: None
) -> Iterator[TaskResult]:
    """Run the tasks in the order given, and yield their outcomes as they end. A deque is emptied; more can
    be added to it meanwhile. Whatever ends this kills them."""
    waiting, running = tasks if isinstance(tasks, deque) else deque(tasks), dict[str, _Running]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                _start(waiting.popleft(), running)
            watch(list(running))
            wait([c for one in running.values() for c in one.children.connections], timeout=_POLL_SECONDS)
            for name, one in list(running.items()):
                done = one.news()
                if done is not None:
                    one.children.kill(name)
                    del running[name]
                    yield done
    finally:
        for name, one in running.items():
            one.children.kill(name)


def _start(task: Task, running: dict[str, _Running]) -> None:
    one = _Running(task, Children(task.limits, nested=True))
    running[task.name] = one
    one.children.start(task.name, task.work)
