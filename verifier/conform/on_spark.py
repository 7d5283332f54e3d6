"""Many logs on Spark: each part of them is a job of one task, so that verdicts come as they are found.

An executor reads the specification, the mapping and the logs from the paths of the question, so it must see
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from verifier.cluster.session import Session, SparkFailed, SparkSettings
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.conform.outcome import LogVerdict

Numbered: TypeAlias = tuple[int, Path]
JudgePart: TypeAlias = Callable[[Sequence[Numbered]], "list[tuple[int, LogVerdict]]"]
"""Judges some logs in an executor."""

_PARTS_PER_SLOT = 4
"""Enough that a slow log does not hold up the others; each part reads the specification again."""
_WAIT_SECONDS = 0.5


def judge_on_spark(
    judge_part: JudgePart, logs: Sequence[Path], settings: SparkSettings
) -> Iterator[tuple[int, LogVerdict]]:
    """Judge the logs and yield each verdict with the log's number. Raises UsageError if Spark does not start,
    or ends."""
    try:
        with Session(settings) as session:
            yield from _collect(session, judge_part, list(enumerate(logs)))
    except SparkFailed as failure:
        raise UsageError(str(failure)) from failure


def _collect(
    session: Session, judge_part: JudgePart, logs: Sequence[Numbered]
) -> Iterator[tuple[int, LogVerdict]]:
    slots = session.slots
    size = -(-len(logs) // (slots * _PARTS_PER_SLOT))
    parts = [logs[first : first + size] for first in range(0, len(logs), size)]
    threads = ThreadPoolExecutor(slots, thread_name_prefix="spark")
    try:
        waiting: set[Future[list[tuple[int, LogVerdict]]]] = {
            threads.submit(partial(_run_job, session, judge_part, part)) for part in parts
        }
        while waiting:
            done, waiting = wait(waiting, _WAIT_SECONDS, FIRST_COMPLETED)
            for one in done:
                yield from one.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _run_job(
    session: Session, judge_part: JudgePart, part: Sequence[Numbered]
) -> list[tuple[int, LogVerdict]]:
    try:
        return session.context.parallelize([part], 1).flatMap(judge_part).collect()
    except Exception as error:
        raise SparkFailed(session.words("could not judge the logs", error)) from error
