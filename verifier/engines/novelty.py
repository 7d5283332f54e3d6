"""The novelty of states: how seldom walks have seen the values of their fields, alone and together.

A feature is a small set of fields. Each state has one value of it, and the novelty of a state is the sum
over all features of one divided by the number of times that its value was seen. A state in which a control
variable has a new value, or two of them a new combination, is thus worth more than one that differs in data
only: data have new values all the time, and control variables seldom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.encodings.layout import Leaf
from verifier.explicit.packing import WORD, Rows, words_for

_FEATURES = 64
"""The number of features. Half are single fields if there are so many."""
_MOST_TOGETHER = 4
"""The most fields of one feature."""
_BUCKETS = 12
"""The binary logarithm of the number of counters of a feature."""

Scores = NDArray[np.float64]


class Novelty:
    """Counters of the features. They are drawn at random, so that other seeds look at other combinations."""

    def __init__(self, leaves: Sequence[Leaf], rng: np.random.Generator) -> None:
        self._masks = _draw_features(leaves, rng)
        odd = rng.integers(0, 1 << 63, self._masks.shape, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        self._factors = odd
        self._counts = np.zeros(len(self._masks) << _BUCKETS, np.int64)
        self._first = (np.arange(len(self._masks), dtype=np.intp) << _BUCKETS)[:, np.newaxis]

    def note(self, rows: Rows) -> Scores:
        """Count the values of these states, and return the novelty of each."""
        places = self._places(rows)
        self._counts += np.bincount(places.ravel(), minlength=len(self._counts))
        return self._scores(places)

    def score(self, rows: Rows) -> Scores:
        """Return the novelty of each state as it is by now."""
        return self._scores(self._places(rows))

    def _scores(self, places: NDArray[np.intp]) -> Scores:
        scores: Scores = (1.0 / np.maximum(1, self._counts[places])).sum(axis=0)
        return scores

    def _places(self, rows: Rows) -> NDArray[np.intp]:
        """Return for each feature and state the place of its counter."""
        hashed = np.zeros((len(self._masks), len(rows)), np.uint64)
        for word in range(rows.shape[1]):
            part = rows[:, word] & self._masks[:, word, np.newaxis]
            part ^= part >> np.uint64(32)
            part *= self._factors[:, word, np.newaxis]
            hashed ^= part
        hashed ^= hashed >> np.uint64(29)
        hashed *= self._factors[:, :1]
        hashed >>= np.uint64(WORD - _BUCKETS)
        return hashed.astype(np.intp) + self._first


def _draw_features(leaves: Sequence[Leaf], rng: np.random.Generator) -> Rows:
    """Return for each feature the bits of its fields, as a row."""
    spans, first = [], 0
    for leaf in leaves:
        if leaf.bits:
            spans.append(range(first, first + len(leaf.bits)))
        first += len(leaf.bits)
    chosen = [[int(place)] for place in rng.permutation(len(spans))[: _FEATURES // 2]]
    while spans and len(chosen) < _FEATURES:
        size = int(rng.integers(2, _MOST_TOGETHER + 1))
        chosen.append([int(place) for place in rng.choice(len(spans), min(size, len(spans)), replace=False)])
    masks = np.zeros((len(chosen), words_for(first)), np.uint64)
    for feature, places in enumerate(chosen):
        for bit in (bit for place in places for bit in spans[place]):
            masks[feature, bit // WORD] |= np.uint64(1 << bit % WORD)
    return masks
