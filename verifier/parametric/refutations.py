"""Obligations that are false at small constants. A proof that needs one of them is given up at once."""

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
"""The name of the task that searches for them. No obligation has it: an action has no space in its name."""
CLOCK = 30.0
"""The limit of seconds for the counterexamples at one choice of constants."""


@dataclass
class Refutations:
    """The refuted obligations, and the searches that remain."""

    waiting: deque[Work] = field(default_factory=deque)
    """The searches. Each reports the obligations that are Refuted at some constants."""
    where: dict[tuple[str, str], str] = field(default_factory=dict)
    """The first constants for each action and claim."""

    def task(self, limits: Limits) -> Task:
        """Return the next search, again if it was interrupted before its end."""
        return Task(REFUTING, self.waiting[0], limits)

    def take(self, done: TaskResult) -> None:
        """Record the results of that search. If it took too long, the later ones are dropped."""
        self.waiting.popleft()
        if done.limit is not None:
            self.waiting.clear()
        refuted = (one for one in done.reported if isinstance(one, Refuted))
        self.where = {(one.at, one.claim): one.where for one in refuted} | self.where

    def among(self, claims: Mapping[str, Sequence[Obligation]], needed: Iterable[str]) -> dict[str, Open]:
        """Return the refuted obligations among the needed ones: the first part for each action and claim."""
        obligations = (one for claim in needed for one in claims[claim]) if self.where else ()
        refuted: dict[tuple[str, str], Open] = {}
        for one in obligations:
            where = self.where.get((one.at, one.claim))
            if where is not None:
                refutation = Open(one.name, f"counterexample to induction with {where}")
                refuted.setdefault((one.at, one.claim), refutation)
        return {one.name: one for one in refuted.values()}
