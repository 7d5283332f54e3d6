"""Permutations of model values, as renamings of the words in sorts.

They are exchanges that may be symmetries, and generators of permutations that are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from verifier.tla.symmetry import Permutation, Renaming, Symmetry
from verifier.tla.translate.coding import Names
from verifier.tla.value_types import ModelValue, Value

_MOST_VALUES = 10
"""The largest set of model values whose exchanges are tried."""


def exchanges(names: Names, sets: Iterable[Iterable[Value]]) -> Iterator[Mapping[str, str]]:
    """Yield a renaming of the words for each exchange of two model values of a set, neighbours first. The
    renaming also covers words for values that contain the model values."""
    for values in sets:
        several = [value for value in values if isinstance(value, ModelValue)]
        if len(several) > _MOST_VALUES:
            continue
        pairs = combinations(range(len(several)), 2)
        for one, other in sorted(pairs, key=lambda pair: pair[1] - pair[0]):
            yield _words(names, several[one], several[other])


def generators(names: Names, symmetry: Symmetry) -> Iterator[Mapping[str, str]]:
    """Yield the renamings of words for permutations that generate the whole group, small ones first."""
    for value in [value for value in names.words if symmetry.touches(value)]:
        for renaming in symmetry.renamings:
            names.word(renaming.of(value))
    moved = list(symmetry.moved)
    group: set[tuple[Value, ...]] = {tuple(moved)}
    chosen: list[Permutation] = []
    for renaming in sorted(symmetry.renamings, key=lambda one: len(one.permutation)):
        if tuple(map(renaming.of, moved)) in group:
            continue
        chosen.append(renaming.permutation)
        waiting = list(group)
        while waiting:
            element = waiting.pop()
            for permutation in chosen:
                made = tuple([permutation.get(value, value) for value in element])
                if made not in group:
                    group.add(made)
                    waiting.append(made)
        words = {word: names.words[renaming.of(value)] for value, word in names.words.items()}
        yield {word: image for word, image in words.items() if image != word}


def _words(names: Names, one: Value, other: Value) -> Mapping[str, str]:
    renaming = Renaming({one: other, other: one})
    words = {}
    for value, word in names.words.items():
        image = names.words.get(renaming.of(value))
        if image is not None and image != word:
            words[word] = image
    return words
