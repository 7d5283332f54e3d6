"""Constant expressions, evaluated as TLC does."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from tests.support.tla_modules import value
from verifier.tla.frames import Undefined
from verifier.tla.order import Order, OrderOfKinds
from verifier.tla.value_types import FALSE, TRUE, Fn, ModelValue, NoValue

EXPRESSIONS = {
    "1 + 2 * 3 - 4": "3",
    "(-7) \\div 2": "-4",
    "(-7) % 2": "1",
    "2^10": "1024",
    '"a\\tb\\n\\f\\r\\"\\\\"': '"a\\tb\\n\\f\\r\\"\\\\"',
    'ToString(<<"\\t">>)': '"<<\\"\\\\t\\">>"',
    "-2 * 3": "-6",
    "1..3": "{1, 2, 3}",
    "3..1": "{}",
    "{1, 2} \\cup {2, 3} \\ {1}": None,
    "({1, 2} \\cup {2, 3}) \\ {1}": "{2, 3}",
    "UNION {{1}, {2, 3}}": "{1, 2, 3}",
    "SUBSET {1, 2}": "{{}, {1}, {2}, {1, 2}}",
    "{x \\in 1..5 : x % 2 = 0}": "{2, 4}",
    "{x + y : x \\in {1, 2}, y \\in {10, 20}}": "{11, 12, 21, 22}",
    "{a : <<a, b>> \\in {<<1, 2>>, <<3, 4>>}}": "{1, 3}",
    "{1} \\X {2} \\X {3}": "{<<1, 2, 3>>}",
    "({1} \\X {2}) \\X {3}": "{<<<<1, 2>>, 3>>}",
    "[x \\in {} |-> 1] = <<>>": "TRUE",
    "1 :> 5": "<<5>>",
    "(2 :> 5) @@ (1 :> 4)": "<<4, 5>>",
    '("a" :> 1) @@ ("a" :> 2)': "[a |-> 1]",
    "[x \\in 1..2 |-> x * x]": "<<1, 4>>",
    "[x \\in 2..3 |-> x]": "(2 :> 2 @@ 3 :> 3)",
    "[x \\in {1}, y \\in {2} |-> x + y][1, 2]": "3",
    "[<<1, 2>> EXCEPT ![3] = 9]": "<<1, 2>>",
    "[<<1, 2>> EXCEPT ![1] = @ + 1, ![1] = @ * 10]": "<<20, 2>>",
    "[[a |-> <<1, 2>>] EXCEPT !.a[2] = @ + 5]": "[a |-> <<1, 7>>]",
    "[[a |-> <<1>>] EXCEPT !.a = [@ EXCEPT ![1] = @ + 1]]": "[a |-> <<2>>]",
    "[{1, 2} -> {3}]": "{<<3, 3>>}",
    "Cardinality([1..3 -> BOOLEAN])": "8",
    "[a : {1}, b : {2, 3}]": "{[a |-> 1, b |-> 2], [a |-> 1, b |-> 3]}",
    "<<1, 2>> \\o <<3>>": "<<1, 2, 3>>",
    "SubSeq(<<1, 2, 3>>, 2, 3)": "<<2, 3>>",
    "SelectSeq(<<1, 2, 3>>, LAMBDA x : x > 1)": "<<2, 3>>",
    "DOMAIN <<7, 8>>": "{1, 2}",
    "CHOOSE x \\in {3, 1, 2} : x > 1": "2",
    'CHOOSE x \\in {"b", "a"} : TRUE': '"a"',
    "CHOOSE s \\in SUBSET {1, 2, 3} : Cardinality(s) = 2": "{1, 2}",
    "IF 1 = 1 THEN 2 ELSE 3": "2",
    "CASE 1 = 2 -> 3 [] OTHER -> 4": "4",
    "LET a == 1 b(x) == x + a IN b(b(5))": "7",
    "LET RECURSIVE F(_) F(n) == IF n = 0 THEN 1 ELSE n * F(n - 1) IN F(10)": "3628800",
    "LET f[n \\in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[5]": "120",
    "LET f[n \\in 1..3, m \\in 1..2] == n + m IN f[3, 2]": "5",
    "\\A x \\in {} : x": "TRUE",
    "\\E x, y \\in 1..3 : x + y = 6": "TRUE",
    "5 \\in Nat /\\ -1 \\notin Nat /\\ -1 \\in Int": "TRUE",
    "<<1, 2>> \\in Seq(Nat)": "TRUE",
    "{1, 2} \\in SUBSET Nat": "TRUE",
    "[x \\in 1..2 |-> x] \\in [1..2 -> Nat]": "TRUE",
    "[a |-> 1] \\in [a : Nat \\cup {-1}]": "TRUE",
    "3 \\in {n \\in Nat : n > 2}": "TRUE",
    "0 \\in Nat \\ {0}": "FALSE",
    "FALSE /\\ <<>>[1]": "FALSE",
    "TRUE \\/ <<>>[1]": "TRUE",
    '"a" \\o "b"': '"ab"',
    "\\b101 + \\hF": "20",
}


@pytest.mark.parametrize("expression", [e for e, shown in EXPRESSIONS.items() if shown is not None])
def test_value(expression: str, tmp_path: Path) -> None:
    assert value(tmp_path, expression) == EXPRESSIONS[expression]


EXTENSIONS = {
    "FoldLeft(LAMBDA a, b : a \\o <<b>>, <<>>, <<1, 2>>)": "<<1, 2>>",
    "FoldRight(LAMBDA a, b : b \\o <<a>>, <<1, 2>>, <<>>)": "<<2, 1>>",
    "FoldSet(+, 0, {1, 2, 3})": "6",
    "SumSet({1, 2, 3})": "6",
    "Max({1, 5, 3}) - Min({1, 5, 3})": "4",
    "ToSet(<<1, 2, 1>>)": "{1, 2}",
    "Reverse(<<1, 2, 3>>)": "<<3, 2, 1>>",
    "FlattenSeq(<<<<1>>, <<2, 3>>>>)": "<<1, 2, 3>>",
    "RemoveAt(<<1, 2, 3>>, 2)": "<<1, 3>>",
    "Last(Front(<<1, 2, 3>>))": "2",
    "SetToSeq({3, 1})": "<<1, 3>>",
    "IsPrefix(<<1>>, <<1, 2>>)": "TRUE",
    "kSubset(2, {1, 2, 3})": "{{1, 2}, {1, 3}, {2, 3}}",
    "Range([x \\in {1, 2} |-> x + 1])": "{2, 3}",
    "IsInjective(<<1, 1>>)": "FALSE",
    "Quantify({1, 2, 3}, LAMBDA x : x > 1)": "2",
    "BagCardinality(SetToBag({1, 2}) (+) SetToBag({2}))": "3",
    "FoldFunction(+, 0, <<1, 2, 3>>)": "6",
    # What TLC computes: its own code, where there is some, is not the text of the module.
    "FoldSet(LAMBDA x, made : Append(made, x), <<>>, {3, 1, 2})": "<<1, 2, 3>>",
    "ReduceSet(LAMBDA x, made : Append(made, x), {3, 1}, <<>>)": "<<1, 3>>",
    "FoldFunction(LAMBDA x, made : Append(made, x), <<>>, <<7, 8>>)": "<<7, 8>>",
    "FoldFunctionOnSet(LAMBDA x, made : Append(made, x), <<>>, <<7, 8, 9>>, {3, 1})": "<<7, 9>>",
    "FoldSeq(LAMBDA x, made : Append(made, x), <<>>, <<7, 8>>)": "<<7, 8>>",
    "MapThenFoldSet(LAMBDA x, made : Append(made, x), <<>>, LAMBDA x : x,"
    " LAMBDA S : CHOOSE x \\in S : TRUE, {3, 1})": "<<3, 1>>",
    "SelectInSubSeq(<<2, 4, 3, 5>>, 2, 4, LAMBDA x : x % 2 = 1)": "3",
    "SelectInSubSeq(<<2, 4, 3, 5>>, 3, 2, LAMBDA x : x % 2 = 1)": "0",
    "SelectLastInSubSeq(<<3, 4, 3, 5>>, 2, 3, LAMBDA x : x % 2 = 1)": "3",
    "IndexFirstSubSeq(<<1, 2>>, <<3, 1, 2>>)": "2",
    "ReplaceFirstSubSeq(<<9>>, <<1, 1>>, <<1, 1, 1>>)": "<<9, 1>>",
    "ReplaceAllSubSeqs(<<2, 2>>, <<1, 1>>, <<1, 1, 1>>)": "<<2, 2, 1>>",
    "ReplaceAllSubSeqs(<<2>>, <<>>, <<1, 3>>)": "<<2, 1, 2, 3>>",
    "Interleave(<<1, 3>>, <<2, 4>>)": "<<<<1>>, <<2>>, <<3>>, <<4>>>>",
}


@pytest.mark.parametrize("expression", EXTENSIONS)
def test_community_modules(expression: str, tmp_path: Path) -> None:
    modules = "Integers, SequencesExt, FiniteSetsExt, Functions, Bags"
    assert value(tmp_path, expression, modules) == EXTENSIONS[expression]


@pytest.mark.parametrize(
    "expression",
    ["<<1>>[2]", "[a |-> 1].b", "Head(<<>>)", "1 \\div 0", "1 = TRUE", '"a" = 1', "Cardinality(1)",
     "(1 :> 2) @@ [a |-> 1]", "2 + TRUE", "Len(1)", "SubSeq(<<1>>, 1, 5)", "CHOOSE x \\in {1} : x > 1",
     "\\E x \\in Nat : x > 3"],
)  # fmt: skip
def test_an_expression_without_a_value_is_an_error(expression: str, tmp_path: Path) -> None:
    with pytest.raises(Undefined):
        value(tmp_path, expression)


def test_unions_and_differences_conflict(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="conflicting precedences"):
        value(tmp_path, "{1, 2} \\cup {2, 3} \\ {1}")


def test_sort_keys_order_as_comparing_does() -> None:
    """All values of some depth: sorted by their keys as by comparing each two."""
    order = Order(["b", "a", "m2", "m1"])
    atoms: list[Any] = [1, 2, 10]
    words, models = ["a", "b"], [ModelValue("m1"), ModelValue("m2")]
    rows: list[Any] = [(), (1,), (2,), (1, 2), Fn({2: 1}), Fn({0: 1}), Fn({0: 5, 7: 1}), Fn({0: 1, 7: 5})]
    sets = [frozenset(items) for items in ([], [1], [2], [1, 2], [10])]
    records = [Fn({"a": one, "b": other}) for one in (1, 2) for other in sets]
    nested = [frozenset({one, other}) for one in records for other in records]
    truths = [Fn({"a": one}) for one in (TRUE, FALSE)]
    for values in (atoms, words, models, rows, sets, records, nested, truths, [(m, 1) for m in models]):
        expected = sorted(values, key=order.key)
        assert sorted(values, key=order.sort_key) == expected
        assert order.sort(reversed(values)) == expected
    assert order.sort([1, *models]) == [models[1], models[0], 1]
    for mixed in ([1, "a"], [TRUE, 1], [(1,), frozenset({1})], [Fn({"a": 1}), Fn({"a": "a"})], [TRUE, "a"]):
        with pytest.raises(NoValue):
            order.sort(mixed)


MEMBERSHIP: dict[str, str | None] = {
    "-1 \\in [a : {1}]": "is not a record",
    "<<1>> \\in [a : {1}]": "is not a record",
    "{1} \\in [a : {1}]": "is not a record",
    "<<>> \\in [a : {1}]": None,
    "-1 \\in [{1} -> {1}]": "is not a function",
    '"a" \\in Nat': "is not an integer",
    "TRUE \\in Int": "is not an integer",
    "-1 \\in Nat": None,
    "1 \\in STRING": "is not a string",
    "1 \\in SUBSET {1}": "is not a set",
    "1 \\in {y \\in SUBSET {1} : TRUE}": "is not a set",
    "1 \\in {1} \\X {1}": "is not a tuple",
    "[a |-> 1] \\in {1} \\X {1}": "is not a tuple",
    "<<2, 1>> \\in {1} \\X {1} \\X {1}": None,
    "1 \\in Seq({1})": "is not a sequence",
    "[a |-> 1] \\in Seq({1})": "is not a sequence",
    '"a" \\in 1..300': "is not an integer",
    '"a" \\in 300..1': None,
    "1 \\in BOOLEAN": "another kind",
    # A union is looked through one set after the other, the listed one first.
    "-1 \\in [a : {1}] \\cup {-1, 3}": "TRUE",
    "[a |-> 1] \\in [a : {1}] \\cup {-1}": "different kinds",
    "-2 \\in [a : {1}] \\cup {-1}": "is not a record",
    '{1} \\cup {"a"} = {}': "different kinds",
}
"""TLC's answers: an error with these words, or FALSE (None)."""


