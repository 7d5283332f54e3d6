"""Properties that are proved under other properties: what may be used, and what would be a circle."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_prove import Parity
from tests.support.command_line import verify
from tests.support.models import build
from tests.support.random_protocols import random_protocol
from verifier.encodings.sorts import Boolean, Range
from verifier.engines import property_proof
from verifier.engines.choices import EngineChoice
from verifier.engines.explore import Request as Exploration
from verifier.engines.explore import explore
from verifier.engines.hypotheses import conjoin_invariant, hypothesis, usable, with_hypotheses
from verifier.engines.kinduction import KInductionProof, kinduction
from verifier.engines.prove import ProveOutcome, Request, check
from verifier.engines.provers import ic3_work, kind_certificate, with_goal
from verifier.processes.children import Work
from verifier.processes.limits import Limits
from verifier.specs.protocol import Protocol, State, Step, action, define, invariant, lemma
from verifier.system.model import Model
from verifier.system.model import build as build_definition
from verifier.trust.certificate import Certificate, FoundBy, certificate_of
from verifier.trust.certify import check as check_certificate
from verifier.verdict import VerdictKind

PROVED, VIOLATED = VerdictKind.PROVED, VerdictKind.VIOLATED
HERE = Path(__file__)


class _Pair(Protocol, camel_case=True):
    def state(self) -> State:
        return State(a=Boolean(), b=Boolean())

    @invariant()
    def no_a(self, s: Any) -> Any:
        return ~s.a

    @invariant()
    def no_b(self, s: Any) -> Any:
        return ~s.b


class BothAtOnce(_Pair):
    """Whoever assumes in the next state that the one property holds, proves the other: both fail together."""

    def init(self, s: Any) -> Any:
        return ~s.a & ~s.b

    @action()
    def both(self, s: Any) -> Step:
        return Step(when=[~s.a], then={s.a: True, s.b: True})


class WrongStart(_Pair):
    """The properties keep each other, but one of them does not hold in the beginning."""

    def init(self, s: Any) -> Any:
        return ~s.a & s.b

    @action()
    def swap(self, s: Any) -> Step:
        return Step(when=[], then={s.a: s.b, s.b: s.a})


class KeptTogether(WrongStart):
    """A start from a state in which both hold: each is true, and neither is inductive alone."""

    def init(self, s: Any) -> Any:
        return ~s.a & ~s.b


class Counting(Protocol, camel_case=True):
    """Counts by two: the second property needs what the invariant of the first excludes."""

    def state(self) -> State:
        return State(x=Range(0, 9), marked=Boolean())

    def init(self, s: Any) -> Any:
        return (s.x == 0) & ~s.marked

    @action()
    def count(self, s: Any) -> Step:
        return Step(when=[s.x < 8], then={s.x: s.x + 2})

    @action()
    def mark(self, s: Any) -> Step:
        return Step(when=[s.x == 7], then={s.marked: True})

    @invariant()
    def never_seven(self, s: Any) -> Any:
        return s.x != 7

    @invariant()
    def unmarked(self, s: Any) -> Any:
        return ~s.marked | (s.x == 9)

    @lemma()
    def in_range(self, s: Any) -> Any:
        return s.x <= 9

    @lemma()
    def wrong(self, s: Any) -> Any:
        return s.x <= 3


def _prove(model: Model, names: tuple[str, ...], choice: EngineChoice, lemmas: bool = True) -> ProveOutcome:
    outcome = check(model, Request(names, choice, limits=Limits(60), lemmas=lemmas))
    for proof in outcome.proofs:
        for solver in ("cadical", "z3"):
            assert not check_certificate(model, proof.certificate, solver).failed
    return outcome


@pytest.mark.parametrize("choice", list(EngineChoice))
@pytest.mark.parametrize("protocol", [BothAtOnce(), WrongStart()], ids=lambda p: p.spec_name())
def test_no_circle_proves_what_is_false(protocol: Protocol, choice: EngineChoice) -> None:
    model = build(protocol)
    for names in (("NoA", "NoB"), ("NoB", "NoA")):
        outcome = _prove(model, names, choice)
        assert [verdict.kind for verdict in outcome.verdicts] == [VIOLATED, VIOLATED]
        assert outcome.proofs == ()


def test_a_certificate_cannot_name_what_it_does_not_keep() -> None:
    for protocol in (BothAtOnce(), WrongStart()):
        model = build(protocol)
        claim = certificate_of(model, "NoA", ("NoA", "NoB", "TypeInvariant"), (), FoundBy("ic3", "z3", "1"))
        assert any(item.certain for item in check_certificate(model, claim, "cadical").failed)


def test_properties_that_keep_each_other_are_in_each_others_invariants() -> None:
    outcome = _prove(build(KeptTogether()), ("NoA", "NoB"), EngineChoice.IC3)
    assert [verdict.kind for verdict in outcome.verdicts] == [PROVED, PROVED]
    uses = {proof.property_name: proof.uses for proof in outcome.proofs}
    assert "NoB" in uses["NoA"]
    assert "NoA" in uses["NoB"]
    assert all(proof.certificate.clauses == () for proof in outcome.proofs)
    (alone,) = _prove(build(KeptTogether()), ("NoA",), EngineChoice.IC3).proofs
    assert alone.certificate.clauses != ()


def test_a_hypothesis_comes_with_all_that_keeps_it() -> None:
    """Neither property is inductive with the other, so the first one's clauses are needed too."""
    model = build(Counting())
    outcome = _prove(model, ("NeverSeven", "Unmarked"), EngineChoice.IC3)
    assert [verdict.kind for verdict in outcome.verdicts] == [PROVED, PROVED]
    first, second = outcome.proofs
    assert first.property_name in second.uses
    assert set(map(frozenset, first.certificate.clauses)) <= set(map(frozenset, second.certificate.clauses))
    without = replace(second.certificate, clauses=())
    assert check_certificate(model, without, "z3").failed


