"""The tasks of a level in child processes of this one. A child that is lost is started again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Any

from verifier.engines.exploration import RunningExploration
from verifier.engines.exploration_progress import name_processes
from verifier.engines.level_search import MOST_ROOM
from verifier.explicit.level_tasks import Result, Stage, Task
from verifier.explicit.performing import Failed, attempt
from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.limits import Interrupted

if TYPE_CHECKING:
    from typing import Self

_ATTEMPTS = 3
"""The number of times that a task is started if its process is lost."""
_WAIT_SECONDS = 0.2


class TaskProcesses:
    """Several processes."""

    def __init__(self, findings: RunningExploration, count: int, *, together: bool = True) -> None:
        """``together``: whether the memory limit is that of this process and all of these together."""
        self._findings, self._count, self._together = findings, count, together
        self._children = Children(replace(findings.limits, memory=None), nested=True)
        self._started = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._children.__exit__(kind, error, trace)

    @property
    def ready(self) -> bool:
        """Processes are started with the first tasks."""
        return True

    @property
    def slots(self) -> int:
        """Return the number of processes."""
        return self._count

    @property
    def room(self) -> int:
        """The bytes that each may take for a task."""
        return min(MOST_ROOM, (self._findings.memory - self._findings.resident()) // self._count)

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the outcomes of the tasks as they end. Raises Interrupted at a limit, or if a task
        cannot be done."""
        if self._together:  # else somebody else has these processes, and says so
            self._findings.use_means(name_processes(self._count))
        waiting = deque(enumerate(tasks))
        attempts = [0] * len(tasks)
        doing: dict[str, int] = {}
        while waiting or doing:
            for name in self._idle(stage, doing) if waiting else ():
                if waiting:
                    number, task = waiting.popleft()
                    doing[name] = number
                    attempts[number] += 1
                    self._children.send(name, task)
            self._findings.tell_again()
            self._findings.enforce(self._children.peak_memory if self._together else 0)
            for event in self._children.poll(_WAIT_SECONDS):
                number = doing.pop(event.child, -1)
                match event:
                    case Message(content=Failed(reason=reason)):
                        raise Interrupted(reason)
                    case Message():
                        yield event.content
                    case ChildEnded() if number >= 0 and attempts[number] >= _ATTEMPTS:
                        raise Interrupted(f"a worker ended {_ATTEMPTS} times at one task: {event.failure}")
                    case ChildEnded() if number >= 0:
                        waiting.appendleft((number, tasks[number]))

    def start(self, stage: Stage) -> None:
        """Starts as many as there should be and are not."""
        while len(self._children.running) < self._count:
            self._started += 1
            self._children.start(f"worker {self._started}", _worker(stage))

    def _idle(self, stage: Stage, doing: dict[str, int]) -> list[str]:
        """The children with nothing to do."""
        self.start(stage)
        return [name for name in self._children.running if name not in doing]


def _worker(stage: Stage) -> Callable[[Callable[[Any], None], Connection], None]:
    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        while True:
            report(attempt(stage, incoming.recv()))

    return work