@pytest.mark.parametrize("expression", MEMBERSHIP)
def test_membership_of_another_kind_is_an_error(expression: str, tmp_path: Path) -> None:
    expected = MEMBERSHIP[expression]
    if expected in (None, "TRUE"):
        assert value(tmp_path, expression) == (expected or "FALSE")
    else:
        with pytest.raises(Undefined, match=expected):
            value(tmp_path, expression)


def test_sets_that_are_too_large_are_not_listed(tmp_path: Path) -> None:
    assert value(tmp_path, "SUBSET (1..60) = {}") == "FALSE"
    assert value(tmp_path, "[1..50 -> 1..3] = {1}") == "FALSE"
    with pytest.raises(Undefined, match="too many to list"):
        value(tmp_path, "UNION {SUBSET (1..30)} = {}")
    with pytest.raises(Undefined, match="too large to be counted"):
        value(tmp_path, "Cardinality(SUBSET (1..100))")


def test_a_fold_over_a_bag_has_what_is_folded_first(tmp_path: Path) -> None:
    expression = "FoldBag(LAMBDA made, x : Append(made, x.a), <<>>, [a |-> 7] :> 2 @@ [a |-> 8] :> 1)"
    assert value(tmp_path, f"Len({expression})", "Integers, Sequences, TLC, BagsExt") == "3"
    assert value(tmp_path, f"{expression}[1]", "Integers, Sequences, TLC, BagsExt") == "7"
    assert value(tmp_path, "FoldBag(+, 0, 5 :> 2 @@ 7 :> 1)", "Integers, TLC, BagsExt") == "17"


