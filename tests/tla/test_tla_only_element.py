"""CHOOSE of the only element, and calls with a LAMBDA: both give what the text gives as it is written."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from tests.support.tla_modules import explore_module, specify_module
from verifier.tla import ast, calls, forms
from verifier.tla.frames import Undefined
from verifier.tla.order import text
from verifier.tla.specialised import specialise_call
from verifier.tla.unique_choice import find_formula_of_unique

MODULE = r"""EXTENDS Integers, Sequences, FiniteSets, TLC
Only(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
Few(S, P(_), n) == LET T == {x \in S : P(x)} IN Cardinality(T) < n
Some(S, P(_), Q(_, _)) == \E x \in S : P(x) /\ \A y \in S : Q(x, y)
Twice(S, P(_)) == {x \in S : P(x)} \cup {y \in S : \E x \in S : P(x) /\ y # x}
Strange(S, P(_)) == \E x \in S : P(<<x, x>>[1])
Given(S, P(_)) == Some(S, P, LAMBDA a, b : a = b)
Has(S, P(_)) == \E x \in S : P(x)
Images(S, P(_)) == {P(x) : x \in S}
Put(h, P(_)) == [h EXCEPT ![1] = IF \E x \in 1..3 : P(x) THEN @ + 4 ELSE 5]
All(S, P(_)) == \A x \in S : P(x)
Upd(f, P(_)) == [f EXCEPT ![1] = {x \in {@, 7} : P(x)}]
Over(S, P(_)) == \A x \in S : All(S, LAMBDA y : P(x))
Own(n) == Only(1..4, LAMBDA a : a * n = 8)
Value == """
_SETS = ["{1, 2, 3}", "{<<1, 2>>, <<2, 2>>}", '{"a", "b"}', "{}", "1..5", "{{1}, {2}, {1, 2}}", '{1, "a"}']
_FORMULAS = [
    "z = 2", "z > 1", "z[1] = 1", "z[2] = 2", "1 \\in z", 'z = "a"', "z = {2}", "TRUE", "z = k", "z[k] = 2",
    "\\E w \\in {1, 3} : w = z", "LET u == z IN u = 1", "z \\in {k}", "CHOOSE w \\in {z} : TRUE",
    "z = <<2, k>>",
]  # fmt: skip
_CALLS = [
    "Only({s}, LAMBDA z : {f})", "Few({s}, LAMBDA z : {f}, 2)", "Twice({s}, LAMBDA z : {f})",
    "Some({s}, LAMBDA z : {f}, LAMBDA q, z : {f})", "Strange({s}, LAMBDA z : {f})",
    "Has({s}, LAMBDA z : Has({s}, LAMBDA q : ({f}) /\\ q # z))",
    "Images({s}, LAMBDA z : Images({s}, LAMBDA q : <<z, q, {f}>>))",
    "Images({s}, LAMBDA z : LET u == <<z>> IN Images({s}, LAMBDA q : <<u, q>>))",
    "Images({s}, LAMBDA x : Only({s}, LAMBDA y : y = x))",
    "[[i \\in {{1}} |-> 2] EXCEPT ![1] = Put(<<3>>, LAMBDA z : z = @)]",
    "CHOOSE z \\in {s} : z[1] = z[2] /\\ \\A y \\in {s} : z[1] = y[2] => y = z",
    "Given({s}, LAMBDA z : {f})", "{{Own(k), Only({s}, LAMBDA z : {f})}}",
    "All({s}, LAMBDA q : All({s}, LAMBDA z : q = z \\/ {f}))",
    "Over({s}, LAMBDA q : Over({s}, LAMBDA z : q = z \\/ {f}))",
    "[<<k, 2>> EXCEPT ![1] = Upd(<<7, 2>>, LAMBDA z : @ = 7)]",
    "CHOOSE z \\in {s} : z = z /\\ \\A y \\in {s} : y = z => y = z",
    "CHOOSE z \\in {s} : ({f}) /\\ \\A y \\in {s} : ({g}) => y = z",
    "CHOOSE z \\in {s} : ({f}) /\\ \\A y \\in {s} : ({g}) => z = y",
]  # fmt: skip


def _draw(chance: Random) -> str:
    formula, members = chance.choice(_FORMULAS), chance.choice(_SETS)
    drawn = chance.choice(_CALLS).format(s=members, f=formula, g=re.sub(r"\bz\b", "y", formula))
    return rf"LET k == {chance.choice(['2', '1', 'Len(<<1>>)', '1[1]'])} IN {drawn}"


def _value(folder: Path, expression: str) -> str:
    made = specify_module(folder, MODULE + expression, "")
    definition = made.module.names["Value"]
    assert isinstance(definition, ast.Definition)
    try:
        whole = ast.Apply(definition, place=definition.place)
        return text(made.evaluator.compile_value(whole, "M")(), made.evaluator.order)
    except Undefined as error:
        words = f"error: {error}"
        # With the LAMBDA in place, a value that is no formula is found there, and not where P is used.
        return re.sub(r"M.tla:[\d:]+: TRUE or FALSE", "TRUE or FALSE", words)


def test_they_give_what_the_text_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, kinds = Random(5), {True: 0, False: 0}
    for _ in range(400):
        drawn = _draw(chance)
        short = _value(tmp_path, drawn)
        with monkeypatch.context() as as_written:
            as_written.setattr(forms, "find_formula_of_unique", lambda _: None)
            as_written.setattr(calls, "specialise_call", lambda *_: None)
            assert _value(tmp_path, drawn) == short, drawn
        kinds[short.startswith("error")] += 1
    assert min(kinds.values()) > 80


def _chosen(folder: Path, formula: str) -> ast.Choose:
    body = f"EXTENDS Integers\nS == 1..3\nT == 1..3\nValue == CHOOSE x \\in S : {formula}"
    made = specify_module(folder, body, "")
    definition = made.module.names["Value"]
    assert isinstance(definition, ast.Definition)
    assert isinstance(definition.body, ast.Choose)
    return definition.body


@pytest.mark.parametrize(
    ("formula", "is_of_only_one"),
    [
        (r"x > 2 /\ \A y \in S : y > 2 => y = x", True),
        (r"x > 2 /\ \A y \in S : y > 2 => x = y", True),
        (r"x > 2 /\ x < 9 /\ \A y \in S : (y > 2 /\ y < 9) => y = x", True),
        (r"x > 2 /\ \A y \in S : y > 1 => y = x", False),
        (r"x >= x /\ \A y \in S : x >= y => y = x", False),
        (r"x >= x /\ \A y \in S : y >= x => y = x", False),
        (r"x > 2 /\ \A y \in T : y > 2 => y = x", False),
        (r"x > 2 /\ \A y \in S : y > 2 => y # x", False),
        (r"x > 2 /\ \A y \in S : y > 2 => y = y", False),
        (r"x > 2 /\ \E y \in S : y > 2 => y = x", False),
        (r"x > 2 \/ \A y \in S : y > 2 => y = x", False),
        (r"x > 2 /\ \A y \in S : y = x => y > 2", False),
        (r"\A y \in S : y > 2 => y = x", False),
        (r"x = x /\ \A y \in S : x = y => y = x", False),
    ],
)
def test_the_only_element_is_meant_by_one_form(formula: str, is_of_only_one: bool, tmp_path: Path) -> None:
    assert (find_formula_of_unique(_chosen(tmp_path, formula)) is not None) is is_of_only_one


def test_a_formula_with_an_effect_is_evaluated_as_it_is_written(tmp_path: Path) -> None:
    body = r"""EXTENDS Integers, TLC
VARIABLE x
Only(S, P(_)) == CHOOSE a \in S : P(a) /\ \A b \in S : P(b) => b = a
Loud(n) == PrintT(n) /\ n = 2
Init == x = 0
Next == x = 0 /\ x' = Only({1, 2, 3}, Loud)"""
    printed = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE").evaluator.printed
    assert printed == ["1", "2", "1", "2", "3"]


def test_a_lambda_of_another_module_stays_a_call(tmp_path: Path) -> None:
    made = specify_module(
        tmp_path, "EXTENDS N\nk == 3\nValue == Any({3}, LAMBDA x : x = k)", "",
        N="EXTENDS Integers\nAny(S, P(_)) == \\E x \\in S : P(x)",
    )  # fmt: skip
    definition = made.module.names["Value"]
    assert isinstance(definition, ast.Definition)
    whole = definition.body
    assert isinstance(whole, ast.Apply)
    assert isinstance(whole.operator, ast.Definition)
    ev = made.evaluator
    from verifier.tla.frames import Unit

    assert specialise_call(ev, whole.operator, whole, Unit("M"), primed=False) is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        # Each of them bound a name of the definition, or @, twice.
        ("All(1..3, LAMBDA y : All(1..3, LAMBDA z : z = y))", "FALSE"),
        ("Over(1..3, LAMBDA y : Over(1..3, LAMBDA z : z = y))", "FALSE"),
        ("{y \\in 1..3 : All(1..y, LAMBDA z : All({1, 3}, LAMBDA w : w >= z))}", "{1}"),
        ("[<<5, 2>> EXCEPT ![1] = Upd(<<7, 2>>, LAMBDA z : @ = 7)]", "<<<<{}, 2>>, 2>>"),
        # The premise is about x, and so it holds for each y.
        (
            "CHOOSE x \\in 1..2 : <<1, 0>>[x] = 1 /\\ \\A y \\in 1..2 : <<1, 0>>[x] = 1 => y = x",
            "CHOOSE finds no element",
        ),
    ],
)
def test_names_keep_their_meaning_in_place(value: str, shown: str, tmp_path: Path) -> None:
    assert shown in _value(tmp_path, value)
