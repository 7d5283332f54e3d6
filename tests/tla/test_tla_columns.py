"""Levels by columns: what the interpreter finds, state by state."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from tests.support.columns import QUIET, TWO, find_all, is_alike
from tests.support.command_line import verify
from tests.support.tla_modules import counts, specify_module, write_module
from tests.support.tla_random_texts import configuration, module
from verifier.tla.columns.leaves import Derived
from verifier.tla.columns.search import Search
from verifier.tla.explorer import Explorer

pytestmark = pytest.mark.usefixtures("columns_at_once")


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
    assert is_alike(tmp_path, body)


def test_tuples_and_several_sets_of_a_quantifier(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = {} /\\ y = 0\n"
        "Next == \\E <<a, b>> \\in (1..2) \\X (1..2), c \\in 0..(y % 3) : a # b + c "
        "/\\ x' = x \\cup {<<a, c>>} "
        "/\\ y' = Cardinality(x)\n"
    )
    assert is_alike(tmp_path, body)


def test_subsets_are_assigned(tmp_path: Path) -> None:
    """If the variable has a value already, or is one of this state, the formula is a test."""
    body = TWO + (
        "Init == x \\subseteq {1, 2} /\\ y = 0\n"
        "Next == /\\ x' \\subseteq (x \\cup {y}) /\\ y' = (y + 1) % 4\n"
        "  /\\ x' \\subseteq {0, 1, 2} /\\ {y} \\subseteq 0..2\n"
    )
    assert is_alike(tmp_path, body)
    as_members = re.sub(r"\\subseteq ([^/]*)", r"\\in SUBSET (\1)", body.replace("{y} \\subseteq", "y \\in"))
    assert find_all(tmp_path, as_members, QUIET, False) == find_all(tmp_path, body, QUIET, False)


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
    assert is_alike(tmp_path, TWO + NAMED)
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
    assert is_alike(tmp_path, body)


def test_a_part_of_a_variable_that_is_an_argument_below_a_prime(tmp_path: Path) -> None:
    """It is the part in the next state, so it is no column of this one."""
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nIs(e, v) == e' = v + 0\n"
        "Next == \\E i \\in 1..2, v \\in 0..2 :\n"
        "  x' = [x EXCEPT ![i] = v] /\\ Is(x[i], v) /\\ y' = x[i] + (y % 2)"
    )
    assert is_alike(tmp_path, body)


def test_an_argument_that_the_value_of_an_operator_reads_in_the_next_state(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<0, 1>> /\\ y = 0\nMoved(e) == e' # <<0, 0>>\nAfter(e) == e' + 0\n"
        "Next == \\E i \\in 1..2, v \\in 0..2 : /\\ x' = [x EXCEPT ![i] = v]\n"
        "  /\\ y' = IF Moved(x) THEN After(x[i]) ELSE 0"
    )
    assert is_alike(tmp_path, body)


def test_all_sets_of_a_quantifier_are_evaluated_first(tmp_path: Path) -> None:
    """Also where one of them is empty: another may have no value."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        "Next == \\/ (\\E a \\in 1..(0 * x), b \\in (IF x = 7 THEN {y[1]} ELSE {1}) : x' = a /\\ y' = b)\n"
        "  \\/ (x < 20 /\\ x' = x + 1 /\\ y' = y)"
    )
    found, _ = find_all(tmp_path, body, QUIET, True)
    assert "M.tla:" in found[0]
    assert not is_alike(tmp_path, body)


def test_a_part_that_has_no_value_where_it_is_not_needed(tmp_path: Path) -> None:
    body = TWO + (
        "Init == x = <<>> /\\ y = 1\n"
        "Next == \\E i \\in 1..3 :\n  /\\ IF i \\in DOMAIN x THEN y' = x[i] % 3 ELSE y' = i + (y % 2)\n"
        "  /\\ x' = IF Len(x) < 3 THEN Append(x, i) ELSE x"
    )
    assert is_alike(tmp_path, body)


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
    assert is_alike(tmp_path, body)


def test_a_set_that_is_only_asked_for_a_member_is_not_made(tmp_path: Path) -> None:
    """It may have many members."""
    body = TWO + (
        "Many == {s \\in SUBSET (1..(9 + x)) : y + 1 \\in s}\nInit == x = 0 /\\ y = 0\n"
        "Next == x' = (x + 1) % 4 /\\ \\E i \\in 0..3 : ({i, 1} \\in Many \\/ x = 1) /\\ y' = i"
    )
    assert is_alike(tmp_path, body)
    search = Search(Explorer(specify_module(tmp_path, body, QUIET), properties=()))
    assert not any(isinstance(leaf, Derived) for leaf in search.compiler.leaves)


