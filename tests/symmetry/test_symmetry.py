"""Declared symmetry is checked: structurally on the terms, and here against the meaning as well."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.support.models import build
from tests.support.toys import LockServer, Lottery
from verifier.encodings.concrete import Element, FrozenMap
from verifier.encodings.quantifiers import choose
from verifier.encodings.sorts import IndexSet, Option
from verifier.specs.protocol import (
    BooleanConstant,
    DefinitionError,
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
)
from verifier.system.model import Model
from verifier.trust.replay import Replayer


class FirstComeFirst(Protocol, camel_case=True):
    """Chooses the first worker in order, so the workers are not interchangeable."""

    workers = IndexSetConstant(3, kind="worker")

    def state(self) -> State:
        return State(chosen=Option(self.workers))

    def init(self, s: Any) -> Any:
        return s.chosen.is_none

    @action()
    def pick(self, s: Any) -> Step:
        return Step(when=[s.chosen.is_none], then={s.chosen: choose(self.workers, lambda w: True)})

    @invariant()
    def some_or_none(self, s: Any) -> Any:
        return s.chosen.is_none | s.chosen.is_some


def test_an_ordered_choice_contradicts_declared_symmetry() -> None:
    with pytest.raises(DefinitionError, match="action Pick takes the first worker in order"):
        build(FirstComeFirst())


def test_the_same_choice_is_allowed_where_no_symmetry_is_declared() -> None:
    class Ordered(FirstComeFirst):
        workers = IndexSetConstant(3, kind="worker", symmetric=False)

    assert build(Ordered()).system.symmetries == ()


def test_a_protocol_says_at_which_constants_an_index_set_is_symmetric() -> None:
    class Settled(FirstComeFirst):
        orderly = BooleanConstant(True)

        def symmetric(self, constant: str) -> bool:
            return constant != "workers" or not self.orderly

    assert build(Settled()).system.symmetries == ()
    with pytest.raises(DefinitionError, match="takes the first worker"):
        build(Settled({"orderly": False}))


def test_named_elements_are_pinned() -> None:
    (symmetry,) = build(LockServer()).system.symmetries
    assert {str(element) for element in symmetry.pinned} == {"c1"}
    (symmetry,) = build(Lottery()).system.symmetries
    assert symmetry.pinned == frozenset()


CLIENTS = IndexSet("client", 3)


def rename_elements(value: Any, names: dict[str, str]) -> Any:
    """The value with index elements renamed."""
    match value:
        case Element():
            return next(e for e in CLIENTS.elements if e.name == names.get(value.name, value.name))
        case frozenset():
            return frozenset(rename_elements(item, names) for item in value)
        case tuple():
            return tuple(rename_elements(item, names) for item in value)
        case FrozenMap():
            return FrozenMap(
                (rename_elements(key, names), rename_elements(item, names)) for key, item in value.items()
            )
    return value


def reachable(model: Model) -> set[tuple[bool, ...]]:
    """All reachable states of a small model without free parameters, by plain search."""
    replayer = Replayer(model)
    width = len(model.system.bits)
    states = {tuple(bool(n >> i & 1) for i in range(width)) for n in range(2**width)}
    frontier = {state for state in states if replayer.is_initial(state)}
    seen = set(frontier)
    while frontier:
        successors = (replayer.successor(s, i, ()) for s in frontier for i in model.system.instances)
        frontier = {tuple(state) for state in successors if state is not None} - seen
        seen |= frontier
    return seen


def test_permuting_unpinned_elements_keeps_the_reachable_states_and_verdicts() -> None:
    model = build(LockServer())
    replayer = Replayer(model)
    states = reachable(model)
    assert len(states) == 20
    for order in permutations(("c2", "c3")):
        names = dict(zip(("c2", "c3"), order, strict=True))
        for bits in states:
            state = model.layout.decode_state(bits)
            image = model.layout.encode_state({name: rename_elements(v, names) for name, v in state.items()})
            assert tuple(image) in states
            assert replayer.find_violated(image) == replayer.find_violated(bits)
