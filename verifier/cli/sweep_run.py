"""What ``verify sweep`` does once its options are parsed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from verifier.cli.output import console, print_json, print_lines, say
from verifier.cli.paths import check_no_code, reads_spec
from verifier.cli.reporter import Reporter
from verifier.cli.running import terminable
from verifier.cli.specs import parse_settings
from verifier.cli.sweep import Options
from verifier.cli.sweep_progress import SweepText
from verifier.errors import UsageError, unknown_name
from verifier.outcomes.expectations import Expectations, exit_code, parse_expectations
from verifier.outcomes.row import Row
from verifier.report.sweep import left_out_lines, render_summary
from verifier.sweep.expansion import Expansion, expand, expensive_first
from verifier.sweep.grid import Grid, axes_of, read_grids
from verifier.sweep.java import check_java
from verifier.sweep.job import Job
from verifier.verdict import ExitCode, Verdict, VerdictKind

_RERUN = ("verdict", "property", "spec", "engine")


@dataclass(frozen=True)
class _Ended:
    """How the sweep ended: all done, or why not."""

    failure: str | None
    interrupted: bool
    ran: int
    seconds: float
    """From the first job on, Spark's own start aside."""


def run(options: Options) -> int:
    """Sweeps, prints the summary, and returns the exit code."""
    grids = _grids(options)
    for spec in dict.fromkeys(spec for grid in grids for spec in grid.specs):
        reads_spec("a spec of the sweep", spec)
    if options.spark_log is not None:
        check_no_code("--spark-log", options.spark_log)
    expansion = expand(grids)
    expectations = _expectations(options, expansion)
    _check_reruns(options.rerun)
    check_java()
    _check_archive(options)
    for line in left_out_lines(expansion.left_out):
        say(line, err=True)
    from verifier.sweep.store import Store

    with Store(options.out) as store:
        return _swept(options, expansion, expectations, store)


def _grids(options: Options) -> list[Grid]:
    settings = parse_settings(options.engine_options, "--option", "steps=serial")
    given: dict[str, Any] = {
        "specs": tuple(dict.fromkeys(options.specs)),
        "axes": axes_of(options.axes),
        "properties": tuple(dict.fromkeys(options.properties)),
        "engines": tuple(dict.fromkeys(options.engines)),
        "options": {name: _plain(value) for name, value in settings.items()},
        "depth": options.depth,
        "timeout": options.timeout,
        "memory": options.memory,
        "split": options.split,
    }
    said = {name: value for name, value in given.items() if value not in ((), {}, None)}
    if options.file is None:
        return [Grid(**{"specs": (), **said})]
    for name in ("specs", "axes", "properties", "engines", "options"):
        if name in said:
            option = {"axes": "grid"}.get(
                name, name.removesuffix("ies") + "y" if name == "properties" else name[:-1]
            )
            raise UsageError(f"--{option} does not go with {options.file}, which says it for each grid")
    return [replace(grid, **said) for grid in read_grids(options.file)]


def _plain(word: str) -> Any:
    """The value that a word of the command line stands for."""
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    return int(word) if word.removeprefix("-").isdecimal() else word


def _expectations(options: Options, expansion: Expansion) -> Expectations:
    return parse_expectations(options.expect, dict.fromkeys(job.property_name for job in expansion.jobs))


def _check_reruns(words: Sequence[str]) -> None:
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise UsageError(
                f"--rerun {word} is not allowed: it takes NAME=VALUE, as in verdict=inconclusive"
            )
        if name not in _RERUN:
            raise unknown_name("field for --rerun", name, _RERUN)
        if name == "verdict" and value.upper() not in VerdictKind.__members__:
            raise unknown_name("verdict for --rerun", value, [kind.lower() for kind in VerdictKind])


def _check_archive(options: Options) -> None:
    if options.archive is not None and not options.archive.is_file():
        raise UsageError(f"--archive {options.archive} cannot be read: no such file")


