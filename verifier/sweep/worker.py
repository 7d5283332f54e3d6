"""What runs in Spark's Python workers. Small, since Spark sends it by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from verifier.outcomes.row import Row
from verifier.sweep.execution import run_job, warm_up
from verifier.sweep.job import Job


def run_here(job: Job, run_id: str, nothing: Iterable[object]) -> Iterator[Row]:
    """Runs a job, its spec file taken from where Spark has put it if it is not where it was."""
    deque(nothing, maxlen=0)  # what is not read to its end costs Spark a new worker
    warm_up()
    yield from run_job(replace(job, spec=_found(job.spec)), run_id)


def _found(spec: str) -> str:
    path, colon, name = spec.rpartition(":")
    file = Path(path if colon else spec)
    if file.suffix != ".py" or file.exists():
        return spec
    from pyspark import SparkFiles

    return f"{SparkFiles.get(file.name)}{colon}{name if colon else ''}"
