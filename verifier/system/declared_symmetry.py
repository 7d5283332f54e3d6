"""Checks the declared symmetry of index sets against every use of their elements.

Terms have few operations that tell one element of an index set from another: naming it (a literal), and
what takes values in their order (``choose``, minimum and maximum, comparisons). A named element is pinned:
permutations that move only the others keep Init, the actions and the properties. An order keeps none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged
from verifier.encodings.partiality import is_total
from verifier.encodings.renaming import rename_value
from verifier.encodings.sorts import IndexSet, Listed, Sort, contains_sort, sorts_in
from verifier.encodings.terms import Operator, Term
from verifier.specs.definition import Definition, PropertyKind
from verifier.specs.protocol import DefinitionError
from verifier.system.transition_system import Instance, Symmetry

Named = tuple[tuple[IndexSet, Concrete], ...]
"""Elements of symmetric index sets, each with its set."""

_TAKES_IN_ORDER = frozenset(
    {
        Operator.LESS,
        Operator.LESS_EQUAL,
        Operator.ADD,
        Operator.SUBTRACT,
        Operator.MULTIPLY,
        Operator.DIVIDE,
        Operator.MODULO,
        Operator.SUM,
        Operator.MINIMUM,
        Operator.MAXIMUM,
        Operator.MINIMUM_OF,
        Operator.MAXIMUM_OF,
    }
)
"""Operators whose result depends on the order of their arguments' sorts. ``choose`` is another."""


def check_symmetry(definition: Definition) -> tuple[Symmetry, ...]:
    """The symmetry that holds. Raises DefinitionError where a symmetric index set is used in its order."""
    reads = list(_list_temporal_reads(definition))
    checked = (_check(definition, sort) for sort in _symmetric(definition))
    return tuple(kept for symmetry in checked if (kept := _keep_reads(symmetry, reads)) is not None)


def _list_temporal_reads(definition: Definition) -> Iterator[Term]:
    """The formulas of temporal properties of which the property that nothing undefined is read speaks."""
    if any(prop.kind is PropertyKind.UNDEFINED_READ for prop in definition.properties):
        for prop in definition.temporal:
            yield from (term for term in prop.formula.quantified_terms() if not is_total(term))


def _keep_reads(symmetry: Symmetry, reads: Sequence[Term]) -> Symmetry | None:
    """The symmetry that also keeps where these formulas have no value. None if they take elements in order:
    no engine but ``live`` evaluates them, so that the protocol is not refused."""
    sort, pinned = symmetry.sort, set(symmetry.pinned)
    for term in (term for root in reads for term in root.walk()):
        bound = [] if term.binds is None else list(sorts_in(term.binds.sort))
        if _depends_on_order(term, sort) or any(one == sort and not one.symmetric for one in bound):
            return None
        named: set[Concrete] = {e for one in bound if isinstance(one, Listed) for e in one.elements}
        named.update(_atoms(term.data) if term.operator is Operator.LITERAL else ())
        pinned |= named.intersection(sort.each())
    return replace(symmetry, pinned=frozenset(pinned))


def _check(definition: Definition, sort: IndexSet) -> Symmetry:
    elements = frozenset(sort.each())
    pinned: set[Concrete] = {element for element in _list_named(definition) if element in elements}
    for place, root in definition.terms():
        for term in root.walk():
            if _depends_on_order(term, sort):
                raise DefinitionError(
                    f"{definition.name}: {place} takes the first {sort.name} in order, so the {sort.name}s "
                    "are not interchangeable: declare the constant with symmetric=False"
                )
            if term.operator is Operator.LITERAL and contains_sort(term.sort, sort):
                pinned.update(elements.intersection(_atoms(term.data)))
    return Symmetry(sort, frozenset(pinned))


def _list_named(definition: Definition) -> Iterator[Concrete]:
    """The elements that values of listed sorts name: renaming them would lead out of these sorts."""
    for sort in _sorts(definition):
        for part in sorts_in(sort):
            if isinstance(part, Listed):
                yield from part.elements


def _depends_on_order(term: Term, sort: IndexSet) -> bool:
    """True if the order of the set's elements enters the value of the term."""
    if term.operator is Operator.CHOOSE:
        assert term.binds is not None
        return contains_sort(term.binds.sort, sort)
    return term.operator in _TAKES_IN_ORDER and any(contains_sort(a.sort, sort) for a in term.arguments)


