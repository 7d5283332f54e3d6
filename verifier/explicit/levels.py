"""A level of a breadth-first search in tasks that run anywhere and read and write one folder.

First the level is *expanded*: each task takes some states of it, in their order, and writes their
successors as blocks, without duplicates. Then it is *settled*: each task takes the successors in one part
of the space of states, leaves out those seen before, and writes the new ones: by state into a run, and in
their order, as the next level.

The order is that in which a search by one process finds the states. Each successor has a key: the chunk of
the level in which its predecessor is looked at, the move, and the place of the predecessor in the chunk.
Of equal successors the one with the least key counts. So a state's predecessor, its place in the level,
and the move that is said to have found it are the same whatever runs where, and a task that is repeated
writes the same again.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.blocks import Block, Column, Damaged, Shelf, Slice
from verifier.explicit.classes import Classes
from verifier.explicit.coverage import Coverage
from verifier.explicit.moves import Look, Transitions
from verifier.explicit.packing import Rows, places
from verifier.explicit.scattering import bounds, columns_of, rows_of
from verifier.explicit.sorted_states import Columns, Run, distinct, merged, narrowed, seen, size
from verifier.files import reason_of
from verifier.processes.limits import Interrupted

PLACE_BITS, MOVE_BITS = 14, 17
CHUNK_SHIFT = PLACE_BITS + MOVE_BITS
_MOVE_MASK = (1 << MOVE_BITS) - 1
_KIBIBYTE = 1024


@dataclass
class Tally:
    """What is counted of states that were looked at."""

    coverage: Coverage
    looked: int = 0
    within: int = 0
    generated: int = 0
    deadlocks: int = 0
    in_orbits: int = 0
    unexpanded: bool = False
    """Whether a state that was not expanded has successors."""

    def count(self, look: Look, orbits: Classes | None) -> int:
        """Counts states; returns how many of them are within the constraint."""
        within = int(np.bitwise_count(look.within).sum())
        self.looked += len(look.rows)
        self.within += within
        self.deadlocks += int(np.bitwise_count(look.deadlocked).sum())
        if orbits is not None:
            self.in_orbits += int(orbits.sizes(look.rows)[places(look.within)].sum())
        self.coverage.count_enabled(look)
        return within

    def add(self, other: Tally) -> None:
        """Adds what was counted elsewhere."""
        self.coverage.add(other.coverage)
        self.looked += other.looked
        self.within += other.within
        self.generated += other.generated
        self.deadlocks += other.deadlocks
        self.in_orbits += other.in_orbits
        self.unexpanded |= other.unexpanded


@dataclass(frozen=True)
class Stage:
    """What tasks need beside themselves, the same for all of a search. It can be pickled."""

    folder: Path
    transitions: Transitions
    orbits: Classes | None
    partitions: int
    """Into how many parts of equal size the space of states is divided."""
    run: str = ""
    """Begins the names of files. Each search has its own: a task of one whose driver was killed may still run
    somewhere, and must not write what a task of the next one writes, which may have other states."""

    def alone(self) -> Stage:
        """The same without the model."""
        return replace(self, transitions=self.transitions.alone())

    @property
    def shelf(self) -> Shelf:
        """Where blocks are."""
        return Shelf(self.folder)

    def tally(self) -> Tally:
        """Nothing counted yet."""
        actions = self.transitions.actions
        return Tally(Coverage(tuple(dict.fromkeys(actions)), actions))


@dataclass(frozen=True)
class LevelPart:
    """States of a level, ascending by their keys."""

    keys: Slice
    rows: Slice


@dataclass(frozen=True)
class Expand:
    """A task: to look at some states of a level, and write their successors."""

    level: int
    number: int
    """Of the task within the level."""
    parts: tuple[LevelPart, ...]
    sources: tuple[int, int]
    """The keys of the states have chunks from the one number to below the other."""
    skipped: int
    """So many of the states with these keys come first and belong to the task before."""
    first: int
    """The number of the first state within its level."""
    count: int
    properties: tuple[str, ...]
    """Properties whose first failure is looked for."""
    expanded: bool
    """Whether successors are looked for."""
    capacity: int
    """How many successors are kept in memory, roughly."""


@dataclass(frozen=True)
class Expanded:
    """What came of it."""

    number: int
    tally: Tally
    failing: dict[str, int]
    """For each property that fails in some of the states the first of them, as a number within the level."""
    pieces: tuple[tuple[Block, tuple[int, ...]], ...]
    """Successors by state, with the bounds of the partitions in each block."""
    peak_memory: int
    """Of the process, in bytes."""

    @property
    def place(self) -> int:
        """Among the results of a level."""
        return self.number


@dataclass(frozen=True)
class Settle:
    """A task: to find the new states of a partition."""

    level: int
    """The one that is made."""
    partition: int
    pieces: tuple[Slice, ...]
    """Successors, each slice ascending by state."""
    runs: tuple[Run, ...]
    """What was seen before, the larger runs first."""
    chunks: int
    """Of the level that the successors come from."""
    capacity: int


@dataclass(frozen=True)
class Settled:
    """What came of it."""

    partition: int
    count: int
    parts: tuple[LevelPart, ...]
    runs: tuple[Run, ...]
    found: NDArray[np.int64]
    """New states by each move."""
    sources: NDArray[np.int64]
    """New states by the chunk of their predecessor."""
    peak_memory: int

    @property
    def place(self) -> int:
        """Among the results of a level."""
        return self.partition


Task: TypeAlias = Expand | Settle
Result: TypeAlias = Expanded | Settled


@dataclass(frozen=True)
class Failed:
    """Why a task cannot be done, wherever it is tried."""

    reason: str


def perform(stage: Stage, task: Task) -> Result:
    """Does a task. Raises OSError or Damaged where the folder cannot be written or read."""
    return _expand(stage, task) if isinstance(task, Expand) else _settle(stage, task)


def attempt(stage: Stage, task: Task) -> Result | Failed:
    """Does a task in a process that has nothing else to do."""
    try:
        return perform(stage, task)
    except OSError as error:
        return Failed(f"{error.filename or stage.folder}: {reason_of(error)}")
    except (Damaged, Interrupted) as error:
        return Failed(str(error))
    except MemoryError:
        return Failed("out of memory")


def capacity_of(stage: Stage, memory: int) -> int:
    """How many successors fit into so many bytes while they are sorted."""
    return max(1 << 14, memory // (8 * (4 * stage.transitions.words + 8)))


def keys_of_chunk(chunk: int, move: int, sources: NDArray[np.intp]) -> Column:
    """The keys of the successors by one move from the states at these places of a chunk."""
    return sources.astype(np.uint64) | np.uint64(chunk << CHUNK_SHIFT | move << PLACE_BITS)


def parsed_key(key: int) -> tuple[int, int, int]:
    """The chunk, the move and the place that a key says."""
    return key >> CHUNK_SHIFT, key >> PLACE_BITS & _MOVE_MASK, key & (1 << PLACE_BITS) - 1


def of_chunks(shelf: Shelf, keys: Slice, sources: tuple[int, int]) -> tuple[int, int]:
    """Where the keys begin and end whose predecessors are in these chunks."""
    inner = shelf.narrowed(keys, sources[0] << CHUNK_SHIFT, sources[1] << CHUNK_SHIFT)
    return inner.start - keys.start, inner.end - keys.start


# -- expanding


def _expand(stage: Stage, task: Expand) -> Expanded:
    chunk = stage.transitions.chunk()
    rows, tally, failing = _states(stage, task), stage.tally(), dict[str, int]()
    pieces = _Pieces(stage, task)
    for start in range(0, task.count, chunk):
        look = stage.transitions.look(rows[start : start + chunk])
        tally.count(look, stage.orbits)
        for name in task.properties:
            if name not in failing and look.failing[name].any():
                failing[name] = task.first + start + int(places(look.failing[name])[0])
        if not task.expanded:
            tally.unexpanded |= bool(look.enabled.any())
            continue
        for step in stage.transitions.successors(look):
            tally.generated += len(step.rows)
            pieces.add(step.rows, keys_of_chunk((task.first + start) // chunk, step.move, step.sources))
    pieces.write()
    return Expanded(task.number, tally, failing, tuple(pieces.written), _peak_memory())


def _states(stage: Stage, task: Expand) -> Rows:
    """The states of a task, in their order."""
    shelf, rows, keys = stage.shelf, [], []
    for part in task.parts:
        start, end = of_chunks(shelf, part.keys, task.sources)
        if start < end:
            keys.append(shelf.read(part.keys.part(start, end), 0))
            inner = part.rows.part(start, end)
            rows.append([shelf.read(inner, word) for word in range(stage.transitions.words)])
    order = np.argsort(np.concatenate(keys))[task.skipped : task.skipped + task.count]
    return rows_of([np.concatenate(words)[order] for words in zip(*rows, strict=True)])


class _Pieces:
    """Collects successors and writes them sorted, without duplicates."""

    def __init__(self, stage: Stage, task: Expand) -> None:
        self._stage, self._task = stage, task
        self._rows: list[Rows] = []
        self._keys: list[Column] = []
        self._count = 0
        self._bounds = np.array(bounds(stage.partitions)[1:-1], np.uint64)
        self.written: list[tuple[Block, tuple[int, ...]]] = []

    def add(self, rows: Rows, keys: Column) -> None:
        """Takes successors, and writes what was collected if it is much."""
        self._rows.append(rows)
        self._keys.append(keys)
        self._count += len(keys)
        if self._count >= self._task.capacity:
            self.write()

    def write(self) -> None:
        """Writes what was collected."""
        if not self._count:
            return
        rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
        self._rows, self._keys, self._count = [], [], 0
        if self._stage.orbits is not None:
            rows = self._stage.orbits.representatives(rows)
        columns, keys = distinct(columns_of(rows), keys)
        ends = np.searchsorted(columns[0], self._bounds).tolist()
        place = f"{self._task.level:05}-{self._task.number:05}-{len(self.written):03}"
        name = f"{self._stage.run}{place}.new"
        block = self._stage.shelf.write(name, [*columns, keys])
        self.written.append((block, (0, *ends, len(keys))))


# -- settling


def _settle(stage: Stage, task: Settle) -> Settled:
    settling = _Settling(stage, task)
    total = max([sum(map(len, task.pieces)), *map(size, task.runs)])
    limits = bounds(max(1, -(-total // task.capacity)), *settling.area)
    for low, high in pairwise(limits):
        settling.settle(low, high)
    return settling.result()


class _Settling:
    def __init__(self, stage: Stage, task: Settle) -> None:
        self._stage, self._task = stage, task
        self._shelf, self._words = stage.shelf, stage.transitions.words
        limits = bounds(stage.partitions)
        self.area = (limits[task.partition], limits[task.partition + 1])
        self._parts: list[LevelPart] = []
        self._run: list[Slice] = []
        self._found = np.zeros(len(stage.transitions.actions), np.int64)
        self._sources = np.zeros(task.chunks, np.int64)

    def settle(self, low: int, high: int) -> None:
        """Finds the new states of a range."""
        pieces = narrowed(self._shelf, self._task.pieces, low, high)
        if not pieces:
            return
        columns = [np.concatenate([self._shelf.read(p, word) for p in pieces]) for word in range(self._words)]
        keys = np.concatenate([self._shelf.read(piece, self._words) for piece in pieces])
        columns, keys = distinct(columns, keys)
        for run in self._task.runs:
            for part in narrowed(self._shelf, run, low, high):
                columns, keys = self._without(columns, keys, part)
        if len(keys):
            self._write(columns, keys)

    def _without(self, columns: Columns, keys: Column, part: Slice) -> tuple[Columns, Column]:
        new = ~seen(self._shelf, columns, part)
        return (columns, keys) if new.all() else ([column[new] for column in columns], keys[new])

    def _write(self, columns: Columns, keys: Column) -> None:
        name = self._name(len(self._parts))
        self._run.append(self._shelf.write(f"{name}.run", columns).whole())
        order = np.argsort(keys)
        keys = keys[order]
        rows = self._shelf.write(f"{name}.rows", [column[order] for column in columns])
        self._parts.append(LevelPart(self._shelf.write(f"{name}.keys", [keys]).whole(), rows.whole()))
        move = (keys >> np.uint64(PLACE_BITS) & np.uint64(_MOVE_MASK)).astype(np.int64)
        self._found += np.bincount(move, minlength=len(self._found))
        chunk = (keys >> np.uint64(CHUNK_SHIFT)).astype(np.int64)
        self._sources += np.bincount(chunk, minlength=len(self._sources))

    def _name(self, part: int) -> str:
        return f"{self._stage.run}{self._task.level:05}-p{self._task.partition:04}-{part:03}"

    def result(self) -> Settled:
        """What was found; runs of similar size are merged."""
        runs = [*self._task.runs, *([tuple(self._run)] if self._run else [])]
        merges = 0
        while len(runs) > 1 and size(runs[-2]) < 2 * size(runs[-1]):
            two, name = (runs.pop(-2), runs.pop()), f"{self._name(0)}.merged{merges}"
            runs.append(merged(self._shelf, two, name, self.area, self._task.capacity))
            merges += 1
        return Settled(
            partition=self._task.partition,
            count=int(self._sources.sum()),
            parts=tuple(self._parts),
            runs=tuple(runs),
            found=self._found,
            sources=self._sources,
            peak_memory=_peak_memory(),
        )


def _peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE
