"""Queries about frames: by MiniSat, with all clauses of a frame in its solver, or by the compiled library.

The library has a solver of its own, in which an image of a blocked cube is excluded only once a model is in
it. That is sound for two reasons. A core contradicts some clauses of the frame, so it contradicts the frame.
A model counts only when no image of any cube that the frame excludes contains its state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from verifier.engines.ic3.clause_orbits import BlockedCube, Orbit, OrbitIndex
from verifier.engines.ic3.cubes import Cube, images, literal_classes, mask, negation
from verifier.engines.ic3.known_steps import MOST_IMAGES, KnownSteps, Predecessor, Step, move
from verifier.engines.ic3.problem import Problem
from verifier.engines.ic3.query_solver import QuerySolver
from verifier.kernels.query_functions import MOST_KEPT, CompiledOrbits, CompiledSolver, QueryFunctions
from verifier.solvers import ClauseSolver, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation

_MOST_TEMPORARY = 1500
"""The number of queries after which a frame's solver is built again."""


class FrameQueries(Protocol):
    """The frames as a search asks about them. ``Frames`` keeps the blocked cubes by their levels."""

    def open_frame(self) -> None:
        """Adds a frame, which excludes only what the seeds and the lemmas exclude."""

    def add(self, cube: Cube, level: int) -> tuple[BlockedCube, Sequence[BlockedCube]]:
        """Excludes a cube and its images from the frames 1 to ``level``. Returns also those that the cube
        makes superfluous, which are dropped."""

    def move_up(self, orbit: BlockedCube, level: int) -> None:
        """Excludes an orbit from one more frame."""

    def keep_support(self, orbit: BlockedCube, frame: int) -> None:
        """Notes that the last query of the frame proved the orbit's clause in the next."""

    def is_supported(self, orbit: BlockedCube, frame: int) -> bool:
        """True if the frame has all clauses from which an earlier query proved the orbit's clause."""

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """True if a single clause of the frame excludes the cube. No solver is asked."""

    def find_known(self, cube: Cube, frame: int) -> Predecessor | None:
        """A known predecessor, in the frame, of the cube or an image of it."""

    def ask(self, cube: Cube, frame: int) -> set[int] | Predecessor:
        """A predecessor in the frame of the cube, outside it; else the literals of the cube that suffice."""

    def bad_state(self) -> tuple[int, ...] | None:
        """A state of the frontier that violates the property."""


def find_blocked_cubes(levels: Sequence[Iterable[BlockedCube]], level: int) -> list[frozenset[int]]:
    """The cubes that the frame excludes, with all images."""
    return [image for orbits in levels[level:] for orbit in orbits for image in orbit.images]


def _state(values: Sequence[bool]) -> tuple[int, ...]:
    return tuple([bit if on else -bit for bit, on in enumerate(values, 1)])


