"""Known answers: random small systems with random fairness and properties, each engine against a decision
by brute force."""

from __future__ import annotations

import pytest

from tests.support.live_differential import compare
from tests.support.live_systems import is_violated, live_of, plan_of
from tests.support.sampling import first_of
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.processes.limits import Limits
from verifier.trust.certificate import make_claimed_model
from verifier.trust.certify import check
from verifier.verdict import VerdictKind

GROUPS = [(first, first + 20) for first in range(0, 400, 20)]


@pytest.mark.parametrize("seeds", first_of([(group,) for group in GROUPS], 3), ids=str)
def test_exploration_and_bounded_search_agree_with_brute_force(seeds: tuple[int, int]) -> None:
    for seed in range(*seeds):
        compare(seed, prove=seed % 10 == 0)


@pytest.mark.parametrize("seed", first_of(range(60), 3))
def test_proofs_agree_with_brute_force_and_are_certified(seed: int) -> None:
    plan = plan_of(1000 + seed)
    live = live_of(plan)
    request = Request(("Claim",), "spec", (), LiveEngine.L2S, limits=Limits(60.0).begin())
    outcome = decide_property(live, request)
    (verdict,) = outcome.verdicts
    assert verdict.kind is (VerdictKind.VIOLATED if is_violated(plan) else VerdictKind.PROVED)
    for proof in outcome.proofs:
        certificate = proof.certificate
        assert certificate.fairness == "spec"
        assert not check(make_claimed_model(live.base, certificate), certificate, "z3").failed
