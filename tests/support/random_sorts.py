"""Random sorts, nested, of a size that can be enumerated."""

from __future__ import annotations

import random
from collections.abc import Mapping
from collections.abc import Sequence as PythonSequence
from types import NoneType
from typing import Any

from verifier.encodings.concrete import FrozenMap, Tagged
from verifier.encodings.plain_terms import Tag
from verifier.encodings.sorts import (
    Bag,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)

_TRIES = 50


def random_sort(rng: random.Random, atoms: PythonSequence[Sort], depth: int, largest: int) -> Sort:
    """A sort nested at most so deep, with two values at least and ``largest`` at most."""
    for _ in range(_TRIES):
        sort = _sort(rng, atoms, depth)
        if 2 <= sort.size <= largest:
            return sort
    return rng.choice([atom for atom in atoms if atom.size <= largest])


def _sort(rng: random.Random, atoms: PythonSequence[Sort], depth: int) -> Sort:
    if depth == 0:
        return rng.choice(atoms)
    inner = _sort(rng, atoms, rng.randint(0, depth - 1))
    match rng.randrange(11):
        case 0:
            return inner if isinstance(inner, Option) else Option(inner)
        case 1:
            return Record(a=inner, b=_sort(rng, atoms, 0))
        case 2:
            return Function(rng.choice(atoms), inner)
        case 3:
            return Function(inner, rng.choice(atoms)) if inner.size <= 4 else Set(inner)
        case 4:
            return Set(inner) if inner.size <= 9 else inner
        case 5:
            return Tuple(inner, _sort(rng, atoms, 0)) if rng.random() < 0.8 else Tuple(inner)
        case 6:
            return Variant(one=inner, other=_sort(rng, atoms, rng.randint(0, 1)), bare=None)
        case 7:
            return PartialFunction(rng.choice(atoms), inner)
        case 8:
            return PartialFunction(inner, rng.choice(atoms)) if inner.size <= 4 else Set(inner)
        case 9:
            return Sequence(inner, rng.randint(1, 2))
        case _:
            return Bag(inner, rng.choice([1, 1, 2])) if inner.size <= 6 else inner


def elements_in(sort: Sort, value: Any) -> list[tuple[IndexSet, Any]]:
    """The elements that a value of the sort is made of, with their index sets."""
    match sort:
        case IndexSet():
            return [(sort, value)]
        case Option():
            return [] if isinstance(value, NoneType) else elements_in(sort.inner, value)
        case Record():
            return [found for name, part in sort.fields for found in elements_in(part, value[name])]
        case Function():
            assert isinstance(value, Mapping)
            return [
                found
                for key, item in value.items()
                for found in (*elements_in(sort.domain, key), *elements_in(sort.range, item))
            ]
        case PartialFunction():
            return [
                found
                for key, item in value.items()
                for found in (*elements_in(sort.domain, key), *elements_in(sort.range, item))
            ]
        case Tuple():
            pairs = zip(sort.items, value, strict=True)
            return [found for part, item in pairs for found in elements_in(part, item)]
        case Variant():
            return elements_in(dict(sort.alternatives)[value.tag], value.payload)
        case Set() | Sequence() | Bag():
            return [found for item in value for found in elements_in(sort.element, item)]
    return []


def move_elements(sort: Sort, value: Any, names: Mapping[tuple[IndexSet, Any], Any]) -> Any:
    """A value with other elements for its own; a second writing of the verifier's renaming."""
    match sort:
        case IndexSet():
            return names.get((sort, value), value)
        case Option():
            return None if isinstance(value, NoneType) else move_elements(sort.inner, value, names)
        case Record():
            return FrozenMap((name, move_elements(part, value[name], names)) for name, part in sort.fields)
        case Tuple():
            return tuple(
                move_elements(part, item, names) for part, item in zip(sort.items, value, strict=True)
            )
        case Variant():
            payload = move_elements(dict(sort.alternatives)[value.tag], value.payload, names)
            return Tagged(value.tag, payload)
        case Function() | PartialFunction():
            return FrozenMap(
                (move_elements(sort.domain, key, names), move_elements(sort.range, item, names))
                for key, item in value.items()
            )
        case Set():
            return frozenset(move_elements(sort.element, item, names) for item in value)
        case Sequence():
            return tuple(move_elements(sort.element, item, names) for item in value)
        case Bag():
            return FrozenMap(
                (move_elements(sort.element, item, names), count) for item, count in value.items()
            )
    return value


def stable(value: Any) -> str:
    """A text to sort values by, the same in every process."""
    match value:
        case frozenset():
            return "{" + ", ".join(sorted(map(stable, value))) + "}"
        case tuple():
            return "<" + ", ".join(map(stable, value)) + ">"
        case Mapping():
            return "(" + ", ".join(sorted(f"{stable(k)}: {stable(v)}" for k, v in value.items())) + ")"
        case Tagged() | Tag():
            return f"{value.tag} {stable(value.payload)}"
    return str(value)
