"""Explorations in files beside the same in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.engines.test_explore import KAFKA, SMALL
from tests.support.models import build
from verifier.engines.exploration import Beyond, Runner, RunningExploration
from verifier.engines.explore import Exploration, Progress, Request, explore
from verifier.engines.level_search import ThisProcess
from verifier.engines.task_cluster import TaskCluster
from verifier.engines.task_processes import TaskProcesses
from verifier.explicit.level_tasks import Result, Stage, Task
from verifier.specs.registry import load
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model

if TYPE_CHECKING:
    from typing import Self

    from verifier.cluster.session import SparkSettings

_OF_THE_RUN = (
    "states_per_second",
    "exploring_seconds",
    "peak_memory_bytes",
    "bytes_in_files",
    "bytes_exchanged",
    "peak_task_memory_bytes",
    "explored_by",
)
"""Statistics that differ from run to run."""


class Here(ThisProcess):
    """This process, also for large levels."""

    def __init__(self, findings: RunningExploration, folder: Path) -> None:
        super().__init__(findings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def processes(count: int, findings: RunningExploration, folder: Path) -> Runner:
    """Return a runner with this number of processes."""
    return TaskProcesses(findings, count)


class Switching(TaskCluster):
    """Waits until Spark has started or failed, after processes have done the tasks this number of times."""

    times = 3
    done_by_processes = 0

    def __init__(self, findings: RunningExploration, settings: SparkSettings) -> None:
        super().__init__(findings, settings, patience=0)

    def _run_tasks(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        if self.done_by_processes == self.times:
            assert self._starting is not None
            wait([self._starting])
        elif not self._started:
            self.done_by_processes += 1
        return super()._run_tasks(stage, tasks)


def build_small(spec: str) -> Model:
    """The model of a built-in protocol with the constants that tests of exploration use."""
    return with_deadlock(build(load(spec)(dict(SMALL.get(spec, KAFKA)))))


def interrupting(depth: int) -> Callable[[Progress], None]:
    """A listener that interrupts an exploration once it closed a depth."""

    def interrupt(news: Progress) -> None:
        if news.closed >= depth and news.violated is None:
            raise KeyboardInterrupt

    return interrupt


IN_FILES = Beyond(runner=Here, large_level=1)
"""In files from the initial states on."""
TWO_PROCESSES = replace(IN_FILES, runner=partial(processes, 2))


def everything(model: Model, **options: Any) -> Request:
    """Asks for all that is to be found."""
    return Request(tuple(prop.name for prop in model.system.properties), keep_going=True, **options)


def collect_findings(explored: Exploration) -> tuple[Mapping[str, Any], Any, Any]:
    """All that an exploration found: counts, verdicts with their executions, coverage."""
    counts = {name: value for name, value in explored.statistics.items() if name not in _OF_THE_RUN}
    verdicts = [replace(verdict, seconds=0.0) for verdict in explored.verdicts]
    return counts, verdicts, (explored.never_enabled, explored.enabled)


def same(model: Model, request: Request, beyond: Beyond = IN_FILES) -> Exploration:
    """Explores in memory and in files, and demands that all is the same."""
    expected = explore(model, request)
    explored = explore(model, replace(request, beyond=beyond))
    assert "bytes_in_files" in explored.statistics
    assert collect_findings(explored) == collect_findings(expected)
    return explored
