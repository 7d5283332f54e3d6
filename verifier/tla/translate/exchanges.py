"""Exchanges of model values that may change nothing, in the words of sorts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from verifier.tla.symmetry import Renaming
from verifier.tla.translate.coding import Names
from verifier.tla.values import ModelValue, Value

_MOST_VALUES = 10
"""Of larger sets no exchanges are tried."""


def exchanges(names: Names, sets: Iterable[Iterable[Value]]) -> Iterator[Mapping[str, str]]:
    """For each two model values of a set what each word becomes where they are exchanged, neighbours first.
    Words that stand for values with such parts are exchanged too."""
    for values in sets:
        several = [value for value in values if isinstance(value, ModelValue)]
        if len(several) > _MOST_VALUES:
            continue
        pairs = combinations(range(len(several)), 2)
        for one, other in sorted(pairs, key=lambda pair: pair[1] - pair[0]):
            yield _words(names, several[one], several[other])


def _words(names: Names, one: Value, other: Value) -> Mapping[str, str]:
    renaming = Renaming({one: other, other: one})
    found = {}
    for value, word in names.words.items():
        image = names.words.get(renaming.of(value))
        if image is not None and image != word:
            found[word] = image
    return found
