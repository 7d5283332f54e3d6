"""Breadth-first search in files, level by level: by this process, by several, or on a cluster.

A ``Runner`` decides where tasks run. This search makes the tasks of a level (``explicit.levels``), adds up
their results, and makes a checkpoint once the next level is complete. An unfinished level leaves nothing
behind: only complete levels are counted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from types import TracebackType
from typing import TypeVar

import numpy as np

from verifier.engines.checkpoints import Begun, Checkpoint, Level, read_checkpoint
from verifier.engines.exploration import Beyond, OutOfMemory, Runner, RunningExploration
from verifier.engines.exploration_progress import name_processes
from verifier.engines.findings import Findings
from verifier.engines.ways import Ways
from verifier.errors import UsageError
from verifier.explicit.level_tasks import (
    CHUNK_SHIFT,
    Expand,
    Expanded,
    LevelPart,
    Result,
    Settle,
    Settled,
    Stage,
    Task,
    capacity_of,
    sections_of,
)
from verifier.explicit.performing import perform
from verifier.explicit.scattering import MOST_PARTS, bounds, columns_of
from verifier.explicit.sections import Section
from verifier.explicit.sorted_states import Run, distinct
from verifier.explicit.table import StateTable
from verifier.files import reason_of
from verifier.kernels.choosing import library_for
from verifier.processes.limits import Interrupted
from verifier.storage.blocks import BlockWriter, Damaged, Slice
from verifier.storage.work_folder import WorkFolder

_PARTITIONS_PER_SLOT, _LEAST_PARTITIONS = 4, 32
_TASKS_PER_SLOT = 4
_SHARE_FOR_SORTING = 0.5
"""The share of a task's memory for sorting. The rest is for exploring states."""
LEAST_ROOM = 24 << 20
"""Bytes. With less memory than this nothing can be sorted."""
MOST_ROOM = 1 << 30
"""Bytes. With more memory than this sorting does not become faster."""
_WRITTEN_AT_ONCE = 1 << 18

_OF_TALLY = ("looked", "within", "generated", "deadlocks", "unexpanded")
_OF_FINDINGS = ("levels", "generated_by", "initial", "known", "closed")
"""The counts in a checkpoint."""

_LOG = logging.getLogger(__name__)
ResultT = TypeVar("ResultT", bound=Result)


@dataclass
class Head:
    """The findings within the memory of one process, up to a level that is not yet explored."""

    table: StateTable | None
    starts: tuple[int, ...]
    """The first number of a state at each depth."""
    end: int
    """The states from here on are forgotten."""


