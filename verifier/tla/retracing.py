"""Steps from states that are known: whether there is one, and which action leads from one to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from verifier.tla.evaluator import Evaluator
from verifier.tla.found import State
from verifier.tla.frames import UNSET

Walk: TypeAlias = Callable[[Callable[[], None]], None]
"""Calls what it is given once for each step from the state that is set in the evaluator."""


class _Enough(Exception):
    """What was looked for is found."""


def has_a_step(evaluator: Evaluator, walk: Walk, state: State) -> bool:
    """Whether a state has a step, of which one is enough."""

    def leave() -> None:
        raise _Enough

    _set(evaluator, state)
    try:
        walk(leave)
    except _Enough:
        return True
    return False


def action_between(evaluator: Evaluator, walk: Walk, one: State, other: State) -> str | None:
    """The name of the first action that leads from a state to the other; None if no step does."""
    names: list[str] = []

    def compare() -> None:
        if not names and tuple(evaluator.next) == other:
            action = evaluator.actions.action
            names.append(action.shown if action is not None else "Next")

    _set(evaluator, one)
    walk(compare)
    return names[0] if names else None


def _set(evaluator: Evaluator, state: State) -> None:
    evaluator.now[:], evaluator.next[:] = state, [UNSET] * len(state)
    evaluator.actions.action = None
