"""Shortening of executions that the interpreter met on random walks.

Stretches of actions are left out, each with all later actions that are not enabled without them. What is left
still ends in the violation, and the interpreter replays it like any other execution.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from verifier.tla.exploration_result import State, Taken

_MOST_STATES = 3_000
"""The most states whose successors are computed: a few seconds of the interpreter."""

_Action = tuple[str, frozenset[tuple[str, Hashable]]]


class Shortener:
    """Shortens executions, and remembers the successors of their states."""

    def __init__(
        self, steps: Callable[[State], Sequence[tuple[State, Taken]]], violates: Callable[[State], bool]
    ) -> None:
        self._steps, self._violates = steps, violates
        self._known: dict[State, dict[_Action, list[State]]] = {}

    def shorten(self, states: Sequence[State]) -> list[State]:
        """Return an execution with at most as many states that ends in a violation. It begins in the same
        state."""
        kept = list(states)
        size = max(1, len(kept) // 2)
        while True:
            before, end = len(kept), len(kept) - 1
            while end > 0 and len(self._known) < _MOST_STATES:
                actions = [self._action(*pair) for pair in pairwise(kept)]
                shorter = self._perform(kept[0], actions[: max(0, end - size)] + actions[end:])
                if shorter is not None and len(shorter) < len(kept):
                    kept = shorter
                end = min(end - size, len(kept) - 1)
            if len(self._known) >= _MOST_STATES or (size == 1 and len(kept) == before):
                return kept
            size = max(1, size // 2)

    def _perform(self, state: State, actions: Sequence[_Action]) -> list[State] | None:
        """Take the actions that are enabled, one after the other, up to the first violation; None if there is
        none."""
        path, places = [state], {state: 0}
        for action in actions:
            if self._violates(path[-1]):
                return path
            following = self._successors(path[-1]).get(action)
            if not following:
                continue
            back = places.get(following[0])
            if back is not None:  # a cycle
                path = path[: back + 1]
                places = {seen: place for seen, place in places.items() if place <= back}
                continue
            places[following[0]] = len(path)
            path.append(following[0])
        return path if self._violates(path[-1]) else None

    def _action(self, state: State, following: State) -> _Action:
        return next(action for action, reached in self._successors(state).items() if following in reached)

    def _successors(self, state: State) -> dict[_Action, list[State]]:
        successors = self._known.get(state)
        if successors is None:
            successors = self._known[state] = {}
            for reached, taken in self._steps(state):
                successors.setdefault((taken.name, frozenset(taken.parameters.items())), []).append(reached)
        return successors
