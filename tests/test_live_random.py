"""Known answers: random small systems with random fairness and properties, each engine against a decision
by brute force."""

from __future__ import annotations

import pytest

from tests.live_systems import is_violated, live_of, plan_of
from verifier.clauses.unrolling import Steps
from verifier.engines.bounded_search import Search, ViolationFound, search
from verifier.engines.live import LiveEngine, Request, decided
from verifier.processes.limits import Limits
from verifier.system.liveness import LiveModel
from verifier.system.loops import loop_model
from verifier.trust.certificate import claimed_model
from verifier.trust.certify import check
from verifier.verdict import Verdict, VerdictKind

GROUPS = [(first, first + 20) for first in range(0, 400, 20)]
QUICK = [group if group[0] < 60 else pytest.param(group, marks=pytest.mark.thorough) for group in GROUPS]


def verdict_of(live: LiveModel, engine: LiveEngine) -> Verdict:
    """What the engine says of the property."""
    outcome = decided(live, Request(("Claim",), "spec", (), engine, depth=6, limits=Limits(60.0).begun()))
    (verdict,) = outcome.verdicts
    return verdict


def shortest(live: LiveModel, most: int) -> int | None:
    """The fewest states of a lasso with at most ``most``, by bounded search in this process."""
    found: list[ViolationFound] = []

    def report(event: object) -> None:
        if isinstance(event, ViolationFound) and event.violates == "Claim":
            found.append(event)

    system = loop_model(live).system
    search(system, Search(Steps.SERIAL, "cadical", most + 1, ("Claim",), symmetry=False), report)
    return found[0].steps - 1 if found else None


@pytest.mark.parametrize("seeds", QUICK, ids=str)
def test_exploration_and_bounded_search_agree_with_brute_force(seeds: tuple[int, int]) -> None:
    for seed in range(*seeds):
        plan = plan_of(seed)
        live, expected = live_of(plan), is_violated(plan)
        verdict = verdict_of(live, LiveEngine.EXPLICIT)
        assert verdict.kind is (VerdictKind.VIOLATED if expected else VerdictKind.PROVED), seed
        if verdict.trace is None:
            assert shortest(live, 5) is None, seed
        else:  # a loop of one step has as many states as steps, a stuttering one has a state more
            steps = len(verdict.trace.states)
            least = shortest(live, steps)
            assert least is not None, seed
            assert least <= steps, seed


@pytest.mark.parametrize(
    "seed", [seed if seed < 6 else pytest.param(seed, marks=pytest.mark.thorough) for seed in range(60)]
)
def test_proofs_agree_with_brute_force_and_are_certified(seed: int) -> None:
    plan = plan_of(1000 + seed)
    live = live_of(plan)
    request = Request(("Claim",), "spec", (), LiveEngine.PROVE, limits=Limits(60.0).begun())
    outcome = decided(live, request)
    (verdict,) = outcome.verdicts
    assert verdict.kind is (VerdictKind.VIOLATED if is_violated(plan) else VerdictKind.PROVED)
    for proof in outcome.proofs:
        certificate = proof.certificate
        assert certificate.fairness == "spec"
        assert not check(claimed_model(live.base, certificate), certificate, "z3").failed
