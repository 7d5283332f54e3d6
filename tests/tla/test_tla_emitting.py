"""Expressions as Python source: long and deep ones, and what is remembered of values."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from tests.support.tla_modules import counts, explore_module, value
from verifier.tla.frames import Undefined

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"


@pytest.mark.parametrize("depth", [10, 150, 400])
def test_an_expression_may_be_deep(depth: int, tmp_path: Path) -> None:
    nested = "(" * depth + "x" + " + 1)" * depth
    sets = "{" * depth + "x" + "}" * depth
    body = (
        "EXTENDS Naturals, FiniteSets\nVARIABLE x\nInit == x = 0\n"
        f"Next == x < 2 /\\ x' = x + 1 /\\ {nested} < x' + {depth}\nInv == Cardinality({sets}) = 1"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert (found.distinct, found.generated, found.violations) == (3, 3, {})


def test_a_walk_may_be_long_and_nested(tmp_path: Path) -> None:
    names = [f"v{number}" for number in range(70)]
    init = " /\\ ".join(f"{name} = 0" for name in names)
    steps = " /\\ ".join(f"({name}' = {name} \\/ ({name}' = 1 - {name} /\\ FALSE))" for name in names[1:])
    deep = "".join(
        f"\\E {', '.join(f'b{number}_{part}' for part in range(wide))} \\in {{{number}}} : TRUE /\\ ("
        for number, wide in enumerate([*[1] * 11, 6, 7, *[2] * 17])
    )
    body = (
        f"EXTENDS Naturals\nVARIABLES {', '.join(names)}\nInit == {init}\n"
        f"Next == {deep}v0' = 1 - v0{')' * 30} /\\ {steps}"
    )
    assert counts(tmp_path, body) == (2, 3, 2)


def test_many_names_are_bound_at_once(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(16)]
    bound = ", ".join(f"{name} \\in 1..{1 + (name == 'n0')}" for name in names)
    sums = " + ".join(names)
    assert value(tmp_path, f"{{{sums} : {bound}}}") == "{16, 17}"
    assert value(tmp_path, f"\\A {bound} : {sums} < 18") == "TRUE"
    assert value(tmp_path, f"[{bound} |-> 1][<<2, {', '.join(['1'] * 15)}>>]") == "1"


def test_literals_may_stand_anywhere(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value(tmp_path, "<<1 = 2, 1 # 1, \"a\" = \"a\", 2 < 1, 1 + 1, -1 + 1, 3 \\in 1..3>>") == (
            "<<FALSE, FALSE, TRUE, FALSE, 2, 0, TRUE>>"
        )  # fmt: skip
        for words in ("1 = TRUE", "~1", "5[1]", '"a"[1]', "Head(5)", "Cardinality(1)", '1 + "a"', "1 \\in 5"):
            with pytest.raises(Undefined):
                value(tmp_path, words)


def test_text_of_a_string_is_no_source(tmp_path: Path) -> None:
    words = "{after} e[0] \\\" ' k1 {0}"
    body = (
        f'VARIABLE x\nInit == x = "{words}"\nSame(v) == v \\in {{"{words}", x}}\n'
        f'Next == x\' \\in {{"{words}"}} /\\ Same(x\')\nInv == [a |-> x].a = "{words}"'
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert (found.distinct, found.generated, found.violations) == (1, 2, {})


def test_a_conjunct_that_was_true_is_told_again_of_other_values(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, TLC\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == x < 4 /\\ x' = x + 1 /\\ y' \\in {y, 1 - y}\n"
        "Type == x \\in 0..9 /\\ y \\in {0, 1}\n"
        "Inv == Type /\\ y < 2 /\\ (x < 3 \\/ y = 0)\nLevel == x < 9 /\\ TLCGet(\"level\") < 4"
    )  # fmt: skip
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANTS Inv Level").result
    assert found.distinct == 9
    assert [len(found.violations[name].states) for name in ("Inv", "Level")] == [4, 4]


def test_the_error_of_a_conjunct_names_the_operators_around_it(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == x < 4 /\\ x' = x + 1 /\\ y' = y\n"
        "Part == y = 0 /\\ (x < 3 \\/ Head(<<>>) = 1)\nInv == y < 2 /\\ Part"
    )
    with pytest.raises(Undefined, match=r"Head of the empty sequence has no value, in Part \("):
        explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv")


def test_members_that_are_known_do_not_hide_those_of_another_kind(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLE x\nInit == x = <<1>>\n"
        "Next == Len(x) < 3 /\\ \\E k \\in {1, 2} :\n"
        " x' = Append(x, IF k = 1 \\/ Len(x) < 2 THEN k ELSE \"a\")\n"
        "S == Seq(1..2)\nInv == x \\in S /\\ {x} \\subseteq S"
    )  # fmt: skip
    with pytest.raises(Undefined, match="of different kinds"):
        explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv")
    found = explore_module(tmp_path, body.replace('"a"', "3"), f"{QUIET}\nINVARIANT Inv").result
    assert len(found.violations["Inv"].states) == 3


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("IF 1 = 1 THEN 5 ELSE bad", "5"),
        ("1 = 1 \\/ bad = 1", "TRUE"),
        ("1 = 2 => bad = 1", "TRUE"),
        ("\\A x \\in {} : x = bad", "TRUE"),
        ("LET f(x) == IF x THEN 1 ELSE bad IN f(TRUE)", "1"),
        ("LET also == bad + 1 IN IF TRUE THEN 2 ELSE also", "2"),
        ("CASE 1 = 1 -> 3 [] 1 = bad -> 4", "3"),
    ],
)
def test_a_name_that_is_not_always_read_waits(body: str, found: str, tmp_path: Path) -> None:
    assert value(tmp_path, f"LET bad == <<7>>[2] IN {body}") == found


def test_a_name_that_is_always_read_has_its_place_in_errors(tmp_path: Path) -> None:
    with pytest.raises(Undefined) as error:
        value(tmp_path, "LET bad == <<7>>[2] IN bad = 1 /\\ FALSE")
    assert [name for name, *_ in error.value.stack[:1]] == ["bad"]


def test_a_name_that_is_always_read_has_another_value_below_a_prime(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == LET two == 2 * x\n            f(n) == two + n\n"
        "        IN two < 8 /\\ x' = x + 1 /\\ two' = two + 2 /\\ f(1)' = f(1) + 2\n"
        "Step == LET two == 2 * x IN two < 99 /\\ (two + 1)' \\in {two + 1, two + 3}\n"
        "Prop == [][Step]_x"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nPROPERTY Prop").result
    assert (found.distinct, found.generated, found.violations) == (5, 5, {})


def test_an_argument_of_a_guard_may_be_what_is_assigned_to(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nIs(v, n) == v = n \\/ v = n + 1\n"
        "Low(n) == \\E k \\in 0..n : k < 1\n"
        "Init == Is(x, 0) /\\ Is(y, 5)\nNext == Low(x) /\\ Is(x', 1) /\\ Is(y', 5)\nInv == Is(y, 5)"
    )
    search = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv")
    assert (search.result.initial, search.result.violations) == (4, {})
    assert {state[0] for state in search.states} == {0, 1, 2}
