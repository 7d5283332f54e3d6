"""The tasks of a level on Spark: a Spark job for all of them, each Spark task doing some.

The tasks exchange states through the folder, which every executor must see, and not through Spark's
shuffle. A shuffle's files are lost with the executor that wrote them, and then all before them is computed
again from the start, unless each level is written to such a folder too. So the folder would be needed
anyway, states would be written twice, and there would be two ways to exchange them. A task writes the same
files whenever it is repeated, and a file has its name once it is whole: an executor that is lost costs the
tasks that it was doing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.cluster.session import Session, SparkFailed, SparkSettings
from verifier.engines.findings import Findings
from verifier.engines.level_search import MOST_ROOM
from verifier.explicit.levels import Result, Stage, Task
from verifier.explicit.performing import Failed, attempt
from verifier.processes.limits import Interrupted

if TYPE_CHECKING:
    from typing import Self

_ATTEMPTS = 3
"""How often the tasks are started if Spark cannot finish them, each time those that are missing."""
_WAIT_SECONDS = 0.5
_WORKER = 192 << 20
"""Bytes of a Python worker before it does anything, rounded up."""
_TASK_MEMORY = 1 << 30
"""Bytes that a Python worker may take if nothing is said."""
_SPARK_TASKS_PER_SLOT = 2
"""A Spark task does several of ours: each costs Spark a tenth of a second."""
_TAG = "level"
_LIGHT_JAVA = ("-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""States do not go through the JVM. It does little, and that little is done sooner than optimised."""

Found = TypeVar("Found")


class TaskCluster:
    """A Spark session that does tasks."""

    def __init__(self, findings: Findings, settings: SparkSettings) -> None:
        self._findings = findings
        self._memory = findings.request.limits.memory or _TASK_MEMORY
        self._session = Session(replace(settings, java_options=_LIGHT_JAVA))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spark")
        self._starting: Future[Session] | None = None
        self._shared: tuple[Stage, Any] | None = None

    def __enter__(self) -> Self:
        """Begins to start Spark in the thread: this process explores on meanwhile. While Spark starts, its
        log has what anyone writes to standard error, so nothing is to be told then."""
        self._starting = self._thread.submit(self._session.__enter__)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._starting is not None
        while not wait([self._starting], 0 if self.ready else _WAIT_SECONDS).done:
            self._session.kill_java()  # then the thread ends soon
        if self._starting.exception() is None:
            self._session.__exit__()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def ready(self) -> bool:
        """Whether Spark has started, or could not."""
        return self._starting is not None and self._starting.done()

    @property
    def slots(self) -> int:
        """How many tasks run at a time. Waits until Spark has started. Raises Interrupted if it has ended."""
        assert self._starting is not None
        try:
            self._awaited(self._starting, lambda: None)
            return self._session.slots
        except SparkFailed as error:
            raise Interrupted(str(error)) from error

    @property
    def room(self) -> int:
        """The bytes that a task may take beside what its Python worker has."""
        return min(MOST_ROOM, self._memory - _WORKER)

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """What came of the tasks. Raises Interrupted at a limit, or if a task cannot be done."""
        missing = dict(enumerate(tasks))
        for attempts_left in reversed(range(_ATTEMPTS)):
            try:
                for number, result in self._collected(stage, missing):
                    if isinstance(result, Failed):
                        raise Interrupted(result.reason)
                    self._check_memory(result)
                    del missing[number]
                    yield result
                return
            except SparkFailed as error:
                if not attempts_left or self._has_ended():
                    raise Interrupted(str(error)) from error

    def _collected(
        self, stage: Stage, tasks: dict[int, Task]
    ) -> list[tuple[int, Result | Failed]]:
        """Raises SparkFailed if Spark could not finish the tasks, Interrupted at a limit."""
        running = self._thread.submit(self._collect, stage, list(tasks.items()))
        try:
            return self._awaited(running, self._findings.tell_again)
        except BaseException:
            with suppress(Exception):  # Spark has ended, and the tasks with it
                self._session.session.sparkContext.cancelJobsWithTag(_TAG)
            raise

    def _awaited(self, running: Future[Found], tell: Callable[[], None]) -> Found:
        while True:
            try:
                return running.result(timeout=_WAIT_SECONDS)
            except NotYet:
                if running.done():
                    continue
                self._findings.limits.check_time()
                tell()

    def _collect(
        self, stage: Stage, tasks: list[tuple[int, Task]]
    ) -> list[tuple[int, Result | Failed]]:
        """Runs in a thread, so that the clock is looked at while Spark works."""
        context = self._session.session.sparkContext
        try:
            context.addJobTag(_TAG)
            if self._shared is None or self._shared[0] is not stage:
                self._shared = (stage, context.broadcast(stage.alone()))
            shared = self._shared[1]

            def do(item: tuple[int, Task]) -> tuple[int, Result | Failed]:
                return item[0], attempt(shared.value, item[1])

            parts = min(len(tasks), self._session.slots * _SPARK_TASKS_PER_SLOT)
            return context.parallelize(tasks, parts).map(do).collect()
        except Exception as error:
            raise SparkFailed(self._session.words("could not finish a level", error)) from error

    def _check_memory(self, result: Result) -> None:
        if result.peak_memory > self._memory:
            limit, used = self._memory / 2**20, result.peak_memory / 2**20
            raise Interrupted(f"memory limit of {limit:g} MiB: a task's process took {used:.0f} MiB")

    def _has_ended(self) -> bool:
        time.sleep(_WAIT_SECONDS)
        try:
            return self._session.slots < 1
        except SparkFailed:
            return True
