"""IC3's frames: over-approximations of the states within 0, 1, … actions.

A clause is stored at the highest frame in which it is known to hold; it holds in all lower frames, too. With
symmetry, every image of a clause under the permutations holds where the clause holds, and is added without
a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.clauses.fewer_gates import with_fewer_gates
from verifier.engines.ic3.clause_orbits import BlockedCube
from verifier.engines.ic3.cubes import Cube, images, negation
from verifier.engines.ic3.frame_queries import (
    CompiledQueries,
    FrameQueries,
    PlainQueries,
    find_blocked_cubes,
)
from verifier.engines.ic3.known_steps import Predecessor
from verifier.engines.ic3.problem import Problem
from verifier.kernels.query_functions import QueryFunctions
from verifier.solvers import QUERY_SOLVER, ClauseSolver, open_solver, satisfiable
from verifier.symmetry.bit_permutations import Permutation


@dataclass(frozen=True)
class Blocked:
    """A core without initial states, into which no step leads from outside it in the frame below."""

    core: Cube
    """A part of the cube that was asked about."""


class Frames:
    """The frames 0 (the initial states), 1, …, ``frontier``."""

    def __init__(
        self,
        problem: Problem,
        permutations: Sequence[Permutation],
        solver: str = QUERY_SOLVER,
        functions: QueryFunctions | None = None,
    ) -> None:
        """With ``functions``, the library answers queries about frames."""
        # Random walks do not treat all elements alike, so the seeds they found need not be symmetric. An
        # image of an inductive set is inductive. Only because the seeds have all images may the images of a
        # clause be added without a query.
        seeds = _with_images(problem.seeds, permutations)
        within = [*seeds, *([literal] for literal in problem.lemmas)]
        # Neither is asserted of the next state: both are inductive, so the relation keeps them.
        steps = with_fewer_gates(problem.unrolling, within)
        self.problem = replace(problem, seeds=seeds, unrolling=steps)
        self._solver_name = solver
        self.levels: list[dict[BlockedCube, None]] = []
        self._queries: FrameQueries = (
            PlainQueries(self.problem, permutations, solver, self.levels)
            if functions is None
            else CompiledQueries(self.problem, permutations, functions)
        )
        self.uses: dict[int, int] = {}
        """In how many blocked cubes each literal is."""
        self.queries = 0
        self._found: Predecessor | None = None
        """Why the cube that was asked about last is not blocked."""
        self._init = self._open_solver([*steps.start, *steps.state])
        self._only_initial_state = self._find_only_initial_state()
        self._not_initial = frozenset(negation(self._only_initial_state or ()))
        """The literals that exclude the only initial state."""
        self.open_frame()

    @property
    def frontier(self) -> int:
        """The last frame."""
        return len(self.levels) - 1

    def open_frame(self) -> None:
        """Adds a frame, which excludes only what the seeds and the lemmas exclude."""
        self.levels.append({})
        self._queries.open_frame()

    def find_blocked_cubes(self, level: int) -> list[frozenset[int]]:
        """All cubes that the frame excludes; what only the seeds exclude is not among them."""
        return find_blocked_cubes(self.levels, level)

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
        return self._queries.bad_state()

    def relative_induction(self, cube: Cube, level: int) -> Blocked | Predecessor:
        """True if the cube's clause is inductive relative to the frame below ``level``. The cube must contain
        no initial state."""
        return self._query_relative_induction(cube, level) or self.predecessor()

    def core_at(self, cube: Cube, level: int) -> Blocked | None:
        """Query a cube; a predecessor of an image of the cube is an answer, too."""
        self._found = self._queries.find_known(cube, level - 1)
        return self._query_relative_induction(cube, level) if self._found is None else None

    def predecessor(self) -> Predecessor:
        """Return the predecessor for which the last asked cube, or an image of it, is not blocked."""
        assert self._found is not None
        return self._found

    def _query_relative_induction(self, cube: Cube, level: int) -> Blocked | None:
        """True if the cube's clause is inductive relative to the frame below, by a query."""
        self.queries += 1
        answer = self._queries.ask(cube, level - 1)
        if isinstance(answer, Predecessor):
            self._found = answer
            return None
        return Blocked(self._without_initial_states(cube, answer))

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """True if a single clause of the frame excludes the cube. No solver is asked."""
        return self._queries.is_blocked(cube, level)

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

    def add_blocked(self, cube: Cube, level: int) -> BlockedCube:
        """Excludes the cube and its images from the frames 1 to ``level``."""
        orbit, subsumed = self._queries.add(cube, level)
        for other in subsumed:
            del self.levels[other.level][other]
        self.levels[level][orbit] = None
        for literal in orbit.cube:
            self.uses[literal] = self.uses.get(literal, 0) + 1
        return orbit

    def propagate(self, orbit: BlockedCube, level: int) -> bool:
        """Moves an orbit from its frame ``level`` to the next, or adds its core there if that is smaller;
        False if it does not hold there. A predecessor of an image is an answer, too."""
        if self._queries.is_supported(orbit, level):
            self.move_up(orbit, level + 1)
            return True
        answer = self.core_at(orbit.cube, level + 1)
        if answer is None:
            return False
        if len(answer.core) < len(orbit.cube):
            orbit = self.add_blocked(answer.core, level + 1)
        else:
            self.move_up(orbit, level + 1)
        self._queries.keep_support(orbit, level)
        return True

    def move_up(self, orbit: BlockedCube, level: int) -> None:
        """Moves an orbit from the frame below to ``level``."""
        del self.levels[level - 1][orbit]
        self.levels[level][orbit] = None
        self._queries.move_up(orbit, level)


def _with_images(clauses: Sequence[Sequence[int]], permutations: Sequence[Permutation]) -> list[list[int]]:
    """The clauses and all their images, each once."""
    moved = (sorted(image, key=abs) for clause in clauses for image in images(clause, permutations))
    return [list(image) for image in dict.fromkeys(map(tuple, moved))]