def _symmetric(definition: Definition) -> list[IndexSet]:
    """The index sets of the state and of parameters that are declared symmetric wherever they occur."""
    sorts = _list_sorts(definition)
    index_sets = {index_set: None for sort in sorts for index_set in _within(sort)}
    if not index_sets:  # no need to look through all terms
        return []
    everywhere = (index_set for sort in _sorts(definition) for index_set in _within(sort))
    ordered = {index_set for index_set in everywhere if not index_set.symmetric}
    return [index_set for index_set in index_sets if index_set not in ordered]


def _list_sorts(definition: Definition) -> list[Sort]:
    """The sorts of the state's variables and of parameters."""
    sorts = [symbol.sort for symbol in definition.variables]
    return sorts + [p.symbol.sort for action in definition.actions for p in action.parameters]


def _sorts(definition: Definition) -> list[Sort]:
    """The sorts of all variables, bound ones too."""
    bound = (term.binds.sort for _, root in definition.terms() for term in root.walk() if term.binds)
    return [*_list_sorts(definition), *bound]


def _within(sort: Sort) -> Iterator[IndexSet]:
    return (part for part in sorts_in(sort) if isinstance(part, IndexSet))


def _atoms(value: Concrete) -> Iterator[Concrete]:
    match value:
        case frozenset() | tuple():
            for item in value:
                yield from _atoms(item)
        case Tagged():
            yield from _atoms(value.payload)
        case FrozenMap():
            for key, item in value.items():
                yield from _atoms(key)
                yield from _atoms(item)
        case _:
            yield value


def list_mentioned(sort: Sort, value: Concrete, symmetries: tuple[Symmetry, ...]) -> Named:
    """The interchangeable elements that a parameter's value names, in order."""
    index_sets = list(dict.fromkeys(_within(sort)))
    mentioned: list[tuple[IndexSet, Concrete]] = []
    for symmetry in symmetries:
        if symmetry.sort in index_sets:
            atoms = set(_atoms(value))
            mentioned.extend((symmetry.sort, element) for element in symmetry.movable if element in atoms)
    return tuple(mentioned)


def order_named(
    instances: Sequence[Instance], sorts: Mapping[str, Mapping[str, Sort]], symmetries: tuple[Symmetry, ...]
) -> tuple[Named, ...]:
    """Return for each instance the elements that count as named once it is taken (``unroll`` lets an element
    be named only after the one before it). ``sorts`` gives those of each action's parameters.

    That is sound beside the swapping of neighbours if, for an instance that names an element and not the one
    before it, the instance with the two exchanged stands earlier in the order of instances: then the least of
    all renamings and swaps of an execution obeys both. Each case is looked at; where it is not so, the
    instance counts as naming all elements before the ones that it names, and so requires nothing.
    """
    place = {(i.action, tuple(i.parameters.values())): index for index, i in enumerate(instances)}
    named = []
    for index, instance in enumerate(instances):
        names: dict[tuple[IndexSet, Concrete], None] = {}
        for symmetry in symmetries:
            own = [element for sort, element in instance.mentions if sort == symmetry.sort]
            if not _stands_after_exchanged(instance, index, own, symmetry, sorts[instance.action], place):
                last = max(map(symmetry.movable.index, own))
                names |= dict.fromkeys((symmetry.sort, element) for element in symmetry.movable[: last + 1])
        names |= dict.fromkeys(instance.mentions)
        named.append(tuple(names))
    return tuple(named)


def _stands_after_exchanged(
    instance: Instance,
    index: int,
    own: Sequence[Concrete],
    symmetry: Symmetry,
    sorts: Mapping[str, Sort],
    place: Mapping[tuple[str, tuple[Concrete, ...]], int],
) -> bool:
    """True if the instance stands after each one in which an element that it names is exchanged with the one
    before, if it does not name that first."""
    for before, element in pairwise(symmetry.movable):
        if element in own and before not in own[: own.index(element)]:
            renaming = {symmetry.sort: {element: before, before: element}}
            exchanged = tuple(
                rename_value(sorts[n], value, renaming) for n, value in instance.parameters.items()
            )
            if place.get((instance.action, exchanged), len(place)) >= index:
                return False
    return True
