"""Who shares the states of a module that the interpreter explores: this process, several ones, or Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from verifier.cluster.master import is_one_process, slots_here
from verifier.engines.exploration_progress import name_processes
from verifier.files import reason_of
from verifier.runs.explore_options import ExploreOptions

if TYPE_CHECKING:
    from verifier.runs.modules.loading import TlaLoaded
    from verifier.runs.modules.spark_runner import SparkRunner
    from verifier.tla.workers.level_choice import ByWorkers


@dataclass
class Sharing:
    """The processes that a search may have."""

    workers: int = 1
    asked: bool = False
    """True if the user asked for several."""
    runner: SparkRunner | None = None
    master: str | None = None
    without_spark: str = ""
    """The reason why Spark expands no states, though it is asked for."""
    told: bool = False
    """True after it was said from which level on Spark expands states."""

    def say_who_begins(self, workers: ByWorkers | None) -> Iterator[str]:
        """Yield remarks on who explores, once a search is prepared."""
        if self.without_spark:
            yield self.without_spark
        elif self.asked and workers is not None and workers.why_alone:
            yield f"one process explores: {workers.why_alone}"
        elif self.runner is not None:
            from verifier.tla.workers.level_choice import ELSEWHERE_BEGIN_SECONDS as SECONDS

            words = f"Spark ({self.master}) starts after {SECONDS:g} s of processor time"
            yield f"one process explores; {words}, and expands large levels unless array operations do"

    def say_who_continues(self, workers: ByWorkers | None) -> Iterator[str]:
        """Yield a remark when Spark begins to expand states."""
        first = None if self.runner is None or workers is None else workers.first_level
        if first is not None and not self.told:
            self.told = True
            yield f"Spark expands states from level {first} on"

    def describe(self, workers: ByWorkers | None, idle: str) -> dict[str, str]:
        """Return the figure that says why Spark expanded no states, if it was asked for. ``idle``: the reason
        why workers that could have shared states did not."""
        if self.master is None:
            return {}
        reason = self.without_spark or (workers.why_alone if workers is not None else "") or idle
        return {"without_spark": reason} if reason else {}


@contextmanager
def share(loaded: TlaLoaded, options: ExploreOptions, checked: tuple[str, ...]) -> Iterator[Sharing]:
    """Give the processes for a search, and end Spark afterwards. Spark starts when a search first asks."""
    if options.graph:
        yield Sharing()
    elif options.master is None:
        workers = options.workers or options.module_workers
        yield Sharing(workers, asked=options.workers is not None)
    elif is_one_process(options.master):
        count = slots_here(options.master) or 1
        words = f"{name_processes(count)} explore{'s' if count == 1 else ''} without Spark"
        words = f"{options.master} has the same cores: {words}"
        yield Sharing(count, asked=count > 1, master=options.master, without_spark=words)
    else:
        with _use_spark(loaded, options, options.master, checked) as sharing:
            yield sharing


@contextmanager
def _use_spark(
    loaded: TlaLoaded, options: ExploreOptions, master: str, checked: tuple[str, ...]
) -> Iterator[Sharing]:
    from verifier.runs.beyond import make_spark_settings
    from verifier.runs.modules.packed_module import explain_this_machine, pack
    from verifier.runs.modules.spark_runner import SparkRunner

    try:
        packed = pack(loaded, options, checked)
        reason = explain_this_machine(packed)
    except OSError as error:
        reason = f"{error.filename or loaded.path}: {reason_of(error)}"
    if reason:
        yield Sharing(asked=True, master=master, without_spark=f"one process explores: {reason}")
        return
    with TemporaryDirectory(prefix="verify-explore-") as temporary:
        folder = Path(temporary if options.work is None else options.work)
        with SparkRunner(make_spark_settings(options, folder), packed) as runner:
            yield Sharing(asked=True, runner=runner, master=master)
