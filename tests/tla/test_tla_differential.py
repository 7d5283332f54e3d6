"""Random expressions and random modules: what is translated means what the interpreter computes.

``python -m tests.support.tla_random`` compares more of them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.support.sampling import first_of, rest_slow
from tests.support.tla_random import compare_expressions, compare_modules, compare_texts
from tests.support.tla_random_texts import state


def _compare_expressions(folder: Path, seeds: range) -> None:
    found: Counter[str] = Counter()
    for seed in seeds:
        assert compare_expressions(folder, seed, 12, found) == []
    assert found["equal"] > 30 * len(seeds)
    assert found["undefined"] > 3 * len(seeds)


@pytest.mark.parametrize("first", first_of(range(0, 40, 20), 1))
def test_random_expressions_mean_what_the_interpreter_computes(tmp_path: Path, first: int) -> None:
    _compare_expressions(tmp_path, range(first, first + 20))


@pytest.mark.parametrize("first", rest_slow(range(40, 700, 40), 1))
def test_more_random_expressions(tmp_path: Path, first: int) -> None:
    _compare_expressions(tmp_path, range(first, first + 40))


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_random_modules_have_the_states_and_verdicts_of_the_interpreter(tmp_path: Path, first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 10):
        assert compare_modules(tmp_path, seed, found, ("explore",)) == []


@pytest.mark.parametrize("first", rest_slow(range(0, 300, 5), 1))
def test_random_modules_to_every_engine(tmp_path: Path, first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 5):
        assert compare_modules(tmp_path, seed, found, ("explore", "bmc", "prove")) == []


MENDED = {
    "a fold sees equal members once": "FoldSet(LAMBDA x1, y1 : x1 + y1, 0, {t[x] : x \\in Node})",
    "a value that is not needed is read": "Head(Append(<<1>>, Head(Tail(q))))",
    "an index behind which nothing is": "[<<>> EXCEPT ![Head(q)] = 1]",
    "a case that is lost in an empty sequence": "Append(Tail(<<q>>), (CASE b -> q [] b -> <<>>))",
    "functions over places without values": "[x \\in DOMAIN q |-> <<>>[x]]",
    "a field beside one without a value": "[a |-> i, b |-> Head(q)].a",
    "the domain of a function without one": "DOMAIN [f EXCEPT ![0] = Head(q)]",
    "a condition between equal branches": "IF Head(q) = 1 THEN 0 ELSE 0",
    "members of a set that is compared": "{1 \\div i, 0} \\cap {} = {}",
    "sets of records from what has no value": "[a : {0, Head(q)}, b : {b}]",
    "values of different kinds are compared": "(IF b THEN i ELSE w) = 1",
    "a record among integers": "r \\in {None, i}",
    "a quantifier stops at the first": "\\E x \\in s : x + 1 > 1 \\div x",
    "a domain is read before the body": "\\A x \\in {Head(q), 1} : FALSE",
    "operators of a LET in EXCEPT": "[t EXCEPT ![m] = (LET d(x) == x + x IN d(-1))]",
    "CHOOSE in TLC's order from a union": "CHOOSE x \\in {i} \\cup s : x # 0",
    "the length of a function that is not a sequence": "Len(p)",
    "a sequence among functions": "Len(i :> 1 @@ p)",
    "a tuple of another length": "\\A <<x, y>> \\in {IF b THEN <<1, 2>> ELSE <<1>>} : x = 1",
    "recursive functions of what the state decides": "Up[i]",
    "sums by a recursive function of a LET": (
        "LET su[S1 \\in SUBSET Node] == IF S1 = {} THEN 0 ELSE"
        " LET p1 == CHOOSE x \\in S1 : TRUE IN t[p1] + su[S1 \\ {p1}] IN su[Node]"
    ),
    "subsets of few items": "\\E x \\in SUBSET ({i, 1} \\X {0, 1}) : Cardinality(x) = 3",
    "CHOOSE of what fits alone": "(CHOOSE x \\in {<<s, 1>>, <<{}, 2>>} : x[2] = 2)[1]",
    "sequences that are empty, put together": "(<<>> \\o SubSeq(<<>>, 1, 0)) \\o q",
    "an interval that is empty is read": "(3..(2 \\div i))",
    "so it is in a record": "[a |-> 5..(1 \\div i)]",
    "and below a filter": "{<<x, y>> \\in (5..(1 \\div i)) \\X {1} : TRUE}",
    "functions over a set of the state": "{x \\in [s -> {0, 1}] : \\E y \\in DOMAIN x : x[y] = 1}",
    "one of them is the other": "\\E x \\in [s -> {0, 1}] : x = p",
    "functions over no set": "[(5..(1 \\div i)) -> {1}]",
    "folds have TLC's order": (
        "<<FoldSet(LAMBDA x1, y1 : Append(y1, x1), <<>>, s), FoldSet(LAMBDA x1, y1 : 2 * y1 + x1, 0, s),"
        " MapThenFoldSet(LAMBDA x1, y1 : 2 * y1 + x1, 0, LAMBDA x1 : x1,"
        " LAMBDA S1 : CHOOSE x1 \\in S1 : TRUE, s)>>"
    ),
    "a set as a sequence": (
        "<<SetToSeq(s), SetToSeq({i, 1, 7}), SetToSeq({t[x1] : x1 \\in Node}), SetToSeq({w, None})>>"
    ),
    "what is a bag": (
        "<<IsABag(g), IsABag(p), IsABag(q), IsABag(t), IsABag(r), IsABag(s), IsABag(i),"
        " IsABag(IF b THEN i ELSE s), IsABag([x \\in s |-> i]), IsABag(<<i, w>>)>>"
    ),
    "bags": "(g (+) SetToBag(s)) (-) SetToBag({i})",
}


@pytest.mark.parametrize("words", MENDED)
def test_what_was_mended(tmp_path: Path, words: str) -> None:
    chance, found = Random(words), Counter[str]()
    assert compare_texts(tmp_path, [MENDED[words]], [state(chance) for _ in range(12)], found) == []
    assert found["equal"] + found["undefined"] >= 10
