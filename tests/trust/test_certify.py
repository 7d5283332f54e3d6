"""The conditions of the check of certificates: its clauses, and instances found to be images of others."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from pysmt.fnode import FNode

from tests.support.models import build
from tests.support.sampling import first_of
from verifier.clauses.tseitin import Definitions
from verifier.encodings.bits import FALSE, TRUE, bit, choice, conjunction, disjunction, equivalence, negation
from verifier.encodings.evaluator import Evaluator
from verifier.encodings.sorts import Option, Set
from verifier.solvers import Answer, open_solver
from verifier.specs.kafka.kip320 import Kip320
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant
from verifier.specs.registry import load
from verifier.symmetry import instance_images as images
from verifier.symmetry.bit_permutations import permutation_of
from verifier.symmetry.instance_images import find_representatives
from verifier.trust.certificate import FoundBy, certificate_of, formulas
from verifier.trust.certify import check

BITS = tuple(bit(f"certify test {name}") for name in "abcd")


def _term(rng: random.Random, depth: int) -> FNode:
    if depth == 0:
        return rng.choice([*BITS, *BITS, TRUE, FALSE])
    parts = [_term(rng, depth - 1) for _ in range(3)]
    kind = rng.randrange(5)
    if kind == 0:
        return negation(parts[0])
    if kind == 1:
        return equivalence(parts[0], parts[1])
    if kind == 2:
        return choice(*parts)
    return conjunction(parts) if kind == 3 else disjunction(parts)


@pytest.mark.parametrize("seed", range(40))
def test_clauses_are_satisfied_exactly_where_terms_are(seed: int) -> None:
    rng = random.Random(seed)
    held, asked = _term(rng, 4), _term(rng, 4)
    definitions = Definitions()
    definitions.hold(held)
    other = definitions.copy()
    literals = [definitions.literal(symbol) for symbol in BITS]
    wanted = definitions.literal(asked)
    solver = open_solver("cadical")
    solver.add_clauses(definitions.clauses)
    evaluate = Evaluator(BITS, [held, asked])
    for values in product((False, True), repeat=len(BITS)):
        here = [literal if value else -literal for literal, value in zip(literals, values, strict=True)]
        holds, also = evaluate.single(values)
        assert (solver.solve(here) is Answer.SATISFIABLE) == holds
        assert (solver.solve([*here, wanted]) is Answer.SATISFIABLE) == (holds and also)
        assert (solver.solve([*here, -wanted]) is Answer.SATISFIABLE) == (holds and not also)
    assert len(other.clauses) <= len(definitions.clauses)


class Favourite(Protocol, camel_case=True):
    """Lost renamings: one person is served differently, which the declared symmetry does not say."""

    people = IndexSetConstant(3, kind="person")

    def state(self) -> State:
        return State(served=Set(self.people), last=Option(self.people))

    def init(self, s: Any) -> Any:
        return s.served.is_empty & s.last.is_none

    @action(who="people")
    def serve(self, s: Any, who: Any) -> Step:
        return Step(when=[~s.served.contains(who)], then={s.served: s.served.add(who), s.last: who})

    @invariant()
    def last_is_served(self, s: Any) -> Any:
        return s.last.is_none | s.served.contains(s.last.value)


def test_images_stand_for_each_other() -> None:
    model = build(Favourite())
    invariant_parts = [prop.formula for prop in model.system.properties]
    assert set(find_representatives(model, invariant_parts).values()) == {0}
    # What tells one from the others is no invariant under renaming: then nothing stands for another.
    telling = [*invariant_parts, model.system.bits[0]]
    assert len(set(find_representatives(model, telling).values())) > 1


def test_an_instance_that_differs_stands_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(Favourite())
    parts = [prop.formula for prop in model.system.properties]
    instances = model.system.instances
    object.__setattr__(
        instances[1], "guard", conjunction((instances[1].guard, negation(model.system.bits[-1])))
    )
    stands = find_representatives(model, parts)
    assert stands[1] == 1
    assert 1 not in {stands[index] for index in range(len(instances)) if index != 1}
    # A permutation that was made up is found out by the terms.
    monkeypatch.setattr(
        images,
        "permutation_of",
        lambda layout, renaming: (
            permutation_of(layout, renaming)[:1] + tuple(reversed(permutation_of(layout, renaming)[1:]))
        ),
    )
    made_up = find_representatives(build(Favourite()), parts)
    assert all(index == of for index, of in made_up.items())


@pytest.mark.parametrize(
    "spec",
    first_of(["pulsar-compaction", "rabbit-sac", "exactly-once-atomic", "exactly-once", "kip320"], 2),
)
def test_all_instances_asked_about_give_the_same_answer(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"kip320": {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}}
    model = build(load(spec)(small.get(spec, {})))
    name = model.system.properties[0].name
    lemmas = tuple(lemma.name for lemma in model.system.lemmas)
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")
    proof = certificate_of(model, name, (*types, *lemmas), (), FoundBy("induction", "cadical", "1"))
    some = check(model, proof, "z3")
    monkeypatch.setattr(
        "verifier.trust.certify.find_representatives",
        lambda model, parts: dict(enumerate(range(len(model.system.instances)))),
    )
    every = check(model, proof, "z3")
    assert bool(some.failed) == bool(every.failed)
    assert some.instances <= every.instances == len(model.system.instances)


def test_symmetry_of_kip320_is_seen_in_its_terms() -> None:
    model = build(Kip320({"replicas": 3}))
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")
    lemmas = tuple(lemma.name for lemma in model.system.lemmas)
    proof = certificate_of(model, "StrongIsr", (*types, *lemmas), (), FoundBy("induction", "cadical", "1"))
    stands = find_representatives(model, formulas(model, proof).values())
    assert len(set(stands.values())) < len(stands) / 2
