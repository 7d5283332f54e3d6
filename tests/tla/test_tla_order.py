"""TLC's order of functions and records: sizes, domains, values (``FcnRcdValue``, ``RecordValue``)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

CHOSEN = {
    "{[a |-> 2, b |-> 1], [a |-> 1, c |-> 1]}": "[a |-> 2, b |-> 1]",
    "{(1 :> 2 @@ 2 :> 1), (1 :> 1 @@ 3 :> 1)}": "<<2, 1>>",
    "{<<2, 1>>, (1 :> 1 @@ 3 :> 1)}": "<<2, 1>>",
    "{<<2, 1>>, (0 :> 1 @@ 1 :> 1)}": "(0 :> 1 @@ 1 :> 1)",
    "{(1 :> 2 @@ 2 :> 1), (0 :> 1 @@ 3 :> 1)}": "(0 :> 1 @@ 3 :> 1)",
    '{("a" :> 2 @@ "b" :> 1), ("a" :> 1 @@ "c" :> 1)}': "[a |-> 2, b |-> 1]",
    '{[a |-> 2, b |-> 1], ("a" :> 1 @@ "c" :> 1)}': "[a |-> 2, b |-> 1]",
    "{[i \\in {1, 2} |-> 3 - i], [i \\in {1, 3} |-> 1]}": "<<2, 1>>",
    "{[i \\in 1..2 |-> 3 - i], [i \\in 0..1 |-> 1]}": "(0 :> 1 @@ 1 :> 1)",
    "{[i \\in 2..3 |-> 1], <<5, 5>>}": "<<5, 5>>",
    '{[a |-> TRUE, b |-> 1], [a |-> "x", c |-> 1]}': "[a |-> TRUE, b |-> 1]",
    "{<<1, 2>>, <<3>>, (7 :> 0)}": "<<3>>",
}
"""The member that TLC 2026.04 prints of each set, where words come in alphabetical order."""


@pytest.mark.parametrize("reader", ["interpreter", "translation"])
def test_choose_takes_the_member_that_tlc_takes(tmp_path: Path, reader: str) -> None:
    claims = "\n".join(
        f"C{number} == (CHOOSE one \\in {members} : TRUE) = {chosen}"
        for number, (members, chosen) in enumerate(CHOSEN.items())
    )
    names = [f"C{number}" for number in range(len(CHOSEN))]
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Integers, Sequences, TLC\nVARIABLE v\n"
        f'Words == <<[a |-> 0, b |-> 0, c |-> 0], "x">>\n{claims}\nInit == v = 0\nNext == v\' = v\n====\n'
    )
    (tmp_path / "M.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANTS {' '.join(names)}\n")
    done = verify("explore", str(tmp_path / "M.tla"), "--by", reader, "--format", "json")
    assert {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]} == dict.fromkeys(
        [*names, "NoDeadlock"], "HOLDS"
    )
