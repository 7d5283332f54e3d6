"""Propagation: clauses move to later frames as long as they hold there.

A state that prevents it is a counterexample to propagation. If that state can be blocked, the clause is asked
about again. So clauses on which others depend are found before a bad state makes the search find them, and
the search needs fewer frames. Such states are what the may-proof-obligations of Quip are about (Ivrii and
Gurfinkel 2015, doi:10.1109/FMCAD.2015.7542258); here they are blocked or not, without obligations of their
own.

Most clauses that move do so again in each later frame. A proof that a clause holds after each step from a
frame uses some clauses of that frame. If they have moved, too, the proof holds in the next frame. That is
sound because the relation and the seeds are the same in all frames from 1 on.
"""

from __future__ import annotations

from verifier.engines.ic3.clause_orbits import BlockedCube
from verifier.engines.ic3.frames import Frames
from verifier.engines.ic3.inductive_generalisation import InductiveGeneralisation

_MOST_COUNTEREXAMPLES = 5
"""The limit of counterexamples to the propagation of one clause that are blocked."""


def propagate(frames: Frames, generalisation: InductiveGeneralisation) -> int | None:
    """Moves each clause to the next frame as long as it holds there. Returns a fixpoint: a frame that lost no
    clause, so that it equals the next; None if there is none."""
    # Clauses that reach the frontier stay there, so the frontier itself is no fixpoint.
    for level in range(1, frames.frontier):
        for orbit in list(frames.levels[level]):
            _propagate(orbit, level, frames, generalisation)
        if not frames.levels[level]:
            return level
    return None


def _propagate(
    orbit: BlockedCube, level: int, frames: Frames, generalisation: InductiveGeneralisation
) -> None:
    """Moves the orbit from its frame to the next if it can."""
    may_block = _MOST_COUNTEREXAMPLES
    while orbit in frames.levels[level]:  # the core of another one may subsume it
        if frames.propagate(orbit, level):
            return
        if not may_block or not generalisation.block(frames.predecessor(), level):
            return
        may_block -= 1
