"""Steps drawn at random: loops over constant sets that take only some of their members.

A search that needs one execution, and not all, looks at few successors of each state.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from verifier.tla.value_types import Value


class Draw:
    """Says how many members a loop takes while the next state is built."""

    def __init__(self) -> None:
        self.most = 0
        """The most members with a successor that a loop takes; 0 for all members, in order."""
        self.taken = 0
        """The number of successors so far."""
        self.chance = Random(0)

    def mix(self, row: Iterable[Value]) -> list[Value]:
        """Return members in a random order."""
        mixed = list(row)
        self.chance.shuffle(mixed)
        return mixed
