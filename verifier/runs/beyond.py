"""The options of explorations for workers, Spark and files, checked and converted for the engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.cluster.master import check_spark, is_local, is_one_process, slots_here
from verifier.errors import UsageError
from verifier.processes.cores import cores
from verifier.runs.explore_options import ExploreOptions

if TYPE_CHECKING:
    from verifier.cluster.session import SparkSettings
    from verifier.engines.exploration import Beyond, Runner, RunningExploration
    from verifier.runs.question import Question


def check(options: ExploreOptions, *, in_files: bool = True) -> None:
    """Raise UsageError for options that contradict each other, or if Spark cannot run here. ``in_files``:
    the tasks of Spark exchange states in files."""
    if options.resume and options.work is None:
        raise UsageError("--resume needs --work FOLDER: the folder of the exploration that is to go on")
    if options.coverage and (options.workers or options.master or options.work):
        raise UsageError("--coverage counts in one process: it goes without --workers, --master and --work")
    if options.graph and (options.workers or options.master or options.work):
        raise UsageError("--graph is for few states: it goes without --workers, --master and --work")
    if options.master is None:
        if options.archive or options.conf:
            raise UsageError("--archive and --conf are for Spark: they need --master")
        return
    if options.workers is not None:
        raise UsageError("--workers and --master exclude each other: Spark has its own workers")
    check_spark("verify explore --master", options.master)
    if in_files and options.work is None and not is_local(options.master):
        raise UsageError(f"--master {options.master} needs --work FOLDER: one that every executor sees")
    if options.archive is not None and not Path(options.archive).is_file():
        raise UsageError(f"--archive {options.archive} cannot be read: no such file")
    _settings_of(options)


def remarks(options: ExploreOptions) -> Iterator[str]:
    """Yield remarks on who explores until Spark does, and on options that are hardly meant: more workers than
    cores, or nothing to resume in an existing folder."""
    if options.master is not None:
        yield _say_when_spark_begins(options.master)
    if options.workers is not None and options.workers > cores():
        yield f"--workers {options.workers} is more than the cores, which are {cores()}: that takes longer"
    if (words := say_nothing_to_resume(options)) is not None:
        yield f"{words}; levels are kept once states go to files"


def say_nothing_to_resume(options: ExploreOptions) -> str | None:
    """Say that an existing folder has nothing to resume; None if it has, or nothing is resumed."""
    folder = Path(options.work) if options.resume and options.work is not None else None
    if folder is None or not folder.is_dir():
        return None
    from verifier.storage.work_folder import MANIFEST

    if (folder / MANIFEST).exists():
        return None
    return f"{folder} holds no completed level, so the exploration starts from the beginning"


def _say_when_spark_begins(master: str) -> str:
    """Say who explores until Spark does."""
    from verifier.engines.exploration import LARGE_LEVEL
    from verifier.engines.exploration_progress import name_processes
    from verifier.engines.task_cluster import LONG

    slots = slots_here(master)
    small = f"one process explores levels below {LARGE_LEVEL:,} states"
    if slots is None:
        return f"{small}; then Spark does, at {master}"
    larger = f"{name_processes(slots)} without Spark explore{'s' if slots == 1 else ''} larger ones"
    if is_one_process(master):
        return f"{small}, {larger}; Spark starts after {LONG:,} successors, since {master} has the same cores"
    return f"{small}; Spark starts at the first larger one, and until it is ready {larger}"


def beyond(question: Question[ExploreOptions]) -> Beyond:
    """Return how the exploration exceeds the memory of one process."""
    from verifier.engines.exploration import Beyond
    from verifier.version import tool_version

    options = question.options
    asked = {
        "spec": question.definition.name,
        "spec_hash": question.definition.spec_hash,
        "constants": dict(question.definition.constants),
        "properties": sorted(question.properties),
        "symmetry": bool(options.symmetry),
        "version": tool_version(),
    }
    folder = None if options.work is None else Path(options.work)
    return Beyond(folder, options.resume, asked, _runner(options))


def _runner(options: ExploreOptions) -> partial[Runner] | None:
    if options.master is not None:
        return partial(_on_spark, options)
    if options.workers is not None and options.workers > 1:
        return partial(_in_processes, options.workers)
    return None


def _in_processes(count: int, findings: RunningExploration, folder: Path) -> Runner:
    from verifier.engines.task_processes import TaskProcesses

    return TaskProcesses(findings, count)


def _on_spark(options: ExploreOptions, findings: RunningExploration, folder: Path) -> Runner:
    from verifier.engines.task_cluster import TaskCluster

    return TaskCluster(findings, make_spark_settings(options, folder))


def make_spark_settings(options: ExploreOptions, folder: Path) -> SparkSettings:
    """Return the settings of Spark, whose log goes to a folder."""
    from verifier.cluster.session import SparkSettings
    from verifier.storage.work_folder import SPARK_LOG

    assert options.master is not None
    return SparkSettings(
        master=options.master,
        log=folder / SPARK_LOG,
        archive=None if options.archive is None else Path(options.archive),
        conf=_settings_of(options),
        log_stays=options.work is not None,
        name="verify explore",
    )


def _settings_of(options: ExploreOptions) -> dict[str, str]:
    """Return the settings. Raises UsageError for a word that is none."""
    settings = {}
    for word in options.conf:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(
                f"--conf {word} is not allowed: it takes NAME=VALUE, as in spark.executor.memory=4g"
            )
        settings[name] = value
    return settings
