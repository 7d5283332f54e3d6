"""The loop of IC3: exclude what leads to a violation, push clauses up, stop where two frames are equal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.engines.ic3.frames import Frames, Transition
from verifier.engines.ic3.generalisation import Generalisation
from verifier.engines.ic3.lifting import Lifting
from verifier.engines.ic3.obligations import Obligation, Queue
from verifier.engines.ic3.problem import Problem
from verifier.symmetry.bit_permutations import Permutation

_SECONDS_BETWEEN_NEWS = 1.0


@dataclass(frozen=True)
class FrameClosed:
    """No execution of at most ``frame`` actions violates the property."""

    frame: int
    clauses: int
    """Clauses learned, images counted, that hold in some frame from 1 on."""
    obligations: int
    """Cubes taken up so far."""
    queries: int
    seconds: float


@dataclass(frozen=True)
class Working:
    """News from within a frame."""

    frame: int
    clauses: int
    obligations: int
    waiting: int
    seconds: float


@dataclass(frozen=True)
class Proof:
    """Clauses over the state bits: together inductive, and they imply the property."""

    clauses: tuple[tuple[int, ...], ...]
    learned: int
    """How many of them, at the front, are learned; the rest are seeds."""
    frame: int
    queries: int
    seconds: float


@dataclass(frozen=True)
class Counterexample:
    """An initial state, and instances (by index) with their inputs that lead from it to a violation."""

    initial: tuple[bool, ...]
    firings: tuple[tuple[int, tuple[bool, ...]], ...]
    queries: int
    seconds: float


Event = FrameClosed | Working


def prove(
    problem: Problem,
    permutations: Sequence[Permutation],
    listen: Callable[[Event], None] = lambda _: None,
) -> Proof | Counterexample:
    """Proves the property, or finds an execution that violates it. Takes as long as it takes."""
    return _Search(problem, permutations, listen).run()


class _Search:
    def __init__(
        self, problem: Problem, permutations: Sequence[Permutation], listen: Callable[[Event], None]
    ) -> None:
        self.began = self.told = time.monotonic()
        self.listen = listen
        self.frames = Frames(problem, permutations)
        self.lifting = Lifting(problem)
        self.generalisation = Generalisation(self.frames, self.lifting)
        self.taken_up = 0

    def run(self) -> Proof | Counterexample:
        """The loop over frames."""
        state = self.frames.initial_violation()
        if state is not None:
            return self._counterexample(state, Obligation(()))
        while True:
            self._tell_closed()
            self.frames.open()
            fixed = self._propagate()
            if fixed is not None:
                return self._proof(fixed)
            found = self._close_last()
            if found is not None:
                return found

    def _close_last(self) -> Counterexample | None:
        """Excludes all violating states from the last frame."""
        while (state := self.frames.violation()) is not None:
            cube = self.lifting.violating(state)
            initial = self.frames.initial(cube)
            assert initial is None  # it was asked first
            found = self._discharge(Obligation(cube), self.frames.last)
            if found is not None:
                return found
        return None

    def _discharge(self, first: Obligation, level: int) -> Counterexample | None:
        queue = Queue()
        queue.push(level, first)
        while queue:
            level, obligation = queue.pop()
            self.taken_up += 1
            self._tell_working(len(queue))
            if self.frames.is_blocked(obligation.cube, level):
                self._again_higher(queue, level, obligation)
                continue
            found = self.frames.reaches(obligation.cube, level)
            if not isinstance(found, Transition):
                self._block(found, level)
                self._again_higher(queue, level, obligation)
                continue
            cube = self.lifting.predecessor(found.state, found.step, found.inputs, obligation.cube)
            before = Obligation(cube, found.step, found.inputs, obligation)
            initial = found.state if level == 1 else self.frames.initial(cube)
            if initial is not None:
                return self._counterexample(initial, before)
            queue.push(level, obligation)
            queue.push(level - 1, before)
        return None

    def _again_higher(self, queue: Queue, level: int, obligation: Obligation) -> None:
        if level < self.frames.last:
            queue.push(level + 1, obligation)

    def _block(self, cube: tuple[int, ...], level: int) -> None:
        """Generalises a cube that nothing below reaches, and excludes it as high up as that holds."""
        cube = self.generalisation.generalise(cube, level)
        while level < self.frames.last:
            higher = self.frames.reaches(cube, level + 1)
            if isinstance(higher, Transition):
                break
            cube = higher
            level += 1
        self.frames.block(cube, level)

    def _propagate(self) -> int | None:
        """Pushes clauses up as far as they hold; the frame that equals the next one, if there is one.

        Clauses reach the new last frame and stay; a frame is never equal to one that was not opened.
        """
        frames = self.frames
        for level in range(1, frames.last):
            for orbit in list(frames.levels[level]):
                if orbit not in frames.levels[level]:
                    continue  # one that was pushed as a part excludes it
                found = frames.reaches(orbit.cube, level + 1)
                if not isinstance(found, Transition):
                    frames.raise_to(orbit, found, level + 1)
            if not frames.levels[level]:
                return level
        return None

    def _proof(self, level: int) -> Proof:
        cubes = self.frames.blocked_at(level + 1)
        learned = [tuple(sorted((-literal for literal in cube), key=abs)) for cube in cubes]
        seeds = [tuple(clause) for clause in self.frames.problem.seeds]
        return Proof(tuple(learned + seeds), len(learned), level, self.frames.queries, self._elapsed())

    def _counterexample(self, state: Sequence[int], first: Obligation) -> Counterexample:
        initial = tuple(literal > 0 for literal in sorted(state, key=abs))
        return Counterexample(initial, tuple(first.firings()), self.frames.queries, self._elapsed())

    def _elapsed(self) -> float:
        return time.monotonic() - self.began

    def _clauses(self) -> int:
        return sum(len(orbit.images) for level in self.frames.levels for orbit in level)

    def _tell_closed(self) -> None:
        self.told = time.monotonic()
        self.listen(
            FrameClosed(
                self.frames.last, self._clauses(), self.taken_up, self.frames.queries, self._elapsed()
            )
        )

    def _tell_working(self, waiting: int) -> None:
        if time.monotonic() - self.told >= _SECONDS_BETWEEN_NEWS:
            self.told = time.monotonic()
            self.listen(Working(self.frames.last, self._clauses(), self.taken_up, waiting, self._elapsed()))
