"""Where a run ends that has no end in sight: one rule for all commands.

A run goes on after a violation, since each property that was asked for gets a verdict of its own. Where a
variable seems to grow forever, the others may never get one. Then the run ends with what is known, as TLC
does at the first violation; ``--keep-going`` goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

_ADVICE = "bound it by a CONSTRAINT"
_KEEP_GOING = "--keep-going goes on"


def seems_unbounded(names: Iterable[str], how: str) -> str:
    """What is said of variables that grow."""
    listed = list(names)
    verb, what = ("seems", "it") if len(listed) == 1 else ("seem", "them")
    return f"{', '.join(listed)} {verb} unbounded: {_ADVICE.replace('it', what)}, or {how}"


@dataclass
class Widened:
    """How often the sort of each variable was widened."""

    times: dict[str, int] = field(default_factory=dict)

    def add(self, names: Iterable[str]) -> None:
        """The sorts of these were widened."""
        for name in names:
            self.times[name] = self.times.get(name, 0) + 1

    def at_least(self, times: int) -> list[str]:
        """Those that were widened so often."""
        return [name for name, count in self.times.items() if count >= times]


def without_end(options: Any, violated: Collection[str], growing: Iterable[str]) -> str:
    """Why a run ends here, with what is known; empty if it goes on. Engines without ``--keep-going`` do."""
    names = list(growing)
    if not names or not violated or getattr(options, "keep_going", True):
        return ""
    return seems_unbounded(names, _KEEP_GOING)


def ended_without_end(reason: str | None) -> bool:
    """True if an engine ended by this rule, by the reason that it gives for what it left open."""
    return reason is not None and reason.endswith(_KEEP_GOING)
