"""Columns share the values of an expression with those that mean the same, and with no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.columns import QUIET, TWO, is_alike
from tests.support.tla_modules import specify_module
from verifier.tla.columns.leaves import Derived
from verifier.tla.explorer import Explorer

pytestmark = pytest.mark.usefixtures("columns_at_once")


def test_paths_of_one_text_and_several_meanings(tmp_path: Path) -> None:
    """Names that stand for other parts, of this state or the next, are other paths."""
    body = TWO + (
        "Init == x = <<<<0, 1>>, <<1, 2>>>> /\\ y = <<<<1, 1>>, <<2, 0>>>>\n"
        "Item(f, k) == LET row == f[k] IN row[k]\nLater(f, k) == LET row == f[k] IN row[k]' + 0\n"
        "Next == \\E i, j \\in 1..2 :\n"
        "  /\\ x' = [x EXCEPT ![i][j] = (Item(y, i) + Item(x, j) + Item(y, j)) % 3]\n"
        "  /\\ y' = [y EXCEPT ![j][i] = (Later(x, i) + Item(x, i)) % 3]"
    )
    assert is_alike(tmp_path, body)


def test_parts_of_paths_are_evaluated_once_for_their_values(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = [n \\in {3, 7, 9} |-> <<0, 0, 0, 0>>] /\\ y = 0\n"
        "Next == \\E n \\in {3, 7, 9}, i, j \\in 1..4 :\n"
        "  LET row == x[n] IN row[i] < 2 /\\ row[j] < 2 /\\ x' = [x EXCEPT ![n][i] = row[j] + 1] /\\ y' = y"
    )
    made = specify_module(tmp_path, body, QUIET)
    explorer = Explorer(made, properties=(), max_depth=5)
    explorer.explore()
    assert explorer.columns.search is not None
    leaves = explorer.columns.search.compiler.leaves
    rows = len({row for state in explorer.states for row in state[0].values()})
    assert len(explorer.states) > 40 * rows
    parts = [leaf for leaf in leaves if isinstance(leaf, Derived) and leaf.evaluated > 4]
    assert [leaf.evaluated <= 8 * rows for leaf in parts].count(False) == 1  # that of x[n]
    assert len(parts) > 1


def test_an_operator_of_the_same_arguments_in_another_order(tmp_path: Path) -> None:
    """They come from one set, so that their numbers mean the same values."""
    body = TWO + (
        "Init == x = {1, 2, 3} /\\ y = 0\nLess(p, q) == p * 2 < q + y\n"
        "Next == \\E a \\in x : \\E b \\in x : /\\ x' = x /\\ y < 6\n"
        "  /\\ \\/ Less(a, b) /\\ y' = y + 1\n     \\/ Less(b, a) /\\ y' = y + 2\n"
        "     \\/ Less(a, a) /\\ y' = y + 3\n     \\/ Less(b, 1) /\\ y' = y + 4"
    )
    assert is_alike(tmp_path, body)


def test_names_of_one_set_the_other_way_round(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = {1, 2, 3} /\\ y = 0\nNext == \\E a \\in x : \\E b \\in x : /\\ x' = x /\\ y < 9\n"
        "  /\\ \\/ a * 2 < b + y /\\ y' = y + a\n     \\/ b * 2 < a + y /\\ y' = y + a + 2"
    )
    assert is_alike(tmp_path, body)


def test_one_operator_of_arguments_that_read_the_same(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nPair(e) == <<e, y>>\nPlus(F(_)) == <<F(y), y>>\n"
        "Low(e) == <<e, x, y>>[1] < 4\n"
        "Next == /\\ y' = (y + 1) % 6\n"
        "  /\\ \\/ x' = Pair(y + 1) /\\ Low(x[1] + y)\n     \\/ x' = Pair(y * 2) /\\ Low(y - x[1])\n"
        "     \\/ x' = Plus(LAMBDA n : n + 1)\n     \\/ x' = Plus(LAMBDA n : 1)"
    )
    assert is_alike(tmp_path, body)


def test_one_operator_in_two_instances(tmp_path: Path) -> None:
    body = TWO + (
        "I(v, w) == INSTANCE Other WITH m <- v, n <- w\nInit == x = 0 /\\ y = 0\n"
        "Next == \\E a, b \\in 0..2 : /\\ x' = I(a, y)!Sum(b) % 5 /\\ y' = I(b, x)!Sum(a) % 4"
    )
    other = "---- MODULE Other ----\nEXTENDS Naturals\nCONSTANTS m, n\nSum(k) == m + 2 * n + 3 * k\n====\n"
    (tmp_path / "Other.tla").write_text(other)
    assert is_alike(tmp_path, body)
