"""The memory of an exploration by the interpreter: its limit, and the time when states go to files."""

from __future__ import annotations

import time

import psutil

from verifier.printable import say_count
from verifier.processes.allocating import give_back_freed, measure_peak
from verifier.processes.limits import Interrupted
from verifier.runs.engine import Listen
from verifier.runs.modules.policy import POLICY
from verifier.runs.news import Remark
from verifier.tla.explorer import Explorer

_TIMES_THE_COST = 10.0
"""The time until freed memory is given back again, as a multiple of the time that this takes."""


class MemoryWatch:
    """The memory of this process and its workers."""

    def __init__(self, limit: int | None, listen: Listen) -> None:
        """``limit``: the bytes that the user allows. By default most of the free memory is used."""
        self._limit, self._listen = limit, listen
        self._process = psutil.Process()
        self._used = self._peak = used = int(self._process.memory_info().rss)
        free = psutil.virtual_memory().available
        self._most = limit or int(free * POLICY.share_of_free_memory + used)
        self._gives_back_at = 0.0
        """The time before which no freed memory is given back to the system."""
        self._crowded = self._in_files = False
        """True after it was said that states go to files, and that all are there."""

    def measure_peak(self) -> int:
        """Return the most bytes that were in use."""
        return max(self._peak, int(self._process.memory_info().rss))

    def _measure(self, workers: int) -> None:
        self._used = int(self._process.memory_info().rss) + workers
        self._peak = max(self._peak, self._used)

    def check(self, workers: int) -> None:
        """Raise Interrupted if there is no memory left. ``workers``: the bytes of other processes."""
        self._measure(workers)
        if self._used > self._most:
            give_back_freed()
            self._measure(workers)
        if self._used > self._most:
            words = "the memory of this machine" if self._limit is None else None
            raise Interrupted(words or f"memory limit of {self._most / 2**20:g} MiB")

    def advise(self, explorer: Explorer, *, keeps_all: bool) -> None:
        """Tell a search whether its states should go to files, after a check. ``keeps_all``: they may not."""
        now = time.monotonic()
        if self._used > POLICY.share_of_freed_memory * self._most and now > self._gives_back_at:
            workers = 0 if explorer.workers is None else explorer.workers.memory
            give_back_freed()
            self._measure(workers)
            self._gives_back_at = now + _TIMES_THE_COST * (time.monotonic() - now)
        explorer.memory, explorer.used, explorer.peak = self._most, self._used, measure_peak()
        explorer.crowded = self._used > POLICY.share_of_memory * self._most and not keeps_all
        explorer.full = self._used > POLICY.share_of_full_memory * self._most
        self._tell(explorer)

    def _tell(self, explorer: Explorer) -> None:
        """Say once that states go to files, and that all are there."""
        count = say_count(explorer.count, "state")
        if explorer.in_files and not self._in_files:
            self._listen(Remark(f"{count} are in files: one process continues, state by state"))
        elif explorer.crowded and not self._crowded and explorer.known.orbits is None:
            self._listen(Remark(f"{count} take much of the memory: states go to files"))
        self._crowded, self._in_files = self._crowded or explorer.crowded, explorer.in_files
