"""Proofs for all constants of what holds where nothing can happen, and what is known of sums of counts."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import pytest

from tests.parametric.test_parametric_counting import attempt_proof, truth
from tests.support.models import build
from tests.support.parametric_readings import CheckedReading, random_transitions
from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Option,
    Protocol,
    Range,
    Sequence,
    State,
    Step,
    action,
    count,
    deadlock_invariant,
    forall,
    lemma,
)
from verifier.engines.bmc import Request
from verifier.engines.bmc import check as search
from verifier.parametric.certificate import Misfit, check, dump
from verifier.parametric.counting import Counting
from verifier.parametric.dividing import PRODUCT
from verifier.parametric.logic import Logic
from verifier.parametric.nodes import BOOL, INT
from verifier.parametric.protocol_readings import read_for_all
from verifier.parametric.proving import Attempt
from verifier.parametric.totals import above, total
from verifier.processes.limits import Limits
from verifier.specs.registry import load
from verifier.trust.replay import Replayer
from verifier.trust.trace import ActionTaken
from verifier.verdict import VerdictKind


class Hotel(Protocol, camel_case=True):
    """Guests move to rooms with fewer guests."""

    guests = IndexSetConstant(2, kind="guest")
    rooms = IndexSetConstant(2, kind="room")
    more = 1

    def state(self) -> State:
        return State(room=Function(self.guests, self.rooms), doors=Range(1, self.rooms.size))

    def init(self, s: Any) -> Any:
        return forall(s.room[g] == s.room[h] for g in self.guests for h in self.guests) & (
            s.doors == self.rooms.size
        )

    def number(self, s: Any, room: Any) -> Any:
        return count(s.room[g] == room for g in self.guests)

    @action(guest="guests", room="rooms", other="rooms")
    def move(self, s: Any, guest: Any, room: Any, other: Any) -> Step:
        is_fuller = self.number(s, room) > self.number(s, other) + self.more
        return Step(when=[s.room[guest] == room, is_fuller], then={s.room[guest]: other})

    @lemma
    def rooms_have_doors(self, s: Any) -> Any:
        return s.doors == self.rooms.size

    @deadlock_invariant
    def even(self, s: Any) -> Any:
        return forall(self.number(s, r) >= self.guests.size // s.doors for r in self.rooms)

    @deadlock_invariant
    def more_than_even(self, s: Any) -> Any:
        return forall(self.number(s, r) > self.guests.size // s.doors for r in self.rooms)


class LazyHotel(Hotel):
    """Guests bear one more."""

    more = 2


class Clock(Protocol, camel_case=True):
    """A step that leaves the sort, or reads what has no value, is one that can happen: it is a mistake, and
    no state is a deadlock for it."""

    most = IntegerConstant(2)

    def state(self) -> State:
        return State(time=Range(0, self.most), line=Sequence(Range(0, 1), 2), on=Option(Range(0, 1)))

    def init(self, s: Any) -> Any:
        return (s.time == 0) & s.line.is_empty & s.on.is_none

    @action
    def tick(self, s: Any) -> Step:
        return Step(when=[s.time < self.most], then={s.time: s.time + 1})

    @deadlock_invariant
    def late(self, s: Any) -> Any:
        return s.time == self.most

    @deadlock_invariant
    def never(self, s: Any) -> Any:
        return s.time < 0


class Overflowing(Clock):
    """It also goes beyond its sort."""

    @action
    def leave(self, s: Any) -> Step:
        return Step(when=[s.time >= self.most], then={s.time: s.time + 1})


class Stopped(Clock):
    """Beyond the constraint more can happen, but is not looked at."""

    def constraint(self, s: Any) -> Any:
        return s.time < self.most


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "name", "proved"),
    [
        (Hotel, "Even", True),
        (Hotel, "MoreThanEven", False),
        (LazyHotel, "Even", False),
        (Clock, "Late", True),
        (Clock, "Never", False),
        (Overflowing, "Never", False),
        (Stopped, "Never", True),
    ],
)
def test_what_holds_where_nothing_can_happen(kind: type[Protocol], name: str, proved: bool) -> None:
    """A proved claim also holds at small constants. Any other is violated at some, or a sort is left."""
    assert attempt_proof(kind, name).proved is proved
    verdicts = []
    for constants in product((1, 2), repeat=len(kind().constants)):
        protocol = kind(dict(zip(kind().constants, constants, strict=True)))
        outcome = search(build(protocol), Request((name,), 6, limits=Limits(60)))
        verdicts += [verdict.kind for verdict in outcome.verdicts]
    assert (VerdictKind.VIOLATED not in verdicts) is proved


def test_no_action_keeps_what_is_said_of_deadlocks() -> None:
    reading = read_for_all(Clock, {})
    content: Any = json.loads(dump(reading, Attempt("Late", kept=True)))
    with pytest.raises(Misfit, match="Late is a deadlock invariant, and actions keep none"):
        check(reading, content, Limits(60).begin())


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ["rabbit-sac", "rabbit-sac-restart"])
def test_where_nothing_can_happen_no_guard_is_true(spec: str) -> None:
    """In states of walks at small constants: what is assumed of deadlocks is true of those without a step, so
    no proof is vacuous."""
    rng = random.Random(4)
    reading = CheckedReading(load(spec), {"queues": 2, "apps": 2})
    said = list(reading.system.make_deadlock_formulas())
    transitions = random_transitions(reading.model, 40, rng)
    going = [state for state, _, _ in transitions[:10]]
    known = [state for state, _, _ in transitions] + [state for _, _, state in transitions]
    stuck = [state for state in known if not _can_move(reading, state)]
    assert stuck
    taken = ActionTaken("Start", {"app": next(iter(reading.elements["app"]))})
    for state, expected in [*((one, False) for one in going), *((one, True) for one in stuck[:2])]:
        structure = reading.structure(state, taken, rng)
        structure.known |= {(PRODUCT, (a, b)): a * b for a, b in product(range(-3, 7), repeat=2)}
        assert all(structure.value(node) for node in said) is expected, state
        lemmas = [lemma.name for lemma in reading.reading.definition.lemmas]
        assert all(structure.value(reading.system.formula(name, reading.system.before)) for name in lemmas)


def _can_move(reading: CheckedReading, state: Any) -> bool:
    bits = list(reading.model.layout.encode_state(state))
    replayer = Replayer(reading.model)
    return any(replayer.successor(bits, one, []) is not None for one in reading.model.system.instances)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_facts_of_sums_are_true_of_all_relations(size: int) -> None:
    """Of counts, one for each element. If there were one value more, they would be false of some."""
    logic = Logic()
    element, value = logic.variable("sort element"), logic.variable("sort value")
    related = logic.app("related", BOOL, (element, value))
    counting = Counting((element,), (value,), logic.true, related, logic.app("values", INT))
    number, elements, level = (logic.app(name, INT) for name in ("number", "elements", "level"))
    more = above(logic, counting, "count", number, elements)
    said = logic.conj(total(logic, counting, "count", number, level, elements))
    domain = list(range(size))
    needed = False
    for pairs in product((False, True), repeat=size * size):
        relation = dict(zip(product(domain, repeat=2), pairs, strict=True))
        for limit in range(-1, 4):
            known: Any = {
                "related": relation,
                "count": {(e,): sum(relation[e, v] for v in domain) for e in domain},
                "number": {(): limit},
                "values": {(): size},
                "elements": {(): size},
                PRODUCT: {(size, limit): size * limit},
            }
            known["level"] = {(): sum(truth(more.inside, {**known, element: e}, domain) for e in domain)}
            assert truth(said, known, domain), (relation, limit)
            known["values"] = {(): size + 1}
            needed |= not truth(said, known, domain)
    assert needed
