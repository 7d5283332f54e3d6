"""Permutations of constants by columns: states that they turn into each other are one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.columns import QUIET, find_all, is_alike
from verifier.tla.orbits import Orbits

pytestmark = pytest.mark.usefixtures("columns_at_once")


SYMMETRIC = (
    "EXTENDS TLC, Naturals, FiniteSets, Sequences\nCONSTANTS S, a\nVARIABLES x, y\nSym == Permutations(S)\n"
)
PERMUTED = f"{QUIET}\nCONSTANTS S = {{a, b, c, d}} a = a\nSYMMETRY Sym\n"


def test_states_that_permutations_turn_into_each_other(tmp_path: Path) -> None:
    body = SYMMETRIC + (
        "Init == x = <<>> /\\ y \\in [S -> {0}]\n"
        "Take(s) == Len(x) < 3 /\\ x' = Append(x, s) /\\ y' = [y EXCEPT ![s] = (@ + 1) % 3]\n"
        "Drop == x # <<>> /\\ x' = Tail(x) /\\ UNCHANGED y\n"
        "Swap == Len(x) = 2 /\\ x' = <<x[2], x[1]>> /\\ y' = [s \\in S |-> IF s = x[1] THEN 0 ELSE y[s]]\n"
        "Next == (\\E s \\in S : Take(s)) \\/ Drop \\/ Swap\n"
        "Inv == Len(x) < 4\nWithin == Cardinality({s \\in S : y[s] = 2}) < 2"
    )
    assert is_alike(tmp_path, body, f"{PERMUTED}INVARIANT Inv")
    assert is_alike(tmp_path, body, f"{PERMUTED}INVARIANT Inv\nCONSTRAINT Within")
    plain = find_all(tmp_path, body, PERMUTED.replace("SYMMETRY Sym", ""), True)[0]
    found = find_all(tmp_path, body, PERMUTED, True)[0]
    assert found[1][0] < plain[1][0] / 5
    assert found[6][0] == plain[1][0]


def test_numbers_alone_never_make_states_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zero = staticmethod(lambda rows: np.zeros_like(rows[0]))
    monkeypatch.setattr(Orbits, "sum_hashes", zero)
    body = SYMMETRIC + (
        "Init == x = {} /\\ y = {}\nNext == \\E s \\in S : x' = x \\cup {s} /\\ y' \\in {y, x \\ y}"
    )
    classes = find_all(tmp_path, body, PERMUTED, True)
    monkeypatch.undo()
    assert classes[1]
    assert classes[0][1] == find_all(tmp_path, body, PERMUTED, False)[0][1]


def test_values_that_are_told_apart(tmp_path: Path) -> None:
    """Also where an expression is evaluated that the interpreter does not come to: a name of LET is."""
    body = SYMMETRIC + (
        "Init == x = {} /\\ y = 0\n"
        "Next == \\E s \\in S : LET one == CHOOSE t \\in x : TRUE IN\n"
        "  /\\ x' = x \\cup {s} /\\ y' = IF y > 1 /\\ one = s THEN 0 ELSE (y + 1) % 2\n"
    )
    assert not is_alike(tmp_path, body, PERMUTED)
    assert find_all(tmp_path, body, PERMUTED, True)[0][6][1] is None
    taken = body.replace("y > 1", "y > 0")
    assert is_alike(tmp_path, taken, PERMUTED)  # begun again without permutations
    assert "CHOOSE takes" in find_all(tmp_path, taken, PERMUTED, True)[0][6][1]
