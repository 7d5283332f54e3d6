"""The conditions that reductions rest on, each asked directly, over every sort nested two deep.

Two kinds of interchangeable elements have one first letter, so that their elements may be shown alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from tests.support.models import build
from tests.support.random_sorts import elements_in, move_elements
from tests.support.sampling import some_of
from verifier.clauses.unrolling import _Mentions
from verifier.encodings.quantifiers import all_of
from verifier.encodings.renaming import rename_value
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.explicit.orbits import Orbits
from verifier.explicit.packing import Rows, words_for
from verifier.specs.protocol import Protocol, State, Step, action, define
from verifier.symmetry.bit_permutations import is_exact, permutation_of
from verifier.system.declared_symmetry import check_symmetry, list_mentioned
from verifier.system.model import Model

CLIENTS = IndexSet("client", 3)
COORDINATORS = IndexSet("coordinator", 2)
KINDS = (CLIENTS, COORDINATORS)
_ATOMS: tuple[Sort, ...] = (CLIENTS, COORDINATORS, Enum("Colour", ("red", "green")), Range(0, 1))
_MOST_VALUES = 64
_MOST_INSTANCES = 150

Moves = dict[tuple[IndexSet, Any], Any]


def _around(inner: Sort, beside: tuple[Sort, ...]) -> Iterator[Sort]:
    """Yield sorts with one more constructor around a sort, with others beside it."""
    if not isinstance(inner, Option):
        yield Option(inner)
    for atom in beside:
        yield Record(a=inner, b=atom)
        yield Record(a=atom, b=inner)
        yield Function(atom, inner)
        if inner.size <= 5:
            yield Function(inner, atom)
    if inner.size <= 7:
        yield Set(inner)
        yield Bag(inner, 1)
    if inner.size <= 4:
        yield Bag(inner, 2)
    yield from (Sequence(inner, 1), Sequence(inner, 2))


def _mix(inner: Sort, atom: Sort) -> Iterator[Sort]:
    """The two in a tuple, a variant and a partial function."""
    yield Tuple(atom, inner)
    yield Variant(one=inner, other=atom, bare=None)
    yield PartialFunction(atom, inner)
    if inner.size <= 3:
        yield PartialFunction(inner, atom)


def _has_elements(sort: Sort) -> bool:
    return isinstance(sort, IndexSet) or any(map(_has_elements, sort.parts()))


def _sorts() -> list[Sort]:
    once = [sort for atom in _ATOMS for sort in _around(atom, _ATOMS)]
    small = [sort for sort in dict.fromkeys(once) if sort.size <= _MOST_VALUES]
    twice = [sort for inner in small for sort in _around(inner, (CLIENTS, Range(0, 1)))]
    mixed = [sort for atom in _ATOMS for sort in _mix(atom, CLIENTS)]
    deeper = [s for inner in mixed[::2] for s in (*_around(inner, (COORDINATORS,)), *_mix(inner, CLIENTS))]
    within = [sort for inner in small[::12] for sort in _mix(inner, COORDINATORS)]
    every = dict.fromkeys([*_ATOMS, *once, *twice, *mixed, *deeper, *within])
    return [sort for sort in every if 2 <= sort.size <= _MOST_VALUES and _has_elements(sort)]


SORTS = _sorts()


def _contains(sort: Sort, kind: type[Sort]) -> bool:
    return isinstance(sort, kind) or any(_contains(part, kind) for part in sort.parts())


def _holds_both(sort: Sort) -> bool:
    def kinds(inner: Sort) -> set[Sort]:
        return {inner} if isinstance(inner, IndexSet) else set().union(*map(kinds, inner.parts()))

    return set(KINDS) <= kinds(sort)


class Holder(Protocol, camel_case=True):
    """A variable that takes any value of a sort, and elements beside it."""

    held: Sort = Boolean()

    def state(self) -> State:
        return State(value=self.held, client=Option(CLIENTS), coordinator=Option(COORDINATORS))

    def init(self, s: Any) -> Any:
        return all_of(s.client.is_none, s.coordinator.is_none, s.value == s.value)

    @action(p="held")
    def put(self, s: Any, p: Any) -> Step:
        return Step([], {s.value: p})


class Giver(Holder):
    """A value between elements of both kinds in the parameters."""

    clients = CLIENTS
    coordinators = COORDINATORS

    @action(c="clients", p="held", d="coordinators")
    def give(self, s: Any, c: Any, p: Any, d: Any) -> Step:
        return Step([], {s.value: p, s.client: c, s.coordinator: d})


def _holder(sort: Sort, base: type[Holder] = Holder) -> Holder:
    body = {"held": sort, "next": ("put",) if base is Holder else ("put", "give")}
    made: Holder = type("Held", (base,), body)()
    return made


@lru_cache(maxsize=4)
def _model(sort: Sort, *, between_elements: bool = False) -> Model:
    return build(_holder(sort, Giver if between_elements else Holder))


def _all_moves(kinds: tuple[IndexSet, ...] = KINDS) -> list[Moves]:
    """All permutations of the elements of all kinds."""
    found = []
    for images in product(*(permutations(tuple(kind.values())) for kind in kinds)):
        pairs = zip(kinds, images, strict=True)
        found.append(
            {(k, old): new for k, image in pairs for old, new in zip(k.values(), image, strict=True)}
        )
    return found


MOVES = _all_moves()


def _as_renaming(moves: Moves) -> dict[IndexSet, dict[Any, Any]]:
    return {kind: {old: new for (k, old), new in moves.items() if k == kind} for kind in KINDS}


_EVERY = 11
# The scope puts the tests of one sort next to each other, so that they share its model.
EVERY_SORT = pytest.mark.parametrize("sort", some_of(SORTS, every=_EVERY), ids=str, scope="module")


def test_there_are_sorts_of_every_kind() -> None:
    for kind in (Option, Record, Function, Set, Sequence, Bag, Tuple, Variant, PartialFunction):
        assert sum(_contains(sort, kind) for sort in SORTS) >= 15
        assert sum(_contains(sort, kind) for sort in SORTS[::_EVERY]) >= 2
    assert sum(map(_holds_both, SORTS)) >= 30


# Naming in order


@pytest.mark.parametrize("between_elements", [False, True])
@EVERY_SORT
def test_what_an_instance_must_wait_for_may_be_exchanged_for_an_earlier_one(
    sort: Sort, between_elements: bool
) -> None:
    """The step rests on this: where an element may not be named before its predecessor, exchanging the
    two gives an execution that stands earlier in the order of instances."""
    if between_elements and sort.size > _MOST_INSTANCES // 6:
        pytest.skip("too many instances")
    model = _model(sort, between_elements=between_elements)
    system = model.system
    sorts = {a.name: [p.symbol.sort for p in a.parameters] for a in model.definition.actions}
    place = {(i.action, tuple(i.parameters.values())): n for n, i in enumerate(system.instances)}
    named = [(symmetry.sort, element) for symmetry in system.symmetries for element in symmetry.sort.values()]
    mentions = _Mentions(system)
    assert len(named) == len(mentions.bits)
    for index, before in mentions.requirements:
        instance = system.instances[index]
        kind, element = named[before]
        # The bit that must hold is that of the element before one that the instance names.
        later = named[before + 1]
        assert later[0] == kind
        exchange = {(kind, element): later[1], later: element}
        values = zip(sorts[instance.action], instance.parameters.values(), strict=True)
        exchanged = tuple(move_elements(part, value, exchange) for part, value in values)
        assert place[instance.action, exchanged] < index, instance.label


@EVERY_SORT
def test_an_instance_names_all_that_its_parameters_hold(sort: Sort) -> None:
    system = _model(sort).system
    mentions = _Mentions(system)
    named = [(symmetry.sort, element) for symmetry in system.symmetries for element in symmetry.sort.values()]
    for index, instance in enumerate(system.instances):
        names = {named[bit] for bit, namers in enumerate(mentions.named_by) if index in namers}
        assert names >= set(elements_in(sort, instance.parameters["p"])), instance.label
        assert set(instance.mentions) == set(elements_in(sort, instance.parameters["p"])), instance.label


@EVERY_SORT
def test_what_a_value_mentions_is_all_that_may_move_it(sort: Sort) -> None:
    symmetries = check_symmetry(define(_holder(sort, Giver)))
    for value in sort.values():
        found = list_mentioned(sort, value, symmetries)
        assert len(set(found)) == len(found)
        assert set(found) == set(elements_in(sort, value))
        for moves in MOVES:
            if all(moves[item] == item[1] for item in found):
                assert move_elements(sort, value, moves) == value


# Renaming


@EVERY_SORT
def test_renaming_permutes_the_values_of_a_sort(sort: Sort) -> None:
    values = list(sort.values())
    for moves in MOVES:
        images = [rename_value(sort, value, _as_renaming(moves)) for value in values]
        assert images == [move_elements(sort, value, moves) for value in values]
        assert len(set(images)) == len(values)
        assert set(images) == set(values)


@EVERY_SORT
def test_renamings_compose(sort: Sort) -> None:
    values = list(sort.values())[:40]
    for first, second in product(MOVES[::2], MOVES[::3]):
        both = {item: second[item[0], new] for item, new in first.items()}
        for value in values:
            step = rename_value(sort, value, _as_renaming(first))
            assert rename_value(sort, step, _as_renaming(second)) == rename_value(
                sort, value, _as_renaming(both)
            )


# States: permutations of bits, and representatives of orbits


def _states(model: Model) -> Iterator[dict[str, Any]]:
    values = list(model.layout.sorts["value"].values())
    for number, value in enumerate(values):
        clients = [None, *CLIENTS.values()]
        coordinators = [None, *COORDINATORS.values()]
        for client in clients if len(values) <= 20 else [clients[number % 4]]:
            coordinator = coordinators[number % 3]
            yield {"value": value, "client": client, "coordinator": coordinator}


def _move_state(model: Model, state: dict[str, Any], moves: Moves) -> dict[str, Any]:
    return {name: move_elements(sort, state[name], moves) for name, sort in model.layout.sorts.items()}


@EVERY_SORT
def test_permuted_bits_are_the_bits_of_the_renamed_state(sort: Sort) -> None:
    model = _model(sort)
    encode = model.layout.encode_state
    exact = [moves for moves in MOVES if is_exact(model.layout, _as_renaming(moves))]
    assert {(kind, e): e for kind in KINDS for e in kind.values()} in exact
    for moves in exact:
        permutation = permutation_of(model.layout, _as_renaming(moves))
        assert sorted(permutation) == list(range(len(model.layout.bits) + 1))
        for state in _states(model):
            bits, image = encode(state), encode(_move_state(model, state, moves))
            assert [image[permutation[n + 1] - 1] for n in range(len(bits))] == bits


def _rows(model: Model, states: list[dict[str, Any]]) -> Rows:
    words = words_for(len(model.layout.bits))
    rows = np.zeros((len(states), words), np.uint64)
    for number, state in enumerate(states):
        whole = sum(on << place for place, on in enumerate(model.layout.encode_state(state)))
        for word in range(words):
            rows[number, word] = whole >> (64 * word) & (2**64 - 1)
    return rows


@EVERY_SORT
def test_all_states_of_an_orbit_have_one_representative_among_them(sort: Sort) -> None:
    model = _model(sort)
    states = list(_states(model))
    orbits = Orbits(model)
    assert orbits.size == len(MOVES)
    least = orbits.representatives(_rows(model, states))
    orbit: list[set[bytes]] = [set() for _ in states]
    for moves in MOVES:
        rows = _rows(model, [_move_state(model, state, moves) for state in states])
        assert np.array_equal(orbits.representatives(rows), least)
        for place, row in enumerate(rows):
            orbit[place].add(row.tobytes())
    assert all(row.tobytes() in images for row, images in zip(least, orbit, strict=True))
    assert orbits.sizes(_rows(model, states)).tolist() == [len(images) for images in orbit]
