"""A level of a breadth-first search in tasks that run anywhere and read and write one folder.

First the level is *expanded*: each task takes some states of it, in their order, and writes their
successors as blocks, without most duplicates. Then it is *settled*: each task takes the successors in one
part of the space of states, leaves out duplicates and what was seen before, and writes the new ones: by state
into a run, and in their order, as the next level. The states of a last level, from which nobody goes on, are
looked at instead.

The order is that in which a search by one process finds the states. Each successor has a key: the chunk of
the level in which its predecessor is looked at, the move, and the place of the predecessor in the chunk.
Of equal successors the one with the least key counts. So a state's predecessor, its place in the level,
and the move that is said to have found it are the same whatever runs where, and a task that is repeated
writes the same again.

Keys are never sorted: a task expands states in their order, and makes their successors in the order of keys.
All that follows keeps it, and takes the first of equal successors for the one with the least key.

Source: Stern and Dill 1997, doi:10.1007/3-540-63166-6_26, divide states among processes by a hash, too.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.classes import Classes
from verifier.explicit.coverage import Coverage
from verifier.explicit.moves import Look, Transitions
from verifier.explicit.packing import places
from verifier.explicit.scattering import MOST_PARTS
from verifier.explicit.sections import Section, Sections
from verifier.explicit.sorted_states import Run
from verifier.storage.blocks import Column, Shelf, Slice

PLACE_BITS, MOVE_BITS = 14, 17
CHUNK_SHIFT = PLACE_BITS + MOVE_BITS
MOVE_MASK = (1 << MOVE_BITS) - 1
_STATES_PER_SECTION = 1 << 17
"""They may have some ten times as many successors."""
_KIBIBYTE = 1024


@dataclass
class Tally:
    """The counts of visited states."""

    coverage: Coverage
    looked: int = 0
    within: int = 0
    generated: int = 0
    deadlocks: int = 0
    in_orbits: int = 0
    unexpanded: bool = False
    """True if a state that was not expanded has successors."""

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
        """Add counts from elsewhere."""
        self.coverage.add(other.coverage)
        self.looked += other.looked
        self.within += other.within
        self.generated += other.generated
        self.deadlocks += other.deadlocks
        self.in_orbits += other.in_orbits
        self.unexpanded |= other.unexpanded


@dataclass(frozen=True)
class Stage:
    """The common data of all tasks of a search. It can be pickled."""

    folder: Path
    transitions: Transitions
    orbits: Classes | None
    partitions: int
    """Into how many parts of equal size the space of states is divided: a power of two."""
    run: str = ""
    """Begins the names of files. Each search has its own: a task of one whose driver was killed may still run
    somewhere, and must not write what a task of the next one writes, which may have other states."""
    lasting: bool = True
    """True if a later search may go on with the folder."""

    def alone(self) -> Stage:
        """The stage without the model."""
        return replace(self, transitions=self.transitions.alone())

    @property
    def shelf(self) -> Shelf:
        """Return the place of blocks."""
        return Shelf(self.folder, lasting=self.lasting)

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
    """A task: explore some states of a level, and write their successors."""

    level: int
    number: int
    """The number of the task within the level."""
    parts: tuple[LevelPart, ...]
    sources: tuple[int, int]
    """The keys of the states have chunks from the one number to below the other."""
    skipped: int
    """The number of states with these keys that come first and belong to the task before."""
    first: int
    """The number of the first state within its level."""
    count: int
    properties: tuple[str, ...]
    """Properties whose first failure is looked for."""
    expanded: bool
    """True if successors are looked for."""
    capacity: int
    """The approximate number of successors that are kept in memory."""
    sections: int
    """Into how many parts successors are divided: a power of two, and a multiple of the partitions."""
    kernels: bool = False
    """True if the compiled library may do it, where there is one."""


@dataclass(frozen=True)
class Expanded:
    """The outcome of an expansion."""

    number: int
    tally: Tally
    failing: dict[str, int]
    """For each property that fails in some of the states the first of them, as a number within the level."""
    pieces: tuple[Sections, ...]
    """Successors in the order of keys: all those of a block come after those of the block before."""
    peak_memory: int
    """The peak memory of the process, in bytes."""

    @property
    def place(self) -> int:
        """Return the place among the results of a level."""
        return self.number


@dataclass(frozen=True)
class Settle:
    """A task: to find the new states of a partition."""

    level: int
    """The one that is made."""
    partition: int
    pieces: tuple[tuple[Section, ...], ...]
    """Successors, in ranges of equal size: those of each section ascend by key, and are after those of the
    one before."""
    runs: tuple[Run, ...]
    """The states seen before, the oldest first."""
    chunks: int
    """The number of chunks of the level from which the successors come."""
    capacity: int
    kernels: bool = False
    properties: tuple[str, ...] | None = None
    """None: the new states are written, and explored later. Otherwise this is the last level: they are
    checked here and not written. These are the properties whose first failure is sought."""


@dataclass(frozen=True)
class Settled:
    """The outcome of settling."""

    partition: int
    count: int
    parts: tuple[LevelPart, ...]
    runs: tuple[Run, ...]
    tally: Tally
    """The counts of the new states, if they were checked."""
    failing: dict[str, int]
    """For each property that fails in some of these the key of the first of them."""
    found: NDArray[np.int64]
    """New states by each move."""
    sources: NDArray[np.int64]
    """New states by the chunk of their predecessor."""
    peak_memory: int

    @property
    def place(self) -> int:
        """Return the place among the results of a level."""
        return self.partition


Task: TypeAlias = Expand | Settle
Result: TypeAlias = Expanded | Settled


def capacity_of(stage: Stage, memory: int) -> int:
    """Return the number of successors that fit into this memory while they are sorted."""
    return max(1 << 14, memory // (8 * (4 * stage.transitions.words + 8)))


def sections_of(partitions: int, count: int) -> int:
    """Return the number of parts into which the successors of this number of states are divided. One task
    settles several parts of a partition, one after the other: the sorted data then fit better into caches."""
    wanted = -(-count // _STATES_PER_SECTION)
    return min(MOST_PARTS, max(partitions, 1 << (wanted - 1).bit_length()))


def key_of_chunk(chunk: int, move: int = 0) -> int:
    """The key of the successor by a move from the first state of a chunk."""
    return chunk << CHUNK_SHIFT | move << PLACE_BITS


def keys_of_chunk(chunk: int, move: int, sources: NDArray[np.intp]) -> Column:
    """The keys of the successors by one move from the states at these places of a chunk."""
    return sources.astype(np.uint64) | np.uint64(key_of_chunk(chunk, move))


def parse_key(key: int) -> tuple[int, int, int]:
    """The chunk, the move and the place that a key says."""
    return key >> CHUNK_SHIFT, key >> PLACE_BITS & MOVE_MASK, key & (1 << PLACE_BITS) - 1


def of_chunks(shelf: Shelf, keys: Slice, sources: tuple[int, int]) -> tuple[int, int]:
    """Return the range of keys whose predecessors are in these chunks."""
    inner = shelf.narrow(keys, sources[0] << CHUNK_SHIFT, sources[1] << CHUNK_SHIFT)
    return inner.start - keys.start, inner.end - keys.start


def peak_memory() -> int:
    """The most bytes that this process took."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE
