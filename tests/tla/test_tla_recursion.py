"""Recursive operators and functions as translated: what they are where the state decides their arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, specify_module, translate_body
from tests.support.tla_random import ran
from verifier.tla.ast import Definition as Operator
from verifier.tla.explorer import Explorer
from verifier.tla.translate.recursion import fold_of
from verifier.verdict import VerdictKind

NESTED = r"""
EXTENDS Integers
VARIABLES S, k
RECURSIVE Op(_, _), G(_, _)
G(x, r) == IF x < 2 THEN r ELSE Op({1}, r)
Op(T, j) == IF T = {} THEN 1 ELSE LET x == CHOOSE x \in T : TRUE IN G(x, Op(T \ {x}, j)) * 2 + j
Init == S = {} /\ k = 0
Next == \E x \in {2, 3} : S' = S \cup {x} /\ k' = (k + 1) % 3
Right == S = {2, 3} => Op(S, k) = 16 + 3 * k
Wrong == S = {2, 3} => Op(S, k) # 16 + 3 * k
"""

HIGHER = r"""
EXTENDS Integers
VARIABLE S
RECURSIVE Sum(_, _)
Sum(F(_), T) == IF T = {} THEN 0 ELSE LET x == CHOOSE x \in T : TRUE IN F(x) + Sum(F, T \ {x})
Init == S = {}
Next == \E x \in 1..4 : S' = S \cup {x}
Right == Sum(LAMBDA z : z * z, S) = Sum(LAMBDA z : z, {z * z : z \in S})
Wrong == Sum(LAMBDA z : Sum(LAMBDA y : y + z, S), S) < 80
"""

FACTORIAL = r"""
EXTENDS Integers
VARIABLE n
factorial[k \in Nat] == IF k = 0 THEN 1 ELSE k * factorial[k - 1]
Init == n = 0
Next == n < 5 /\ n' = n + 1
Right == factorial[n] <= 120
Wrong == factorial[n] # 24
"""

CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANTS Right Wrong"


@pytest.mark.parametrize("body", [NESTED, HIGHER, FACTORIAL], ids=["nested", "higher order", "function"])
def test_recursion_comes_to_what_the_interpreter_says(body: str, tmp_path: Path) -> None:
    """In NESTED, ``Op({1}, r)`` folds a set while r still waits, which is a call of ``Op`` around it."""
    asked = translate_body(tmp_path, body, CONFIG)
    explorer = Explorer(asked.loaded.specification, properties=("Right", "Wrong"), keep_going=True)
    explorer.explore()
    assert set(explorer.result.violations) == {"Wrong"}
    found = {v.property_name: v for v in ran("bmc", asked, depth=6, steps="serial").outcome.verdicts}
    assert found["Right"].kind is VerdictKind.HOLDS
    assert found["Wrong"].kind is VerdictKind.VIOLATED
    assert found["Wrong"].depth == len(explorer.result.violations["Wrong"].states) - 1


def test_an_operator_that_is_passed_on_keeps_a_fold_a_fold(tmp_path: Path) -> None:
    definition = specify_module(tmp_path, HIGHER).module.names["Sum"]
    assert isinstance(definition, Operator)
    assert fold_of(definition) is not None


def test_a_recursive_function_may_ask_its_own_value_for_a_part(tmp_path: Path) -> None:
    """TLC's test45: what a recursive function is at an argument is a function that asks for its own parts."""
    body = r"""EXTENDS Naturals
VARIABLE x
g[i \in 0..3] == [j \in 0..i |-> IF j = 0 THEN IF i = 0 THEN 0 ELSE g[i-1][i-1] ELSE g[i][j-1] + 2]
h[i, j \in 0..2] == [k \in 0..2 |-> IF k > 0 THEN h[i, j][k-1] + 1
                                    ELSE IF j > 0 THEN h[i, j-1][k] + 1
                                    ELSE IF i > 0 THEN h[i-1, j][k] + 1 ELSE 0]
Init == x = <<g[3][3], g[2][0], h[1, 2][2], h[2, 2]>>
Next == UNCHANGED x
"""
    (state,) = explore_module(tmp_path, body).states
    assert state[0][:3] == (12, 2, 5)
    assert dict(state[0][3]) == {0: 4, 1: 5, 2: 6}
