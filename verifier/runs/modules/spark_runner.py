"""Tasks of a search by the interpreter on Spark: a Spark job for each group of tasks.

The driver keeps the states. No task writes a file or needs an earlier one, so Spark may repeat a task
wherever it likes. Spark takes seconds to start: meanwhile the search continues.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from verifier.cluster.master import slots_here
from verifier.cluster.session import Session, SparkFailed, SparkSettings
from verifier.engines.exploration import SPARK
from verifier.engines.task_cluster import LIGHT_JAVA
from verifier.processes.limits import Interrupted
from verifier.runs.modules.packed_module import PackedModule

if TYPE_CHECKING:
    from typing import Self

    from verifier.tla.workers.messages import Found, Task

_ATTEMPTS = 3
"""The number of times that a group is started if Spark cannot finish it."""
_MOST_RIVAL = 8.0
"""The limit of the speed, as a multiple of that of one process: the driver merges what tasks find about
ten times as fast as one process finds it."""
_THREADS = 2
_WAIT_SECONDS = 0.5
_TAG = "states"


class SparkRunner:
    """Runs tasks on Spark."""

    def __init__(self, settings: SparkSettings, packed: PackedModule) -> None:
        self._session, self._packed = Session(replace(settings, java_options=LIGHT_JAVA)), packed
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="spark")
        self._starting: Future[int] | None = None
        """The start of Spark, which tells the number of its slots."""
        self._shared: Any = None
        """The module on its way to the executors, as Spark knows it."""
        self._groups: dict[Future[Any], tuple[list[Task], int]] = {}
        """The groups that run: their tasks, and the attempts that are left."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        if self._starting is not None:
            while not wait([self._starting], 0 if self._starting.done() else _WAIT_SECONDS).done:
                self._session.kill_java()  # then the thread ends soon
            if self._starting.exception() is None:
                self._session.__exit__()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def name(self) -> str:
        """Return its name in results."""
        return SPARK

    @property
    def slots(self) -> int:
        """Return the number of tasks that run at a time, as it was when Spark had started."""
        assert self._starting is not None
        return self._starting.result()

    @property
    def rival(self) -> float:
        """Return the expected speed, as a multiple of that of one process."""
        slots = slots_here(self._session.settings.master)
        return _MOST_RIVAL if slots is None else min(float(slots), _MOST_RIVAL)

    @property
    def running(self) -> int:
        """Return the number of groups that run."""
        return len(self._groups)

    def is_ready(self) -> bool:
        """True if Spark has started. Raises Interrupted if it could not."""
        if self._starting is None:
            self._starting = self._threads.submit(self._start)
        if not self._starting.done():
            return False
        try:
            self._starting.result()
        except SparkFailed as error:
            raise Interrupted(str(error)) from error
        return True

    def _start(self) -> int:
        """Start Spark, and a Python worker in each slot, which reads the module."""
        with ExitStack() as started:
            started.enter_context(self._session)
            context, slots = self._session.context, self._session.slots
            try:
                shared = self._shared = context.broadcast(self._packed)

                def read(some: Iterable[int]) -> list[str]:
                    return [shared.value.prepare() for _ in some]

                reasons = context.parallelize(range(slots), slots).mapPartitions(read).collect()
            except Exception as error:
                raise SparkFailed(self._session.words("could not read the module", error)) from error
            if reason := next(filter(None, reasons), ""):
                raise SparkFailed(f"Spark expands no states: {reason}")
            started.pop_all()
        return max(slots, self._session.slots)  # executors may have joined meanwhile

    def submit(self, tasks: Sequence[Task]) -> None:
        """Begin to run a group of tasks."""
        self._submit(list(tasks), _ATTEMPTS - 1)

    def _submit(self, tasks: list[Task], attempts: int) -> None:
        self._groups[self._threads.submit(self._run, tasks)] = tasks, attempts

    def _run(self, tasks: list[Task]) -> list[tuple[int, Found | str]]:
        """Run a job of one Spark task for each task. It runs in a thread, so that limits are checked
        meanwhile."""
        context = self._session.context
        try:
            context.addJobTag(_TAG)
            shared = self._shared

            def answer(some: Iterable[Task]) -> list[tuple[int, Found | str]]:
                return [(task.first, shared.value.answer(task)) for task in some]

            return context.parallelize(tasks, len(tasks)).mapPartitions(answer).collect()
        except Exception as error:
            raise SparkFailed(self._session.words("could not expand states", error)) from error

    def collect(self, seconds: float) -> Iterable[tuple[int, Found]]:
        """Wait for groups at most this long. Return their answers. Raises Interrupted if there are no
        more."""
        done, _ = wait(self._groups, seconds, FIRST_COMPLETED)
        answers = []
        for group in done:
            tasks, attempts = self._groups.pop(group)
            try:
                found = group.result()
            except SparkFailed as error:
                if self._has_ended():
                    raise Interrupted(f"Spark ended: {str(error).partition(': ')[2]}") from error
                if not attempts:
                    raise Interrupted(str(error)) from error
                self._submit(tasks, attempts - 1)
                continue
            for first, answer in found:
                if isinstance(answer, str):
                    raise Interrupted(f"Spark expands no states: {answer}")
                answers.append((first, answer))
        return answers

    def cancel(self) -> None:
        """Forget all groups."""
        if self._groups:
            self._groups.clear()
            with suppress(Exception):  # Spark has ended, and the tasks with it
                self._session.context.cancelJobsWithTag(_TAG)

    def _has_ended(self) -> bool:
        time.sleep(_WAIT_SECONDS)
        try:
            return self._session.slots < 1
        except SparkFailed:
            return True
