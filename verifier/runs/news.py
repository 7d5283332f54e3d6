"""News of a run, for the listener of its engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.verdict import VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


@dataclass(frozen=True)
class Remark:
    """News from before an engine begins, or between two of its runs."""

    words: str
    closed: Mapping[str, int] = field(default_factory=dict)
    """The depths that are closed for properties, whatever ends the run."""


@dataclass(frozen=True)
class Known:
    """News of final verdicts: a run that has only these."""

    run: Run

    @property
    def names(self) -> frozenset[str]:
        """Return the properties with a verdict."""
        return frozenset(one.property_name for one in self.run.outcome.verdicts)

    @property
    def words(self) -> str:
        """Return ``TypeOK is violated in 3 steps``, on one line."""
        return ", ".join(
            f"{one.property_name} is violated in {one.steps} step{'' if one.steps == 1 else 's'}"
            for one in self.run.outcome.verdicts
            if one.kind is VerdictKind.VIOLATED
        )
