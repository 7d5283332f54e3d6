"""What ``verify induct`` does once its options are parsed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from verifier import certificate as certificates
from verifier.certificate import FoundBy, certificate_of
from verifier.cli.obligations_progress import ObligationsReporter
from verifier.cli.output import write
from verifier.cli.running import Shown, announce, beside, check_targets, show, terminable
from verifier.engines.induction import ENGINE, InductionOutcome
from verifier.model import Model
from verifier.report.induction import render_induction
from verifier.runs import induct
from verifier.runs.loading import load
from verifier.runs.options import InductOptions
from verifier.solvers import solver_version
from verifier.verdict import Verdict, VerdictKind

_VERIFY = "from verifier.cli.main import main; main()"


def run(
    spec: str, settings: dict[str, str], options: InductOptions, shown: Shown, certificate: Path | None
) -> int:
    """Proves, prints, and returns the exit code."""
    asked = induct.prepare(load(spec, settings), options)
    check_targets(shown, {"--certificate": certificate})
    announce(asked.definition, f"{', '.join(asked.properties)} by induction")
    with terminable(), ObligationsReporter() as reporter:
        found = induct.search(asked, reporter)
    if found.model is not None and certificate is not None:
        parts = _certified(found.model, found.outcome.parts, certificate, spec, options.solver)
        found = replace(found, outcome=induct.together(parts))
    finished = induct.concluded(asked, found)
    return show(finished, shown, partial(render_induction, outcomes=found.outcome.parts))


def _certified(
    model: Model, outcomes: tuple[InductionOutcome, ...], path: Path, spec: str, solver: str
) -> list[InductionOutcome]:
    """The outcomes, each proof written and checked again; one that does not pass is an error."""
    result: list[InductionOutcome] = []
    target = path
    for outcome in outcomes:
        if outcome.invariant:
            name = outcome.verdicts[0].property_name
            if any(other.invariant for other in result):
                target = beside(path, name)
            found_by = FoundBy(ENGINE, solver, solver_version(solver))
            proof = certificate_of(model, name, outcome.invariant, (), found_by)
            write("--certificate", target, certificates.dump(model, proof))
            verdict = _checked_again(outcome.verdicts[0], target, spec)
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
