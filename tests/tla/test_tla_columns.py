"""Levels by columns: what the interpreter finds, state by state, and where columns are given up."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import all_found, counts, specify_module, write_module
from tests.support.tla_random_texts import configuration, module
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.columns import level_choice as levels
from verifier.tla.columns import lookups
from verifier.tla.columns.leaves import Derived
from verifier.tla.columns.numbers import Classes, Numbers, Packed
from verifier.tla.columns.search import Search
from verifier.tla.explorer import Explorer
from verifier.tla.orbits import Orbits

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
TWO = "EXTENDS Integers, Sequences, FiniteSets\nVARIABLES x, y\n"


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small levels, too, and however long it takes."""
    monkeypatch.setattr(levels, "_LARGE", 1)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 1e9)


def _find_all(folder: Path, body: str, config: str, by_columns: bool, **limits: Any) -> tuple[Any, bool]:
    """All that a search finds; whether it was by columns to its end."""
    made = specify_module(folder, body, config)
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    explorer = Explorer(made, properties=asked, by_columns=by_columns, **limits)
    return all_found(explorer)


def _alike(folder: Path, body: str, config: str = QUIET, **limits: Any) -> bool:
    """True if a search was by columns to its end, which found what the interpreter finds."""
    naive, never = _find_all(folder, body, config, False, **limits)
    found, used = _find_all(folder, body, config, True, **limits)
    assert not never
    assert found == naive
    return used


def test_branches_assignments_and_what_follows_them(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y = <<>>\n"
        "Grow(n) == /\\ Len(y) < 3 /\\ (x = n \\/ x > 1)\n"
        "  /\\ \\E a, b \\in 1..2 : y' = Append(y, a + b)\n  /\\ (x' = n \\/ x' \\in {0, n})\n"
        "  /\\ (x = 0 \\/ x' < 9) /\\ y' # <<4, 4>>\n"
        "Shrink == LET last == y[Len(y)] IN y # <<>> /\\ x' = last % 3 /\\ y' = Tail(y)\n"
        "Stay == UNCHANGED <<x, y>> /\\ x' = x\n"
        "Either == IF x = 2 THEN Shrink ELSE CASE x = 0 -> Stay [] OTHER -> x' = 0 /\\ UNCHANGED y\n"
        "Next == (\\E n \\in 0..2 : Grow(n)) \\/ Shrink \\/ Either\n"
    )
    assert _alike(tmp_path, body)


def test_tuples_and_several_sets_of_a_quantifier(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = {} /\\ y = 0\n"
        "Next == \\E <<a, b>> \\in (1..2) \\X (1..2), c \\in 0..(y % 3) : a # b + c "
        "/\\ x' = x \\cup {<<a, c>>} "
        "/\\ y' = Cardinality(x)\n"
    )
    assert _alike(tmp_path, body)


def test_subsets_are_assigned(tmp_path: Path) -> None:
    """If the variable has a value already, or is one of this state, the formula is a test."""
    body = TWO + (
        "Init == x \\subseteq {1, 2} /\\ y = 0\n"
        "Next == /\\ x' \\subseteq (x \\cup {y}) /\\ y' = (y + 1) % 4\n"
        "  /\\ x' \\subseteq {0, 1, 2} /\\ {y} \\subseteq 0..2\n"
    )
    assert _alike(tmp_path, body)
    as_members = re.sub(r"\\subseteq ([^/]*)", r"\\in SUBSET (\1)", body.replace("{y} \\subseteq", "y \\in"))
    assert _find_all(tmp_path, as_members, QUIET, False) == _find_all(tmp_path, body, QUIET, False)


NAMED = (
    "Init == x = 0 /\\ y = 0\n"
    "Primed == LET nx == x'  Is(a) == nx = a IN x > 1 /\\ Is(1) /\\ UNCHANGED y\n"
    "Plain == LET v == x IN v' = (v + 1) % 3 /\\ y' = y\n"
    "Kept == LET all == <<y>> IN x = 1 /\\ x' = 0 /\\ UNCHANGED all\n"
    "Passed(p) == LET q == p' IN q \\in {1, 2} /\\ UNCHANGED x\n"
    "Keep(v) == UNCHANGED v\n"
    "Still == LET all == <<x, y>> IN (Keep(all) \\/ Keep(<<x, <<y>>>>)) /\\ Keep(7)\n"
    "Next == Primed \\/ Plain \\/ Kept \\/ Passed(y) \\/ Still\n"
)


