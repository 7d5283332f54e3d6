"""Proof obligations, and the queue of them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

from verifier.engines.ic3.cubes import Cube


@dataclass(frozen=True, eq=False)
class ProofObligation:
    """A cube to block. Its states are bad, or one step leads from each of them into the next obligation."""

    cube: Cube
    step: int = -1
    """The index of the instance that makes the step; -1 where the cube's states are bad."""
    inputs: tuple[bool, ...] = ()
    successor: ProofObligation | None = None

    def firings(self) -> list[tuple[int, tuple[bool, ...]]]:
        """The steps from any state of the cube to a bad state."""
        result = []
        obligation: ProofObligation = self
        while obligation.successor is not None:
            result.append((obligation.step, obligation.inputs))
            obligation = obligation.successor
        return result


class ObligationQueue:
    """Obligations with their frames. The lowest frame comes first; within a frame, the newest obligation."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, ProofObligation]] = []
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, level: int, obligation: ProofObligation) -> None:
        """Adds an obligation for a frame."""
        heapq.heappush(self._heap, (level, -next(self._numbers), obligation))

    def pop(self) -> tuple[int, ProofObligation]:
        """Removes the first obligation, and returns it with its frame."""
        level, _, obligation = heapq.heappop(self._heap)
        return level, obligation