def test_lemmas_kept_and_dropped_are_told() -> None:
    (proof,) = _prove(build(Counting()), ("NeverSeven",), EngineChoice.IC3).proofs
    assert proof.lemmas_not_inductive == ("Wrong",)
    assert proof.lemmas_not_needed == ("InRange",)
    (proof,) = _prove(build(Counting()), ("NeverSeven",), EngineChoice.IC3, lemmas=False).proofs
    assert (proof.lemmas_not_inductive, proof.lemmas_not_needed) == (None, None)


def test_what_takes_several_steps_is_no_hypothesis_but_may_have_some() -> None:
    """Parity needs several steps; the type invariant, which holds in single ones, is assumed."""
    model = build(Parity())
    typed = certificate_of(model, "TypeInvariant", ("TypeInvariant",), (), FoundBy("kind", "cadical", "1"))
    known = hypothesis(model, typed)
    assert known is not None
    proof = _kind(model, "NeverAll", [conjoin_invariant(model, known)])
    assert proof.k > 1
    certificate = with_hypotheses(kind_certificate(model, "NeverAll", proof, "cadical"), [known])
    assert certificate.single_steps == ("TypeInvariant",)
    assert not check_certificate(model, certificate, "z3").failed
    assert hypothesis(model, certificate) is None
    wrong = replace(certificate, single_steps=("NeverAll",))
    assert any(item.certain for item in check_certificate(model, wrong, "z3").failed)


def test_k_induction_uses_what_is_proved() -> None:
    """Alone it needs a path through all numbers that no execution reaches."""
    model = build(Counting())
    (first,) = _prove(model, ("NeverSeven",), EngineChoice.IC3).proofs
    known = hypothesis(model, first.certificate)
    assert known is not None
    with_it, alone = (
        _kind(model, "Unmarked", [conjoin_invariant(model, known)]),
        _kind(model, "Unmarked", []),
    )
    assert with_it.assumed == (0,)
    assert with_it.k < alone.k
    certificate = with_hypotheses(kind_certificate(model, "Unmarked", with_it, "cadical"), [known])
    assert not check_certificate(model, certificate, "z3").failed


