"""The data from which a search continues: its states, in files, and its counts before a level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.storage.blocks import Block
from verifier.tla.storing.state_files import Part, read_part

_COUNTS = ("distinct", "generated", "initial", "depth", "closed", "deadlocks", "beyond")
"""The numbers of an exploration's result that a manifest has."""


@dataclass(frozen=True)
class Snapshot:
    """The findings of a search before a level. Values are bytes as text (``coding``)."""

    level: int
    """The level to be expanded."""
    first: int
    """The first state of the level."""
    end: int
    """The number of states up to its end. If it is the first one, all states were expanded."""
    counts: Mapping[str, int]
    levels: tuple[int, ...]
    """The number of states of each level before."""
    taken: Mapping[str, int]
    violations: tuple[tuple[str, int, tuple[tuple[str, ...], ...]], ...]
    """Each violated property, the depth of its violation, and the states on the way."""
    registers: tuple[tuple[str, str], ...]
    """The names that the module gave values (TLCSet), and the values."""
    printed: tuple[str, ...]
    symmetric: bool
    """True if each state stands for its orbit."""
    asymmetric: str | None
    """The reason why the permutations of the configuration are not used."""
    speed: float | None
    """The number of states that the search generates in a second, state by state."""
    cpu_seconds: float

    @property
    def depth(self) -> int:
        """Return the greatest depth of a known state."""
        return self.level if self.end > self.first else self.level - 1


@dataclass(frozen=True)
class StoredSearch:
    """A checkpoint of a search."""

    snapshot: Snapshot
    parts: tuple[Part, ...]

    @property
    def blocks(self) -> dict[str, Block]:
        """Return the files that are needed, by name."""
        return {block.name: block for part in self.parts for block in part.blocks}

    def as_object(self) -> dict[str, Any]:
        """Return the content of the manifest."""
        return {"search": vars(self.snapshot), "parts": [part.as_list() for part in self.parts]}


def read_search(content: Mapping[str, Any]) -> StoredSearch:
    """Read a checkpoint from a manifest. Raises ValueError, KeyError or TypeError for other data."""
    search = dict(content["search"])
    search["levels"] = tuple(search["levels"])
    search["violations"] = tuple(
        (name, depth, tuple(map(tuple, states))) for name, depth, states in search["violations"]
    )
    search["registers"] = tuple((name, value) for name, value in search["registers"])
    search["printed"] = tuple(search["printed"])
    snapshot, parts = Snapshot(**search), tuple(map(read_part, content["parts"]))
    if sum(part.states for part in parts) != snapshot.end:
        raise ValueError("it has other states than it says")
    return StoredSearch(snapshot, parts)


def list_counts(result: object) -> dict[str, int]:
    """Return the counts of a result for a manifest."""
    return {name: getattr(result, name) for name in _COUNTS}
