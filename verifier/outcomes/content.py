"""A run as a JSON object. Scripts rely on the names; more may be added, none taken away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verifier.outcomes.asked import describe_asked_properties, document_actions, place_actions
from verifier.outcomes.checksum import CHECKSUM, checksum_of_question, with_checksum
from verifier.outcomes.row import FILE, LEMMAS, LIBRARIES
from verifier.outcomes.run import Origin, Run
from verifier.solvers import solver_version
from verifier.specs.definition import Definition
from verifier.specs.titles import as_statistics
from verifier.system.model import Model
from verifier.verdict import ExitCode, Verdict


def as_object(run: Run) -> dict[str, Any]:
    """The whole run."""
    question = {
        "asked": describe_asked_properties(run.definition, _list_asked(run)),
        "documented": document_actions(run.definition),
        "places": place_actions(run.definition),
    }
    return {
        "spec": run.definition.name,
        "spec_hash": run.definition.spec_hash,
        **_constants(run),
        "engine": run.engine,
        "options": dict(run.options),
        "solver": {
            "name": "+".join(run.solvers),
            "version": "+".join(solver_version(name) for name in run.solvers),
        },
        "seconds": round(run.seconds, 3),
        "exit_code": run.exit_code,
        "about": asdict(run.origin),
        "expected": list(run.expected),
        "expected_but_never_enabled": list(run.missing),
        "results": [_result(verdict, write_trace(run, verdict)) for verdict in run.outcome.verdicts],
        "proofs": [dict(proof) for proof in run.proofs],
        "statistics": _statistics(run),
        **question,
        CHECKSUM: checksum_of_question(question),
        "drawing": run.definition.drawing,
    }


def _list_asked(run: Run) -> list[str]:
    """Return the properties of a run, and the lemmas that fail in their place."""
    names = [verdict.property_name for verdict in run.outcome.verdicts]
    failing = [str(verdict.trace.violates) for verdict in run.outcome.verdicts if verdict.trace is not None]
    known = {lemma.name for lemma in run.definition.lemmas}
    return [*names, *(name for name in dict.fromkeys(failing) if name not in names and name in known)]


def _constants(run: Run) -> dict[str, Any]:
    if run.assumptions is None:
        return {"constants": dict(run.definition.constants)}
    beyond = list(run.beyond_declared)
    kind = "assumed" if beyond else "all"
    return {"constants": kind, "assumptions": list(run.assumptions), "beyond_declared": beyond}


def describe_unanswered(
    question: Mapping[str, Any],
    verdicts: Sequence[Verdict],
    origin: Origin,
    peak_memory: int | None,
    seconds: float,
) -> dict[str, Any]:
    """The object of a run that could not be made, or was killed. ``question`` has spec, spec_hash, constants,
    engine and options."""
    codes = [verdict.kind.exit_code for verdict in verdicts]
    return {
        **question,
        "solver": {"name": "", "version": ""},
        "seconds": round(seconds, 3),
        "exit_code": ExitCode.worst(codes or [ExitCode.INCONCLUSIVE]),
        "about": asdict(origin),
        "expected": [],
        "expected_but_never_enabled": [],
        "results": [_result(verdict) for verdict in verdicts],
        "proofs": [],
        "statistics": {} if peak_memory is None else {"peak_memory_bytes": peak_memory},
        "drawing": None,
    }


def write_trace(run: Run, verdict: Verdict) -> Mapping[str, Any] | None:
    """The ITF of a verdict's execution; None if it has none, or nothing that could write it."""
    written, trace = run.traces.get(verdict.property_name), verdict.trace
    if written is not None or trace is None or run.model is None:
        return written
    from verifier.trust import itf  # the traces of modules are written already

    return itf.dump(trace, run.model)


def _result(verdict: Verdict, trace: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "property": verdict.property_name,
        "verdict": verdict.kind.value,
        "depth": verdict.depth,
        "steps": verdict.steps,
        "fewest": verdict.fewest if verdict.trace is not None else None,
        "reason": verdict.reason,
        "seconds": round(verdict.seconds, 3),
        "found_by": verdict.found_by,
        "trace": None if trace is None else with_checksum(trace),
        "certificate": verdict.certificate,
    }


def _parameters(model: Model | None) -> dict[str, str] | None:
    """Return how open parameters of the protocol were read; the instances belong to this reading."""
    if model is None:
        return None
    return {
        f"{action.name}.{parameter.symbol.name}": "free" if parameter.free else "expanded"
        for action in model.definition.actions
        for parameter in action.parameters
        if parameter.left_open
    }


def _statistics(run: Run) -> dict[str, Any]:
    system = run.model.system if run.model is not None else None
    return {
        "bits": len(system.bits) if system is not None else None,
        "leaves": len(system.leaves) if system is not None else None,
        "instances": len(system.instances) if system is not None else None,
        "parameters": _parameters(run.model),
        "building_seconds": round(run.building_seconds, 3),
        "never_enabled": list(run.outcome.never_enabled),
        **files_of(run.definition),
        **_reading(run.definition),
        **({"constraints": list(run.definition.limits)} if run.definition.limits else {}),
        **as_statistics(run.definition.titles),
        **run.outcome.statistics,
    }


def _reading(definition: Definition) -> dict[str, list[str]]:
    """Return what was named for the reading of a TLA+ module: lemmas, and folders by their own names."""
    shown = definition.presentation
    named = {LIBRARIES: [Path(one).name for one in shown.libraries], LEMMAS: list(shown.named_lemmas)}
    return {name: words for name, words in named.items() if words}


def files_of(definition: Definition) -> dict[str, str]:
    """Return the names of a TLA+ module's file and configuration, or of a protocol's file; no folders."""
    shown = definition.presentation
    if not shown.config:
        return {FILE: Path(shown.source).name} if shown.source.endswith(".py") else {}
    return {"module": Path(shown.source).name, "config": Path(shown.config).name}
