"""The ways of one engine to decide a temporal property: exploration, bounded search for lassos, or proof.

A violation is a replayed lasso. Symmetry is not used, because fairness and properties may distinguish
elements. With a constraint, only executions within it count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.encodings.bits import disjunction
from verifier.engines import bmc, explore, prove
from verifier.engines.choices import LiveEngine, StepsChoice
from verifier.engines.fair_loops import WITHIN_CONSTRAINT, explain_no_loop, explain_no_loop_within
from verifier.engines.lasso_search import FairLoops, Lasso
from verifier.engines.live_orbits import Region, no_symmetry, stopping_model
from verifier.engines.outcome import Outcome
from verifier.engines.proofs import CheckedProof, ProveOutcome
from verifier.engines.ranking import prove_by_ranking
from verifier.printable import say_count
from verifier.processes.limits import Interrupted, Limits
from verifier.specs.temporal import Fairness
from verifier.system.liveness import LiveModel
from verifier.system.liveness_to_safety import LOOP_STARTS, loop_model
from verifier.system.model import Model
from verifier.trust.lasso import check_lasso, shorten_lasso
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import Loop, Trace
from verifier.verdict import Verdict, VerdictKind

_WITHIN = "proved of executions within the constraint only"


@dataclass(frozen=True)
class Request:
    """The properties to decide, and how to decide them."""

    properties: tuple[str, ...]
    fairness: str
    conditions: tuple[Fairness, ...]
    engine: LiveEngine = LiveEngine.AUTO
    depth: int = 10
    """The most states of a lasso in bounded search."""
    solver: str | None = None
    max_states: int | None = None
    explore: bool = True
    """True if all engines side by side include those that explore: they leave no certificate."""
    first: bool = False
    """True if a property that is violated ends all."""
    limits: Limits = field(default_factory=Limits)


Listen = Callable[[Any], None]


# Exploration


def by_exploration(live: LiveModel, request: Request, listen: Listen) -> ProveOutcome:
    began, name = time.monotonic(), live.property_.name
    implied = tuple(prop.name for prop in live.model.system.implied)
    asked = explore.Request(
        properties=implied,
        max_states=request.max_states,
        keep_going=True,
        graph=True,
        limits=request.limits,
    )
    outcome = explore.explore(live.model, asked, listen)
    breaches = [_remove_monitors(live, v) for v in outcome.verdicts if v.kind is VerdictKind.VIOLATED]

    def verdict(kind: VerdictKind, reason: str | None = None, trace: Trace | None = None) -> Verdict:
        depths = {VerdictKind.HOLDS: outcome.statistics["distinct_states"], VerdictKind.INCONCLUSIVE: None}
        depth = depths.get(kind, outcome.statistics["depth"])
        seconds = time.monotonic() - began
        return Verdict(name, kind, depth, seconds, reason, trace, found_by=LiveEngine.EXPLICIT)

    statistics = dict(outcome.statistics)
    try:
        if not outcome.statistics["complete"]:
            stopped = next((v.reason for v in outcome.verdicts if v.kind is VerdictKind.INCONCLUSIVE), None)
            own = verdict(VerdictKind.INCONCLUSIVE, stopped or "not every state was looked at")
        else:
            assert outcome.graph is not None
            loops = FairLoops(live, outcome.graph, request.limits.check_time)
            lasso = loops.find()
            statistics |= loops.statistics
            if lasso:
                own = _report_violation(live, lasso, verdict)
            elif breaches:
                own = verdict(VerdictKind.INCONCLUSIVE, _describe_violation(breaches[0]))
            else:
                own = _conclude_without_loop(live, loops, outcome, verdict)
    except Interrupted as stop:
        own = verdict(VerdictKind.INCONCLUSIVE, str(stop))
    except KeyboardInterrupt:
        own = verdict(VerdictKind.INCONCLUSIVE, "interrupted")
    except ReplayFailure as failure:
        own = verdict(VerdictKind.ERROR, f"a lasso was found that does not replay: {failure}")
    never = outcome.never_enabled if outcome.statistics["complete"] else ()
    return ProveOutcome((*breaches, own), never, statistics, outcome.enabled)


def by_orbits(live: LiveModel, request: Request, listen: Listen) -> ProveOutcome:
    """Exploration up to symmetry. It decides where executions can only stop while the property is missed."""
    began, name = time.monotonic(), live.property_.name

    def own(kind: VerdictKind, reason: str | None, depth: int | None = None) -> Verdict:
        seconds = time.monotonic() - began
        return Verdict(name, kind, depth, seconds, reason, found_by=LiveEngine.ORBITS)

    refused = no_symmetry(live)
    if refused is not None:
        words = f"symmetry cannot be used: {refused}"
        return ProveOutcome((own(VerdictKind.INCONCLUSIVE, words),), (), {}, ())
    model = stopping_model(live)
    asked = explore.Request(
        properties=(name,),
        max_states=request.max_states,
        symmetry=True,
        graph=True,
        limits=request.limits,
    )
    outcome = explore.explore(model, asked, listen)
    verdicts = [v for v in outcome.verdicts if v.property_name != name and v.trace is not None]
    (verdict,) = (v for v in outcome.verdicts if v.property_name == name)
    if verdict.trace is not None:
        trace = verdict.trace
        lasso = _lasso(live, trace.states, trace.actions, len(trace.actions))
        try:
            verdict = replace(verdict, trace=check_lasso(live, lasso), found_by=LiveEngine.ORBITS)
        except ReplayFailure as failure:
            reason = f"a lasso was found that does not replay: {failure}"
            verdict = own(VerdictKind.ERROR, reason, verdict.depth)
    elif verdicts:
        verdict = own(VerdictKind.INCONCLUSIVE, _describe_violation(verdicts[0]))
    elif outcome.statistics["complete"]:
        try:
            verdict = own(*_judge_without_loops(live, model, outcome, request), outcome.statistics["depth"])
        except Interrupted as stop:
            verdict = own(VerdictKind.INCONCLUSIVE, str(stop))
    never = outcome.never_enabled if outcome.statistics["complete"] else ()
    return ProveOutcome((*verdicts, verdict), never, dict(outcome.statistics), outcome.enabled)


def _judge_without_loops(
    live: LiveModel, model: Model, exploration: explore.Exploration, request: Request
) -> tuple[VerdictKind, str]:
    assert exploration.graph is not None
    region = Region(model, exploration.graph, request.limits.check_time)
    if region.has_loop(disjunction(goal.stays for goal in live.goals)):
        words = "states up to symmetry do not show whether executions may miss it forever"
        return VerdictKind.INCONCLUSIVE, f"{words}: use --engine explicit"
    states, whole = exploration.statistics["distinct_states"], exploration.statistics["states_in_orbits"]
    words = f"complete: {say_count(states, 'state')} up to symmetry, {whole:,} in all"
    return VerdictKind.PROVED, f"{words}, and executions can only stop while it is missed, which is not fair"


def _report_violation(live: LiveModel, lasso: Lasso, verdict: Callable[..., Verdict]) -> Verdict:
    replayer, base = Replayer(live.base), live.base
    states = [list(lasso.initial)]
    actions = []
    for step, (instance, inputs) in enumerate(lasso.firings, 1):
        after = replayer.successor(states[-1], instance, inputs)
        if after is None:
            raise ReplayFailure(step, f"{instance.label} is not enabled")
        states.append(after)
        actions.append(replayer.name_action(instance, inputs))
    decoded = [base.layout.decode_state(state) for state in states]
    trace = _lasso(live, decoded, actions, lasso.start)
    return verdict(VerdictKind.VIOLATED, None, shorten_lasso(live, check_lasso(live, trace)))


def _conclude_without_loop(
    live: LiveModel, loops: FairLoops, exploration: explore.Exploration, verdict: Callable[..., Verdict]
) -> Verdict:
    states = exploration.statistics["distinct_states"]
    if live.base.definition.constraint is None:
        return verdict(VerdictKind.PROVED, explain_no_loop(states))
    reason = explain_no_loop_within(states, is_vacuous=not loops.has_fair_execution())
    return verdict(VerdictKind.HOLDS, reason)


def _lasso(live: LiveModel, states: Sequence[Any], actions: Sequence[Any], start: int) -> Trace:
    """The trace whose last state is the one at ``start`` again, or in which it stutters."""
    definition = live.base.definition
    stutters = start == len(actions)
    closing = None if stutters else actions[-1]
    return Trace(
        spec=definition.name,
        spec_hash=definition.spec_hash,
        constants=definition.constants,
        violates=live.property_.name,
        states=tuple(states if stutters else states[:-1]),
        actions=tuple(actions if stutters else actions[:-1]),
        loop=Loop(start, closing, live.fairness),
    )


# Search and proof


def by_search(live: LiveModel, request: Request, listen: Listen) -> ProveOutcome:
    """Search for lassos of at most this number of states. The model of loops needs one more step, which
    records the start of the loop, and another one to close the loop."""
    asked = bmc.Request(
        properties=(live.property_.name,),
        depth=request.depth + 1,
        steps=StepsChoice.SERIAL,
        solver=request.solver,
        symmetry=False,
        limits=request.limits,
    )

    def hear(news: bmc.Progress) -> None:
        more = live.property_.name in news.properties  # an implied property fails before any loop starts
        steps = None if news.steps is None else news.steps - more
        listen(replace(news, depth=max(news.depth - 1, 0), steps=steps))

    outcome = bmc.check(loop_model(live), asked, hear)
    closed = all(verdict.kind is VerdictKind.HOLDS for verdict in outcome.verdicts)
    translated = _translate_outcome(live, outcome if closed else replace(outcome, never_enabled=()), ())
    return replace(translated, verdicts=tuple(_limit_verdicts(live, translated.verdicts)))


def _limit_verdicts(live: LiveModel, verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """The verdicts, where an implied property that is violated limits what is known of the temporal one: a
    lasso may pass where a step was cut off, but not with so few states."""
    breaches = [v for v in verdicts if v.property_name != live.property_.name and v.trace is not None]
    for verdict in verdicts:
        if verdict.kind is VerdictKind.HOLDS and breaches:
            states = [(one.steps or 0) + 1 if one.fewest else 0 for one in breaches]
            depth = min(verdict.depth or 0, *states) or None
            reason = _describe_violation(breaches[0])
            yield replace(verdict, kind=VerdictKind.INCONCLUSIVE, depth=depth, reason=reason)
        else:
            yield verdict


def _describe_violation(breach: Verdict) -> str:
    return f"{breach.property_name} is violated"


def by_proof(live: LiveModel, request: Request, listen: Listen) -> ProveOutcome:
    asked = prove.Request((live.property_.name,), solver=request.solver, limits=request.limits)
    outcome = prove.check(loop_model(live), asked, listen)
    bound = live.base.definition.constraint is not None
    proofs = (replace(p, certificate=replace(p.certificate, fairness=live.fairness)) for p in outcome.proofs)
    return _translate_outcome(live, outcome, () if bound else tuple(proofs), bounded=bound)


def by_ranking(live: LiveModel, request: Request, listen: Listen) -> ProveOutcome:
    """A proof by the ranking that the protocol declares. What it cannot show is not known to fail."""
    began, name = time.monotonic(), live.property_.name
    outcome = prove_by_ranking(live, request.limits, listen)
    bound = live.base.definition.constraint is not None
    kind, reason = VerdictKind.PROVED, outcome.reason
    if outcome.proof is None:
        kind = VerdictKind.ERROR if outcome.is_error else VerdictKind.INCONCLUSIVE
    elif bound:
        kind, reason = VerdictKind.INCONCLUSIVE, _WITHIN
    verdict = Verdict(name, kind, None, time.monotonic() - began, reason, found_by=LiveEngine.RANKING)
    proofs = () if outcome.proof is None or bound else (outcome.proof,)
    return ProveOutcome((verdict,), outcome.dead, outcome.statistics, (), proofs)


def _translate_outcome(
    live: LiveModel, outcome: Outcome, proofs: tuple[CheckedProof, ...], *, bounded: bool = False
) -> ProveOutcome:
    """The outcome in the model of loops as one of the protocol."""
    verdicts = tuple(_verdict_of(live, verdict, bounded=bounded) for verdict in outcome.verdicts)
    never = tuple(name for name in outcome.never_enabled if name != LOOP_STARTS)
    enabled = tuple(name for name in outcome.enabled if name != LOOP_STARTS)
    return ProveOutcome(verdicts, never, outcome.statistics, enabled, proofs)


def _verdict_of(live: LiveModel, verdict: Verdict, *, bounded: bool) -> Verdict:
    if verdict.property_name != live.property_.name:
        return _remove_monitors(live, verdict)
    depth = None if verdict.depth is None else max(verdict.depth - 1, 0)
    verdict = replace(verdict, depth=depth)
    if verdict.kind is VerdictKind.PROVED and bounded:
        return replace(verdict, kind=VerdictKind.INCONCLUSIVE, reason=_WITHIN)
    if verdict.kind is VerdictKind.HOLDS:
        words = f"no lasso of at most {say_count(depth or 0, 'state')}, stem and loop together"
        words += f", {WITHIN_CONSTRAINT}" if live.base.definition.constraint is not None else ""
        also = "; what the property remembers of the past counts as part of a state" if live.remembers else ""
        return replace(verdict, reason=f"{words}{also}")
    if verdict.trace is None:
        return verdict
    place = next(n for n, action in enumerate(verdict.trace.actions) if action.name == LOOP_STARTS)
    own = _remove_start(live, verdict.trace)
    try:
        lasso = check_lasso(live, _lasso(live, own.states, own.actions, place))
    except ReplayFailure as failure:
        reason = f"a lasso was found that does not replay: {failure}"
        return replace(verdict, kind=VerdictKind.ERROR, reason=reason, trace=None)
    # Fewest among those whose loops close in what the property remembers, too.
    fewest = verdict.fewest and not live.remembers
    return replace(verdict, trace=shorten_lasso(live, lasso), fewest=fewest)


def _remove_monitors(live: LiveModel, verdict: Verdict) -> Verdict:
    """A verdict on an implied property, with its trace in the protocol's own states."""
    trace = verdict.trace
    return verdict if trace is None else replace(verdict, trace=_remove_start(live, trace))


def _remove_start(live: LiveModel, trace: Trace) -> Trace:
    """The execution in the protocol's own states, without the step that notes where a loop starts."""
    steps = [n for n, action in enumerate(trace.actions) if action.name != LOOP_STARTS]
    own = [trace.states[0], *(trace.states[n + 1] for n in steps)]
    names = live.base.layout.sorts
    return replace(
        trace,
        states=tuple({name: state[name] for name in names} for state in own),
        actions=tuple(trace.actions[n] for n in steps),
    )
