"""The tasks of a level on Spark: a Spark job for all of them, each Spark task doing some.

The tasks exchange states through the folder, which every executor must see, and not through Spark's
shuffle. A shuffle's files are lost with the executor that wrote them, and then all before them is computed
again from the start, unless each level is written to such a folder too. So the folder would be needed
anyway, states would be written twice, and there would be two ways to exchange them. A task writes the same
files whenever it is repeated, and a file has its name once it is whole: an executor that is lost costs the
tasks that it was doing.

Spark takes seconds to start. Where it runs on this machine, child processes do the tasks until it is there,
as many as it has slots: they exchange states in the same way. Elsewhere it is not known how many slots there
will be, and the search in memory goes on.

Where Spark is one process on this machine (``local[2]``), it has no cores or memory that the child processes
lack, and its start takes some from them. So it is started once the search is long, measured by the successors
in levels that are whole: that is the same in each run, and after ``--resume``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotYet
from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.cluster.master import is_one_process, slots_here
from verifier.cluster.session import Session, SparkFailed, SparkSettings
from verifier.engines.exploration import SPARK, RunningExploration
from verifier.engines.exploration_progress import name_processes
from verifier.engines.level_search import MOST_ROOM
from verifier.engines.task_processes import TaskProcesses
from verifier.explicit.level_tasks import Result, Stage, Task
from verifier.explicit.performing import Failed, attempt
from verifier.processes.limits import Interrupted

if TYPE_CHECKING:
    from typing import Self

_ATTEMPTS = 3
"""The number of times that the tasks are started if Spark cannot finish them, each time the missing ones."""
_WAIT_SECONDS = 0.5
_WORKER = 192 << 20
"""Bytes of a Python worker before it does anything, rounded up."""
_TASK_MEMORY = 1 << 30
"""Bytes that a Python worker may take if nothing is said."""
_SPARK_TASKS_PER_SLOT = 2
"""A Spark task does several of ours: each costs Spark a tenth of a second."""
_TAG = "level"
LONG = 100_000_000
"""The number of successors of a long search. The processors need about a minute for them, and Spark's start
takes a tenth of that."""
LIGHT_JAVA = ("-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of the JVM, which does little, since no states pass through it: that little need not be
optimised."""

ResultT = TypeVar("ResultT")


