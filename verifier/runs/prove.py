"""Runs of the provers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verifier.engines.prove import (
    BMC_SOLVER,
    KIND_SOLVER,
    EngineChoice,
    Progress,
    Proved,
    ProveOutcome,
    Request,
    check,
)
from verifier.outcomes.run import Run
from verifier.processes.children import Limits
from verifier.runs.loading import Loaded
from verifier.runs.options import ProveOptions
from verifier.runs.question import Asked, Searched, ask, finished, searched
from verifier.solvers.assuming import AssumingSolver
from verifier.system.model import Model
from verifier.text.invariant import invariant_lines
from verifier.trust.certificate import readable_lemmas

ENGINE = "prove"


def prepare(loaded: Loaded, options: ProveOptions) -> Asked[ProveOptions]:
    """The run, its names checked. Raises UsageError for what cannot be asked."""
    return ask(loaded, options)


def search(
    asked: Asked[ProveOptions], listen: Callable[[Progress], None] = lambda _: None
) -> Searched[ProveOutcome]:
    """Proves, until it is done or interrupted."""
    options = asked.options

    def prove(model: Model) -> ProveOutcome:
        limits = Limits(asked.seconds_left(), options.memory)
        engine = EngineChoice(options.engine)
        witnesses = bool(asked.expectations.enabled)
        request = Request(asked.properties, engine, options.solver, limits, options.lemmas, witnesses)
        return check(model, request, listen)

    return searched(asked, prove, lambda verdicts: ProveOutcome(verdicts, (), {"peak_memory_bytes": 0}))


def recorded(asked: Asked[ProveOptions]) -> dict[str, Any]:
    """The options as results name them."""
    options = asked.options
    return {
        "engine": options.engine,
        "solver": options.solver,
        "lemmas": options.lemmas,
        "deadlock": asked.deadlock,
        "timeout": options.timeout,
        "memory": options.memory,
    }


def concluded(asked: Asked[ProveOptions], found: Searched[ProveOutcome]) -> Run:
    """The run, ended."""
    return finished(
        asked,
        found,
        engine=ENGINE,
        options=recorded(asked),
        solvers=_solvers(asked.options, found.outcome),
        proofs=tuple(_described(found.model, proof) for proof in found.outcome.proofs),
    )


def run(asked: Asked[ProveOptions], listen: Callable[[Progress], None] = lambda _: None) -> Run:
    """Searches and concludes."""
    return concluded(asked, search(asked, listen))


def _described(model: Model | None, proof: Proved) -> Mapping[str, Any]:
    certificate = proof.certificate
    lines = None if model is None else invariant_lines(model, certificate.clauses)
    return {
        "property": proof.property_name,
        "found_by": proof.prover,
        "k": certificate.k,
        "rechecked_by": proof.rechecked_by,
        "recheck_seconds": round(proof.recheck_seconds, 3),
        "lemmas": list(certificate.lemmas),
        "lemma_texts": [] if model is None else readable_lemmas(model, certificate.lemmas),
        "clauses": len(certificate.clauses),
        "invariant": lines,
    }


def _solvers(options: ProveOptions, outcome: ProveOutcome) -> tuple[str, ...]:
    """Those of the provers that ran, then those that checked proofs."""
    names = []
    if options.engine in ("auto", "ic3"):
        names.append(AssumingSolver.NAME)
    if options.engine in ("auto", "kind"):
        names.append(options.solver or KIND_SOLVER)
    if options.engine == "auto":
        names.append(options.solver or BMC_SOLVER)
    return tuple(dict.fromkeys([*names, *(proof.rechecked_by for proof in outcome.proofs)]))
