"""``verify sweep``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verifier.cli.help_groups import GroupedCommand
from verifier.cli.output import console, format_option, note, print_json, print_lines, say
from verifier.cli.parameters import COUNT, DURATION, POSITIVE, SIZE
from verifier.cli.paths import FileToRead, FileToWrite, SpecName, check_no_code, reads_spec
from verifier.cli.specs import (
    SPEC_HELP,
    lemma_option,
    parse_settings,
    reading_of,
    reading_options,
    set_option,
)
from verifier.cluster.extra import TO_SWEEP, check_extra
from verifier.errors import UsageError
from verifier.verdict import ExitCode, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.expectations import Expectations
    from verifier.runs.loaded import ReadingOptions
    from verifier.sweep.expansion import Expansion
    from verifier.sweep.grid import Grid
    from verifier.sweep.session import SweepOutcome
    from verifier.sweep.summary import Summary

_GRID_HELP = (
    "Values of a constant: a range, replicas=2..4, or a list, log_size=1,2,3. May be repeated; each "
    "combination is a job."
)
_DEPTH_HELP = "The largest number of actions in an execution. [default: the spec's default_depth, or 10]"
_PROPERTY_HELP = (
    "What to check; may be repeated. 'all' is all of them. [default: what each spec checks by default]"
)
_OPTION_HELP = "An option of the engines, as in steps=serial or solver=z3; may be repeated."
_SPLIT_HELP = "Split the search of each bmc job into at most this many parts, which are tasks of their own."
_MASTER_HELP = (
    "Where Spark runs: local[*] is this machine, embedded; spark://HOST:PORT, k8s://..., yarn are clusters."
)
_ARCHIVE_HELP = "A packed environment for the executors of a cluster, with this package in it."
_RERUN_HELP = (
    "Run again the jobs whose earlier result has this verdict, property, spec or engine, as in "
    "verdict=inconclusive; may be repeated."
)
_REPAIR_HELP = "Set damaged files in the folder --out aside, and run their jobs again."
_EXPECT_HELP = (
    "Exit with 0 if the worst verdict of all jobs is VERDICT: holds, proved, reached, violated, "
    "not_inductive or inconclusive. A better verdict fails too (exit code 14). "
    "PROPERTY=VERDICT expects a verdict on one property. May be repeated."
)


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    file: Path | None
    specs: tuple[str, ...]
    axes: tuple[str, ...]
    settings: tuple[str, ...]
    properties: tuple[str, ...]
    engines: tuple[str, ...]
    depth: int | None
    timeout: float | None
    memory: int | None
    engine_options: tuple[str, ...]
    split: int | None
    out: Path
    rerun: tuple[str, ...]
    repair: bool
    master: str
    archive: Path | None
    conf: tuple[str, ...]
    spark_log: Path | None
    expect: tuple[str, ...]
    output_format: str
    reading: ReadingOptions


@click.command("sweep", cls=GroupedCommand)
@click.argument("file", metavar="[GRID.toml]", required=False, type=FileToRead())
@click.option(
    "--spec", "specs", type=SpecName(), multiple=True, metavar="SPEC", help=f"{SPEC_HELP} May be repeated."
)
@click.option("--grid", "axes", multiple=True, metavar="NAME=VALUES", help=_GRID_HELP)
@set_option
@click.option("--property", "properties", multiple=True, metavar="NAME", help=_PROPERTY_HELP)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    help="bmc, check, explore, prove, induct or live. [default: bmc]",
)
@click.option("--depth", type=COUNT, help=_DEPTH_HELP)
@click.option("--timeout", type=DURATION, help="End a job after this time: 90, 90s, 2m, 1h.")
@click.option("--memory", type=SIZE, help="End a job at this much memory: 512MiB, 2GiB.")
@click.option("--option", "engine_options", multiple=True, metavar="NAME=VALUE", help=_OPTION_HELP)
@click.option("--split", type=POSITIVE, help=_SPLIT_HELP)
@click.option(
    "--out",
    type=FileToWrite(),
    default="sweep",
    show_default=True,
    metavar="FOLDER",
    help="Keep the results in this folder. If you run the same command again, only missing jobs run.",
)
@click.option("--rerun", multiple=True, metavar="NAME=VALUE", help=_RERUN_HELP)
@click.option("--repair", is_flag=True, help=_REPAIR_HELP)
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help=_MASTER_HELP)
@click.option("--archive", type=FileToRead(), metavar="FILE", help=_ARCHIVE_HELP)
@click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark; may be repeated.")
@click.option(
    "--spark-log",
    type=FileToWrite(),
    metavar="FILE",
    help="Write Spark's own messages to this file. [default: spark.log in the folder --out]",
)
@click.option("--expect", multiple=True, metavar="VERDICT", help=_EXPECT_HELP)
@reading_options
@lemma_option
@format_option
def command(**given: Any) -> int:
    """Run many jobs: every combination of specs, constants, properties and engines, on Spark.

    The results are kept as Parquet in the folder --out. Ctrl-C keeps the results of the jobs that have
    ended. A sweep needs Java 17.

    \b
    Examples:
      verify sweep --spec kip279 --spec kip320 --grid replicas=2..3 --depth 10
      verify sweep --spec Paxos.tla --grid N=2..4 --engine prove
      verify sweep grid.toml --timeout 60s --out nightly
      verify sweep grid.toml --out nightly --rerun verdict=inconclusive
    """
    check_extra("verify sweep", TO_SWEEP)  # before what follows, which imports them
    modules = (spec for spec in given["specs"] if spec.endswith(".tla"))
    reading = reading_of(next(modules, next(iter(given["specs"]), None)))
    return _run(Options(**given, reading=reading))


def _run(options: Options) -> int:
    """Sweeps, prints the summary, and returns the exit code."""
    from verifier.cli.reporter import Reporter
    from verifier.cli.sweep_progress import SweepText
    from verifier.processes.interrupts import terminable
    from verifier.report.sweep import list_rejected_constants
    from verifier.sweep.expansion import expand
    from verifier.sweep.session import Plan, check_reruns, run_sweep

    grids = _grids(options)
    for spec in dict.fromkeys(spec for grid in grids for spec in grid.specs):
        reads_spec("a spec of the sweep", spec)
    if options.spark_log is not None:
        check_no_code("--spark-log", options.spark_log)
    expansion = expand(grids)
    expectations = _expectations(options, expansion)
    check_reruns(options.rerun)
    _check_archive(options)
    for line in list_rejected_constants(expansion.left_out):
        note(line)
    plan = Plan(
        out=options.out,
        master=options.master,
        archive=options.archive,
        conf=parse_settings(options.conf, "--conf", "spark.executor.memory=4g"),
        log=options.spark_log,
        rerun=options.rerun,
        grid=None if options.file is None else str(options.file),
        repair=options.repair,
    )

    def warn(line: str) -> None:
        say(line, err=True)

    def begins(jobs: int, done: int) -> None:
        where = f", on Spark at {options.master}" if done < jobs else ""
        note(f"{_count(jobs, 'job')}, {done} of them done before{where}")

    with terminable(), Reporter(SweepText()) as reporter:
        outcome = run_sweep(expansion, plan, begins, reporter, warn)
    return _conclude(options, expansion, expectations, outcome)


def _grids(options: Options) -> list[Grid]:
    from verifier.sweep.grid import Grid, axes_of, read_grids

    settings = parse_settings(options.engine_options, "--option", "steps=serial")
    given: dict[str, Any] = {
        "specs": tuple(dict.fromkeys(options.specs)),
        "axes": axes_of(options.axes, parse_settings(options.settings)),
        "properties": tuple(dict.fromkeys(options.properties)),
        "engines": tuple(dict.fromkeys(options.engines)),
        "options": {name: _plain(value) for name, value in settings.items()},
        "depth": options.depth,
        "timeout": options.timeout,
        "memory": options.memory,
        "split": options.split,
        "reading": options.reading,
    }
    said = {name: value for name, value in given.items() if value not in ((), {}, None)}
    if options.file is not None:
        del said["reading"]
    if options.file is None:
        return [Grid(**{"specs": (), **said})]
    for name in ("specs", "axes", "properties", "engines", "options"):
        if name in said:
            named = {"axes": "grid" if options.axes else "set", "properties": "property"}
            option = named.get(name, name[:-1])
            raise UsageError(f"--{option} does not go with {options.file}, which says it for each grid")
    return [replace(grid, **said) for grid in read_grids(options.file)]


def _plain(word: str) -> Any:
    """The value that a word of the command line stands for."""
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    return int(word) if word.removeprefix("-").isdecimal() else word


def _expectations(options: Options, expansion: Expansion) -> Expectations:
    from verifier.outcomes.expectations import parse_expectations

    names = dict.fromkeys(job.property_name for job in expansion.jobs)
    return parse_expectations(options.expect, names, no_deadlock=expansion.no_deadlock)


def _check_archive(options: Options) -> None:
    if options.archive is not None and not options.archive.is_file():
        raise UsageError(f"--archive {options.archive} cannot be read: no such file")


def _conclude(
    options: Options, expansion: Expansion, expectations: Expectations, outcome: SweepOutcome
) -> int:
    """Prints how the sweep ended, and returns the exit code."""
    from verifier.outcomes.expectations import exit_code
    from verifier.report.sweep import render_summary

    if outcome.interrupted:
        note("interrupted: finished jobs are kept, and the same command continues with the others")
    if outcome.failure:
        say(f"verify: {' '.join(outcome.failure.split())}", err=True)
    summary = outcome.summary
    verdicts = [Verdict(name, VerdictKind(kind), None, 0.0) for name, kind in sorted(summary.verdicts)]
    if outcome.interrupted or outcome.failure:
        name = expansion.jobs[0].property_name
        verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, "not all jobs were run"))
    code = ExitCode.INTERNAL_ERROR if outcome.failure else exit_code(verdicts, expectations)
    if options.output_format == "json":
        print_json(_content(options, expansion, outcome, summary, code))
    else:
        done = sum(count.jobs for count in summary.counts)
        rows, jobs = _count(done, "row"), _count(outcome.ran, "job")
        how = f"{rows} in the folder {options.out}; {jobs} run in {outcome.seconds:.1f} s"
        lines = [*render_summary(summary), "", how]
        if outcome.unsplit:
            lines.append(f"{outcome.unsplit} of them not split: ended before the parts were chosen")
        print_lines(console(), lines)
    return code


def _count(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _content(
    options: Options, expansion: Expansion, outcome: SweepOutcome, summary: Summary, code: int
) -> dict[str, Any]:
    return {
        "folder": str(options.out),
        "jobs": len(expansion.jobs),
        "rows": sum(count.jobs for count in summary.counts),
        "ran": outcome.ran,
        "unsplit": outcome.unsplit,
        "interrupted": outcome.interrupted,
        "failure": outcome.failure,
        "exit_code": code,
        "seconds": round(outcome.seconds, 3),
        "job_seconds": round(summary.seconds, 3),
        "left_out": [asdict(item) for item in expansion.left_out],
        **asdict(summary),
    }
