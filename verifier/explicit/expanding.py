"""The expansion of a level: some states are explored, and their successors written (``level_tasks``)."""

from __future__ import annotations

import numpy as np

from verifier.explicit.level_tasks import Expand, Expanded, Stage, keys_of_chunk, of_chunks, peak_memory
from verifier.explicit.packing import Rows, places
from verifier.explicit.scattering import columns_of, parts_of, rows_of, scatter
from verifier.explicit.sections import Sections, join_sections, sections
from verifier.explicit.sorted_states import mostly_distinct
from verifier.storage.blocks import Column

_SUCCESSORS_AT_ONCE = 1 << 19
"""The most that a task collects. More duplicates are found among more, but no longer within caches."""


def expand(stage: Stage, task: Expand) -> Expanded:
    """Does a task. Raises OSError or Damaged where the folder cannot be written or read."""
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
    return Expanded(task.number, tally, failing, tuple(pieces.written), peak_memory())


def _states(stage: Stage, task: Expand) -> Rows:
    """The states of a task, in their order."""
    shelf, rows, keys = stage.shelf, [], []
    for part in task.parts:
        start, end = of_chunks(shelf, part.keys, task.sources)
        if start < end:
            keys.append(shelf.read(part.keys.part(start, end), 0))
            inner = part.rows.part(start, end)
            rows.append([shelf.read(inner, word) for word in range(stage.transitions.words)])
    order = np.argsort(np.concatenate(keys), kind="stable")[task.skipped : task.skipped + task.count]
    return rows_of([np.concatenate(words)[order] for words in zip(*rows, strict=True)])


class _Pieces:
    """Collects successors and writes them by partition, without most duplicates."""

    def __init__(self, stage: Stage, task: Expand) -> None:
        self._stage, self._task = stage, task
        self._count, self._most = 0, min(_SUCCESSORS_AT_ONCE, task.capacity)
        room = self._most + stage.transitions.chunk()  # a move has at most one successor of each state
        self._words = np.empty((stage.transitions.words, room), np.uint64)
        self._keys = np.empty(room, np.uint64)
        self.written: list[Sections] = []

    def add(self, rows: Rows, keys: Column) -> None:
        """Take successors, and write the collected ones if there are many."""
        end = self._count + len(keys)
        self._words[:, self._count : end] = rows.T
        self._keys[self._count : end] = keys
        self._count = end
        if self._count >= self._most:
            self.write()

    def write(self) -> None:
        """Write the collected successors."""
        if not self._count:
            return
        words, keys = self._words[:, : self._count], self._keys[: self._count]
        self._count = 0
        if self._stage.orbits is None:
            columns = scatter(list(words))
        else:
            columns = columns_of(self._stage.orbits.representatives(np.ascontiguousarray(words.T)))
        kept = mostly_distinct(columns)
        parts = parts_of(columns[0].take(kept), self._task.sections)
        order = kept.take(np.argsort(parts, kind="stable"))
        ends = np.cumsum(np.bincount(parts, minlength=self._task.sections)).tolist()
        place = f"{self._task.level:05}-{self._task.number:05}-{len(self.written):03}"
        written, least_key = join_sections(columns, keys, self._stage.transitions.bits)
        content = sections(written, order, [0, *ends])
        block = self._stage.shelf.write(f"{self._stage.run}{place}.new", [content], lasting=False)
        self.written.append(Sections(block, (0, *ends), least_key))
