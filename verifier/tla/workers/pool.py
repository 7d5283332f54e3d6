"""The workers of a search, and what each of them knows of the values of states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.processes.children import ChildEnded, Children, Message
from verifier.processes.limits import Interrupted, Limits
from verifier.tla.coding import Coding
from verifier.tla.retracing import Walk
from verifier.tla.value_types import ModelValue
from verifier.tla.workers.messages import Found, Task
from verifier.tla.workers.shared_states import SharedStates
from verifier.tla.workers.worker import make_work

if TYPE_CHECKING:
    from verifier.tla.search_state import SearchState


@dataclass
class _Mind:
    """The knowledge of a worker."""

    values: set[int] = field(default_factory=set)
    """The values that it knows, by the number for all, besides those that all know."""
    numbers: dict[int, int] = field(default_factory=dict)
    """The number for all of its own number of a value."""
    numbered: list[tuple[int, int]] = field(default_factory=list)
    """The pairs of ``numbers`` that it has not heard yet."""
    first: int = -1
    """The first state of its latest task."""
    cpu_seconds: float = 0.0


class Pool:
    """Workers that began as copies of a search."""

    def __init__(self, search: SearchState, walk: Walk, count: int) -> None:
        models = search.evaluator.model_values
        coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
        self.known = SharedStates(search.known, coding)
        self._children = Children(Limits())
        self.names = [f"worker {number}" for number in range(1, count + 1)]
        self._minds = {name: _Mind() for name in self.names}
        self.idle = list(self.names)
        try:
            for name in self.names:
                self._children.start(name, make_work(search, walk, coding))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers."""
        self._children.__exit__()

    @property
    def cpu_seconds(self) -> float:
        """Return the processor time of the workers."""
        return sum(mind.cpu_seconds for mind in self._minds.values())

    def measure_memory(self) -> int:
        """Return the bytes of the workers that they do not share with this process."""
        return self._children.measure_own_memory()

    def give(self, name: str, level: int, first: int, end: int, violated: tuple[str, ...]) -> None:
        """Give a worker the states from the first one up to an end."""
        known, mind = self.known, self._minds[name]
        rows, told, common = known.rows[first:end], [], known.common
        for row in rows:
            for number in row:
                if number >= common and number not in mind.values:
                    mind.values.add(number)
                    told.append((number, known.code(number)))
        self.idle.remove(name)
        self._children.send(name, Task(level, first, rows, violated, mind.numbered, told))
        mind.numbered, mind.first = [], first

    def hear(self, seconds: float) -> Iterator[tuple[str, int, Found]]:
        """Wait for workers. Yield what they found, each with its first state. Raises Interrupted if a worker
        has ended."""
        for event in self._children.poll(seconds):
            match event:
                case Message(child=name, content=Found() as found):
                    self._learn(self._minds[name], found)
                    yield name, self._minds[name].first, found
                case ChildEnded():
                    raise Interrupted(f"a worker ended before the search: {event.failure}")

    def _learn(self, mind: _Mind, found: Found) -> None:
        """Replace a worker's own numbers of values by those for all."""
        mind.cpu_seconds = found.cpu_seconds
        for own, code in found.fresh:
            number = mind.numbers[own] = self.known.number_of_code(code)
            mind.values.add(number)
            mind.numbered.append((own, number))

        def translate(number: int) -> int:
            return number if number >= 0 else mind.numbers[-1 - number]

        found.rows = [tuple(map(translate, row)) if min(row) < 0 else row for row in found.rows]
        found.views = list(map(translate, found.views))
