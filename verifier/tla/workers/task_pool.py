"""A pool of stateless workers elsewhere: tasks in groups go out, answers come back in any order.

A task has all that it needs. So whoever runs it may lose it and run it again, or run it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from verifier.tla.coding import Code, Coding
from verifier.tla.value_types import ModelValue
from verifier.tla.workers.messages import Found, Task
from verifier.tla.workers.shared_states import SharedStates

if TYPE_CHECKING:
    from verifier.tla.known_states import Row
    from verifier.tla.search_state import SearchState

_GROUPS = 2
"""The number of groups at a time: the answers to one are merged while the other one runs."""


class TaskRunner(Protocol):
    """A place elsewhere that runs tasks, in groups."""

    @property
    def name(self) -> str:
        """Return its name, as results say who expanded states."""

    @property
    def slots(self) -> int:
        """Return the number of tasks that run at a time, once it is ready."""

    @property
    def rival(self) -> float:
        """Return the expected speed, as a multiple of that of one process."""

    @property
    def running(self) -> int:
        """Return the number of groups that run."""

    def is_ready(self) -> bool:
        """True if tasks can run. It begins to start when it is first asked. Raises Interrupted if it
        cannot."""

    def submit(self, tasks: Sequence[Task]) -> None:
        """Begin to run a group of tasks."""

    def collect(self, seconds: float) -> Iterable[tuple[int, Found]]:
        """Wait for answers at most this long. Return them, each with the first state of its task. Raises
        Interrupted if no more will come."""

    def cancel(self) -> None:
        """Forget all groups."""


@dataclass(frozen=True)
class _Given:
    """A task that waits for its answer."""

    name: str
    numbers: list[int]
    """The numbers for all of the values in its table."""


class TaskPool:
    """Workers elsewhere. A name stands for a task that may be out, and for no process."""

    def __init__(self, search: SearchState, runner: TaskRunner) -> None:
        models = search.evaluator.model_values
        coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
        self.known, self._runner = SharedStates(search.known, coding), runner
        self.known.list_codes()
        self.names = [f"task {number}" for number in range(1, _GROUPS * runner.slots + 1)]
        self.idle = list(self.names)
        self.cpu_seconds = 0.0
        """The processor time for all tasks whose answers came."""
        self._collected: list[Task] = []
        """The tasks that are not yet in a group."""
        self._given: dict[int, _Given] = {}
        """The tasks that have no answer yet, by first state."""

    def close(self) -> None:
        """Run no more tasks."""
        self._runner.cancel()

    def measure_memory(self) -> int:
        """Return the bytes of workers in the memory of this process's machine that count: none."""
        return 0

    def give(self, name: str, level: int, first: int, end: int, violated: tuple[str, ...]) -> None:
        """Make a task of the states from the first one up to an end."""
        places: dict[int, int] = {}
        rows: list[Row] = [
            tuple([places.setdefault(number, len(places)) for number in row])
            for row in self.known.rows[first:end]
        ]
        coding, encode = self.known.coding, self.known.encode
        told: list[tuple[int, Code]] = [(place, encode(number, coding)) for number, place in places.items()]
        self.idle.remove(name)
        self._given[first] = _Given(name, list(places))
        self._collected.append(Task(level, first, rows, violated, [], told))

    def hear(self, seconds: float) -> Iterator[tuple[str, int, Found]]:
        """Send out tasks, and wait for answers. Yield each with the first state of its task. Raises
        Interrupted if no more will come."""
        while self._collected and self._runner.running < _GROUPS:
            group = self._collected[: self._runner.slots]
            del self._collected[: len(group)]
            self._runner.submit(group)
        for first, found in self._runner.collect(seconds):
            given = self._given.pop(first, None)
            if given is not None:  # else it was answered before
                self._learn(given, found)
                yield given.name, first, found

    def _learn(self, given: _Given, found: Found) -> None:
        self.cpu_seconds += found.cpu_seconds
        fresh = {own: self.known.number_of_code(code) for own, code in found.fresh}

        def translate(number: int) -> int:
            return given.numbers[number] if number >= 0 else fresh[-1 - number]

        found.rows = [tuple(map(translate, row)) for row in found.rows]
        found.views = list(map(translate, found.views))
