"""Operators that are arguments get values: what would be another thing then is refused where it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module
from verifier.tla.errors import TlaError

BASE = """EXTENDS Naturals
VARIABLE x
G(F(_), a) == F(a)
H(F(_), a) == G(F, a)
P(a) == a'
Q(a) == P(a)
Far(a) == <>a
Id(a) == a
Init == x = 0
"""
NEXT = "Next == x < 3 /\\ x' = x + 1 /\\ "
REFUSED = [
    "G(P, x) = x + 1",
    "G(', x) = x + 1",
    "G(Q, x) = x + 1",
    "H(P, x) = x + 1",
    "G(LAMBDA b : b', x) = x + 1",
    "G(LAMBDA b : P(b), x) = x + 1",
    "G(LAMBDA b : G(P, b), x) = x + 1",
    "(LET K(a) == G(P, a) IN K(x)) = x + 1",
    "\\A y \\in {x} : G(P, x) = y + 1",
    "G(ENABLED, x' = 3)",
    "G(LAMBDA b : UNCHANGED b, x)",
]
TAKEN = [
    "P(x) = x + 1",
    "Q(x) = x + 1",
    "G(Id, x') = x + 1",
    "G(LAMBDA b : x' = b + 1, x)",
    "G(LAMBDA b : b, x)' = x + 1",
    "G(P, 3) = 3",
    "G(LAMBDA b : P(x) = b, x + 1)",
    "\\A y \\in 1..3 : G(UNCHANGED, y)",
    "(LET K(a) == a' IN K(x)) = x + 1",
]
"""TLC finds four states with each of these."""


@pytest.mark.parametrize("formula", REFUSED)
def test_an_operator_that_primes_its_argument_is_refused_as_an_argument(formula: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="an operator that is an argument primes its own argument"):
        explore_module(tmp_path, f"{BASE}{NEXT}{formula}\n")
    explore_module(tmp_path, f"{BASE}{NEXT}TRUE\nUnused == {formula}\n")


@pytest.mark.parametrize("formula", TAKEN)
def test_others_are_taken(formula: str, tmp_path: Path) -> None:
    found = explore_module(
        tmp_path, f"{BASE}{NEXT}{formula}\n", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
    ).result
    assert found.distinct == 4


def test_a_property_that_is_named_on_the_command_line_is_looked_at(tmp_path: Path) -> None:
    body = f"{BASE}{NEXT}TRUE\nLive == G(Far, x = 3)\nNow == G(LAMBDA b : (ENABLED b), x = 0)\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    for command, name in (("live", "Live"), ("explore", "Now")):
        done = verify(command, str(tmp_path / "M.tla"), "--property", name)
        assert (done.exit_code, "primes its own argument" in done.stderr) == (2, True)
