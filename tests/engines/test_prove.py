"""``verify prove``: provers side by side, every proof checked again, every violation replayed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engines.test_ic3 import KNOWN, SMALL
from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.command_line import CHAIN, LOCK, verify, wrong
from tests.support.explicit import explore
from tests.support.models import build
from tests.support.sampling import first_of
from tests.support.toys import Chain, LockServer, Lottery, Overflow, Unreachable
from verifier.encodings.sorts import Boolean, Option
from verifier.engines import property_proof as engine
from verifier.engines.choices import EngineChoice
from verifier.engines.ic3.search import Counterexample, Proof
from verifier.engines.prove import Progress, ProveOutcome, Request, check
from verifier.engines.provers import LemmasKept, ic3_certificate, ic3_work
from verifier.processes.children import Work
from verifier.processes.limits import Limits
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant, lemma
from verifier.system.transition_system import NamedFormula
from verifier.text.invariant import invariant_lines
from verifier.trust.certificate import FoundBy, certificate_of
from verifier.trust.certify import check as check_certificate
from verifier.trust.replay import Replayer
from verifier.verdict import Verdict, VerdictKind

PROVED, VIOLATED, ERROR = VerdictKind.PROVED, VerdictKind.VIOLATED, VerdictKind.ERROR


class Parity(Protocol, camel_case=True):
    """Two of three switches are flipped at a time: never all on. Inductive only along several states."""

    def state(self) -> State:
        return State(a=Boolean(), b=Boolean(), c=Boolean())

    def init(self, s: Any) -> Any:
        return ~s.a & ~s.b & ~s.c

    @action()
    def flip_ab(self, s: Any) -> Step:
        return Step(when=[], then={s.a: ~s.a, s.b: ~s.b})

    @action()
    def flip_bc(self, s: Any) -> Step:
        return Step(when=[], then={s.b: ~s.b, s.c: ~s.c})

    @invariant()
    def never_all(self, s: Any) -> Any:
        return ~(s.a & s.b & s.c)


def _prove(protocol: Protocol, name: str, choice: EngineChoice = EngineChoice.AUTO) -> ProveOutcome:
    model = build(protocol)
    outcome = check(model, Request((name,), choice, limits=Limits(60)))
    for verdict in outcome.verdicts:
        if verdict.trace is not None:
            Replayer(model).check(verdict.trace)
    for proof in outcome.proofs:
        assert not check_certificate(model, proof.certificate, "cadical").failed
    return outcome


def _only(outcome: ProveOutcome) -> Verdict:
    (verdict,) = outcome.verdicts
    return verdict


@pytest.mark.parametrize("choice", list(EngineChoice))
@pytest.mark.parametrize("case", KNOWN, ids=lambda case: f"{case[0].spec_name()}-{case[1]}")
def test_known_verdicts(case: Any, choice: EngineChoice) -> None:
    protocol, name, length = case
    verdict = _only(_prove(protocol, name, choice))
    wanted = {
        "AtFour": VerdictKind.REACHED,
        "AtFive": VIOLATED,
    }.get(name, PROVED if length is None else VIOLATED)
    assert verdict.kind is wanted
    if name == "AtFive":
        assert "reached in no state" in str(verdict.reason)
    if length is None:
        assert verdict.trace is None
    else:
        assert verdict.steps is not None
        assert verdict.steps >= length
        assert not verdict.fewest or verdict.steps == length


def test_what_needs_several_steps_has_a_certificate_that_says_how_many() -> None:
    outcome = _prove(Parity(), "NeverAll", EngineChoice.KIND)
    assert _only(outcome).kind is PROVED
    (proof,) = outcome.proofs
    assert proof.certificate.k > 1
    assert proof.rechecked_by != "cadical"
    model = build(Parity())
    for k in range(1, proof.certificate.k):
        fewer = replace(proof.certificate, k=k)
        assert any(item.certain for item in check_certificate(model, fewer, "z3").failed)
    false = replace(proof.certificate, clauses=((("a", False),),))
    assert check_certificate(model, false, "z3").failed
    outcome = _prove(Parity(), "NeverAll", EngineChoice.IC3)
    assert _only(outcome).kind is PROVED
    assert outcome.proofs[0].certificate.k == 1


@pytest.mark.parametrize("k", range(1, 6))
def test_no_k_makes_a_violated_property_pass(k: int) -> None:
    """Also where the violating state has no successor, and where it is a loop."""
    for protocol, name, length in KNOWN:
        model = build(protocol)
        if length is None:
            continue
        proof = certificate_of(model, name, (name,), (), FoundBy("kind", "cadical", "1"), k)
        assert any(item.certain for item in check_certificate(model, proof, "z3").failed), name


def test_a_proof_covers_the_type_invariant() -> None:
    """Small always holds, but only because the action is disabled where it would leave the sort."""
    outcome = _prove(Overflow(), "Small")
    kinds = {verdict.property_name: verdict.kind for verdict in outcome.verdicts}
    assert kinds == {"Small": VerdictKind.INCONCLUSIVE, "TypeInvariant": VIOLATED}


def test_actions_that_the_invariant_excludes_are_named() -> None:
    outcome = _prove(Unreachable(), "NeverOdd")
    assert outcome.never_enabled == ("Never",)
    assert outcome.enabled == ()  # a proof shows no state in which anything is


def test_that_an_action_is_enabled_takes_a_witness() -> None:
    outcome = check(build(Unreachable()), Request(("NeverOdd",), limits=Limits(60), witnesses=True))
    assert outcome.enabled == ("Count",)


def test_several_properties_one_by_one() -> None:
    outcome = check(build(LockServer()), Request(("HolderWaitsNoMore", "NotAllAsk")))
    assert [verdict.kind for verdict in outcome.verdicts] == [PROVED, VIOLATED]


# What must not count


def _claiming(claim: Any) -> Callable[..., Work]:
    def work_of(*_: Any, **__: Any) -> Work:
        def work(report: Callable[[Any], None], incoming: Any) -> None:
            report(claim)

        return work

    return work_of


def test_a_false_proof_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ic3_work", _claiming(Proof((), 0, 1, 0, 0.0)))
    verdict = _only(_prove(Chain(), "NeverTop", EngineChoice.IC3))
    assert verdict.kind is ERROR
    assert "refutes" in str(verdict.reason)


def test_a_proof_beside_a_violation_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ic3_work", _claiming(Proof((), 0, 1, 0, 0.0)))
    for choice in EngineChoice:
        if choice is not EngineChoice.KIND:
            assert _only(_prove(Chain(), "NeverTop", choice)).kind is ERROR


def test_a_violation_that_does_not_replay_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(Chain())
    bits = tuple(False for _ in model.system.bits)
    monkeypatch.setattr(engine, "ic3_work", _claiming(Counterexample(bits, (), 0, 0.0)))
    verdict = _only(_prove(Chain(), "NeverTop", EngineChoice.IC3))
    assert verdict.kind is ERROR
    assert "does not replay" in str(verdict.reason)


def test_a_prover_that_fails_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Work:
        def work(report: Callable[[Any], None], incoming: Any) -> None:
            raise ValueError("no")

        return work

    monkeypatch.setattr(engine, "ic3_work", failing)
    verdict = _only(_prove(Chain(), "StartsLow", EngineChoice.IC3))
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "ValueError" in str(verdict.reason)
    assert _only(_prove(Chain(), "StartsLow")).kind is PROVED


def test_out_of_time_is_inconclusive() -> None:
    model = build(Kip320({"replicas": 4}))
    verdict = _only(check(model, Request(("StrongIsr",), EngineChoice.IC3, limits=Limits(0.5), lemmas=False)))
    assert verdict.kind is VerdictKind.INCONCLUSIVE
    assert "timeout" in str(verdict.reason)


# Kafka


def test_kip320_is_proved() -> None:
    news: list[Progress] = []
    model = build(Kip320(SMALL))
    outcome = check(model, Request(("StrongIsr",), EngineChoice.IC3, lemmas=False), news.append)
    assert _only(outcome).kind is PROVED
    (proof,) = outcome.proofs
    assert proof.rechecked_by != "minisat"
    assert any(item.clauses for item in news)
    assert any("proof found" in item.note for item in news)


class Weak(Chain):
    """A chain with lemmas: one is inductive, one is false, one holds but nothing here proves it alone."""

    @lemma()
    def in_range(self, s: Any) -> Any:
        return s.x >= 0

    @lemma()
    def false(self, s: Any) -> Any:
        return s.x < 1

    @invariant()
    def low(self, s: Any) -> Any:
        return s.x <= 1


def test_lemmas_that_do_not_hold_are_left_out() -> None:
    for name, kind in (("StartsLow", PROVED), ("NeverTop", VIOLATED), ("Low", VIOLATED)):
        outcome = _prove(Weak(), name, EngineChoice.IC3)
        assert _only(outcome).kind is kind
        assert all("False" not in proof.certificate.lemmas for proof in outcome.proofs)


def test_a_property_that_follows_from_lemmas_is_proved_by_them() -> None:
    model = build(Kip320(SMALL))
    (with_lemmas,) = check(model, Request(("StrongIsr",), EngineChoice.IC3)).proofs
    (without,) = check(model, Request(("StrongIsr",), EngineChoice.IC3, lemmas=False)).proofs
    named = {lemma.name for lemma in model.system.lemmas}
    assert "Committed" in with_lemmas.certificate.lemmas
    assert set(with_lemmas.lemmas_not_needed or ()) == named - set(with_lemmas.certificate.lemmas)
    assert with_lemmas.lemmas_not_inductive == ()
    assert (without.lemmas_not_needed, without.lemmas_not_inductive) == (None, None)
    assert with_lemmas.certificate.clauses == ()
    assert without.certificate.lemmas == ()
    assert without.certificate.clauses
    assert with_lemmas.rechecked_by not in with_lemmas.certificate.found_by.solver.split("+")


def test_ic3_searches_within_lemmas_that_do_not_suffice() -> None:
    """Each certificate names the lemmas left and the clauses that had to be found, and is rechecked."""
    model = build(Kip320(SMALL))
    kept = {"QuorumIsLastRequest", "EpochFromRequest", "LeaderCameFirst"}
    few = replace(model.system, lemmas=tuple(x for x in model.system.lemmas if x.name in kept))
    (proof,) = check(replace(model, system=few), Request(("StrongIsr",), EngineChoice.IC3)).proofs
    assert set(proof.lemmas_not_needed or ()) == kept - set(proof.certificate.lemmas)
    assert proof.certificate.clauses


@pytest.mark.parametrize("rules", first_of(range(30), 8))
def test_guessed_lemmas_change_no_verdict_of_random_systems(rules: int) -> None:
    """The properties of a random protocol as lemmas for each other: most of them are false."""
    model = build(RandomProtocol({"rules": rules}))
    steps = explore(model).steps
    guesses = tuple(NamedFormula(f"Guess{p.name}", p.formula) for p in model.system.properties)
    guessing = replace(model, system=replace(model.system, lemmas=guesses))
    for name in NAMES:
        events: list[Any] = []
        ic3_work(guessing, name, lemmas=True)(events.append, None)  # type: ignore[arg-type]
        kept = next(event.names for event in events if isinstance(event, LemmasKept))
        assert not any(guess.removeprefix("Guess") in steps for guess in kept)
        assert isinstance(events[-1], Proof) == (name not in steps)
        if isinstance(events[-1], Proof):
            proof = ic3_certificate(guessing, name, events[-1], kept)
            assert not check_certificate(guessing, proof, "cadical").failed


def test_the_first_try_of_kip320_is_violated() -> None:
    done = verify("prove", "--spec", "kip320-first-try", "--property", "StrongIsr", "--format", "json")
    assert done.exit_code == 10, done.output
    (result,) = json.loads(done.stdout)["results"]
    assert result["verdict"] == "VIOLATED"
    assert result["trace"] is not None


# Invariants as text


class Names(Protocol, camel_case=True):
    """Without some renaming of a clause, nothing may be said of all."""

    people = IndexSetConstant(3, kind="person")

    def state(self) -> State:
        return State(one=Option(self.people), other=Option(self.people))

    def init(self, s: Any) -> Any:
        return s.one.is_none & s.other.is_none

    @action(who="people")
    def choose(self, s: Any, who: Any) -> Step:
        return Step(when=[], then={s.one: who})

    @invariant()
    def no_other(self, s: Any) -> Any:
        return s.other.is_none


def test_images_of_a_clause_are_one_line_only_if_all_are_there() -> None:
    model = build(Names())

    def clause(one: int, other: int) -> Any:  # bit 0 is none
        return ((f"one#{one}", False), (f"other#{other}", True))

    pairs = [(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b]
    lines = invariant_lines(model, [clause(a, b) for a, b in pairs])
    assert lines == ["for all different persons a, b: one = a ⇒ other = b"]
    lines = invariant_lines(model, [clause(a, b) for a, b in pairs[1:]])
    assert len(lines) == 5
    assert not any(line.startswith("for all") for line in lines)
    same = [clause(a, a) for a in (1, 2, 3)]
    assert invariant_lines(model, same) == ["for all persons a: one = a ⇒ other = a"]
    alone = [((f"one#{a}", False),) for a in (1, 2, 3)]
    assert invariant_lines(model, alone) == ["for all persons a: one ≠ a"]


def test_more_elements_than_letters_have_names_in_an_invariant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.text.invariant._LETTERS", "")
    alone = [((f"one#{a}", False),) for a in (1, 2, 3)]
    assert invariant_lines(build(Names()), alone) == ["for all persons e1: one ≠ e1"]


class NamedLikeAnElement(Protocol, camel_case=True):
    """A variable has the name of an element."""

    people = IndexSetConstant(3, kind="person")

    def state(self) -> State:
        return State(p1=Boolean(), one=Option(self.people))

    def init(self, s: Any) -> Any:
        return ~s.p1 & s.one.is_none

    @action(who="people")
    def choose(self, s: Any, who: Any) -> Step:
        return Step(when=[], then={s.one: who})

    @invariant()
    def none_yet(self, s: Any) -> Any:
        return ~s.p1


def test_elements_in_a_clause_are_not_known_by_their_names() -> None:
    model = build(NamedLikeAnElement())
    clauses: list[Any] = [(("p1", False), (f"one#{number}", True)) for number in (1, 2, 3)]
    assert invariant_lines(model, clauses) == ["for all persons a: p1 ⇒ one = a"]


# The command


def test_chosen_lemmas_are_the_only_ones() -> None:
    small = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    asked = ("prove", "kip320", *small, "--property", "StrongIsr", "--engine", "ic3", "--format", "json")
    every, one = (json.loads(verify(*asked, *more).stdout) for more in ((), ("--lemma", "RecordsArePast")))
    assert "EpochFromRequest" in every["proofs"][0]["lemmas"]
    assert set(one["proofs"][0]["lemmas"]) == {"Typed", "RecordsArePast", "UndefinedRead", "TypeOk"}
    assert one["options"]["chosen_lemmas"] == ["RecordsArePast"]
    assert one["results"][0]["verdict"] == "PROVED"
    assert "did you mean 'Committed'" in wrong(*asked, "--lemma", "Comitted")
    assert "does not go with --no-lemmas" in wrong(*asked, "--lemma", "Committed", "--no-lemmas")


def test_command_prints_and_writes_what_certify_accepts(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    small = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    asked = ("--property", "StrongIsr", "--no-lemmas", "--certificate", str(file))
    done = verify("prove", "--spec", "kip320", *small, *asked)
    assert done.exit_code == 0, done.output
    assert "StrongIsr   PROVED" in done.stdout
    assert "for all replicas a:" in done.stdout
    assert "ic3: StrongIsr: " in done.stderr
    assert verify("certify", str(file), "--spec", "kip320").exit_code == 0
    content = json.loads(file.read_text())
    content["clauses"] = content["clauses"][1:]
    file.write_text(json.dumps(content))
    assert verify("certify", str(file), "--spec", "kip320").exit_code != 0


def test_json_has_the_invariant() -> None:
    asked = ("--property", "HolderWaitsNoMore", "--no-explore", "--format", "json")
    done = verify("prove", "--spec", LOCK, *asked)
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert content["results"][0]["verdict"] == "PROVED"
    (proof,) = content["proofs"]
    assert proof["rechecked_by"] in ("z3", "cadical")
    assert proof["invariant"] is not None


def test_exit_codes_and_expectations() -> None:
    assert verify("prove", "--spec", CHAIN, "--property", "NeverTop").exit_code == 10
    assert verify("prove", "--spec", CHAIN, "--property", "NeverTop", "--expect", "violated").exit_code == 0
    assert verify("prove", "--spec", CHAIN, "--property", "StartsLow", "--expect", "proved").exit_code == 0
    assert verify("prove", "--spec", CHAIN, "--property", "StartsLow", "--deadlock").exit_code == 13
    assert "--engine pdr is not allowed: it takes " in wrong("prove", "--spec", CHAIN, "--engine", "pdr")


def test_free_parameters_are_replayed() -> None:
    verdict = _only(_prove(Lottery(), "SomeLeft", EngineChoice.IC3))
    assert verdict.trace is not None
    assert "group" in verdict.trace.actions[0].parameters


@pytest.mark.parametrize(("name", "chosen"), [("NeverAll", "kind"), ("NoDeadlock", "ic3")])
def test_several_steps_and_freedom_from_deadlock_are_certified(
    tmp_path: Path, name: str, chosen: str
) -> None:
    file = tmp_path / "proof.json"
    parity = f"{__file__}:Parity"
    asked = ("--deadlock", "--property", name) if name == "NoDeadlock" else ("--property", name)
    done = verify("prove", "--spec", parity, "--engine", chosen, *asked, "--certificate", str(file))
    assert done.exit_code == 0, done.output
    content = json.loads(file.read_text())
    assert (content["property"], content["k"] > 1) == (name, chosen == "kind")
    assert verify("certify", str(file), "--spec", parity).exit_code == 0
    for k in (content["k"] - 1, True, "2"):
        file.write_text(json.dumps({**content, "k": k}))
        assert verify("certify", str(file), "--spec", parity).exit_code != 0
