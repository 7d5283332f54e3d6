"""Tasks of a search that run elsewhere, which is this process here: in any order, lost, or repeated."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from random import Random

import pytest

from verifier.processes.limits import Interrupted
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.coding import Coding
from verifier.tla.explorer import Explorer
from verifier.tla.specification import Specification
from verifier.tla.value_types import ModelValue
from verifier.tla.workers import level_choice
from verifier.tla.workers.messages import Found, Task
from verifier.tla.workers.stateless_worker import StatelessWorker


def list_asked(made: Specification) -> tuple[str, ...]:
    """Return all that a configuration asks for."""
    deadlock = [NO_DEADLOCK] if made.config.check_deadlock else []
    return (*made.invariants, *made.properties, *deadlock)


def make_worker(made: Specification, kind: type[StatelessWorker] = StatelessWorker) -> StatelessWorker:
    """Return a worker for a specification that nobody else uses."""
    explorer = Explorer(made, properties=list_asked(made), by_columns=False)
    assert made.next is not None
    models = explorer.evaluator.model_values
    coding = Coding(lambda name: models.setdefault(name, ModelValue(name)))
    return kind(explorer, explorer.walks.over(made.next, primed=False), coding)


class Elsewhere:
    """Runs tasks by several workers, and answers in any order. Some answers are lost, so that their tasks are
    run again, and some come twice."""

    name = "elsewhere"
    slots = 3
    rival = 3.0

    def __init__(
        self,
        specify: Callable[[], Specification],
        seed: int,
        kind: type[StatelessWorker] = StatelessWorker,
        tasks: int | None = None,
    ) -> None:
        """``tasks``: the number of tasks after which no answer comes any more."""
        self.random, self.left = Random(seed), tasks
        self.workers = [make_worker(specify(), kind) for _ in range(2)]
        self.groups: list[list[bytes]] = []
        self.asked = self.done = self.lost = self.repeated = 0

    @property
    def running(self) -> int:
        """The number of groups."""
        return len(self.groups)

    def is_ready(self) -> bool:
        """True from the third time on."""
        self.asked += 1
        return self.asked > 2

    def submit(self, tasks: Sequence[Task]) -> None:
        """Take a group."""
        assert len(tasks) <= self.slots
        self.groups.append([pickle.dumps(task) for task in tasks])

    def _run(self, task: bytes) -> tuple[int, Found]:
        self.done += 1
        if self.left is not None and self.done > self.left:
            raise Interrupted("elsewhere nobody is left")
        worker, asked = self.random.choice(self.workers), pickle.loads(task)
        return asked.first, pickle.loads(pickle.dumps(worker.expand(asked)))

    def collect(self, seconds: float) -> Iterable[tuple[int, Found]]:
        """Return the answers to a group, as a pool of processes may."""
        if not self.groups:
            return []
        group = self.groups.pop(self.random.randrange(len(self.groups)))
        self.random.shuffle(group)
        answers = []
        for task in group:
            while self.random.random() < 0.3:
                self._run(task)
                self.lost += 1
            answers.append(self._run(task))
            if self.random.random() < 0.3:
                answers.append(self._run(task))
                self.repeated += 1
        return answers

    def cancel(self) -> None:
        """Forget the groups."""
        self.groups.clear()


def send_all_levels(monkeypatch: pytest.MonkeyPatch, states: int = 2) -> None:
    """Let each level be expanded elsewhere, in parts of so many states."""
    monkeypatch.setattr(level_choice, "ELSEWHERE_BEGIN_SECONDS", -1e9)
    monkeypatch.setattr(level_choice, "_ELSEWHERE_WORTH_SECONDS", -1.0)
    monkeypatch.setattr(level_choice, "_BETWEEN_LOOKS", 0)
    monkeypatch.setattr(level_choice, "_ELSEWHERE_MOST_IN_BLOCK", states)
