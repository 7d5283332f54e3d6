"""Every engine for temporal properties against brute force, on as many random systems as you like:
``python -m tests.support.live_differential FIRST COUNT``. All of it runs in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tests.support.live_systems import Plan, harder_plan_of, is_violated, live_of, meets_nowhere
from verifier.clauses.unrolling import Steps
from verifier.engines.bounded_search import Search, ViolationFound, search
from verifier.engines.ic3.search import Counterexample, Proof
from verifier.engines.live import LiveEngine, Request, decide_property
from verifier.engines.provers import ic3_certificate, ic3_work
from verifier.processes.limits import Limits
from verifier.system.liveness import LiveModel
from verifier.system.liveness_to_safety import loop_model
from verifier.trust.certify import check
from verifier.verdict import Verdict, VerdictKind

CLAIM = "Claim"


def verdict_of(live: LiveModel, engine: LiveEngine, *, breach: bool) -> Verdict:
    """Return the engine's verdict on the property. ``breach``: a property checked with it is violated too."""
    request = Request((CLAIM,), "spec", (), engine, depth=6, limits=Limits(60.0).begin())
    outcome = decide_property(live, request)
    *others, verdict = sorted(outcome.verdicts, key=lambda one: one.property_name == CLAIM)
    assert bool(others) is breach
    assert all(one.kind is VerdictKind.VIOLATED for one in others)
    return verdict


def expect_verdict(plan: Plan) -> VerdictKind:
    """Return the verdict that exploration must give on a system."""
    if is_violated(plan):
        return VerdictKind.VIOLATED
    return VerdictKind.INCONCLUSIVE if meets_nowhere(plan) else VerdictKind.PROVED


def shortest(live: LiveModel, most: int) -> int | None:
    """The fewest states of a lasso with at most ``most``, by bounded search in this process."""
    found: list[ViolationFound] = []

    def report(event: object) -> None:
        if isinstance(event, ViolationFound) and event.violates == CLAIM:
            found.append(event)

    system = loop_model(live).system
    search(system, Search(Steps.SERIAL, "cadical", most + 1, (CLAIM,), symmetry=False), report)
    return found[0].steps - 1 if found else None


def is_proved_by_ic3(live: LiveModel) -> bool:
    """True if IC3 proves the property in this process; its proof is checked."""
    model = loop_model(live)
    answers: list[Any] = []
    work: Callable[..., None] = ic3_work(model, CLAIM, lemmas=True)
    work(answers.append, None)
    (answer,) = (news for news in answers if isinstance(news, Proof | Counterexample))
    if isinstance(answer, Proof):
        report = check(model.asking((CLAIM,)), ic3_certificate(model, CLAIM, answer), "z3")
        assert not report.failed, report.failed
    return isinstance(answer, Proof)


def compare(seed: int, *, prove: bool) -> bool:
    """Compares the engines on one system. Returns whether the property is violated."""
    plan = harder_plan_of(seed)
    live, expected = live_of(plan), expect_verdict(plan)
    verdict = verdict_of(live, LiveEngine.EXPLICIT, breach=meets_nowhere(plan))
    assert verdict.kind is expected, seed
    if verdict.trace is None:
        assert shortest(live, 5) is None, seed
    else:  # a loop of one step has as many states as steps, a stuttering one has a state more
        steps = len(verdict.trace.states)
        least = shortest(live, 4 * steps if live.remembers else steps)
        assert least is not None, seed
        # If bits record the past, the search closes a loop later.
        assert live.remembers or least <= steps, seed
    assert not prove or is_proved_by_ic3(live) is (
        expected is VerdictKind.PROVED and not meets_nowhere(plan)
    ), seed
    return expected is VerdictKind.VIOLATED


def main() -> None:
    """Compares as many as are asked for."""
    first, count = map(int, sys.argv[1:])
    violated = sum(compare(seed, prove=True) for seed in range(first, first + count))
    print(f"{count} systems: the engines agree with brute force; {violated} properties are violated")


if __name__ == "__main__":
    main()
