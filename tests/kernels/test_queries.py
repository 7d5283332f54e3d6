"""The solver of IC3's queries against MiniSat, and orbits and known steps against plain lists."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import pytest

from tests.engines.test_ic3_known_steps import _Plain
from verifier.engines.ic3.cubes import Cube, images, literal_classes, negation
from verifier.engines.ic3.known_steps import Step, move
from verifier.kernels import building, query_functions
from verifier.kernels.query_functions import CompiledOrbits, CompiledSolver, QueryFunctions
from verifier.solvers import QUERY_SOLVER, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation

BITS = 9
GROUP: list[Permutation] = [
    (0, *(3 * row + image + 1 for row in range(3) for image in images)) for images in permutations(range(3))
]
"""Three rows of three bits each; the columns are exchanged."""


def _literals(rng: random.Random, variables: int, count: int) -> list[int]:
    return [rng.choice((1, -1)) * rng.randint(1, variables) for _ in range(count)]


def _agree(
    solver: CompiledSolver, clauses: Sequence[Sequence[int]], assumed: Sequence[int], sat: bool
) -> None:
    """The answer of the last query is right."""
    plain = open_solver(QUERY_SOLVER)
    plain.add_clauses(clauses)
    assert satisfiable(plain, assumed) == sat
    if sat:
        values = dict(enumerate(solver.values(range(1, solver.variables + 1)), 1))
        assert all(any(values[abs(v)] == (v > 0) for v in clause) for clause in clauses)
        assert all(values[abs(v)] == (v > 0) for v in assumed)
    else:
        core = solver.core()
        assert core <= set(assumed)
        assert not satisfiable(plain, list(core))
    plain.close()


@pytest.mark.parametrize("seed", range(60))
def test_queries_have_the_answers_of_minisat(seed: int, queries: QueryFunctions) -> None:
    """Also after queries whose own clauses contradict the others, and as clauses come."""
    rng = random.Random(seed)
    variables = rng.randint(2, 40)
    clauses = [
        _literals(rng, variables, rng.randint(2 - (rng.random() < 0.05), 5))
        for _ in range(int(variables * rng.uniform(1, 5)))
    ]
    solver = CompiledSolver(queries, variables, clauses)
    for _ in range(40):
        if rng.random() < 0.2:
            clauses.append(_literals(rng, variables, rng.randint(2, 4)))
            solver.add_clauses(clauses[-1:])
        own = _literals(rng, variables, rng.randint(0, 6))
        chosen = rng.sample(range(1, variables + 1), rng.randint(0, variables // 2))
        assumed = [rng.choice((1, -1)) * variable for variable in chosen]
        sat = solver.satisfiable(own, assumed)
        _agree(solver, [*clauses, own] if own else clauses, assumed, sat)


def test_a_bit_in_no_clause_has_a_value_that_is_compared_with_cubes(queries: QueryFunctions) -> None:
    """A model leaves out what is in no clause, but for the bits of the state."""
    solver = CompiledSolver(queries, 2 * BITS, [])
    orbits = CompiledOrbits(queries, BITS, GROUP[:1], literal_classes(BITS, GROUP[:1]))
    orbits.open_frame()
    orbits.open_frame()
    for _ in product((1, -1), repeat=3):
        assert solver.satisfiable([], [], orbits, 1)
        state = [bit if on else -bit for bit, on in enumerate(solver.values(range(1, 4)), 1)]
        assert not orbits.excludes(state, 1)
        orbits.add(state, 1)
    assert not solver.satisfiable([], [], orbits, 1)


def test_a_clause_of_a_query_ends_with_it(queries: QueryFunctions) -> None:
    solver = CompiledSolver(queries, 3, [[1, 2], [-2, 3]])
    assert not solver.satisfiable([-1], [-3])
    assert not solver.satisfiable([-1, -1], [-3, -2])
    assert solver.satisfiable([], [-3])
    assert solver.values([1, 2, 3]) == [True, False, False]
    solver.add_clauses([[1], [-1]])
    assert not solver.satisfiable([], [2])
    assert solver.core() == set()


def test_literals_that_it_does_not_have_are_refused(queries: QueryFunctions) -> None:
    solver = CompiledSolver(queries, 2, [])
    with pytest.raises(AssertionError):
        solver.satisfiable([3], [])
    with pytest.raises(AssertionError):
        solver.add_clauses([[1, 3]])


def _cube(rng: random.Random, most: int = 5) -> Cube:
    bits = rng.sample(range(1, BITS + 1), rng.randint(1, most))
    return tuple(bit if rng.random() < 0.6 else -bit for bit in bits)


def _orbits(queries: QueryFunctions, frames: int) -> CompiledOrbits:
    orbits = CompiledOrbits(queries, BITS, GROUP, literal_classes(BITS, GROUP))
    for _ in range(frames):
        orbits.open_frame()
    return orbits


@pytest.mark.parametrize("seed", range(20))
def test_images_count_though_the_solver_learns_of_them_late(seed: int, queries: QueryFunctions) -> None:
    """A frame excludes all images of the cubes at its level or above, those that moved up since, too."""
    rng, orbits = random.Random(seed), _orbits(queries, 4)
    clauses = [_literals(rng, BITS + 4, rng.randint(2, 4)) for _ in range(12)]
    solvers = [CompiledSolver(queries, BITS + 4, clauses) for _ in range(4)]
    known: dict[int, tuple[Cube, int]] = {}
    for _ in range(150):
        if rng.random() < 0.15:
            cube, level = _cube(rng), rng.randint(1, 3)
            number, count = orbits.add(cube, level)
            assert count == len(images(cube, GROUP))
            for other in orbits.find_subsumed(number):
                del known[other]
            known[number] = cube, level
            for solver in solvers[1 : level + 1]:
                solver.exclude(orbits, number)
        elif known and rng.random() < 0.1:
            number = rng.choice(sorted(known))
            cube, level = known[number]
            if level < 3:
                orbits.move_up(number, cube, level + 1)
                known[number] = cube, level + 1
        frame = rng.randint(1, 3)
        excluded = [
            image for cube, level in known.values() if level >= frame for image in images(cube, GROUP)
        ]
        own, assumed = _literals(rng, BITS, 3), _cube(rng)
        sat = solvers[frame].satisfiable(own, assumed, orbits, frame)
        _agree(solvers[frame], [*clauses, own, *map(negation, excluded)], assumed, sat)
        asked = _cube(rng, 7)
        assert orbits.excludes(asked, frame) == any(image <= set(asked) for image in excluded)


@pytest.mark.parametrize("seed", range(40))
def test_a_noted_proof_holds_in_every_frame_that_supports_it(seed: int, queries: QueryFunctions) -> None:
    """Also after cubes of the proof are subsumed or moved up, and after cubes of one literal."""
    rng, orbits, supported, unsupported = random.Random(seed), _orbits(queries, 5), 0, 0
    clauses = [_literals(rng, BITS + 8, rng.randint(3, 4)) for _ in range(40)]
    solvers = [CompiledSolver(queries, BITS + 8, clauses) for _ in range(5)]
    known: dict[int, tuple[Cube, int]] = {}
    noted: dict[int, tuple[list[int], Cube]] = {}
    for _ in range(300):
        if rng.random() < 0.15:
            cube, level = _cube(rng, 1 if rng.random() < 0.1 else 6), rng.randint(1, 4)
            number, _ = orbits.add(cube, level)
            for other in orbits.find_subsumed(number):
                del known[other]
                noted.pop(other, None)
            known[number] = cube, level
            for solver in solvers[1 : level + 1]:
                solver.exclude(orbits, number)
        if not known:
            continue
        number = rng.choice(sorted(known))
        cube, level = known[number]
        if level < 4 and rng.random() < 0.2:
            orbits.move_up(number, cube, level + 1)
            known[number] = cube, level + 1
            solvers[level + 1].exclude(orbits, number)
        own, assumed, frame = _literals(rng, BITS, 3), _cube(rng), rng.randint(1, 4)
        if not solvers[frame].satisfiable(own, assumed, orbits, frame):
            orbits.keep_support(number, solvers[frame])
            noted[number] = own, assumed
            assert orbits.is_supported(number, 1) or solvers[frame].core() == set()
        for proved, (own, assumed) in noted.items():
            for frame in range(1, 5):
                if not orbits.is_supported(proved, frame):
                    unsupported += 1
                    continue
                supported += 1
                excluded = [
                    image for cube, at in known.values() if at >= frame for image in images(cube, GROUP)
                ]
                plain = open_solver(QUERY_SOLVER)
                plain.add_clauses([*clauses, own, *map(negation, excluded)])
                assert not satisfiable(plain, assumed)
                plain.close()
    assert supported > 100
    assert unsupported > 100


def test_a_model_that_is_not_compared_with_the_images_may_be_excluded(queries: QueryFunctions) -> None:
    orbits = _orbits(queries, 2)
    number, _ = orbits.add((1,), 1)
    solver = CompiledSolver(queries, BITS, [])
    solver.exclude(orbits, number)
    assert solver.satisfiable([], [2])  # an image of the cube
    assert not solver.satisfiable([], [2], orbits, 1)
    assert solver.core() == {2}


@pytest.mark.parametrize("seed", range(5))
def test_all_that_is_subsumed_is_dropped_and_nothing_else(seed: int, queries: QueryFunctions) -> None:
    rng, orbits, kept = random.Random(seed), _orbits(queries, 4), dict[int, tuple[Cube, int]]()
    for _ in range(200):
        cube, level = _cube(rng), rng.randint(1, 3)
        number, _ = orbits.add(cube, level)
        expected = {
            other
            for other, (lost, at) in kept.items()
            if at <= level and any(image <= set(lost) for image in images(cube, GROUP))
        }
        assert set(orbits.find_subsumed(number)) == expected
        for other in expected:
            del kept[other]
        kept[number] = cube, level
    assert len(kept) < 150


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("marks", [1, 4])
def test_known_steps_are_those_of_a_plain_list(
    marks: int, seed: int, queries: QueryFunctions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the last ones are kept."""
    monkeypatch.setattr(query_functions, "_MARKS", marks)
    rng, orbits, plain = random.Random(seed), _orbits(queries, 2), _Plain([], 2)
    kept = 64 * marks
    solver = CompiledSolver(queries, 2 * BITS, [])
    for number in range(150):
        cube, level = _cube(rng), rng.randrange(1, plain.frames)
        if rng.random() < 0.2:
            orbits.add(cube, level)
            plain.exclude(images(cube, GROUP), range(1, level + 1))
        if rng.random() < 0.05 and plain.frames < 6:
            orbits.open_frame()
            plain.open_frame()
        before, after = (tuple(rng.random() < 0.5 for _ in range(BITS)) for _ in range(2))
        frame = rng.randrange(plain.frames)
        on = [place if value else -place for place, value in enumerate((*before, *after), 1)]
        assert solver.satisfiable([], on)
        assert orbits.add_step(solver, BITS, frame) == number
        plain.add(Step(before, after, 0, (), frame))
        _same_step(orbits, plain, max(0, number + 1 - kept), _cube(rng), rng.randrange(plain.frames))


