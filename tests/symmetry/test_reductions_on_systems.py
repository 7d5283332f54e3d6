"""The conditions that reductions rest on, asked of random protocols in states that they reach.

What each instance does is taken from the naive reading, not from what the verifier says it reads and writes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations, product
from typing import Any

import pytest

from tests.support.models import build
from tests.support.naive import Instance, Naive, State
from tests.support.naive_comparisons import Subject, subject_of
from tests.support.random_sorts import move_elements, stable
from tests.support.sampling import first_of
from tests.support.toys import Chain
from verifier.clauses.structural_invariants import _false_in, _RandomWalks, structural_invariants
from verifier.clauses.unrolling import Steps, Unrolling, unroll
from verifier.encodings.plain_terms import plain
from verifier.encodings.quantifiers import if_
from verifier.encodings.sorts import Boolean, IndexSet, Range, Set
from verifier.engines.bounded_search import Search, ViolationFound, search
from verifier.engines.ic3.problem import problem
from verifier.solvers import Answer, open_solver
from verifier.specs.protocol import IndexSetConstant, Protocol, Step, action, invariant
from verifier.specs.protocol import State as Variables
from verifier.symmetry.bit_permutations import bit_permutations, is_exact, permutation_of
from verifier.system.transition_system import Instance as Lowered

SEEDS, _FEW = range(5000, 5040), 8
_STATES = 12
_STEPS = 12
EVERY_SEED = pytest.mark.parametrize("seed", first_of(SEEDS, _FEW), scope="module")


class SharedWithInit(Protocol, camel_case=True):
    """An action assigns a term that contains a subterm of Init."""

    nodes = IndexSetConstant(3, kind="node")

    def state(self) -> Variables:
        return Variables(done=Set(self.nodes), grown=Boolean(), marked=Range(0, 1))

    def init(self, s: Any) -> Any:
        return (s.done.cardinality == 1) & ~s.grown & (s.marked == 0)

    @action(n="nodes")
    def grow(self, s: Any, n: Any) -> Step:
        return Step([~s.done.contains(n)], {s.done: s.done.add(n), s.grown: True})

    @action()
    def mark(self, s: Any) -> Step:
        return Step([s.grown], {s.marked: if_(s.done.cardinality == 1, 1, 0)})

    @invariant()
    def never_marked(self, s: Any) -> Any:
        return s.marked == 0


@cache
def _subject(seed: int) -> Subject:
    return subject_of(seed)


def _states(subject: Subject) -> list[State]:
    """Some of the states reached, the same every time."""
    every = [state for level in subject.truth.levels for state in sorted(level, key=stable)]
    return random.Random(subject.seed).sample(every, min(_STATES, len(every)))


def _meanings(subject: Subject, instance: Lowered) -> list[Instance]:
    """Return the meanings of a system's instance: one for each value of its free parameters."""
    return [
        each
        for each in subject.naive.instances
        if each.action.name == instance.action
        and all(
            each.parameters[p.symbol] == plain(instance.parameters[p.symbol.name])
            for p in each.action.parameters
            if not p.free
        )
    ]


def _after(naive: Naive, state: State | None, instance: Instance) -> State | None:
    return None if state is None else naive.happening(instance, naive.environment(state)).state


def _find_swapped(subject: Subject) -> list[tuple[int, int]]:
    """Pairs of instances of which the first, standing later, may not be followed by the second."""
    unrolled = unroll(subject.model.system, Steps.SERIAL, symmetry=True)
    place = {variable: index for index, variable in enumerate(unrolled.firing)}
    return [(place[-one], place[-other - unrolled.stride]) for one, other in unrolled.succession]


@EVERY_SEED
def test_neighbours_that_are_not_tried_in_both_orders_commute(seed: int) -> None:
    subject = _subject(seed)
    naive, instances = subject.naive, subject.model.system.instances
    pairs = _find_swapped(subject)
    random.Random(seed).shuffle(pairs)
    for first, second in pairs[:400]:
        assert second < first
        for one, other in product(
            _meanings(subject, instances[first])[:2], _meanings(subject, instances[second])[:2]
        ):
            for state in _states(subject):
                there = _after(naive, _after(naive, state, one), other)
                assert there is None or there == _after(naive, _after(naive, state, other), one)


