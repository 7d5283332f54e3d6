"""The verdicts of a check, merged from those of its engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from verifier.engines.outcome import Outcome
from verifier.outcomes.checked import CheckOutcome, is_decided, say_replayed
from verifier.outcomes.run import Run
from verifier.outcomes.undefined_values import remove_state
from verifier.processes.limits import INTERRUPTED
from verifier.runs.check_plan import BMC, EVALUATION, EXPLORE, LIVE, PROVE, WALKS, Plan
from verifier.specs.definition import Definition
from verifier.verdict import (
    COMPLETE,
    LEFT_TO_LIVE,
    ONE_OF_EACH_VIEW,
    TEMPORAL_PART,
    Verdict,
    VerdictKind,
    say_limits,
    say_reachable,
)

if TYPE_CHECKING:
    from verifier.runs.question import Question

_OF_STATES = (EXPLORE, PROVE, BMC, WALKS)
_ORDER = (*_OF_STATES, LIVE)
_NO_TIME = "no engine had the time to decide the property"
_CUT_SHORT = (_NO_TIME, INTERRUPTED)
"""The reasons that an interrupted engine gives; the check knows the real one."""


@dataclass(frozen=True)
class EngineReport:
    """The answer of one engine, as its process sends it: everything but the model."""

    engine: str
    outcome: Outcome
    solvers: tuple[str, ...]
    proofs: tuple[Mapping[str, Any], ...]
    traces: Mapping[str, Mapping[str, Any]]
    """The executions by property, as ITF."""
    certificates: Mapping[str, str]
    """The texts of certificates by property."""
    definition: Definition
    """The protocol as the engine used it; a module with the sorts of its translation."""
    seconds: float
    efforts: Mapping[str, str] = field(default_factory=dict)
    """The effort of each process of a hunt's engine, in words."""


def merge(
    plan: Plan, reports: Mapping[str, EngineReport], refusals: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Verdict]:
    """Return one verdict for each property with a report. PROVED against VIOLATED is an ERROR. Of a property
    without a report, the reason is the refusal of an engine, if there is one."""
    verdicts: dict[str, Verdict] = {}
    reasons = {engine: remove_state(words) for engine, words in refusals.items()}
    of_states = next((reasons[one] for one in _OF_STATES if one in reasons), _NO_TIME)
    for name in dict.fromkeys((*plan.safety, *plan.temporal)):
        parts = []
        if name in plan.safety:
            known = [_of_states(reports[e], name) for e in _OF_STATES if e in reports]
            parts.append(_join(known, name, of_states))
        if name in plan.temporal:
            known = [_of_executions(reports[LIVE], name)] if LIVE in reports else []
            parts.append(_join(known, name, reasons.get(LIVE, _NO_TIME)))
        verdicts[name] = min(parts, key=_worth) if len(parts) > 1 else parts[0]
    return verdicts


def combine_reports(known: EngineReport | None, report: EngineReport) -> EngineReport:
    """Combine two reports of one engine: it ran again on open properties, or several instances ran."""
    if known is None:
        return report
    said = {verdict.property_name: verdict for verdict in report.outcome.verdicts}
    for one in known.outcome.verdicts:  # of two that are open, the one that closed more
        other = said.get(one.property_name)
        if other is not None and not is_decided(other) and (one.depth or -1) > (other.depth or -1):
            said[one.property_name] = one
    kept = {one.property_name: one for one in known.outcome.verdicts if is_decided(one)}
    outcome = replace(report.outcome, verdicts=tuple({**said, **kept}.values()))
    return replace(
        report,
        outcome=outcome,
        proofs=(*known.proofs, *report.proofs),
        traces={**report.traces, **{name: known.traces[name] for name in kept if name in known.traces}},
        certificates={**report.certificates, **known.certificates},
        efforts={**known.efforts, **report.efforts},
        seconds=max(known.seconds, report.seconds),
    )


