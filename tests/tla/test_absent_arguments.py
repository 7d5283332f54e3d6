"""Arguments of functions that may be absent, such as ``owner[work[w]]`` where work[w] may be None.

Conditions before the read protect it, as they do in TLA+. A read without such a condition must not be proved.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Work ----
EXTENDS Naturals, FiniteSets
CONSTANTS Jobs, Workers, None
VARIABLES owner, work
TypeOK == owner \in [Jobs -> Workers \cup {None}] /\ work \in [Workers -> Jobs \cup {None}]
Init == owner = [j \in Jobs |-> None] /\ work = [w \in Workers |-> None]
Take(w, j) ==
    /\ work[w] = None /\ owner[j] = None
    /\ owner' = [owner EXCEPT ![j] = w] /\ work' = [work EXCEPT ![w] = j]
Finish(w) ==
    LET j == work[w] IN
    /\ {guard}
    /\ owner[j] = w
    /\ owner' = [owner EXCEPT ![j] = None]
    /\ work' = [work EXCEPT ![w] = None]
GiveUp(w) ==
    /\ work[w] # None
    /\ owner[work[w]] # w
    /\ work' = [work EXCEPT ![w] = None] /\ UNCHANGED owner
Next == \E w \in Workers : (\E j \in Jobs : Take(w, j)) \/ Finish(w) \/ GiveUp(w)
Spec == Init /\ [][Next]_<<owner, work>>
OwnerKnows == \A j \in Jobs : {premise} => work[owner[j]] = j
WorkerOwns == \A w \in Workers : IF work[w] = None THEN TRUE ELSE owner[work[w]] = w
Either == \A j \in Jobs, w \in Workers :
    (j = work[w]) = (work[w] = j) /\ (owner[j] = None \/ work[owner[j]] = j)
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANTS Jobs = {j1, j2} Workers = {w1, w2} None = None
CHECK_DEADLOCK FALSE
"""


def _prove(
    folder: Path,
    *properties: str,
    guard: str = "j # None",
    premise: str = "owner[j] # None",
    text: str = MODULE,
) -> Run:
    text = text.replace("{guard}", guard).replace("{premise}", premise)
    (folder / "Work.tla").write_text(text)
    (folder / "Work.cfg").write_text(CONFIG)
    loaded = load(str(folder / "Work.tla"), {})
    return execute("prove", loaded, ProveOptions(properties=properties, all_constants=True))


def _kinds(run: Run) -> dict[str, str]:
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


@pytest.mark.slow
def test_guards_and_premises_protect_reads(tmp_path: Path) -> None:
    run = _prove(tmp_path, "OwnerKnows", "WorkerOwns", "Either")
    assert _kinds(run)["OwnerKnows"] == "PROVED"
    assert _kinds(run)["Either"] == "PROVED"
    assert run.outcome.statistics["validation"]["steps"] > 100
    path = tmp_path / "proof.json"
    path.write_text(run.certificate_texts["OwnerKnows"])
    checked = certify(read_claim(path, str(tmp_path / "Work.tla"), None, Limits()))
    assert checked.verdict.kind.name == "PROVED"


@pytest.mark.parametrize(
    ("guard", "premise"),
    [
        ("TRUE", "owner[j] # None"),
        ("owner[j] = w /\\ j # None", "owner[j] # None"),
        ("j # None", "TRUE"),
        ("j # None", "owner[j] = None"),
    ],
    ids=["no guard", "a guard after the read", "no premise", "the opposite premise"],
)
def test_a_read_without_protection_is_an_error_of_the_module(
    tmp_path: Path, guard: str, premise: str
) -> None:
    with pytest.raises(UsageError, match="None"):
        _prove(tmp_path, "OwnerKnows", guard=guard, premise=premise)


def test_another_use_of_an_absent_value_is_refused_with_advice(tmp_path: Path) -> None:
    """A value that is assigned is no argument: the element has to be named."""
    text = MODULE.replace("VARIABLES owner, work", "VARIABLES owner, work, last")
    text = text.replace("<<owner,", "<<last, owner,")
    text = text.replace("TypeOK ==", "TypeOK == last \\in Jobs /\\")
    text = text.replace("Init ==", "Init == last \\in Jobs /\\")
    text = text.replace("    /\\ {guard}", "    /\\ {guard} /\\ last' = j")
    with pytest.raises(UsageError, match=re.escape("name the element before, as in \\E x \\in Jobs : x = ")):
        _prove(tmp_path, "OwnerKnows", text=text)


@pytest.mark.usefixtures("no_small_constants")
@pytest.mark.parametrize(
    ("guard", "premise"),
    [
        ("(j # None \\/ Cardinality(Workers) > 7)", "owner[j] # None"),
        ("j # None", "(owner[j] # None \\/ Cardinality(Workers) > 7)"),
    ],
    ids=["a guard", "a premise"],
)
def test_a_read_without_protection_at_large_constants_is_not_proved(
    tmp_path: Path, guard: str, premise: str
) -> None:
    """The comparison with the interpreter does not reach these constants, but the proof speaks of them."""
    run = _prove(tmp_path, "OwnerKnows", guard=guard, premise=premise)
    assert _kinds(run) == {"OwnerKnows": "INCONCLUSIVE"}
    assert not run.certificate_texts
