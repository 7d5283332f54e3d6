"""Jobs on Spark, embedded or on a cluster: each job a Spark job of one task.

So each outcome comes back when it is there, jobs start in the order given, no core idles at the end
for lack of finer tasks, and a task that is lost with its executor is started again by Spark.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.metadata import packages_distributions
from pathlib import Path

from verifier.cluster.session import Session, SparkFailed, SparkSettings
from verifier.errors import UsageError
from verifier.outcomes.row import Row
from verifier.sweep.job import Job
from verifier.sweep.worker import run_here

_MOST_WAITING = 4096
_PYTHON = ".py"


class Spark(Session):
    """A Spark session that runs jobs."""

    def __init__(self, settings: SparkSettings) -> None:
        super().__init__(settings)
        self._threads = ThreadPoolExecutor(_MOST_WAITING, thread_name_prefix="job")

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ready(self) -> None:
        self._one = self.context.parallelize([None], 1)

    @property
    def most(self) -> int | None:
        """Return the most jobs that can ever run at a time; None: executors may join."""
        return self.slots if self.settings.local else None

    @property
    def workers(self) -> int | None:
        """Return the number of executors that Spark has now; None if it runs in this process."""
        if self.settings.local:
            return None
        try:
            return max(int(self.context._jsc.sc().getExecutorMemoryStatus().size()) - 1, 0)
        except Exception:  # noqa: BLE001 -- Spark has ended, which ``slots`` says
            return None

    def submit(self, job: Job, run_id: str) -> Future[list[Row]]:
        """Runs a job when there is room; jobs start in the order submitted.

        The result raises SparkFailed if Spark could not finish it.
        """
        return self._threads.submit(self._run, job, run_id)

    def cancel(self, job: Job) -> None:
        """Ends a job, wherever it runs."""
        with suppress(Exception):  # Spark has ended, and the job with it
            self.context.cancelJobsWithTag(job.job_id)

    def _run(self, job: Job, run_id: str) -> list[Row]:
        context = self.context
        try:
            context.addJobTag(job.job_id)
            context.setLocalProperty("callSite.short", job.label)
            return self._one.mapPartitions(partial(run_here, job, run_id)).collect()
        except Exception as error:
            raise SparkFailed(self.words("could not finish it", error)) from error
        finally:
            with suppress(Exception):
                context.removeJobTag(job.job_id)


def files_to_send(jobs: Sequence[Job]) -> tuple[str, ...]:
    """The files that jobs need to load their specs: executors get them all in one folder.

    Raises UsageError for different files of one name, and for one that Python there would import in the place
    of a module of the same name.
    """
    sent: dict[str, str] = {}
    needed = {*sys.stdlib_module_names, *packages_distributions(), "verifier"}
    for file in dict.fromkeys(file for job in jobs for file in job.files):
        module = Path(file).stem
        if file.endswith(_PYTHON) and module in needed:
            words = f"on executors of a cluster, Python would import it in the place of {module}"
            raise UsageError(f"{file} has the name of a module that is needed: {words}; rename it")
        other = sent.setdefault(Path(file).name, file)
        if other != file and Path(other).read_bytes() != Path(file).read_bytes():
            words = "executors of a cluster get all files in one folder"
            raise UsageError(f"{other} and {file} have one name, and {words}: rename one, or sweep it alone")
    return tuple(sent.values())
