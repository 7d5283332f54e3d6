r"""Sets in variables of which something is said for all majorities, in proofs for all constants.

Each claim is proved, or an execution violates it: no false claim is proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.parametric.deciding import decide
from verifier.parametric.proving import Proofs
from verifier.parametric.results import Shown
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.modules.source import TlaSource
from verifier.runs.prove_options import ProveOptions
from verifier.runs.reading_for_all import reading_of

MEMBERS = r"""---- MODULE Members ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node
VARIABLES config
TypeOK == config \in [Node -> SUBSET Node]
Quorums(S) == {Q \in SUBSET S : Cardinality(Q) * 2 > Cardinality(S)}
Overlap(x, y) == \A p \in Quorums(x), q \in Quorums(y) : p \cap q # {}
Init == \E c \in SUBSET Node : config = [n \in Node |-> c]
Send(i, j) == config' = [config EXCEPT ![j] = config[i]]
Change(i, c) == (\A j \in Node : Overlap(config[j], c)) /\ config' = [config EXCEPT ![i] = c]
Next == \/ \E i, j \in Node : Send(i, j)
        \/ \E i \in Node, c \in SUBSET Node : Change(i, c)
Meet == \A i, j \in Node : Overlap(config[i], config[j])
Some == \A i \in Node : \A Q \in Quorums(config[i]) : Q # {}
Same == \A i, j \in Node : config[i] = config[j]
Whole == \A i \in Node : Meet /\ config[i] \in Quorums(config[i])
Equal == \A i, j \in Node : Meet /\ Cardinality(config[i]) = Cardinality(config[j])
Shared == \A i, j \in Node : Meet /\ \A p \in Quorums(config[i]) : \E n \in p : n \notin config[j]
====
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT {}\nCHECK_DEADLOCK FALSE\nCONSTANTS Node = {{a, b, c}}\n"
ALL_OVERLAP = r"(\A j \in Node : Overlap(config[j], c))"


def _prove(folder: Path, claim: str, old: str = "", new: str = "") -> Run:
    assert old in MEMBERS
    (folder / "Members.tla").write_text(MEMBERS.replace(old, new, 1) if old else MEMBERS)
    (folder / "Members.cfg").write_text(CONFIG.format(claim))
    lemmas = () if claim == "Meet" else ("Meet",)
    loaded = load(str(folder / "Members.tla"), {}, reading=ReadingOptions(None, (), lemmas))
    return execute("prove", loaded, ProveOptions(all_constants=True))


def _kind(run: Run) -> str:
    return run.outcome.verdicts[0].kind.name


def test_a_step_is_shown_with_the_first_effort(tmp_path: Path) -> None:
    (tmp_path / "Members.tla").write_text(MEMBERS)
    (tmp_path / "Members.cfg").write_text(CONFIG.format("Meet"))
    loaded = load(str(tmp_path / "Members.tla"), {})
    assert isinstance(loaded.source, TlaSource)
    protocol = loaded.source.as_protocol(loaded, ("Meet",), ())
    listed = Proofs.of(reading_of(protocol)).list_obligations("Meet", kept=True)
    for obligation in listed.claims["Meet"]:
        assert isinstance(decide(listed.obligations, obligation, ()), Shown), obligation.name


@pytest.mark.slow
def test_majorities_of_sets_in_a_state_meet(tmp_path: Path) -> None:
    run = _prove(tmp_path, "Meet")
    assert _kind(run) == "PROVED"
    path = tmp_path / "proof.json"
    path.write_text(run.certificate_texts["Meet"])
    checked = certify(read_claim(path, str(tmp_path / "Members.tla"), None, Limits()))
    assert checked.verdict.kind.name == "PROVED"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [(ALL_OVERLAP, "TRUE"), (ALL_OVERLAP, "Overlap(config[i], c)"), ("* 2 >", "* 2 >=")],
    ids=["no guard", "only one overlaps", "halves"],
)
def test_a_weaker_module_is_violated(tmp_path: Path, old: str, new: str) -> None:
    assert _kind(_prove(tmp_path, "Meet", old, new)) == "VIOLATED"


@pytest.mark.slow
def test_a_majority_is_not_empty(tmp_path: Path) -> None:
    assert _kind(_prove(tmp_path, "Some")) == "PROVED"


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["Same", "Whole", "Equal", "Shared"])
def test_false_claims_are_violated(tmp_path: Path, claim: str) -> None:
    assert _kind(_prove(tmp_path, claim)) == "VIOLATED"