def keep_told_executions(told: EngineReport | None, report: EngineReport) -> EngineReport:
    """Return the report with the executions that its engine told while it ran, unless its own are shorter:
    the user has read these. A verdict of another kind stands as it is."""
    known = {} if told is None else {one.property_name: one for one in told.outcome.verdicts}
    own = {one.property_name: one for one in report.outcome.verdicts}
    kept = {name: known[name] for name in own.keys() & known.keys() if _is_as_good(known[name], own[name])}
    if told is None or not kept:
        return report
    traces = {name: told.traces[name] for name in kept if name in told.traces}
    verdicts = tuple(kept.get(one.property_name, one) for one in report.outcome.verdicts)
    return replace(
        report, outcome=replace(report.outcome, verdicts=verdicts), traces={**report.traces, **traces}
    )


def _is_as_good(told: Verdict, own: Verdict) -> bool:
    """True if two verdicts of a kind have executions, and the told one is no longer, and known to be so."""
    if told.kind is not own.kind or told.trace is None or own.trace is None:
        return False
    return told.trace.steps <= own.trace.steps and (told.fewest or not own.fewest)


def _of_states(report: EngineReport, name: str) -> Verdict | None:
    """Return the verdict on the part of a property about states and steps. It is PROVED if every reachable
    state was explored. Whether exploration or a prover ends first is chance, and the verdict does not depend
    on it; the evidence says which it was."""
    verdict = next((one for one in report.outcome.verdicts if one.property_name == name), None)
    if verdict is None:
        return None
    if report.engine == BMC and verdict.kind is VerdictKind.HOLDS:
        words = "no violation within the depth of the search"
        return replace(verdict, kind=VerdictKind.INCONCLUSIVE, reason=words)
    complete = bool(report.outcome.statistics.get("complete"))
    if verdict.reason == LEFT_TO_LIVE and not complete:
        return replace(verdict, reason="not every state was looked at")
    if verdict.reason == LEFT_TO_LIVE and report.outcome.statistics.get("view"):
        return replace(
            verdict,
            kind=VerdictKind.HOLDS,
            reason=ONE_OF_EACH_VIEW,
            found_by=verdict.found_by or report.engine,
        )
    if verdict.reason == LEFT_TO_LIVE or (verdict.kind is VerdictKind.HOLDS and verdict.reason == COMPLETE):
        found_by = verdict.found_by or report.engine
        return replace(verdict, kind=VerdictKind.PROVED, reason=COMPLETE, found_by=found_by)
    return replace(verdict, found_by=verdict.found_by or report.engine)


def _of_executions(report: EngineReport, name: str) -> Verdict | None:
    said = (name, f"{name}{TEMPORAL_PART}")
    return next(
        (replace(v, property_name=name) for v in report.outcome.verdicts if v.property_name in said), None
    )


def _join(verdicts: Sequence[Verdict | None], name: str, missing: str = _NO_TIME) -> Verdict:
    """Return the most decisive verdict. Two that contradict each other are an ERROR. If there is none,
    ``missing`` is the reason."""
    known = [verdict for verdict in verdicts if verdict is not None]
    decided = [verdict for verdict in known if is_decided(verdict)]
    # A violation of a state that the VIEW hides contradicts nobody.
    decided = [verdict for verdict in decided if verdict.reason != ONE_OF_EACH_VIEW] or decided
    kinds = {verdict.kind for verdict in decided}
    if len(kinds) > 1 and VerdictKind.ERROR not in kinds:
        both = " and ".join(f"{verdict.kind} by {verdict.found_by}" for verdict in decided)
        words = f"two engines contradict each other: {both}"
        return Verdict(name, VerdictKind.ERROR, None, max(v.seconds for v in decided), words)
    if decided:
        return min(decided, key=_worth)
    if not known:
        return Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, missing)
    return max(known, key=lambda verdict: -1 if verdict.depth is None else verdict.depth)