class PlainQueries:
    """Frames with a solver for each, which knows its states and the steps to their successors."""

    def __init__(
        self,
        problem: Problem,
        permutations: Sequence[Permutation],
        solver: str,
        levels: Sequence[Mapping[BlockedCube, None]],
    ) -> None:
        self._problem = problem
        self._permutations = permutations
        self._class_of = literal_classes(problem.bits, permutations)
        self._solver_name = solver
        self._levels = levels
        self._index = OrbitIndex()
        self._solvers: list[QuerySolver] = []
        self._known = KnownSteps(problem.bits, permutations)
        self._frontier_states: ClauseSolver | None = None

    def open_frame(self) -> None:
        """Opens a solver."""
        unrolling, level = self._problem.unrolling, len(self._solvers)
        clauses = [*unrolling.relation, *([] if level else unrolling.start)]

        def permanent() -> list[list[int]]:
            return [*clauses, *map(negation, find_blocked_cubes(self._levels, level) if level else ())]

        self._known.open_frame()
        self._solvers.append(
            QuerySolver(self._solver_name, permanent, self._problem.first_free, _MOST_TEMPORARY)
        )
        if self._frontier_states is not None:
            self._frontier_states.close()
        # This solver has no relation: a bad state may have no successor.
        self._frontier_states = open_solver(self._solver_name)
        self._frontier_states.add_clauses(unrolling.state)

    def add(self, cube: Cube, level: int) -> tuple[Orbit, list[Orbit]]:
        """Adds all images to all solvers."""
        orbit = Orbit(images(cube, self._permutations), self._classes(cube))
        orbit.level = level
        subsumed = self._index.find_subsumed(orbit)
        for other in subsumed:
            self._index.remove(other)
        for below in range(1, level + 1):
            self._exclude(orbit, below)
        self._known.exclude(orbit.images, range(1, level + 1))
        self._index.add(orbit)
        return orbit, subsumed

    def move_up(self, orbit: BlockedCube, level: int) -> None:
        """Adds all images to one more solver."""
        assert isinstance(orbit, Orbit)
        orbit.level = level
        self._exclude(orbit, level)
        self._known.exclude(orbit.images, range(level, level + 1))

    def keep_support(self, orbit: BlockedCube, frame: int) -> None:
        """MiniSat does not say from which clauses an answer follows."""

    def is_supported(self, orbit: BlockedCube, frame: int) -> bool:
        """Never known."""
        return False

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """Looks at all images."""
        outside, outside_classes = ~mask(cube), ~mask(self._classes(cube))
        return any(
            not image & outside
            for orbits in self._levels[level:]
            for orbit in orbits
            if isinstance(orbit, Orbit) and not orbit.class_mask & outside_classes
            for image in orbit.masks
        )

    def find_known(self, cube: Cube, frame: int) -> Predecessor | None:
        """Looks among the known steps."""
        return self._known.into(cube, frame)

    def ask(self, cube: Cube, frame: int) -> set[int] | Predecessor:
        """Asks the frame's solver."""
        solver = self._solvers[frame]
        after = self._problem.after(cube)
        if solver.satisfiable(negation(cube), after):
            return self._known.add(self._step_found(solver, frame), cube)
        failed = solver.core()
        return {now for now, later in zip(cube, after, strict=True) if later in failed}

    def bad_state(self) -> tuple[int, ...] | None:
        """Asks the frontier's solver."""
        solver = self._frontier_states
        assert solver is not None
        if not satisfiable(solver, [-self._problem.holds]):
            return None
        return _state(solver.values(range(1, self._problem.bits + 1)))

    def _step_found(self, solver: QuerySolver, frame: int) -> Step:
        """The step that the frame's solver found."""
        steps, bits = self._problem.unrolling, self._problem.bits
        values = solver.values(range(1, self._problem.first_free))
        taken = next(place for place, variable in enumerate(steps.firing) if values[variable - 1])
        inputs = tuple(values[variable - 1] for variable in steps.inputs[taken])
        return Step(values[:bits], values[steps.stride : steps.stride + bits], taken, inputs, frame)

    def _classes(self, cube: Cube) -> frozenset[int]:
        return frozenset(map(self._class_of.__getitem__, cube))

    def _exclude(self, orbit: Orbit, level: int) -> None:
        self._solvers[level].add_clauses(orbit.clauses)
        if level == len(self._solvers) - 1 and self._frontier_states is not None:
            self._frontier_states.add_clauses(orbit.clauses)


class CompiledOrbit:
    """A blocked cube with a number in the library."""

    def __init__(
        self, cube: Cube, level: int, number: int, count: int, permutations: Sequence[Permutation]
    ) -> None:
        self.cube = cube
        self.level = level
        self.number = number
        self.count = count
        self._permutations = permutations

    @property
    def images(self) -> tuple[frozenset[int], ...]:
        """The cube and its images."""
        return images(self.cube, self._permutations)


