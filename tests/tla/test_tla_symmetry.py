"""SYMMETRY is used where its permutations change nothing but names, and only there."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.support.tla_modules import explore_module
from verifier.tla.orbits import Marks, Orbits
from verifier.tla.symmetry import Renaming
from verifier.tla.value_types import TRUE, Fn, ModelValue, Value

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
    explorer = explore_module(tmp_path, text, PERMUTED)
    assert explorer.result.distinct == classes
    if reason is None:
        assert explorer.asymmetric is None
        assert explorer.known.orbits is not None
        assert explorer.known.orbits.size == 8
    else:
        assert explorer.known.orbits is None
        assert reason in (explorer.asymmetric or "")
    plain = explore_module(tmp_path, text, PERMUTED.replace("SYMMETRY Sym", ""))
    assert plain.result.violations.keys() == explorer.result.violations.keys()


class _Alike(Orbits):
    """All numbers are equal."""

    def marks(self, value: Value) -> Marks:
        return np.zeros(len(self.renamings) + 1, np.uint64)


@pytest.mark.parametrize("kind", [Orbits, _Alike])
def test_classes_are_never_told_by_numbers_alone(kind: type[Orbits]) -> None:
    a, b, c = values = [ModelValue(name) for name in "abc"]
    rows = [dict(zip(values, row, strict=True)) for row in permutations(values)]
    renamings = [Renaming(row) for row in rows]
    chance, orbits = Random(7), kind(renamings[1:])

    def part(depth: int) -> Value:
        some = [part(depth - 1) for _ in range(chance.randint(0, 2))] if depth else []
        if not some:
            return chance.choice([a, b, c, 1, "on", TRUE])
        return chance.choice([tuple(some), frozenset(some), Fn({a: some[0], c: 1}), Fn({"x": some[0]})])

    classes: list[set[Value]] = []
    for _ in range(150):
        state = (part(2), part(2))
        known = next((n for n, images in enumerate(classes) if state in images), None)
        assert orbits.find(state) == known
        if known is None:
            orbits.add(state)
            classes.append({renaming.of(state) for renaming in renamings})
    assert 20 < len(classes) < 150
    if kind is Orbits:
        assert orbits.size == sum(map(len, classes))
