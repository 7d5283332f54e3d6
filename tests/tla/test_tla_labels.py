"""Labelled parts of definitions, ``Op!P(x)``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, specify_module
from verifier.tla.errors import TlaError

BODY = r"""EXTENDS Naturals
VARIABLE x
Inv == /\ P0:: x < 4
       /\ P1:: (In:: x >= 0) /\ x < 2
       /\ \A i \in 1..2 : Q(i):: x + i < 7
Par(a) == /\ x < a
          /\ \A i \in 1..2 : Z(i):: /\ x + i < 7
                                    /\ \E j \in {1, 5} : W(j):: x + j + i < a + 4
Init == x = 0
Step == A:: /\ x < 3
            /\ x' = x + 1
Next == Step!A
"""


def test_a_label_names_a_part_with_what_is_bound_around_it(tmp_path: Path) -> None:
    claims = {
        "Inv!P0": True,
        "Inv!P1!In": True,
        "Inv!P1!2": False,
        "Inv!P1": False,
        "\\A k \\in 1..3 : Inv!Q(k)": True,
        "Inv!Q(4)": False,
        "Par(4)!1": True,
        "Par(3)!Z(1)!W(2)": True,
        "Par(3)!Z(1)!W(3)": False,
        "Par(3)!Z(4)!1": False,
        "LET k(z) == u:: z < 3 IN k(x)!u": False,
    }
    lines = "\n".join(f"C{index} == {claim}" for index, claim in enumerate(claims))
    names = " ".join(f"C{index}" for index in range(len(claims)))
    found = explore_module(
        tmp_path, BODY + lines, f"INIT Init\nNEXT Next\nINVARIANT {names}\nCHECK_DEADLOCK FALSE"
    ).result
    assert found.distinct == 4
    assert {f"C{index}" for index, holds in enumerate(claims.values()) if not holds} == set(found.violations)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("Inv!P9", "Inv has no label P9; did you mean P1"),
        ("Inv!Q", "Q takes 1 argument, 0 are given"),
        ("Inv!P0(3)", "P0 takes no arguments, 1 is given"),
        ("Inv!3!Q(2)", "behind the place of a part"),
        ("Inw!P0", "unknown instance or operator Inw; did you mean Inv"),
        ("(A:: TRUE) /\\ (A:: FALSE)", "the label A stands here twice"),
        ("\\A i \\in {1} : A:: TRUE", r"names all that is bound around it, and nothing else: A\(i\)::"),
        ("A(i):: TRUE", "names all that is bound around it, and nothing else: A::"),
    ],
)
def test_a_label_that_is_not_there_or_names_too_little_is_refused(
    claim: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(TlaError) as error:
        specify_module(tmp_path, f"{BODY}Claim == {claim}\n")
    assert re.search(words, str(error.value))
