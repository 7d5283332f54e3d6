"""A limit on the actions in all parallel steps of an execution, as clauses.

Parallel steps see executions with more actions than steps. If only executions up to a number of actions
count, a sequential counter counts their actions, step after step (Sinz 2005, doi:10.1007/11564751_73). At
most one of the instances that write a common field fires in a step, so a group of them counts as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Clauses
from verifier.system.transition_system import Instance


def exclusive_groups(instances: Sequence[Instance]) -> list[list[int]]:
    """The instances, by index, in groups of which at most one fires in a parallel step."""
    left = dict.fromkeys(range(len(instances)))
    groups = []
    while left:
        writers: dict[int, list[int]] = {}
        for index in left:
            for leaf in instances[index].writes:
                writers.setdefault(leaf, []).append(index)
        largest = max(writers.values(), key=len, default=[next(iter(left))])
        groups.append(largest)
        for index in largest:
            del left[index]
    return groups


class ActionLimit:
    """Counts the actions of frame after frame, and allows no more than ``most`` where ``kept`` is true."""

    def __init__(
        self, most: int, groups: Sequence[Sequence[int]], firing: Sequence[int], variables: FrameVariables
    ) -> None:
        self._groups = groups
        self._firing = firing
        self._variables = variables
        self._most = most
        self.kept = variables.fresh()
        """The variable of whether the limit is kept."""
        self._at_least: list[int] = []
        """Entry *i* is the variable that at least *i* + 1 actions were taken so far."""

    @property
    def one_left(self) -> list[int]:
        """The literals that hold if fewer actions were taken so far than are allowed."""
        return [-self._at_least[-1]] if 0 < self._most == len(self._at_least) else []

    def frame(self, number: int) -> Clauses:
        """The clauses that count the actions of a frame, the next one, and keep the limit."""
        clauses: Clauses = []
        for group in self._groups:
            fires = [self._variables.at(self._firing[index], number) for index in group]
            self._count(fires, self._variables.fresh, clauses)
        return clauses

    def _count(self, fires: Sequence[int], fresh: Callable[[], int], clauses: Clauses) -> None:
        one = fires[0] if len(fires) == 1 else fresh()
        if len(fires) > 1:
            clauses += [[-literal, one] for literal in fires]
        before = self._at_least
        after = [fresh() for _ in range(min(len(before) + 1, self._most))]
        for place, register in enumerate(after):
            if place < len(before):
                clauses.append([-before[place], register])
            clauses.append([-one, register] if place == 0 else [-one, -before[place - 1], register])
        if len(before) == self._most:
            clauses.append([-self.kept, -one, *([-before[-1]] if before else [])])
        self._at_least = after