def test_values_of_several_kinds_are_in_one_order_however_they_come() -> None:
    """A sequence is compared with functions, so no other kind may stand between the two."""
    values = [Fn({"b": 1}), (1,), Fn({"b": 1, "a": 2}), "b", "a", frozenset({1}), ModelValue("m")]
    order = OrderOfKinds(Order(["b", "a", "m"]))
    assert len({tuple(order.sort(some)) for some in permutations(values)}) == 1
    assert [one for one in order.sort(values) if isinstance(one, str)] == ["b", "a"]


_PAIRS = [*product((10, -1, 2), (3, -2))]


@pytest.mark.parametrize("last", [(2, 1), (2,), (2, 1, 0), (), (ModelValue("m"), 0), (10, -3)])
def test_tuples_are_in_the_order_of_their_comparison(last: tuple[Any, ...]) -> None:
    """Tuples of integers of one length are sorted as Python does, all others by their keys."""
    order, values = Order(["m"]), {*_PAIRS, last}
    assert order.sort(frozenset(values)) == sorted(values, key=cmp_to_key(order.compare))


@pytest.mark.parametrize("last", [(TRUE, 1), ((1, 2), 0), (1, "a")])
def test_tuples_of_several_kinds_have_no_order(last: tuple[Any, ...]) -> None:
    with pytest.raises(NoValue):
        Order(["a"]).sort(frozenset({*_PAIRS, (1, 0), last}))
