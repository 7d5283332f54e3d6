"""A worker of a search by columns: a process that finds and checks the steps from states.

It begins as a copy of the search (fork), and drops successors that it knows (``division``). Unusual events
are left to the search, which then continues without workers until all is usual again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from verifier.storage.distinct import distinct
from verifier.tla.coding import Code, Coding
from verifier.tla.columns.batches import UNSET_NUMBER
from verifier.tla.columns.numbers import Column
from verifier.tla.columns.search import Search
from verifier.tla.exploration_result import ExplorationResult
from verifier.tla.workers.column_messages import ColumnFound, ColumnTask


def make_column_work(search: Search, coding: Coding) -> Callable[[Callable[[Any], None], Connection], None]:
    """Return the work of a worker: it answers one task after the other."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        worker = ColumnWorker(search, coding)
        while True:
            report(worker.expand(incoming.recv()))

    return work


class ColumnWorker:
    """The copy of a search by columns in another process."""

    def __init__(self, search: Search, coding: Coding) -> None:
        self.search, self.coding = search, coding
        self.numbers = search.columns.numbers
        self.reported = [np.ones(len(own), np.bool_) for own in self.numbers]
        """For each variable and number: True if the other side knows the value."""
        search.explorer.become_copy()

    def expand(self, task: ColumnTask) -> ColumnFound:
        """Find the steps from states."""
        told = [self._listen(place, codes) for place, codes in enumerate(task.told)]
        found = ColumnFound(told)
        columns = [_put(own, column) for own, column in zip(told, task.columns, strict=True)]
        try:
            self._expand(columns, found)
        except Exception as reason:  # noqa: BLE001 -- it is met again, and reported, where all is known
            found = ColumnFound(told, f"{type(reason).__name__}: {reason}")
        found.cpu_seconds = time.process_time()
        return found

    def _listen(self, place: int, codes: list[Code]) -> Column:
        """Return the own numbers of values that are told."""
        numbers = self.numbers[place]
        own = np.array([numbers.of(self.coding.decode(code)) for code in codes], np.int64)
        self._report(place, own)
        return own

    def _report(self, place: int, own: Column) -> None:
        """Note that the other side knows values."""
        known, count = self.reported[place], len(self.numbers[place])
        if count > len(known):
            self.reported[place] = known = np.concatenate([known, np.zeros(count, np.bool_)])
        known[own] = True

    def _expand(self, columns: list[Column], found: ColumnFound) -> None:
        search, result = self.search, ExplorationResult()
        search.explorer.result = result
        found.states = len(columns[0])
        search.keep_only(columns)
        steps = search.find_steps(search.batch(0, found.states))
        search.known.add(steps.keys[steps.new])
        search.count_steps(steps)
        found.generated, found.deadlocks, found.beyond = result.generated, result.deadlocks, result.beyond
        found.taken = result.taken
        found.columns = [column[steps.new] for column in steps.made]
        found.parents = steps.rows.parents[steps.new]
        for place, column in enumerate(found.columns):
            self._report(place, np.zeros(0, np.int64))
            fresh = distinct(column[~self.reported[place][column]])
            values = self.numbers[place].values
            found.fresh.append((fresh, [self.coding.encode(values[number]) for number in fresh.tolist()]))
        for place, (fresh, _) in enumerate(found.fresh):  # all values have bytes
            self._report(place, fresh)


def _put(told: Column, column: Column) -> Column:
    """Return a column with the numbers of told values, which were named by their places."""
    named = column < UNSET_NUMBER
    if named.any():
        column[named] = told[-2 - column[named]]
    return column
