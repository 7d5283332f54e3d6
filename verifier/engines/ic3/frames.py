"""IC3's frames: over-approximations of the states within 0, 1, … actions, with one solver for each.

A clause is stored at the highest frame in which it is known to hold; it holds in all lower frames, too. With
symmetry, every image of a clause under the permutations holds where the clause holds, and is added without
a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.clauses.fewer_gates import with_fewer_gates
from verifier.engines.ic3.clause_orbits import Orbit, OrbitIndex
from verifier.engines.ic3.cubes import Cube, images, literal_classes, mask, negation
from verifier.engines.ic3.known_steps import KnownSteps, Predecessor, Step
from verifier.engines.ic3.problem import Problem
from verifier.engines.ic3.query_solver import QuerySolver
from verifier.solvers import QUERY_SOLVER, ClauseSolver, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation

_MOST_TEMPORARY = 1500
"""The number of queries after which a frame's solver is built again."""


@dataclass(frozen=True)
class Blocked:
    """A core without initial states, into which no step leads from outside it in the frame below."""

    core: Cube
    """A part of the cube that was asked about."""


class Frames:
    """The frames 0 (the initial states), 1, …, ``frontier``."""

    def __init__(
        self, problem: Problem, permutations: Sequence[Permutation], solver: str = QUERY_SOLVER
    ) -> None:
        # Random walks do not treat all elements alike, so the seeds they found need not be symmetric. An
        # image of an inductive set is inductive. Only because the seeds have all images may the images of a
        # clause be added without a query.
        seeds = _with_images(problem.seeds, permutations)
        within = [*seeds, *([literal] for literal in problem.lemmas)]
        # Neither is asserted of the next state: both are inductive, so the relation keeps them.
        steps = with_fewer_gates(problem.unrolling, within)
        self.problem = replace(problem, seeds=seeds, unrolling=steps)
        self._permutations = permutations
        self._class_of = literal_classes(problem.bits, permutations)
        self._solver_name = solver
        self.levels: list[dict[Orbit, None]] = []
        self._index = OrbitIndex()
        self._solvers: list[QuerySolver] = []
        """For each frame a solver that knows its states and the steps to their successors."""
        self.uses: dict[int, int] = {}
        """In how many blocked cubes each literal is."""
        self.queries = 0
        self._known = KnownSteps(problem.bits, permutations)
        self._found: Predecessor | None = None
        """Why the cube that was asked about last is not blocked."""
        self._init = self._open_solver([*steps.start, *steps.state])
        self._only_initial_state = self._find_only_initial_state()
        self._not_initial = frozenset(negation(self._only_initial_state or ()))
        """The literals that exclude the only initial state."""
        self._frontier_states: ClauseSolver | None = None
        self.open_frame()

    @property
    def frontier(self) -> int:
        """The last frame."""
        return len(self.levels) - 1

    def open_frame(self) -> None:
        """Adds a frame, which excludes only what the seeds and the lemmas exclude."""
        unrolling = self.problem.unrolling
        clauses = [*unrolling.relation, *([] if self.levels else unrolling.start)]
        level, first_free = len(self.levels), self.problem.first_free
        self.levels.append({})
        self._known.open_frame()

        def permanent() -> list[list[int]]:
            blocked = self.find_blocked_cubes(level) if level else ()
            return [*clauses, *map(negation, blocked)]

        self._solvers.append(QuerySolver(self._solver_name, permanent, first_free, _MOST_TEMPORARY))
        if self._frontier_states is not None:
            self._frontier_states.close()
        # This solver has no relation: a bad state may have no successor.
        self._frontier_states = self._open_solver(unrolling.state)

    def find_blocked_cubes(self, level: int) -> list[frozenset[int]]:
        """All cubes that the frame excludes; what only the seeds exclude is not among them."""
        return [image for orbits in self.levels[level:] for orbit in orbits for image in orbit.images]

    # Queries

    def initial_state_in(self, cube: Sequence[int]) -> tuple[int, ...] | None:
        """An initial state in the cube; None if there is none."""
        only = self._only_initial_state
        if only is not None:
            return tuple(only) if self._not_initial.isdisjoint(cube) else None
        return self._state_of(self._init, cube)

    def initial_bad_state(self) -> tuple[int, ...] | None:
        """An initial state that violates the property."""
        return self._state_of(self._init, [-self.problem.holds])

    def bad_state(self) -> tuple[int, ...] | None:
        """A state of the frontier that violates the property."""
        self.queries += 1
        assert self._frontier_states is not None
        return self._state_of(self._frontier_states, [-self.problem.holds])

    def relative_induction(self, cube: Cube, level: int) -> Blocked | Predecessor:
        """True if the cube's clause is inductive relative to the frame below ``level``. The cube must contain
        no initial state."""
        return self._query_relative_induction(cube, level) or self.predecessor()

    def core_at(self, cube: Cube, level: int) -> Blocked | None:
        """Query a cube; a predecessor of an image of the cube is an answer, too."""
        self._found = self._known.into(cube, level - 1)
        return self._query_relative_induction(cube, level) if self._found is None else None

    def predecessor(self) -> Predecessor:
        """Return the predecessor for which the last asked cube, or an image of it, is not blocked."""
        assert self._found is not None
        return self._found

    def _query_relative_induction(self, cube: Cube, level: int) -> Blocked | None:
        """True if the cube's clause is inductive relative to the frame below, by a query."""
        self.queries += 1
        solver = self._solvers[level - 1]
        after = self.problem.after(cube)
        if solver.satisfiable(negation(cube), after):
            self._found = self._known.add(self._step_found(level - 1), cube)
            return None
        failed = solver.core()
        core = {now for now, later in zip(cube, after, strict=True) if later in failed}
        return Blocked(self._without_initial_states(cube, core))

    def _step_found(self, frame: int) -> Step:
        """The step that the frame's solver found."""
        steps, bits = self.problem.unrolling, self.problem.bits
        values = self._solvers[frame].values(range(1, self.problem.first_free))
        taken = next(place for place, variable in enumerate(steps.firing) if values[variable - 1])
        inputs = tuple(values[variable - 1] for variable in steps.inputs[taken])
        return Step(values[:bits], values[steps.stride : steps.stride + bits], taken, inputs, frame)

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """True if a single clause of the frame excludes the cube. No solver is asked."""
        outside, outside_classes = ~mask(cube), ~mask(self._classes(cube))
        return any(
            not image & outside
            for orbits in self.levels[level:]
            for orbit in orbits
            if not orbit.class_mask & outside_classes
            for image in orbit.masks
        )

    def _classes(self, cube: Cube) -> frozenset[int]:
        return frozenset(map(self._class_of.__getitem__, cube))

    def _open_solver(self, clauses: list[list[int]]) -> ClauseSolver:
        solver = open_solver(self._solver_name)
        solver.add_clauses(clauses)
        return solver

    def _state_of(self, solver: ClauseSolver, assumptions: Sequence[int]) -> tuple[int, ...] | None:
        return self._state(solver) if satisfiable(solver, assumptions) else None

    def _state(self, solver: ClauseSolver) -> tuple[int, ...]:
        bits = range(1, self.problem.bits + 1)
        return tuple(bit if on else -bit for bit, on in zip(bits, solver.values(bits), strict=True))

    def _find_only_initial_state(self) -> frozenset[int] | None:
        """The literals of the initial state if there is exactly one."""
        state = self._state_of(self._init, ())
        if state is None or any(satisfiable(self._init, [-v]) for v in state):
            return None
        return frozenset(state)

    def _without_initial_states(self, cube: Cube, core: set[int]) -> Cube:
        """The core, with literals of the cube added until no initial state is in it."""
        kept = [literal for literal in cube if literal in core]
        if self.initial_state_in(kept) is None:
            return tuple(kept)
        rest = [literal for literal in cube if literal not in core]
        if self._only_initial_state is not None:
            return (*kept, next(literal for literal in rest if literal in self._not_initial))
        for literal in rest:
            kept.append(literal)
            if self.initial_state_in(kept) is None:
                break
        return tuple(kept)

    # Clauses

    def push_forward(self, core: Cube, level: int) -> tuple[Cube, int]:
        """The highest frame in which a cube that is blocked at ``level`` is blocked, and its core there."""
        while level < self.frontier:
            answer = self.core_at(core, level + 1)
            if answer is None:
                break
            core, level = answer.core, level + 1
        return core, level

    def add_blocked(self, cube: Cube, level: int) -> None:
        """Excludes the cube and its images from the frames 1 to ``level``."""
        orbit = Orbit(images(cube, self._permutations), self._classes(cube))
        orbit.level = level
        for other in self._index.find_subsumed(orbit):
            del self.levels[other.level][other]
            self._index.remove(other)
        for below in range(1, level + 1):
            self._exclude(orbit, below)
        self._known.exclude(orbit.images, range(1, level + 1))
        self.levels[level][orbit] = None
        self._index.add(orbit)
        for literal in orbit.cube:
            self.uses[literal] = self.uses.get(literal, 0) + 1

    def move_up(self, orbit: Orbit, core: Cube, level: int) -> None:
        """Moves an orbit from the frame below to ``level``, or adds its core there if that is smaller."""
        if len(core) < len(orbit.cube):
            self.add_blocked(core, level)
            return
        del self.levels[level - 1][orbit]
        self.levels[level][orbit] = None
        orbit.level = level
        self._exclude(orbit, level)
        self._known.exclude(orbit.images, range(level, level + 1))

    def _exclude(self, orbit: Orbit, level: int) -> None:
        self._solvers[level].add_clauses(orbit.clauses)
        if level == self.frontier and self._frontier_states is not None:
            self._frontier_states.add_clauses(orbit.clauses)


def _with_images(clauses: Sequence[Sequence[int]], permutations: Sequence[Permutation]) -> list[list[int]]:
    """The clauses and all their images, each once."""
    moved = (sorted(image, key=abs) for clause in clauses for image in images(clause, permutations))
    return [list(image) for image in dict.fromkeys(map(tuple, moved))]
