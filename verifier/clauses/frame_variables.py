"""The variables of an unrolling's frames in one solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.clauses.unrolling import Clauses, Unrolling


class FrameVariables:
    """Numbers the variables of one solver: those of each frame, and fresh ones.

    A frame gets its variables when it is opened. Fresh variables may come between two frames.
    """

    def __init__(self, unrolling: Unrolling, frames: int = 0) -> None:
        self._stride = unrolling.stride
        self._next = 1
        self._offsets: list[int] = []
        for _ in range(frames):
            self.open_frame()

    def open_frame(self) -> None:
        """Gives the next frame its variables."""
        self._offsets.append(self._next - 1)
        self._next += self._stride

    @property
    def next_variable(self) -> int:
        """The first variable that is neither in a frame nor fresh."""
        return self._next

    def fresh(self) -> int:
        """A variable that is in no frame."""
        self._next += 1
        return self._next - 1

    def at(self, literal: int, frame: int) -> int:
        """The literal, of frame 0 in the unrolling's clauses, in the given frame."""
        variable = abs(literal)
        if variable <= self._stride:
            placed = self._offsets[frame] + variable
        else:
            placed = self._offsets[frame + 1] + variable - self._stride
        return placed if literal > 0 else -placed

    def place_clauses(self, clauses: Iterable[Sequence[int]], frame: int) -> Clauses:
        """The clauses in the given frame."""
        clauses = list(clauses)
        at = {literal: self.at(literal, frame) for literal in {v for clause in clauses for v in clause}}
        return [[at[literal] for literal in clause] for clause in clauses]
