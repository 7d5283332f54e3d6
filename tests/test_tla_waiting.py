"""Arguments and LETs that stand for the next state have its value on each way to take a step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import verify
from tests.tla_modules import counts, explored

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
    found = explored(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Can").found
    assert not found.violations
