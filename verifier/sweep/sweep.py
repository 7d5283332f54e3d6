"""A sweep: jobs handed out, outcomes stored as they come, whatever is missing tried again."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from typing import Protocol

from verifier.cluster.session import SparkFailed
from verifier.outcomes.row import Row
from verifier.sweep.execution import error_row, not_run_row
from verifier.sweep.job import Job
from verifier.sweep.split import Split, decides, halves_of, parts_of
from verifier.sweep.store import PARTS, Store, read_rows

ATTEMPTS = 3
"""The number of times that a job is started if Spark cannot finish it, before that is its outcome."""

_WAIT_SECONDS = 0.5


class Runner(Protocol):
    """The place where jobs run."""

    @property
    def slots(self) -> int:
        """Return the number of jobs that run at a time."""

    @property
    def most(self) -> int | None:
        """Return the most jobs that can ever run at a time; None: the number may grow."""

    @property
    def workers(self) -> int | None:
        """Return the current number of workers; None: all jobs run on this machine."""

    def submit(self, job: Job, run_id: str) -> Future[list[Row]]:
        """Runs a job when there is room; the result raises SparkFailed if it could not be finished."""

    def cancel(self, job: Job) -> None:
        """Ends a job."""


@dataclass(frozen=True)
class News:
    """The progress of the sweep. ``ended`` has the rows of the job that has just ended, if one has."""

    done: int
    total: int
    running: tuple[tuple[Job, float], ...]
    """With the seconds since each was started, longest first."""
    ended: tuple[Row, ...] = ()
    unsplit: int = 0
    """The number of jobs that were not split, since they ended before their parts were chosen."""
    workers: int | None = None
    """The current number of a cluster's workers."""


@dataclass
class _InFlight:
    job: Job
    attempt: int
    began: float


@dataclass
class Sweep:
    """Runs jobs until all have rows."""

    store: Store
    runner: Runner
    listen: Callable[[News], None]
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])

    def run(self, jobs: Sequence[Job]) -> None:
        """Run the jobs in this order. Raises Full or SparkFailed when it cannot continue, and passes on
        Ctrl-C. In each case the rows of finished jobs are stored and the other jobs are ended."""
        self._waiting = deque((job, 1) for job in jobs)
        self._flying: dict[Future[list[Row]], _InFlight] = {}
        self._splits: dict[str, Split] = {}
        self._unsplit = 0
        self._total, self._done = len(jobs), 0
        try:
            while self._waiting or self._flying:
                self._fill()
                ready, _ = wait(self._flying, timeout=_WAIT_SECONDS, return_when=FIRST_COMPLETED)
                for future in ready:
                    if future in self._flying:
                        self._land(future)
                if not ready:
                    self._tell()
        except KeyboardInterrupt:
            self._keep_ended()
            raise
        finally:
            for flight in self._flying.values():
                self.runner.cancel(flight.job)

    def _fill(self) -> None:
        """Twice as many as can run, so that the next is there when one ends."""
        slots = self.runner.slots
        while self._waiting and len(self._flying) < 2 * slots:
            job, attempt = self._waiting.popleft()
            if job.parts > 1:
                self._split(job)
                continue
            future = self.runner.submit(job, self.run_id)
            self._flying[future] = _InFlight(job, attempt, time.monotonic())

    def _split(self, job: Job) -> None:
        """Puts the parts of a job in its place, but for those that were decided before.

        The whole job runs while its parts are chosen. If it ends first, it is too short to be split.
        """
        whole = replace(job, parts=1)
        future = self.runner.submit(whole, self.run_id)
        self._flying[future] = _InFlight(whole, 1, time.monotonic())
        try:
            parts = parts_of(job, self.runner.most, lambda: _has_decided(job, future))
        except Exception as error:  # noqa: BLE001 -- as in a job's own process, it becomes a row
            self._end(future)
            self._conclude(job, [error_row(job, self.run_id, f"{type(error).__name__}: {error}")])
            return
        if _has_decided(job, future):
            self._unsplit += 1
            return
        if not parts:
            return
        self._end(future)
        split = self._splits[job.job_id] = Split(job, parts)
        self._recall(split, parts)
        self._waiting.extendleft((part, 1) for part in reversed(split.open))
        self._judge(split)

    def _end(self, future: Future[list[Row]]) -> None:
        """End a job that is no longer needed."""
        self.runner.cancel(self._flying.pop(future).job)

    def _land(self, future: Future[list[Row]]) -> None:
        flight = self._flying[future]
        try:
            rows = future.result()
        except SparkFailed as failed:
            self.runner.slots  # noqa: B018 -- raises if it is Spark that has ended, not the job
            del self._flying[future]
            if flight.attempt < ATTEMPTS:
                self._waiting.appendleft((flight.job, flight.attempt + 1))
                return
            rows = [not_run_row(flight.job, self.run_id, str(failed), ATTEMPTS)]
        self._flying.pop(future, None)
        if flight.job.part_of is None:
            self._conclude(flight.job, rows)
            return
        self.store.add(rows, flight.job.part_of, PARTS)
        split = self._splits[flight.job.part_of]
        split.rows[flight.job.job_id] = rows
        if split.is_out_of_time(flight.job):
            self._split_again(split, flight.job)
        self._judge(split)

    def _split_again(self, split: Split, part: Job) -> None:
        """Puts the halves of a part in its place, if it can be split."""
        try:
            both = halves_of(split.job, part)
        except Exception:  # noqa: BLE001 -- the part was searched; what it closed counts
            return
        if both:
            split.halves[part.job_id] = both
            self._recall(split, both)
            self._waiting.extendleft((half, 1) for half in both if half in split.open)

    def _recall(self, split: Split, parts: Sequence[Job]) -> None:
        """Takes the rows of parts that were decided before."""
        keys = {part.job_id for part in parts}
        for row in read_rows(self.store.folder, PARTS):
            if row.job_id in keys and decides(row, split.job):
                split.rows[row.job_id] = [row]

    def _judge(self, split: Split) -> None:
        """Concludes a job whose parts decide it; parts that are not needed any more are ended."""
        rows = split.outcome()
        if rows is None:
            return
        key = split.job.job_id
        del self._splits[key]
        self._waiting = deque(item for item in self._waiting if item[0].part_of != key)
        for future, flight in list(self._flying.items()):
            if flight.job.part_of == key:
                self._end(future)
        self._conclude(split.job, rows)

    def _conclude(self, job: Job, rows: Sequence[Row]) -> None:
        self.store.add(rows, job.job_id)
        self._done += 1
        self._tell(rows)

    def _keep_ended(self) -> None:
        for future in [future for future in self._flying if future.done() and not future.exception()]:
            if future in self._flying:
                self._land(future)

    def _tell(self, ended: Iterable[Row] = ()) -> None:
        now = time.monotonic()
        running = list(self._flying.values())[: self.runner.slots]
        self.listen(
            News(
                done=self._done,
                total=self._total,
                running=tuple((flight.job, now - flight.began) for flight in running),
                ended=tuple(ended),
                unsplit=self._unsplit,
                workers=self.runner.workers,
            )
        )


def _has_decided(job: Job, future: Future[list[Row]]) -> bool:
    """True if the job has ended with a verdict. If it is out of time, say, its parts may not be."""
    return future.done() and not future.exception() and all(decides(row, job) for row in future.result())
