"""Proofs for all constants: what is proved, what is not, and their certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.parametric_readings import attempt_proof, ticket_lock
from verifier.encodings.quantifiers import count
from verifier.encodings.sorts import Set
from verifier.parametric.certificate import FORMAT, Misfit, check, dump, read
from verifier.parametric.clausal import Clause
from verifier.parametric.instances import Kinds, instances, number_of_instances
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Attempt, Proofs, prove
from verifier.processes.limits import Limits
from verifier.specs.constants import IndexSetConstant
from verifier.specs.protocol import Protocol, State, Step, action, invariant
from verifier.specs.registry import load


def test_the_example_is_proved_and_its_certificate_checked() -> None:
    reading = read_for_all(ticket_lock(), {})
    attempt = prove(Proofs.of(reading), "mutual_exclusion", Limits(60).begin())
    assert attempt.proved
    assert attempt.needed == ("Typed", "holder_is_served", "tickets_differ", "tickets_were_drawn")
    assert reading.said == ("clients is not empty", "last_ticket >= 0")
    content = json.loads(dump(reading, attempt))
    assert check(reading, content, Limits(60).begin()).failed == ()


@pytest.mark.thorough
def test_a_certificate_that_leaves_something_out_is_refused() -> None:
    reading = read_for_all(ticket_lock(), {})
    attempt = prove(Proofs.of(reading), "mutual_exclusion", Limits(60).begin())
    content: Any = json.loads(dump(reading, attempt))
    fewer: Any = {**content, "obligations": content["obligations"][1:]}
    with pytest.raises(Misfit, match="leaves out"):
        check(reading, fewer, Limits(60).begin())
    step = next(one for one in content["obligations"] if one["kept"])
    weaker = [{**one, "kept": []} if one is step else one for one in content["obligations"]]
    with pytest.raises(Misfit, match="differ from what verify makes of the spec"):
        check(reading, content | {"obligations": weaker}, Limits(60).begin())
    more = [{**one, "with_stays": True} if one is step else one for one in content["obligations"]]
    with pytest.raises(Misfit, match="leaves out"):
        check(reading, content | {"obligations": more}, Limits(60).begin())
    with pytest.raises(Misfit, match="assumes other things"):
        check(reading, content | {"assumptions": []}, Limits(60).begin())


@pytest.mark.parametrize("other", ["holder_is_served", "Typed", "UndefinedRead", "NoDeadlock", "None"])
def test_a_certificate_is_of_an_invariant(other: str) -> None:
    """Whatever else its file claims to be of is refused: a lemma, another kind of property, nothing."""
    reading = read_for_all(ticket_lock(), {})
    content: Any = json.loads(dump(reading, Attempt("mutual_exclusion", kept=False)))
    with pytest.raises(Misfit, match=f"has none called {other}"):
        check(reading, content | {"property": other}, Limits(60).begin())


def test_a_certificate_names_the_constants_of_the_reading() -> None:
    reading = read_for_all(ticket_lock(), {})
    content: Any = json.loads(dump(reading, Attempt("mutual_exclusion", kept=False)))
    with pytest.raises(Misfit, match="made at other constants"):
        check(reading, content | {"constants": content["constants"] | {"clients": 7}}, Limits(60).begin())


def test_a_file_of_another_format_is_no_certificate_for_all_constants(tmp_path: Path) -> None:
    reading = read_for_all(ticket_lock(), {})
    text = dump(reading, Attempt("mutual_exclusion", kept=False))
    file = tmp_path / "proof.json"
    file.write_text(text.replace(FORMAT, f"{FORMAT}0"))
    with pytest.raises(Misfit, match="this version writes"):
        read(file)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["StrongIsr", "WeakIsr"])
def test_kip320_is_proved_for_all_constants(name: str) -> None:
    reading = read_for_all(load("kip320"), {})
    attempt = prove(Proofs.of(reading), name, Limits(600).begin())
    assert attempt.proved, attempt.open
    assert check(reading, json.loads(dump(reading, attempt)), Limits(600).begin()).failed == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "at"),
    [
        ("kip101", "BecomeFollowerTruncateKip101"),
        ("kip279", "BecomeFollowerTruncateKip279"),
        ("kip320-first-try", "FollowerTruncate"),
    ],
)
def test_what_loses_data_is_not_proved(spec: str, at: str) -> None:
    """Open is, among others, the action by which the known violation happens."""
    attempt = attempt_proof(load(spec), "StrongIsr")
    assert not attempt.proved
    assert any(one.name.startswith(f"{at} StrongIsr") for one in attempt.open)


def test_what_is_said_of_truth_values_is_said_of_both() -> None:
    logic = Logic()
    truth, element = logic.variable(BOOL), logic.variable("sort thing")
    clause = Clause((truth, element), logic.disj((truth, logic.app("is", BOOL, (element,)))))
    terms = [logic.app("one", "sort thing"), logic.app("some truth", BOOL)]
    found = [body for _, body in instances(logic, Kinds(), clause, terms)]
    assert found == [logic.app("is", BOOL, (terms[0],))]  # of true it says nothing
    assert number_of_instances(logic, Kinds(), clause, terms) == 2


class FewWaiting(Protocol, camel_case=True):
    """At most one client waits: whoever wants to, while nobody does."""

    clients = IndexSetConstant(2, kind="client")

    def state(self) -> State:
        return State(waiting=Set(self.clients))

    def init(self, s: Any) -> Any:
        return s.waiting.is_empty

    @action(client="clients")
    def wait(self, s: Any, client: Any) -> Step:
        return Step(when=[s.waiting.cardinality < 1], then={s.waiting: s.waiting.add(client)})

    @invariant
    def few(self, s: Any) -> Any:
        return count(s.waiting.contains(c) for c in self.clients) <= 1

    @invariant(default=False)
    def none(self, s: Any) -> Any:
        return s.waiting.cardinality == 0


def test_small_numbers_of_elements_are_read() -> None:
    assert attempt_proof(FewWaiting, "Few").proved
    assert not attempt_proof(FewWaiting, "None").proved
