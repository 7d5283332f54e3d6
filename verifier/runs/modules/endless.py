"""The variables that grow forever, named where a limit or their growth ended the search in a module."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.outcomes.unbounded import add_growth, find_unbounded
from verifier.runs.modules.constraint_bounds import is_constrained
from verifier.runs.modules.growth import Growth, find_growing
from verifier.runs.modules.module_question import ModuleQuestion
from verifier.runs.modules.policy import POLICY
from verifier.runs.unbounded import is_about_loops_of_view
from verifier.text.commands import OPTIONS_OF_LIMITS
from verifier.tla.specification import Specification
from verifier.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run


def name_growing_variables(asked: ModuleQuestion, run: Run) -> Run:
    """Return the run; what a limit left open names the variables that seem unbounded."""
    return name_growing_in(asked.module.specification, run)


def name_growing_in(spec: Specification, run: Run) -> Run:
    """Return the run, as `name_growing_variables` does, of a question about this specification."""
    if not any(map(_is_ended_by_limit, run.outcome.verdicts)):
        return run
    growing = find_growing(spec, POLICY.seconds_ahead)
    verdicts = tuple(
        replace(one, reason=add_growth(one.reason or "", growing)) if _is_ended_by_limit(one) else one
        for one in run.outcome.verdicts
    )
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts))


def name_all_growing(spec: Specification, known: Collection[str]) -> list[str]:
    """Return the variables that seem unbounded, in the order of the module: those that a search knows, and
    those that grow along executions from the initial states. A search alone knows only the ones that it met
    before it ended. Under a CONSTRAINT, which may bound them, growth so far says nothing."""
    ahead = find_growing(spec, POLICY.seconds_ahead)
    growing = ahead if is_constrained(spec) else {*known, *ahead}
    return [variable.name for variable in spec.variables if variable.name in growing]


def explain_growth(spec: Specification, reason: str, growth: Growth, *, is_bounded: bool) -> str:
    """Return the reason why an exploration ended, with the variables that seem unbounded. If a limit ended
    it, all of them are named, unless the exploration ``is_bounded`` by a depth."""
    if not reason or find_unbounded(reason):
        return reason
    growing = growth.list_growing()
    if is_limit(reason) and not is_bounded:
        growing = name_all_growing(spec, growing)
    return add_growth(reason, growing)


def is_limit(reason: str) -> bool:
    """True if a reason for open properties is a limit that the user gave."""
    return reason.startswith(tuple(OPTIONS_OF_LIMITS))


def _is_ended_by_limit(verdict: Verdict) -> bool:
    reason = verdict.reason or ""
    return (
        verdict.kind is VerdictKind.INCONCLUSIVE
        and is_limit(reason)
        and not (find_unbounded(reason) or is_about_loops_of_view(reason))
    )
