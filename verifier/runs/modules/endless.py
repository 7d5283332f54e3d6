"""The variables that grow forever, named where a limit ended the search for loops of a module."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.outcomes.unbounded import add_growth, find_unbounded
from verifier.runs.modules.growth import find_growing
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.unbounded import is_about_loops_of_view
from verifier.text.commands import OPTIONS_OF_LIMITS
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def name_growing_variables(asked: ModuleQuestion, run: Run) -> Run:
    """Return the run; what a limit left open names the variables that seem unbounded."""
    if not any(map(_is_ended_by_limit, run.outcome.verdicts)):
        return run
    growing = find_growing(asked.module.specification, POLICY.seconds_ahead)
    verdicts = tuple(
        replace(one, reason=add_growth(one.reason or "", growing)) if _is_ended_by_limit(one) else one
        for one in run.outcome.verdicts
    )
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts))


def _is_ended_by_limit(verdict: Verdict) -> bool:
    reason = verdict.reason or ""
    return (
        verdict.kind is VerdictKind.INCONCLUSIVE
        and reason.startswith(tuple(OPTIONS_OF_LIMITS))
        and not (find_unbounded(reason) or is_about_loops_of_view(reason))
    )
