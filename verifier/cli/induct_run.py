"""What ``verify induct`` does once its options are parsed."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import click

from verifier import certificate as certificates
from verifier.certificate import FoundBy, certificate_of
from verifier.cli.expect import Expectations, exit_code, expectations_of
from verifier.cli.induct import Options
from verifier.cli.obligations_progress import ObligationsReporter
from verifier.cli.output import check_writable, console, print_json, print_lines, write
from verifier.cli.running import beside, chosen_properties, limited, terminable, undecided
from verifier.cli.specs import Loaded, load
from verifier.engines.bmc import Outcome
from verifier.engines.induction import ENGINE, InductionOutcome, Request, induct, question_of
from verifier.engines.processes import Limits
from verifier.model import Model, build
from verifier.report.induction import render_induction
from verifier.report.machine import as_object
from verifier.report.run import Run
from verifier.report.text import constants_line
from verifier.solvers import solver_version
from verifier.specs.definition import PropertyKind
from verifier.verdict import Verdict, VerdictKind

_VERIFY = "from verifier.cli.main import main; main()"


def run(options: Options) -> int:
    """Proves, prints, and returns the exit code."""
    began = time.monotonic()
    loaded = load(options.spec, options.settings)
    expectations = expectations_of(options.expect, loaded.definition, deadlock=False)
    names = _properties(options, loaded, expectations)
    if options.certificate is not None:
        check_writable("--certificate", options.certificate)
    about = f"{loaded.definition.name} with {constants_line(loaded.definition.constants)}"
    click.echo(f"{about}: {', '.join(names)} by induction", err=True)
    model, building = None, 0.0
    outcomes: list[InductionOutcome] = []
    with terminable():
        try:
            with limited(options.timeout):
                model = build(loaded.protocol)
            building = time.monotonic() - began
            for name in names:
                outcomes.append(_proved(model, name, options, outcomes, began))
        except KeyboardInterrupt as stop:
            rest = names[len(outcomes) :]
            outcomes += [InductionOutcome((v,), (), {}) for v in undecided(rest, stop, options.timeout)]
    if model is not None and options.certificate is not None:
        outcomes = _certified(model, outcomes, options.certificate, options)
    finished = _finished(options, loaded, names, expectations, model, outcomes, (began, building))
    if options.output_format == "json":
        print_json(as_object(finished))
    else:
        target = console()
        print_lines(target, render_induction(finished, outcomes, target.width, options.full))
    return finished.exit_code


def _properties(options: Options, loaded: Loaded, expectations: Expectations) -> tuple[str, ...]:
    """What to prove; of all, what induction can prove."""
    names = chosen_properties(loaded.definition, options.properties, expectations.properties)
    if "all" in options.properties or not options.properties:
        kinds = {prop.name: prop.kind for prop in loaded.definition.properties}
        names = tuple(name for name in names if kinds[name] is not PropertyKind.REACHABLE)
    return names


def _proved(
    model: Model, name: str, options: Options, before: list[InductionOutcome], began: float
) -> InductionOutcome:
    known = [outcome.invariant for outcome in before if outcome.invariant]
    left = None if options.timeout is None else max(options.timeout - (time.monotonic() - began), 0.01)
    request = Request(
        property_name=name,
        lemmas=options.lemmas or None,
        solver=options.solver,
        symmetry=options.symmetry,
        houdini=options.houdini,
        minimise=options.minimise,
        reachable=options.reachable,
        limits=Limits(left, options.memory),
        seed=options.seed,
        proved=known[-1] if known else (),
    )
    question_of(model, request)
    with ObligationsReporter(name) as reporter:
        return induct(model, request, reporter)


def _certified(
    model: Model, outcomes: list[InductionOutcome], path: Path, options: Options
) -> list[InductionOutcome]:
    """The outcomes, each proof written and checked again; one that does not pass is an error."""
    result: list[InductionOutcome] = []
    target = path
    for outcome in outcomes:
        if outcome.invariant:
            name = outcome.verdicts[0].property_name
            if any(other.invariant for other in result):
                target = beside(path, name)
            found_by = FoundBy(ENGINE, options.solver, solver_version(options.solver))
            proof = certificate_of(model, name, outcome.invariant, (), found_by)
            write("--certificate", target, certificates.dump(model, proof))
            verdict = _checked_again(outcome.verdicts[0], target, options.spec)
            result.append(replace(outcome, verdicts=(verdict,)))
        else:
            result.append(outcome)
    return result


def _checked_again(verdict: Verdict, path: Path, spec: str) -> Verdict:
    """The verdict after the certificate was checked in a fresh process by another solver."""
    command = [sys.executable, "-c", _VERIFY, "certify", str(path), "--spec", spec]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    click.echo(done.stderr.strip(), err=True)
    if done.returncode == 0:
        return replace(verdict, certificate=str(path))
    reason = f"the certificate {path} does not pass verify certify (exit code {done.returncode})"
    return replace(verdict, kind=VerdictKind.ERROR, reason=reason)


def _finished(
    options: Options,
    loaded: Loaded,
    names: tuple[str, ...],
    expectations: Expectations,
    model: Model | None,
    outcomes: list[InductionOutcome],
    times: tuple[float, float],
) -> Run:
    verdicts = tuple(outcome.verdicts[0] for outcome in outcomes)
    statistics = {
        "properties": {outcome.verdicts[0].property_name: outcome.statistics for outcome in outcomes},
        "peak_memory_bytes": max((o.statistics.get("peak_memory_bytes", 0) for o in outcomes), default=0),
    }
    return Run(
        engine=ENGINE,
        definition=loaded.definition,
        model=model,
        options={
            "properties": list(names),
            "lemmas": list(options.lemmas) or [lemma.name for lemma in loaded.definition.lemmas],
            "symmetry": options.symmetry,
            "houdini": options.houdini,
            "minimise": options.minimise,
            "reachable": options.reachable,
            "timeout": options.timeout,
            "memory": options.memory,
            "seed": options.seed,
        },
        depth=0,
        solvers=(options.solver,),
        outcome=Outcome(verdicts, (), statistics),
        seconds=time.monotonic() - times[0],
        building_seconds=times[1],
        exit_code=exit_code(verdicts, expectations),
        expected=options.expect,
    )