def test_names_of_a_let_and_arguments_assign(tmp_path: Path) -> None:
    """The counts are TLC's."""
    assert _alike(tmp_path, TWO + NAMED)
    assert counts(tmp_path, TWO + NAMED) == (9, 52, 4)
    (tmp_path / "M.cfg").write_text(QUIET)
    inv = write_module(tmp_path, f"{TWO}{NAMED}Small == x < 2\n")
    asked = ("--config", str(tmp_path / "M.cfg"), "--depth", "3", "--steps", "serial", "--property", "Small")
    assert verify("bmc", str(inv), *asked).exit_code == 10


def test_a_parameter_that_is_assigned_and_one_below_a_prime(tmp_path: Path) -> None:
    """An argument may be read in the next state: what it rests on is that, too."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\nSet(v, e) == v = e\nLater(v, e) == v' = e'\nBoth(F(_), e) == F(e)\n"
        "Add(e) == Set(x', (e + 1) % 5)\n"
        "Next == (Both(Add, x) /\\ Later(y, x)) \\/ (Both(LAMBDA e : x' = e, y) /\\ y' = x)"
    )
    assert _alike(tmp_path, body)


def test_a_part_of_a_variable_that_is_an_argument_below_a_prime(tmp_path: Path) -> None:
    """It is the part in the next state, so it is no column of this one."""
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nIs(e, v) == e' = v + 0\n"
        "Next == \\E i \\in 1..2, v \\in 0..2 :\n"
        "  x' = [x EXCEPT ![i] = v] /\\ Is(x[i], v) /\\ y' = x[i] + (y % 2)"
    )
    assert _alike(tmp_path, body)


def test_an_argument_that_the_value_of_an_operator_reads_in_the_next_state(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1>> /\\ y = 0\nMoved(e) == e' # <<0, 0>>\nAfter(e) == e' + 0\n"
        "Next == \\E i \\in 1..2, v \\in 0..2 : /\\ x' = [x EXCEPT ![i] = v]\n"
        "  /\\ y' = IF Moved(x) THEN After(x[i]) ELSE 0"
    )
    assert _alike(tmp_path, body)


def test_all_sets_of_a_quantifier_are_evaluated_first(tmp_path: Path) -> None:
    """Also where one of them is empty: another may have no value."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Next == \\/ (\\E a \\in 1..(0 * x), b \\in (IF x = 7 THEN {y[1]} ELSE {1}) : x' = a /\\ y' = b)\n"
        "  \\/ (x < 20 /\\ x' = x + 1 /\\ y' = y)"
    )
    found, _ = _find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not _alike(tmp_path, body)


def test_a_part_that_has_no_value_where_it_is_not_needed(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<>> /\\ y = 1\n"
        "Next == \\E i \\in 1..3 :\n  /\\ IF i \\in DOMAIN x THEN y' = x[i] % 3 ELSE y' = i + (y % 2)\n"
        "  /\\ x' = IF Len(x) < 3 THEN Append(x, i) ELSE x"
    )
    assert _alike(tmp_path, body)


def test_a_part_that_has_no_value_where_it_is_needed(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3 : y < 20 /\\ x' = x /\\ y' = IF i < 3 \\/ y > 6 THEN x[i] + y + 1 ELSE y"
    )
    found, _ = _find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not _alike(tmp_path, body)
    assert _alike(tmp_path, body.replace("y > 6", "y > 60"))


@pytest.mark.thorough
def test_a_part_of_a_path_that_has_no_value(tmp_path: Path) -> None:
    """Then the path is evaluated as it stands, and has none either; or it was not needed."""
    body = TWO + (
        "Init == x = <<<<1, 2>>, <<0, 1, 1>>, <<2>>>> /\\ y = 0\n"
        "Next == \\E i, j \\in 0..3 :\n"
        "  LET row == x[i] item == row[j] IN\n"
        "  /\\ IF i \\in DOMAIN x /\\ j \\in DOMAIN x[i] THEN y' = item + 0 * row[1] ELSE y' = (y + i) % 4\n"
        "  /\\ x' = IF y # i \\/ i \\notin DOMAIN x \\/ Len(x[i]) > 3 THEN x "
        "ELSE [x EXCEPT ![i] = Append(@, j)]"
    )
    assert _alike(tmp_path, body)


