"""The end of a run without an end in sight: one rule for all commands.

A run continues after a violation, since each property gets a verdict of its own. If a variable seems to grow
forever, the other properties may never get one. Then the run ends with the known results, as TLC does at the
first violation; ``--keep-going`` continues.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from verifier.outcomes.unbounded import explain_stop, seems_unbounded
from verifier.verdict import LOOPS_OF_VIEW


@dataclass
class Widened:
    """The number of widenings of each variable's sort."""

    times: dict[str, int] = field(default_factory=dict)
    bounded: bool = False
    """True if a CONSTRAINT was found to bound what was widened."""

    def add(self, names: Iterable[str]) -> None:
        """Record that the sorts of these variables were widened."""
        for name in names:
            self.times[name] = self.times.get(name, 0) + 1

    def at_least(self, times: int) -> list[str]:
        """Return the variables with at least this number of widenings, unless they are bounded."""
        if self.bounded:
            return []
        return [name for name, count in self.times.items() if count >= times]


def explain_no_end(options: Any, violated: Collection[str], growing: Iterable[str]) -> str:
    """Return the reason why a run ends here; empty if it continues, as engines without ``--keep-going``
    do."""
    names = list(growing)
    if not names or not violated or getattr(options, "keep_going", True):
        return ""
    return explain_stop(names)


def explain_loops_of_view(growing: Iterable[str]) -> str:
    """Return the reason why a search for loops ends if a VIEW hides variables that grow.

    States then never repeat, so there are no loops of states. TLC searches for loops of the VIEW's values."""
    return f"{seems_unbounded(growing)}: write a CONSTRAINT, or {LOOPS_OF_VIEW}"


def is_about_loops_of_view(reason: str | None) -> bool:
    """True if a search for loops ended by this rule, judged by its reason for open properties."""
    return reason is not None and reason.endswith(LOOPS_OF_VIEW)
