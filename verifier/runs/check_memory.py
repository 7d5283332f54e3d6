"""The memory of a check, which its engines share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.processes.limits import is_about_memory
from verifier.verdict import Verdict, VerdictKind

_LEAST_GAIN = 2
"""The factor by which the share of an engine must grow before it starts again."""


@dataclass
class MemoryShares:
    """The share of each engine in bytes. An engine that needed more starts again once others have ended."""

    memory: int | None
    """The limit of the whole check; None is no limit."""
    shares: dict[str, int] = field(default_factory=dict)

    def give(self, name: str, parts: int) -> int | None:
        """Return the share of an engine, if there are that many engines."""
        if self.memory is None:
            return None
        self.shares[name] = self.memory // parts
        return self.shares[name]

    def give_more(self, name: str, running: Iterable[str]) -> int | None:
        """Return all memory that no running engine has; None if that is not much more than before."""
        if self.memory is None or name not in self.shares:
            return None
        free = self.memory - sum(self.shares[other] for other in running)
        if free < _LEAST_GAIN * self.shares[name]:
            return None
        self.shares[name] = free
        return free


def needs_memory(verdicts: Iterable[Verdict]) -> bool:
    """True if the limit of memory left a property open."""
    return any(one.kind is VerdictKind.INCONCLUSIVE and is_about_memory(one.reason) for one in verdicts)