def test_paths_of_one_text_and_several_meanings(tmp_path: Path) -> None:
    """Names that stand for other parts, of this state or the next, are other paths."""
    body = TWO + (
        "Init == x = <<<<0, 1>>, <<1, 2>>>> /\\ y = <<<<1, 1>>, <<2, 0>>>>\n"
        "Item(f, k) == LET row == f[k] IN row[k]\nLater(f, k) == LET row == f[k] IN row[k]' + 0\n"
        "Next == \\E i, j \\in 1..2 :\n"
        "  /\\ x' = [x EXCEPT ![i][j] = (Item(y, i) + Item(x, j) + Item(y, j)) % 3]\n"
        "  /\\ y' = [y EXCEPT ![j][i] = (Later(x, i) + Item(x, i)) % 3]"
    )
    assert _alike(tmp_path, body)


def test_a_set_that_is_only_asked_for_a_member_is_not_made(tmp_path: Path) -> None:
    """It may have many members."""
    body = TWO + (
        "Many == {s \\in SUBSET (1..(9 + x)) : y + 1 \\in s}\nInit == x = 0 /\\ y = 0\n"
        "Next == x' = (x + 1) % 4 /\\ \\E i \\in 0..3 : ({i, 1} \\in Many \\/ x = 1) /\\ y' = i"
    )
    assert _alike(tmp_path, body)
    search = Search(Explorer(specify_module(tmp_path, body, QUIET), properties=()))
    assert not any(isinstance(leaf, Derived) for leaf in search.compiler.leaves)


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


def test_names_of_let_in_this_state_and_the_next(tmp_path: Path) -> None:
    body = TWO + (
        "Top == x[1] + y\nInit == x = <<0, 0>> /\\ y = 0\n"
        "Next == \\E i \\in 1..2 : LET old == x[i] new == old + 1 add(n) == n + old IN\n"
        "  /\\ new < 4 /\\ x' = [x EXCEPT ![i] = new] /\\ y' = add(i) % 3 /\\ (Top' > 1 => Top' < 9)"
    )
    assert _alike(tmp_path, body)


def test_properties_of_states_and_steps_that_hold(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = [i \\in 1..2 |-> 0] /\\ y = 0\n"
        "Up(i) == x[i] < 3 /\\ x' = [x EXCEPT ![i] = @ + 1] /\\ y' = (y + x[i]) % 4\n"
        "Down(i) == x[i] > 0 /\\ x' = [x EXCEPT ![i] = @ - 1] /\\ UNCHANGED y\n"
        "Next == \\E i \\in 1..2 : Up(i) \\/ Down(i)\n"
        "Low == \\A i \\in 1..2 : x[i] \\in 0..3 /\\ (x[i] = 3 => y \\in 0..3)\n"
        "Sum == x[1] + x[2]\n"
        "Near == \\/ \\E i \\in 1..2 : x'[i] # x[i] /\\ Sum' - Sum \\in {-1, 1}\n  \\/ FALSE\n"
        "Steps == [][Near /\\ (Sum' < Sum => UNCHANGED y)]_<<x, Sum>>\n"
    )
    assert _alike(tmp_path, body, f"{QUIET}\nINVARIANT Low\nPROPERTY Steps")


@pytest.mark.parametrize("config", ["INVARIANT Low", "PROPERTY Steps", "INVARIANT Low\nPROPERTY Steps"])
def test_what_is_violated_is_left_to_the_interpreter(tmp_path: Path, config: str) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y \\in 0..2\nNext == (x' = x + 1 /\\ y' = (x + y) % 7) /\\ x < 30\n"
        "Low == x < 9 \\/ y < 6\nSteps == [][y' # 5 \\/ x < 5]_<<x, y>>"
    )
    assert not _alike(tmp_path, body, f"{QUIET}\n{config}")


