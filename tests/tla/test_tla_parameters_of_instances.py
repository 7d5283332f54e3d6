"""Instances with parameters: an argument may be what an action of the module primes. The counts are TLC's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

INNER = r"""---- MODULE M ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Any == x \in 0..2
Inc == x < 3 /\ x' = x + 1
Dec == x > 0 /\ x' = x - 1
Plus(n) == x < 3 /\ x' = x + n
After == x'
Some == x' \in {x, 1}
Keep == UNCHANGED x
====
"""
MIDDLE = r"""---- MODULE M2 ----
EXTENDS Naturals
VARIABLE z
N == INSTANCE M WITH x <- z
O(e) == INSTANCE M WITH x <- e
Two == z < 4 /\ z' = z + 2
Deep == N!Inc \/ O(z)!Dec
Keep == N!Keep
====
"""
PAIR = r"""---- MODULE M3 ----
EXTENDS Naturals
VARIABLES p, q
Swap == p' = q /\ q' = p
More == p < 3 /\ p' = p + 1 /\ UNCHANGED q
====
"""
C = "C(a) == INSTANCE M WITH x <- a"
CASES = {
    "action": (C, "C(y)!Init", r"C(y)!Inc /\ UNCHANGED b", 4, 4),
    "set": (C, "C(y)!Any", r"C(y)!Some /\ C(b)!Inc", 18, 12),
    "enabled": (
        C,
        "C(y)!Init",
        r"IF ENABLED C(y)!Inc THEN C(y)!Inc /\ UNCHANGED b ELSE y' = 0 /\ C(b)!Inc",
        16,
        16,
    ),
    "expression": ("C(a) == INSTANCE M WITH x <- a + 1", "y = 0", r"y' \in 0..3 /\ C(y)!Inc /\ b' = b", 3, 3),
    "instance in the module": ("C(a) == INSTANCE M2 WITH z <- a", "y = 0", r"C(y)!Deep /\ b' = b", 7, 4),
    "argument passed on": (C + "\nA(v) == C(v)!Inc", "C(y)!Init", r"A(y) /\ UNCHANGED b", 4, 4),
    "in a LET": ("", "y = 0", rf"LET {C} IN C(y)!Inc /\ UNCHANGED b", 4, 4),
    "operator with an argument": (C, "y = 0", r"C(y)!Plus(1) /\ UNCHANGED b", 4, 4),
    "value": (C, "y = 0", r"y < 3 /\ y' = y + 1 /\ b' = C(y)!After", 4, 4),
    "several parameters": (
        "C(a, d) == INSTANCE M WITH x <- a",
        "y = 0",
        r"\E i \in 1..2 : C(y, i)!Inc /\ b' = i",
        11,
        7,
    ),
    "unchanged below": ("C(a) == INSTANCE M2 WITH z <- a", "y = 0", r"C(y)!Two /\ C(b)!Keep", 3, 3),
    "unchanged": (C, "y = 0", r"(C(y)!Keep /\ C(b)!Inc) \/ (C(y)!Inc /\ C(b)!Keep)", 25, 16),
    "two": ("C(a, d) == INSTANCE M3 WITH p <- a, q <- d", "y = 0", r"C(y, b)!Swap \/ C(b, y)!More", 29, 16),
}


@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize("case", CASES)
def test_the_argument_is_what_is_assigned(case: str, by: str, tmp_path: Path) -> None:
    declared, begins, goes, generated, distinct = CASES[case]
    for name, text in (("M", INNER), ("M2", MIDDLE), ("M3", PAIR)):
        (tmp_path / f"{name}.tla").write_text(text)
    body = f"{declared}\nInit == {begins} /\\ b = 0\nNext == {goes}\n"
    (tmp_path / "R.tla").write_text(f"---- MODULE R ----\nEXTENDS Naturals\nVARIABLES y, b\n{body}====\n")
    (tmp_path / "R.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", "--spec", str(tmp_path / "R.tla"), "--by", by, "--format", "json")
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)["statistics"]
    assert (figures["generated_states"], figures["distinct_states"]) == (generated, distinct)


def test_a_property_of_steps_and_a_refinement_by_the_argument(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(INNER.replace("====", "Spec == Init /\\ [][Inc]_x\n===="))
    body = r"""EXTENDS Naturals
VARIABLES y, b
C(a) == INSTANCE M WITH x <- a
Init == y = 0 /\ b = 0
Next == (C(y)!Inc /\ b' = b) \/ (C(b)!Inc /\ y' = y) \/ (C(b)!Dec /\ y' = y)
Up == C(y)!Spec
Down == C(b)!Spec
"""
    (tmp_path / "R.tla").write_text(f"---- MODULE R ----\n{body}====\n")
    (tmp_path / "R.cfg").write_text("INIT Init\nNEXT Next\nPROPERTY Up Down\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", "--spec", str(tmp_path / "R.tla"), "--format", "json")
    verdicts = {row["property"]: (row["verdict"], row["steps"]) for row in json.loads(done.stdout)["results"]}
    assert verdicts == {"Up": ("HOLDS", None), "Down": ("VIOLATED", 2)}
