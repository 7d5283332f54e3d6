"""The conditions of the check of certificates: its clauses, and instances found to be images of others."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
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
from verifier.symmetry.instance_images import InstanceImages, find_representatives, list_conjuncts
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


class Jugs(Protocol, camel_case=True):
    """Everybody whose jug is full gets a full glass."""

    people = IndexSetConstant(3, kind="person")

    def state(self) -> State:
        return State(jugs=Set(self.people), glasses=Set(self.people))

    def init(self, s: Any) -> Any:
        return s.jugs.is_empty & s.glasses.is_empty

    @action(who="people")
    def fill(self, s: Any, who: Any) -> Step:
        return Step(when=[~s.glasses.contains(who)], then={s.jugs: s.jugs.add(who)})

    @action()
    def pour(self, s: Any) -> Step:
        return Step(when=[], then={s.glasses: s.jugs})

    @invariant()
    def glasses_are_empty(self, s: Any) -> Any:
        return s.glasses.is_empty


def test_one_conjunct_stands_for_others_only_under_hypotheses_that_are_alike() -> None:
    model = build(Jugs())
    jugs, glasses = ([b for b in model.system.bits if name in b.symbol_name()] for name in ("jugs", "glass"))
    index = {instance.label: number for number, instance in enumerate(model.system.instances)}
    pour, empty = index["Pour()"], conjunction(map(negation, glasses))
    dry = tuple(map(negation, jugs))

    def count(hypotheses: tuple[FNode, ...], alone: tuple[FNode, ...] = (), at: int = pour) -> int:
        images = InstanceImages(model, (empty, *hypotheses), alone)
        return len(list_conjuncts(images.choose_conjuncts(at, empty)))

    assert count((conjunction(dry),)) == count(dry) == 1
    # The third jug may be full: that the others' glasses stay empty says nothing about the third.
    assert count(dry[:2]) == 2
    third = InstanceImages(model, (empty, *dry[:2])).choose_conjuncts(pour, empty)
    assert negation(glasses[2]) in list_conjuncts(third)
    # Each jug may be a hypothesis without the others.
    assert count(dry, alone=dry) == 3
    # An action of one person is no image of itself if that person is another.
    assert count(dry, at=index["Fill(p1)"]) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("dropped", ["Committed", "StaleIsrCovers", "EpochFromRequest"])
def test_conjuncts_asked_about_fail_if_any_fails(dropped: str) -> None:
    model = build(Kip320({"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}))
    lemmas = tuple(lemma.name for lemma in model.system.lemmas if lemma.name != dropped)
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")
    proof = certificate_of(model, "StrongIsr", (*types, *lemmas), (), FoundBy("induction", "cadical", "1"))
    some, every = (check(model, proof, "cadical", images=images) for images in (True, False))
    failed = [{re.sub(r"\(.*?\)", "", one.obligation) for one in report.failed} for report in (some, every)]
    assert failed[0] == failed[1] != set()


def test_clauses_asked_about_fail_if_any_fails() -> None:
    model = build(Jugs())
    jugs, glasses = (
        [((b.symbol_name(), False),) for b in model.system.bits if name in b.symbol_name()]
        for name in ("jugs", "glass")
    )
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")

    def fail(clauses: Sequence[tuple[tuple[str, bool], ...]]) -> tuple[set[str], set[str]]:
        proof = certificate_of(
            model, "GlassesAreEmpty", types, tuple(clauses), FoundBy("ic3", "minisat", "1")
        )
        some, every = (check(model, proof, "cadical", images=images) for images in (True, False))
        return {one.obligation for one in some.failed}, {one.obligation for one in every.failed}

    # Each glass may be filled; one is asked about.
    assert fail(glasses) == ({"Pour() keeps clause 1"}, {f"Pour() keeps clause {n}" for n in (1, 2, 3)})
    # No glass may, but each jug; one action of one person is asked about.
    filling = {f"Fill(p{n}) keeps clause {n + 3}" for n in (1, 2, 3)}
    assert fail([*glasses, *jugs]) == ({"Fill(p1) keeps clause 4"}, filling)
    # The third jug may be full, and so only the third glass. It is no image of the others.
    some, every = fail([*glasses, *jugs[:2]])
    assert "Pour() keeps clause 3" in some & every
    assert "Pour() keeps clause 1" not in some | every


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
def test_all_instances_asked_about_give_the_same_answer(spec: str) -> None:
    small = {"kip320": {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}}
    model = build(load(spec)(small.get(spec, {})))
    name = model.system.properties[0].name
    lemmas = tuple(lemma.name for lemma in model.system.lemmas)
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")
    proof = certificate_of(model, name, (*types, *lemmas), (), FoundBy("induction", "cadical", "1"))
    some = check(model, proof, "z3")
    every = check(model, proof, "z3", images=False)
    assert bool(some.failed) == bool(every.failed)
    assert some.instances <= every.instances == len(model.system.instances)


def test_symmetry_of_kip320_is_seen_in_its_terms() -> None:
    model = build(Kip320({"replicas": 3}))
    types = tuple(p.name for p in model.system.properties if p.kind == "type invariant")
    lemmas = tuple(lemma.name for lemma in model.system.lemmas)
    proof = certificate_of(model, "StrongIsr", (*types, *lemmas), (), FoundBy("induction", "cadical", "1"))
    stands = find_representatives(model, formulas(model, proof).values())
    assert len(set(stands.values())) < len(stands) / 2
