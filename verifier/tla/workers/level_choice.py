"""The choice of levels whose states several processes expand, and the merging of what they find.

The states are merged in the order of the search, so the result is that of one process. A state with an
unusual step is left to the search, which then reports it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.tla.known_states import KnownStates
from verifier.tla.retracing import Walk
from verifier.tla.workers.division import Division
from verifier.tla.workers.messages import Found
from verifier.tla.workers.suitability import explain_one_process

if TYPE_CHECKING:
    from verifier.tla.columns.search import Search
    from verifier.tla.search_state import SearchState
    from verifier.tla.workers.column_levels import ColumnLevels
    from verifier.tla.workers.pool import Pool
    from verifier.tla.workers.task_pool import TaskPool, TaskRunner

_LOG = logging.getLogger(__name__)
_BEGIN_SECONDS = 0.5
"""The processor time of a search before which workers are not worth their start."""
_WORTH_SECONDS = 0.01
"""The expected time for the rest of a level from which on workers share it."""
_BLOCK_SECONDS, _MOST_IN_BLOCK = 0.05, 4_096
"""The time and the number of states of a task: long compared with a message, short compared with a level."""
_BLOCKS_FOR_EACH = 3
"""The number of tasks for each worker in a short level, so that all end at about the same time."""
_BETWEEN_LOOKS = 64
"""The number of states between two looks at the clock."""
_WAIT_SECONDS = 0.2
ELSEWHERE_BEGIN_SECONDS = 5.0
"""The processor time of a search before which workers elsewhere do not start: that takes some seconds."""
_ELSEWHERE_WORTH_SECONDS = 0.5
"""A group of tasks elsewhere costs a tenth of a second."""
_ELSEWHERE_BLOCK_SECONDS, _ELSEWHERE_MOST_IN_BLOCK = 0.5, 20_000
_ELSEWHERE_BLOCKS_FOR_EACH = 1


@dataclass(frozen=True)
class _Pace:
    """When workers are worth it, and how much each gets at a time."""

    begin: float
    worth: float
    block: float
    most_in_block: int
    blocks_for_each: int


class ByWorkers:
    """Expands states by several processes where that pays, and leaves the rest to the search."""

    def __init__(self, search: SearchState, count: int, runner: TaskRunner | None = None) -> None:
        """``count``: the number of processes of this machine. ``runner``: in their place, what runs tasks
        elsewhere."""
        self.search, self.count, self.runner = search, count, runner
        self.pool: Pool | TaskPool | None = None
        self.first_level: int | None = None
        """The first level that was shared; None if none was."""
        self.means = [(1, 0)]
        """The numbers of processes that expanded states one after the other, each with its first level."""
        are_more = count > 1 or runner is not None
        self.why_alone = explain_one_process(search, elsewhere=runner is not None) if are_more else ""
        """The reason why one process explores, though more are asked for."""
        self._left = not are_more or bool(self.why_alone)
        """True if one process continues to the end."""
        self._ended_cpu_seconds = 0.0
        self._expanded = 0
        """The number of states that workers expanded."""
        self._waiting: Division | None = None
        """The parts of the level that no worker has."""
        self._doing: dict[int, int] = {}
        """The ends of the parts that workers have, by first state."""
        self._arrived: dict[int, tuple[int, Found]] = {}
        """The parts that are expanded, by first state: their ends, and what was found."""
        self._held: dict[int, str] = {}
        """Workers that wait, by the first state of their part. It has an unusual state."""
        self._looked, self._seconds_per_state = -1, 1e-3
        self._columns: ColumnLevels | None = None
        self._pace = (
            _Pace(_BEGIN_SECONDS, _WORTH_SECONDS, _BLOCK_SECONDS, _MOST_IN_BLOCK, _BLOCKS_FOR_EACH)
            if runner is None
            else _Pace(
                ELSEWHERE_BEGIN_SECONDS,
                _ELSEWHERE_WORTH_SECONDS,
                _ELSEWHERE_BLOCK_SECONDS,
                _ELSEWHERE_MOST_IN_BLOCK,
                _ELSEWHERE_BLOCKS_FOR_EACH,
            )
        )

    @property
    def rival(self) -> float:
        """Return the speed of workers that columns must exceed, as a multiple of that of one process. Local
        workers share the columns, so these need to exceed one process only."""
        return 1.0 if self.runner is None or self.why_alone else self.runner.rival

    # -- start and end

    @property
    def memory(self) -> int:
        """Return the bytes of the workers that they do not share with this process."""
        pools = (self.pool, None if self._columns is None else self._columns.pool)
        return sum(pool.measure_memory() for pool in pools if pool is not None)

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time of the workers."""
        columns = 0.0 if self._columns is None else self._columns.cpu_seconds
        return columns + self._interpreting_seconds

    @property
    def _interpreting_seconds(self) -> float:
        return self._ended_cpu_seconds + (0.0 if self.pool is None else self.pool.cpu_seconds)

    def close(self) -> None:
        """End the workers. The states stay as they are."""
        if self._columns is not None:
            self._columns.close()
        if self.pool is not None:
            self._ended_cpu_seconds += self.pool.cpu_seconds
            self.pool.close()
            self.pool = None
        self._waiting = None
        for parts in (self._doing, self._arrived, self._held):
            parts.clear()

    def leave(self) -> None:
        """Continue with one process, until workers start again."""
        if self.pool is not None:
            known = self.pool.known.as_known()
            self.close()
            self._use(known)
            self._record_means(1)

    def end(self) -> None:
        """Use workers no more, and forget their states."""
        self._left = True
        self.close()

    def _use(self, known: KnownStates) -> None:
        self.search.known = self.search.violations.known = known

    def _give_up(self, reason: str) -> None:
        _LOG.info("no longer by workers: %s", reason)
        self._left = True
        self.leave()

    def _is_worth_it(self, number: int, end: int, began: float) -> bool:
        """True if workers are worth it for the rest of a level."""
        if self.pool is None:
            if self._looked <= number < self._looked + _BETWEEN_LOOKS:
                return False
            self._looked = number
            spent = time.process_time() - began
            if spent < self._pace.begin or not (self.runner is None or self.runner.is_ready()):
                return False
            self._seconds_per_state = spent / max(number, 1)
        elif self._expanded:
            self._seconds_per_state = self._interpreting_seconds / self._expanded
        return (end - number) * self._seconds_per_state > self._pace.worth

    def _begin(self, walk: Walk) -> None:
        if self.runner is not None:
            from verifier.tla.workers.task_pool import TaskPool  # few searches have workers elsewhere

            self.pool = TaskPool(self.search, self.runner)
            self.count = len(self.pool.names)
        else:
            from verifier.tla.workers.pool import Pool  # small explorations need no NumPy

            self.pool = Pool(self.search, walk, self.count)
        _LOG.info("%d workers start at level %d", self.count, self.search.level)
        self._use(self.pool.known)
        self._record_means(self.count)

    def _record_means(self, processes: int) -> None:
        """Record who expands states from the current level on."""
        level = self.search.level
        if processes > 1 and self.first_level is None:
            self.first_level = level
        if self.means[-1][1] == level:
            self.means.pop()
        if not self.means or self.means[-1][0] != processes:
            self.means.append((processes, level))

    # -- a level

    def expand_columns(self, columns: Search, number: int, end: int) -> int:
        """Expand states of a level by columns, as far as possible and useful. Return the first state that is
        left."""
        if self._left or self.runner is not None:
            return number
        if self._columns is None:
            from verifier.tla.workers.column_levels import ColumnLevels  # small explorations need no NumPy

            self._columns = ColumnLevels(self.count, self._record_means)
        return self._columns.expand(columns, number, end)

    def expand(self, number: int, end: int, walk: Walk, began: float) -> int:
        """Expand states of a level, as far as possible and useful. Return the first state that is left.
        ``began``: the processor time at which the search began."""
        if self._left:
            return number
        if not (self._waiting or self._doing or self._arrived):
            if not self._is_worth_it(number, end, began):
                return number
            if self.pool is None:
                self._begin(walk)
            self._divide(number, end)
        assert self.pool is not None
        if self.pool.known.uncodable:
            self._give_up(self.pool.known.uncodable)
            return number
        while number < end and not self._left:
            self._hand_out()
            arrived = self._arrived.pop(number, None)
            self.search.enforce_limits()
            self.search.use_files()
            if self.search.in_files:
                break
            if arrived is None:
                self._hear()
                continue
            until, found = arrived
            if self._exceeds(found):
                self._give_up("the last state")
                break
            first, number = number, number + found.expanded
            self._merge(found)
            self.search.current = number - 1
            if found.uncodable:
                self._give_up(found.uncodable)
            elif number < until:
                self._leave_one(first, number, until)
                break
        return number

    def _divide(self, number: int, end: int) -> None:
        """Divide the states of a level."""
        size = int(self._pace.block / max(self._seconds_per_state, 1e-6))
        for_each = (end - number) // (self.count * self._pace.blocks_for_each)
        size = min(size, for_each, self._pace.most_in_block)
        size = max(size, 1)
        self._waiting = Division(number, end, size, self._ranges)

    @property
    def _ranges(self) -> int:
        """The number of ranges of a level. Elsewhere no worker stays in a range. So there is one, whose parts
        can be merged soon after they arrive."""
        return self.count if self.runner is None else 1

    def _find_range(self, name: str) -> int:
        assert self.pool is not None
        return self.pool.names.index(name) % self._ranges

    def _hand_out(self) -> None:
        """Give the next parts to workers without one."""
        assert self.pool is not None
        assert self._waiting is not None
        for name in list(self.pool.idle):
            part = self._waiting.take(self._find_range(name))
            if part is not None:
                first, end = part
                self._doing[first] = end
                self.pool.give(name, self.search.level, first, end, tuple(self.search.result.violations))

    def _hear(self) -> None:
        assert self.pool is not None
        for name, first, found in self.pool.hear(_WAIT_SECONDS):
            end = self._doing.pop(first)
            self._arrived[first] = end, found
            if first + found.expanded < end:
                self._held[first] = name
            else:
                self.pool.idle.append(name)
                self._hand_out()

    def _leave_one(self, first: int, number: int, until: int) -> None:
        """Leave one state of a part to the search. The others wait for a worker."""
        assert self.pool is not None
        assert self._waiting is not None
        name = self._held.pop(first)
        self.pool.idle.append(name)
        if number + 1 < until:
            self._waiting.put_back(self._find_range(name), (number + 1, until))

    def _exceeds(self, found: Found) -> bool:
        """True if there may be more states than are asked for."""
        most = self.search.max_states
        return most is not None and self.search.count + len(found.rows) > most

    def _merge(self, found: Found) -> None:
        assert self.pool is not None
        result = self.search.result
        result.generated += found.generated
        result.deadlocks += found.deadlocks
        result.beyond += found.beyond
        for name, count in found.taken.items():
            result.taken[name] = result.taken.get(name, 0) + count
        result.distinct += self.pool.known.merge(found.rows, found.parents, found.views)
        self._expanded += found.expanded
