"""Guidance of random executions of a module: they restart where values were new, and prefer seldom actions.

It is `engines/guided_walks` for the interpreter: states are values, and no solver looks ahead. A feature is
the value of a variable, of a part of it, or of two variables together. A step is one by a part of Next
(``tla/next_parts``): parts are tried in a random order until one has a step to another state. Some walks go
from an initial state to the depth: where limits end all executions, length matters most.

Most walks restart in states of rare kinds. A kind are states that an invariant sees alike
(``tla/property_views``), or to which the same disjunct led. Of these states, those are kept that used up the
least of what seems to be limited, such as failures and elections.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from verifier.tla.exploration_result import State
from verifier.tla.value_types import Fn, Value

STEPS = 32
"""The actions from one restart to the next."""
_KEPT, _KEPT_PER_WALK = 400, 3
_WHOLE, _FRESH, _EVEN = 0.05, 0.2, 0.1
"""The shares of walks that go from an initial state to the depth; of others that begin in an initial state;
and of others that choose without a preference."""
_EVEN_WHOLE = 0.5
"""The share of walks to the depth that choose without a preference."""
_PAIRS = 24
"""The most pairs of variables of which the values together are a feature."""
_PARTS = 2
"""The nesting of functions and records whose parts are features."""
_OF_RARE_KIND = 0.65
"""The share of restarts in states of a rare kind."""
_KEPT_OF_KIND, _KEPT_KINDS_PER_WALK = 6, 3
"""The states that are kept of a kind, and the kinds of which a walk's states are kept."""
_UNLIKED = 0.01
"""The preference for an action that a walk nearly switches off, and the shares of such actions and parts."""
_SHARE_UNLIKED, _SHARE_UNLIKED_PARTS = 0.25, 0.1
_SCARCE, _SHARE_SAVED = 8, 0.5
"""The most steps by a disjunct in any path, up to which something may limit them, and the share of walks that
save them for later."""
_MOST_COST = 300.0
"""The limit of the logarithm of costs."""
_IDLE, _TRIES_IDLE = 300, 0.1
"""The states without a step after which a part is tried last, and the share of steps in which it is not."""
_COMPARES = 0.5
"""The share of steps for which two successors are computed. The more novel one is taken."""
_MOST_OF_GROUP = 200
"""The values of a part of a variable that may be novel. What has more is new in nearly each state, as
messages are, and says nothing."""
_NOISE = 1e-9
"""The weight of others."""
_STEP_WEIGHT = 5.0
"""The weight of the disjunct with the variables that change, beside that of a value."""
_KIND_WEIGHT = 10.0
"""The weight of the rarity of a state's kind, beside that of a value."""
_MOST_VALUES = 200_000
"""The most values of variables of which the features are remembered."""

Label = tuple[str, Hashable]
"""The name of an action, and the place of a disjunct in it."""
Way = tuple[State, str]
"""A successor, and the name of the action."""
Compute = Callable[[int], Sequence[Way]]
"""Computes the ways to take a step by a part of Next."""


@dataclass(eq=False)
class _Kept:
    """A promising state, by the states on the way to it."""

    path: tuple[State, ...]
    taken: tuple[Label, ...]
    """The disjuncts of the steps of the path."""
    features: tuple[int, ...]
    chosen: int = 0
    cost: tuple[int, float] = (-1, 0.0)
    """The number of the counts for which the cost of the path was computed, and the cost."""


@dataclass
class _Kind:
    """A kind of states: those that an invariant sees alike."""

    visits: int = 0
    chosen: int = 0
    kept: list[_Kept] = field(default_factory=list)

    def weight(self, cost: Callable[[_Kept], float]) -> float:
        """Return how much walks like to begin there."""
        weight = (1 + self.chosen) ** -0.5 * (1 + self.visits) ** -0.75 * min(map(cost, self.kept)) ** -0.25
        return float(weight)

    def keep(self, kept: _Kept, cost: Callable[[_Kept], float]) -> None:
        """Keep a state, and those with cheap paths in which few walks began. One in which a walk began is
        kept again: with several entries, cheap states are chosen more often."""
        self.kept.append(kept)
        if len(self.kept) > _KEPT_OF_KIND:
            self.kept.remove(max(self.kept, key=lambda one: cost(one) * math.sqrt(1 + one.chosen)))

    def choose(self, chance: Random, cost: Callable[[_Kept], float]) -> _Kept:
        """Return a state in which a walk begins."""
        self.chosen += 1
        weights = [1.0 / (1 + one.chosen) / cost(one) for one in self.kept]
        return chance.choices(self.kept, weights)[0]


