"""A sweep from its jobs to its summary: jobs without a row in the folder run on Spark, and their rows are
stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verifier.cluster.java import check_java
from verifier.cluster.master import check_master, is_local
from verifier.cluster.session import SparkFailed, SparkSettings
from verifier.errors import UsageError, make_unknown_name_error
from verifier.outcomes.row import Row
from verifier.sweep.expansion import Expansion, expensive_first
from verifier.sweep.job import Job
from verifier.sweep.spark import Spark, files_to_send
from verifier.sweep.store import DAMAGED, SPARK_LOG, Full, Store, describe_unchecked, read_recorded
from verifier.sweep.summary import Summary, summarise
from verifier.sweep.sweep import News, Sweep
from verifier.verdict import VerdictKind

_RERUN = ("verdict", "property", "spec", "engine")


@dataclass(frozen=True)
class Plan:
    """The place of a sweep's rows, the rows that are made again, and the place where its jobs run."""

    out: Path
    master: str
    archive: Path | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    """The log of Spark; None: ``spark.log`` in the folder."""
    rerun: tuple[str, ...] = ()
    """``NAME=VALUE``: rows with these values are made again."""
    grid: str | None = None
    """The file that the jobs come from."""
    repair: bool = False
    """True if files of rows that are damaged are set aside, so that their jobs are run again."""


@dataclass(frozen=True)
class SweepOutcome:
    """The end of a sweep: all jobs are done, or the reason why not."""

    failure: str | None
    interrupted: bool
    ran: int
    seconds: float
    """From the first job on, Spark's own start aside; 0 if no job was missing, and Spark was not started."""
    summary: Summary
    """The summary of all asked jobs that have a row."""
    unsplit: int = 0
    """The number of jobs that were not split, since they ended before their parts were chosen."""


def check_reruns(words: Sequence[str]) -> None:
    """Raises UsageError for what ``rerun`` cannot be."""
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise UsageError(
                f"--rerun {word} is not allowed: it takes NAME=VALUE, as in verdict=inconclusive"
            )
        if name not in _RERUN:
            raise make_unknown_name_error("field for --rerun", name, _RERUN)
        if name == "verdict" and value.upper() not in VerdictKind.__members__:
            raise make_unknown_name_error(
                "verdict for --rerun", value, [kind.lower() for kind in VerdictKind]
            )


def run_sweep(
    expansion: Expansion,
    plan: Plan,
    begins: Callable[[int, int], None],
    listen: Callable[[News], None],
    warn: Callable[[str], None],
) -> SweepOutcome:
    """Runs the jobs that have no row yet, until all have one, or the disk, Spark or the user end it.

    ``begins`` is told how many jobs there are and how many were done before, ``warn`` which files are set
    aside, and of rows without checksums. Raises UsageError if another sweep has the folder, a file in it is
    damaged, or there is no Java or no such master.
    """
    fresh = not plan.out.exists()
    if fresh:
        _check_spark(plan)  # before anything is made
    with Store(plan.out) as store:
        for line in store.repair() if plan.repair else ():
            warn(f"set aside in {plan.out / DAMAGED}: {line}")
        before = read_recorded(plan.out)
        if (unchecked := describe_unchecked(before)) is not None:
            warn(f"{plan.out}: {unchecked}")
        known = {one.row.job_id: one.row for one in before}
        jobs = expensive_first(expansion.jobs, {key: row.seconds for key, row in known.items()})
        rows = {job.job_id: known.get(job.job_id) for job in jobs}
        missing = [job for job in jobs if _is_missing(rows[job.job_id], plan.rerun)]
        if missing and not fresh:
            _check_spark(plan)
        begins(len(jobs), len(jobs) - len(missing))
        failure, interrupted, progress = None, False, _Progress(listen)
        try:
            store.describe(_describe(plan, expansion, jobs))
            if missing:
                with Spark(_spark_settings(plan, jobs)) as spark:
                    progress.begin()
                    Sweep(store, spark, progress.hear).run(missing)
        except KeyboardInterrupt:
            interrupted = True
        except (Full, SparkFailed) as failed:
            failure = str(failed)
        seconds, asked = progress.seconds, {job.job_id for job in jobs}
        summary = summarise(
            recorded.row for recorded in read_recorded(plan.out) if recorded.asked_for in asked
        )
        return SweepOutcome(failure, interrupted, progress.ran, seconds, summary, progress.unsplit)


@dataclass
class _Progress:
    """The number of jobs that ran, and the start."""

    listen: Callable[[News], None]
    ran: int = 0
    unsplit: int = 0
    began: float | None = None

    def begin(self) -> None:
        """The first job starts."""
        self.began = time.monotonic()

    def hear(self, news: News) -> None:
        """Notes and passes on how far the sweep is."""
        self.ran, self.unsplit = news.done, news.unsplit
        self.listen(news)

    @property
    def seconds(self) -> float:
        """Since the first job started."""
        return 0.0 if self.began is None else time.monotonic() - self.began


def _check_spark(plan: Plan) -> None:
    check_java("verify sweep")
    check_master(plan.master)


def _spark_settings(plan: Plan, jobs: Sequence[Job]) -> SparkSettings:
    return SparkSettings(
        master=plan.master,
        log=plan.log or plan.out / SPARK_LOG,
        archive=plan.archive,
        files=() if is_local(plan.master) else files_to_send(jobs),
        conf=plan.conf,
        name="verify sweep",
    )


def _is_missing(row: Row | None, words: Sequence[str]) -> bool:
    """True if a job is to be run: it has no row, an ERROR, which is no result, or one to make again."""
    return row is None or row.verdict is VerdictKind.ERROR or _again(row, words)


def _again(row: Row, words: Sequence[str]) -> bool:
    """True if the row is one to run again: it has one of the values of each field that is named."""
    has = {
        "verdict": row.verdict.value,
        "property": row.property_name,
        "spec": row.spec,
        "engine": row.engine,
    }
    wanted: dict[str, set[str]] = {}
    for word in words:
        name, _, value = word.partition("=")
        wanted.setdefault(name, set()).add(value.upper() if name == "verdict" else value)
    return bool(wanted) and all(has[name] in values for name, values in wanted.items())


def _describe(plan: Plan, expansion: Expansion, jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {
        "jobs": [job.job_id for job in jobs],
        "left_out": [asdict(item) for item in expansion.left_out],
        "master": plan.master,
        "grid": plan.grid,
    }
