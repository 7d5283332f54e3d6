"""The code in Spark's Python workers. Small, since Spark sends it by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from verifier.outcomes.row import Row
from verifier.runs.loaded import TLA
from verifier.sweep.execution import run_job, warm_up
from verifier.sweep.job import Job


def run_here(job: Job, run_id: str, nothing: Iterable[object]) -> Iterator[Row]:
    """Run a job. Its spec file comes from Spark's place if it is not in its original place."""
    deque(nothing, maxlen=0)  # what is not read to its end costs Spark a new worker
    warm_up()
    yield from run_job(_find_files(job), run_id)


def _find_files(job: Job) -> Job:
    """The job with its files where Spark has put them: all in one folder."""
    path, colon, name = job.spec.rpartition(":")
    file = Path(path if colon else job.spec)
    if not job.files or file.exists():
        return job
    from pyspark import SparkFiles

    here = Path(SparkFiles.get(file.name)).parent
    reading = job.reading
    if file.suffix == TLA:
        config = None if reading.config is None else here / reading.config.name
        reading = replace(reading, config=config, libraries=())
    return replace(job, spec=f"{here / file.name}{colon}{name if colon else ''}", reading=reading)