def _bits(subject: Subject, state: State) -> list[bool]:
    named = {v.name: value for v, value in zip(subject.model.definition.variables, state, strict=True)}
    return subject.model.layout.encode_state(named)


def _models(unrolled: Unrolling, bits: Sequence[bool], rng: random.Random) -> Iterator[tuple[Any, list[int]]]:
    """Some steps from a state: a solver with each, and the instances that fire in it."""
    solver = open_solver("cadical")
    solver.add_clauses([*unrolled.state, *unrolled.relation])
    given = [place if on else -place for place, on in enumerate(bits, 1)]
    for _ in range(_STEPS):
        wanted = rng.sample(list(unrolled.firing), min(len(unrolled.firing), rng.randint(0, 4)))
        taken: list[int] = []
        for variable in wanted:  # as many of those wanted as go together
            if solver.solve([*given, *taken, variable]) is Answer.SATISFIABLE:
                taken.append(variable)
        if solver.solve([*given, *taken]) is Answer.SATISFIABLE:
            yield solver, [index for index in unrolled.order if solver.value(unrolled.firing[index])]
    solver.close()


@EVERY_SEED
@pytest.mark.parametrize("steps", Steps)
def test_a_step_leads_where_its_instances_lead_one_by_one(seed: int, steps: Steps) -> None:
    subject = _subject(seed)
    unrolled, rng = unroll(subject.model.system, steps, symmetry=False), random.Random(seed)
    for state in _states(subject)[:6]:
        for solver, firing in _models(unrolled, _bits(subject, state), rng):
            assert firing
            assert steps is Steps.PARALLEL or len(firing) == 1
            following = [solver.value(unrolled.stride + place) for place in range(1, unrolled.bits + 1)]
            current: set[State | None] = {state}
            for index in firing:  # a free parameter may have any of its values
                meanings = _meanings(subject, subject.model.system.instances[index])
                current = {_after(subject.naive, each, m) for each in current for m in meanings} - {None}
            assert following in [_bits(subject, each) for each in current if each is not None]


@EVERY_SEED
def test_what_is_enabled_may_fire_and_nothing_else(seed: int) -> None:
    subject = _subject(seed)
    for steps in Steps:
        unrolled = unroll(subject.model.system, steps, symmetry=False)
        solver = open_solver("cadical")
        solver.add_clauses([*unrolled.state, *unrolled.relation])
        for state in _states(subject)[:6]:
            given = [place if on else -place for place, on in enumerate(_bits(subject, state), 1)]
            for index, instance in enumerate(subject.model.system.instances):
                may = solver.solve([*given, unrolled.firing[index]]) is Answer.SATISFIABLE
                meanings = _meanings(subject, instance)
                assert may == any(_after(subject.naive, state, meaning) for meaning in meanings)
        solver.close()


@pytest.mark.parametrize("steps", Steps)
def test_what_a_step_does_is_the_same_in_every_frame(steps: Steps) -> None:
    found: list[Any] = []
    search(build(SharedWithInit()).system, Search(steps, "cadical", 4, ("NeverMarked",)), found.append)
    assert not [event for event in found if isinstance(event, ViolationFound)]


# Symmetry


def _renamings(subject: Subject) -> Iterator[dict[tuple[IndexSet, Any], Any]]:
    """Permutations of the elements that are interchangeable and not named."""
    movable = [
        (symmetry.sort, [element for element in symmetry.sort.values() if element not in symmetry.pinned])
        for symmetry in subject.model.system.symmetries
    ]
    for images in product(*(permutations(elements) for _, elements in movable)):
        yield {
            (sort, old): new
            for (sort, elements), image in zip(movable, images, strict=True)
            for old, new in zip(elements, image, strict=True)
        }


def _some_renamings(subject: Subject) -> list[dict[tuple[IndexSet, Any], Any]]:
    every = list(_renamings(subject))
    return random.Random(subject.seed).sample(every, min(6, len(every)))


