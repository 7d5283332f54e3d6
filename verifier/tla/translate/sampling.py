"""States of a specification that the interpreter finds. The first sorts are guessed from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from random import Random

from verifier.processes.limits import Interrupted
from verifier.tla.begun import Begun
from verifier.tla.exploration_result import State, Taken
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.next_parts import Part, walk_part
from verifier.tla.parameters import find_taken_action
from verifier.tla.specification import Specification, without_traces
from verifier.tla.symmetry import Symmetry
from verifier.tla.translate.sampling_budget import SAMPLING


@dataclass
class Sample:
    """A sample of reachable states."""

    states: list[State]
    initial: list[State]
    all_initial: bool
    """True if these contain all initial states."""
    complete: bool
    """True if these are all reachable states."""
    nearest: int = 0
    """The number of states, from the first, that were found breadth first."""
    ways: int | None = None
    """The number of ways in which Init is true, as TLC counts them; None if it is not known."""
    generated: tuple[int, ...] = ()
    """The number of states generated when all states of depth 0, 1, … were explored."""
    seconds_per_state: float | None = None
    """Processor time for the successors of a state; None if no successors were computed."""
    further: Iterator[list[State]] = field(default_factory=lambda: iter(()))
    """Further states on random walks, a few walks at a time. Nothing has taken these states yet."""
    search: _Search | None = None
    closed: bool = False
    """True if these are all states within the depth and one step beyond (see ``modules.beyond_depth``)."""

    @property
    def checked(self) -> list[State]:
        """Return all states that steps led to so far, also those that a constraint excludes: engines check
        these, too."""
        if self.search is None or not self.search.is_constrained:
            return self.states
        return [*self.states, *self.search.looked_at]

    @property
    def begun(self) -> Begun | None:
        """Return the breadth-first search, to be continued; None if it was interrupted."""
        return None if self.search is None or self.search.ended else self.search.save_state()

    def look_on(self, seconds: float) -> list[State]:
        """Continue the breadth-first search for this processor time. Return the new states, also those that
        a constraint excludes."""
        if self.search is None or self.complete or self.search.ended:
            return []
        self.search.most, self.search.most_generated = (
            SAMPLING.states_of_explore,
            SAMPLING.generated_of_explore,
        )
        known, checked = len(self.search.explorer.states), len(self.search.looked_at)
        with without_traces(self.search.explorer.specification):
            self.complete = self.search.look(time.process_time() + seconds)
        self.generated = tuple(self.search.generated)
        new = list(self.search.explorer.states[known:])
        return [*new, *self.search.looked_at[checked:]] if self.search.is_constrained else new


def sample(
    specification: Specification,
    most: int = SAMPLING.states,
    most_generated: float = inf,
    most_initial: int = SAMPLING.initial,
    depth: int | None = None,
    symmetry: Symmetry | None = None,
    *,
    walks: bool = True,
) -> Sample:
    """Return the first states, breadth first, up to one of the limits, and some states on walks beyond. All
    initial states are among them, unless they exceed ``most_initial``. If no execution of more than ``depth``
    steps matters, the search ends one step beyond, since engines check what each step assigns, and walks have
    at most ``depth`` steps. ``walks``: some are taken at once. Under symmetry, the search takes one state of
    an orbit, but all initial ones. Raises Undefined."""
    with without_traces(specification):
        return _sample(specification, most, most_generated, most_initial, depth, symmetry, walks)


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
    looked_at = _list_checked_states(explorer)
    explorer.assume()
    all_initial = _all_initial(explorer, most_initial)
    began, ways = len(explorer.states), explorer.result.generated if all_initial else None
    if symmetry is not None:
        from verifier.tla.orbits import Orbits

        explorer.known.orbits = Orbits(symmetry.renamings)
        for state in explorer.states:
            explorer.known.orbits.add(state)
    started = time.process_time()
    goes_on, levels = all_initial and specification.next is not None, inf if depth is None else depth + 1
    search = _Search(explorer, looked_at, most, most_generated, levels, *clocks) if goes_on else None
    complete = all_initial and (search is None or search.look(growing=most_generated < inf))
    closed = complete or (search is not None and search.is_at_depth())
    looked, spent = explorer.current + 1, time.process_time() - started
    states, further = list(explorer.states), iter(list[list[State]]())
    if not closed and states and specification.next is not None:
        steps = SAMPLING.steps if depth is None else max(min(SAMPLING.steps, depth), 1)
        stepper, begin = Stepper(specification), states[-50:]
        if walks:
            states += stepper.strolls(begin, SAMPLING.walks, steps)
        else:
            further = islice(
                stepper.walks(begin, SAMPLING.walks_at_once, steps),
                SAMPLING.walks_more * SAMPLING.walks // SAMPLING.walks_at_once,
            )
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
        closed=closed,
    )


def _list_checked_states(explorer: Explorer) -> list[State]:
    """Return the list of states whose invariants a search will have checked. An added invariant fills it."""
    states: list[State] = []

    def tell() -> bool:
        states.append(tuple(explorer.evaluator.now))
        return True

    explorer.invariants.append(("", tell))
    return states


def _all_initial(explorer: Explorer, most: int) -> bool:
    """Find the initial states, also those outside the constraints. Return True if they are at most
    ``most``."""
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
    """The search for the states after the initial ones. It can be continued."""

    def __init__(
        self,
        explorer: Explorer,
        looked_at: list[State],
        most: int,
        most_generated: float,
        levels: float,
        began: float,
        began_cpu: float,
    ) -> None:
        """``looked_at``: all states whose invariants the explorer checks, now and later. ``levels``: those
        that are explored. ``began``, ``began_cpu``: the start of the search for initial states, by the clock
        and by processor time."""
        self.looked_at = looked_at
        self.explorer, self.levels = explorer, levels
        self.most, self.most_generated = most, most_generated
        self.seconds, self.cpu_seconds = time.monotonic() - began, time.process_time() - began_cpu
        self.generated: list[int] = []
        """The number of states generated when all states of each depth were explored."""
        self.initial = self.end = self.level = len(explorer.states)
        self.first = self.number = self.largest = 0
        self.is_constrained = bool(explorer.constraints or explorer.action_constraints)
        self.ended = False
        """True if the search was interrupted, so that it cannot be continued."""
        assert explorer.specification.next is not None
        self.walk = explorer.walks.over(explorer.specification.next, primed=False)
        self.stepper = Stepper(explorer.specification)

        def stop(search: Explorer) -> None:
            if len(search.states) > self.most:
                raise Interrupted("enough")

        explorer.enforce = stop

    def look(self, until: float = inf, *, growing: bool = False) -> bool:
        """Explore states until this processor time. Return True if no states are left. ``growing``: stop also
        if many more states are expected."""
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
                many = len(explorer.states) > self.most or explorer.result.generated > self.most_generated
                if many or self.is_at_depth() or time.process_time() > until:
                    return False
                if self.number >= self.initial or self.stepper.within(explorer.states[self.number]):
                    explorer.current = self.number
                    explorer.expand_state(self.number, self.walk)
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

    def is_at_depth(self) -> bool:
        """True if all levels are explored that matter."""
        return len(self.generated) >= self.levels

    def _next_level(self) -> bool:
        """Record that all states of a depth are explored. Return True if many more states are expected."""
        known = len(self.explorer.states)
        self.level, self.largest = known - self.end, max(self.level, self.largest)
        self.explorer.result.levels.append(self.end - self.first)
        self.first, self.end = self.end, known
        self.generated.append(self.explorer.result.generated)
        return self.level > SAMPLING.growth * self.largest and known > SAMPLING.states_before_growth

    def save_state(self) -> Begun:
        """Return the state of the search, for another explorer to continue."""
        known, result = self.explorer.known, self.explorer.result
        at = (self.first, self.number, self.end)
        return Begun(known, result, self.looked_at, *at, self.seconds, self.cpu_seconds)


class Stepper:
    """Computes successors of single states."""

    def __init__(self, specification: Specification) -> None:
        plain = replace(specification, symmetry=[], view=None)
        self.explorer = Explorer(plain, properties=(), keep_going=True)
        self.evaluator = specification.evaluator
        assert specification.next is not None
        self.walk = self.explorer.walks.over(specification.next, primed=False)

    def begin(self) -> None:
        """Let TLCGet report that evaluation concerns initial states."""
        self.explorer.level, self.explorer.ahead = 0, -1

    def arrive(self, place: int) -> None:
        """Let TLCGet report that evaluation concerns the state after this number of steps."""
        self.explorer.level, self.explorer.ahead = place, 0

    def within(self, state: State) -> bool:
        """True if the constraints allow steps from a state."""
        self.evaluator.now[:] = state
        return all(test() for test in self.explorer.constraints)

    def goes_on(self, state: State, following: State) -> bool:
        """True if the action constraints allow an execution to continue after a step."""
        self.evaluator.now[:], self.evaluator.next[:] = state, following
        return all(test() for test in self.explorer.action_constraints)

    def successors(self, state: State) -> list[State]:
        """Return all successors of a state. Raises Undefined."""
        successors: list[State] = []
        self._visit(state, successors.append)
        return successors

    def find_successors(self, state: State, test: Callable[[State], bool]) -> list[State]:
        """Return the successors that satisfy a test. Raises Undefined, unless one of them is found before: a
        search that ends there does not evaluate the rest."""
        successors: list[State] = []
        try:
            self._visit(state, lambda reached: successors.append(reached) if test(reached) else None)
        except Undefined:
            if not successors:
                raise
        return successors

    def draw_successors(self, state: State, most: int) -> list[State]:
        """Return some successors of a state, drawn at random: a loop over a constant set takes at most this
        number of members with a successor. There are none only if the state has none. Raises Undefined."""
        successors, draw = list[State](), self.evaluator.draw

        def take(reached: State) -> None:
            draw.taken += 1
            successors.append(reached)

        draw.most = most
        try:
            self._visit(state, take)
        finally:
            draw.most = 0
        return successors

    def ways(self, state: State) -> list[tuple[State, str]]:
        """Return each way to take a step: the successor, and the name of the action. Raises Undefined."""
        return self._ways(lambda tell: self._visit(state, tell))

    def ways_by(self, part: Part, state: State) -> list[tuple[State, str]]:
        """Return each way to take a step by a part of Next. Raises Undefined."""

        def visit(tell: Callable[[State], None]) -> None:
            self._set(state)
            walk_part(self.evaluator.actions, part, lambda: tell(self.explorer.walks.capture("Next")))

        return self._ways(visit)

    def _ways(self, visit: Callable[[Callable[[State], None]], None]) -> list[tuple[State, str]]:
        ways: list[tuple[State, str]] = []

        def tell(reached: State) -> None:
            action = self.evaluator.actions.action
            ways.append((reached, action.shown if action is not None else "Next"))

        self.evaluator.actions.action = None
        visit(tell)
        return ways

    def take_steps(self, state: State) -> list[tuple[State, Taken]]:
        """Return each way to take a step: the successor, and the action with its parameters. Raises
        Undefined."""
        steps: list[tuple[State, Taken]] = []
        self.evaluator.actions.action = None
        self._visit(state, lambda reached: steps.append((reached, find_taken_action(self.evaluator.actions))))
        return steps

    def find_enabled(self, state: State) -> set[str]:
        """Return the actions of the steps from a state. Raises Undefined."""
        return {action for _, action in self.ways(state)}

    def actions(self, state: State, following: State) -> dict[str, Taken]:
        """Return the actions that lead from a state to another one, by name. Raises Undefined, unless one is
        found before."""
        actions: dict[str, Taken] = {}

        def compare(reached: State) -> None:
            if reached == following:
                action = find_taken_action(self.evaluator.actions)
                actions.setdefault(action.name, action)

        self.evaluator.actions.action = None
        try:
            self._visit(state, compare)
        except Undefined:
            if not actions:
                raise
        return actions

    def _visit(self, state: State, visit: Callable[[State], None]) -> None:
        """Call ``visit`` with the successor for each way to take a step."""
        self._set(state)
        self.walk(lambda: visit(self.explorer.walks.capture("Next")))

    def _set(self, state: State) -> None:
        self.evaluator.now[:] = state
        self.evaluator.next[:] = [UNSET] * len(state)

    def strolls(self, start: list[State], count: int, steps: int) -> list[State]:
        """Return states on random walks. They are the same in every run."""
        return next(self.walks(start, count, steps))

    def walks(self, start: list[State], count: int, steps: int) -> Iterator[list[State]]:
        """Yield the states of this number of random walks, again and again. They are the same in every
        run."""
        chance = Random(0)
        while True:
            yield self._stroll(chance, start, count, steps)

    def _stroll(self, chance: Random, start: list[State], count: int, steps: int) -> list[State]:
        states: dict[State, None] = {}
        left = SAMPLING.successors
        for _ in range(count):
            state = chance.choice(start)
            for _ in range(steps):
                if left <= 0:
                    return list(states)
                try:
                    following = self.successors(state) if self.within(state) else []
                except Undefined:
                    break
                left -= len(following)
                if not following:
                    break
                before, state = state, chance.choice(following)
                states[state] = None
                if not self.goes_on(before, state):
                    break
        return list(states)
