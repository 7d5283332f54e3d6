"""Arguments and LETs that stand for the next state have its value on each way to take a step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import counts, explore_module
from verifier.tla.errors import TlaError
from verifier.tla.frames import Undefined
from verifier.tla.value_types import TRUE

BODY = r"""EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Choose(b) == x' \in {1, 2} /\ y' = b
Passed(a) == Choose(a + 0)
Named(a) == LET z == a + 0 IN x' \in {1, 2} /\ y' = z
Both(a) == LET z == a F(k) == z + k IN x' \in {1, 2} /\ y' = F(0)
Inv == x = y
"""
IN = r"""In(v) == v \in {1, 2}
Through(v) == In(v)
Let(v) == LET z == v IN In(z)
"""


@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize("action", ["Passed", "Named", "Both"])
def test_an_argument_has_its_value_on_each_way(action: str, by: str, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{BODY}Next == {action}(x')\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    done = verify("explore", "--by", by, "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == 0, done.output
    assert "distinct states    3\nstates generated   7" in done.output  # TLC's


def test_a_variable_may_be_assigned_through_arguments_and_lets(tmp_path: Path) -> None:
    body = f"{BODY}{IN}Next == Through(x') /\\ Let(y')\n"
    assert counts(tmp_path, body)[:2] == (5, 21)
    assert counts(tmp_path, f"{body}Other == Let(x) /\\ Through(y)\n", "INIT Other\nNEXT Next")[:2] == (4, 20)


def test_enabled_assigns_what_a_let_names(tmp_path: Path) -> None:
    body = f"{BODY}Next == UNCHANGED <<x, y>>\nCan == ENABLED ((LET n == x' IN n) = 0 /\\ y' = 1)\n"
    found = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Can").result
    assert not found.violations


def test_enabled_stands_for_initial_states_and_for_the_next_state(tmp_path: Path) -> None:
    body = r"""EXTENDS Naturals
VARIABLE x
Up == x < 3 /\ x' = x + 1
Init == x \in 2..4 /\ ENABLED Up
Next == x' \in 1..5 /\ (ENABLED Up)'
"""
    assert sorted(explore_module(tmp_path, body, "INIT Init\nNEXT Next").states) == [(1,), (2,)]
    late = body.replace(r"x \in 2..4 /\ ENABLED Up", r"ENABLED Up /\ x \in 2..4")
    with pytest.raises(Undefined, match="x has no value in the next state yet"):
        explore_module(tmp_path, late, "INIT Init\nNEXT Next")


def test_a_union_of_sets_that_are_not_listed_is_not_gone_through(tmp_path: Path) -> None:
    """As in TLC: f[2] has no value for most members, and is read of the one that is looked for only."""
    union = r"UNION {[S -> {1, 2}] : S \in SUBSET {1, 2}}"
    body = f"EXTENDS Integers\nVARIABLE x\nInit == x = (<<1, 2>> \\in {{f \\in {union} : f[2] = 2}})\n"
    assert explore_module(tmp_path, f"{body}Next == UNCHANGED x").states == [(TRUE,)]
    listed = body.replace(union, r"UNION {{1}, {<<1, 2>>}}")
    with pytest.raises(Undefined):
        explore_module(tmp_path, f"{listed}Next == UNCHANGED x")


def test_the_sets_of_numbers_have_an_order(tmp_path: Path) -> None:
    body = r"EXTENDS Integers VARIABLE x Next == UNCHANGED x Init == x = "
    chosen = r"(-4 \in (CHOOSE i \in CHOOSE j \in {{Nat}, {Int}} : \E k \in j : -1 \in k : TRUE))"
    assert explore_module(tmp_path, f"{body}{chosen}").states == [(TRUE,)]
    first = r"((CHOOSE i \in {{Int}, {Nat}} : TRUE) = {Nat})"
    assert explore_module(tmp_path, f"{body}{first}").states == [(TRUE,)]


def test_a_constant_cannot_be_a_number_of_the_search(tmp_path: Path) -> None:
    body = 'EXTENDS TLC\nCONSTANT C\nVARIABLE x\nInit == x = C\nNext == UNCHANGED x\nD == TLCGet("diameter")'
    with pytest.raises(TlaError, match="a constant has its value before there is a search"):
        explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCONSTANT C <- D")


def test_a_colon_may_stand_behind_what_a_let_defines(tmp_path: Path) -> None:
    body = r"""EXTENDS Naturals
VARIABLE x
U == /\ LET Op(k) == k + 1
        IN  44
     /\ TRUE
Init == x = U!1!Op(42)!:
Next == UNCHANGED x
"""
    assert explore_module(tmp_path, body).states == [(43,)]


def test_what_a_tuple_holds_is_computed_in_the_state_where_it_is_made(tmp_path: Path) -> None:
    body = r"""EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = <<>>
Made(k) == LET g[i \in 0..1] == IF i = 0 THEN x * 10 + k ELSE g[i - 1] IN <<[a |-> g]>>
Next == x < 3 /\ \E k \in {1, 2} : x' = x + k /\ y' = Made(k)
"""
    states = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE").states
    found = {(x, y[0]["a"][1]) for x, y in states[1:]}
    assert found == {(1, 1), (2, 2), (2, 11), (3, 12), (3, 21), (4, 22)}
