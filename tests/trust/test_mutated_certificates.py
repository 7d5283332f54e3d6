"""Certificates changed in every way, with digests and renderings that fit: what is accepted is a proof."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.proof_judge import Judge
from verifier.engines import induction, prove
from verifier.engines.choices import EngineChoice
from verifier.errors import UsageError
from verifier.runs.loading import load
from verifier.specs.protocol import DefinitionError
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model, build
from verifier.trust import certificate as certificates
from verifier.trust import certify as certifying
from verifier.trust.certificate import Certificate, FoundBy, Misfit, certificate_of, check_fit, dump, read
from verifier.trust.certify import check, other_solver

MANY = 150
"""Mutants of each subject, for ``make slow``."""


@dataclass(frozen=True)
class Subject:
    """A proof of a small protocol, and what finds it."""

    spec: str
    constants: tuple[tuple[str, Any], ...]
    property_name: str
    engine: str

    def __str__(self) -> str:
        return f"{self.spec}-{self.engine}"


def subject(spec: str, property_name: str, engine: str, **constants: Any) -> Subject:
    return Subject(spec, tuple(constants.items()), property_name, engine)


KIP320 = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
BOOKIES = {"bookies": 2, "write_quorum": 2, "ack_quorum": 2, "send_limit": 1, "clients": 1}
PULSAR = {"message_sent_limit": 1, "compaction_times_limit": 1, "keys": 1, "values": 1}
SAC = {"queues": 2, "apps": 2}
ATOMIC = {"max_queue": 1, "processes": 2}
STAGED = {"message_count": 1, "processes": 1}
DIVERGENCE, HORIZON = "NoDivergenceBetweenClientAndMetaData", "CompactionHorizonCorrectness"
SUBJECTS = [
    subject("kip320", "StrongIsr", "ic3", **KIP320),
    subject("kip320", "StrongIsr", "induct", **KIP320),
    subject("bookkeeper", DIVERGENCE, "ic3", **BOOKIES),
    subject("bookkeeper", DIVERGENCE, "induct", **BOOKIES),
    subject("pulsar-compaction", HORIZON, "ic3", **PULSAR),
    subject("pulsar-compaction", HORIZON, "induct", **PULSAR),
    subject("rabbit-sac", "DeadlockBalanced", "ic3", **SAC),
    subject("rabbit-sac", "DeadlockBalanced", "induct", **SAC),
    subject("rabbit-sac", "DeadlockBalanced", "kind", **SAC),  # k is 2
    subject("exactly-once-atomic", "Safety", "ic3", **ATOMIC),
    subject("exactly-once-atomic", "Safety", "induct", **ATOMIC),
    subject("exactly-once", "Safety", "ic3", **STAGED),
]


@cache
def model_of(spec: str, constants: tuple[tuple[str, Any], ...]) -> Model:
    return build(load(spec, dict(constants)).definition)


@cache
def judge_of(spec: str, constants: tuple[tuple[str, Any], ...], deadlock: bool) -> Judge:
    model = model_of(spec, constants)
    return Judge(with_deadlock(model) if deadlock else model)


@cache
def proof_of(asked: Subject) -> Certificate:
    """Return the engine's proof, claimed to be found by Z3: then CaDiCaL checks it, which is quick."""
    model, name = model_of(asked.spec, asked.constants), asked.property_name
    if asked.engine == "induct":
        invariant = induction.induct(model, induction.Request(name)).invariant
        found = certificate_of(model, name, invariant, (), FoundBy("induction", "z3", "1"))
    else:
        choice = EngineChoice(asked.engine)
        (proof,) = prove.check(model, prove.Request((name,), choice, lemmas=False)).proofs
        found = proof.certificate
    return replace(found, found_by=FoundBy(asked.engine, "z3", "1"))


# Changes

Edit = Callable[[random.Random, Model, Certificate], Certificate]


