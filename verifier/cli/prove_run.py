"""What ``verify prove`` does once its options are parsed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import click

from verifier import certificate as certificates
from verifier.cli.expect import Expectations, exit_code, expectations_of
from verifier.cli.output import check_writable, console, print_json, print_lines, write
from verifier.cli.proof_progress import ProofReporter
from verifier.cli.prove import Options
from verifier.cli.running import beside, chosen_properties, limited, terminable, undecided, write_traces
from verifier.cli.specs import Loaded, load
from verifier.deadlock import with_deadlock
from verifier.engines.processes import Limits
from verifier.engines.prove import BMC_SOLVER, KIND_SOLVER, EngineChoice, ProveOutcome, Request, check
from verifier.model import Model, build
from verifier.report.invariant import invariant_lines
from verifier.report.machine import as_object
from verifier.report.proof import render_proof
from verifier.report.run import Run
from verifier.report.text import constants_line
from verifier.solvers.assuming import AssumingSolver
from verifier.verdict import NO_DEADLOCK, Verdict


def run(options: Options) -> int:
    """Proves, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=options.deadlock)
    properties = chosen_properties(
        loaded.definition, options.properties, expectations.properties, options.deadlock
    )
    for option, path in (("--certificate", options.certificate), ("--trace-out", options.trace_out)):
        if path is not None:
            check_writable(option, path)
    about = f"{loaded.definition.name} with {constants_line(loaded.definition.constants)}"
    click.echo(f"{about}: {', '.join(properties)} for all depths", err=True)
    with terminable():
        model, building, outcome = _proved(loaded, properties, options)
    if model is not None and options.certificate is not None:
        outcome = _written(model, outcome, options.certificate)
    finished = _finished(options, loaded, properties, expectations, model, outcome, (began, building))
    _show(finished, outcome, options)
    if options.trace_out is not None:
        write_traces(finished, options.trace_out)
    return finished.exit_code


def _proved(
    loaded: Loaded, properties: tuple[str, ...], options: Options
) -> tuple[Model | None, float, ProveOutcome]:
    """The model, the seconds it took to build, and what was found before the end or an interrupt."""
    began = time.monotonic()
    model, building = None, 0.0
    try:
        with limited(options.timeout):
            model = build(loaded.protocol)
        model = with_deadlock(model) if options.deadlock else model
        building = time.monotonic() - began
        left = None if options.timeout is None else max(options.timeout - building, 0.01)
        request = Request(
            properties, EngineChoice(options.engine), options.solver, Limits(left, options.memory)
        )
        with ProofReporter() as reporter:
            return model, building, check(model, request, reporter)
    except KeyboardInterrupt as stop:  # the search concludes by itself: this was before or after it
        verdicts = undecided(properties, stop, options.timeout)
        return model, building, ProveOutcome(tuple(verdicts), (), {"peak_memory_bytes": 0})


def _written(model: Model, outcome: ProveOutcome, path: Path) -> ProveOutcome:
    """The outcome, each proof that can be written in a file that its verdict names."""
    files: dict[str, str] = {}
    for proof in outcome.proofs:
        name = proof.property_name
        if proof.certificate is None or name == NO_DEADLOCK:
            known = "is no property of the spec" if proof.certificate else f"is {proof.k}-inductive"
            click.echo(f"{name} {known}, which no certificate can say", err=True)
            continue
        target = beside(path, name) if files else path
        write("--certificate", target, certificates.dump(model, proof.certificate))
        files[name] = str(target)
    if not files:
        click.echo(f"no proof, so {path} is not written", err=True)
    verdicts = tuple(_naming(verdict, files) for verdict in outcome.verdicts)
    return replace(outcome, verdicts=verdicts)


def _naming(verdict: Verdict, files: dict[str, str]) -> Verdict:
    return replace(verdict, certificate=files.get(verdict.property_name))


def _finished(
    options: Options,
    loaded: Loaded,
    properties: tuple[str, ...],
    expectations: Expectations,
    model: Model | None,
    outcome: ProveOutcome,
    times: tuple[float, float],
) -> Run:
    began, building = times
    return Run(
        engine="prove",
        definition=loaded.definition,
        model=model,
        options={
            "properties": list(properties),
            "engine": options.engine,
            "solver": options.solver,
            "deadlock": options.deadlock,
            "timeout": options.timeout,
            "memory": options.memory,
        },
        depth=0,
        solvers=_solvers(options, outcome),
        outcome=outcome,
        seconds=time.monotonic() - began,
        building_seconds=building,
        exit_code=exit_code(outcome.verdicts, expectations, outcome.enabled),
        expected=options.expect,
        missing=expectations.never_enabled(outcome.enabled),
    )


def _solvers(options: Options, outcome: ProveOutcome) -> tuple[str, ...]:
    """Those of the provers that ran, then those that checked proofs."""
    names = []
    if options.engine in ("auto", "ic3"):
        names.append(AssumingSolver.NAME)
    if options.engine in ("auto", "kind"):
        names.append(options.solver or KIND_SOLVER)
    if options.engine == "auto":
        names.append(options.solver or BMC_SOLVER)
    return tuple(dict.fromkeys([*names, *(proof.rechecked_by for proof in outcome.proofs)]))


def _show(finished: Run, outcome: ProveOutcome, options: Options) -> None:
    if options.output_format == "json":
        content = as_object(finished)
        content["proofs"] = [
            {
                "property": proof.property_name,
                "found_by": proof.prover,
                "k": proof.k,
                "rechecked_by": proof.rechecked_by,
                "recheck_seconds": round(proof.recheck_seconds, 3),
                "lemmas": list(proof.certificate.lemmas) if proof.certificate else None,
                "clauses": len(proof.certificate.clauses) if proof.certificate else None,
                "invariant": _invariant(finished, proof.certificate),
            }
            for proof in outcome.proofs
        ]
        print_json(content)
    else:
        target = console()
        print_lines(target, render_proof(finished, outcome.proofs, target.width, full=options.full))


def _invariant(finished: Run, certificate: certificates.Certificate | None) -> list[str] | None:
    if certificate is None or finished.model is None:
        return None
    return invariant_lines(finished.model, certificate.clauses)
