"""The levels of a search by columns that several processes share, and the merging of what they find.

Parts are merged in the order of the search, so the result is that of one process. If something is unusual in
a part, the workers end, and the search itself looks at the states from there on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.tla.coding import Uncodable
from verifier.tla.columns.unsuited import FOUND_AGAIN
from verifier.tla.workers.column_pool import ColumnPool
from verifier.tla.workers.division import Division

if TYPE_CHECKING:
    from verifier.tla.columns.numbers import Column
    from verifier.tla.columns.search import Search
    from verifier.tla.workers.column_messages import ColumnFound

_LOG = logging.getLogger(__name__)
_BEGIN_SECONDS = 2.5
"""The processor time of a search by columns before which workers are not worth their start."""
_WORTH_SECONDS = 0.1
"""The expected time for the rest of a level from which on workers share it."""
_PART_SECONDS = 0.25
"""The least time of a part, if each worker gets one: operations on arrays are slow if these are short."""
_PARTS_FOR_EACH = 4
"""The number of parts for each worker in a level, so that all end at about the same time."""
_MOST_IN_PART = 1 << 20
_WAIT_SECONDS = 0.2
_JUDGED_SECONDS, _MOST_SHARE = 1.0, 0.9
"""The processor time of workers after which they are judged, and the share of the time of one process up to
which they stay."""


class ColumnLevels:
    """Expands states by columns in several processes where that pays."""

    def __init__(self, count: int, record: Callable[[int], None]) -> None:
        """``count``: the number of processes. ``record`` is told how many expand states from now on."""
        self.count, self._record = count, record
        self.pool: ColumnPool | None = None
        self._left: Search | None = None
        """The search that continues alone."""
        self._ended_cpu_seconds = 0.0
        self._seconds_per_state = 1e-6
        """The processor time for a state."""
        self._began, self._alone = 0.0, 0.0
        """The processor time of this process when the workers began, and its time for a state before."""
        self._judged = False
        self._expanded = 0
        """The number of states that these workers expanded."""

    @property
    def memory(self) -> int:
        """Return the bytes of the workers that they do not share with this process."""
        return 0 if self.pool is None else self.pool.measure_memory()

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time of the workers."""
        return self._ended_cpu_seconds + (0.0 if self.pool is None else self.pool.cpu_seconds)

    def close(self) -> None:
        """End the workers."""
        if self.pool is not None:
            self._ended_cpu_seconds += self.pool.cpu_seconds
            self.pool.close()
            self.pool = None
            self._record(1)

    def leave(self, search: Search, reason: str) -> None:
        """Let a search continue alone."""
        _LOG.info("no longer by workers: %s", reason)
        self._left = search
        self.close()

    def _is_worth_it(self, search: Search, states: int) -> bool:
        if self.pool is None:
            if search.seconds < _BEGIN_SECONDS:
                return False
            self._seconds_per_state = max(search.seconds_per_state, 1e-6)
        return states * self._seconds_per_state > _WORTH_SECONDS

    # -- a level

    def expand(self, search: Search, first: int, end: int) -> int:
        """Expand states of a level, as far as possible and useful. Return the first state that is left."""
        if self.pool is not None and self.pool.search is not search:
            self.close()
        if self._left is search or search.explorer.follow_columns is not None:
            return first
        if not self._is_worth_it(search, end - first):
            return first
        if self.pool is None:
            _LOG.info("%d workers start by columns at level %d", self.count, search.explorer.level)
            self._expanded, self._judged = 0, False
            self._began, self._alone = time.process_time(), self._seconds_per_state
            self.pool = ColumnPool(search, self.count)
            self._record(self.count)
        return _Level(self, self.pool, search).expand(first, end, self._find_size(search, end - first))

    def _find_size(self, search: Search, states: int) -> int:
        """Return the number of states in a part of a level."""
        rows = search.most_rows // self.count
        size = max(states // (self.count * _PARTS_FOR_EACH), int(_PART_SECONDS / self._seconds_per_state))
        each = -(-states // self.count)
        return max(min(size, each, int(rows / search.rows_per_state), _MOST_IN_PART), 1)

    def note_expanded(self, states: int) -> None:
        """Note that workers expanded states."""
        self._expanded += states
        if self.pool is not None and self._expanded:
            self._seconds_per_state = max(self.pool.cpu_seconds, 1e-6) / self._expanded

    def judge(self) -> str:
        """Return the reason why one process is better, if it is. Workers may all need the same values of
        expressions, and each of them evaluates them. This is judged once, soon after they began."""
        if self._judged or self.pool is None or self.pool.cpu_seconds < _JUDGED_SECONDS:
            return ""
        self._judged = True
        merging = (time.process_time() - self._began) / self._expanded
        share = (self._seconds_per_state / self.count + merging) / self._alone
        return f"they take {share:.0%} of its time" if share > _MOST_SHARE else ""


@dataclass(frozen=True)
class _Part:
    """The findings of a worker in a part of a level."""

    end: int
    found: ColumnFound
    columns: list[Column]
    """The successors, in the numbers of the search."""


class _Level:
    """A level, or the rest of one, that workers share."""

    def __init__(self, levels: ColumnLevels, pool: ColumnPool, search: Search) -> None:
        self.levels, self.pool, self.search = levels, pool, search
        self._ends: dict[int, int] = {}
        """The ends of the parts that workers have, by first state."""
        self._arrived: dict[int, _Part] = {}
        self._waiting = Division(0, 0, 1, 1)

    def expand(self, first: int, end: int, size: int) -> int:
        """Expand states, in parts of a size. Return the first state that is left."""
        self._waiting = Division(first, end, size, self.levels.count)
        number, explorer, reason = first, self.search.explorer, ""
        try:
            while number < end and not reason:
                self._hand_out()
                explorer.enforce_limits()
                part = self._arrived.pop(number, None)
                if explorer.crowded:
                    reason = "memory is nearly full"
                elif part is None:
                    self._hear()
                elif not (reason := self._merge(number, part)):
                    number = part.end
                    explorer.current = number - 1
                    reason = self.levels.judge()
        except (Uncodable, *FOUND_AGAIN) as error:
            reason = str(error)
        finally:
            self.search.settle()
        if reason:
            self.levels.leave(self.search, reason)
        return number

    def _hand_out(self) -> None:
        """Give the next parts to workers without one."""
        for name in list(self.pool.idle):
            part = self._waiting.take(self.pool.names.index(name))
            if part is not None:
                self._ends[part[0]] = part[1]
                self.pool.give(name, *part)

    def _hear(self) -> None:
        for name, first, found in self.pool.hear(_WAIT_SECONDS):
            columns = [] if found.unusual else self.pool.translate(name, found)
            self._arrived[first] = _Part(self._ends.pop(first), found, columns)
            self.pool.idle.append(name)
            self.levels.note_expanded(found.states)
            self._hand_out()

    def _merge(self, first: int, part: _Part) -> str:
        """Merge what was found in a part. Return the reason why the search must look at it, if it must."""
        search, found = self.search, part.found
        explorer, result = search.explorer, search.explorer.result
        if found.unusual:
            return found.unusual
        if explorer.max_states is not None and result.distinct + len(found.parents) > explorer.max_states:
            return "the last state"
        new = search.find_new(part.columns, len(found.parents))
        search.append([column[new] for column in part.columns], found.parents[new] + first)
        result.generated += found.generated
        result.deadlocks += found.deadlocks
        result.beyond += found.beyond
        result.distinct += len(new)
        for name, taken in found.taken.items():
            result.taken[name] = result.taken.get(name, 0) + taken
        return ""
