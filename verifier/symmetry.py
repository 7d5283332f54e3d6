"""Checks the declared symmetry of index sets against every use of their elements.

Terms have few operations that tell one element of an index set from another: naming it (a literal)
and choosing the first in order (``choose``). A named element is pinned: permutations that move only
the others keep Init, the actions and the properties. An ordered choice keeps none.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.encodings.concrete import Concrete, FrozenMap
from verifier.encodings.sorts import IndexSet, Sort, contains_sort
from verifier.encodings.terms import Operator
from verifier.specs.definition import Definition
from verifier.specs.protocol import DefinitionError
from verifier.system import Symmetry


def check_symmetry(definition: Definition) -> tuple[Symmetry, ...]:
    """The symmetry that holds. Raises DefinitionError where a symmetric index set is used in its order."""
    return tuple(_check(definition, sort) for sort in _index_sets(definition) if sort.symmetric)


def _check(definition: Definition, sort: IndexSet) -> Symmetry:
    pinned: set[Concrete] = set()
    elements = frozenset(sort.values())
    for place, root in definition.terms():
        for term in root.walk():
            if term.operator is Operator.CHOOSE and term.binds and contains_sort(term.binds.sort, sort):
                raise DefinitionError(
                    f"{definition.name}: {place} takes the first {sort.name} in order, so the {sort.name}s "
                    "are not interchangeable: declare the constant with symmetric=False"
                )
            if term.operator is Operator.LITERAL and contains_sort(term.sort, sort):
                pinned.update(elements.intersection(_atoms(term.data)))
    return Symmetry(sort, frozenset(pinned))


def _index_sets(definition: Definition) -> list[IndexSet]:
    found: dict[IndexSet, None] = {}
    sorts = [symbol.sort for symbol in definition.variables]
    sorts += [parameter.symbol.sort for action in definition.actions for parameter in action.parameters]
    for sort in sorts:
        found.update(dict.fromkeys(_within(sort)))
    return list(found)


def _within(sort: Sort) -> Iterator[IndexSet]:
    if isinstance(sort, IndexSet):
        yield sort
    for part in sort.parts():
        yield from _within(part)


def _atoms(value: Concrete) -> Iterator[Concrete]:
    match value:
        case frozenset() | tuple():
            for item in value:
                yield from _atoms(item)
        case FrozenMap():
            for key, item in value.items():
                yield from _atoms(key)
                yield from _atoms(item)
        case _:
            yield value


def mentioned(
    sort: Sort, value: Concrete, symmetries: tuple[Symmetry, ...]
) -> list[tuple[IndexSet, Concrete]]:
    """The interchangeable elements that a parameter's value names, in order."""
    index_sets = list(dict.fromkeys(_within(sort)))
    found: list[tuple[IndexSet, Concrete]] = []
    for symmetry in symmetries:
        if symmetry.sort in index_sets:
            atoms = set(_atoms(value))
            movable = (element for element in symmetry.sort.values() if element not in symmetry.pinned)
            found.extend((symmetry.sort, element) for element in movable if element in atoms)
    return found
