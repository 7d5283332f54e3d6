"""The meaning of @ below EXCEPT: in definitions of a LET and in LAMBDA it is that of their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, translate_body
from tests.support.tla_random import ran
from verifier.tla.frames import Undefined
from verifier.verdict import VerdictKind

ONE = r"""
EXTENDS Naturals, FiniteSetsExt
VARIABLES f, n
Init == f = [k \in 1..2 |-> k] /\ n = 0
Next == n < 2 /\ n' = n + 1 /\ f' = [f EXCEPT ![1] = VALUE]
Wrong == n = 1 => f[1] # EXPECTED
"""
VALUES = {
    "an operator": (r"LET D(y) == @ + y IN D(2)", 3),
    "a definition": (r"LET e == @ + 1 IN e + @", 3),
    "LAMBDA": (r"FoldSet(LAMBDA a, b : a + b + @, 0, {n + 3})", 4),
    "an operator that is passed on": (r"LET G(a, b) == a + b + @ IN FoldSet(G, 0, {n + 4})", 5),
    "a function": (r"LET R[k \in 0..2] == IF k = 0 THEN @ ELSE R[k - 1] + 1 IN R[2]", 3),
    "a recursive operator": (
        "LET RECURSIVE P(_)\n P(k) == IF k = 0 THEN @ ELSE P(k - 1) + @ IN P(n + 2)",
        3,
    ),
    "an operator within another EXCEPT": (r"LET D(y) == @ + y IN [f EXCEPT ![2] = D(@)][2] + @", 4),
}
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Wrong\nCHECK_DEADLOCK FALSE\n"


@pytest.mark.parametrize("kind", VALUES)
def test_at_is_that_of_the_text(kind: str, tmp_path: Path) -> None:
    """The last of them TLC reads otherwise: there it is the @ of whoever calls the operator."""
    value, expected = VALUES[kind]
    body = ONE.replace("VALUE", value).replace("EXPECTED", str(expected))
    found = explore_module(tmp_path, body, CONFIG).result
    assert len(found.violations["Wrong"].states) == 2
    (verdict,) = ran("bmc", translate_body(tmp_path, body, CONFIG), depth=2, steps="serial").outcome.verdicts
    assert (verdict.kind, verdict.depth) == (VerdictKind.VIOLATED, 1)


OF_ANOTHER_KIND = """
EXTENDS Naturals, Sequences
CONSTANT None
VARIABLE f
Init == f = VALUE
Next == f' = [f EXCEPT ![KEY] = 2]
"""


@pytest.mark.parametrize(
    ("value", "key", "fails"),
    [
        ("<<1>>", "None", True),
        ("<<1>>", '"a"', True),
        ("<<1>>", "2", False),
        ("<<>>", '"a"', False),
        ("[a |-> 1]", "0", True),
        ("[k \\in {0} |-> 1]", '"a"', True),
        ("[k \\in {None} |-> 1]", '"a"', False),
    ],
)
def test_a_key_of_another_kind_has_no_value(value: str, key: str, *, fails: bool, tmp_path: Path) -> None:
    body = OF_ANOTHER_KIND.replace("VALUE", value).replace("KEY", key)
    config = "CONSTANT None = None\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
    if fails:
        with pytest.raises(Undefined):
            explore_module(tmp_path, body, config)
    else:
        assert explore_module(tmp_path, body, config).result.distinct == 1


def test_what_a_test_says_must_be_a_truth_value(tmp_path: Path) -> None:
    body = "\nEXTENDS Naturals, Sequences, TLC\nVARIABLE f\nInit == f = <<2, 1>>\nNext == f' = MADE\n"
    for made in ("SelectSeq(f, LAMBDA k : k)", "SortSeq(f, LAMBDA k, l : k)"):
        with pytest.raises(Undefined, match="TRUE or FALSE is expected"):
            explore_module(tmp_path, body.replace("MADE", made), "INIT Init\nNEXT Next\n")
