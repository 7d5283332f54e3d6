"""States of a specification, found by the interpreter, from which sorts are guessed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from random import Random

from verifier.processes.limits import Interrupted
from verifier.tla.begun import Begun
from verifier.tla.explorer import Explorer
from verifier.tla.found import State, Taken
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.orbits import Orbits
from verifier.tla.parameters import taken
from verifier.tla.specification import Specification
from verifier.tla.symmetry import Symmetry

MOST_SAMPLED = 2_000
MOST_SAMPLED_WIDELY, MOST_GENERATED_WIDELY = 8_000, 40_000
"""Of a module that is explored: what has no more states is explored by the interpreter."""
_GROWING, _GROWN = 1.2, MOST_SAMPLED_WIDELY // 4
"""Where so many states were found, and each level of the search is larger than the one before by so much,
many more are expected to come."""
MOST_INITIAL, MOST_INITIAL_WIDELY = 50_000, 500_000
"""Of more initial states, which sorts they need is what Init says of each variable by itself."""
MOST_INITIAL_SAID = MOST_SAMPLED_WIDELY
"""The same of a module that is explored, where Init does say so, and which ways it has to be true. With more
initial states it has more states than the interpreter explores."""
_WALKS, _STEPS = 30, 60
"""Random walks beyond the first states."""
MOST_WALKS = 4
"""So many times that many, where the walks go on finding values that no sort has yet."""
FEW_WALKS = 6
"""So many are taken at a time, where it is asked what they found."""


@dataclass
class Sample:
    """States that are reachable."""

    states: list[State]
    initial: list[State]
    all_initial: bool
    """Whether these are all initial states."""
    complete: bool
    """Whether these are all states."""
    nearest: int = 0
    """So many of them stand first, and were found breadth first."""
    ways: int | None = None
    """In how many ways Init is true, as TLC counts them; None if that is not known."""
    generated: tuple[int, ...] = ()
    """How many states were generated when all states of a depth had been looked at, for depths 0, 1, …"""
    seconds_per_state: float | None = None
    """Processor time for the successors of a state; None if none were looked for."""
    further: Iterator[list[State]] = field(default_factory=lambda: iter(()))
    """States on random walks beyond those, few walks at a time, where none of them was taken yet."""
    search: _Search | None = None

    @property
    def begun(self) -> Begun | None:
        """The search of the nearest states, to be gone on with; None if it was broken off."""
        return None if self.search is None or self.search.ended else self.search.begun()

    def look_on(self, seconds: float) -> list[State]:
        """Looks at states breadth first for as much processor time; those that it finds."""
        if self.search is None or self.complete or self.search.ended:
            return []
        self.search.most, self.search.most_generated = MOST_SAMPLED_WIDELY, MOST_GENERATED_WIDELY
        known = len(self.search.explorer.states)
        with without_traces(self.search.explorer.specification):
            self.complete = self.search.look(time.process_time() + seconds)
        self.generated = tuple(self.search.generated)
        return self.search.explorer.states[known:]


def sample(
    specification: Specification,
    most: int = MOST_SAMPLED,
    most_generated: float = inf,
    most_initial: int = MOST_INITIAL,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
    *,
    walks: bool = True,
) -> Sample:
    """The first states, breadth first: so many, or until so many were generated; all initial ones, if there
    are not more than so many; and some beyond, at most ``depth`` steps, where no longer executions matter.
    ``walks``: some of those beyond are looked at already.
    Of states that permutations make of each other, one is looked at, but all initial ones are.
    Raises Undefined if one has no value somewhere."""
    with without_traces(specification):
        return _sample(specification, most, most_generated, most_initial, depth, symmetry, walks)


@contextmanager
def without_traces(specification: Specification) -> Iterator[None]:
    """What TLCSet sets and what is printed meanwhile is forgotten: it belongs to the search that follows."""
    evaluator = specification.evaluator
    registers, printed = dict(evaluator.registers), list(evaluator.printed)
    try:
        yield
    finally:
        evaluator.registers.clear()
        evaluator.registers.update(registers)
        evaluator.printed[:] = printed


def _sample(
    specification: Specification,
    most: int,
    most_generated: float,
    most_initial: int,
    depth: int | None,
    symmetry: Symmetry | None,
    walks: bool,
) -> Sample:
    clocks = time.monotonic(), time.process_time()
    plain = replace(specification, symmetry=[], view=None)
    explorer = Explorer(plain, properties=(), keep_going=True, max_states=most_initial)
    looked_at = _told(explorer)
    explorer.assume()
    all_initial = _all_initial(explorer, most_initial)
    began, ways = len(explorer.states), explorer.found.generated if all_initial else None
    if symmetry is not None:
        explorer.known.orbits = Orbits(symmetry.renamings)
        for state in explorer.states:
            explorer.known.orbits.add(state)
    started = time.process_time()
    goes_on = all_initial and specification.next is not None
    search = _Search(explorer, looked_at, most, most_generated, *clocks) if goes_on else None
    complete = all_initial and (search is None or search.look(growing=most_generated < inf))
    looked, spent = explorer.current + 1, time.process_time() - started
    states, further = list(explorer.states), iter(list[list[State]]())
    if not complete and states and specification.next is not None:
        steps = _STEPS if depth is None else max(min(_STEPS, depth), 1)
        stepper, begin = Stepper(specification), states[-50:]
        if walks:
            states += stepper.strolls(begin, _WALKS, steps)
        else:
            further = islice(stepper.walks(begin, FEW_WALKS, steps), MOST_WALKS * _WALKS // FEW_WALKS)
    return Sample(
        states,
        list(explorer.states[:began]),
        all_initial,
        complete,
        nearest=len(explorer.states),
        ways=ways,
        generated=tuple(search.generated) if search is not None else (),
        seconds_per_state=spent / looked if looked else None,
        further=further,
        search=search,
    )


def _told(explorer: Explorer) -> list[State]:
    """The states of which a search will have checked invariants: they are told by an invariant."""
    states: list[State] = []

    def tell() -> bool:
        states.append(tuple(explorer.evaluator.now))
        return True

    explorer.invariants.append(("", tell))
    return states


def _all_initial(explorer: Explorer, most: int) -> bool:
    """Finds the initial states, also those beyond the constraints. Whether they are at most ``most``."""
    within, explorer.constraints = explorer.constraints, []
    try:
        explorer._initial()
    except Interrupted as stop:
        if len(explorer.states) <= most or not str(stop):
            raise
        return False
    finally:
        explorer.constraints, explorer.max_states = within, None
    return True


class _Search:
    """The search for the states after the initial ones, which can be gone on with."""

    def __init__(
        self,
        explorer: Explorer,
        looked_at: list[State],
        most: int,
        most_generated: float,
        began: float,
        began_cpu: float,
    ) -> None:
        """``looked_at``: all states of which the explorer checks invariants, now and later. ``began``: when
        the search for initial states did, by the clock and by processor time."""
        self.looked_at = looked_at
        self.explorer, self.most, self.most_generated = explorer, most, most_generated
        self.seconds, self.cpu_seconds = time.monotonic() - began, time.process_time() - began_cpu
        self.generated: list[int] = []
        """How many states were generated when all states of a depth had been looked at."""
        self.initial = self.end = self.level = len(explorer.states)
        self.first = self.number = self.largest = 0
        self.ended = False
        """Whether it was broken off, so that it cannot be gone on with."""
        assert explorer.specification.next is not None
        self.walk = explorer.walks.over(explorer.specification.next, primed=False)
        self.stepper = Stepper(explorer.specification)

        def stop(found: Explorer) -> None:
            if len(found.states) > self.most:
                raise Interrupted("enough")

        explorer.enforce = stop

    def look(self, until: float = inf, *, growing: bool = False) -> bool:
        """Looks at states until this processor time; ``growing``: or until many more are expected. Whether
        these are all."""
        began, began_cpu = time.monotonic(), time.process_time()
        whole = False
        try:
            complete = self._look(until, growing)
            whole = True
            return complete
        finally:
            self.ended = self.ended or not whole
            self.seconds += time.monotonic() - began
            self.cpu_seconds += time.process_time() - began_cpu

    def _look(self, until: float, growing: bool) -> bool:
        explorer = self.explorer
        try:
            while self.number < len(explorer.states):
                if self.number == self.end and self._next_level() and growing:
                    return False
                if len(explorer.states) > self.most or explorer.found.generated > self.most_generated:
                    return False
                if time.process_time() > until:
                    return False
                if self.number >= self.initial or self.stepper.within(explorer.states[self.number]):
                    explorer.current = self.number
                    explorer._expand(self.number, self.walk)
                self.number += 1
        except Interrupted as stop:
            if not str(stop):  # the limits of the run, which arrive from its watch without a text
                raise
            self.ended = True
            return False
        except Undefined:
            self.ended = True
            return False
        return True

    def _next_level(self) -> bool:
        """All states of a depth were looked at. Whether there are many more to come."""
        known = len(self.explorer.states)
        self.level, self.largest = known - self.end, max(self.level, self.largest)
        self.explorer.found.levels.append(self.end - self.first)
        self.first, self.end = self.end, known
        self.generated.append(self.explorer.found.generated)
        return self.level > _GROWING * self.largest and known > _GROWN

    def begun(self) -> Begun:
        """What was looked at."""
        known, found = self.explorer.known, self.explorer.found
        at = (self.first, self.number, self.end)
        return Begun(known, found, self.looked_at, *at, self.seconds, self.cpu_seconds)


class Stepper:
    """Finds successors of single states."""

    def __init__(self, specification: Specification) -> None:
        plain = replace(specification, symmetry=[], view=None)
        self.explorer = Explorer(plain, properties=(), keep_going=True)
        self.evaluator = specification.evaluator
        assert specification.next is not None
        self.walk = self.explorer.walks.over(specification.next, primed=False)

    def begin(self) -> None:
        """What is evaluated from now on looks at initial states, to TLCGet."""
        self.explorer.level, self.explorer.ahead = 0, -1

    def arrive(self, place: int) -> None:
        """What is evaluated from now on looks at the state after so many steps, to TLCGet."""
        self.explorer.level, self.explorer.ahead = place, 0

    def within(self, state: State) -> bool:
        """Whether the constraints let steps begin in a state."""
        self.evaluator.now[:] = state
        return all(test() for test in self.explorer.constraints)

    def goes_on(self, state: State, following: State) -> bool:
        """Whether the action constraints let an execution go on behind a step."""
        self.evaluator.now[:], self.evaluator.next[:] = state, following
        return all(test() for test in self.explorer.action_constraints)

    def successors(self, state: State) -> list[State]:
        """All successors of a state. Raises Undefined."""
        found: list[State] = []
        self._visit(state, found.append)
        return found

    def ways(self, state: State) -> list[tuple[State, str]]:
        """Each way to take a step, with the action that is taken. Raises Undefined."""
        found: list[tuple[State, str]] = []

        def tell(reached: State) -> None:
            action = self.evaluator.actions.action
            found.append((reached, action.shown if action is not None else "Next"))

        self.evaluator.actions.action = None
        self._visit(state, tell)
        return found

    def enabled(self, state: State) -> set[str]:
        """The actions of the steps from a state. Raises Undefined."""
        return {action for _, action in self.ways(state)}

    def actions(self, state: State, following: State) -> dict[str, Taken]:
        """The actions that lead from a state to another one, by name. Raises Undefined."""
        found: dict[str, Taken] = {}

        def compare(reached: State) -> None:
            if reached == following:
                action = taken(self.evaluator.actions)
                found.setdefault(action.name, action)

        self.evaluator.actions.action = None
        self._visit(state, compare)
        return found

    def _visit(self, state: State, visit: Callable[[State], None]) -> None:
        """Each way to take a step, with the state that it leads to."""
        self.evaluator.now[:] = state
        self.evaluator.next[:] = [UNSET] * len(state)
        self.walk(lambda: visit(self.explorer.walks.captured("Next")))

    def strolls(self, start: list[State], count: int, steps: int) -> list[State]:
        """States on random walks; always the same ones."""
        return next(self.walks(start, count, steps))

    def walks(self, start: list[State], count: int, steps: int) -> Iterator[list[State]]:
        """States on so many random walks, on as many others, and so on; always the same ones."""
        chance = Random(0)
        while True:
            yield self._strolled(chance, start, count, steps)

    def _strolled(self, chance: Random, start: list[State], count: int, steps: int) -> list[State]:
        found: dict[State, None] = {}
        for _ in range(count):
            state = chance.choice(start)
            for _ in range(steps):
                try:
                    following = self.successors(state) if self.within(state) else []
                except Undefined:
                    break
                if not following:
                    break
                before, state = state, chance.choice(following)
                found[state] = None
                if not self.goes_on(before, state):
                    break
        return list(found)
