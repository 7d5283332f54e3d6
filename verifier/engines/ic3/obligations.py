"""Proof obligations: cubes to be excluded from frames, each with why: the step to the next one."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count

from verifier.engines.ic3.lifting import Cube


@dataclass(frozen=True, eq=False)
class Obligation:
    """A cube whose states lead to a violation: by the step into the next obligation, or as they are."""

    cube: Cube
    step: int = -1
    inputs: tuple[bool, ...] = ()
    then: Obligation | None = None

    def firings(self) -> list[tuple[int, tuple[bool, ...]]]:
        """The steps from any state of the cube to a violation."""
        result = []
        here: Obligation = self
        while here.then is not None:
            result.append((here.step, here.inputs))
            here = here.then
        return result


class Queue:
    """Obligations by frame, the lowest first; of one frame the latest first."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Obligation]] = []
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, level: int, obligation: Obligation) -> None:
        """Adds an obligation for a frame."""
        heapq.heappush(self._heap, (level, -next(self._numbers), obligation))

    def pop(self) -> tuple[int, Obligation]:
        """The next obligation with its frame."""
        level, _, obligation = heapq.heappop(self._heap)
        return level, obligation
