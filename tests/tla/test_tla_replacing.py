"""Replaced definitions that the module reaches through an INSTANCE, compared with TLC."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module
from verifier.tla.config import parse_config
from verifier.tla.errors import TlaError

INSTANTIATED = r"""---- MODULE K ----
EXTENDS Naturals
CONSTANT V
VARIABLE x
Nil == CHOOSE n : n \notin V
Start == x = Nil
Go == x = Nil /\ x' = Nil
Fine == x = Nil
====
"""
ROOTS = {
    "EXTENDS K\nI == INSTANCE K": "I!",
    "EXTENDS K\nI(W) == INSTANCE K WITH V <- W": "I({3})!",
    "EXTENDS K": "",
    "CONSTANT V\nVARIABLE x\nINSTANCE K": None,
}
"""The way in which the root has the module, and its names of the operators; None: TLC does not replace
there."""


@pytest.mark.parametrize("command", ["explore", "prove", "bmc --depth 2 --steps serial"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_replacement_reaches_instances_of_what_is_extended(root: str, command: str, tmp_path: Path) -> None:
    by = ROOTS[root]
    (tmp_path / "K.tla").write_text(INSTANTIATED)
    named = by or ""
    body = f'Init == {named}Start\nNext == {named}Go\nInv == {named}Fine /\\ x = "null"\nRNil == "null"\n'
    (tmp_path / "R.tla").write_text(f"---- MODULE R ----\n{root}\n{body}====\n")
    config = "CONSTANTS V = {1, 2}\n Nil <- RNil\nINIT Init\nNEXT Next\nINVARIANT Inv\n"
    (tmp_path / "R.cfg").write_text(config)
    done = verify(*command.split(), "--spec", str(tmp_path / "R.tla"))
    if by is None:
        assert done.exit_code == 2
        assert "CHOOSE without a set cannot be evaluated" in done.stderr
    else:
        assert done.exit_code == 0, done.output


def _verdicts(*asked: str) -> tuple[int, dict[str, tuple[str, int | None]]]:
    done = verify(*asked, "--format", "json")
    rows = json.loads(done.stdout)["results"]
    return done.exit_code, {row["property"]: (row["verdict"], row["steps"]) for row in rows}


EXCLUDED = r"""EXTENDS Naturals
VARIABLES x, y
Init == x \in 0..3 /\ y = 0
Next == (x' = x + 1 /\ y' = y) \/ (y' = y + 1 /\ x' = x)
C == x + y < 5
AC == ~(x = 2 /\ x' = 3)
P == [][x' > x => x # 2]_<<x, y>>
I1 == x # 3 \/ y # 2
I3 == x + y # 6
"""


@pytest.mark.parametrize("how", ["serial", "parallel", "auto"])
def test_what_is_settled_before_sorts_are_widened_says_what_is_excluded(how: str, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{EXCLUDED}====\n")
    config = "INIT Init\nNEXT Next\nCONSTRAINT C\nACTION_CONSTRAINT AC\nINVARIANT I1 I3\nPROPERTY P\n"
    (tmp_path / "M.cfg").write_text(config + "CHECK_DEADLOCK FALSE\n")
    asked = ("bmc", "--spec", str(tmp_path / "M.tla"), "--depth", "8", "--steps", how)
    code, found = _verdicts(*asked)
    assert code == 10
    assert found == {"I1": ("VIOLATED", 2), "I3": ("HOLDS", None), "P": ("VIOLATED", 1)}
    if how == "serial":  # the step that breaks P is the one that is excluded
        assert "ACTION_CONSTRAINT!excluded: FALSE → TRUE" in verify(*asked).output


FIELDS = r"""EXTENDS Naturals, TLC
VARIABLES x, m
Init == x = ("0" :> 0 @@ "p2_OF:" :> 1 @@ "_b" :> 2) /\ m = {}
Next == \/ x' = [x EXCEPT !["0"] = (@ + 1) % 4] /\ UNCHANGED m
        \/ m = {} /\ m' = {("a b" :> x["0"] @@ "class" :> 1), [k \in {"_z"} |-> 1]} /\ UNCHANGED x
Inv == x["0"] # 3
Two == \A r \in m : "a b" \in DOMAIN r => r["a b"] < 4 /\ r["class"] = x["p2_OF:"]
Three == \A r \in m : "a b" \in DOMAIN r => r["a b"] < 1
"""


@pytest.mark.parametrize(
    "command",
    ["explore", "explore --workers 2", "bmc --depth 5 --steps serial", "prove --no-explore"],
)
def test_records_may_have_any_fields(command: str, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{FIELDS}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv Two Three\n")
    code, found = _verdicts(*command.split(), "--spec", str(tmp_path / "M.tla"))
    assert code == 10
    assert (found["Inv"], found["Three"]) == (("VIOLATED", 3), ("VIOLATED", 2))
    assert found["Two"][0] in ("HOLDS", "PROVED")


LASTING = r"""EXTENDS Naturals, Sequences
VARIABLES x, q
vars == <<x, q>>
Init == x = 0 /\ q = <<>>
Next == x < 3 /\ x' = x + 1 /\ UNCHANGED q
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
P1 == <>(Head(q) = 1)
P2 == <>(x = 3)
P4 == <>(x = 9)
"""


@pytest.mark.thorough
def test_live_decides_the_properties_that_have_a_value(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{LASTING}====\n")
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY P1 P2 P4\n")
    asked = ("live", "--spec", str(tmp_path / "M.tla"))
    code, found = _verdicts(*asked)
    assert code == 10
    assert found == {"P1": ("INCONCLUSIVE", None), "P2": ("PROVED", None), "P4": ("VIOLATED", 3)}
    assert _verdicts(*asked, "--property", "P1", "--property", "P2")[0] == 12
    alone = verify(*asked, "--property", "P1")
    assert alone.exit_code == 2
    assert "Head of the empty sequence has no value" in alone.stderr


def test_what_tlc_takes_in_another_way_is_said(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nCONSTANTS N, K\nVARIABLE x\nInit == x = N + K\nNext == UNCHANGED x\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}Inv == x = 6\nTwo == TRUE\n====\n")
    config = "CONSTANTS N = 3 N = 4, K = 2\nINIT Init\nNEXT Next\nINVARIANT Inv, Two\n"
    (tmp_path / "M.cfg").write_text(config)
    done = verify("explore", "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == 0, done.output
    assert "N gets a value a second time: this one is taken, as by TLC" in done.output
    assert done.output.count("a comma between names: TLC refuses it") == 2


ASKED = r"""EXTENDS Naturals
CONSTANTS N, K
VARIABLE x
Init == x = N
Next == UNCHANGED x
Three == 3
F(a) == a
S == {}
Inv == x = 3
"""


@pytest.mark.parametrize("order", ["N <- Three N = 4", "N = 4 N <- Three"])
def test_an_operator_is_taken_before_a_value_in_any_order_as_by_tlc(order: str, tmp_path: Path) -> None:
    made = explore_module(tmp_path, ASKED, f"INIT Init NEXT Next INVARIANT Inv CONSTANTS K = 1 {order}")
    assert (made.result.violations, made.result.distinct) == ({}, 1)


SORTED = "a set of values of different kinds, which TLC refuses"
NEGATIVE = "TLC reads no negative number here, but N <- Op and Op == -1"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('{1, "a"}', SORTED),
        ('{{1}, "a"}', SORTED),
        ('{{1}, {"a"}}', SORTED),
        ("{a_1, b_1}", SORTED),
        ("{a_1, 2}", SORTED),
        ('{{1, 2}, {"a"}}', ""),
        ('{a, "a"}', ""),
        ("{a_1, a_2, b}", ""),
        ("{{1}, {a}, {}}", ""),
        ("-4", NEGATIVE),
        ("{-4}", NEGATIVE),
        ("4", ""),
    ],
)
def test_values_that_tlc_does_not_take_are_taken_with_a_warning(value: str, said: str) -> None:
    config = parse_config(f"CONSTANT K = {value}", "M.cfg")
    assert config.warnings == ([f"warning: M.cfg:1:{14 + value.startswith('{-')}: {said}"] if said else [])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("SYMMETRY S S", "M.cfg:1:12: SYMMETRY takes one name"),
        ("SYMMETRY S SYMMETRY S", "M.cfg:1:21: SYMMETRY takes one name"),
        ("CONSTANT K = {TRUE, 1}", "M.cfg:1:14: a set of values of different kinds, which TLC refuses: TRUE"),
        ("CONSTANT K = {{0}, {FALSE}}", "M.cfg:1:14: a set of values of different kinds, which TLC refuses"),
        ("CONSTANT F = 2 F(1) = 1", "M.cfg:1:16: F gets one value"),
    ],
)
def test_what_tlc_refuses_in_a_configuration_is_refused(said: str, words: str) -> None:
    with pytest.raises(TlaError, match=re.escape(words)):
        parse_config(said, "M.cfg")