@pytest.mark.parametrize("limits", [{}, {"keep_going": True}, {"first": True}, {"max_depth": 5}])
@pytest.mark.parametrize("stuck", ["", " /\\ x + y < 19"])
def test_after_what_is_violated_columns_go_on(stuck: str, limits: dict[str, Any], tmp_path: Path) -> None:
    """One state after the other is looked at only where something more is violated."""
    body = TWO + (
        "Init == x \\in 0..9 /\\ y = 0\n"
        f"Next == \\E n \\in 1..3 : x' = (x + n) % 12 /\\ y' = (y + n) % 11{stuck}\n"
        "Early == x + y # 9\nLate == ~(x = 7 /\\ y = 8)\nNever == x < 12\nSteps == [][y # 5 \\/ y' # 6]_y\n"
    )
    config = "INIT Init\nNEXT Next\nINVARIANTS Early Late Never\nPROPERTY Steps\n"
    by_columns_to_the_end = _alike(tmp_path, body, config, **limits)
    assert by_columns_to_the_end or "max_depth" in limits  # there the interpreter looks for deadlocks


def test_a_deadlock_that_is_looked_for(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x < 5 /\\ x' = x + 1 /\\ y' \\in {0, x}"
    assert _alike(tmp_path, body)
    assert not _alike(tmp_path, body, "INIT Init\nNEXT Next")


def test_limits(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x' = (x + 1) % 50 /\\ y' \\in 0..x % 5"
    assert not _alike(tmp_path, body, max_states=40)
    assert not _alike(tmp_path, body, "INIT Init\nNEXT Next", max_depth=9)
    assert _alike(tmp_path, body)


@pytest.mark.parametrize(
    "guard",
    [
        "(IF x = 7 THEN y[1] = 1 ELSE TRUE)",
        "(x # 7 \\/ (CASE y = 0 -> TRUE))",
        "(\\E a \\in {}, b \\in (IF x = 7 THEN {y[1]} ELSE {1}) : a = b)",
        "y' = (IF x = 7 THEN y[1] ELSE 0)",
    ],
)
def test_an_error_is_found_where_the_interpreter_finds_it(tmp_path: Path, guard: str) -> None:
    body = TWO + f"Init == x = 0 /\\ y = 3\nNext == x' = x + 1 /\\ y' \\in 0..3 /\\ ({guard} \\/ x < 9)"
    found, used = _find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not used
    assert not _alike(tmp_path, body)


def test_a_variable_without_a_value(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x' = x + 1 /\\ (x < 5 => y' = 0)"
    found, _ = _find_all(tmp_path, body, QUIET, True)
    assert "without a value" in found[0]
    assert not _alike(tmp_path, body)


def test_what_changes_by_itself_is_refused(tmp_path: Path) -> None:
    """The level of the search is no variable: a formula that asks for it has no value to be kept."""
    body = (
        "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
        "Next == x < 20 /\\ x' \\in {x, x + 1} /\\ (TLCGet(\"level\") < 6 \\/ x' = x)"
    )
    assert not _alike(tmp_path, body)


def test_enabled_and_actions_that_call_themselves_are_refused(tmp_path: Path) -> None:
    body = TWO + (
        "RECURSIVE Count(_)\nCount(n) == IF n = 0 THEN x' = x ELSE Count(n - 1)\n"
        "Init == x = 0 /\\ y = 0\nNext == Count(2) /\\ y' = (y + 1) % 3"
    )
    assert not _alike(tmp_path, body)
    body = TWO + "Init == x = 0 /\\ y = 0\nUp == x < 3 /\\ x' = x + 1\nNext == Up /\\ ENABLED Up /\\ y' = x"
    assert not _alike(tmp_path, body)


def test_a_step_of_a_branch_without_a_name_has_that_of_what_is_around_it(tmp_path: Path) -> None:
    """And not that of the branch before."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\nUp == x < 3 /\\ x' = x + 1 /\\ y' = x\nStay == UNCHANGED <<x, y>>\n"
        "Reset == (x = 3 /\\ Stay) \\/ (x > 1 /\\ x' = 0 /\\ y' = y)\n"
        "Next == \\E n \\in 1..2 : Up \\/ (n = 2 /\\ x' = 0 /\\ y' = 0) \\/ Reset"
    )
    assert _alike(tmp_path, body)
    taken = dict(_find_all(tmp_path, body, QUIET, False)[0][2][4])
    assert taken == {"Up": 10, "Next": 6, "Reset": 6}


@pytest.mark.parametrize("later", ["x' \\in {n, 3}", "(x' = n \\/ x' = 3)", "(x' = n \\/ (x' = 3 /\\ TRUE))"])
def test_every_member_of_a_set_is_walked_after_the_one_before(tmp_path: Path, later: str) -> None:
    """The first may be true in several ways; the others are tested once all variables have values."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        f"Next == y' = (y + 1) % 4 /\\ (\\A n \\in 1..y : {later}) /\\ (y = 0 => x' = x)\n"
    )
    assert _alike(tmp_path, body)
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nSome(a, n) == a = n \\/ a = n + 1 \\/ a = n\n"
        "Next == \\/ /\\ y < 3 /\\ y' = y + 1 /\\ x' = <<y, x[1]>>\n"
        "           /\\ \\A n \\in {i \\in 1..y : i # x[1]} : Some(n % 2, x[2])\n"
        "        \\/ /\\ \\A k \\in 1..2 : x' \\in {<<k, 0>>, <<1, 1>>} \\/ (x' = x /\\ y > k)\n"
        "           /\\ y' = 0"
    )
    assert _alike(tmp_path, body)


