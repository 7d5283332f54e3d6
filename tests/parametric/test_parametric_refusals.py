"""Refused: protocols that have no reading for all constants, with the place; decisions are assumed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.parametric_readings import attempt_proof
from verifier.encodings.quantifiers import any_of, sum_of
from verifier.encodings.sorts import Option, Range
from verifier.parametric.errors import NotParametric
from verifier.parametric.protocol_readings import read_for_all
from verifier.specs.protocol import IntegerConstant, Protocol, State, Step, action, invariant


class Unrolled(Protocol, camel_case=True):
    n = IntegerConstant(2)

    def state(self) -> State:
        return State(x=Range(0, self.n))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[any_of(*(s.x == i for i in range(self.n)))], then={s.x: s.x + 1})

    @invariant
    def small(self, s: Any) -> Any:
        return s.x <= self.n


class Decided(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        most = self.n if self.n > 1 else 1
        return Step(when=[s.x < most], then={s.x: s.x + 1})


class Summed(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        return Step(when=[sum_of(s.x for _ in Option(Range(0, self.n))) < 9], then={s.x: 0})


class Divided(Unrolled):
    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n // 2], then={s.x: s.x + 1})


def test_a_loop_over_a_constant_is_refused_with_its_place() -> None:
    with pytest.raises(
        NotParametric, match=r"test_parametric_refusals.py, line .*: n is made a plain integer"
    ):
        read_for_all(Unrolled, {})


def test_a_decision_on_a_constant_is_an_assumption_with_its_place() -> None:
    reading = read_for_all(Decided, {})
    assert [one.words for one in reading.assumptions] == ["n >= 0", "n > 1"]
    assert re.fullmatch(r"n > 1 \(test_parametric_refusals.py, line \d+\)", reading.said[1])
    assert attempt_proof(Decided, "Small").proved


def test_what_has_no_reading_is_refused_with_its_place() -> None:
    with pytest.raises(
        NotParametric, match=r"action Up: a sum over values of .*, which has no parametric reading"
    ):
        attempt_proof(Summed, "Small")
    with pytest.raises(NotParametric, match=r"test_parametric_refusals.py, line .*: n is divided"):
        read_for_all(Divided, {})


class Ordered(Unrolled):
    """A protocol whose own assumptions count as declared."""

    last = IntegerConstant(4)

    def assumptions(self) -> list[tuple[bool, str]]:
        return [(self.n < self.last, "n < last")]

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n, s.x < self.last], then={s.x: s.x + 1})


class OrderedTwice(Ordered):
    """The code decides the same again. Nobody knows whether the proof needs the one or the other."""

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < (self.n if self.n < self.last else 0)], then={s.x: s.x + 1})


class AlwaysSo(Unrolled):
    """Code that decides what the declared bounds imply."""

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < (self.n if self.n + 1 > 0 else 7)], then={s.x: s.x + 1})


def test_assumptions_that_the_protocol_declares() -> None:
    reading = read_for_all(Ordered, {})
    assert [one.words for one in reading.assumptions] == ["n >= 0", "last >= 0", "n < last"]
    assert reading.beyond_declared == ()
    assert len(read_for_all(OrderedTwice, {}).beyond_declared) == 1
    assert read_for_all(AlwaysSo, {}).said == ("n >= 0",)


class OneValue(Unrolled):
    """The constant has no other value, so the reading is known for this one only."""

    n = IntegerConstant(2, minimum=2, maximum=2)
    other = IntegerConstant(1)

    @action
    def up(self, s: Any) -> Step:
        return Step(when=[s.x < self.n], then={s.x: s.x + 1})


def test_a_constant_that_cannot_move_is_assumed_to_have_its_value() -> None:
    beyond = read_for_all(OneValue, {}).beyond_declared
    assert [words.partition(" (")[0] for words in beyond] == ["n == 2"]