def _same_step(orbits: CompiledOrbits, plain: _Plain, oldest: int, cube: Cube, frame: int) -> None:
    matching = {
        number
        for number, (before, after, frames) in enumerate(plain.steps)
        if number >= oldest and frame in frames
        for image in images(cube, GROUP)
        if _inside(after, image) and not _inside(before, image)
    }
    found = orbits.known_step(cube, frame, len(GROUP))
    assert (found is not None) == bool(matching)
    if found is not None:
        number, place = found
        assert number in matching
        before, after, _ = plain.steps[number]
        image = move(cube, GROUP[place])
        assert _inside(after, image)
        assert not _inside(before, image)


def _inside(state: Sequence[bool], cube: Sequence[int] | frozenset[int]) -> bool:
    return all(state[abs(literal) - 1] == (literal > 0) for literal in cube)


_RUN = """
import ctypes, random, sys
from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.models import build
from verifier.engines.ic3.problem import problem
from verifier.engines.ic3.search import prove
from verifier.kernels.query_functions import CompiledOrbits, CompiledSolver, QueryFunctions
from verifier.symmetry.bit_permutations import bit_permutations

functions, rng = QueryFunctions(ctypes.CDLL(sys.argv[1])), random.Random(1)
clauses = [[rng.choice((1, -1)) * v for v in rng.sample(range(1, 21), 3)] for _ in range(70)]
solver = CompiledSolver(functions, 20, clauses)
assert solver.satisfiable([], [])
for _ in range(50):
    solver.satisfiable([rng.randint(1, 20)], [rng.randint(1, 20)])
orbits = CompiledOrbits(functions, 2, [(0, 1, 2)], {1: 1, -1: -1, 2: 2, -2: -2})
orbits.open_frame()
orbits.open_frame()
number, _ = orbits.add((1, 2), 1)
assert not solver.satisfiable([], [1, -1], orbits, 1)
orbits.keep_support(number, solver)
for rules in range(3):
    model = build(RandomProtocol({"rules": rules}))
    for name in NAMES:
        prove(problem(model.system, name), bit_permutations(model), functions=functions)
"""


def test_nothing_undefined_is_done(tmp_path: Path) -> None:
    """A sanitizer ends the process at a wrong shift, an index out of bounds, or a null pointer that is copied
    from."""
    compiler, library = shutil.which("gcc") or shutil.which("clang"), tmp_path / "queries.so"
    if compiler is None:
        pytest.skip("no C compiler")
    flags = "-O1 -g -std=gnu11 -fPIC -shared -fsanitize=undefined -fno-sanitize-recover=undefined -x c"
    made = subprocess.run(
        [compiler, *flags.split(), "-o", str(library), "-"],
        input=building.read_sources(building.QUERY_SOURCES),
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("no sanitizer")
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(library)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
