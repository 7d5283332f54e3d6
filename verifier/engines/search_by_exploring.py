"""Exploration as one of the searches of bounded model checking.

If there are few states, exploration is the fastest search. It closes each depth by visiting every state, and
its violations have the fewest actions. It ends by itself if there are too many states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from verifier.encodings.elimination import possible_choices
from verifier.engines.bounded_search import (
    ActionsEnabled,
    DepthClosed,
    Event,
    Firing,
    ViolationFound,
)
from verifier.engines.growth import StateBudget
from verifier.processes.limits import Interrupted, Limits
from verifier.system.model import Model
from verifier.system.transition_system import Instance

if TYPE_CHECKING:
    from verifier.engines.explore import Progress

NAME = "explore"
MOST_STATES = 400_000
_MOST_EXPECTED = 2_000_000
"""The limit of states expected to the depth, for an exploration that exceeds the former limit."""
_MOST_MOVES = 3_000
"""Compiling more takes longer than a bounded search needs to begin."""
_SHARE_OF_MEMORY = 4


def share_of(limits: Limits) -> Limits:
    """The share of a run's limits for exploration."""
    return replace(limits, memory=limits.memory // _SHARE_OF_MEMORY if limits.memory else None)


@dataclass(frozen=True)
class ExploringSearch:
    """The depth that must be closed, and the properties."""

    depth: int
    properties: tuple[str, ...]
    symmetry: bool
    limits: Limits


def is_worth_trying(model: Model) -> bool:
    """True if the moves are few enough to compile."""
    moves = 0
    for instance in model.system.instances:
        moves += _choices(model, instance)
        if moves > _MOST_MOVES:
            return False
    return True


def _choices(model: Model, instance: Instance) -> int:
    """Return the number of values that an instance's free parameters may have."""
    if not instance.inputs:
        return 1
    possible = possible_choices(instance.guard, instance.inputs)
    if possible is not None:
        return len(possible)
    return prod(len(leaf.values) for leaf in model.free_layouts[instance.label].leaves)


def search_by_exploring(model: Model, task: ExploringSearch, report: Callable[[Event], None]) -> None:
    """Explores to the depth, or until every property is violated or there are too many states."""
    from verifier.engines.explore import Request, explore  # NumPy takes as long to load as a small proof

    told, levels = Told(model, task.properties, report), _Levels(task.depth)

    def listen(progress: Progress) -> None:
        told.listen(progress)
        levels.look(progress)

    request = Request(
        properties=task.properties,
        max_states=max(MOST_STATES, _MOST_EXPECTED),
        max_depth=task.depth,
        symmetry=task.symmetry,
        limits=share_of(task.limits),
    )
    explored = explore(model, request, listen)
    report(ActionsEnabled(explored.enabled))
    if explored.statistics["complete"]:  # no execution is left at any depth
        told.close_all(task.depth, explored.statistics["exploring_seconds"])


class _Levels:
    """Ends an exploration where many states were found and too many are expected."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._sizes: list[int] = []
        """The number of states at each closed depth."""

    def look(self, progress: Progress) -> None:
        """Takes the states of a depth that is closed. Raises Interrupted."""
        if progress.closed == len(self._sizes):
            self._sizes.append(progress.states - progress.frontier - sum(self._sizes))
        if StateBudget(MOST_STATES, _MOST_EXPECTED).is_exceeded(progress.states, self._sizes, self._depth):
            raise Interrupted(f"more than {_MOST_EXPECTED} states are expected")


class Told:
    """Says what exploration finds in the words of bounded searches."""

    def __init__(self, model: Model, properties: Iterable[str], report: Callable[[Event], None]) -> None:
        self._report = report
        self._numbers = {instance: number for number, instance in enumerate(model.system.instances)}
        self._open = list(properties)
        self._closed = -1

    def listen(self, progress: Progress) -> None:
        """Report the closed depth, and the results."""
        if progress.enabled:
            self._report(ActionsEnabled(progress.enabled))
        self.close(progress.closed, progress.seconds)
        execution = progress.execution
        if execution is not None:
            # Breadth first: whatever takes fewer actions would have been found before.
            self._report(DepthClosed(execution.steps - 1, (execution.violates,), progress.seconds, 0.0))
            firings = tuple(Firing(self._numbers[instance], inputs) for instance, inputs in execution.firings)
            self._report(
                ViolationFound(
                    execution.violates, execution.initial, firings, execution.steps, progress.seconds
                )
            )
            self._open.remove(execution.violates)

    def close(self, depth: int, seconds: float) -> None:
        """Says that a depth is closed."""
        if depth > self._closed and self._open:
            self._closed = depth
            self._report(DepthClosed(depth, tuple(self._open), seconds, 0.0))

    def close_all(self, depth: int, seconds: float) -> None:
        """Says that every depth is closed."""
        if self._open:
            self._report(DepthClosed(depth, tuple(self._open), seconds, 0.0, everywhere=True))
