"""The expansion of a level: some states are explored, and their successors written (``level_tasks``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from verifier.explicit.level_tasks import Expand, Expanded, Stage, keys_of_chunk, of_chunks, peak_memory
from verifier.explicit.moves import Look, Transitions
from verifier.explicit.packing import Rows, places
from verifier.explicit.scattering import INVERSES, columns_of, parts_of, rows_of, scatter
from verifier.explicit.sections import Sections, join_sections, sections
from verifier.explicit.sorted_states import mostly_distinct

if TYPE_CHECKING:
    from verifier.explicit.classes import Classes
    from verifier.explicit.fused import FusedLooks
    from verifier.explicit.fused_tasks import FusedCollection

_SUCCESSORS_AT_ONCE = 1 << 19
"""The most that a task collects. More duplicates are found among more, but no longer within caches."""


def expand(stage: Stage, task: Expand) -> Expanded:
    """Does a task. Raises OSError or Damaged where the folder cannot be written or read."""
    chunk = stage.transitions.chunk()
    written = _Written(stage, task)
    fused, orbits, pieces = _choose_means(written)
    rows, tally, failing = _states(stage, task, fused), stage.tally(), dict[str, int]()
    for start in range(0, task.count, chunk):
        look = (fused or stage.transitions).look(rows[start : start + chunk])
        tally.count(look, orbits)
        for name in task.properties:
            if name not in failing and look.failing[name].any():
                failing[name] = task.first + start + int(places(look.failing[name])[0])
        if not task.expanded:
            tally.unexpanded |= bool(look.enabled.any())
            continue
        tally.generated += int(np.bitwise_count(look.enabled).sum())
        pieces.add(look, (task.first + start) // chunk)
    pieces.write()
    return Expanded(task.number, tally, failing, tuple(written.blocks), peak_memory())


def _choose_means(written: _Written) -> tuple[FusedLooks | None, Classes | None, _Pieces | FusedCollection]:
    """The library's evaluation, classes and collection, if the task may use them and there is one; else
    NumPy's. The library collects only states that need no representatives."""
    stage, orbits = written.stage, written.stage.orbits
    if written.task.kernels:
        from verifier.explicit import fused_tasks  # only long searches need it

        if (fused := fused_tasks.fused_looks(stage, written.task)) is not None:
            if orbits is None:
                return fused, None, fused_tasks.FusedCollection(fused, stage, written.task, written.add_fused)
            orbits = fused_tasks.fuse(orbits, fused.library)
            return fused, orbits, _Pieces(written, fused, orbits)
    return None, orbits, _Pieces(written, stage.transitions, orbits)


def _states(stage: Stage, task: Expand, fused: FusedLooks | None) -> Rows:
    """The states of a task, in their order."""
    shelf, limits = stage.shelf, [of_chunks(stage.shelf, part.keys, task.sources) for part in task.parts]
    ends = np.cumsum([end - start for start, end in limits]).tolist()
    columns = np.empty((stage.transitions.words, ends[-1]), np.uint64)
    keys = np.empty(ends[-1], np.uint64)
    for part, (start, end), last in zip(task.parts, limits, ends, strict=True):
        if start < end:
            place = slice(last - end + start, last)
            shelf.read_columns(part.keys.part(start, end), [keys[place]])
            shelf.read_columns(part.rows.part(start, end), list(columns[:, place]))
    order = np.argsort(keys, kind="stable")[task.skipped : task.skipped + task.count]
    if fused is not None:
        return fused.library.gather(columns, order, INVERSES)
    return rows_of([column[order] for column in columns])


class _Written:
    """Writes collected successors: a block for each collection."""

    def __init__(self, stage: Stage, task: Expand) -> None:
        self.stage, self.task = stage, task
        self.blocks: list[Sections] = []

    def add(
        self, content: NDArray[np.uint64], bounds: list[int], least_key: int | None, suffix: str = ""
    ) -> None:
        """Write the words of sections."""
        place = f"{self.task.level:05}-{self.task.number:05}-{len(self.blocks):03}{suffix}"
        block = self.stage.shelf.write(f"{self.stage.run}{place}.new", [content], lasting=False)
        self.blocks.append(Sections(block, tuple(bounds), least_key))

    def add_fused(self, content: NDArray[np.uint64], bounds: list[int], least_key: int | None) -> None:
        """Write what the library collected. A task that is repeated elsewhere without it writes other files,
        which must not take the place of these."""
        self.add(content, bounds, least_key, "-c")


class _Pieces:
    """Collects successors and writes them by partition, without most duplicates."""

    def __init__(self, written: _Written, steps: Transitions | FusedLooks, orbits: Classes | None) -> None:
        self._stage, self._task, self._written = written.stage, written.task, written
        self._steps, self._orbits = steps, orbits
        self._count, self._most = 0, min(_SUCCESSORS_AT_ONCE, self._task.capacity)
        room = self._most + self._stage.transitions.chunk()  # a move has at most one successor of each state
        self._words = np.empty((self._stage.transitions.words, room), np.uint64)
        self._keys = np.empty(room, np.uint64)

    def add(self, look: Look, chunk: int) -> None:
        """Take the successors of a chunk of the level, and write the collected ones if there are many."""
        for step in self._steps.successors(look):
            end = self._count + len(step.rows)
            self._words[:, self._count : end] = step.rows.T
            self._keys[self._count : end] = keys_of_chunk(chunk, step.move, step.sources)
            self._count = end
            if self._count >= self._most:
                self.write()

    def write(self) -> None:
        """Write the collected successors."""
        if not self._count:
            return
        words, keys = self._words[:, : self._count], self._keys[: self._count]
        self._count = 0
        if self._orbits is None:
            columns = scatter(list(words))
        else:
            columns = columns_of(self._orbits.representatives(np.ascontiguousarray(words.T)))
        kept = mostly_distinct(columns)
        parts = parts_of(columns[0].take(kept), self._task.sections)
        order = kept.take(np.argsort(parts, kind="stable"))
        bounds = [0, *np.cumsum(np.bincount(parts, minlength=self._task.sections)).tolist()]
        columns, least_key = join_sections(columns, keys, self._stage.transitions.bits)
        self._written.add(sections(columns, order, bounds), bounds, least_key)
