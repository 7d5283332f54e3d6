"""Certificates checked again, from their files, by another solver."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from verifier.engines.outcome import Outcome
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.processes.pool import run_alone
from verifier.runs.building import build_model
from verifier.runs.loaded import TLA, Loaded, ReadingOptions
from verifier.runs.loading import choose_trusted_spec, load, require_same_constants
from verifier.runs.validation.agreement import Disagrees
from verifier.runs.validation.budget import default_seconds
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model
from verifier.trust.certificate import Certificate, check_fit, make_claimed_model, read
from verifier.trust.certify import CheckReport, check, other_solver
from verifier.trust.initial_states import require_initial_state
from verifier.verdict import Verdict, VerdictKind, settle_verdict

ENGINE = "certify"
_OWN_CONSTANTS = "check it at its own constants, or prove the property at the others"


@dataclass(frozen=True)
class Claim:
    """A certificate that fits its protocol, and the solver that must check it."""

    path: Path
    certificate: Certificate
    model: Model
    solver: str
    limits: Limits
    began: float
    """The start, on the monotonic clock."""
    validate: Callable[[float], Mapping[str, Any]] | None = None
    """For a TLA+ module: compares it with its translation for a number of seconds. Raises Disagrees. The seed
    differs from that of the proof."""


@dataclass(frozen=True)
class Certified:
    """The result of a check."""

    claim: Claim
    checked: CheckReport | None
    """None if the check did not end."""
    verdict: Verdict
    validation: Mapping[str, Any] | None = None
    """The extent to which a TLA+ module was compared with its translation."""


def read_claim(
    path: Path,
    spec: str | None,
    solver: str | None,
    limits: Limits,
    reading: ReadingOptions | None = None,
    given: Mapping[str, Any] | None = None,
) -> Claim:
    """Return the claim of a certificate's file, or of the content ``given``. ``spec`` is the user's choice;
    without it only a built-in spec is loaded. Raises UsageError for a file that is no certificate of the
    current spec. Raises Interrupted if the time is over before the check."""
    began, limits = time.monotonic(), limits.begin()
    certificate, content = read(path, given)
    loaded = _load(certificate, choose_trusted_spec(certificate.spec, spec, "the certificate"), reading)
    checker = solver or other_solver(certificate.found_by.solver)
    if checker in certificate.found_by.solver.split("+"):
        raise UsageError(f"--solver {checker} found this proof: another one must check it")
    base = model = build_model(loaded.definition, limits)
    if certificate.property_name == loaded.definition.titles.no_deadlock:
        model = with_deadlock(model)
    model = make_claimed_model(model, certificate)
    check_fit(model, certificate, content)
    require_initial_state(model)  # also checked here: an exception in a child counts as a crash
    validate = None
    if loaded.validate is not None:
        seed = 1 if certificate.validation is None else certificate.validation["seed"] + 1
        compare = loaded.validate

        def validate(seconds: float) -> Mapping[str, Any]:
            return compare(base, certificate, seconds, seed)

    return Claim(path, certificate, model, checker, limits, began, validate)


def _load(certificate: Certificate, spec: str, reading: ReadingOptions | None) -> Loaded:
    """Load the protocol of the certificate; a TLA+ module at the sorts of the proof. Raises UsageError if the
    user's configuration gives other constants."""
    if not spec.endswith(TLA):
        return load(spec, certificate.constants, claimed=certificate.spec)
    from verifier.runs.modules.source import load_tla

    reading = reading or ReadingOptions()
    if reading.config is not None:
        own = load_tla(spec, {}, None, reading).definition.constants
        by = f"--config {reading.config}"
        require_same_constants(certificate.constants, own, "the certificate", by, _OWN_CONSTANTS)
    loaded = load_tla(spec, {}, None, reading, said=certificate.constants)
    named = (certificate.property_name, *certificate.lemmas)
    temporal = certificate.fairness is not None
    own_sorts = certificate.own_sorts
    return loaded.whole(named, certificate.beyond, own_sorts=own_sorts, temporal=temporal)


def certify(claim: Claim) -> Certified:
    """Check the claim until it is done, out of time, or interrupted."""

    def work(report: Callable[[Any], None], _: Connection) -> None:
        report(check(claim.model, claim.certificate, claim.solver))

    # In a child process: a busy solver can be killed, but may not react to anything else.
    done = run_alone(ENGINE, work, claim.limits, nested=False)
    checked = done.reported[0] if done.reported else None
    reason = done.limit or done.failure or "the check ended early"
    seconds = time.monotonic() - claim.began
    verdict = _verdict(claim, checked, reason, seconds)
    if claim.validate is None or checked is None or checked.failed:
        return Certified(claim, checked, verdict)
    try:
        return Certified(claim, checked, verdict, claim.validate(default_seconds(seconds)))
    except Disagrees as difference:
        wrong = replace(verdict, kind=VerdictKind.ERROR, reason=str(difference))
        return Certified(claim, checked, wrong)


def _verdict(claim: Claim, checked: CheckReport | None, reason: str, seconds: float) -> Verdict:
    name = claim.certificate.property_name
    kind, why = settle_verdict(sought=claim.model.system.seeks(name))
    if checked is None:
        kind, why = VerdictKind.INCONCLUSIVE, reason
    elif any(item.certain for item in checked.failed):
        kind = VerdictKind.NOT_INDUCTIVE
        first = next(item for item in checked.failed if item.certain)
        why = f"this obligation fails: {first.obligation}"
    elif checked.failed:
        kind, why = VerdictKind.INCONCLUSIVE, f"the solver gave up: {checked.failed[0].obligation}"
    return Verdict(name, kind, None, seconds, why, found_by=ENGINE, certificate=str(claim.path))


def run_of(certified: Certified) -> Run:
    """Return the check as a run."""
    claim, checked, verdict = certified.claim, certified.checked, certified.verdict
    certificate = claim.certificate
    statistics = {
        "found_by": vars(certificate.found_by),
        "obligations": checked.obligations if checked else None,
        "instances_asked": checked.instances if checked else None,
        "failed": [item.obligation for item in checked.failed] if checked else [],
        "lemmas": len(certificate.lemmas),
        "clauses": len(certificate.clauses),
        **({} if certified.validation is None else {"validation": dict(certified.validation)}),
    }
    return Run(
        engine=ENGINE,
        definition=claim.model.definition,
        model=claim.model,
        options={"certificate": verdict.certificate},
        depth=0,
        solvers=(claim.solver,),
        outcome=Outcome((verdict,), (), statistics),
        seconds=verdict.seconds,
        building_seconds=0.0,
        exit_code=verdict.kind.exit_code,
    )