def test_names_of_let_in_this_state_and_the_next(tmp_path: Path) -> None:
    body = TWO + (
        "Top == x[1] + y\nInit == x = <<0, 0>> /\\ y = 0\n"
        "Next == \\E i \\in 1..2 : LET old == x[i] new == old + 1 add(n) == n + old IN\n"
        "  /\\ new < 4 /\\ x' = [x EXCEPT ![i] = new] /\\ y' = add(i) % 3 /\\ (Top' > 1 => Top' < 9)"
    )
    assert is_alike(tmp_path, body)


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
    assert is_alike(tmp_path, body, f"{QUIET}\nINVARIANT Low\nPROPERTY Steps")


def test_limits(tmp_path: Path) -> None:
    body = TWO + "Init == x = 0 /\\ y = 0\nNext == x' = (x + 1) % 50 /\\ y' \\in 0..x % 5"
    assert not is_alike(tmp_path, body, max_states=40)
    assert not is_alike(tmp_path, body, "INIT Init\nNEXT Next", max_depth=9)
    assert is_alike(tmp_path, body)


def test_a_step_of_a_branch_without_a_name_has_that_of_what_is_around_it(tmp_path: Path) -> None:
    """And not that of the branch before."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\nUp == x < 3 /\\ x' = x + 1 /\\ y' = x\nStay == UNCHANGED <<x, y>>\n"
        "Reset == (x = 3 /\\ Stay) \\/ (x > 1 /\\ x' = 0 /\\ y' = y)\n"
        "Next == \\E n \\in 1..2 : Up \\/ (n = 2 /\\ x' = 0 /\\ y' = 0) \\/ Reset"
    )
    assert is_alike(tmp_path, body)
    taken = dict(find_all(tmp_path, body, QUIET, False)[0][2][4])
    assert taken == {"Up": 10, "Next": 6, "Reset": 6}


@pytest.mark.parametrize("later", ["x' \\in {n, 3}", "(x' = n \\/ x' = 3)", "(x' = n \\/ (x' = 3 /\\ TRUE))"])
def test_every_member_of_a_set_is_walked_after_the_one_before(tmp_path: Path, later: str) -> None:
    """The first may be true in several ways; the others are tested once all variables have values."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\n"
        f"Next == y' = (y + 1) % 4 /\\ (\\A n \\in 1..y : {later}) /\\ (y = 0 => x' = x)\n"
    )
    assert is_alike(tmp_path, body)
    body = TWO + (
        "Init == x = <<0, 0>> /\\ y = 0\nSome(a, n) == a = n \\/ a = n + 1 \\/ a = n\n"
        "Next == \\/ /\\ y < 3 /\\ y' = y + 1 /\\ x' = <<y, x[1]>>\n"
        "           /\\ \\A n \\in {i \\in 1..y : i # x[1]} : Some(n % 2, x[2])\n"
        "        \\/ /\\ \\A k \\in 1..2 : x' \\in {<<k, 0>>, <<1, 1>>} \\/ (x' = x /\\ y > k)\n"
        "           /\\ y' = 0"
    )
    assert is_alike(tmp_path, body)


def test_true_is_not_one(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == x' \\in {0, 1} \\/ x' \\in BOOLEAN"
    assert is_alike(tmp_path, body)


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
    assert is_alike(tmp_path, body, config)


def test_many_values_and_many_variables(tmp_path: Path) -> None:
    """Keys get more room as values are found; those of many columns are numbered first."""
    body = TWO + (
        "Init == x = 0 /\\ y = 0\nNext == \\/ (x < 90 /\\ x' = x + 1 /\\ y' = y + x)\n"
        "  \\/ (x < 90 /\\ x' = x + 1 /\\ y' = (x * x) % 50)\nInv == x * y < 999999"
    )
    assert is_alike(tmp_path, body, f"{QUIET}\nINVARIANT Inv")
    names = [f"v{number}" for number in range(24)]
    body = "EXTENDS Naturals\nVARIABLES " + ", ".join(names) + "\n"
    body += "Init == " + " /\\ ".join(f"{name} = 0" for name in names) + "\n"
    body += "Next == \\E n \\in {1, 5} : " + " /\\ ".join(
        f"{name}' = ({name} + n + {other}) % {number % 5 + 2}"
        for number, (name, other) in enumerate(zip(names, names[1:] + names[:1], strict=True))
    )
    inv = " + ".join(names)
    assert (
        is_alike(tmp_path, f"{body}\nInv == {inv} < 999", f"{QUIET}\nINVARIANT Inv", max_states=3_000)
        is False
    )


@pytest.mark.thorough
def test_random_modules(tmp_path: Path) -> None:
    by_columns = 0
    for seed in range(40):
        body, (config, _) = module(Random(seed)), configuration(Random(f"configuration {seed}"))
        by_columns += is_alike(tmp_path, body, config, max_states=400)
    assert by_columns > 5
