"""Proofs for all depths: one property after the other, each under those that are proved already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from verifier.clauses.structural_invariants import find_enabled_on_walks
from verifier.engines.choices import EngineChoice
from verifier.engines.hypotheses import hypothesis, usable
from verifier.engines.proof_by_exploring import SharedExploration
from verifier.engines.proofs import CheckedProof, Progress, ProveOutcome, Request
from verifier.engines.property_proof import PropertyProof
from verifier.engines.state_space import Explored
from verifier.processes.limits import INTERRUPTED
from verifier.specs.definition import PropertyKind
from verifier.system.model import Model
from verifier.trust.certificate import Certificate
from verifier.trust.initial_states import require_initial_state
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

__all__ = ["CheckedProof", "Progress", "ProveOutcome", "Request", "check"]


def check(
    model: Model, request: Request, listen: Callable[[Progress], None] = lambda _: None
) -> ProveOutcome:
    """Proves or refutes the properties one after the other. The limits or the user may end it early.

    What is proved is a hypothesis for what follows. A property whose share of the time did not suffice gets
    another one after the others.

    Raises NoInitialState.
    """
    require_initial_state(model)
    request = replace(request, limits=request.limits.begin())
    if not request.explore or request.engine is not EngineChoice.AUTO or request.solver is not None:
        return _check(model, request, listen, None)
    exploration = SharedExploration(model, request.properties, request.limits)
    try:
        return _check(model, request, listen, exploration)
    finally:
        exploration.end()


def _check(
    model: Model,
    request: Request,
    listen: Callable[[Progress], None],
    exploration: SharedExploration | None,
) -> ProveOutcome:
    verdicts: dict[str, list[Verdict]] = {}
    proofs: list[CheckedProof] = []
    explored: dict[str, Explored] = {}
    hypotheses: list[Certificate] = []
    statistics: dict[str, Any] = {"provers": {}, "peak_memory_bytes": 0}
    dead: set[str] = set()
    interrupted = False
    waiting = sorted(request.properties, key=lambda name: _cost(model, name))
    stopped: list[str] = []
    """The properties whose share of the time is over; they wait until another property is proved."""
    while waiting:
        name, left = waiting.pop(0), len(waiting) + 1
        before = verdicts.get(name, [Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, INTERRUPTED)])
        if interrupted and not (exploration is not None and exploration.settles(name)):
            verdicts[name] = before
            continue
        if request.first and _violates(verdicts):
            verdicts[name] = [replace(one, reason=ENDED_FIRST) for one in before]
            continue
        known = usable(model, hypotheses, name)
        share, asking = request.limits.share(left), model.asking((name,))
        run = PropertyProof(asking, request, name, share, listen, known, before[0], exploration)
        verdicts[name] = run.run()
        interrupted = interrupted or run.interrupted
        if run.share_over:
            stopped.append(name)
        if run.proved is not None:
            proofs.append(run.proved)
            learned = hypothesis(model, run.proved.certificate) if waiting or stopped else None
            if learned is not None:
                hypotheses.append(learned)
                waiting, stopped = [*waiting, *stopped], []
        if run.explored is not None:
            explored[name] = run.explored
        if exploration is not None:
            waiting += [name for name in stopped if exploration.settles(name)]
            stopped = [name for name in stopped if name not in waiting]
        dead.update(run.dead)
        statistics["provers"][name] = run.statistics
        statistics["peak_memory_bytes"] = max(statistics["peak_memory_bytes"], run.peak_memory)
    return ProveOutcome(
        verdicts=_in_order(request.properties, verdicts),
        never_enabled=tuple(sorted(dead)),
        statistics=statistics,
        enabled=_list_enabled(model, request, verdicts, exploration.enabled if exploration else ()),
        proofs=tuple(proofs),
        explored=explored,
    )


def _violates(by_property: Mapping[str, Sequence[Verdict]]) -> bool:
    return any(one.kind is VerdictKind.VIOLATED for verdicts in by_property.values() for one in verdicts)


def _in_order(properties: Sequence[str], by_property: Mapping[str, Sequence[Verdict]]) -> tuple[Verdict, ...]:
    """One verdict for each property: the first of those in which it was asked for or found violated."""
    place = {name: number for number, name in enumerate(properties)}
    verdicts = [verdict for name in by_property for verdict in by_property[name]]
    verdicts.sort(key=lambda verdict: place.get(verdict.property_name, len(place)))
    distinct = {verdict.property_name: verdict for verdict in reversed(verdicts)}
    return tuple(verdict for verdict in verdicts if distinct[verdict.property_name] is verdict)


def _list_enabled(
    model: Model, request: Request, by_property: Mapping[str, Sequence[Verdict]], explored: Sequence[str]
) -> tuple[str, ...]:
    """The actions in the traces and those that a complete exploration saw enabled, and if witnesses are
    wanted those that random walks enable."""
    traces = [v.trace for verdicts in by_property.values() for v in verdicts if v.trace is not None]
    seen = {action.name for trace in traces for action in trace.actions}.union(explored)
    return tuple(sorted(seen | find_enabled_on_walks(model.system) if request.witnesses else seen))


def _cost(model: Model, name: str) -> tuple[bool, int]:
    """Estimate the cost of a proof: a type invariant is mostly inductive, a short formula simple."""
    prop = model.system.property_named(name)
    return prop.kind is not PropertyKind.TYPE_INVARIANT, len(prop.formula.get_free_variables())