def _move(subject: Subject, state: State, names: dict[tuple[IndexSet, Any], Any]) -> State:
    variables = subject.model.definition.variables
    return subject.naive.state(
        {v.name: move_elements(v.sort, value, names) for v, value in zip(variables, state, strict=True)}
    )


@EVERY_SEED
def test_renaming_interchangeable_elements_changes_nothing(seed: int) -> None:
    subject = _subject(seed)
    for names in _some_renamings(subject):
        initial = subject.truth.levels[0]
        assert {_move(subject, state, names) for state in initial} == initial
        for state in _states(subject):
            violated, successors, within, dead = subject.naive.look(state)
            image = subject.naive.look(_move(subject, state, names))
            assert image == (violated, {_move(subject, each, names) for each in successors}, within, dead)


@EVERY_SEED
def test_permutations_of_bits_rename_the_elements_of_states(seed: int) -> None:
    subject = _subject(seed)
    layout, exact = subject.model.layout, []
    for names in _renamings(subject):
        renaming: dict[IndexSet, dict[Any, Any]] = {}
        for (sort, old), new in names.items():
            renaming.setdefault(sort, {})[old] = new
        if not is_exact(layout, renaming):
            continue
        permutation = permutation_of(layout, renaming)
        exact.append(permutation)
        for state in _states(subject)[:4]:
            bits, image = _bits(subject, state), _bits(subject, _move(subject, state, names))
            assert [image[permutation[n + 1] - 1] for n in range(len(bits))] == bits
    assert set(bit_permutations(subject.model)) <= set(exact)


def _image(clause: Sequence[int], permutation: Sequence[int]) -> frozenset[int]:
    return frozenset(permutation[literal] if literal > 0 else -permutation[-literal] for literal in clause)


@EVERY_SEED
def test_images_of_structural_invariants_hold_in_every_state_reached(seed: int) -> None:
    subject = _subject(seed)
    system = subject.model.system
    steps, permutations = unroll(system, Steps.SERIAL, symmetry=False), bit_permutations(subject.model)
    clauses = structural_invariants(system, steps)
    images = {_image(clause, p) for clause in clauses for p in permutations}
    by_orbits = structural_invariants(system, steps, permutations)
    assert {_image(clause, p) for clause in by_orbits for p in permutations} == set(map(frozenset, by_orbits))
    images |= set(map(frozenset, by_orbits))
    for level in subject.truth.levels:
        for state in level:
            bits = _bits(subject, state)
            for image in images:
                assert any(bits[abs(literal) - 1] == (literal > 0) for literal in image)


@pytest.fixture
def without_walks(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes each candidate that falls one that the step of a query breaks."""

    def nowhere(_: _RandomWalks, state: Sequence[bool]) -> dict[int, int]:
        return _false_in(list(map(int, state)), 1)

    return lambda: monkeypatch.setattr(_RandomWalks, "after", nowhere)


@EVERY_SEED
def test_walks_drop_no_structural_invariant(seed: int, without_walks: Callable[[], None]) -> None:
    system = _subject(seed).model.system
    steps = unroll(system, Steps.SERIAL, symmetry=False)
    found = structural_invariants(system, steps)
    without_walks()
    assert structural_invariants(system, steps) == found


@pytest.mark.parametrize("walks", [True, False])
def test_what_fell_is_not_assumed_of_others(walks: bool, without_walks: Callable[[], None]) -> None:
    """Of Chain, 0 to 3 in two bits: while both are assumed to be 0, only the lower one is seen to change."""
    if not walks:
        without_walks()
    system = build(Chain({"top": 3})).system
    steps = unroll(system, Steps.SERIAL, symmetry=False)
    assert structural_invariants(system, steps, guesses=[[-1], [-2]]) == []


@EVERY_SEED
def test_what_ic3_starts_from_is_the_same_for_all_elements(seed: int) -> None:
    """It adds every image of a clause without a query, so all that it knows has to be symmetric."""
    subject = _subject(seed)
    permutations = bit_permutations(subject.model)
    seeds = problem(subject.model.system, subject.names[0], permutations=permutations).seeds
    known = {frozenset(clause) for clause in seeds}
    assert {_image(clause, p) for clause in seeds for p in permutations} == known
