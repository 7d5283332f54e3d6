"""Columns are given up at errors, violations and deadlocks, and the interpreter goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.columns import QUIET, TWO, find_all, is_alike
from verifier.tla.columns import lookups

pytestmark = pytest.mark.usefixtures("columns_at_once")


def test_a_part_that_has_no_value_where_it_is_needed(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3 : y < 20 /\\ x' = x /\\ y' = IF i < 3 \\/ y > 6 THEN x[i] + y + 1 ELSE y"
    )
    found, _ = find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not is_alike(tmp_path, body)
    assert is_alike(tmp_path, body.replace("y > 6", "y > 60"))


@pytest.mark.parametrize("config", ["INVARIANT Low", "PROPERTY Steps", "INVARIANT Low\nPROPERTY Steps"])
def test_what_is_violated_is_left_to_the_interpreter(tmp_path: Path, config: str) -> None:
    body = TWO + (
        "Init == x = 0 /\\ y \\in 0..2\nNext == (x' = x + 1 /\\ y' = (x + y) % 7) /\\ x < 30\n"
        "Low == x < 9 \\/ y < 6\nSteps == [][y' # 5 \\/ x < 5]_<<x, y>>"
    )
    assert not is_alike(tmp_path, body, f"{QUIET}\n{config}")


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
    by_columns_to_the_end = is_alike(tmp_path, body, config, **limits)
    assert by_columns_to_the_end or "max_depth" in limits  # there the interpreter looks for deadlocks


def test_a_deadlock_that_is_looked_for(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x < 5 /\\ x' = x + 1 /\\ y' \\in {0, x}"
    assert is_alike(tmp_path, body)
    assert not is_alike(tmp_path, body, "INIT Init\nNEXT Next")


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
    found, used = find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not used
    assert not is_alike(tmp_path, body)


def test_a_variable_without_a_value(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x' = x + 1 /\\ (x < 5 => y' = 0)"
    found, _ = find_all(tmp_path, body, QUIET, True)
    assert "without a value" in found[0]
    assert not is_alike(tmp_path, body)


def test_what_changes_by_itself_is_refused(tmp_path: Path) -> None:
    """The level of the search is no variable: a formula that asks for it has no value to be kept."""
    body = (
        "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
        "Next == x < 20 /\\ x' \\in {x, x + 1} /\\ (TLCGet(\"level\") < 6 \\/ x' = x)"
    )
    assert not is_alike(tmp_path, body)


def test_enabled_and_actions_that_call_themselves_are_refused(tmp_path: Path) -> None:
    body = TWO + (
        "RECURSIVE Count(_)\nCount(n) == IF n = 0 THEN x' = x ELSE Count(n - 1)\n"
        "Init == x = 0 /\\ y = 0\nNext == Count(2) /\\ y' = (y + 1) % 3"
    )
    assert not is_alike(tmp_path, body)
    body = TWO + "Init == x = 0 /\\ y = 0\nUp == x < 3 /\\ x' = x + 1\nNext == Up /\\ ENABLED Up /\\ y' = x"
    assert not is_alike(tmp_path, body)


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
    assert is_alike(tmp_path, body)


def test_the_set_of_a_quantifier_in_front_is_read(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1, 2>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3, v \\in 0..3 :\n  /\\ \\A c \\in 1..y : v + i # c + x[1]\n"
        "  /\\ x' = [x EXCEPT ![i] = v]\n  /\\ y' = (x[2] + v) % 4"
    )
    assert is_alike(tmp_path, body)


def test_the_conjuncts_in_front_have_no_value(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1>> /\\ y = 0\n"
        "Next == \\E i \\in 1..3 : (y > 3 => x[i] > 0) /\\ x' = <<x[2], y>> /\\ y' = y + 1"
    )
    found, _ = find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not is_alike(tmp_path, body)
