r"""Lemmas about majorities: each majority has an element that voted for the leader."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.runs.asking import execute
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

LEADER = r"""---- MODULE Leader ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Nil
VARIABLES leads, voted
TypeOK == leads \in [Node -> BOOLEAN] /\ voted \in [Node -> Node \cup {Nil}]
Quorums == {Q \in SUBSET Node : Cardinality(Q) * 2 > Cardinality(Node)}
Init == leads = [n \in Node |-> FALSE] /\ voted = [n \in Node |-> Nil]
Vote(i, j) == voted[i] = Nil /\ voted' = [voted EXCEPT ![i] = j] /\ leads' = leads
Lead(i, Q) == (\A n \in Q : voted[n] = i) /\ leads' = [leads EXCEPT ![i] = TRUE] /\ voted' = voted
Next == \/ \E i, j \in Node : Vote(i, j)
        \/ \E i \in Node, Q \in Quorums : Lead(i, Q)
One == \A i, j \in Node : leads[i] /\ leads[j] => i = j
Backed == \A i, j \in Node : \A Q \in Quorums : \E n \in Q : voted[n] = i \/ ~leads[i]
====
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT One\nCHECK_DEADLOCK FALSE\nCONSTANTS Node = {a, b, c}\nNil = Nil\n"


def _prove(folder: Path, text: str) -> str:
    (folder / "Leader.tla").write_text(text)
    (folder / "Leader.cfg").write_text(CONFIG)
    loaded = load(str(folder / "Leader.tla"), {}, reading=ReadingOptions(None, (), ("Backed",)))
    run = execute("prove", loaded, ProveOptions(all_constants=True))
    return run.outcome.verdicts[0].kind.name


@pytest.mark.slow
def test_two_majorities_share_a_vote(tmp_path: Path) -> None:
    assert _prove(tmp_path, LEADER) == "PROVED"


@pytest.mark.slow
def test_two_halves_need_not_share_a_vote(tmp_path: Path) -> None:
    assert _prove(tmp_path, LEADER.replace("* 2 >", "* 2 >=")) == "VIOLATED"