@pytest.mark.parametrize("tried", [0, 10**9])
def test_members_that_the_conjuncts_in_front_are_true_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: int
) -> None:
    """Each in as many ways, in the same order, whatever of this state or the next is read."""
    monkeypatch.setattr(lookups, "_TRIED_ROWS", tried)
    body = TWO + (
        "Init == x = <<0, 1, 2>> /\\ y = 0\nAt(i, v) == \\E k \\in {i, 3} : x[k] = v \\/ x[k] > v + 1\n"
        "Put(i, v) == x' = [x EXCEPT ![i] = v]\n"
        "Move(i) == \\E v \\in 0..3 :\n  /\\ At(i, v)\n  /\\ y' = (y + v + 1) % 5\n"
        "  /\\ \\E w \\in 0..2 : (w # v \\/ y' > 2) /\\ x' # <<>> /\\ w < 2\n"
        "Turn ==\n  /\\ y > 1\n  /\\ x' = <<x[2], x[3], y>>\n"
        "  /\\ \\E a, b \\in 1..3 : \\A c \\in a..b : x'[c] < 3 /\\ (c = b => x[a] # y)\n  /\\ y' = 0\n"
        "Next == (\\E i \\in 1..3 : x[i] < 9 /\\ Put(i, y % 4) /\\ Move(i)) \\/ Turn"
    )
    assert _alike(tmp_path, body)


def test_the_set_of_a_quantifier_in_front_is_read(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1, 2>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3, v \\in 0..3 :\n  /\\ \\A c \\in 1..y : v + i # c + x[1]\n"
        "  /\\ x' = [x EXCEPT ![i] = v]\n  /\\ y' = (x[2] + v) % 4"
    )
    assert _alike(tmp_path, body)


def test_the_conjuncts_in_front_have_no_value(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3 : (y > 3 => x[i] > 0) /\\ x' = <<x[2], y>> /\\ y' = y + 1"
    )
    found, _ = _find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not _alike(tmp_path, body)


# -- what is known of one expression, for others


def test_an_operator_of_the_same_arguments_in_another_order(tmp_path: Path) -> None:
    """They come from one set, so that their numbers mean the same values."""
    body = TWO + (
        "Init == x = {1, 2, 3} /\\ y = 0\nLess(p, q) == p * 2 < q + y\n"
        "Next == \\E a \\in x : \\E b \\in x : /\\ x' = x /\\ y < 6\n"
        "  /\\ \\/ Less(a, b) /\\ y' = y + 1\n     \\/ Less(b, a) /\\ y' = y + 2\n"
        "     \\/ Less(a, a) /\\ y' = y + 3\n     \\/ Less(b, 1) /\\ y' = y + 4"
    )
    assert _alike(tmp_path, body)


def test_names_of_one_set_the_other_way_round(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = {1, 2, 3} /\\ y = 0\nNext == \\E a \\in x : \\E b \\in x : /\\ x' = x /\\ y < 9\n"
        "  /\\ \\/ a * 2 < b + y /\\ y' = y + a\n     \\/ b * 2 < a + y /\\ y' = y + a + 2"
    )
    assert _alike(tmp_path, body)


