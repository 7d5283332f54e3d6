"""A specification that a session has open: its numbered states, and the execution on which one walks."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.conform.judging import make_machine
from verifier.conform.machine import Machine, State
from verifier.errors import UsageError, cut, make_unknown_name_error
from verifier.runs.loaded import Loaded
from verifier.server.readings import Reading, make_reading

if TYPE_CHECKING:
    from verifier.system.model import Model

Stamp = tuple[int, int]


@dataclass(frozen=True)
class Successor:
    """A step from a state."""

    action: str
    parameters: Mapping[str, Any]
    state: int
    """The number of the state to which it leads."""


@dataclass(frozen=True)
class Visited:
    """A state of the execution, and the step that leads to it."""

    state: int
    action: str | None = None
    """None for the first one."""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class OpenSpec:
    """A specification at its constants. A state keeps its number as long as the specification is open."""

    name: str
    loaded: Loaded
    asked: tuple[Any, ...]
    """The request to load it: another request to load the same finds it."""
    stamps: Mapping[Path, Stamp | None]
    """The files that were read, with their times and sizes."""
    path: list[Visited] = field(default_factory=list)
    at: int = 0
    """The place on the path."""
    kept_answers: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)
    traces: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """The counterexample that was found last for each property."""
    begun: dict[int, None] = field(default_factory=dict)
    """The states with which executions began, in their order."""
    visited: dict[int, None] = field(default_factory=dict)
    """The states where one stood, in their order."""
    _states: list[State] = field(default_factory=list)
    _numbers: dict[State, int] = field(default_factory=dict)
    _successors: dict[int, list[Successor]] = field(default_factory=dict)
    _judged: dict[int, Mapping[str, bool | None]] = field(default_factory=dict)

    @cached_property
    def machine(self) -> Machine:
        """The specification as steps from any state."""
        return make_machine(self.loaded)

    @cached_property
    def reading(self) -> Reading:
        """The specification as claims about states."""
        return make_reading(self.loaded, self.machine)

    @cached_property
    def model(self) -> Model:
        """The transition system of a protocol."""
        from verifier.runs.building import build_model  # only drawings need it

        return build_model(self.loaded.definition)

    @property
    def has_changed(self) -> bool:
        """True if a file that was read is another one now."""
        return any(stamp_of(path) != stamp for path, stamp in self.stamps.items())

    def number(self, state: State) -> int:
        """Return the number of a state."""
        if state not in self._numbers:
            self._numbers[state] = len(self._states)
            self._states.append(state)
        return self._numbers[state]

    def state(self, number: int) -> State:
        """Return a state by its number. Raises UsageError for an unknown one."""
        if not 0 <= number < len(self._states):
            known = f"0 to {len(self._states) - 1}" if self._states else "none yet: ask for initial_states"
            raise UsageError(f"there is no state {number} of {self.name} (known: {known})")
        return self._states[number]

    @cached_property
    def initial(self) -> list[int]:
        """The initial states. Raises UsageError if they are too many to list."""
        return [self.number(state) for state in self.machine.initial()]

    def successors(self, number: int) -> list[Successor]:
        """Return the steps from a state, each once."""
        if number not in self._successors:
            self._successors[number] = _without_copies(self._steps(number))
        return self._successors[number]

    def judge(self, number: int) -> Mapping[str, bool | None]:
        """Return whether each property of states holds in a state; None if it has no value there."""
        if number not in self._judged:
            state = self.state(number)
            self._judged[number] = {
                claim.name: self.reading.judge(claim.name, state, None).holds
                for claim in self.reading.claims.values()
                if claim.of_state and not claim.of_step
            }
        return self._judged[number]

    def _steps(self, number: int) -> Iterator[Successor]:
        state = self.state(number)
        for action in self.machine.actions:
            for parameters, after in self.machine.steps(state, action, lambda _: True):
                yield Successor(action, parameters, self.number(after))

    # -- the execution on which one walks

    @property
    def current(self) -> int:
        """The state where one stands. Raises UsageError if it is one of several initial states."""
        if not self.path:
            initial = self.initial
            if len(initial) != 1:
                words = f"{self.name} has {len(initial)} initial states: begin at one of them (go)"
                raise UsageError(words)
            self.go(initial[0])
        return self.path[self.at].state

    @property
    def before(self) -> State | None:
        """The state before the current one, on the path; None at its beginning."""
        return self.state(self.path[self.at - 1].state) if self.path and self.at else None

    def go(self, number: int) -> None:
        """Begin a new path at a state."""
        self.state(number)
        self.path, self.at = [Visited(number)], 0
        self.begun.setdefault(number)
        self.visited.setdefault(number)

    def take(self, one: Successor) -> None:
        """Step to a successor. What was on the path beyond is dropped, unless it is the same step."""
        visited = Visited(one.state, one.action, one.parameters)
        if self.path[self.at + 1 : self.at + 2] != [visited]:
            self.path[self.at + 1 :] = [visited]
        self.at += 1
        self.visited.setdefault(one.state)

    def find_step(self, action: str | None, parameters: Mapping[str, Any], to: int | None) -> Successor:
        """Return the only step from the current state that is meant. Raises UsageError if it is none, or
        several."""
        if action is not None and action not in self.machine.actions:
            raise make_unknown_name_error(f"action of {self.name}", action, self.machine.actions)
        known = self.successors(self.current)
        fits = [
            one
            for one in known
            if action in (None, one.action) and to in (None, one.state) and self._agrees(one, parameters)
        ]
        targets = {(one.action, one.state) for one in fits}
        if len(targets) == 1:
            return fits[0]
        if not fits:
            raise UsageError(
                f"no step from state {self.current} is meant: ask for successors or why_disabled"
            )
        shown = "; ".join(f"{self.title(one.action, one.parameters)} to {one.state}" for one in fits)
        raise UsageError(
            f"{len(targets)} steps from state {self.current} fit, name one by its state: {cut(shown)}"
        )

    def _agrees(self, one: Successor, parameters: Mapping[str, Any]) -> bool:
        for name, value in parameters.items():
            if name not in one.parameters:
                return False
            own = one.parameters[name]
            if not (self.machine.agrees(own, value) or self.machine.show(own) == value):
                return False
        return True

    def walk(self, steps: int, seed: int) -> Iterator[Successor]:
        """Take random steps, each equally likely. Yields each step after it is taken."""
        chance = random.Random(seed)
        for _ in range(steps):
            known = self.successors(self.current)
            if not known:
                return
            chosen = known[chance.randrange(len(known))]
            self.take(chosen)
            yield chosen

    def title(self, action: str, parameters: Mapping[str, Any]) -> str:
        """Return a step as readers know it: ``Put(key=k1)``."""
        shown = ", ".join(f"{name}={self.machine.show(value)}" for name, value in parameters.items())
        return f"{action}({shown})"


def stamp_of(path: Path) -> Stamp | None:
    """Return the time and size of a file; None if it cannot be read."""
    try:
        about = path.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


def list_files(loaded: Loaded) -> tuple[Path, ...]:
    """Return the files that were read for a specification. A built-in protocol has none."""
    if loaded.source is not None:
        return loaded.source.files
    path = find_python_file(loaded.spec)
    return () if path is None else (path, *modules_beside(path))


def find_python_file(spec: str) -> Path | None:
    """Return the file of a protocol, FILE.py or FILE.py:Class; None for another specification."""
    name = spec if spec.endswith(".py") else spec.rpartition(":")[0]
    return Path(name) if name.endswith(".py") else None


def modules_beside(path: Path) -> dict[Path, str]:
    """Return the modules that were imported from the folder of a protocol, by their files."""
    folder, modules = path.resolve().parent, dict[Path, str]()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and Path(file).parent == folder and not name.startswith("verifier."):
            modules[Path(file)] = name
    return modules


def forget_modules_beside(path: Path) -> None:
    """Let Python import the modules of a protocol's folder again."""
    for name in modules_beside(path).values():
        if name != "__main__":
            del sys.modules[name]


def _without_copies(steps: Iterator[Successor]) -> list[Successor]:
    """Return steps without those that have the same action, parameters and state as another."""
    return list({(s.action, frozenset(s.parameters.items()), s.state): s for s in steps}.values())
