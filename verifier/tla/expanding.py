"""The successors of one state, in a search that keeps them.

A step is checked before the state that it leads to, as in TLC.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.printable import say_count
from verifier.processes.limits import Interrupted
from verifier.tla.ast import Definition
from verifier.tla.begun import BETWEEN_CHECKS
from verifier.tla.exploration_result import State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.known_states import Key
from verifier.tla.parameters import find_taken_action
from verifier.tla.retracing import Walk, has_a_step
from verifier.tla.search_state import SearchState


class ExpandingSearch(SearchState):
    """A search that finds the successors of states one by one."""

    def expand_state(self, number: int, walk: Walk) -> None:
        """Find the successors of a state."""
        if number % BETWEEN_CHECKS == 0:
            self.enforce_limits()
        result, following, walker = self.result, self.evaluator.next, self.evaluator.actions
        state = self.states[number]
        self.evaluator.now[:] = state
        following[:] = [UNSET] * len(following)
        successors: list[tuple[State, Definition | None]] = []
        keep, plain, named = successors.append, self.walks.plain, self.follow_action is not None
        self._actions.clear()

        def add() -> None:
            made = tuple(following)
            for value in made:
                if type(value) not in plain:
                    made = self.walks.capture("Next")
                    break
            keep((made, walker.action))
            if named:
                self._actions.append(find_taken_action(walker))
            if len(successors) % BETWEEN_CHECKS == 0:
                self.enforce_limits()

        walker.action, walker.between, self.walking = None, 0, True
        try:
            walk(add)
        except Undefined:  # TLC has checked the successors before the error
            self.walking = False
            self._take(successors, state, number)
            self.evaluator.now[:], self.walking = state, True
            raise
        self.walking = False
        result.generated += len(successors) + walker.between
        if not successors:
            result.deadlocks += 1
            if self.looks_for_deadlocks and self.deadlock not in result.violations:
                self.violations.add(self.deadlock, number, None)
        taken = result.taken
        for _made, action in successors:
            name = action.shown if action is not None else "Next"
            taken[name] = taken.get(name, 0) + 1
        self._take(successors, state, number)

    def look_for_deadlocks(self, numbers: Iterable[int], walk: Walk) -> None:
        """Check that states which are not expanded have a step."""
        expanded = self.current
        for self.current in numbers:
            if self.current % BETWEEN_CHECKS == 0:
                self.enforce_limits()
            if not has_a_step(self.evaluator, walk, self.states[self.current]):
                self.result.deadlocks += 1
                if self.deadlock not in self.result.violations:
                    self.violations.add(self.deadlock, self.current, None)
        self.current = expanded

    def _take(self, successors: list[tuple[State, Definition | None]], state: State, number: int) -> None:
        now, following, unset = self.evaluator.now, self.evaluator.next, [UNSET] * len(state)
        states, of_steps = self.known, bool(self.steps or self.action_constraints)
        by_row = states.by_row
        steps: dict[tuple[Any, ...], bool] = {}
        self.ahead = 1
        for place, (made, _) in enumerate(successors):
            row = states.row(made) if by_row else None
            key, known = row, states.with_row(row)
            if known is not None:
                made = self.states[known]  # noqa: PLW2901 -- the equal state with the kept values
            if self.possible is not None:
                self.possible.step(state, made)
            within: bool | None = True
            if of_steps:
                step = (made,) if row is None else row  # no two of these are equal
                within = steps.get(step)
                if within is None:
                    within = steps[step] = self.allows_step(state, made, number)
            if within and known is not None and self.always_alike:
                self._report_step(number, known, place)
                continue
            now[:], following[:] = made, unset
            for test in self.constraints:
                within = within and test()
            if not within:
                self.violations.check(made, -1, number, self.invariants)
                self.result.beyond += 1
                continue
            if not by_row:
                key, known = states.find(made)
            if known is None:
                known = self.add_state(made, number, key)
                now[:] = self.states[known]  # the values that are kept
                self.violations.check(made, known, number, self.invariants)
            self._report_step(number, known, place)
        self.ahead = 0

    def _report_step(self, number: int, other: int, place: int) -> None:
        """Report the step to the successor at a place."""
        if self.follow is not None:
            self.follow(number, other)
        if self.follow_action is not None:
            self.follow_action(number, other, self._actions[place])

    def add_state(self, state: State, parent: int, key: Key) -> int:
        """Add a new state under its key. Return its number."""
        number = self.known.add(state, parent, key)
        self.result.distinct += 1
        if self.max_states is not None and number >= self.max_states:
            raise Interrupted(f"more than {say_count(self.max_states, 'state')}")
        return number