def test_one_operator_of_arguments_that_read_the_same(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nPair(e) == <<e, y>>\nPlus(F(_)) == <<F(y), y>>\n"
        "Low(e) == <<e, x, y>>[1] < 4\n"
        "Next == /\\ y' = (y + 1) % 6\n"
        "  /\\ \\/ x' = Pair(y + 1) /\\ Low(x[1] + y)\n     \\/ x' = Pair(y * 2) /\\ Low(y - x[1])\n"
        "     \\/ x' = Plus(LAMBDA n : n + 1)\n     \\/ x' = Plus(LAMBDA n : 1)"
    )
    assert _alike(tmp_path, body)


def test_one_operator_in_two_instances(tmp_path: Path) -> None:
    body = TWO + (
        "I(v, w) == INSTANCE Other WITH m <- v, n <- w\nInit == x = 0 /\\ y = 0\n"
        "Next == \\E a, b \\in 0..2 : /\\ x' = I(a, y)!Sum(b) % 5 /\\ y' = I(b, x)!Sum(a) % 4"
    )
    other = "---- MODULE Other ----\nEXTENDS Naturals\nCONSTANTS m, n\nSum(k) == m + 2 * n + 3 * k\n====\n"
    (tmp_path / "Other.tla").write_text(other)
    assert _alike(tmp_path, body)


# -- symmetry

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
    assert _alike(tmp_path, body, f"{PERMUTED}INVARIANT Inv")
    assert _alike(tmp_path, body, f"{PERMUTED}INVARIANT Inv\nCONSTRAINT Within")
    plain = _find_all(tmp_path, body, PERMUTED.replace("SYMMETRY Sym", ""), True)[0]
    found = _find_all(tmp_path, body, PERMUTED, True)[0]
    assert found[1][0] < plain[1][0] / 5
    assert found[6][0] == plain[1][0]


def test_numbers_alone_never_make_states_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zero = staticmethod(lambda rows: np.zeros_like(rows[0]))
    monkeypatch.setattr(Orbits, "sum_hashes", zero)
    body = SYMMETRIC + (
        "Init == x = {} /\\ y = {}\nNext == \\E s \\in S : x' = x \\cup {s} /\\ y' \\in {y, x \\ y}"
    )
    classes = _find_all(tmp_path, body, PERMUTED, True)
    monkeypatch.undo()
    assert classes[1]
    assert classes[0][1] == _find_all(tmp_path, body, PERMUTED, False)[0][1]


def test_values_that_are_told_apart(tmp_path: Path) -> None:
    """Also where an expression is evaluated that the interpreter does not come to: a name of LET is."""
    body = SYMMETRIC + (
        "Init == x = {} /\\ y = 0\n"
        "Next == \\E s \\in S : LET one == CHOOSE t \\in x : TRUE IN\n"
        "  /\\ x' = x \\cup {s} /\\ y' = IF y > 1 /\\ one = s THEN 0 ELSE (y + 1) % 2\n"
    )
    assert not _alike(tmp_path, body, PERMUTED)
    assert _find_all(tmp_path, body, PERMUTED, True)[0][6][1] is None
    taken = body.replace("y > 1", "y > 0")
    assert _alike(tmp_path, taken, PERMUTED)  # begun again without permutations
    assert "CHOOSE takes" in _find_all(tmp_path, taken, PERMUTED, True)[0][6][1]


