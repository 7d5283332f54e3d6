"""The effect of a comparison on a run: its formulas agree with their source, or differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.outcomes.run import Run


def report_agreement(run: Run, figures: Mapping[str, Any]) -> Run:
    """Return the run with the counts of the comparison."""
    statistics = {**run.outcome.statistics, "validation": figures}
    return replace(run, outcome=replace(run.outcome, statistics=statistics))


def report_disagreement(run: Run, claims: Sequence[Verdict], reason: str) -> Run:
    """Return the run with its claims turned into errors."""
    verdicts = tuple(
        replace(one, kind=VerdictKind.ERROR, reason=reason, depth=None, trace=None) if one in claims else one
        for one in run.outcome.verdicts
    )
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts), proofs=(), certificates={})


__all__ = ["report_agreement", "report_disagreement"]
