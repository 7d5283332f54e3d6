"""A Boolean constant of a module keeps its value in a proof for all constants, which says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

MODULE = r"""---- MODULE Switch ----
EXTENDS Naturals
CONSTANTS Most, Bounded
ASSUME Most \in Nat
ASSUMED
VARIABLE level
TypeOK == level \in 0..Most + 1
Init == level = 0
Next == level <= Most /\ (Bounded => level < Most) /\ level' = level + 1
Claim == CLAIM
====
"""
CONFIG = r"""INIT Init
NEXT Next
INVARIANT Claim
CONSTANTS Most = 3 Bounded = TRUE
CHECK_DEADLOCK FALSE
"""
SAID = "Bounded = TRUE"


def _write(folder: Path, assumed: str = "", claim: str = "level <= Most") -> str:
    (folder / "Switch.tla").write_text(MODULE.replace("ASSUMED", assumed).replace("CLAIM", claim))
    (folder / "Switch.cfg").write_text(CONFIG)
    return str(folder / "Switch.tla")


def _prove(spec: str, settings: dict[str, str]) -> Run:
    return execute("prove", load(spec, settings), ProveOptions(all_constants=True))


def _verdict(run: Run) -> str:
    (claim,) = (one for one in run.outcome.verdicts if one.property_name == "Claim")
    return claim.kind.name


@pytest.mark.parametrize("assumed", ["", r"ASSUME Bounded \in BOOLEAN"])
def test_the_value_is_assumed_and_no_assume_declares_it(tmp_path: Path, assumed: str) -> None:
    run = _prove(_write(tmp_path, assumed), {})
    assert _verdict(run) == "PROVED"
    content = as_object(run)
    assert content["constants"] == "assumed"
    assert content["beyond_declared"] == [SAID]


def test_a_claim_that_is_false_at_the_other_value_is_not_proved_there(tmp_path: Path) -> None:
    spec = _write(tmp_path)
    assert _verdict(_prove(spec, {"Bounded": "FALSE"})) == "VIOLATED"
    assert _verdict(_prove(_write(tmp_path, claim="~Bounded"), {"Bounded": "TRUE"})) == "VIOLATED"
    assert _verdict(_prove(_write(tmp_path, claim="~Bounded"), {"Bounded": "FALSE"})) == "PROVED"


def test_an_assume_that_is_false_at_the_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the assumption is false at these constants.*Bounded=TRUE"):
        _prove(_write(tmp_path, "ASSUME ~Bounded"), {})


def test_a_certificate_is_of_one_value(tmp_path: Path) -> None:
    spec, certificate = _write(tmp_path), tmp_path / "proof.json"
    run = _prove(spec, {})
    assert _verdict(run) == "PROVED"
    certificate.write_text(run.certificate_texts["Claim"])
    assert certify(read_claim(certificate, spec, None, Limits())).verdict.reason is None
    (tmp_path / "Switch.cfg").write_text(CONFIG.replace("TRUE", "FALSE"))
    with pytest.raises(UsageError):
        certify(read_claim(certificate, spec, None, Limits()))
