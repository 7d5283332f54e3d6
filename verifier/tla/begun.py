"""A search that explored states without properties, for another search to continue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.tla.checks import Test, list_evaluated_formulas
from verifier.tla.exploration_result import ExplorationResult, State
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.known_states import KnownStates
from verifier.tla.violations import Violations

if TYPE_CHECKING:
    from verifier.tla.columns.level_choice import ByColumns
    from verifier.tla.search_state import SearchState

BETWEEN_CHECKS = 128
"""The number of explored or generated states between two checks of the limits."""


@dataclass(frozen=True)
class Begun:
    """The states of a breadth-first search, in order: all initial ones, and the successors of the first
    ones."""

    known: KnownStates
    result: ExplorationResult
    """The result so far. Its levels are those before the level that is being expanded."""
    looked_at: list[State]
    """The states whose invariants a search checks, including those outside the constraints."""
    first: int
    """The first state of the level that is being expanded."""
    number: int
    """The first state that is not yet expanded."""
    end: int
    """The end of the level."""
    seconds: float
    cpu_seconds: float


def alike(search: SearchState, begun: Begun) -> bool:
    """True if a search would find the same states in the same order. It must have no SYMMETRY, no VIEW and no
    properties of steps. No formula may mention the search or have side effects."""
    spec = search.specification
    if spec.symmetry or spec.view is not None or spec.possible or spec.action_constraints or search.steps:
        return False
    if search.max_depth is not None or search.max_states is not None:
        return False
    if search.looks_for_deadlocks and begun.result.deadlocks:
        return False
    analysis = spec.evaluator.analysis
    asked = list_evaluated_formulas(spec, set(search.properties))
    return not any(analysis.of(formula.body, formula.module).changing for formula in asked)


def goes_on(search: SearchState, columns: ByColumns, begun: Begun) -> bool:
    """Let a search continue an equivalent one, as if it had explored these states itself. Return False if it
    must start again: a property is violated, or an initial state is outside the constraints."""
    search.enforce_limits()
    search.known, search.result = begun.known, begun.result
    search.violations = Violations(begun.known, begun.result)
    search.level, search.current = len(begun.result.levels), begun.number - 1
    columns.began -= begun.cpu_seconds
    initial = begun.known.states[: begun.result.initial]
    try:
        hold = _all_true(search, initial, [*search.constraints, *_tests(search.initially)])
        hold = hold and _invariants_hold(search, columns, begun.looked_at)
    except Undefined:  # the search will report it there
        hold = False
    search.result.closed = search.level - 1
    return hold


def _invariants_hold(search: SearchState, columns: ByColumns, states: list[State]) -> bool:
    held = columns.all_hold(states)
    return _all_true(search, states, _tests(search.invariants)) if held is None else held


def _tests(named: list[tuple[str, Test]]) -> list[Test]:
    return [test for _, test in named]


def _all_true(search: SearchState, states: Sequence[State], asked: list[Test]) -> bool:
    """True if all tests are true in all states."""
    if not asked:
        return True
    now, following = search.evaluator.now, search.evaluator.next
    following[:] = [UNSET] * len(following)
    for number, state in enumerate(states):
        if number % BETWEEN_CHECKS == 0:
            search.enforce_limits()
        now[:] = state
        if not all(test() for test in asked):
            return False
    return True