class ThisProcess:
    """Runs tasks one after the other in this process."""

    ready = True
    slots = 1

    def __init__(self, findings: RunningExploration) -> None:
        self._findings = findings

    @property
    def room(self) -> int:
        """Bytes that a task may take beside what this process has."""
        return min(MOST_ROOM, self._findings.memory - self._findings.resident())

    def run(self, stage: Stage, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the outcomes of the tasks. Raises Interrupted at a limit, OSError or Damaged."""
        for task in tasks:
            self._findings.enforce()
            yield perform(stage, task)


class LevelSearch:
    """The search. Use as a context: it has the folder, and what runs the tasks."""

    def __init__(self, findings: Findings, beyond: Beyond) -> None:
        """Raises UsageError if the folder cannot be used."""
        self._findings, self._beyond = findings, beyond
        question = {**beyond.question, "steps": findings.moves.digest}
        self._folder = WorkFolder(beyond.folder, question, read_checkpoint, resume=beyond.resume)
        self._contexts = ExitStack()
        self._contexts.enter_context(self._folder)
        self._runner: Runner | None = None
        self._kernels = False
        shelf = self._folder.shelf
        run, moves, orbits = self._folder.run, findings.moves, findings.orbits
        self._stage = Stage(shelf.folder, moves, orbits, 0, run, lasting=shelf.lasting)
        self._ways = Ways(shelf, self._stage.transitions, findings.find_representatives)

    def __enter__(self) -> LevelSearch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._contexts.__exit__(kind, error, trace)

    def go_on(self) -> bool:
        """Continue from the last checkpoint, if that is asked for and there is one. Raises Interrupted if it
        ends early. Raises UsageError if the folder belongs to another exploration, or is deeper than the
        limit."""
        last = self._folder.last() if self._beyond.resume else None
        if last is None:
            return False
        most, depth = self._findings.request.max_depth, last.depth
        if most is not None and depth > most:
            words = f"{self._folder.path} is at depth {depth}, and counts what is there"
            raise UsageError(f"{words}: --depth {most} is too small to go on with it")
        with self._errors():
            self._stage = replace(self._stage, partitions=last.partitions)
            self._restore(last)
            self._search(last)
        return True

    def takes_over(self, count: int) -> bool:
        """True if tasks should explore a level of this size. Their runner is started at the first large
        level; until it is ready, the search in memory continues."""
        if self._beyond.runner is None or count < self._beyond.large_level:
            return False
        with self._errors():
            self._runner = self._runner or self._open_runner()
        return self._runner.ready

    def begin(self, head: Head) -> None:
        """Continue from the end of the search in memory. Raises Interrupted if it ends early."""
        with self._errors():
            self._stage = replace(self._stage, partitions=self._partitions(head.end - head.starts[-1]))
            begun = self._begin(head)
            self._findings.written = self._folder.keep(begun)
            self._search(begun)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Files that cannot be read or written end the search: nothing is counted without them."""
        try:
            yield
        except OSError as error:
            raise Interrupted(f"{error.filename or self._folder.path}: {reason_of(error)}") from error
        except Damaged as error:
            raise Interrupted(str(error)) from error

    # -- levels

    def _search(self, now: Checkpoint) -> None:
        findings, last_level = self._findings, self._findings.request.max_depth
        self._check_states()
        while now.levels[-1].count and not findings.decided:
            level = now.depth
            following = self._look_at(now, level, last=level == last_level)
            if following is None:
                break
            now = following
            findings.written = self._folder.keep(now)
            findings.tell(level)
            self._check_states()
        findings.complete = not findings.waiting and not findings.tally.unexpanded

    def _check_states(self) -> None:
        findings = self._findings
        findings.check_states(findings.known - (findings.tally.looked - findings.tally.within))

    def _look_at(self, now: Checkpoint, level: int, *, last: bool) -> Checkpoint | None:
        """Looks at a level; returns what follows, unless it is the last one asked for."""
        findings, frontier = self._findings, now.levels[-1]
        runner, capacity = self._means(frontier.count)
        properties = findings.names_to_seek(expanded=not last)
        sections, kernels = sections_of(now.partitions, frontier.count), self._use_kernels()
        parts, beyond = frontier.parts, not last
        common = Expand(level, 0, parts, (0, 0), 0, 0, 0, properties, beyond, capacity, sections, kernels)
        expanded = self._run_tasks(Expanded, runner, self._expansions(common, frontier, runner.slots), level)
        settled: list[Settled] = []
        if not last:
            settled = self._run_tasks(
                Settled, runner, self._settlements(now, level, expanded, capacity), level
            )
        self._count(now, level, expanded, settled)
        findings.close(level, expanded=not last)
        if not last and not self._is_kept(level + 1):
            self._end(now, level, settled)
        if last or not self._is_kept(level + 1):
            findings.tell(findings.closed)
            return None
        return self._following(now, settled)

    def _is_kept(self, level: int) -> bool:
        """True if the states of a level are written. Those of the last level are not written if no run can
        continue from them: they are explored as they are found. A persistent folder may be continued
        deeper."""
        return self._stage.lasting or level != self._findings.request.max_depth

    def _end(self, now: Checkpoint, level: int, settled: Sequence[Settled]) -> None:
        """Counts what the states after a level came to, unless that is not wanted any more."""
        findings = self._findings
        self._check_states()
        if findings.decided or not any(new.count for new in settled):
            return
        within, sought = findings.tally.within, findings.names_to_seek(expanded=False)
        for new in settled:
            findings.tally.add(new.tally)
        findings.count_states(level + 1, findings.tally.within - within)
        for name in sought:
            keys = [new.failing[name] for new in settled if name in new.failing]
            if keys:
                findings.record_violation(name, level + 1, None, self._ways.beyond(now, min(keys)))
        findings.close(level + 1, expanded=False)

    def _expansions(self, common: Expand, frontier: Level, slots: int) -> list[Expand]:
        """The level, divided by the order of its states at bounds of chunks."""
        chunk = self._stage.transitions.chunk()
        share = min(-(-frontier.count // (slots * _TASKS_PER_SLOT)), common.capacity // 2)
        share = max(1, -(-share // chunk)) * chunk
        before = np.concatenate(([0], np.cumsum(frontier.sources)))
        tasks = []
        for number, first in enumerate(range(0, frontier.count, share)):
            end = min(frontier.count, first + share)
            low = int(np.searchsorted(before, first, side="right")) - 1
            high = int(np.searchsorted(before, end, side="left"))
            skipped = first - int(before[low])
            task = replace(common, number=number, sources=(low, high), skipped=skipped)
            tasks.append(replace(task, first=first, count=end - first))
        return tasks

    def _settlements(
        self, now: Checkpoint, level: int, expanded: Sequence[Expanded], capacity: int
    ) -> list[Settle]:
        """The partitions that have successors."""
        sections = sections_of(now.partitions, now.levels[-1].count)
        pieces: list[list[Section]] = [[] for _ in range(sections)]
        for number, piece in (each for result in expanded for one in result.pieces for each in one.each()):
            pieces[number].append(piece)
        ranges, step = list(map(tuple, pieces)), sections // now.partitions
        by_partition = [tuple(ranges[first : first + step]) for first in range(0, sections, step)]
        chunks = -(-now.levels[-1].count // self._stage.transitions.chunk())
        sought = None if self._is_kept(level + 1) else self._findings.names_to_seek(expanded=False)
        return [
            Settle(level + 1, partition, some, now.runs[partition], chunks, capacity, self._kernels, sought)
            for partition, some in enumerate(by_partition)
            if any(some)
        ]

    def _run_tasks(
        self, kind: type[ResultT], runner: Runner | ThisProcess, tasks: Sequence[Task], level: int
    ) -> list[ResultT]:
        results: list[ResultT] = []
        for result in runner.run(self._stage, tasks):
            assert isinstance(result, kind)
            results.append(result)
            findings = self._findings
            if runner is self._runner:
                findings.task_memory = max(findings.task_memory or 0, result.peak_memory)
            findings.limits.check_time()
            findings.tell_now_and_then(level)
        return sorted(results, key=lambda result: result.place)

    def _count(
        self, now: Checkpoint, level: int, expanded: Sequence[Expanded], settled: Sequence[Settled]
    ) -> None:
        findings = self._findings
        within = findings.tally.within
        for result in expanded:
            findings.tally.add(result.tally)
            findings.exchanged += sum(piece.block.size for piece in result.pieces)
        findings.count_states(level, findings.tally.within - within)
        for new in settled:
            findings.tally.coverage.found += new.found
            findings.known += new.count
        failing: dict[str, int] = {}
        for result in expanded:
            for name, number in result.failing.items():
                failing.setdefault(name, number)
        for name in findings.names:
            if name in failing:
                number = failing[name]
                findings.record_violation(name, level, number, self._ways.to(now, level, number))

    def _following(self, now: Checkpoint, settled: Sequence[Settled]) -> Checkpoint:
        chunks = -(-now.levels[-1].count // self._stage.transitions.chunk())
        sources = sum((new.sources for new in settled), np.zeros(chunks, np.int64))
        parts = tuple(part for new in settled for part in new.parts)
        level = Level(sum(new.count for new in settled), parts, tuple(sources.tolist()))
        runs = list(now.runs)
        for new in settled:
            runs[new.partition] = new.runs
        return replace(now, levels=(*now.levels, level), runs=tuple(runs), counts=self._counts())

    # -- what runs the tasks

    def _means(self, count: int) -> tuple[Runner | ThisProcess, int]:
        """The runner of the tasks of a level, and how many successors a task may hold."""
        runner = self._runner_of(count)
        if runner.room < LEAST_ROOM:
            raise OutOfMemory(self._findings.memory_reason())
        return runner, capacity_of(self._stage, int(runner.room * _SHARE_FOR_SORTING))

    def _use_kernels(self) -> bool:
        """True if the compiled library may do the tasks of a level, because it pays and there is one here."""
        findings = self._findings
        allowed = findings.request.kernels and not self._kernels
        if allowed and library_for(findings.known) is not None:
            _LOG.info("compiled kernels do tasks, from %d states on", findings.known)
            self._kernels = True
        return self._kernels

    def _runner_of(self, count: int) -> Runner | ThisProcess:
        if self._beyond.runner is None or count < self._beyond.large_level:
            if self._beyond.runner is not None:
                self._findings.use_means(name_processes(1))
            return ThisProcess(self._findings)
        self._runner = self._runner or self._open_runner()
        return self._runner

    def _open_runner(self) -> Runner:
        assert self._beyond.runner is not None
        return self._contexts.enter_context(self._beyond.runner(self._findings, self._folder.path))

    def _partitions(self, count: int) -> int:
        """Return the number of parts into which states are divided, for the size of the first level."""
        wanted = self._runner_of(count).slots * _PARTITIONS_PER_SLOT
        return min(MOST_PARTS, max(_LEAST_PARTITIONS, 1 << (wanted - 1).bit_length()))

    # -- the beginning, and going on

    def _begin(self, head: Head) -> Checkpoint:
        """Write the results of the search in memory, and free them."""
        table, head.table = head.table, None
        assert table is not None
        shelf, words = self._folder.shelf, self._stage.transitions.words
        with BlockWriter(shelf, self._make_name("begun"), words + 1, head.end) as writer:
            for first in range(0, head.end, _WRITTEN_AT_ONCE):
                end = min(head.end, first + _WRITTEN_AT_ONCE)
                before = (table.predecessors(first, end) + 1).astype(np.uint64)
                writer.append([*table.rows(first, end).T, before])
            begun = Begun(writer.finish(), head.starts)
        runs = self._runs(table, head.end)
        start = head.starts[-1]
        count, chunk = head.end - start, self._stage.transitions.chunk()
        numbers = np.arange(count, dtype=np.uint64)
        keys = numbers // np.uint64(chunk) << np.uint64(CHUNK_SHIFT) | numbers % np.uint64(chunk)
        with BlockWriter(shelf, self._make_name("begun.rows"), words, count) as writer:
            for first in range(start, head.end, _WRITTEN_AT_ONCE):
                writer.append(columns_of(table.rows(first, min(head.end, first + _WRITTEN_AT_ONCE))))
            rows = writer.finish().whole()
        part = LevelPart(shelf.write(self._make_name("begun.keys"), [keys]).whole(), rows)
        sources = tuple(min(chunk, count - first) for first in range(0, count, chunk))
        level = Level(count, (part,), sources)
        return Checkpoint(self._stage.partitions, begun, (level,), runs, self._counts())

    def _runs(self, table: StateTable, end: int) -> tuple[tuple[Run, ...], ...]:
        limits = np.array(bounds(self._stage.partitions)[1:-1], np.uint64)
        runs: list[list[Run]] = [[] for _ in range(self._stage.partitions)]
        for number, first in enumerate(range(0, end, _WRITTEN_AT_ONCE)):
            columns, _ = distinct(columns_of(table.rows(first, min(end, first + _WRITTEN_AT_ONCE))))
            block = self._folder.shelf.write(self._make_name(f"begun-{number:05}.run"), columns)
            ends = [0, *np.searchsorted(columns[0], limits).tolist(), block.count]
            for partition, (low, high) in enumerate(pairwise(ends)):
                runs[partition].append((Slice(block, low, high),))
        return tuple(map(tuple, runs))

    def _make_name(self, name: str) -> str:
        return f"{self._stage.run}{name}"

    def _counts(self) -> dict[str, object]:
        findings, tally = self._findings, self._findings.tally
        return {
            "tally": {name: getattr(tally, name) for name in _OF_TALLY},
            "in_orbits": str(tally.in_orbits),  # may have more digits than integers in files
            "found": {name: getattr(findings, name) for name in _OF_FINDINGS},
            "coverage": tally.coverage.as_object(),
            "failing": findings.failing,
        }

    def _restore(self, checkpoint: Checkpoint) -> None:
        findings, counts = self._findings, checkpoint.counts
        try:
            findings.tally.coverage.read(counts["coverage"])
            for name in _OF_TALLY:
                setattr(findings.tally, name, counts["tally"][name])
            findings.tally.in_orbits = int(counts["in_orbits"])
            for name in _OF_FINDINGS:
                setattr(findings, name, counts["found"][name])
            for name, (level, number) in counts["failing"].items():
                findings.record_violation(name, level, number, self._ways.to(checkpoint, level, number))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"{self._folder.path} has no counts to go on with: {error}") from None
        findings.before = findings.distinct
        findings.written = sum(block.size for block in checkpoint.blocks.values())
