"""SYMMETRY is used where its permutations change nothing but names, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tla_modules import explored
from verifier.tla.symmetry import Orbits, Renaming
from verifier.tla.values import ModelValue

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
STEP = "Next == \\E s \\in S : x' = x \\cup {s}\n"
SYMMETRIC = (
    "EXTENDS TLC, Naturals, FiniteSets, FiniteSetsExt\nCONSTANTS S, a, c\nVARIABLE x\nInit == x = {}\n"
)
PERMUTED = f"{QUIET}\nCONSTANTS S = {{a, b, c}}, a = a, c = c\nSYMMETRY Sym\nINVARIANT Inv"


@pytest.mark.parametrize(
    ("body", "reason", "classes"),
    [
        (STEP + "Inv == TRUE", None, 4),
        # A model value by its name, in a place that the first state of its class does not show.
        (STEP + "Inv == x # {c}", "c stands here", 8),
        (STEP + "Of == {a, c}\nInv == x # Of", "a stands here", 8),
        # A definition in which values stand, but whose value is the same for all of them.
        ("All == {a, c} \\cup S\nNext == \\E s \\in All : x' = x \\cup {s}\nInv == TRUE", None, 4),
        # CHOOSE takes the first in TLC's order, which is none of the protocol's.
        ("One == CHOOSE s \\in S : TRUE\nNext == \\E s \\in S : x' = x \\cup {s}\nInv == x # S \\ {One}",
         "CHOOSE takes a or", 8),
        (STEP + "Inv == x = {} \\/ (CHOOSE s \\in x : TRUE) \\in S",
         "CHOOSE takes", 8),
        (STEP + "Inv == x = {} \\/ (CHOOSE r \\in [n : {1, 2}, s : x] : r.n = 2).n = 2", None, 4),
        ("Next == x # S /\\ x' = x \\cup {CHOOSE s \\in S : s \\notin x}\nInv == TRUE", "CHOOSE takes", 4),
        # Folds in any order.
        (STEP + "Inv == MapThenSumSet(LAMBDA s : 2, x) # 9", None, 4),
        (STEP + "Inv == FoldSet(LAMBDA s, n : IF s = c THEN 2 * n + 1 ELSE n, 0, x) # 1", "c stands here", 8),
        (STEP + "Inv == x = {} \\/ FoldSet(LAMBDA s, t : s, c, x) # c",
         "c stands here", 8),
        (STEP + "Inv == FoldSet(LAMBDA s, t : {s}, {}, x) = x \\/ x # S",
         "M.tla:7:8: a fold over a set", 8),
        (STEP + "Inv == TLCGet(\"level\") < 9", "TLCGet", 8),
    ],
)  # fmt: skip
def test_symmetry_is_checked(body: str, reason: str | None, classes: int, tmp_path: Path) -> None:
    text = f"{SYMMETRIC}{body}\nSym == Permutations(S)"
    explorer = explored(tmp_path, text, PERMUTED)
    assert explorer.found.distinct == classes
    if reason is None:
        assert explorer.asymmetric is None
        assert explorer.orbits is not None
        assert explorer.orbits.size == 8
    else:
        assert explorer.orbits is None
        assert reason in (explorer.asymmetric or "")
    plain = explored(tmp_path, text, PERMUTED.replace("SYMMETRY Sym", ""))
    assert plain.found.violations.keys() == explorer.found.violations.keys()


def test_classes_are_never_told_by_hashes_alone() -> None:
    values = [ModelValue(name) for name in "abc"]
    a, b, c = values
    orbits = Orbits([Renaming({a: b, b: a})])
    orbits.add((a, c))
    orbits.add((c, a))
    assert orbits.find((b, c)) == 0
    # As if another state had the hash of one that is known.
    orbits.images[hash((b, b))] = orbits.images[hash((b, c))]
    assert orbits.find((b, b)) is None
    orbits.images[hash((b, c))] = orbits.images[hash((c, b))]
    assert orbits.find((b, c)) == 0
