"""Obligations that are false at small constants. Where a proof needs one of them, it is given up at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from verifier.parametric.obligation import Obligation
from verifier.parametric.results import Open, Refuted
from verifier.processes.children import Work
from verifier.processes.limits import Limits
from verifier.processes.pool import Task, TaskResult

REFUTING = "counterexamples at small constants"
"""The name of the task that looks for them. No obligation has it: an action has no space in its name."""
CLOCK = 30.0
"""Seconds for the counterexamples at some constants."""


@dataclass
class Refutations:
    """What was refuted, and what may still refute more."""

    waiting: deque[Work] = field(default_factory=deque)
    """Each reports what is Refuted at some constants."""
    where: dict[tuple[str, str], str] = field(default_factory=dict)
    """By action and claim the first constants."""

    def task(self, limits: Limits) -> Task:
        """The next search, again if it was ended before it came to its end."""
        return Task(REFUTING, self.waiting[0], limits)

    def take(self, done: TaskResult) -> None:
        """Takes notice of what that search found. Where it took too long, those after it would, too."""
        self.waiting.popleft()
        if done.limit is not None:
            self.waiting.clear()
        found = (one for one in done.reported if isinstance(one, Refuted))
        self.where = {(one.at, one.claim): one.where for one in found} | self.where

    def among(
        self, claims: Mapping[str, Sequence[Obligation]], needed: Iterable[str]
    ) -> dict[str, Open]:
        """The obligations for what is needed that were refuted: of each action and claim the first part."""
        obligations = (one for claim in needed for one in claims[claim]) if self.where else ()
        found: dict[tuple[str, str], Open] = {}
        for one in obligations:
            where = self.where.get((one.at, one.claim))
            if where is not None:
                found.setdefault((one.at, one.claim), Open(one.name, f"it is false with {where}"))
        return {one.name: one for one in found.values()}
