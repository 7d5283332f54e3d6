"""A worker of a search: a process that finds the successors of states as the search alone would.

It begins as a copy of the search (fork), so it evaluates the same formulas on the same values, and drops
successors that it knows. That is sound because it expands states in the order of the search: an earlier state
has the same successor. Violations, errors and deadlocks are left to the process that keeps the states. It
expands a state with one of these before later states are given out, so its successors may be dropped, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from verifier.tla.coding import Coding, Uncodable
from verifier.tla.exploration_result import ExplorationResult, State, Violation
from verifier.tla.known_states import KnownStates, Row
from verifier.tla.retracing import Walk
from verifier.tla.value_types import Value
from verifier.tla.workers.messages import Found, Task

if TYPE_CHECKING:
    from verifier.tla.search_state import SearchState


def make_work(
    search: SearchState, walk: Walk, coding: Coding
) -> Callable[[Callable[[Any], None], Connection], None]:
    """Return the work of a worker: it answers one task after the other."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        worker = Worker(search, walk, coding)
        while True:
            report(worker.expand(incoming.recv()))

    return work


class Worker:
    """The copy of a search in another process."""

    def __init__(self, search: SearchState, walk: Walk, coding: Coding) -> None:
        self.search, self.walk, self.coding = search, walk, coding
        self.known: KnownStates = search.known
        self.common = self.known.value_count
        """The number of values that have the same number on the other side: those that all knew at first."""
        self.values: dict[int, Value] = {}
        """The other values, by the number for all."""
        self.numbers: dict[int, int] = {}
        """The number for all of other values, by the own number."""
        self.given = set[int]()
        """The values that the other side knows, by the own number."""
        search.become_copy()

    def expand(self, task: Task) -> Found:
        """Find the successors of states, up to the first unusual one."""
        began = self._listen(task)
        found = Found()
        for row in task.rows:
            before = self._begin_result(task)
            number = self._place(self._state(row))
            count = len(self.known.states)
            try:
                self.search.current = number
                self.search.expand_state(number, self.walk)
                new = range(count, len(self.known.states))
                rows = [self._row(self.known.states[other], found) for other in new]
                views = [] if self.known.view is None else [self._view(other, found) for other in new]
            except Uncodable as reason:
                found.uncodable = str(reason)
                break
            except Exception:  # noqa: BLE001 -- it is met again, and reported, where all is known
                break
            if len(before.violations) > len(task.violated):
                break
            found.rows += rows
            found.views += views
            found.parents += [task.first + found.expanded] * len(new)
            self._count(found, before)
        self.search.walking = False
        found.cpu_seconds = time.process_time() - began
        return found

    def _listen(self, task: Task) -> float:
        """Learn what the other side says of values. Return the processor time from which the task counts:
        this worker tells all its time."""
        self.search.level = task.level
        for own, number in task.numbered:
            self.values[number], self.numbers[own] = self.known.value(own), number
        for number, code in task.told:
            value = self.values[number] = self.coding.decode(code)
            own = self.known.number(value)
            self.numbers[own] = number
            self.given.add(own)
        return 0.0

    def _begin_result(self, task: Task) -> ExplorationResult:
        """Begin to count again. Only the names of violations are looked at."""
        result = ExplorationResult()
        result.violations = {name: Violation(name, [], []) for name in task.violated}
        self.search.result = self.search.violations.result = result
        return result

    @staticmethod
    def _count(found: Found, result: ExplorationResult) -> None:
        found.expanded += 1
        found.generated += result.generated
        found.deadlocks += result.deadlocks
        found.beyond += result.beyond
        for name, count in result.taken.items():
            found.taken[name] = found.taken.get(name, 0) + count

    # -- states

    def _state(self, row: Row) -> State:
        common, known, values = self.common, self.known, self.values
        return tuple([known.value(number) if number < common else values[number] for number in row])

    def _place(self, state: State) -> int:
        """Return the own number of a state that is known to all."""
        known = self.known
        self.search.evaluator.now[:] = state
        key, number = known.find(state)
        if number is None:
            return known.add(state, -1, key)
        if known.states[number] == state:
            return number
        return known.append(state)  # another state has the same view, or is in the same orbit

    def _row(self, state: State, found: Found) -> Row:
        return tuple([self._number(value, found) for value in state])

    def _view(self, other: int, found: Found) -> int:
        assert self.known.view is not None
        self.search.evaluator.now[:] = self.known.states[other]
        return self._number(self.known.view(), found)

    def _number(self, value: Value, found: Found) -> int:
        """Return the number of a value for the other side, which is told new values. Raises Uncodable."""
        own = self.known.number(value)
        if own < self.common:
            return own
        number = self.numbers.get(own)
        if number is not None:
            return number
        if own not in self.given:
            found.fresh.append((own, self.coding.encode(value)))
            self.given.add(own)
        return -1 - own
