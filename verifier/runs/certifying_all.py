"""Certificates for all constants checked again, from their files."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.engines.outcome import Outcome
from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.parametric.certificate import Checked, Content, Misfit, check, read
from verifier.parametric.deciding import CHECKER
from verifier.parametric.protocol_readings import ParametricReading
from verifier.processes.limits import INTERRUPTED, Interrupted, Limits
from verifier.processes.watching import within
from verifier.runs.loaded import TLA, Differs, Loaded, ReadingOptions, TypeInvariantViolated
from verifier.runs.loading import choose_trusted_spec, load
from verifier.runs.reading_for_all import reading_of
from verifier.solvers.solver_names import SCRIPT_SOLVERS
from verifier.tla.first_order.families import ASSUMED
from verifier.tla.first_order.protocol_classes import operator_of
from verifier.verdict import Verdict, VerdictKind

ENGINE = "certify"


@dataclass(frozen=True)
class ClaimForAll:
    """A certificate, its protocol, and the solver that must check it."""

    path: Path
    content: Content
    reading: ParametricReading
    solver: str
    limits: Limits


@dataclass(frozen=True)
class CertifiedForAll:
    """The result of a check."""

    claim: ClaimForAll
    checked: Checked | None
    verdict: Verdict


def read_claim(
    path: Path,
    spec: str | None,
    solver: str | None,
    limits: Limits,
    given: Mapping[str, Any] | None = None,
    reading_options: ReadingOptions | None = None,
) -> ClaimForAll:
    """Return the claim of a certificate's file, or of the content ``given``. ``spec`` is the user's choice;
    without it only a built-in spec is loaded. Raises UsageError for a file that is no certificate of the
    current spec."""
    limits = limits.begin()
    content = read(path, given)
    checker = solver or CHECKER
    if checker not in SCRIPT_SOLVERS:
        raise UsageError(f"--solver {checker} reads no quantifiers: {' or '.join(SCRIPT_SOLVERS)} does")
    trusted = choose_trusted_spec(content["spec"], spec, "the certificate")
    if trusted.endswith(TLA):
        loaded = _load_module(trusted, content, reading_options or ReadingOptions())
    else:
        loaded = load(trusted, content["constants"], claimed=content["spec"])
    reading = within(limits, lambda: reading_of(loaded))
    return ClaimForAll(path, content, reading, checker, limits)


def _load_module(spec: str, content: Content, options: ReadingOptions) -> Loaded:
    """Return the protocol of a module, with the properties and lemmas with which it was read. It is compared
    with the module again. Raises UsageError."""
    loaded = load(spec, {}, reading=options)
    known = content["read_with"]
    lemmas = [operator_of(name) for name in known["lemmas"] if not name.endswith(ASSUMED)]
    assert loaded.source is not None
    protocol = loaded.source.as_protocol(loaded, known["properties"], lemmas)
    assert protocol.of_module is not None
    try:
        protocol.of_module.compare(Limits().begin())
    except (Differs, TypeInvariantViolated) as difference:
        raise UsageError(str(difference)) from None
    return protocol


def certify(claim: ClaimForAll) -> CertifiedForAll:
    """Check the claim until it is done, out of time, or interrupted. Raises UsageError for a file that does
    not fit."""
    began = time.monotonic()
    checked, reason = None, INTERRUPTED
    try:
        checked = check(claim.reading, claim.content, claim.limits, claim.solver)
    except Interrupted as limit:
        reason = str(limit)
    except KeyboardInterrupt:
        pass
    except Misfit as misfit:
        raise Misfit(f"{claim.path}: {misfit}") from None
    kind = VerdictKind.PROVED
    why = None
    if checked is None or checked.limit:
        kind, why = VerdictKind.INCONCLUSIVE, reason
    elif checked.failed:
        kind, why = VerdictKind.INCONCLUSIVE, f"{claim.solver} does not show {checked.failed[0]}"
    seconds = time.monotonic() - began
    name = claim.content["property"]
    return CertifiedForAll(
        claim,
        checked,
        Verdict(name, kind, None, seconds, why, found_by=ENGINE, certificate=str(claim.path)),
    )


def run_of(certified: CertifiedForAll) -> Run:
    """Return the check as a run."""
    claim, checked, verdict = certified.claim, certified.checked, certified.verdict
    statistics = {
        "obligations": checked.obligations if checked else None,
        "failed": list(checked.failed) if checked else [],
        "lemmas": len(claim.content["lemmas"]),
    }
    return Run(
        engine=ENGINE,
        definition=claim.reading.definition,
        model=None,
        options={"certificate": verdict.certificate},
        depth=0,
        solvers=(claim.solver,),
        outcome=Outcome((verdict,), (), statistics),
        seconds=verdict.seconds,
        building_seconds=0.0,
        exit_code=verdict.kind.exit_code,
        assumptions=claim.reading.said,
        beyond_declared=claim.reading.beyond_declared,
    )
