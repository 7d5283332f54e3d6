"""One job in a child process with a clock and a memory limit that kill.

Whatever becomes of the child, rows come out: where it was killed they are INCONCLUSIVE, where it
crashed ERROR. The engines keep the same limits themselves, and then know the depth they closed; what
is here is for what an engine does not survive, so it grants a little more.
"""

from __future__ import annotations

import gc
import platform
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.row import Row, rows_of
from verifier.outcomes.run import Origin, origin
from verifier.processes.children import Children, Ended, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.loading import load
from verifier.runs.table import engine_named, execute
from verifier.solvers import open_solver
from verifier.specs.protocol import DefinitionError
from verifier.sweep.job import Job
from verifier.verdict import VerdictKind
from verifier.version import tool_version

GRACE_SECONDS = 5.0
"""What a job gets beyond its time, to conclude."""

GRACE_MEMORY = 128 * 2**20
"""Bytes that a job gets beyond its memory: what an engine counts leaves out the process around it."""

_NAME = "job"


@dataclass(frozen=True)
class _Ended:
    """How a child ended: with an answer, killed at a limit, turned down, or on its own."""

    answer: Mapping[str, Any] | None
    limit: str | None
    failure: str | None
    refused: str | None
    """Why the protocol was turned down."""
    peak_memory: int


@dataclass(frozen=True)
class _Refused:
    reason: str


def run_job(job: Job, run_id: str) -> list[Row]:
    """The rows of a job: one of its property, and one of the type invariant if that is violated."""
    began, source = time.monotonic(), replace(origin(), run_id=run_id)
    ended = _in_child(job)
    blank = _Blank(job, source, time.monotonic() - began, ended.peak_memory)
    if ended.limit is not None:
        return [blank.row(VerdictKind.INCONCLUSIVE, ended.limit)]
    if ended.refused is not None:
        return [blank.row(VerdictKind.ERROR, ended.refused)]
    if ended.answer is None:
        return [blank.row(VerdictKind.ERROR, f"the job's process: {ended.failure}")]
    rows = rows_of({**ended.answer, "about": asdict(source)})
    if all(row.job_id != job.job_id for row in rows):
        reason = (
            f"another question was answered than asked: the spec is {rows[0].spec_hash} here and was "
            f"{job.spec_hash}, this program is {source.tool_version} here and was {job.tool_version}"
        )
        return [blank.row(VerdictKind.ERROR, reason)]
    return [replace(row, peak_memory=max(row.peak_memory or 0, ended.peak_memory)) for row in rows]


def error_row(job: Job, run_id: str, reason: str) -> Row:
    """The row of a job that could not be run."""
    return _Blank(job, replace(origin(), run_id=run_id), 0.0, None).row(VerdictKind.ERROR, reason)


@cache
def warm_up() -> None:
    """Loads what jobs need, once, so that children find it loaded."""
    for name in ("z3", "cadical"):
        open_solver(name).close()
    tool_version()
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all that was loaded


@dataclass(frozen=True)
class _Blank:
    """A row without an answer."""

    job: Job
    source: Origin
    seconds: float
    peak_memory: int | None

    def row(self, kind: VerdictKind, reason: str) -> Row:
        job = self.job
        return Row(
            job_id=job.job_id,
            run_id=self.source.run_id,
            spec=job.name,
            spec_hash=job.spec_hash,
            constants=job.constants,
            property_name=job.property_name,
            engine=job.engine,
            options=job.recorded,
            solver="",
            solver_version="",
            tool_version=job.tool_version,
            verdict=kind,
            depth=None,
            reason=reason,
            seconds=self.seconds,
            peak_memory=self.peak_memory,
            steps=None,
            fewest=None,
            trace=None,
            proof=None,
            statistics={},
            drawing=None,
            exit_code=kind.exit_code,
            error=reason if kind is VerdictKind.ERROR else None,
            host=platform.node(),
            started_at=self.source.started_at,
        )


def _in_child(job: Job) -> _Ended:
    def work(report: Callable[[Any], None], _: Connection) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the engines take it for the user's
        engine = engine_named(job.engine)
        known = {n: v for n, v in job.options.items() if n in engine.options.__dataclass_fields__}
        options = engine.options_of({**known, "properties": [job.property_name]})
        try:
            report(as_object(execute(job.engine, load(job.spec, job.constants), options)))
        except (UsageError, DefinitionError) as error:
            report(_Refused(str(error)))

    limits = Limits(
        None if job.timeout is None else job.timeout + GRACE_SECONDS,
        None if job.memory is None else job.memory + GRACE_MEMORY,
    )
    began = time.monotonic()
    answer, limit, failure, refused = None, None, None, None
    with Children(limits, nested=True) as children:
        children.start(_NAME, work)
        try:
            for event in children.events():
                match event:
                    case Message(content=_Refused(reason)):
                        refused = reason
                    case Message():
                        answer = event.content
                    case Ended():
                        failure = event.failure
        except Interrupted:
            over = job.timeout is not None and time.monotonic() - began >= job.timeout
            size = f"{(job.memory or 0) / 2**20:g} MiB"
            limit = f"timeout of {job.timeout:g} s: killed" if over else f"memory limit of {size}: killed"
    limit = limit if answer is None and refused is None else None
    return _Ended(answer, limit, failure, refused, children.peak_memory)
