"""Guidance of random executions of a module: they restart where values were new, and prefer seldom actions.

It is `engines/guided_walks` for the interpreter: states are values, and no solver looks ahead. A feature is
the value of a variable, of a part of it, or of two variables together. A step is one by a part of Next
(``tla/next_parts``): parts are tried in a random order until one has a step to another state. Some walks go
from an initial state to the depth: where limits end all executions, length matters most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from verifier.tla.exploration_result import State
from verifier.tla.value_types import Fn, Value

STEPS = 32
"""The actions from one restart to the next."""
_KEPT, _KEPT_PER_WALK = 400, 3
_WHOLE, _FRESH, _EVEN = 0.25, 0.2, 0.2
"""The shares of walks that go from an initial state to the depth; of others that begin in an initial state;
and of others that choose without a preference."""
_EVEN_WHOLE = 0.5
"""The share of walks to the depth that choose without a preference."""
_PAIRS = 24
"""The most pairs of variables of which the values together are a feature."""
_PARTS = 2
"""The nesting of functions and records whose parts are features."""
_UNLIKED = 0.01
"""The preference for an action that a walk nearly switches off, and the shares of such actions and parts."""
_SHARE_UNLIKED, _SHARE_UNLIKED_PARTS = 0.25, 0.1
_COMPARES = 0.5
"""The share of steps for which two successors are computed. The more novel one is taken."""
_STEP_WEIGHT = 5.0
"""The weight of the disjunct with the variables that change, beside that of a value."""
_MOST_VALUES = 200_000
"""The most values of variables of which the features are remembered."""

Label = tuple[str, Hashable]
"""The name of an action, and the place of a disjunct in it."""
Way = tuple[State, str]
"""A successor, and the name of the action."""
Compute = Callable[[int], Sequence[Way]]
"""Computes the ways to take a step by a part of Next."""


@dataclass
class _Kept:
    """A promising state, by the states on the way to it."""

    path: tuple[State, ...]
    features: tuple[int, ...]
    chosen: int = 0


class Guide:
    """Chooses where walks begin and the parts of Next that they take."""

    def __init__(self, chance: Random, initial: Sequence[State], labels: Sequence[Label]) -> None:
        """``labels``: for each part of Next the disjunct that it belongs to."""
        self._chance, self._initial, self._labels = chance, initial, labels
        self._features_of = _Features(chance, len(initial[0]))
        self._taken = dict.fromkeys(labels, 0)
        self._kept: list[_Kept] = []
        self._places: set[State] = set()
        self._liked: list[float] = []
        self._whole = self._even = True
        self._reached: list[tuple[float, int, State]] = []
        """The novelty of the states of this walk, their places, and the states."""
        self.restarts = self.deepest = 0

    def begin(self) -> list[State]:
        """Return the states up to that in which the next walk begins."""
        chance = self._chance
        self._reached, self._whole = [], chance.random() < _WHOLE
        self._even = chance.random() < (_EVEN_WHOLE if self._whole else _EVEN)
        self._liked = [] if self._even else self._draw_preferences()
        if self._whole or not self._kept or chance.random() < _FRESH:
            return [chance.choice(self._initial)]
        weights = [self._novelty(one.features) / (1 + one.chosen) for one in self._kept]
        kept = chance.choices(self._kept, weights)[0]
        kept.chosen += 1
        self.restarts += 1
        return list(kept.path)

    def _draw_preferences(self) -> list[float]:
        """Return a preference for each part. A few disjuncts and parts are nearly switched off."""
        chance, of_label = self._chance, dict[Label, float]()
        for label in self._taken:
            unliked = chance.random() < _SHARE_UNLIKED
            of_label[label] = _UNLIKED if unliked else math.exp(chance.gauss(0.0, 1.2))
        numbers = Counter(self._labels)
        return [
            of_label[label] / numbers[label] * (_UNLIKED if chance.random() < _SHARE_UNLIKED_PARTS else 1.0)
            for label in self._labels
        ]

    def limit(self, begun: int, depth: int) -> int:
        """Return the most actions of a walk that begins after ``begun`` actions."""
        return depth if self._whole else min(depth, begun + STEPS)

    def step(self, state: State, compute: Compute, goes_on: Callable[[State], bool]) -> Way | None:
        """Return a step to another state; None if there is none. Of two successors, the one with more novel
        values is taken. A state where the walk ends is taken only if there is no other."""
        wanted = 2 if not self._even and self._chance.random() < _COMPARES else 1
        some, last = list[tuple[Way, Label]](), list[tuple[Way, Label]]()
        for number in self._order():
            others = [way for way in compute(number) if way[0] != state]
            if not others:
                continue
            way = self._chance.choice(others)
            (some if goes_on(way[0]) else last).append((way, self._labels[number]))
            if len(some) == wanted:
                break
        steps = some or last[:1]
        if not steps:
            return None
        chosen, label = steps[0] if len(steps) == 1 else max(steps, key=lambda one: self._worth(state, one))
        self._taken[label] += 1
        self._features_of.count([self._features_of.of_step(label, state, chosen[0])])
        return chosen

    def _worth(self, state: State, step: tuple[Way, Label]) -> float:
        (other, _), label = step
        features = self._features_of(other)
        own = self._features_of.of_step(label, state, other)
        return self._novelty(features) + _STEP_WEIGHT * self._novelty([own])

    def _order(self) -> Iterator[int]:
        """Yield the parts, the preferred ones likely first."""
        chance, count = self._chance, len(self._labels)
        if self._even:
            yield from chance.sample(range(count), count)
            return
        taken, labels = self._taken, self._labels
        # The smallest of exponentially distributed times is that of a part with the chance of its weight.
        times = [
            -math.log(1.0 - chance.random()) / liked * math.sqrt(1 + taken[label])
            for liked, label in zip(self._liked, labels, strict=True)
        ]
        yield from sorted(range(count), key=times.__getitem__)

    def arrive(self, state: State, place: int) -> None:
        """Note that the walk has come to a state from which it can go on."""
        features = self._features_of(state)
        self._features_of.count(features)
        if state not in self._places:
            self._reached.append((self._novelty(features), place, state))

    def end(self, path: Sequence[State]) -> None:
        """Keep the most novel states of the walk that ends."""
        self.deepest = max(self.deepest, len(path) - 1)
        best = sorted(self._reached, key=lambda one: (-one[0], one[1]))[:_KEPT_PER_WALK]
        for _, place, state in best:
            if state not in self._places:
                self._places.add(state)
                self._kept.append(_Kept(tuple(path[: place + 1]), self._features_of(state)))
        if len(self._kept) > 2 * _KEPT:
            self._kept.sort(key=lambda one: -self._novelty(one.features) / (1 + one.chosen))
            del self._kept[_KEPT:]

    def _novelty(self, features: Sequence[int]) -> float:
        return self._features_of.novelty(features)


class _Features:
    """The features of states, numbered, and how often they were seen."""

    def __init__(self, chance: Random, variables: int) -> None:
        pairs = list(combinations(range(variables), 2))
        self._pairs = chance.sample(pairs, min(_PAIRS, len(pairs)))
        self._numbers: dict[Hashable, int] = {}
        self._weights: list[float] = []
        """For each feature, one divided by one more than the times that it was seen."""
        self._of_value: list[dict[Value, tuple[int, ...]]] = [{} for _ in range(variables)]
        self._remembered = 0

    def __call__(self, state: State) -> tuple[int, ...]:
        """Return the numbers of a state's features. The first of a variable is that of its whole value."""
        parts = [self._of_variable(place, value) for place, value in enumerate(state)]
        features = [number for numbers in parts for number in numbers]
        number_of = self._number
        features += [number_of((one, other, parts[one][0], parts[other][0])) for one, other in self._pairs]
        return tuple(features)

    def of_step(self, label: Label, state: State, other: State) -> int:
        """Return the number of the feature of a step: its disjunct, and the variables that change."""
        changed = tuple(place for place, value in enumerate(other) if value != state[place])
        return self._number((label, changed))

    def _of_variable(self, place: int, value: Value) -> tuple[int, ...]:
        known = self._of_value[place]
        feature = known.get(value)
        if feature is None:
            feature = tuple(self._number(part) for part in _parts((place,), value, _PARTS))
            if self._remembered < _MOST_VALUES:
                self._remembered += 1
                known[value] = feature
        return feature

    def _number(self, feature: Hashable) -> int:
        number = self._numbers.get(feature)
        if number is None:
            number = self._numbers[feature] = len(self._weights)
            self._weights.append(1.0)
        return number

    def count(self, features: Sequence[int]) -> None:
        """Note that a state was seen."""
        weights = self._weights
        for number in features:
            weight = weights[number]
            weights[number] = weight / (1.0 + weight)

    def novelty(self, features: Sequence[int]) -> float:
        """Return the sum of the weights."""
        return sum(map(self._weights.__getitem__, features))


def _parts(path: tuple[Hashable, ...], value: Value, depth: int) -> Iterator[Hashable]:
    """Yield a value with the path to it, and the parts of functions and records."""
    yield (path, value)
    if depth and isinstance(value, Fn):
        for key, part in value.items():
            yield from _parts((*path, key), part, depth - 1)
    elif depth and isinstance(value, frozenset):
        yield from ((path, "has", member) for member in value)
