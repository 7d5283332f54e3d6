"""What ``verify certify`` does once its options are parsed."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from verifier.cli.certify import Options
from verifier.cli.output import print_json, say
from verifier.cli.running import terminable
from verifier.engines.outcome import Outcome
from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.processes.children import Children, Ended
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.loading import Loaded, load, trusted_spec
from verifier.solvers import solver_version
from verifier.specs.definition import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model, build
from verifier.text.run import constants_line, verdict_text
from verifier.trust.certificate import Certificate, check_fit, read
from verifier.trust.certify import Checked, check, other_solver
from verifier.trust.initial_states import require_initial_state
from verifier.verdict import Verdict, VerdictKind, settled

_SHOWN = 5


def run(options: Options) -> int:
    """Checks, prints, and returns the exit code."""
    began = time.monotonic()
    proof, content = read(options.path)
    loaded = load(trusted_spec(proof.spec, options.spec, "the certificate"), dict(proof.constants))
    solver = options.solver or other_solver(proof.found_by.solver)
    if solver in proof.found_by.solver.split("+"):
        raise UsageError(f"--solver {solver} found this proof: another one must check it")
    model = build(loaded.definition)
    if proof.property_name == NO_DEADLOCK:
        model = with_deadlock(model)
    check_fit(model, proof, content)
    require_initial_state(model)  # asked here too: what a child raises is taken for a crash
    about = f"{proof.spec} with {constants_line(proof.constants)}"
    say(f"{about}: {proof.property_name}, checked by {solver} {solver_version(solver)}", err=True)
    checked, reason = _checked(model, proof, solver, options)
    verdict = _verdict(model, proof, checked, reason, options, time.monotonic() - began)
    if options.output_format == "json":
        print_json(as_object(_run(loaded, model, proof, solver, checked, verdict)))
    else:
        _show(model, proof, solver, checked, verdict)
    return verdict.kind.exit_code


def _checked(model: Model, proof: Certificate, solver: str, options: Options) -> tuple[Checked | None, str]:
    """What came of it, or why nothing did."""

    def work(report: Callable[[Any], None], incoming: Connection) -> None:
        report(check(model, proof, solver))

    # In a child: a solver at work can be killed, but not be relied on to notice anything.
    with terminable(), Children(Limits(options.timeout)) as children:
        children.start("certify", work)
        try:
            for event in children.events():
                if isinstance(event, Ended):
                    return None, event.failure or "the check ended early"
                assert isinstance(event.content, Checked)
                return event.content, ""
        except Interrupted as limit:
            return None, str(limit)
        except KeyboardInterrupt:
            return None, "interrupted"
    return None, "the check ended early"


def _verdict(
    model: Model, proof: Certificate, checked: Checked | None, reason: str, options: Options, seconds: float
) -> Verdict:
    kind, why = settled(sought=model.system.seeks(proof.property_name))
    if checked is None:
        kind, why = VerdictKind.INCONCLUSIVE, reason
    elif any(item.certain for item in checked.failed):
        kind = VerdictKind.NOT_INDUCTIVE
        first = next(item for item in checked.failed if item.certain)
        why = f"it is not so that {first.obligation}"
    elif checked.failed:
        kind, why = VerdictKind.INCONCLUSIVE, f"the solver gave up: {checked.failed[0].obligation}"
    return Verdict(
        proof.property_name, kind, None, seconds, why, found_by="certify", certificate=str(options.path)
    )


def _run(
    loaded: Loaded,
    model: Model,
    proof: Certificate,
    solver: str,
    checked: Checked | None,
    verdict: Verdict,
) -> Run:
    statistics = {
        "found_by": vars(proof.found_by),
        "obligations": checked.obligations if checked else None,
        "instances_asked": checked.instances if checked else None,
        "failed": [item.obligation for item in checked.failed] if checked else [],
        "lemmas": len(proof.lemmas),
        "clauses": len(proof.clauses),
    }
    return Run(
        engine="certify",
        definition=loaded.definition,
        model=model,
        options={"certificate": verdict.certificate},
        depth=0,
        solvers=(solver,),
        outcome=Outcome((verdict,), (), statistics),
        seconds=verdict.seconds,
        building_seconds=0.0,
        exit_code=verdict.kind.exit_code,
    )


def _show(model: Model, proof: Certificate, solver: str, checked: Checked | None, verdict: Verdict) -> None:
    found = f"{proof.found_by.engine}, {proof.found_by.solver} {proof.found_by.version}"
    size = f"{len(proof.lemmas)} lemmas, {len(proof.clauses)} clauses"
    size += f", {proof.k}-inductive along paths of different states" if proof.k > 1 else ""
    say(f"{proof.property_name}  {verdict_text(verdict)}")
    say(f"Found by {found}: {size}.")
    if checked is not None:
        rest = len(model.system.instances) - checked.instances
        how = f"{checked.obligations} obligations about {checked.instances} instances"
        how += f" ({rest} more are images of them)" if rest else ""
        say(f"Checked by {solver} {solver_version(solver)}: {how}, {checked.seconds:.1f} s.")
        for item in checked.failed[:_SHOWN]:
            say(f"  not so: {item.obligation}" if item.certain else f"  undecided: {item.obligation}")
        if len(checked.failed) > _SHOWN:
            say(f"  and {len(checked.failed) - _SHOWN} more")
