"""Operators of the standard modules on values of other kinds, each as in TLC.

Every operator was compared with TLC on all pairs of 41 values; these are the ones that differed.
Source: ``Sequences.java``, ``Bitwise.java`` and ``IOUtils.java`` of tlaplus/tlaplus.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

MODULES = "Integers, Sequences, SequencesExt, Bitwise, IOUtils, TLC"
HOLD = (
    'SubSeq("abc", 1, zero - 1) = ""',
    'SubSeq("abc", 0, zero - 2) = ""',
    'SubSeq("abc", 2, zero + 3) = "bc"',
    'RemoveAt("ab", zero) = "ab"',
    "shiftR(zero + 12, 2) = 3",
    'atoi("-12") = -12',
    'zeroPadN(zero - 5, 4) = "-005"',
)
NO_VALUE = (
    'SubSeq("abc", zero, 2) = "ab"',
    'SubSeq("abc", 2, zero + 4) = "bc"',
    'RemoveAt("ab", zero - 1) = "b"',
    "shiftR(zero - 1, 2) = -1",
    "atoi(zero) = 0",
    'atoi("1_000") = 1000',
    'atoi(" 7") = 7',
    'atoi("2147483648") # 0',
    'zeroPadN("a", zero + 2) = "0a"',
    'zeroPadN(1, {zero}) = "1"',
    'zeroPadN(1, zero) = "1"',
)


def _module(folder: Path, claim: str) -> str:
    (folder / "M.tla").write_text(
        f"---- MODULE M ----\nEXTENDS {MODULES}\nVARIABLE zero\n"
        f"Init == zero = 0\nNext == zero' = zero\nClaim == {claim}\n====\n"
    )
    (folder / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Claim\n")
    return str(folder / "M.tla")


@pytest.mark.parametrize("claim", HOLD)
def test_a_claim_that_holds_in_tlc_holds(tmp_path: Path, claim: str) -> None:
    done = verify("explore", _module(tmp_path, claim), "--format", "json")
    assert {one["verdict"] for one in json.loads(done.stdout)["results"]} == {"HOLDS"}


@pytest.mark.parametrize("claim", NO_VALUE)
def test_a_claim_without_a_value_in_tlc_is_refused(tmp_path: Path, claim: str) -> None:
    done = verify("explore", _module(tmp_path, claim))
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr


def test_the_translation_refuses_the_shift_that_the_interpreter_refuses(tmp_path: Path) -> None:
    done = verify("explore", _module(tmp_path, "shiftR(zero - 1, 2) = -1"), "--by", "translation")
    assert done.exit_code == 2
    assert "shiftR takes a number that is not negative" in done.stderr


def test_the_relations_of_a_graph_need_no_other_folder(tmp_path: Path) -> None:
    graph = "[node |-> 1..3, edge |-> {<<1, zero + 2>>, <<2, 3>>}]"
    claim = f"AreConnectedIn(1, 3, {graph}) /\\ IsTransitiveUnder(<, 0..3) /\\ ~IsReflexiveUnder(<, 0..3)"
    module = Path(_module(tmp_path, claim))
    module.write_text(module.read_text().replace(MODULES, "Integers, Graphs, Relation"))
    done = verify("explore", str(module), "--format", "json")
    assert {one["verdict"] for one in json.loads(done.stdout)["results"]} == {"HOLDS"}
