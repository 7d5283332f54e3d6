"""Guidance of random executions of a module: they restart where values were new, and prefer seldom actions.

It is `engines/guided_walks` for the interpreter: states are values, and no solver looks ahead. A feature is
the value of a variable, of a part of it, or of two variables together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from verifier.tla.found import State
from verifier.tla.value_types import Fn, Value

STEPS = 32
"""The actions from one restart to the next."""
_KEPT, _KEPT_PER_WALK = 400, 3
_FRESH, _EVEN = 0.2, 0.2
"""The shares of walks that begin in an initial state, and that choose without a preference."""
_PAIRS = 24
"""The most pairs of variables of which the values together are a feature."""
_PARTS = 2
"""The nesting of functions and records whose parts are features."""
_UNLIKED = 0.01
"""The preference for an action that a walk nearly switches off, and the share of such actions."""
_SHARE_UNLIKED = 0.25


@dataclass
class _Kept:
    """A promising state, by the states on the way to it."""

    path: tuple[State, ...]
    features: tuple[Hashable, ...]
    chosen: int = 0


class Guide:
    """Chooses where walks begin and the actions that they take."""

    def __init__(self, chance: Random, initial: Sequence[State]) -> None:
        self._chance, self._initial = chance, initial
        self._seen = Counter[Hashable]()
        self._taken = Counter[str]()
        self._kept: list[_Kept] = []
        self._places: set[State] = set()
        pairs = list(combinations(range(len(initial[0])), 2))
        self._pairs = chance.sample(pairs, min(_PAIRS, len(pairs)))
        self._liked: dict[str, float] = {}
        self._even = True
        self._reached: list[tuple[float, int, State]] = []
        """The novelty of the states of this walk, their places, and the states."""
        self.restarts = self.deepest = 0

    def begin(self) -> list[State]:
        """Return the states up to that in which the next walk begins."""
        chance = self._chance
        self._liked, self._even, self._reached = {}, chance.random() < _EVEN, []
        if not self._kept or chance.random() < _FRESH:
            return [chance.choice(self._initial)]
        weights = [self._novelty(one.features) / (1 + one.chosen) for one in self._kept]
        kept = chance.choices(self._kept, weights)[0]
        kept.chosen += 1
        self.restarts += 1
        return list(kept.path)

    def choose(self, ways: Sequence[tuple[State, str]]) -> tuple[State, str]:
        """Return one of the ways to take a step. A successor with new values is preferred."""
        if self._even:
            chosen = self._chance.choice(ways)
        else:
            numbers = Counter(action for _, action in ways)
            weights = [self._preference(action) / numbers[action] for _, action in ways]
            some = self._chance.choices(ways, weights, k=2)
            chosen = max(some, key=lambda way: self._novelty(self._features(way[0])))
        self._taken[chosen[1]] += 1
        return chosen

    def _preference(self, action: str) -> float:
        if action not in self._liked:
            unliked = self._chance.random() < _SHARE_UNLIKED
            self._liked[action] = _UNLIKED if unliked else math.exp(self._chance.gauss(0.0, 1.2))
        return self._liked[action] / math.sqrt(1 + self._taken[action])

    def arrive(self, state: State, place: int) -> None:
        """Note that the walk has come to a state from which it can go on."""
        features = self._features(state)
        self._seen.update(features)
        self.deepest = max(self.deepest, place)
        if state not in self._places:
            self._reached.append((self._novelty(features), place, state))

    def end(self, path: Sequence[State]) -> None:
        """Keep the most novel states of the walk that ends."""
        best = sorted(self._reached, key=lambda one: (-one[0], one[1]))[:_KEPT_PER_WALK]
        for _, place, state in best:
            if state not in self._places:
                self._places.add(state)
                self._kept.append(_Kept(tuple(path[: place + 1]), self._features(state)))
        if len(self._kept) > 2 * _KEPT:
            self._kept.sort(key=lambda one: -self._novelty(one.features) / (1 + one.chosen))
            del self._kept[_KEPT:]

    def _novelty(self, features: Sequence[Hashable]) -> float:
        return sum(1.0 / (1 + self._seen[feature]) for feature in features)

    def _features(self, state: State) -> tuple[Hashable, ...]:
        parts = [part for place, value in enumerate(state) for part in _parts((place,), value, _PARTS)]
        return (*parts, *((one, other, state[one], state[other]) for one, other in self._pairs))


def _parts(path: tuple[Hashable, ...], value: Value, depth: int) -> Iterator[Hashable]:
    """Yield a value with the path to it, and the parts of functions and records."""
    yield (path, value)
    if depth and isinstance(value, Fn):
        for key, part in value.items():
            yield from _parts((*path, key), part, depth - 1)
    elif depth and isinstance(value, frozenset):
        yield from ((path, "has", member) for member in value)
