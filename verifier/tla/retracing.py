"""Steps from known states: the test whether there is one, and the action between two states."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from verifier.tla.exploration_result import State, Taken
from verifier.tla.frames import UNSET, Undefined
from verifier.tla.interpreter import Interpreter
from verifier.tla.parameters import find_taken_action

Walk: TypeAlias = Callable[[Callable[[], None]], None]
"""Calls its argument once for each step from the state that is set in the evaluator."""


class _Enough(Exception):
    """Raised to end a walk."""


def has_a_step(evaluator: Interpreter, walk: Walk, state: State) -> bool:
    """True if a state has a step."""

    def leave() -> None:
        raise _Enough

    _set(evaluator, state)
    try:
        walk(leave)
    except _Enough:
        return True
    return False


def action_between(evaluator: Interpreter, walk: Walk, one: State, other: State) -> Taken | None:
    """Return the first action that leads from a state to the other; None if no step does."""
    actions: list[Taken] = []

    def compare() -> None:
        if not actions and tuple(evaluator.next) == other:
            actions.append(find_taken_action(evaluator.actions))

    _set(evaluator, one)
    try:
        walk(compare)
    except Undefined:  # by an expression that TLC no longer evaluates
        if not actions:
            raise
    return actions[0] if actions else None


def _set(evaluator: Interpreter, state: State) -> None:
    evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
    evaluator.actions.action = None