def test_true_is_not_one(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == x' \\in {0, 1} \\/ x' \\in BOOLEAN"
    assert _alike(tmp_path, body)


@pytest.mark.parametrize("view", ["", "VIEW View"])
def test_constraints_and_views(tmp_path: Path, view: str) -> None:
    """With a view, a state whose view is known may still be beyond a constraint."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Up == x' = x + 1 /\\ y' \\in 0..2\nTurn == x' = x - y /\\ y' = (x + y) % 3\n"
        "Next == Up \\/ Turn\nWithin == x < 9 /\\ x > -4 /\\ (x > 5 => y # 1)\n"
        "Allowed == x' # 4 \\/ y' # y\n"
        "View == <<x \\div 2, <<y>>>>\nInv == x < 12"
    )
    config = f"{QUIET}\nCONSTRAINT Within\nACTION_CONSTRAINT Allowed\nINVARIANT Inv\n{view}"
    assert _alike(tmp_path, body, config)


def test_many_values_and_many_variables(tmp_path: Path) -> None:
    """Keys get more room as values are found; those of many columns are numbered first."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\nNext == \\/ (x < 90 /\\ x' = x + 1 /\\ y' = y + x)\n"
        "  \\/ (x < 90 /\\ x' = x + 1 /\\ y' = (x * x) % 50)\nInv == x * y < 999999"
    )
    assert _alike(tmp_path, body, f"{QUIET}\nINVARIANT Inv")
    names = [f"v{number}" for number in range(24)]
    body = "EXTENDS Naturals\nVARIABLES " + ", ".join(names) + "\n"
    body += "Init == " + " /\\ ".join(f"{name} = 0" for name in names) + "\n"
    body += "Next == \\E n \\in {1, 5} : " + " /\\ ".join(
        f"{name}' = ({name} + n + {other}) % {number % 5 + 2}"
        for number, (name, other) in enumerate(zip(names, names[1:] + names[:1], strict=True))
    )
    inv = " + ".join(names)
    assert (
        _alike(tmp_path, f"{body}\nInv == {inv} < 999", f"{QUIET}\nINVARIANT Inv", max_states=3_000) is False
    )


@pytest.mark.thorough
def test_random_modules(tmp_path: Path) -> None:
    by_columns = 0
    for seed in range(40):
        body, (config, _) = module(Random(seed)), configuration(Random(f"configuration {seed}"))
        by_columns += _alike(tmp_path, body, config, max_states=400)
    assert by_columns > 5


def test_packed_keys_are_equal_where_all_numbers_are() -> None:
    random = np.random.default_rng(1)
    columns = [Numbers() for _ in range(9)]
    for numbers in columns:
        for value in range(900):
            numbers.of(value)
    packed = Packed(columns)
    rows = random.integers(-1, 900, (9, 400))
    rows[:, 200:] = rows[:, :200]
    keys = packed.keys(list(rows), 400)
    assert sum(packed.widths) > 62
    assert len(set(keys.tolist())) == len({tuple(row) for row in rows.T.tolist()})
    assert (keys[:200] == keys[200:]).all()
    again = packed.keys(list(rows[:, :50]), 50)
    assert (again == keys[:50]).all()


def test_classes_are_numbered_in_the_order_of_asking() -> None:
    classes = Classes()
    numbers, new = classes.find(np.array([7, 3, 7, 9]))
    assert (numbers.tolist(), new.tolist()) == ([0, 1, 0, 2], [0, 1, 3])
    numbers, new = classes.find(np.array([1, 9, 3, 1, 8]))
    assert (numbers.tolist(), new.tolist()) == ([3, 2, 1, 3, 4], [0, 4])


@pytest.mark.parametrize("different", [3, 500, 10**9, 2**62])
def test_classes_are_those_of_a_dictionary(different: int) -> None:
    """Also where several keys have one slot, before and after slots are more."""
    random, classes, naive = np.random.default_rng(different), Classes(), dict[int, int]()
    for size in (1, 0, 5, 40, 700, 3_000, 20):
        keys = random.integers(0, different, size)
        assert classes.find_numbers(keys).tolist() == [naive.get(key, -1) for key in keys.tolist()]
        firsts = []
        for place, key in enumerate(keys.tolist()):
            if key not in naive:
                firsts.append(place)
                naive[key] = len(naive)
        numbers, new = classes.find(keys)
        assert numbers.tolist() == [naive[key] for key in keys.tolist()]
        assert new.tolist() == firsts
    assert len(classes) == len(naive)


def test_keys_of_one_slot_are_told_apart() -> None:
    classes = Classes()
    keys = np.arange(200_000)
    one = keys[classes._places(keys) == classes._places(keys[:1])][:3]
    assert classes.find(one)[0].tolist() == [0, 1, 2]
    assert classes.find_numbers(keys[: one[2] + 2]).tolist() == [
        {key: number for number, key in enumerate(one.tolist())}.get(key, -1) for key in range(one[2] + 2)
    ]