def _worth(verdict: Verdict) -> int:
    """Return the rank of a verdict, the worst first. An open verdict is worse than one that holds."""
    if verdict.kind is VerdictKind.ERROR:
        return 0
    if not is_decided(verdict):
        return 2
    if verdict.kind is VerdictKind.HOLDS:  # within a constraint
        return 3
    return 1 if verdict.kind is VerdictKind.VIOLATED else 4


def _is_cut_short(reason: str | None) -> bool:
    """True of "interrupted", and of "interrupted, while building the formulas"."""
    return reason is not None and reason.partition(",")[0] in _CUT_SHORT


def conclude_check(
    question: Question[Any],
    plan: Plan,
    reports: Mapping[str, EngineReport],
    refusals: Mapping[str, str],
    ended: str,
) -> Run:
    """Return the run of a check."""
    from verifier.runs.question import Answer, conclude

    merged = merge(plan, reports, refusals)
    if ended:
        merged = {
            name: replace(verdict, reason=ended) if _is_cut_short(verdict.reason) else verdict
            for name, verdict in merged.items()
        }
    rest = _best_of_each(v for report in _order(reports) for v in _beside(report, merged, question))
    there = {verdict.property_name for verdict in rest}
    rest += [_join([], name) for name in plan.postconditions if name not in there]
    if not question.properties:
        rest.append(_evaluation(reports, ended))
    merged |= {verdict.property_name: verdict for verdict in rest}
    by = {name: engine for name, verdict in merged.items() if (engine := _decider(verdict, reports))}
    verdicts = (*(merged[name] for name in question.properties), *rest)
    evidence = {name: _evidence(merged[name], reports[engine]) for name, engine in by.items()}
    outcome = CheckOutcome(
        verdicts=verdicts,
        never_enabled=_never_enabled(reports),
        statistics=_statistics(reports, refusals, by, evidence),
        enabled=tuple(dict.fromkeys(a for report in _order(reports) for a in report.outcome.enabled)),
        by=by,
        evidence=evidence,
        definitions={name: report.definition for name, report in reports.items()},
        spec=question.loaded.spec,
    )
    run = conclude(
        question,
        Answer(None, 0.0, outcome),
        "check",
        solvers=tuple(dict.fromkeys(s for report in _order(reports) for s in report.solvers)),
        proofs=tuple(
            proof
            for report in _order(reports)
            for proof in report.proofs
            if by.get(proof["property"]) == report.engine
        ),
    )
    return replace(
        run,
        traces={name: reports[e].traces[name] for name, e in by.items() if name in reports[e].traces},
        certificate_texts={
            n: reports[e].certificates[n] for n, e in by.items() if n in reports[e].certificates
        },
    )


def _order(reports: Mapping[str, EngineReport]) -> list[EngineReport]:
    return [reports[name] for name in _ORDER if name in reports]


def _decider(verdict: Verdict, reports: Mapping[str, EngineReport]) -> str | None:
    """Return the engine whose verdict it is; None if nothing is decided."""
    if not is_decided(verdict):
        return None
    name = verdict.property_name
    if name == EVALUATION and EXPLORE in reports:
        return EXPLORE
    for report in _order(reports):
        own = _of_executions(report, name) if report.engine == LIVE else _of_states(report, name)
        if own == verdict:
            return report.engine
    return None


def _beside(report: EngineReport, merged: Mapping[str, Verdict], question: Question[Any]) -> list[Verdict]:
    """Return verdicts on properties beyond the plan: violated type invariants, postconditions."""
    stuck = question.definition.titles.no_deadlock  # explore checks it if no property is asked
    known = {*merged, stuck}
    others = [v for v in report.outcome.verdicts if v.property_name.removesuffix(TEMPORAL_PART) not in known]
    if report.engine == EXPLORE:
        return [own for v in others if (own := _of_states(report, v.property_name)) is not None]
    return [v for v in others if v.kind in (VerdictKind.VIOLATED, VerdictKind.ERROR)]