def _kind(model: Model, name: str, known: list[Any]) -> KInductionProof:
    events: list[Any] = []
    system = with_goal(model.system, name)
    kinduction(system, name, "cadical", events.append, structural=[], assumed=known)
    assert isinstance(events[-1], KInductionProof)
    return events[-1]


def test_who_ran_out_of_its_share_is_tried_again_under_what_was_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NoA is never done without a hypothesis."""
    given: list[tuple[str, int]] = []

    def work_of(
        model: Model, name: str, lemmas: bool, solver: str, others: Any, hypotheses: Sequence[Certificate]
    ) -> Work:
        given.append((name, len(hypotheses)))
        real = ic3_work(model, name, lemmas, solver, (), hypotheses)

        def work(report: Callable[[Any], None], incoming: Any) -> None:
            if name == "NoA" and not hypotheses:
                time.sleep(60)
            real(report, incoming)

        return work

    monkeypatch.setattr(property_proof, "ic3_work", work_of)
    request = Request(("NoA", "NoB"), EngineChoice.IC3, limits=Limits(3))
    outcome = check(build(KeptTogether()), request)
    assert [verdict.kind for verdict in outcome.verdicts] == [PROVED, PROVED]
    assert given == [("NoA", 0), ("NoB", 0), ("NoA", 1)]
    assert outcome.verdicts[0].seconds > 1
    assert "NoB" in outcome.proofs[-1].uses


def test_nothing_is_tried_again_where_nothing_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def work_of(model: Model, name: str, *_: Any) -> Work:
        given.append(name)
        return lambda report, incoming: time.sleep(60)

    monkeypatch.setattr(property_proof, "ic3_work", work_of)
    outcome = check(build(KeptTogether()), Request(("NoA", "NoB"), EngineChoice.IC3, limits=Limits(1)))
    assert [verdict.kind for verdict in outcome.verdicts] == [VerdictKind.INCONCLUSIVE] * 2
    assert given == ["NoA", "NoB"]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_hypotheses_change_no_verdict_of_random_protocols(seed: int) -> None:
    model = build_definition(define(random_protocol(seed)[1]))
    names = tuple(prop.name for prop in model.system.properties)
    truth = {v.property_name: v.kind for v in explore(model, Exploration(names, keep_going=True)).verdicts}
    outcome = _prove(model, names, EngineChoice.IC3)
    for verdict in outcome.verdicts:
        held = truth[verdict.property_name] in (PROVED, VerdictKind.HOLDS)
        assert held == (verdict.kind is PROVED)
    for proof in outcome.proofs:
        known = hypothesis(model, proof.certificate)
        for name in names:
            assert known is None or all(c.k == 1 for c in usable(model, [known], name))


# The command


def test_the_command_names_what_was_used(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    spec = f"{HERE}:KeptTogether"
    asked = ("--property", "NoA", "--property", "NoB", "--engine", "ic3")
    done = verify("prove", "--spec", spec, *asked, "--format", "json")
    assert done.exit_code == 0, done.output
    proofs = {proof["property"]: proof for proof in json.loads(done.stdout)["proofs"]}
    assert "NoB" in proofs["NoA"]["uses"]
    assert "NoB" in proofs["NoA"]["lemmas"]
    done = verify("prove", "--spec", spec, *asked, "--certificate", str(file))
    assert "NoA is proved by induction together with: NoB" in done.stdout
    written = sorted(tmp_path.iterdir())
    assert written
    for each in written:
        assert verify("certify", str(each), "--spec", spec).exit_code == 0
    done = verify("prove", "--spec", f"{HERE}:Counting", "--property", "NeverSeven", "--engine", "ic3")
    assert "Lemmas not needed: InRange." in done.stdout
    assert "Lemmas not inductive: Wrong." in done.stdout
