"""Hints beside lemmas, and facts of least and greatest elements, in proofs for all constants."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.parametric.test_parametric_counting import truth
from tests.support.parametric_readings import attempt_proof
from verifier.encodings.quantifiers import comprehension, exists, forall
from verifier.encodings.sorts import Function, Range, Set
from verifier.parametric.efforts import EFFORTS
from verifier.parametric.extremal import Extreme, bounds, is_element
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT
from verifier.parametric.obligation import Obligation
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Proofs
from verifier.parametric.results import Shown
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import (
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    State,
    Step,
    action,
    invariant,
    lemma,
)


class Shelf(Protocol, camel_case=True):
    """Boxes of things on a shelf, the first never empty; more goes on behind the last box only."""

    things = IndexSetConstant(2, kind="thing")
    places = IntegerConstant(3, minimum=1)

    @property
    def along(self) -> Range:
        return Range(1, self.places)

    def state(self) -> State:
        return State(boxes=Function(self.along, Set(self.things)), end=Range(0, self.places))

    def init(self, s: Any) -> Any:
        return forall(s.boxes[p].is_empty for p in self.along) & (s.end == 1)

    def last(self, s: Any) -> Any:
        return comprehension(p for p in self.along if (p == 1) | ~s.boxes[p].is_empty).maximum

    @action(place="along", thing="things")
    def put(self, s: Any, place: Any, thing: Any) -> Step:
        more = s.boxes[place].add(thing)
        return Step(when=[place == s.end + 1], then={s.boxes[place]: more, s.end: place})

    @lemma(using=["one_box"])
    def end_is_last(self, s: Any) -> Any:
        """A new item is behind all others."""
        return s.end == self.last(s)

    @lemma
    def one_box(self, s: Any) -> Any:
        """There is a first place."""
        return s.end >= 1

    @invariant
    def nothing_behind(self, s: Any) -> Any:
        return forall(s.boxes[p].is_empty for p in self.along if p > s.end)


class Unknown(Shelf):
    """A hint names what is no lemma."""

    @lemma(using=["two_boxes"])
    def end_is_last(self, s: Any) -> Any:
        return s.end == self.last(s)


class Elsewhere(Shelf):
    """A hint is for what is no action."""

    @lemma(using={"take": ["one_box"]})
    def end_is_last(self, s: Any) -> Any:
        return s.end == self.last(s)


class Misled(Shelf):
    """The hint is of no use: what is not named is needed."""

    @lemma(using={"put": ["one_box"]})
    def end_is_last(self, s: Any) -> Any:
        return (s.end == self.last(s)) | exists(~s.boxes[p].is_empty for p in self.along if p > s.end)

    @lemma
    def nothing_there(self, s: Any) -> Any:
        return forall(s.boxes[p].is_empty for p in self.along if p > s.end)


def obligation(kind: type[Protocol], claim: str, at: str) -> tuple[Any, Obligation]:
    listed = Proofs.of(read_for_all(kind, {})).list_obligations("NothingBehind", kept=False)
    return listed.obligations, next(one for one in listed.claims[claim] if one.at == at)


@pytest.mark.thorough
def test_with_a_hint_few_lemmas_are_given_first() -> None:
    attempt = attempt_proof(Shelf, "NothingBehind")
    assert attempt.proved, attempt.open
    shown = attempt.results["Put EndIsLast 0"]
    assert isinstance(shown, Shown)
    assert EFFORTS[shown.effort].hinted
    assert "EndIsLast" in shown.uses
    for claim, hinted in (("EndIsLast", True), ("OneBox", False)):
        obligations, one = obligation(Shelf, claim, "Put")
        assert obligations.premises.is_hinted(one) is hinted


def test_a_hint_leaves_out_what_is_not_named() -> None:
    obligations, one = obligation(Misled, "EndIsLast", "Put")
    hinted = next(effort for effort in EFFORTS if effort.hinted)
    names = {family.lemma for family in obligations.premises.choose_hypotheses(one, hinted)}
    assert {"EndIsLast", "OneBox"} <= names
    assert "NothingThere" not in names
    whole = obligations.premises.choose_hypotheses(one, EFFORTS[0])
    assert "NothingThere" in {family.lemma for family in whole}


def test_a_wrong_hint_costs_time_only() -> None:
    attempt = attempt_proof(Misled, "NothingBehind")
    assert attempt.proved, attempt.open


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Unknown, "EndIsLast is to be shown using two_boxes, which is the method of no lemma"),
        (Elsewhere, "EndIsLast has a hint for take, which is the method of no action"),
    ],
)
def test_hints_name_lemmas_and_actions(kind: type[Protocol], words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        read_for_all(kind, {})


def test_a_hint_is_a_list_of_names() -> None:
    with pytest.raises(DefinitionError, match="using names methods"):
        lemma(using="one_box")


@pytest.mark.parametrize("least", [False, True])
def test_facts_of_extremes_are_true_of_all_sets(least: bool) -> None:
    """Of sets of three numbers, changed at a place; numbers other than the extreme violate them."""
    logic = Logic()
    variable, place = logic.variable(INT), logic.app("place", INT)
    inside = logic.ite(
        logic.equal(variable, place), logic.app("new", BOOL), logic.app("set", BOOL, (variable,))
    )
    extreme = Extreme((), variable, inside, least, logic.integer(0))
    number, other = logic.app("extreme", INT), logic.app("value", INT)
    element = [*is_element(logic, extreme, number)]
    bound = bounds(logic, extreme, number, other)
    domain = list(range(3))
    for items in product((False, True), repeat=3):
        for at, new in product(domain, (False, True)):
            found = {n for n in domain if (new if n == at else items[n])}
            held = {(n,): items[n] for n in domain}
            values: Any = {"place": {(): at}, "new": {(): new}, "set": held}
            for true in domain if not found else [min(found) if least else max(found)]:
                values["extreme"] = {(): true}
                assert all(truth(node, values, domain) for node in element), (items, at, new)
                for n in domain:
                    values["value"] = {(): n}
                    assert truth(bound, values, domain)
            for wrong in set(domain) - found if found else ():
                values["extreme"] = {(): wrong}
                assert not all(truth(node, values, domain) for node in element)
    assert len(element) == 5


def test_a_condition_is_decided_once() -> None:
    logic = Logic()
    held, a, b, c = (logic.app(name, BOOL) for name in ("held", "a", "b", "c"))
    inner = logic.ite(held, a, b)
    assert logic.ite(held, c, inner) is logic.ite(held, c, b)
    assert logic.ite(held, inner, c) is logic.ite(held, a, c)
    for then, otherwise in product((logic.true, logic.false, a), repeat=2):
        node = logic.ite(held, then, otherwise)
        for first, second in product((False, True), repeat=2):
            values: Any = {"held": {(): first}, "a": {(): second}}
            wanted = truth(then if first else otherwise, values, [])
            assert truth(node, values, []) == wanted