def _swept(options: Options, expansion: Expansion, expectations: Expectations, store: Any) -> int:
    from verifier.sweep.spark import Spark, SparkFailed, SparkSettings, distinct_files
    from verifier.sweep.store import Full, read_rows

    known = {row.job_id: row for row in read_rows(options.out)}
    jobs = expensive_first(expansion.jobs, {key: row.seconds for key, row in known.items()})
    missing = [job for job in jobs if job.job_id not in known or _again(known[job.job_id], options.rerun)]
    settings = SparkSettings(
        master=options.master,
        log=options.spark_log or options.out / "spark.log",
        archive=options.archive,
        files=distinct_files(jobs),
        conf=parse_settings(options.conf, "--conf", "spark.executor.memory=4g"),
    )
    there = len(jobs) - len(missing)
    say(f"{len(jobs)} jobs, {there} of them done before, on Spark at {options.master}", err=True)
    try:
        store.describe(_described(options, expansion, jobs))
        with terminable(), Spark(settings) as spark:
            ended = _run_jobs(spark, store, missing)
            return _conclude(options, expansion, expectations, ended, spark)
    except (Full, SparkFailed) as failed:
        say(f"verify: {failed}", err=True)
        return ExitCode.INTERNAL_ERROR


def _run_jobs(spark: Any, store: Any, missing: Sequence[Job]) -> _Ended:
    from verifier.sweep.spark import SparkFailed
    from verifier.sweep.store import Full
    from verifier.sweep.sweep import Sweep

    failure, interrupted, text, began = None, False, SweepText(), time.monotonic()
    try:
        with Reporter(text) as reporter:
            Sweep(store, spark, reporter).run(missing)
    except KeyboardInterrupt:
        interrupted = True
        say("interrupted: what is done is kept, and the same command goes on", err=True)
    except (Full, SparkFailed) as failed:
        failure = str(failed)
    return _Ended(failure, interrupted, text.ended, time.monotonic() - began)


def _again(row: Row, words: Sequence[str]) -> bool:
    """Whether the row is one to run again: it has one of the values of each field that is named."""
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


def _described(options: Options, expansion: Expansion, jobs: Sequence[Job]) -> Mapping[str, Any]:
    return {
        "jobs": [job.job_id for job in jobs],
        "left_out": [asdict(item) for item in expansion.left_out],
        "master": options.master,
        "grid": None if options.file is None else str(options.file),
    }


def _conclude(
    options: Options, expansion: Expansion, expectations: Expectations, ended: _Ended, spark: Any
) -> int:
    from verifier.sweep.spark import SparkFailed
    from verifier.sweep.summary import summarise

    try:
        summary = spark.ask(lambda session: summarise(session, options.out))
    except SparkFailed:
        if not ended.interrupted:
            raise
        say(f"Spark has ended too; verify report {options.out} shows what is done", err=True)
        return ExitCode.INCONCLUSIVE
    done = sum(count.jobs for count in summary.counts)
    verdicts = [Verdict(name, VerdictKind(kind), None, 0.0) for name, kind in sorted(summary.verdicts)]
    if ended.interrupted or ended.failure:
        name = expansion.jobs[0].property_name
        verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, "not all jobs were run"))
    code = ExitCode.INTERNAL_ERROR if ended.failure else exit_code(verdicts, expectations)
    if options.output_format == "json":
        print_json(
            {
                "folder": str(options.out),
                "jobs": len(expansion.jobs),
                "rows": done,
                "ran": ended.ran,
                "interrupted": ended.interrupted,
                "failure": ended.failure,
                "exit_code": code,
                "seconds": round(ended.seconds, 3),
                "job_seconds": round(summary.seconds, 3),
                "left_out": [asdict(item) for item in expansion.left_out],
                **asdict(summary),
            }
        )
    else:
        target = console()
        print_lines(target, render_summary(summary))
        print_lines(
            target, ["", f"{done} rows in {options.out}; {ended.ran} jobs run in {ended.seconds:.1f} s"]
        )
    if ended.failure:
        say(f"verify: {' '.join(ended.failure.split())}", err=True)
    return code