class CompiledQueries:
    """Frames in the library, whose solvers learn of images when a model is in them."""

    def __init__(
        self, problem: Problem, permutations: Sequence[Permutation], functions: QueryFunctions
    ) -> None:
        self._problem = problem
        self._permutations = permutations
        self._functions = functions
        classes = literal_classes(problem.bits, permutations)
        self._orbits = CompiledOrbits(functions, problem.bits, permutations, classes)
        self._by_number: dict[int, CompiledOrbit] = {}
        self._solvers: list[CompiledSolver] = []
        self._steps: dict[int, tuple[bytes, int, tuple[bool, ...]]] = {}
        """For each known step the state before, its instance and inputs."""
        self._frontier_states: CompiledSolver | None = None

    def open_frame(self) -> None:
        """Opens a solver."""
        unrolling, first = self._problem.unrolling, not self._solvers
        variables = self._problem.first_free - 1
        self._orbits.open_frame()
        clauses = [*unrolling.relation, *(unrolling.start if first else ())]
        self._solvers.append(CompiledSolver(self._functions, variables, clauses))
        # This solver has no relation: a bad state may have no successor.
        self._frontier_states = CompiledSolver(self._functions, variables, unrolling.state)

    def add(self, cube: Cube, level: int) -> tuple[CompiledOrbit, list[CompiledOrbit]]:
        """Adds the clause of the cube to all solvers, and its images to what models are compared with."""
        number, count = self._orbits.add(cube, level)
        orbit = self._by_number[number] = CompiledOrbit(cube, level, number, count, self._permutations)
        subsumed = [self._by_number.pop(other) for other in self._orbits.find_subsumed(number)]
        for solver in self._solvers[1 : level + 1]:
            solver.exclude(self._orbits, number)
        return orbit, subsumed

    def move_up(self, orbit: BlockedCube, level: int) -> None:
        """Adds the clause of the cube to one more solver."""
        assert isinstance(orbit, CompiledOrbit)
        orbit.level = level
        self._orbits.move_up(orbit.number, orbit.cube, level)
        self._solvers[level].exclude(self._orbits, orbit.number)

    def keep_support(self, orbit: BlockedCube, frame: int) -> None:
        """Keeps the orbits that the answer follows from. The initial states of frame 0 are none of them."""
        assert isinstance(orbit, CompiledOrbit)
        if frame:
            self._orbits.keep_support(orbit.number, self._solvers[frame])

    def is_supported(self, orbit: BlockedCube, frame: int) -> bool:
        """Looks at the levels of the kept orbits."""
        assert isinstance(orbit, CompiledOrbit)
        return self._orbits.is_supported(orbit.number, frame)

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """Looks at all images."""
        return self._orbits.excludes(cube, level)

    def find_known(self, cube: Cube, frame: int) -> Predecessor | None:
        """Looks among the known steps."""
        known = self._orbits.known_step(cube, frame, MOST_IMAGES)
        if known is None:
            return None
        number, place = known
        return self._predecessor(number, move(cube, self._permutations[place]))

    def ask(self, cube: Cube, frame: int) -> set[int] | Predecessor:
        """Asks the frame's solver."""
        solver, after = self._solvers[frame], self._problem.after(cube)
        # The initial states are not blocked cubes.
        orbits = self._orbits if frame else None
        steps = self._problem.unrolling
        if solver.satisfiable(negation(cube), after, orbits, frame):
            number = self._orbits.add_step(solver, steps.stride, frame)
            firing = solver.values(steps.firing)
            taken = firing.index(True)
            self._steps.pop(number - MOST_KEPT, None)
            before = bytes(solver.values(range(1, self._problem.bits + 1)))
            self._steps[number] = before, taken, tuple(solver.values(steps.inputs[taken]))
            return self._predecessor(number, cube)
        stride = steps.stride
        return {literal - stride if literal > 0 else literal + stride for literal in solver.core()}

    def bad_state(self) -> tuple[int, ...] | None:
        """Asks the frontier's solver."""
        solver, frontier = self._frontier_states, len(self._solvers) - 1
        assert solver is not None
        if not solver.satisfiable((), [-self._problem.holds], self._orbits if frontier else None, frontier):
            return None
        return _state(solver.values(range(1, self._problem.bits + 1)))

    def _predecessor(self, number: int, into: Cube) -> Predecessor:
        before, instance, inputs = self._steps[number]
        return Predecessor(before, instance, inputs, into, number)
