"""The state graph of a specification: its states and all steps, found by the interpreter."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from verifier.storage.distinct import distinct
from verifier.tla.columns.formulas import ColumnStates, Formulas
from verifier.tla.columns.unsuited import FOUND_AGAIN
from verifier.tla.evaluator import Evaluator
from verifier.tla.exploration_result import State, Taken
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET
from verifier.tla.unfolding import Leaf

_LOG = logging.getLogger(__name__)
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
_BETWEEN_CHECKS = 1024
"""The number of computed values between two checks of the limits."""
_LARGE = 400
"""The fewest states or steps for which formulas are decided by columns: compiling for them takes time."""


class Recorder:
    """Records the steps of an explorer, without stuttering steps."""

    def __init__(self, explorer: Explorer) -> None:
        explorer.follow, explorer.follow_columns = self._follow, self._follow_columns
        self._from: list[int] = []
        self._to: list[int] = []
        self._parts: list[tuple[Numbers, Numbers]] = []

    def _follow(self, one: int, other: int) -> None:
        if one != other:
            self._from.append(one)
            self._to.append(other)

    def _follow_columns(self, sources: Numbers, targets: Numbers) -> None:
        moves = sources != targets
        self._parts.append((sources[moves], targets[moves]))

    def graph(self, explorer: Explorer, check: Callable[[], None]) -> Graph:
        """Return the graph, after the explorer has expanded every state."""
        search, evaluator = explorer.columns.search, explorer.evaluator
        columns = None
        if search is not None:
            columns = ColumnStates(search.columns, search.compiler, search.states)
        states = explorer.states
        # A step counts once, even if several actions take it.
        parts = [*self._parts, (np.array(self._from, np.int64), np.array(self._to, np.int64))]
        froms, tos = (np.concatenate(column) for column in zip(*parts, strict=True))
        sources, targets = np.divmod(distinct(froms * max(len(states), 1) + tos), max(len(states), 1))
        by_columns = partial(_formulas, explorer, columns, check)
        initial = explorer.result.initial
        return Graph(evaluator, states, initial, sources, targets, check, _Levels(explorer), by_columns)


def _formulas(explorer: Explorer, columns: ColumnStates | None, check: Callable[[], None]) -> Formulas | None:
    """Return the decider of formulas by columns; None if columns are not suited."""
    evaluator, variables = explorer.evaluator, explorer.specification.variables
    try:
        by_columns = columns or ColumnStates.of_states(evaluator, variables, explorer.states)
    except FOUND_AGAIN as reason:
        _LOG.info("formulas are not decided by columns: %s", reason)
        return None
    return Formulas(by_columns, evaluator, check)


class ActionRecorder:
    """Records the steps of an explorer with their actions. It needs an explorer without columns."""

    def __init__(self, explorer: Explorer) -> None:
        explorer.follow_action = self._follow
        self._explorer, self._result = explorer, explorer.result
        self._steps: dict[tuple[int, int, str], None] = {}

    def _follow(self, one: int, other: int, taken: Taken) -> None:
        if self._explorer.result is not self._result:  # the search has started again, without permutations
            self._result = self._explorer.result
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
    states: Sequence[State]
    initial: int
    sources: Numbers
    targets: Numbers
    check: Callable[[], None]
    """Raises Interrupted when a limit is reached."""
    arrive: Callable[[int], None]
    """A callback before an evaluation in a state."""
    by_columns: Callable[[], Formulas | None] = lambda: None
    """Returns the decider of formulas for all states or steps at once. None: there is none."""

    @cached_property
    def _formulas(self) -> Formulas | None:
        return self.by_columns()

    def _decide_by_columns(self, leaf: Leaf, count: int, decide: Callable[[Formulas], Mask]) -> Mask | None:
        """Return the truth of a formula by columns; None if the interpreter must decide it."""
        if count < _LARGE or (formulas := self._formulas) is None:
            return None
        try:
            return decide(formulas)
        except FOUND_AGAIN as reason:
            _LOG.info("%s: decided state by state: %s", leaf.body.place, reason)
        values = self.evaluator
        values.now[:], values.next[:] = [UNSET] * len(values.now), [UNSET] * len(values.next)
        return None

    @cached_property
    def _known(self) -> dict[Leaf, Mask]:
        return {}

    def where(self, leaf: Leaf) -> Mask:
        """Return the states in which a formula of a state is true. Raises Undefined."""
        assert leaf.stuttering is None
        mask = self._known.get(leaf)
        if mask is None:
            mask = self._decide_by_columns(
                leaf, len(self.states), lambda by: by.where(leaf.body, leaf.module)
            )
            if mask is not None:
                self._known[leaf] = mask
        if mask is None:
            test, now = self.evaluator.compile_truth(leaf.body, leaf.module), self.evaluator.now
            mask = self._known[leaf] = np.zeros(len(self.states), np.bool_)
            for number, state in enumerate(self.states):
                if number % _BETWEEN_CHECKS == 0:
                    self.check()
                self.arrive(number)
                now[:] = state
                mask[number] = test()
        return mask

    def steps(self, leaf: Leaf, asked: Mask) -> Mask:
        """Return the steps that satisfy a formula of a step, among the given ones. Raises Undefined."""
        assert leaf.stuttering is not None
        which = np.flatnonzero(asked)
        sources, targets = self.sources[which], self.targets[which]
        decided = self._decide_by_columns(
            leaf, len(which), lambda by: by.steps(leaf.body, leaf.module, sources, targets)
        )
        if decided is not None:
            mask = np.zeros(len(self.sources), np.bool_)
            mask[which] = decided
            return mask
        test = self.evaluator.compile_truth(leaf.body, leaf.module)
        now, following, states = self.evaluator.now, self.evaluator.next, self.states
        mask = np.zeros(len(self.sources), np.bool_)
        for count, number in enumerate(which):
            if count % _BETWEEN_CHECKS == 0:
                self.check()
            one = int(self.sources[number])
            self.arrive(one)
            now[:], following[:] = states[one], states[self.targets[number]]
            mask[number] = test()
        return mask