class Guide:
    """Chooses where walks begin and the parts of Next that they take."""

    def __init__(
        self,
        chance: Random,
        initial: Sequence[State],
        labels: Sequence[Label],
        views: Callable[[State], Sequence[Hashable]] = lambda _: (),
    ) -> None:
        """``labels``: for each part of Next the disjunct that it belongs to. ``views``: the views of a
        state that invariants have."""
        self._chance, self._initial, self._labels = chance, initial, labels
        self._views, self._kinds = views, dict[Hashable, _Kind]()
        self._seen: dict[Hashable, tuple[int, State]] = {}
        """For each kind the first state of this walk, with its place."""
        self._features_of = _Features(chance, len(initial[0]))
        self._taken = dict.fromkeys(labels, 0)
        self._path = list[Label]()
        """The disjuncts of all steps of this walk."""
        self._most = Counter[Label]()
        """For each disjunct the most steps by it in a path."""
        self._version = 0
        """The number of changes of these."""
        self._idle: list[float] = [0.0] * len(labels)
        """For each part the states in which it had no step; minus infinity once it had one."""
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
        self._seen.clear()
        self._path = []
        self._reached, self._whole = [], chance.random() < _WHOLE
        self._even = chance.random() < (_EVEN_WHOLE if self._whole else _EVEN)
        self._liked = [] if self._even else self._draw_preferences()
        if self._whole or not self._kept or chance.random() < _FRESH:
            return [chance.choice(self._initial)]
        kept = self._choose_kept()
        kept.chosen += 1
        self._path = list(kept.taken)
        self.restarts += 1
        return list(kept.path)

    def _choose_kept(self) -> _Kept:
        """Return a state of a rare kind, or one with novel values."""
        chance = self._chance
        kinds = [kind for kind in self._kinds.values() if kind.kept]
        if kinds and chance.random() < _OF_RARE_KIND:
            kind = chance.choices(kinds, [kind.weight(self._cost) for kind in kinds])[0]
            return kind.choose(chance, self._cost)
        weights = [self._novelty(one.features) / (1 + one.chosen) for one in self._kept]
        return chance.choices(self._kept, weights)[0]

    def _cost(self, kept: _Kept) -> float:
        """Return how much of what limits actions a path has used up: of each disjunct the share of the most
        steps that any path has taken by it. What a module counts to a small limit, such as failures, is
        missing later."""
        version, cost = kept.cost
        if version != self._version:
            taken, most = Counter(kept.taken), self._most
            used = [number / most[one] for one, number in taken.items() if most[one] <= _SCARCE]
            cost = math.exp(min(3.0 * math.fsum(used) + len(kept.path) / 50, _MOST_COST))
            kept.cost = self._version, cost
        return cost

    def _draw_preferences(self) -> list[float]:
        """Return a preference for each part. A few disjuncts and parts are nearly switched off."""
        chance, of_label = self._chance, dict[Label, float]()
        for label in self._taken:
            scarce = 0 < self._most[label] <= _SCARCE
            unliked = chance.random() < (_SHARE_SAVED if scarce else _SHARE_UNLIKED)
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
        for number in self._idle_last(self._order()):
            ways = compute(number)
            self._idle[number] = -math.inf if ways else self._idle[number] + 1
            others = [way for way in ways if way[0] != state]
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
        self._path.append(label)
        self._features_of.count([self._features_of.of_step(label, state, chosen[0])])
        return chosen

    def _idle_last(self, order: Iterator[int]) -> Iterator[int]:
        """Yield the parts; in most steps those last that never had a step, in many states."""
        if self._chance.random() < _TRIES_IDLE:
            yield from order
            return
        idle = list[int]()
        for number in order:
            if self._idle[number] > _IDLE:
                idle.append(number)
            else:
                yield number
        yield from idle

    def _worth(self, state: State, step: tuple[Way, Label]) -> float:
        (other, _), label = step
        features = self._features_of(other)
        own = self._features_of.of_step(label, state, other)
        views = [self._kinds.get(view) for view in self._views(other)]
        rare = max((1 + (0 if kind is None else kind.visits)) ** -0.5 for kind in views) if views else 0.0
        return self._novelty(features) + _STEP_WEIGHT * self._novelty([own]) + _KIND_WEIGHT * rare

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
        for view in (*self._views(state), *self._path[place - 1 : place]):
            kind = self._kinds.get(view)
            if kind is None:
                kind = self._kinds[view] = _Kind()
            kind.visits += 1
            if view not in self._seen:
                self._seen[view] = (place, state)

    def end(self, path: Sequence[State]) -> None:
        """Keep the most novel states of the walk that ends."""
        self.deepest = max(self.deepest, len(path) - 1)
        if not Counter(self._path) <= self._most:
            self._most |= Counter(self._path)
            self._version += 1
        rare = sorted(self._seen, key=lambda view: self._kinds[view].visits)[:_KEPT_KINDS_PER_WALK]
        for view in rare:
            place, state = self._seen[view]
            self._kinds[view].keep(self._keep(path, place), self._cost)
        best = sorted(self._reached, key=lambda one: (-one[0], one[1]))[:_KEPT_PER_WALK]
        for _, place, state in best:
            if state not in self._places:
                self._places.add(state)
                self._kept.append(self._keep(path, place))
        if len(self._kept) > 2 * _KEPT:
            self._kept.sort(key=lambda one: -self._novelty(one.features) / (1 + one.chosen))
            del self._kept[_KEPT:]

    def _keep(self, path: Sequence[State], place: int) -> _Kept:
        return _Kept(tuple(path[: place + 1]), tuple(self._path[:place]), self._features_of(path[place]))

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
        self._sizes: dict[Hashable, int] = {}
        """For each group of features, such as the values of one part of a variable, how many were seen."""

    def __call__(self, state: State) -> tuple[int, ...]:
        """Return the numbers of a state's features. The first of a variable is that of its whole value."""
        parts = [self._of_variable(place, value) for place, value in enumerate(state)]
        features = [number for numbers in parts for number in numbers]
        number_of = self._number
        for pair in self._pairs:
            one, other = pair
            features.append(number_of((*pair, parts[one][0], parts[other][0]), pair))
        return tuple(features)

    def of_step(self, label: Label, state: State, other: State) -> int:
        """Return the number of the feature of a step: its disjunct, and the variables that change."""
        changed = tuple(place for place, value in enumerate(other) if value != state[place])
        return self._number((label, changed), label)

    def _of_variable(self, place: int, value: Value) -> tuple[int, ...]:
        known = self._of_value[place]
        feature = known.get(value)
        if feature is None:
            parts = _parts((place,), value, _PARTS)
            feature = tuple([self._number(part, group) for part, group in parts])
            if self._remembered < _MOST_VALUES:
                self._remembered += 1
                known[value] = feature
        return feature

    def _number(self, feature: Hashable, group: Hashable) -> int:
        number = self._numbers.get(feature)
        if number is None:
            number = self._numbers[feature] = len(self._weights)
            self._sizes[group] = size = self._sizes.get(group, 0) + 1
            self._weights.append(1.0 if size <= _MOST_OF_GROUP else _NOISE)
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


def _parts(path: tuple[Hashable, ...], value: Value, depth: int) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield a value with the path to it, and the parts of functions and records, each with its group. Parts
    of a bag of messages, or of another function of structures, are of one group."""
    yield (path, value), path
    if depth and isinstance(value, Fn):
        for key, part in value.items():
            if isinstance(key, Fn | tuple | frozenset):
                yield (path, key, part), (path, "of")
            else:
                yield from _parts((*path, key), part, depth - 1)
    elif depth and isinstance(value, frozenset):
        yield from (((path, "has", member), (path, "has")) for member in value)
