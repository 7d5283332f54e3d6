r"""``\E x \in S : x = e`` is not tried for every member of S, and only where x must be e."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import specify_module, translate_body
from verifier.encodings.sorts import Boolean, Range
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.engines.explore import Request, explore
from verifier.runs.building import build_model
from verifier.tla.explorer import Explorer
from verifier.tla.translate.determined import find_determined_value
from verifier.tla.translate.terms import variable

CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
HEAD = """
EXTENDS Integers
VARIABLES slot, kept
Pairs == [a : 0..2, b : 0..1]
Init == slot \\in Pairs /\\ kept = [a |-> 0, b |-> 0]
Put(x) == kept' = [kept EXCEPT !.a = x.a] /\\ slot' = [x EXCEPT !.b = 1 - @]
"""
ONE = {
    "an equation": "Next == \\E x \\in Pairs : slot = x /\\ Put(x)",
    "an equation, turned round": "Next == \\E x \\in Pairs : x = slot /\\ Put(x)",
    "an equation in an operator": "Is(y) == y = slot\nNext == \\E x \\in Pairs : Is(x) /\\ Put(x)",
    "an equation after a guard of others": "Next == \\E x \\in Pairs : kept.a < 2 /\\ slot = x /\\ Put(x)",
    "a guard that follows": "Next == \\E x \\in Pairs : slot = x /\\ x.a # 1 /\\ Put(x)",
}
"""One instance does."""
ALL = {
    "nothing is said of it": "Next == \\E x \\in Pairs : Put(x)",
    "a guard before": "Next == \\E x \\in Pairs : x.a > 0 /\\ slot = x /\\ Put(x)",
    "one way of two": "Next == \\E x \\in Pairs : (slot = x \\/ x.b = 1) /\\ Put(x)",
    "in one of two actions": "Next == \\E x \\in Pairs : (slot = x /\\ Put(x)) \\/ (x.a = 2 /\\ Put(x))",
    "an equation with itself": "Next == \\E x \\in Pairs : x = [x EXCEPT !.b = kept.b] /\\ Put(x)",
    "fewer members than values": "Next == \\E x \\in [a : 0..1, b : 0..1] : slot = x /\\ Put(x)",
    "members that are not all of their sort": "Next == \\E x \\in Pairs \\ {slot} : slot = x /\\ Put(x)",
}
"""Every member is tried, or is one case of its own."""


def _instances(folder: Path, body: str) -> tuple[int, int]:
    """The numbers of instances of Next, and of the states that they reach."""
    made = translate_body(folder, body, CONFIG)
    model = build_model(made.definition())
    reached = explore(model, Request(properties=(), keep_going=True)).statistics["distinct_states"]
    return len(model.system.instances), reached


def _states(folder: Path, body: str) -> int:
    explorer = Explorer(specify_module(folder, body, CONFIG), properties=(), keep_going=True)
    explorer.explore()
    return explorer.result.distinct


@pytest.mark.parametrize("case", ONE)
def test_a_name_that_must_have_a_value_is_not_tried(case: str, tmp_path: Path) -> None:
    body = HEAD + ONE[case]
    assert _instances(tmp_path, body) == (1, _states(tmp_path, body))


@pytest.mark.parametrize("case", ALL)
def test_other_names_are_tried(case: str, tmp_path: Path) -> None:
    body = HEAD + ALL[case]
    instances, reached = _instances(tmp_path, body)
    assert instances > 1 or case == "members that are not all of their sort"
    assert reached == _states(tmp_path, body)


VARIANT = """
EXTENDS Integers
VARIABLES slot, kept
Pairs == [a : 0..1, b : 0..1]
Kinds == [c : 0..1]
Init == slot \\in Pairs \\cup Kinds /\\ kept = 0
Then(x) == IF x.a = 1 THEN [c |-> x.b] ELSE [x EXCEPT !.a = 1]
Next == \\E x \\in Pairs : slot = x /\\ kept' = x.a + x.b /\\ slot' = Then(x)
"""


def test_a_value_of_another_kind_is_no_member(tmp_path: Path) -> None:
    """The payload of the variant is read only if it is of that kind."""
    assert _instances(tmp_path, VARIANT) == (1, _states(tmp_path, VARIANT))


def test_what_an_equation_must_be() -> None:
    truth, low, high = Boolean(), Range(0, 1), Range(0, 2)
    symbol, state, wide = Symbol("x", low), variable(Symbol("s", low)), variable(Symbol("w", high))
    x = variable(symbol)

    def equal(one: Term, other: Term) -> Term:
        return Term(Operator.EQUAL, truth, (one, other))

    def less(one: Term, other: Term) -> Term:
        return Term(Operator.LESS, truth, (one, other))

    found = find_determined_value([less(state, wide), equal(x, state), less(x, wide)], symbol)
    assert found is not None
    guards, value = found
    assert value is state
    assert not any(symbol in guard.free for guard in guards)
    assert guards[1].arguments == (state, state)
    for guards in (
        [less(x, wide), equal(x, state)],
        [equal(x, wide)],
        [equal(x, x)],
        [Term(Operator.OR, truth, (equal(x, state), less(state, wide)))],
        [Term(Operator.NOT, truth, (equal(x, state),))],
        [less(state, wide)],
    ):
        assert find_determined_value(guards, symbol) is None
