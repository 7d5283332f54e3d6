"""The news of an exploration. Showing it takes no NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.engines.exploration import Execution


@dataclass(frozen=True)
class Progress:
    """The progress of the exploration."""

    depth: int
    """The depth that is being explored."""
    states: int
    """Different states found."""
    frontier: int
    """The number of states found and not yet explored."""
    seconds: float
    violated: str | None = None
    """A property just found to be violated, or reached."""
    reached: bool = False
    closed: int = -1
    """The depth to which every state is explored; -1: none."""
    enabled: tuple[str, ...] = ()
    """The actions that are enabled in some explored state."""
    execution: Execution | None = None
    """The execution that decided the property. No execution with fewer actions does."""
    written: int | None = None
    """Bytes in files, where the states are there."""
    means: str | None = None
    """The current means of exploration, and the one that may come next; None: one process, in any case."""


def name_processes(count: int) -> str:
    """Return the name of this means of exploration: "one process", "2 processes"."""
    return "one process" if count == 1 else f"{count} processes"
