"""Temporal properties under fairness: one after the other, by the engine asked for, or by all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verifier.engines.choices import LiveEngine
from verifier.engines.live_methods import (
    Listen,
    Request,
    by_exploration,
    by_orbits,
    by_proof,
    by_ranking,
    by_search,
)
from verifier.engines.live_portfolio import side_by_side
from verifier.engines.proofs import CheckedProof, ProveOutcome
from verifier.processes.limits import INTERRUPTED
from verifier.system.liveness import LiveModel, live_model
from verifier.system.model import Model
from verifier.verdict import ENDED_FIRST, Verdict, VerdictKind

__all__ = ["LiveEngine", "Request", "check", "decide_property"]


def check(model: Model, request: Request, listen: Listen = lambda _: None) -> ProveOutcome:
    """Decides the properties one after the other."""
    request = replace(request, limits=request.limits.begin())
    verdicts: list[Verdict] = []
    statistics: dict[str, Any] = {"peak_memory_bytes": 0, "properties": {}}
    enabled: set[str] = set()
    never: set[str] = set()
    proofs: list[CheckedProof] = []
    interrupted = False
    for place, name in enumerate(request.properties):
        if interrupted:
            verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, INTERRUPTED))
            continue
        if request.first and any(one.kind is VerdictKind.VIOLATED for one in verdicts):
            verdicts.append(Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, ENDED_FIRST))
            continue
        prop = next(p for p in model.definition.temporal if p.name == name)
        live = live_model(model, prop, request.fairness, request.conditions)
        share = request.limits.share(len(request.properties) - place)
        outcome = decide_property(live, replace(request, limits=share), listen)
        interrupted = any(verdict.reason == INTERRUPTED for verdict in outcome.verdicts)
        verdicts += [verdict for verdict in outcome.verdicts if verdict not in verdicts]
        enabled |= set(outcome.enabled)
        never |= set(outcome.never_enabled)
        proofs += outcome.proofs
        statistics["properties"][name] = outcome.statistics
        peak = outcome.statistics.get("peak_memory_bytes", 0)
        statistics["peak_memory_bytes"] = max(peak, statistics["peak_memory_bytes"])
    known = tuple(sorted(never - enabled))
    return ProveOutcome(tuple(_distinct(verdicts)), known, statistics, tuple(sorted(enabled)), tuple(proofs))


def _distinct(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """One verdict for each property: an implied one may be found violated with several."""
    first: dict[str, Verdict] = {}
    for verdict in verdicts:
        first.setdefault(verdict.property_name, verdict)
    return list(first.values())


def decide_property(live: LiveModel, request: Request, listen: Listen = lambda _: None) -> ProveOutcome:
    """Decide the property by the engine that is asked for."""
    match request.engine:
        case LiveEngine.EXPLICIT:
            return by_exploration(live, request, listen)
        case LiveEngine.BMC:
            return by_search(live, request, listen)
        case LiveEngine.L2S:
            return by_proof(live, request, listen)
        case LiveEngine.ORBITS:
            return by_orbits(live, request, listen)
        case LiveEngine.RANKING:
            return by_ranking(live, request, listen)
    return side_by_side(live, request, listen)
