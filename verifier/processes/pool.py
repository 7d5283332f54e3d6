"""Tasks in child processes, several at a time, each with a clock and a memory limit that kill."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from verifier.processes.children import Child, ChildEnded, Children, Message, Pace, Work
from verifier.processes.limits import Interrupted, Limits

_POLL_SECONDS = 0.2
_REQUESTS_PER_PROCESS = 100
"""A process that serves requests ends after so many, so that what it keeps for later ones stays bounded."""


@dataclass(frozen=True)
class Task:
    """Work with a name of its own."""

    name: str
    work: Work
    limits: Limits
    request: Any = None
    """The question for a process whose work is to ``serve``; None for other work. Later tasks with the same
    work use the process again, with what it keeps between requests."""


def serve(answer: Callable[[Any], Any]) -> Work:
    """Return the work of a process that answers requests until nobody asks any more."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        with contextlib.suppress(EOFError):
            while True:
                report(answer(incoming.recv()))

    return work


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
                        if self.task.request is not None:
                            return self._make_result(None, None)
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
    servers, pace = _Servers(), Pace()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                task = waiting.popleft()
                running[task.name] = one = _Running(task, Children(task.limits, nested=True, pace=pace))
                servers.start(one)
            watch(list(running))
            wait([c for one in running.values() for c in one.children.connections], timeout=_POLL_SECONDS)
            for name, one in list(running.items()):
                done = one.news()
                if done is not None:
                    servers.end(one, done)
                    del running[name]
                    yield done
    finally:
        servers.kill_idle()
        for name, one in running.items():
            one.children.kill(name)


@dataclass(frozen=True)
class _Server:
    """A process that waits for a request, with the number of those that it answered."""

    child: Child
    answered: int


@dataclass
class _Servers:
    """The processes of tasks; idle ones are kept for later requests."""

    idle: dict[Work, list[_Server]] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    """The requests that the process of a running task answered before."""

    def start(self, one: _Running) -> None:
        """Start a task in a new process, or in one that answered requests before."""
        name, task = one.task.name, one.task
        idle = self.idle.get(task.work, [])
        if task.request is not None and idle:
            server = idle.pop()
            one.children.adopt(name, server.child)
            self.answered[name] = server.answered
        else:
            one.children.start(name, task.work)
        if task.request is not None:
            one.children.send(name, task.request)

    def end(self, one: _Running, result: TaskResult) -> None:
        """Kill the process of a task, or keep it if it can answer more requests."""
        name, task = one.task.name, one.task
        answered = self.answered.pop(name, 0) + 1
        is_well = result.limit is None and result.failure is None and answered < _REQUESTS_PER_PROCESS
        child = one.children.release(name) if task.request is not None and is_well else None
        if child is None:
            one.children.kill(name)
        else:
            self.idle.setdefault(task.work, []).append(_Server(child, answered))

    def kill_idle(self) -> None:
        """Kill the processes that wait for requests."""
        for servers in self.idle.values():
            for server in servers:
                last = Children(Limits(), nested=True)
                last.adopt("idle", server.child)
                last.kill("idle")
