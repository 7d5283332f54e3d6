"""The values that are red of CHOOSE, of the arguments of operators, and of premises: only what decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.test_telling import CONFIG, MODULE, draw, list_blamed, tell_row
from tests.support.modules_for_pages import find_violation
from verifier.outcomes.row import Row

OPERATORS = """Max(S) == CHOOSE x \\in S : \\A y \\in S : y <= x
Small(x) == x < 1
First(f, p) == f[p]
Either(b, x, y) == IF b THEN x ELSE y
Formula =="""
ONLY_TWO = MODULE.replace("\\E x \\in 1..3", "\\E x \\in {2}").replace("Formula ==", OPERATORS)


def find(formula: str, folder: Path) -> Row:
    return find_violation(folder, "Sets", ONLY_TWO.replace("FORMULA", formula), CONFIG)


CHOSEN = [
    # The element that is chosen is red, and the others are not.
    ("Max(held) < 2", [("held", ("2",))]),
    ("LET m == CHOOSE p \\in held : \\A q \\in held : q <= p IN m < 2", [("held", ("2",))]),
    ('Max({IF pc[p] = "in" THEN 1 ELSE 0 : p \\in 1..3}) < 1', [("pc[2]", ())]),
    ("(CHOOSE p \\in held \\cup {3} : p # 1) # 2", [("held", ("2",))]),
    ("(CHOOSE p \\in held \\ {1} : TRUE) # 2", [("held", ("2",))]),
    ("(CHOOSE p \\in (held \\cap {2}) : TRUE) # 2", [("held", ("2",))]),
    ('(CHOOSE p \\in {q \\in 1..3 : pc[q] = "in"} : TRUE) = 1', [("pc[2]", ())]),
    # What its condition says of it is red.
    ('(CHOOSE p \\in 1..3 : pc[p] = "in") # 2', [("pc[2]", ())]),
    ('(CHOOSE p \\in 1..3 : \\A q \\in 1..3 : pc[q] = "in" => pc[p] = "in") = 1', [("pc[2]", ())]),
    ('pc[CHOOSE p \\in 1..3 : pc[p] = "in"] = "out"', [("pc[2]", ())]),
    # A condition that reads only the others has nothing else that decides.
    ('(CHOOSE p \\in 1..3 : \\A q \\in 1..3 : pc[q] = "in" => q = p) = 1',
     [("pc[1]", ()), ("pc[2]", ()), ("pc[3]", ())]),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "culprits"), CHOSEN)
def test_of_a_choice_the_chosen_element_is_red(
    formula: str, culprits: list[tuple[str, tuple[str, ...]]], tmp_path: Path
) -> None:
    row = find(f"n = 0 \\/ ({formula})", tmp_path)
    assert sorted(list_blamed(row)) == sorted([("n", ()), *culprits])


def test_a_part_at_a_chosen_key_has_the_name_of_the_part(tmp_path: Path) -> None:
    row = find('n = 0 \\/ pc[CHOOSE p \\in 1..3 : pc[p] = "in"] = "out"', tmp_path)
    assert tell_row(row).lines[-1].endswith('and pc[2] is "in", not "out".')


@pytest.mark.parametrize(
    ("formula", "words", "culprits"),
    [
        ("Small(n)", "For x = 1: n is 1, and must be less than 1.", ["n"]),
        ("LET S(x) == x < 1 IN S(n)", "For x = 1: n is 1, and must be less than 1.", ["n"]),
        ('First(pc, 2) = "out"', 'Now First(pc, 2) is "in", and must be "out".', ["pc[2]"]),
        ('\\A p \\in 1..3 : First(pc, p) = "out"',
         'For p = 2: First(pc, p) is "in", and must be "out".', ["pc[2]"]),
        ("Small(Either(TRUE, n, pc[1]))", "For x = 1: x is 1, and must be less than 1.", ["n"]),
        ("Either(n >= 0, n, held) = 0", "Now Either(n >= 0, n, held) is 1, and must be 0.", ["n"]),
    ],
)  # fmt: skip
def test_an_argument_is_red_where_the_operator_reads_it(
    formula: str, words: str, culprits: list[str], tmp_path: Path
) -> None:
    row = find(formula, tmp_path)
    assert tell_row(row).lines[-1] == words
    assert sorted(path for path, _ in list_blamed(row)) == culprits


@pytest.mark.parametrize(
    ("premise", "places"),
    [
        ('\\E q \\in 1..3 : pc[q] = "in"', ["pc[2]"]),
        ('pc # [p \\in 1..3 |-> "out"]', ["pc[2]"]),
        ('(pc[2] = "in" \\/ pc[1] = "in")', ["pc[2]"]),
        ('[p \\in 1..3 |-> pc[p]][2] = "in"', ["pc[2]"]),
        ('First(pc, 2) = "in"', ["pc[2]"]),
        ("~Small(n)", ["n"]),
        # That one is in, and no more: all of them decide it.
        ('Cardinality({q \\in 1..3 : pc[q] = "in"}) = 1', ["pc[1]", "pc[2]", "pc[3]"]),
    ],
)
def test_of_a_premise_the_parts_that_decide_are_marked(
    premise: str, places: list[str], tmp_path: Path
) -> None:
    row = find(f"({premise}) => held = {{1}}", tmp_path)
    (part,) = draw(row).failing
    assert [draw(row).places[place].path for place in part.premises] == places
    assert list_blamed(row) == [("held", ("2",))]


def test_a_premise_is_to_blame_for_what_reads_no_state(tmp_path: Path) -> None:
    """Of FALSE nothing is red, so what demands it is; of a set the element that it is about."""
    row = find('2 \\in held => ((\\E q \\in 1..3 : pc[q] = "in") => FALSE)', tmp_path)
    assert sorted(list_blamed(row)) == [("held", ("2",)), ("pc[2]", ())]


def test_of_long_demands_the_nearest_is_told(tmp_path: Path) -> None:
    """The outer demand is longer than a sentence may be; that on the value itself is not."""
    outer = " /\\ ".join(f'(pc[{p}] = "in" => {p} \\in held)' for p in (1, 2, 3) for _ in range(3))
    row = find(f"({outer}) => (2 \\in held => n = 0)", tmp_path)
    assert tell_row(row).around == ("This is required because 2 \\in held.",)


@pytest.mark.parametrize(
    "formula", ["ENABLED (n < 1 /\\ n' = n + 1 /\\ UNCHANGED pc)", "ENABLED ((n < 1) /\\ pc' = pc)"]
)
def test_of_enabled_only_this_state_decides(formula: str, tmp_path: Path) -> None:
    """A value with a prime is of some next state there, and of no state of the execution."""
    row = find(formula, tmp_path)
    assert "n" in {path for path, _ in list_blamed(row)}
    assert not any("'" in path for path, _ in list_blamed(row))
