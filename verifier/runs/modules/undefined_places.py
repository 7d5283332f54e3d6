"""The places of undefined values, for errors: the steps to a state, and the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verifier.tla.exploration_result import State
from verifier.tla.explorer import Explorer
from verifier.tla.frames import UNSET
from verifier.tla.itf import show_state
from verifier.tla.specification import Specification

if TYPE_CHECKING:
    pass

_MOST_SHOWN = 600
"""The limit of characters of a state in an error."""


_MOST_STEPS = 40


def whereabouts(spec: Specification, state: State, steps: Sequence[str] | None) -> str:
    """Return the place of an undefined value: the steps to a state and the state. Only the last steps of a
    long execution are shown. ``steps``: None if they are not known."""
    names = [one.name for one in spec.variables]
    shown = show_state(names, state, spec.evaluator.order)
    words = " /\\ ".join(f"{name} = {value}" for name, value in shown.items())
    words = words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN]} …"
    if steps is None:
        return f" (in the state {words})"
    last = [*(["…"] if len(steps) > _MOST_STEPS else []), *steps[-_MOST_STEPS:]]
    listed = f": {', '.join(last)}" if last else ""
    return f" (after {len(steps)} step{'' if len(steps) == 1 else 's'}{listed}; in the state {words})"


def locate_undefined_value(explorer: Explorer) -> str:
    """Return the place where a search met an undefined value."""
    reached = explorer.states[explorer.current] if explorer.current >= 0 else None
    # The evaluated state of an invariant or a constraint may not be among the known states yet.
    state = tuple(explorer.evaluator.now)
    if UNSET in state:
        return ""
    way = [] if reached is None else explorer.known.path(explorer.current)
    way += [state] if state != reached else []
    return whereabouts(explorer.specification, state, explorer.walks.titles(way))
