"""The reports of a check's engines, and the effort of a hunt's: what each tried, and how far it came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from verifier.engines.outcome import Outcome
from verifier.outcomes.content import write_trace
from verifier.outcomes.run import Run
from verifier.printable import say_count
from verifier.processes.limits import is_about_memory
from verifier.runs.check_merge import EngineReport
from verifier.runs.check_plan import BMC, EXPLORE, WALKS
from verifier.verdict import Verdict, VerdictKind

_CLOSING = (VerdictKind.HOLDS, VerdictKind.INCONCLUSIVE)
"""The verdicts whose depth is closed."""


def needs_memory(verdicts: Iterable[Verdict]) -> bool:
    """True if the limit of memory left a property open."""
    return any(one.kind is VerdictKind.INCONCLUSIVE and is_about_memory(one.reason) for one in verdicts)


def describe_effort(engine: str, outcome: Outcome) -> str:
    """Return what an engine tried, in words; empty if it says nothing about that."""
    figures = outcome.statistics
    if engine == EXPLORE and "distinct_states" in figures:
        left = "" if figures.get("complete") else ", not all that can be reached"
        return f"{say_count(figures['distinct_states'], 'state')} to depth {figures['depth']}{left}"
    if engine == WALKS and "deepest" in figures:
        return _describe_walks(figures)
    # The depth of a violation is its number of actions: parallel steps to it were not all searched.
    closed = [one.depth for one in outcome.verdicts if one.kind in _CLOSING and one.depth is not None]
    if engine == BMC and any(closed):
        return f"all executions of at most {max(closed)} parallel steps"
    return ""


def _describe_walks(figures: Mapping[str, Any]) -> str:
    words = f"{figures['walks']:,} guided walks, {say_count(figures['steps'], 'action')}, "
    words += f"at most {figures['deepest']:,} in a row"
    if figures.get("probes"):
        words += f"; {figures['probes']:,} solver look-aheads of {say_count(figures['probed_steps'], 'step')}"
    return words


def with_own_sorts(run: Run) -> Run:
    """Return the run with the variables of its translation in its executions: other processes lack the
    model."""

    def with_variables(verdict: Verdict) -> Verdict:
        trace = verdict.trace
        if run.model is None or trace is None or trace.shown or trace.variables:
            return verdict
        return replace(verdict, trace=replace(trace, variables=run.definition.variables))

    verdicts = tuple(map(with_variables, run.outcome.verdicts))
    return replace(run, outcome=replace(run.outcome, verdicts=verdicts))


def make_report(run: Run) -> EngineReport:
    """Return the part of a run that other processes can read."""
    traces = ((one.property_name, write_trace(run, one)) for one in run.outcome.verdicts)
    texts: dict[str, str] = {}
    if run.model is not None and run.certificates:
        from verifier.trust.certificate import dump  # most reports have no proof to write

        texts = {name: dump(run.model, one) for name, one in run.certificates.items()}
    outcome = run.outcome
    return EngineReport(
        engine=run.engine,
        outcome=Outcome(outcome.verdicts, outcome.never_enabled, outcome.statistics, outcome.enabled),
        solvers=run.solvers,
        proofs=run.proofs,
        traces={name: trace for name, trace in traces if trace is not None},
        certificates={**texts, **run.certificate_texts},
        definition=run.definition,
        seconds=run.seconds,
    )
