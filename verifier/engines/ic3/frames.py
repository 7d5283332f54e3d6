"""Frames: over-approximations of the states within 0, 1, … actions, one incremental solver each.

A clause is kept at the highest frame in which it is known to hold; it holds in all below. With symmetry
every image of a clause under the permutations holds where the clause does, and is added without a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifier.engines.ic3.lifting import Cube
from verifier.engines.ic3.problem import Problem
from verifier.solvers.assuming import AssumingSolver
from verifier.symmetry.bit_permutations import Permutation

_MOST_TEMPORARY = 1500
"""A solver is built anew after so many clauses that served one query each."""


@dataclass(frozen=True)
class Transition:
    """A state, and the step that takes it into the cube asked about."""

    state: tuple[int, ...]
    step: int
    inputs: tuple[bool, ...]


@dataclass(eq=False)
class Orbit:
    """A blocked cube and its images under the permutations; the first is the representative."""

    images: tuple[frozenset[int], ...]

    @property
    def cube(self) -> Cube:
        """The representative."""
        return tuple(self.images[0])


class Frames:
    """The frames 0 (the initial states), 1, …, ``last``."""

    def __init__(self, problem: Problem, permutations: Sequence[Permutation]) -> None:
        # Seeds were found by walks that treat no two elements alike. An image of an inductive set is
        # inductive; only with all images may a clause's images be added without a query.
        self.problem = replace(problem, seeds=_with_images(problem.seeds, permutations))
        self._permutations = permutations
        self.levels: list[list[Orbit]] = []
        self._solvers: list[_FrameSolver] = []
        self.uses: dict[int, int] = {}
        """In how many blocked cubes each literal is."""
        self.queries = 0
        self._alone = AssumingSolver([*problem.frames.start, *problem.frames.state], problem.bits)
        self._only = self._only_initial_state()
        self._last_states: AssumingSolver | None = None
        self.open()

    @property
    def last(self) -> int:
        """The highest frame."""
        return len(self.levels) - 1

    def open(self) -> None:
        """Adds a frame, which excludes nothing but what the seeds exclude."""
        # What is known needs no copy in the next state: the relation keeps it.
        known = [[literal] for literal in self.problem.known]
        clauses = [*self.problem.frames.state, *self.problem.frames.relation, *self.problem.seeds, *known]
        stride = self.problem.frames.stride
        clauses += [[v + stride if v > 0 else v - stride for v in seed] for seed in self.problem.seeds]
        if not self.levels:
            clauses += self.problem.frames.start
        self.levels.append([])
        self._solvers.append(_FrameSolver(self, len(self._solvers), clauses))
        if self._last_states is not None:
            self._last_states.close()
        # Without the relation: a state that violates the property may have no successor.
        states = [*self.problem.frames.state, *self.problem.seeds, *known]
        self._last_states = AssumingSolver(states, self.problem.bits)

    def blocked_at(self, level: int) -> list[frozenset[int]]:
        """All cubes that the frame excludes, beside the seeds."""
        return [image for orbits in self.levels[level:] for orbit in orbits for image in orbit.images]

    # Queries

    def initial(self, cube: Sequence[int]) -> tuple[int, ...] | None:
        """An initial state in the cube; None if there is none."""
        if self._only is not None:
            return None if any(-literal in self._only for literal in cube) else tuple(self._only)
        if not self._alone.solve(cube):
            return None
        return tuple(self._alone.model()[: self.problem.bits])

    def initial_violation(self) -> tuple[int, ...] | None:
        """An initial state that violates the property."""
        if not self._alone.solve([-self.problem.holds]):
            return None
        return tuple(self._alone.model()[: self.problem.bits])

    def violation(self) -> tuple[int, ...] | None:
        """A state of the last frame that violates the property."""
        self.queries += 1
        assert self._last_states is not None
        if not self._last_states.solve([-self.problem.holds]):
            return None
        return tuple(self._last_states.model()[: self.problem.bits])

    def reaches(self, cube: Cube, level: int) -> Transition | Cube:
        """A transition from the frame below ``level``, outside the cube, into it; else a part of the cube
        of which none exists, disjoint from the initial states."""
        self.queries += 1
        found = self._solvers[level - 1].reaches(cube)
        return found if isinstance(found, Transition) else self._apart_from_initial(cube, found)

    def is_blocked(self, cube: Cube, level: int) -> bool:
        """Whether a clause of the frame excludes the cube, by looking."""
        literals = set(cube)
        return any(
            image <= literals for orbits in self.levels[level:] for orbit in orbits for image in orbit.images
        )

    def _only_initial_state(self) -> frozenset[int] | None:
        """The literals of the initial state if there is just one."""
        if not self._alone.solve():
            return None
        state = self._alone.model()[: self.problem.bits]
        if any(self._alone.solve([-literal]) for literal in state):
            return None
        return frozenset(state)

    def _apart_from_initial(self, cube: Cube, part: set[int]) -> Cube:
        kept = [literal for literal in cube if literal in part]
        if self.initial(kept) is None:
            return tuple(kept)
        rest = [literal for literal in cube if literal not in part]
        if self._only is not None:
            apart = next(literal for literal in rest if -literal in self._only)
            return (*kept, apart)
        for literal in rest:
            kept.append(literal)
            if self.initial(kept) is None:
                break
        return tuple(kept)

    # Clauses

    def block(self, cube: Cube, level: int) -> None:
        """Excludes the cube and its images from the frames 1 to ``level``."""
        orbit = Orbit(self._images(cube))
        representative = orbit.images[0]
        for below in range(1, level + 1):
            self.levels[below] = [old for old in self.levels[below] if not _covers(orbit, old)]
            self._exclude(orbit, below)
        self.levels[level].append(orbit)
        for literal in representative:
            self.uses[literal] = self.uses.get(literal, 0) + 1

    def raise_to(self, orbit: Orbit, cube: Cube, level: int) -> None:
        """Moves an orbit of the level below up, or the part of it that was found to hold there."""
        if len(cube) < len(orbit.images[0]):
            self.block(cube, level)
            return
        self.levels[level - 1].remove(orbit)
        self.levels[level].append(orbit)
        self._exclude(orbit, level)

    def _exclude(self, orbit: Orbit, level: int) -> None:
        for image in orbit.images:
            clause = [-literal for literal in image]
            self._solvers[level].solver.add(clause)
            if level == self.last and self._last_states is not None:
                self._last_states.add(clause)

    def _images(self, cube: Cube) -> tuple[frozenset[int], ...]:
        moved = (
            frozenset(p[literal] if literal > 0 else -p[-literal] for literal in cube)
            for p in self._permutations
        )
        return tuple(dict.fromkeys(moved))


def _with_images(clauses: Sequence[Sequence[int]], permutations: Sequence[Permutation]) -> list[list[int]]:
    """The clauses and all their images, each once."""
    images = (
        tuple(sorted((p[v] if v > 0 else -p[-v] for v in clause), key=abs))
        for clause in clauses
        for p in permutations
    )
    return [list(image) for image in dict.fromkeys(images)]


def _covers(orbit: Orbit, other: Orbit) -> bool:
    """Whether an image excludes all that the other does; by symmetry one representative decides."""
    representative = other.images[0]
    return any(image <= representative for image in orbit.images)


class _FrameSolver:
    """One frame's states with the relation to their successors."""

    def __init__(self, frames: Frames, level: int, clauses: list[list[int]]) -> None:
        self._frames = frames
        self._level = level
        self._clauses = clauses
        unrolled = frames.problem.frames
        self._stride = unrolled.stride
        self._first_free = unrolled.stride + max(unrolled.stride, unrolled.bits) + 1
        self.solver = AssumingSolver(clauses, self._first_free - 1)
        self._next = self._first_free

    def reaches(self, cube: Cube) -> Transition | set[int]:
        """A transition into the cube from outside it, or the literals of the cube that exclude one."""
        if self._next > self._first_free + _MOST_TEMPORARY:
            self._rebuild()
        outside = self._next
        self._next += 1
        stride = self._stride
        self.solver.add([-outside, *(-literal for literal in cube)])
        after = [literal + stride if literal > 0 else literal - stride for literal in cube]
        if self.solver.solve([outside, *after]):
            result: Transition | set[int] = self._transition(self.solver.model())
        else:
            core = (literal for literal in self.solver.core() if literal != outside)
            result = {literal - stride if literal > 0 else literal + stride for literal in core}
        self.solver.add([-outside])
        return result

    def _transition(self, model: list[int]) -> Transition:
        unrolled = self._frames.problem.frames
        taken = next(index for index, variable in enumerate(unrolled.firing) if model[variable - 1] > 0)
        inputs = tuple(model[variable - 1] > 0 for variable in unrolled.inputs[taken])
        return Transition(tuple(model[: unrolled.bits]), taken, inputs)

    def _rebuild(self) -> None:
        self.solver.close()
        self.solver = AssumingSolver(self._clauses, self._first_free - 1)
        self._next = self._first_free
        if self._level:
            for image in self._frames.blocked_at(self._level):
                self.solver.add([-literal for literal in image])
