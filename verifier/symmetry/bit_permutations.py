"""Permutations of interchangeable values as permutations of state bits, where they are exactly that.

With one-hot fields a renaming of elements moves whole bits: the bit "leader of r1 is r2" becomes the bit
"leader of r2 is r1". It fails only where an unused slot is filled with an element that moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as PythonSequence
from itertools import pairwise, permutations, product
from math import factorial
from typing import Any

from pysmt.fnode import FNode

from verifier.encodings.codes import bit_count, code_of
from verifier.encodings.layout import Layout
from verifier.encodings.lowered import children
from verifier.encodings.renaming import Renaming, rename_value
from verifier.encodings.sorts import (
    Boolean,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Sort,
    Tuple,
    Variant,
)
from verifier.symmetry.exchanges import Permutation, find_exchanges
from verifier.system.model import Model
from verifier.system.transition_system import Symmetry

__all__ = ["Permutation", "bit_permutations", "exactly_moved", "is_exact", "permutation_of"]

MOST_IMAGES = 720
"""Index sets beyond this many permutations in all are left as they are."""


def bit_permutations(model: Model, kept: Iterable[FNode] = ()) -> list[Permutation]:
    """The permutations of state bits that change neither the system nor some formulas, which are properties
    or lemmas, or made of them; identity first."""
    choices: list[list[Renaming]] = [[{}]]
    count = 1
    for symmetry in model.system.symmetries:
        images = factorial(len(symmetry.movable))
        if count * images > MOST_IMAGES or not _moves_bits(model.layout, symmetry):
            continue
        choices.append(
            [
                {symmetry.sort: dict(zip(symmetry.movable, image, strict=True))}
                for image in permutations(symmetry.movable)
            ]
        )
        count *= images
    combined = (
        {sort: image for part in parts for sort, image in part.items()} for parts in product(*choices)
    )
    declared = dict.fromkeys(permutation_of(model.layout, renaming) for renaming in combined)
    return _with_exchanges(list(declared), find_exchanges(model, kept))


def _with_exchanges(group: list[Permutation], exchanges: Iterable[Permutation]) -> list[Permutation]:
    """A group of permutations, and what further ones make with it, as long as these are not too many."""
    generators: list[Permutation] = []
    for exchange in exchanges:
        if exchange in group:
            continue
        wider = _generate(group, [*generators, exchange])
        if wider is not None:
            generators.append(exchange)
            group = wider
    return group


def _generate(group: list[Permutation], generators: list[Permutation]) -> list[Permutation] | None:
    """The group that a group generates with others, its own members first; None if it is large."""
    members = dict.fromkeys(group)
    waiting = list(group)
    while waiting:
        one = waiting.pop()
        for other in (*generators, *group):
            made = tuple([other[place] for place in one])
            if made not in members:
                if len(members) == MOST_IMAGES:
                    return None
                members[made] = None
                waiting.append(made)
    return list(members)


def _moves_bits(layout: Layout, symmetry: Symmetry) -> bool:
    """True if every permutation of the elements moves bits. Exchanges of neighbours generate them all."""
    return all(
        is_exact(layout, {symmetry.sort: {one: other, other: one}})
        for one, other in pairwise(symmetry.movable)
    )


def is_exact(layout: Layout, renaming: Renaming) -> bool:
    """True if renaming the elements does no more than to move bits."""
    return all(_fillers_stay(sort, renaming) for sort in layout.sorts.values())


def _fillers_stay(sort: Sort, renaming: Renaming) -> bool:
    """True if what fills unused slots is renamed to itself."""
    for filled in _list_filled(sort):
        default: Any = filled.default
        if rename_value(filled, default, renaming) != default:
            return False
    return all(_fillers_stay(part, renaming) for part in sort.parts())


def _list_filled(sort: Sort) -> PythonSequence[Sort]:
    """The sorts of the parts of which unused ones are filled with defaults."""
    match sort:
        case Sequence():
            return (sort.element,)
        case Option() if not sort.is_scalar:
            return (sort.inner,)
        case PartialFunction():
            return (sort.range,)
        case Variant():
            return sort.parts()
    return ()


def exactly_moved(layout: Layout, renaming: Renaming) -> set[int]:
    """The variables of the fields in which renaming does no more than to move bits."""
    exactly_moved, last = set(), 0
    for name, sort in layout.sorts.items():
        first, last = last + 1, last + sum(1 for _ in _bits(sort, (name,), (name,), renaming))
        if _fillers_stay(sort, renaming):
            exactly_moved |= set(range(first, last + 1))
    return exactly_moved


def permutation_of(layout: Layout, renaming: Renaming) -> Permutation:
    """The image of each bit, if ``is_exact``."""
    places: dict[Any, int] = {}
    images: list[Any] = []
    for name, sort in layout.sorts.items():
        for key, image in _bits(sort, (name,), (name,), renaming):
            places[key] = len(images) + 1
            images.append(image)
    return (0, *(places[image] for image in images))


def _bits(sort: Sort, path: Any, image: Any, renaming: Renaming) -> Iterator[tuple[Any, Any]]:
    """The bits of a field in the order of the layout, each with the one that it becomes."""
    if sort.is_scalar:
        values = list(sort.each())
        inner = sort.inner if isinstance(sort, Option) else sort
        for index in range(bit_count(code_of(sort), len(values))):
            moved = (
                rename_value(sort, values[index], renaming) if isinstance(inner, IndexSet) else values[index]
            )
            yield (*path, values[index]), (*image, moved)
        return
    match sort:
        case Boolean():
            yield path, image
        case Option():
            yield (*path, "is some"), (*image, "is some")
            yield from _bits(sort.inner, (*path, "some"), (*image, "some"), renaming)
        case Sequence():
            yield from _bits(Range(0, sort.capacity), (*path, "length"), (*image, "length"), renaming)
            for index in range(sort.capacity):
                yield from _bits(sort.element, (*path, index), (*image, index), renaming)
        case Variant():
            yield from _bits(sort.tags, (*path, "tag"), (*image, "tag"), renaming)
            for tag, part in sort.alternatives:
                yield from _bits(part, (*path, "held", tag), (*image, "held", tag), renaming)
        case Record() | Tuple():
            for name, part in children(sort):
                yield from _bits(part, (*path, name), (*image, name), renaming)
        case _:
            keys = sort.domain if isinstance(sort, Function | PartialFunction) else sort.element  # type: ignore[attr-defined]
            for key, part in children(sort):
                yield from _bits(part, (*path, key), (*image, rename_value(keys, key, renaming)), renaming)
