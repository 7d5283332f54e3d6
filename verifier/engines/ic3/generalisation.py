"""Generalisation: leaving literals out of a blocked cube, so that its clause excludes more.

Where a literal cannot go because of a state that could be excluded itself (a counterexample to
generalisation), that is done first; else the cube shrinks to what it shares with that state (Hassan,
Bradley and Somenzi 2013, doi:10.1109/FMCAD.2013.6679405).
"""

from __future__ import annotations

from verifier.engines.ic3.frames import Frames, Transition
from verifier.engines.ic3.lifting import Cube, Lifting

_MOST_COUNTEREXAMPLES = 3
_DEEPEST = 1


class Generalisation:
    """Generalises cubes that are inductive relative to a frame."""

    def __init__(self, frames: Frames, lifting: Lifting) -> None:
        self._frames = frames
        self._lifting = lifting

    def generalise(self, cube: Cube, level: int, depth: int = 0) -> Cube:
        """A smaller cube of which the same holds: no initial state in it, none reached from below."""
        uses = self._frames.uses
        order = sorted(cube, key=lambda literal: uses.get(literal, 0))
        needed: set[int] = set()
        for literal in order:
            if literal not in cube or literal in needed:
                continue
            smaller = tuple(other for other in cube if other != literal)
            found = self._down(smaller, level, depth, needed)
            if found is None:
                needed.add(literal)
            else:
                cube = found
        return cube

    def _down(self, cube: Cube, level: int, depth: int, needed: set[int]) -> Cube | None:
        """An inductive part of the cube that keeps the literals needed; None if none was found."""
        counterexamples = 0
        frames = self._frames
        while cube and frames.initial(cube) is None:
            found = frames.reaches(cube, level)
            if not isinstance(found, Transition):
                return found
            if depth >= _DEEPEST:
                return None
            if (
                counterexamples < _MOST_COUNTEREXAMPLES
                and level > 1
                and self._excluded(found, cube, level, depth)
            ):
                counterexamples += 1
                continue
            counterexamples = 0
            state = set(found.state)
            cube = tuple(literal for literal in cube if literal in state)
            if not needed.issubset(cube):
                return None
        return None

    def _excluded(self, found: Transition, cube: Cube, level: int, depth: int) -> bool:
        """Whether the counterexample could be excluded one frame below, and now is."""
        frames = self._frames
        around = self._lifting.predecessor(found.state, found.step, found.inputs, cube)
        if frames.initial(around) is not None:
            return False
        blocked = frames.reaches(around, level - 1)
        if isinstance(blocked, Transition):
            return False
        reached = level - 1
        while reached < frames.last:
            higher = frames.reaches(blocked, reached + 1)
            if isinstance(higher, Transition):
                break
            blocked = higher
            reached += 1
        frames.block(self.generalise(blocked, reached, depth + 1), reached)
        return True
