"""Proofs of several claims of a module for all constants, their certificates, and claims that have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.trust.certificate_file import digest_of
from verifier.verdict import LEFT_TO_LIVE

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = """---- MODULE Work ----
CONSTANT Node
VARIABLES taken, done, seen
Init == taken = {} /\\ done = {} /\\ seen = {}
Take(n) == taken' = taken \\cup {n} /\\ UNCHANGED <<done, seen>>
Finish(n) == n \\in taken /\\ done' = done \\cup {n} /\\ UNCHANGED <<taken, seen>>
See(n) == n \\in done /\\ seen' = seen \\cup {n} /\\ UNCHANGED <<taken, done>>
Next == \\E n \\in Node : Take(n) \\/ Finish(n) \\/ See(n)
Spec == Init /\\ [][Next]_<<taken, done, seen>>
TypeOK == taken \\in SUBSET Node /\\ done \\in SUBSET Node /\\ seen \\in SUBSET Node
DoneIsTaken == \\A n \\in done : n \\in taken
SeenIsDone == \\A n \\in seen : n \\in done
SeenIsTaken == \\A n \\in seen : n \\in taken
Stays == [][\\A n \\in done : n \\in done']_<<taken, done, seen>>
AllDone == <>(done = Node)
====
"""
CONFIG = """SPECIFICATION Spec
CONSTANT Node = {a, b}
INVARIANTS TypeOK SeenIsTaken
PROPERTIES Stays AllDone
CHECK_DEADLOCK FALSE
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """The module and its configuration, in files."""
    (tmp_path / "Work.tla").write_text(MODULE)
    (tmp_path / "Work.cfg").write_text(CONFIG)
    return str(tmp_path / "Work.tla")


def prove(spec: str, *properties: str, lemmas: tuple[str, ...] = ()) -> Run:
    """Return the run of a proof for all constants."""
    loaded = load(spec, {}, reading=ReadingOptions(None, (), lemmas))
    return execute("prove", loaded, ProveOptions(properties=properties, all_constants=True))


def kinds_of(run: Run) -> dict[str, str]:
    """Return the kind of each verdict."""
    return {one.property_name: one.kind.name for one in run.outcome.verdicts}


@pytest.mark.parametrize(
    ("properties", "lemmas"),
    [
        (("TypeOK", "SeenIsTaken"), ("SeenIsDone", "DoneIsTaken")),
        pytest.param(("SeenIsTaken", "TypeOK"), ("SeenIsDone", "DoneIsTaken"), marks=pytest.mark.slow),
        pytest.param(("DoneIsTaken",), ("SeenIsDone", "SeenIsTaken"), marks=pytest.mark.slow),
        pytest.param(("SeenIsTaken", "DoneIsTaken"), ("DoneIsTaken", "SeenIsDone"), marks=pytest.mark.slow),
    ],
    ids=["two properties", "in another order", "lemmas without use", "a property that is a lemma"],
)
def test_certificates_of_runs_with_several_claims_are_accepted(
    spec: str, tmp_path: Path, properties: tuple[str, ...], lemmas: tuple[str, ...]
) -> None:
    run = prove(spec, *properties, lemmas=lemmas)
    assert kinds_of(run) == dict.fromkeys(properties, "PROVED")
    for name in properties:
        path = tmp_path / f"{name}.json"
        path.write_text(run.certificate_texts[name])
        assert certify(read_claim(path, spec, None, Limits())).verdict.reason is None


def test_a_lemma_is_one_although_it_is_a_property(spec: str) -> None:
    """Without a lemma SeenIsTaken is open: it is not inductive."""
    assert kinds_of(prove(spec, "SeenIsTaken"))["SeenIsTaken"] == "INCONCLUSIVE"
    lemmas = ("SeenIsDone", "DoneIsTaken")
    assert kinds_of(prove(spec, "SeenIsTaken", *lemmas, lemmas=lemmas))["SeenIsTaken"] == "PROVED"


def test_a_certificate_with_other_claims_is_refused(spec: str, tmp_path: Path) -> None:
    run = prove(spec, "DoneIsTaken", "TypeOK")
    content = json.loads(run.certificate_texts["DoneIsTaken"])
    assert content["read_with"]["properties"] == ["DoneIsTaken", "TypeOK"]
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**content, "read_with": {"properties": ["DoneIsTaken"], "lemmas": []}}))
    with pytest.raises(UsageError, match="was changed since it was written"):
        read_claim(path, spec, None, Limits())


def test_claims_without_a_proof_are_open(spec: str) -> None:
    run = prove(spec, lemmas=("SeenIsDone", "DoneIsTaken"))
    assert kinds_of(run) == {
        "TypeOK": "PROVED",
        "SeenIsTaken": "PROVED",
        "Stays": "INCONCLUSIVE",
        "AllDone": "INCONCLUSIVE",
    }
    assert {one.property_name: one.reason for one in run.outcome.verdicts}["AllDone"] == LEFT_TO_LIVE
    assert run.exit_code == 12
    assert kinds_of(prove(spec, "TypeOK", "Stays")) == {"TypeOK": "PROVED", "Stays": "INCONCLUSIVE"}
    with pytest.raises(UsageError, match="proves invariants of a TLA\\+ module, and Stays is not one"):
        prove(spec, "Stays")


def test_the_hash_is_that_of_the_module(spec: str) -> None:
    own = load(spec, {}).definition.spec_hash
    for names in (("TypeOK",), ("TypeOK", "DoneIsTaken")):
        assert as_object(prove(spec, *names))["spec_hash"] == own


def test_a_certificate_of_no_claim_is_refused(spec: str, tmp_path: Path) -> None:
    content = json.loads(prove(spec, "TypeOK").certificate_texts["TypeOK"])
    content["read_with"] = {"properties": [], "lemmas": []}
    content["digest"] = digest_of(content)
    (tmp_path / "c.json").write_text(json.dumps(content))
    with pytest.raises(UsageError, match="no property of the module is named"):
        read_claim(tmp_path / "c.json", spec, None, Limits())


def test_a_violation_beside_a_proof_leaves_the_figures_of_the_whole_comparison(spec: str) -> None:
    """The states of the counterexample are compared once more. The proof rests on the other comparison."""
    Path(spec).write_text(MODULE.replace("AllDone ==", "NoneTaken == taken = {}\nAllDone =="))
    beside = prove(spec, "DoneIsTaken", "NoneTaken")
    assert [one.kind.name for one in beside.outcome.verdicts] == ["PROVED", "VIOLATED"]
    alone = prove(spec, "DoneIsTaken")
    figures = [run.outcome.statistics["validation"] for run in (beside, alone)]
    assert figures[0]["sizes"] == figures[1]["sizes"]
    assert min(one["states"] for one in figures) > 10