def _best_of_each(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return one verdict for each property: the most decisive one, with the fewest steps if that is known."""
    best: dict[str, Verdict] = {}
    for one in verdicts:
        known = best.setdefault(one.property_name, one)
        best[one.property_name] = min(known, one, key=lambda v: (_worth(v), not v.fewest))
    return list(best.values())


def _evaluation(reports: Mapping[str, EngineReport], ended: str) -> Verdict:
    """Return the verdict if no property is asked: whether every state and step was evaluated. An undefined
    value or a false assumption ends a check with an error."""
    report = reports.get(EXPLORE)
    if report is None or not report.outcome.statistics.get("complete"):
        seconds, words = (0.0 if report is None else report.seconds), ended or "not every state was looked at"
        return Verdict(EVALUATION, VerdictKind.INCONCLUSIVE, None, seconds, words)
    depth = report.outcome.statistics["depth"]
    if report.outcome.statistics.get("view"):
        return Verdict(
            EVALUATION, VerdictKind.HOLDS, depth, report.seconds, ONE_OF_EACH_VIEW, found_by=EXPLORE
        )
    return Verdict(EVALUATION, VerdictKind.PROVED, depth, report.seconds, COMPLETE, found_by=EXPLORE)


def _evidence(verdict: Verdict, report: EngineReport) -> str:
    """Return the evidence for a verdict, in a few words."""
    if verdict.kind in (VerdictKind.VIOLATED, VerdictKind.REACHED) and verdict.trace is not None:
        return say_replayed(fewest=verdict.fewest)
    proof = next((one for one in report.proofs if one["property"] == verdict.property_name), None)
    if proof is not None and proof.get("rechecked_by"):
        within = say_limits(report.definition.limits)
        return f"proof checked again by {proof['rechecked_by']}{within and ','}{within}"
    figures = report.outcome.statistics
    if verdict.reason == COMPLETE and "distinct_states" in figures:
        return f"every {say_reachable(report.definition.limits)} ({_count_states(figures)})"
    return verdict.reason or "decided for all depths"


def _count_states(figures: Mapping[str, Any]) -> str:
    """Return the number of states; with symmetry, of classes too."""
    count = f"{figures['distinct_states']:,}"
    return f"{count} classes, {figures['states_in_orbits']:,} states" if figures.get("symmetry") else count


def _never_enabled(reports: Mapping[str, EngineReport]) -> tuple[str, ...]:
    """Return actions that no engine saw enabled, if one explored every state or proved it."""
    enabled = {action for report in reports.values() for action in report.outcome.enabled}
    sure = [one for one in _order(reports) if one.engine == PROVE or one.outcome.statistics.get("complete")]
    named = [name for report in sure for name in report.outcome.never_enabled]
    return tuple(name for name in dict.fromkeys(named) if name not in enabled)


def _of_engine(report: EngineReport) -> dict[str, Any]:
    """Return the time of an engine, and the semantics that answered for a TLA+ module."""
    said = {name: v for name, v in report.outcome.statistics.items() if name == "semantics"}
    return {"seconds": round(report.seconds, 3), **said}


def _statistics(
    reports: Mapping[str, EngineReport],
    refusals: Mapping[str, str],
    by: Mapping[str, str],
    evidence: Mapping[str, str],
) -> dict[str, Any]:
    """Return the figures of exploration as `explore` reports them, and the fate of each engine."""
    explored = dict(reports[EXPLORE].outcome.statistics) if EXPLORE in reports else {}
    explored.pop("semantics", None)  # each engine has its own
    efforts = {name: words for r in _order(reports) for name, words in r.efforts.items()}
    return {
        **explored,
        **({"tried": efforts} if efforts else {}),
        "decided_by": dict(by),
        "evidence": dict(evidence),
        "engines": {
            **{r.engine: _of_engine(r) for r in _order(reports)},
            **{name: {"refused": words} for name, words in refusals.items()},
        },
    }
