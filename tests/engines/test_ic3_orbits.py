"""Blocked cubes that another one makes superfluous, and the time when a frame's solver learns of them."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from tests.support.models import build
from tests.support.toys import LockServer
from verifier.engines.ic3.clause_orbits import Orbit, OrbitIndex
from verifier.engines.ic3.cubes import images, literal_classes
from verifier.engines.ic3.frames import Frames
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.query_solver import QuerySolver
from verifier.solvers import QUERY_SOLVER
from verifier.symmetry.bit_permutations import Permutation, bit_permutations

BITS = 9
GROUP: list[Permutation] = [
    (0, *(3 * row + image + 1 for row in range(3) for image in images)) for images in permutations(range(3))
]
"""Three rows of three bits each; the columns are exchanged."""
NO_GROUP = [GROUP[0], (0, 2, 3, 1, 5, 6, 4, 8, 9, 7)]
"""The identity, and a rotation of the columns without the rotation back."""


def _orbits(group: list[Permutation], seed: int, count: int = 200) -> list[Orbit]:
    rng, classes = random.Random(seed), literal_classes(BITS, group)
    found = []
    for _ in range(count):
        bits = rng.sample(range(1, BITS + 1), rng.randint(1, 5))
        cube = tuple(bit if rng.random() < 0.6 else -bit for bit in bits)
        orbit = Orbit(images(cube, group), frozenset(classes[literal] for literal in cube))
        orbit.level = rng.randint(1, 3)
        found.append(orbit)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_index_finds_all_that_is_subsumed_and_nothing_else(seed: int) -> None:
    index, kept = OrbitIndex(), list[Orbit]()
    for orbit in _orbits(GROUP, seed):
        expected = [
            other
            for other in kept
            if other.level <= orbit.level and any(image <= set(other.cube) for image in orbit.images)
        ]
        found = index.find_subsumed(orbit)
        assert set(found) == set(expected)
        for other in found:
            index.remove(other)
            kept.remove(other)
        index.add(orbit)
        kept.append(orbit)
    assert len(kept) < 150


def _loses_nothing(one: Orbit, other: Orbit) -> bool:
    """True if what the other orbit excludes is excluded by the one, image by image."""
    return all(any(image <= lost for image in one.images) for lost in other.images)


def test_what_is_subsumed_is_excluded_in_all_its_images() -> None:
    orbits = _orbits(GROUP, 7)
    pairs = [(one, other) for one in orbits for other in orbits if one.subsumes(other)]
    assert len(pairs) > len(orbits)
    assert all(_loses_nothing(one, other) for one, other in pairs)


def test_without_a_group_an_image_would_be_lost() -> None:
    """Only one image of the other orbit is looked at, so the permutations must be a group."""
    orbits = _orbits(NO_GROUP, 7)
    assert not all(_loses_nothing(one, other) for one in orbits for other in orbits if one.subsumes(other))


def test_what_is_blocked_in_more_frames_is_not_replaced_by_what_is_blocked_in_fewer() -> None:
    model = build(LockServer())
    frames = Frames(problem(model.system, "HolderWaitsNoMore"), bit_permutations(model))
    for _ in range(4):
        frames.open_frame()
    long, short = (1, 2, 3), (1, 2)
    frames.add_blocked(long, 3)
    frames.add_blocked(short, 2)
    assert [len(level) for level in frames.levels] == [0, 0, 1, 1, 0]
    frames.add_blocked(short, 3)
    assert [len(level) for level in frames.levels] == [0, 0, 0, 1, 0]
    assert frames.is_blocked(long, 3)
    assert not frames.is_blocked(long, 4)


@pytest.mark.parametrize("most", [1, 100])
def test_a_clause_counts_from_the_next_query_on(most: int) -> None:
    """Also where the solver was built again in between."""
    permanent = [[1, 2]]
    solver = QuerySolver(QUERY_SOLVER, lambda: permanent, 3, most)
    assert solver.satisfiable([1, 2], [-1])
    added = [[1]]
    permanent += added
    solver.add_clauses(added)
    assert solver.values([1, 2]) == [False, True]  # of the query before
    assert not solver.satisfiable([1, 2], [-1])
    assert solver.core() == {-1}
    assert solver.satisfiable([-2], [1])
