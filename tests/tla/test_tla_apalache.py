"""Modules that extend Apalache's own modules: its operators mean what they say without types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, translate_body, value, write_module
from tests.support.tla_random import ran
from verifier.errors import UsageError
from verifier.verdict import VerdictKind

EXTENDS = "Integers, Sequences, Apalache, Variants"
BUFFER = """
EXTENDS Integers, Sequences, Apalache, Variants
VARIABLES buffer, last
Init == buffer := <<>> /\\ last := Variant("None", UNIT)
Put(i) == Len(buffer) < 2 /\\ buffer' := Append(buffer, i) /\\ last' := Variant("Some", i)
Take == Len(buffer) > 0 /\\ buffer' := Tail(buffer) /\\ UNCHANGED last
Next == Skolem(\\E i \\in 1..2 : Put(i)) \\/ Take
Sum == ApaFoldSeqLeft(LAMBDA a, b : a + b, 0, buffer)
Small == Sum < 4
Held == VariantTag(last) = "Some" => VariantGetOrElse("Some", last, 0) \\in 1..2
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Small Held\nCHECK_DEADLOCK FALSE"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MkSeq(3, LAMBDA i : i * i)", "<<1, 4, 9>>"),
        ("FunAsSeq([i \\in 1..3 |-> i + 1], 2, 3)", "<<2, 3>>"),
        ("SetAsFun({<<1, 2>>, <<2, 4>>})", "<<2, 4>>"),
        ("ApaFoldSet(LAMBDA made, x : 10 * made + x, 1, {7})", "17"),
        ("ApaFoldSeqLeft(LAMBDA made, x : 10 * made + x, 0, <<1, 2, 3>>)", "123"),
        ("Repeat(LAMBDA made, i : 10 * made + i, 3, 0)", "123"),
        ("ConstCardinality(Expand({1})) = {1}", "TRUE"),
        ('VariantFilter("A", {Variant("A", 1), Variant("B", 2)})', "{1}"),
        ('VariantGetUnsafe("A", Variant("A", 1))', "1"),
    ],
)
def test_operators(tmp_path: Path, expression: str, expected: str) -> None:
    assert value(tmp_path, expression, EXTENDS) == expected


@pytest.mark.parametrize("name", ["Gen(1)", "Guess({1})"])
def test_what_is_any_value_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=rf"unknown operator {name.partition('(')[0]}"):
        value(tmp_path, name, EXTENDS)


def test_an_assignment_is_an_equality(tmp_path: Path) -> None:
    """Seven buffers, of which all but the empty one follow a Put; the last one put is known besides."""
    plain = BUFFER.replace(":=", "=")
    found, expected = (explore_module(tmp_path, body, CONFIG).result for body in (BUFFER, plain))
    assert (found.distinct, found.generated) == (expected.distinct, expected.generated)
    assert found.distinct > 7


def test_it_is_searched_symbolically(tmp_path: Path) -> None:
    found = ran("bmc", translate_body(tmp_path, BUFFER, CONFIG), depth=4)
    verdicts = {one.property_name: one for one in found.outcome.verdicts}
    assert (verdicts["Small"].kind, verdicts["Small"].steps) == (VerdictKind.VIOLATED, 2)
    assert verdicts["Held"].kind is VerdictKind.HOLDS


def test_actions_within_annotations_have_their_own_names(tmp_path: Path) -> None:
    body = """EXTENDS Naturals, Apalache
VARIABLE x
Add(n) == x < 3 /\\ x' = x + n
Dec == x > 0 /\\ x' = x - 1
A == INSTANCE Apalache
Next == Skolem(\\E n \\in 1..2 : Add(n)) \\/ A!Expand(Dec)
Init == x := 0
Low == x < 4
"""
    module = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    taken = verify("explore", str(module)).stdout
    shown = verify("show", str(module)).stdout
    assert ("Skolem" in taken, "Expand" in taken, "Skolem" in shown) == (False, False, False)
    assert re.search(r"Add +6\nDec +4\n", taken)
    assert "Add(n)" in shown
    trace = verify("bmc", str(module), "--property", "Low", "--depth", "4").stdout
    assert "Add(n=2)" in trace
