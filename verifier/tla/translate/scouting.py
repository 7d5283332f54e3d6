"""The search for states that need wider sorts, before the translation.

Values grow along executions: the first states, breadth first, have short logs and small numbers. So walks
start again where a value was new, and prefer steps to new values. An engine finds the values that walks miss,
at the cost of another translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from verifier.encodings.sorts import Sort
from verifier.tla.exploration_result import State
from verifier.tla.frames import Undefined
from verifier.tla.translate.coding import Names, NotInSort
from verifier.tla.translate.sampling import Stepper
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.value_types import NoValue, Value


class Scout:
    """Finds new values on random walks.

    It has shapes of its own, so that each new value counts, even if the sample contains it. Its results need
    not be exact, since sorts are checked later.
    """

    def __init__(self, stepper: Stepper, names: Names, initial: Sequence[State]) -> None:
        self.stepper, self.names, self.initial = stepper, names, initial
        self.shapes = [Shape() for _ in initial[0]]
        self.sorts: list[Sort] = []
        self.fitting: list[set[Value]] = [set() for _ in self.shapes]
        self.looked_at = self.generated = 0

    def widen(self, shapes: Iterable[Shape], steps: int) -> None:
        """Add to shapes the values on walks from the initial states, of at most this number of steps. It ends
        silently if an expression has no value or no sort: the later search reports it."""
        try:
            self._walk_often(steps)
        except (Undefined, NoValue, NoShape):
            return
        for shape, own in zip(shapes, self.shapes, strict=True):
            shape.merge(own)

    def _walk_often(self, steps: int) -> None:
        self._add(self.initial)
        chance, news = Random(0), list[tuple[State, int]]()
        allowed = SAMPLING.scouted
        while (
            self.looked_at < min(allowed, SAMPLING.scouted_at_most)
            and self.generated < SAMPLING.scouted_successors
        ):
            again = bool(news) and chance.random() < 0.7
            state, depth = (
                chance.choice(news[-SAMPLING.scouting_starts :])
                if again
                else (chance.choice(self.initial), 0)
            )
            for discovery in self._walk(state, depth, steps, chance):
                news.append(discovery)
                allowed = max(allowed, self.looked_at + SAMPLING.scouted_after_news)
            self.looked_at += 1  # a walk may have no step

    def _walk(self, state: State, depth: int, steps: int, chance: Random) -> Iterator[tuple[State, int]]:
        """Yield the new states of a walk, with their depths."""
        idle = 0
        for number in range(depth, steps):
            if idle > SAMPLING.idle_steps or self.generated >= SAMPLING.scouted_successors:
                return
            following = self.stepper.successors(state) if self.stepper.within(state) else []
            self.looked_at += 1
            self.generated += len(following)
            following = [one for one in following if self.stepper.goes_on(state, one)]
            if not following:
                return
            new = self._add_states([one for one in following if not self._fits(one)], chance)
            yield from ((one, number + 1) for one in new)
            idle = 0 if new else idle + 1
            state = chance.choice(new or following)

    def _add_states(self, states: list[State], chance: Random) -> list[State]:
        """Add states to the shapes. Return those that are new even beside the others."""
        chance.shuffle(states)
        new: list[State] = []
        for state in states:
            if len(new) < SAMPLING.scouted_of_state and not self._fits(state):
                self._add([state])
                new.append(state)
        return new

    def _fits(self, state: State) -> bool:
        for value, sort, fitting in zip(state, self.sorts, self.fitting, strict=True):
            if value not in fitting:
                try:
                    self.names.encode(value, sort)
                except NotInSort:
                    return False
                fitting.add(value)
        return True

    def _add(self, states: Sequence[State]) -> None:
        for shape, values in zip(self.shapes, zip(*states, strict=True), strict=True):
            for value in dict.fromkeys(values):
                shape.add(value)
        self.sorts = [sort_of(shape, self.names) for shape in self.shapes]
