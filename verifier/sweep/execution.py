"""One job in a child process with limits of time and memory that kill it.

There are always rows: INCONCLUSIVE if the child was killed, ERROR if it crashed. The engines keep the same
limits themselves, and then report the closed depth. The limits here are for failures that an engine does not
survive, so they are a little wider.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from verifier.encodings.concrete import show_constants
from verifier.errors import UsageError
from verifier.outcomes.content import as_object, describe_unanswered
from verifier.outcomes.row import Row, rows_of
from verifier.outcomes.run import Origin, origin
from verifier.processes.limits import Limits
from verifier.processes.pool import TaskResult, run_alone
from verifier.runs.asking import execute
from verifier.runs.engine import engine_named
from verifier.runs.loaded import Loaded
from verifier.runs.loading import load
from verifier.solvers import open_solver
from verifier.specs.protocol import DefinitionError
from verifier.sweep.job import Job
from verifier.verdict import Verdict, VerdictKind
from verifier.version import tool_version


@dataclass(frozen=True)
class _Refusal:
    reason: str


def run_job(job: Job, run_id: str) -> list[Row]:
    """The rows of a job: one of its property, and one of the type invariant if that is violated."""
    source = replace(origin(), run_id=run_id)
    done = _in_child(job)
    answer = done.reported[0] if done.reported else None
    blank = _Blank(job, source, done.seconds, done.peak_memory)
    if isinstance(answer, _Refusal):
        return [blank.row(VerdictKind.ERROR, answer.reason)]
    if answer is None and done.limit is not None:
        return [blank.row(VerdictKind.INCONCLUSIVE, done.limit)]
    if answer is None:
        return [blank.row(VerdictKind.ERROR, f"the job's process: {done.failure}")]
    rows = rows_of({**answer, "about": asdict(source)})
    if all(row.job_id != job.job_id for row in rows):
        reason = f"another question was answered than asked: {_describe_difference(job, rows)}"
        return [blank.row(VerdictKind.ERROR, reason)]
    return [
        replace(row, spec=job.name, peak_memory=max(row.peak_memory or 0, done.peak_memory)) for row in rows
    ]


def _describe_difference(job: Job, rows: Sequence[Row]) -> str:
    """The parts of a job's question that differ from those of its answer."""
    own = [row for row in rows if row.property_name == job.property_name]
    row = (own or rows)[0]
    parts = {
        "the spec is": (row.spec_hash, job.spec_hash),
        "the constants are": (show_constants(row.constants), show_constants(job.constants)),
        "the property is": (row.property_name, job.property_name),
        "the engine is": (row.engine, job.engine),
        "the options are": (_shown(row.options), _shown(job.recorded)),
        "this program is": (row.tool_version, job.tool_version),
    }
    words = [f"{part} {here} here and was {was}" for part, (here, was) in parts.items() if here != was]
    return ", ".join(words) or "its key is another"


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(options.items()))


def error_row(job: Job, run_id: str, reason: str) -> Row:
    """The row of a job that could not be run."""
    return _Blank(job, replace(origin(), run_id=run_id), 0.0, None).row(VerdictKind.ERROR, reason)


def not_run_row(job: Job, run_id: str, why: str, attempts: int) -> Row:
    """The row of a job that its environment did not run: it is no result, and the job is run again."""
    hint = ""
    if "No module named" in why or "ModuleNotFoundError" in why:
        hint = ": give the executors an environment with this package, with --archive"
    return error_row(job, run_id, f"{why}{hint}, in {attempts} attempts")


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
        source = replace(self.source, tool_version=job.tool_version)
        verdict = Verdict(job.property_name, kind, None, self.seconds, reason)
        question = {
            "spec": job.name,
            "spec_hash": job.spec_hash,
            "constants": job.constants,
            "engine": job.engine,
            "options": job.recorded,
        }
        (row,) = rows_of(describe_unanswered(question, [verdict], source, self.peak_memory, self.seconds))
        return row


def _load(job: Job) -> Loaded:
    return load(job.spec, job.constants, reading=job.reading)


def _in_child(job: Job) -> TaskResult:
    def work(report: Callable[[Any], None], _: Connection) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the engines take it for the user's
        options = engine_named(job.engine).options_for([job.property_name], job.options)
        try:
            report(as_object(execute(job.engine, _load(job), options)))
        except (UsageError, DefinitionError) as error:
            report(_Refusal(str(error)))

    return run_alone("job", work, Limits(job.timeout, job.memory, with_grace=True), nested=True)
