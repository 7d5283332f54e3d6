"""Inductive generalisation: dropping literals from a blocked cube, so that its clause excludes more.

This is the algorithm ctgDown (Hassan, Bradley and Somenzi 2013, doi:10.1109/FMCAD.2013.6679405). A
predecessor that prevents dropping a literal is a counterexample to generalisation (CTG). If the CTG itself
can be blocked one frame below, it is blocked, and the same candidate is tried again. If it cannot be blocked,
the candidate is given up. The paper goes on with the literals that the candidate shares with the CTG instead;
that takes twice as long here (measured on kip320).
"""

from __future__ import annotations

from verifier.engines.ic3.cubes import Cube
from verifier.engines.ic3.frames import Frames
from verifier.engines.ic3.known_steps import Predecessor
from verifier.engines.ic3.lifting import Lifting

_MOST_COUNTEREXAMPLES = 3
"""The limit of CTGs that are blocked for one candidate (``maxCTGs``)."""
_DEEPEST = 1
"""CTGs are blocked to this depth of recursion (``maxDepth``)."""


class InductiveGeneralisation:
    """Generalises cubes that are blocked at a frame."""

    def __init__(self, frames: Frames, lifting: Lifting) -> None:
        self._frames = frames
        self._lifting = lifting
        self._kept: set[tuple[int, int]] = set()
        """Numbers of CTGs that could not be blocked, with the frames. They are not tried again."""

    def generalise(self, cube: Cube, level: int, depth: int = 0) -> Cube:
        """A part of the cube that is blocked at the frame, too."""
        uses = self._frames.uses
        for literal in sorted(cube, key=lambda literal: uses.get(literal, 0)):
            if literal in cube:
                candidate = tuple(other for other in cube if other != literal)
                cube = self._down(candidate, level, depth) or cube
        return cube

    def _down(self, candidate: Cube, level: int, depth: int) -> Cube | None:
        """A part of the candidate that is blocked at the frame; None if none was found."""
        frames = self._frames
        if not candidate or frames.initial_state_in(candidate) is not None:
            return None
        may_block = _MOST_COUNTEREXAMPLES if depth < _DEEPEST and level > 1 else 0
        while (answer := frames.core_at(candidate, level)) is None:
            if not may_block or not self.block(frames.predecessor(), level - 1, depth):
                return None
            may_block -= 1
        return answer.core

    def block(self, ctg: Predecessor, level: int, depth: int = 0) -> bool:
        """Blocks the CTG at the frame, and as far beyond as it goes; False if it cannot be blocked."""
        frames, key = self._frames, (ctg.number, level)
        if key in self._kept:
            return False
        cube = self._lifting.lift_predecessor(ctg)
        answer = None if frames.initial_state_in(cube) is not None else frames.core_at(cube, level)
        if answer is None:
            self._kept.add(key)
            return False
        core, level = frames.push_forward(answer.core, level)
        frames.add_blocked(self.generalise(core, level, depth + 1), level)
        return True