def literals(change: Callable[[random.Random, Model, list[Any]], None]) -> Edit:
    """A change of one clause's literals."""

    def edit(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
        if not proof.clauses:
            return proof
        place = rng.randrange(len(proof.clauses))
        clause = list(proof.clauses[place])
        if clause:
            change(rng, model, clause)
        return replace(proof, clauses=(*proof.clauses[:place], tuple(clause), *proof.clauses[place + 1 :]))

    return edit


def _drop(rng: random.Random, _: Model, items: list[Any]) -> None:
    del items[rng.randrange(len(items))]


def _flip(rng: random.Random, _: Model, clause: list[Any]) -> None:
    place = rng.randrange(len(clause))
    name, on = clause[place]
    clause[place] = (name, not on)


def _twice(rng: random.Random, _: Model, items: list[Any]) -> None:
    items.insert(rng.randrange(len(items)), rng.choice(items))


def _add(rng: random.Random, model: Model, clause: list[Any]) -> None:
    clause.append((_bit(rng, model), rng.random() < 0.5))


def _other_bit(rng: random.Random, model: Model, clause: list[Any]) -> None:
    place = rng.randrange(len(clause))
    clause[place] = (_bit(rng, model), clause[place][1])


def _bit(rng: random.Random, model: Model) -> str:
    name: str = rng.choice(model.system.bits).symbol_name()
    return name


def names(change: Callable[[random.Random, Model, list[Any]], None], part: str) -> Edit:
    """A change of the list of lemmas, or of clauses."""

    def edit(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
        items = list(getattr(proof, part))
        if items:
            change(rng, model, items)
        changed: dict[str, Any] = {part: tuple(items)}
        return replace(proof, **changed)

    return edit


def _list_known(model: Model) -> list[str]:
    system = model.system
    return [lemma.name for lemma in system.lemmas] + [prop.name for prop in system.properties]


def _exchange(rng: random.Random, model: Model, items: list[Any]) -> None:
    items[rng.randrange(len(items))] = rng.choice(_list_known(model))


def _half(rng: random.Random, _: Model, items: list[Any]) -> None:
    items[:] = rng.sample(items, len(items) // 2)


def _more_names(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
    return replace(proof, lemmas=(*proof.lemmas, rng.choice(_list_known(model))))


def _bits_exchanged(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
    one, other = _bit(rng, model), _bit(rng, model)
    swap = {one: other, other: one}
    return replace(
        proof, clauses=tuple(tuple((swap.get(name, name), on) for name, on in c) for c in proof.clauses)
    )


def _clause_added(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
    clause = tuple((_bit(rng, model), rng.random() < 0.5) for _ in range(rng.randrange(3)))
    return replace(proof, clauses=(*proof.clauses, clause))


def _property_changed(rng: random.Random, model: Model, proof: Certificate) -> Certificate:
    return replace(proof, property_name=rng.choice([*_list_known(model), NO_DEADLOCK]))


def _constants_changed(rng: random.Random, _: Model, proof: Certificate) -> Certificate:
    name = rng.choice(list(proof.constants))
    value: Any = proof.constants[name]
    others: list[Any] = [f"{value}"]
    if isinstance(value, bool):
        others.append(not value)
    elif isinstance(value, int):
        others.append(value + 1)
    return replace(proof, constants={**proof.constants, name: rng.choice(others)})


def _spec_changed(rng: random.Random, _: Model, proof: Certificate) -> Certificate:
    return replace(proof, spec=rng.choice(["kip279", "bookkeeper-4-13", "rabbit-sac-restart", "none"]))


EDITS: Mapping[str, Edit] = {
    "a literal dropped": literals(_drop),
    "a literal flipped": literals(_flip),
    "a literal twice": literals(_twice),
    "a literal added": literals(_add),
    "another bit": literals(_other_bit),
    "a clause dropped": names(_drop, "clauses"),
    "a clause twice": names(_twice, "clauses"),
    "half of the clauses": names(_half, "clauses"),
    "a clause added": _clause_added,
    "bits exchanged": _bits_exchanged,
    "a lemma dropped": names(_drop, "lemmas"),
    "a lemma twice": names(_twice, "lemmas"),
    "half of the lemmas": names(_half, "lemmas"),
    "another lemma": names(_exchange, "lemmas"),
    "a lemma added": _more_names,
    "another property": _property_changed,
    "another k": lambda rng, _, proof: replace(proof, k=rng.choice([0, 1, 2, 3])),
    "other constants": _constants_changed,
    "another hash": lambda _, __, proof: replace(proof, spec_hash=proof.spec_hash[::-1]),
    "another spec": _spec_changed,
    "another finder": lambda rng, _, proof: replace(
        proof, found_by=FoundBy("ic3", rng.choice(["cadical", "minisat+z3", "none"]), "1")
    ),
}
"""By name, the ways in which a certificate is changed. Most leave it to its meaning to tell."""


def mutants(asked: Subject, count: int) -> Iterator[tuple[str, str]]:
    """As many changed certificates, sealed: each once, twice or three times changed."""
    rng, proof = random.Random(str(asked)), proof_of(asked)
    model = model_of(asked.spec, asked.constants)
    first = list(EDITS)
    rng.shuffle(first)
    made = 0
    for name in cycle(first):
        done = [name, *rng.choices(first, k=rng.choice((0, 0, 1, 2)))]
        changed = proof
        for edit in done:
            changed = EDITS[edit](rng, model, changed)
        if changed != proof:  # not every change is one of every certificate
            yield ", ".join(done), seal(model, changed)
            made += 1
        if made == count:
            return


def seal(model: Model, proof: Certificate) -> str:
    """The file that the mutated certificate's author would write."""
    model = with_deadlock(model) if proof.property_name == NO_DEADLOCK else model
    try:
        return dump(model, proof)
    except Misfit:
        content = json.loads(dump(model, replace(proof, lemmas=(), clauses=())))
        content |= {"lemmas": proof.lemmas, "clauses": proof.clauses}
        return json.dumps({**content, "digest": certificates.digest_of(content)})


# What certify does, without its own process


def read_accepted(path: Path) -> Certificate | None:
    """The certificate, if it is taken for a proof. Raises UsageError where the file is turned down."""
    proof, content = read(path)
    model = model_of(proof.spec, tuple(proof.constants.items()))
    model = with_deadlock(model) if proof.property_name == NO_DEADLOCK else model
    check_fit(model, proof, content)
    solver = other_solver(proof.found_by.solver)
    return None if check(model, proof, solver).failed else proof


def judge_mutants(asked: Subject, count: int, folder: Path) -> dict[str, int]:
    """The numbers of those turned down, refuted and accepted; every accepted one is a proof."""
    tally = {"turned down": 0, "refuted": 0, "accepted": 0}
    path = folder / "proof.json"
    for what, text in mutants(asked, count):
        path.write_text(text)
        try:
            proof = read_accepted(path)
        except (UsageError, DefinitionError):
            tally["turned down"] += 1
            continue
        if proof is None:
            tally["refuted"] += 1
            continue
        tally["accepted"] += 1
        constants = tuple(proof.constants.items())
        judge = judge_of(proof.spec, constants, proof.property_name == NO_DEADLOCK)
        assert proof.spec_hash == judge.model.definition.spec_hash
        assert judge.faults(proof) == [], f"{asked}: {what} was accepted"
    return tally


def few(asked: Subject) -> int:
    """The number of mutants that is enough for every day; 92 of all subjects."""
    return 6 if asked.spec == "bookkeeper" else 8


@pytest.mark.thorough
@pytest.mark.parametrize("asked", SUBJECTS, ids=str)
def test_what_is_accepted_is_a_proof(asked: Subject, tmp_path: Path) -> None:
    original = proof_of(asked)
    assert (original.k > 1) == (asked.engine == "kind")
    assert judge_of(asked.spec, tuple(original.constants.items()), False).faults(original) == []
    tally = judge_mutants(asked, few(asked), tmp_path)
    assert sum(tally.values()) == few(asked)
    assert tally["refuted"], tally


@pytest.mark.slow
@pytest.mark.parametrize("asked", SUBJECTS, ids=str)
def test_of_many_more_none_is_accepted_that_is_no_proof(asked: Subject, tmp_path: Path) -> None:
    tally = judge_mutants(asked, MANY, tmp_path)
    assert tally["refuted"] >= 20, tally


@pytest.mark.thorough
@pytest.mark.parametrize("asked", [SUBJECTS[0], SUBJECTS[8]], ids=str)
def test_the_command_agrees(asked: Subject, tmp_path: Path) -> None:
    """``verify certify`` decides as the function tested above."""
    path = tmp_path / "proof.json"
    for what, text in [("nothing", dump(model_of(asked.spec, asked.constants), proof_of(asked)))] + list(
        mutants(asked, 6)
    ):
        path.write_text(text)
        try:
            expected = 11 if read_accepted(path) is None else 0
        except (UsageError, DefinitionError):
            expected = 2
        assert verify("certify", str(path)).exit_code == expected, what


def test_the_judge_refutes_what_is_no_proof() -> None:
    asked = SUBJECTS[0]
    judge = judge_of(asked.spec, asked.constants, False)
    proof = proof_of(asked)
    assert any("does not imply" in fault for fault in judge.faults(replace(proof, clauses=())))
    assert any("violates clause" in fault for fault in judge.faults(replace(proof, clauses=((),))))
    fewer = [replace(proof, clauses=proof.clauses[:n]) for n in range(len(proof.clauses))]
    assert any("breaks it" in fault for less in fewer[::10] for fault in judge.faults(less))
    several = SUBJECTS[8]
    by_steps = judge_of(several.spec, several.constants, False)
    assert by_steps.faults(replace(proof_of(several), clauses=())) == ["it is not 2-inductive"]


@pytest.mark.thorough
@pytest.mark.parametrize("left_out", ["_initiation", "_consecution", "_safety"])
def test_a_check_that_leaves_something_out_is_noticed(
    left_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof_of(SUBJECTS[6])
    monkeypatch.setattr(certifying._CertificateCheck, left_out, lambda *_: None)
    with pytest.raises(AssertionError, match="was accepted"):
        judge_mutants(SUBJECTS[6], MANY, tmp_path)