class TaskCluster:
    """A Spark session that does tasks."""

    def __init__(
        self, findings: RunningExploration, settings: SparkSettings, patience: int | None = None
    ) -> None:
        """``patience``: the number of successors before Spark is started, if it is one process on this
        machine. None: that of a long search."""
        self._findings = findings
        waits = is_one_process(settings.master)
        self._patience = (LONG if patience is None else patience) if waits else 0
        self._memory = findings.request.limits.memory or _TASK_MEMORY
        self._session = Session(replace(settings, java_options=LIGHT_JAVA))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spark")
        self._starting: Future[None] | None = None
        self._shared: tuple[Stage, Any] | None = None
        self._slots_here = slots_here(settings.master)
        self._meanwhile = TaskProcesses(findings, self._slots_here or 0, together=False)

    def __enter__(self) -> Self:
        """Begin to start Spark in the thread, unless it begins with the first tasks."""
        if self._slots_here is None:
            self._starting = self._thread.submit(self._start, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._meanwhile.__exit__(None, None, None)
        if self._starting is not None:
            while not wait([self._starting], 0 if self._started else _WAIT_SECONDS).done:
                self._session.kill_java()  # then the thread ends soon
            if self._starting.exception() is None:
                self._session.__exit__()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def ready(self) -> bool:
        """True if tasks can run: where Spark is elsewhere, once it has started, or could not."""
        return self._slots_here is not None or self._started

    @property
    def _started(self) -> bool:
        """True if Spark has started, or could not."""
        return self._starting is not None and self._starting.done()

    @property
    def slots(self) -> int:
        """Return the number of tasks that run at a time. Waits for a Spark elsewhere. Raises Interrupted if
        it has ended."""
        if self._slots_here is not None and not self._started:
            return self._slots_here
        assert self._starting is not None
        try:
            self._await(self._starting, self._findings.tell_again)
            return self._session.slots
        except SparkFailed as error:
            raise Interrupted(str(error)) from error

    @property
    def room(self) -> int:
        """The bytes that a task may take beside what its Python worker has."""
        return min(MOST_ROOM, self._memory - _WORKER)

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the outcomes of the tasks. Raises Interrupted at a limit, or if a task cannot be done."""
        for result in self._run_tasks(stage, tasks):
            self._check_memory(result)
            yield result

    def _run_tasks(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        findings, here = self._findings, name_processes(self._slots_here or 1)
        if self._starting is None:
            self._meanwhile.start(stage)  # before there is another thread: a fork takes only this one along
            if findings.tally.generated >= self._patience:
                self._starting = self._thread.submit(self._start, stage)
        if not self._started:
            later = "starts if it takes long" if self._starting is None else "is starting"
            findings.use_means(here, f"Spark {later}")
            return self._meanwhile.run(stage, tasks)
        findings.use_means(SPARK)
        self._meanwhile.__exit__(None, None, None)
        return self._on_spark(stage, tasks, self.slots * _SPARK_TASKS_PER_SLOT)

    def _start(self, stage: Stage | None) -> None:
        """Start Spark, and a Python worker in each of its slots if their needs are known."""
        with ExitStack() as started:
            started.enter_context(self._session)
            if stage is not None:
                self._collect(stage, [], self._session.slots)
            started.pop_all()

    def _on_spark(self, stage: Stage, tasks: Sequence[Task], parts: int) -> Iterator[Result]:
        missing = dict(enumerate(tasks))
        if not missing:  # where no state of a level has a successor; Spark divides nothing into no parts
            return
        for attempts_left in reversed(range(_ATTEMPTS)):
            try:
                for number, result in self._collect_results(stage, missing, parts):
                    if isinstance(result, Failed):
                        raise Interrupted(result.reason)
                    del missing[number]
                    yield result
                return
            except SparkFailed as error:
                if not attempts_left or self._has_ended():
                    raise Interrupted(str(error)) from error

    def _collect_results(
        self, stage: Stage, tasks: dict[int, Task], parts: int
    ) -> list[tuple[int, Result | Failed]]:
        """Raises SparkFailed if Spark could not finish the tasks, Interrupted at a limit."""
        running = self._thread.submit(self._collect, stage, list(tasks.items()), min(len(tasks), parts))
        try:
            return self._await(running, self._findings.tell_again)
        except BaseException:
            with suppress(Exception):  # Spark has ended, and the tasks with it
                self._session.context.cancelJobsWithTag(_TAG)
            raise

    def _await(self, running: Future[ResultT], tell: Callable[[], None]) -> ResultT:
        while True:
            try:
                return running.result(timeout=_WAIT_SECONDS)
            except NotYet:
                if running.done():
                    continue
                self._findings.limits.check_time()
                tell()

    def _collect(
        self, stage: Stage, tasks: list[tuple[int, Task]], parts: int
    ) -> list[tuple[int, Result | Failed]]:
        """Run a job of this number of Spark tasks. It runs in a thread, so that the clock is checked
        meanwhile."""
        context = self._session.context
        try:
            context.addJobTag(_TAG)
            if self._shared is None or self._shared[0] is not stage:
                self._shared = (stage, context.broadcast(stage.alone()))
            shared = self._shared[1]

            def do(some: Iterable[tuple[int, Task]]) -> list[tuple[int, Result | Failed]]:
                stage = shared.value  # also where there are no tasks: it takes a while the first time
                return [(number, attempt(stage, task)) for number, task in some]

            return context.parallelize(tasks, parts).mapPartitions(do).collect()
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
