"""The SMT-LIB dump: other readers load it and come to the verdict that the search comes to."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import pytest
import z3
from pysmt.shortcuts import is_sat
from pysmt.smtlib.parser import SmtLibParser

from tests.engines.test_bmc import KNOWN
from tests.support.models import build
from tests.support.toys import Chain, LockServer
from verifier.clauses import smt2
from verifier.verdict import VerdictKind


def _ids(case: Any) -> str:
    return f"{case[0].spec_name()}-{case[1]}-{case[2]}"


@pytest.mark.parametrize("case", KNOWN, ids=_ids)
def test_z3_finds_the_known_verdict_in_the_file(case: Any) -> None:
    protocol, name, depth, kind, _ = case
    solver = z3.Solver()
    solver.from_string(smt2.dump(build(protocol), (name,), depth))
    assert (solver.check() == z3.sat) == (kind is VerdictKind.VIOLATED)


@pytest.mark.parametrize("case", KNOWN, ids=_ids)
def test_pysmt_reads_the_file_to_the_same_verdict(case: Any) -> None:
    protocol, name, depth, kind, _ = case
    text = smt2.dump(build(protocol), (name,), depth)
    formula = SmtLibParser().get_script(io.StringIO(text)).get_last_formula()
    assert is_sat(formula, solver_name="z3") == (kind is VerdictKind.VIOLATED)


@pytest.mark.parametrize(("depth", "found"), [(0, False), (1, False), (2, True)])
def test_any_of_several_properties_counts(depth: int, found: bool) -> None:
    solver = z3.Solver()
    solver.from_string(smt2.dump(build(Chain()), ("StartsLow", "NeverTop"), depth))
    assert (solver.check() == z3.sat) == found


def test_names_are_those_of_the_protocol() -> None:
    text = smt2.dump(build(LockServer()), ("NotAllAsk",), 2)
    for name in ("|asked[c1]@0|", "|holder#0@2|", "|take Grant(c2)@1|", "|holds NotAllAsk@2|"):
        assert name in text
    assert "|take Grant(c2)@2|" not in text


WRITES_DIGEST = """
import hashlib
from verifier.clauses import smt2
from tests.support.models import build
from verifier.specs.bookkeeper.bookkeeper import BookKeeper
model = build(BookKeeper({"write_quorum": 2}))
text = smt2.define(model, {"TypeOK": model.system.property_named("TypeOK").formula})
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.thorough
def test_every_process_writes_the_same_text() -> None:
    """Whatever order it keeps sets in: a certificate is compared with what another process writes."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", WRITES_DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "3", "6")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64
