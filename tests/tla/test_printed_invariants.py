"""The invariants that ``verify prove`` prints are those that were proved."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.command_line import verify

MODULE = r"""---- MODULE Queue ----
EXTENDS Naturals
CONSTANTS Jobs, Workers, None
VARIABLES status, owner, work, effects
vars == <<status, owner, work, effects>>
Init ==
    /\ status = [j \in Jobs |-> "queued"]
    /\ owner = [j \in Jobs |-> None]
    /\ work = [w \in Workers |-> None]
    /\ effects = [j \in Jobs |-> 0]
Take(w, j) ==
    /\ work[w] = None /\ status[j] = "queued"
    /\ status' = [status EXCEPT ![j] = "taken"] /\ owner' = [owner EXCEPT ![j] = w]
    /\ work' = [work EXCEPT ![w] = j] /\ UNCHANGED effects
Timeout(j) ==
    /\ status[j] = "taken"
    /\ status' = [status EXCEPT ![j] = "queued"] /\ owner' = [owner EXCEPT ![j] = None]
    /\ UNCHANGED <<work, effects>>
Finish(w, j) ==
    /\ work[w] = j /\ owner[j] = w
    /\ effects' = [effects EXCEPT ![j] = @ + 1] /\ status' = [status EXCEPT ![j] = "done"]
    /\ owner' = [owner EXCEPT ![j] = None] /\ work' = [work EXCEPT ![w] = None]
GiveUp(w, j) ==
    /\ work[w] = j /\ owner[j] # w
    /\ work' = [work EXCEPT ![w] = None] /\ UNCHANGED <<status, owner, effects>>
Next == \E w \in Workers, j \in Jobs : Take(w, j) \/ Timeout(j) \/ Finish(w, j) \/ GiveUp(w, j)
Spec == Init /\ [][Next]_vars
AtMostOnce == \A j \in Jobs : effects[j] <= 1
OwnerKnows == \A j \in Jobs, w \in Workers : owner[j] = w => work[w] = j
OwnerWorks == \A j \in Jobs : owner[j] # None => \E w \in Workers : work[w] = j
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANTS Jobs = {j1, j2} Workers = {w1, w2} None = None
INVARIANTS AtMostOnce OwnerKnows OwnerWorks
CHECK_DEADLOCK FALSE
"""


def _list_printed(shown: str, name: str) -> set[str]:
    """Return the properties that the text has in the invariant of a property."""
    alone = f"{name} is (?:proved by induction|inductive)"
    own = rf"{name}(?:,| and) .*inductive together(?!;)"
    pattern = rf"^{alone}|^{own}|impl(?:y|ies) {name}(?: \(|:)"
    blocks = [" ".join(block.split()) for block in shown.split("\n\n")]
    (block,) = (block for block in blocks if re.search(pattern, block))
    if re.match(alone, block):
        given = f"{block} ".partition("together with: ")[2].partition(". ")[0]
        return {one.partition(" (")[0] for one in given.split(", ") if one} | {name}
    given = block.partition(" are inductive together")[0] if "inductive together" in block else ""
    named = {one.partition(" (")[0] for one in re.split(", | and ", given) if one}
    return {one for one in named if "clause" not in one}


def test_an_invariant_has_the_properties_of_its_certificate_and_each_clause_once(tmp_path: Path) -> None:
    (tmp_path / "Queue.tla").write_text(MODULE)
    (tmp_path / "Queue.cfg").write_text(CONFIG)
    spec = str(tmp_path / "Queue.tla")
    asked = ("prove", spec, "--no-explore", "--engine", "ic3")
    proofs = json.loads(verify(*asked, "--format", "json").stdout)["proofs"]
    assert {one["property"] for one in proofs} == {"AtMostOnce", "OwnerKnows", "OwnerWorks"}
    shown = verify(*asked).stdout
    for proof in proofs:
        assert _list_printed(shown, proof["property"]) == {*proof["lemmas"]}
    own = [one["property"] for one in proofs if one["property"] in one["lemmas"]]
    assert own  # the property itself is part of an invariant
    lists = {tuple(one["invariant"]) for one in proofs if one["invariant"]}
    assert 0 < len(lists) < sum(bool(one["invariant"]) for one in proofs)
    for line in {line for lines in lists for line in lines}:
        assert shown.count(f"  {line}\n") == sum(line in lines for lines in lists)
