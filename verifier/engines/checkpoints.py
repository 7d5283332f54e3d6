"""The data from which an exploration in files continues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.explicit.level_tasks import LevelPart
from verifier.explicit.sorted_states import Run
from verifier.storage.blocks import Block, read_slice


@dataclass(frozen=True)
class Level:
    """The states at one depth."""

    count: int
    parts: tuple[LevelPart, ...]
    """The parts of a level; after it was expanded, their rows may be gone."""
    sources: tuple[int, ...]
    """The number of states with a predecessor in each chunk of the level before."""


@dataclass(frozen=True)
class Begun:
    """The beginning of an exploration in files: the states found before, in the order found."""

    states: Block
    """The words of each, and the number of the predecessor plus one; 0: none."""
    starts: tuple[int, ...]
    """The first number at each depth. The last of these is the first level in files."""


@dataclass(frozen=True)
class Checkpoint:
    """The data from which an exploration continues."""

    partitions: int
    """A power of two."""
    begun: Begun
    levels: tuple[Level, ...]
    """The levels from the first one in files on; the last is the one to be explored."""
    runs: tuple[tuple[Run, ...], ...]
    """For each partition the states seen."""
    counts: Mapping[str, Any]

    @property
    def depth(self) -> int:
        """Return the depth of the last level."""
        return len(self.begun.starts) + len(self.levels) - 2

    @property
    def blocks(self) -> dict[str, Block]:
        """The files that are needed, by name."""
        slices = [part for runs in self.runs for run in runs for part in run]
        slices += [part.keys for level in self.levels for part in level.parts]
        slices += [part.rows for part in self.levels[-1].parts]
        return {block.name: block for block in (self.begun.states, *(part.block for part in slices))}

    def as_object(self) -> dict[str, Any]:
        """Return the content of the manifest."""
        levels = [
            {
                "count": level.count,
                "keys": [part.keys.as_list() for part in level.parts],
                "rows": [part.rows.as_list() for part in level.parts],
                "sources": level.sources,
            }
            for level in self.levels
        ]
        return {
            "partitions": self.partitions,
            "begun": {"states": self.begun.states.whole().as_list(), "starts": self.begun.starts},
            "levels": levels,
            "runs": [[[part.as_list() for part in run] for run in runs] for runs in self.runs],
            "counts": dict(self.counts),
        }


def read_checkpoint(content: Mapping[str, Any]) -> Checkpoint:
    """Read a checkpoint. Raises ValueError, KeyError, TypeError or IndexError for other data."""
    levels = []
    for level in content["levels"]:
        pairs = zip(level["keys"], level["rows"], strict=True)
        parts = tuple(LevelPart(read_slice(keys), read_slice(rows)) for keys, rows in pairs)
        levels.append(Level(level["count"], parts, tuple(level["sources"])))
        if level["count"] != sum(len(part.keys) for part in parts):
            raise ValueError("a level has other states than it says")
    begun = Begun(read_slice(content["begun"]["states"]).block, tuple(content["begun"]["starts"]))
    runs = tuple(tuple(tuple(map(read_slice, run)) for run in runs) for runs in content["runs"])
    if len(runs) != content["partitions"] or len(runs).bit_count() != 1 or not levels:
        raise ValueError("it names no states")
    return Checkpoint(content["partitions"], begun, tuple(levels), runs, content["counts"])
