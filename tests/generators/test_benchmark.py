"""The benchmark: what it compares with is what it says."""

from __future__ import annotations

from dataclasses import replace

from results.generators.benchmark import leave_nothing_out
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.specs.protocol import define
from verifier.specs.registry import load
from verifier.system.model import build
from verifier.verdict import VerdictKind


def test_nothing_is_assumed_where_the_table_says_so() -> None:
    model = build(define(load("kip320-first-try")()))
    asked = replace(Request(("StrongIsr",), 3, StepsChoice.SERIAL), symmetry=False)
    usual = check(model, asked)
    with leave_nothing_out():
        bare = check(model, asked)
    (assumed,), (nothing,) = (one.statistics["searches"].values() for one in (usual, bare))
    assert assumed["structural_invariants"] > 0
    assert nothing["structural_invariants"] == 0
    assert [one.kind for one in (*usual.verdicts, *bare.verdicts)] == [VerdictKind.HOLDS] * 2
