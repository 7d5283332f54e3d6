"""The state graph of a specification: its states and all steps, found by the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from verifier.tla.evaluator import Evaluator
from verifier.tla.explorer import Explorer
from verifier.tla.found import State, Taken
from verifier.tla.unfolding import Leaf

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
_BETWEEN_CHECKS = 1024
"""The number of computed values between two checks of the limits."""


class Recorder:
    """Records the steps of an explorer, without stuttering steps."""

    def __init__(self, explorer: Explorer) -> None:
        explorer.follow = self._follow
        self._from: list[int] = []
        self._to: list[int] = []

    def _follow(self, one: int, other: int) -> None:
        if one != other:
            self._from.append(one)
            self._to.append(other)

    def graph(self, explorer: Explorer, check: Callable[[], None]) -> Graph:
        """Return the graph, after the explorer has expanded every state."""
        states = explorer.states
        # A step counts once, even if several actions take it.
        keys = np.array(self._from, np.int64) * max(len(states), 1) + np.array(self._to, np.int64)
        sources, targets = np.divmod(np.unique(keys), max(len(states), 1))
        initial = explorer.found.initial
        return Graph(explorer.evaluator, states, initial, sources, targets, check, _Levels(explorer))


class ActionRecorder:
    """Records the steps of an explorer with their actions. It needs an explorer without columns."""

    def __init__(self, explorer: Explorer) -> None:
        explorer.follow_action = self._follow
        self._explorer, self._found = explorer, explorer.found
        self._steps: dict[tuple[int, int, str], None] = {}

    def _follow(self, one: int, other: int, taken: Taken) -> None:
        if self._explorer.found is not self._found:  # the search has started again, without permutations
            self._found = self._explorer.found
            self._steps.clear()
        self._steps[one, other, taken.title(self._explorer.evaluator.order)] = None

    @property
    def steps(self) -> list[tuple[int, int, str]]:
        """Return each step once: the numbers of its states, and the action with its parameters."""
        return list(self._steps)


class _Levels:
    """Makes TLCGet answer about a state as during the search."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer, self.answers = explorer, explorer.evaluator.answers
        self.depths: list[int] = []
        for parent in explorer.known.parents:
            self.depths.append(0 if parent < 0 else self.depths[parent] + 1)

    def __call__(self, number: int) -> None:
        self.explorer.evaluator.answers = self.answers
        self.explorer.level, self.explorer.ahead = self.depths[number], 0


@dataclass(frozen=True, eq=False)
class Graph:
    """States, of which the first are initial, and the steps that change the state, sorted by source."""

    evaluator: Evaluator
    states: list[State]
    initial: int
    sources: Numbers
    targets: Numbers
    check: Callable[[], None]
    """Raises Interrupted when a limit is reached."""
    arrive: Callable[[int], None]
    """A callback before an evaluation in a state."""

    @cached_property
    def _known(self) -> dict[Leaf, Mask]:
        return {}

    def where(self, leaf: Leaf) -> Mask:
        """Return the states in which a formula of a state is true. Raises Undefined."""
        assert leaf.stuttering is None
        found = self._known.get(leaf)
        if found is None:
            test, now = self.evaluator.compiled_truth(leaf.body, leaf.module), self.evaluator.now
            found = self._known[leaf] = np.zeros(len(self.states), np.bool_)
            for number, state in enumerate(self.states):
                if number % _BETWEEN_CHECKS == 0:
                    self.check()
                self.arrive(number)
                now[:] = state
                found[number] = test()
        return found

    def steps(self, leaf: Leaf, asked: Mask) -> Mask:
        """Return the steps that satisfy a formula of a step, among the given ones. Raises Undefined."""
        assert leaf.stuttering is not None
        test = self.evaluator.compiled_truth(leaf.body, leaf.module)
        now, following, states = self.evaluator.now, self.evaluator.next, self.states
        found = np.zeros(len(self.sources), np.bool_)
        for count, number in enumerate(np.flatnonzero(asked)):
            if count % _BETWEEN_CHECKS == 0:
                self.check()
            one = int(self.sources[number])
            self.arrive(one)
            now[:], following[:] = states[one], states[self.targets[number]]
            found[number] = test()
        return found
