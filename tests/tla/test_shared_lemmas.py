"""Lemmas that are suggested for several properties of a run, and the certificate about their module."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.tla.test_claims_for_all_constants import CONFIG, MODULE
from verifier.runs.suggested_proofs import SharedLemmas, share_lemmas
from verifier.runs.suggesting import Pair

SECOND = "SeenIsTaken == \\A n \\in seen : n \\in taken\nSeenIsNeverFree == seen \\cap (Node \\ taken) = {}"

PROPERTIES = ["SeenIsTaken", "SeenIsNeverFree", "DoneIsTaken"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "properties", list(permutations(["SeenIsTaken", "SeenIsNeverFree", "DoneIsTaken"]))[::5]
)
def test_one_module_and_one_certificate_for_several_properties(
    tmp_path: Path, properties: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The procedure of docs/all-constants.md. One property needs no lemma, and has a certificate about the
    module of the lemmas all the same. The user's own operator suggested_1 keeps its name."""
    monkeypatch.chdir(tmp_path)
    text = MODULE.replace("SeenIsTaken == \\A n \\in seen : n \\in taken", f"{SECOND}\nsuggested_1 == TRUE")
    assert SECOND in text
    Path("Work.tla").write_text(text)
    Path("Work.cfg").write_text(CONFIG)
    asked = [word for name in properties for word in ("--property", name)]
    options = ("--all-constants", "--suggest", "--certificate", "proof.json")
    proved = verify("prove", "Work.tla", *asked, *options)
    assert proved.exit_code == 0, proved.output
    shown = proved.stdout
    assert shown.count("---- MODULE Work_lemmas ----") == 1
    module = shown[shown.index("---- MODULE Work_lemmas") : shown.index("\n====\n") + 6]
    assert "\nsuggested_1 ==" not in module
    Path("Work_lemmas.tla").write_text(module)
    (line,) = (one for one in shown.splitlines() if "verify certify" in one)
    checked = verify("certify", *line.partition("verify certify ")[2].split())
    assert checked.exit_code == 0, checked.output
    assert f"The file covers {', '.join(properties)}." in checked.output


ONCE = r"""---- MODULE Once ----
EXTENDS Naturals
CONSTANT Node
VARIABLES count, owner, phase
TypeOK == count \in 0..1 /\ owner \in SUBSET Node /\ phase \in {"new", "done"}
Init == count = 0 /\ owner = {} /\ phase = "new"
Take(n) == phase = "new" /\ owner' = owner \cup {n} /\ UNCHANGED <<count, phase>>
Finish(n) == n \in owner /\ owner' = {} /\ count' = count + 1 /\ phase' = "done"
Next == \E n \in Node : Take(n) \/ Finish(n)
Spec == Init /\ [][Next]_<<count, owner, phase>>
DoneIsFree == phase = "done" => owner = {}
====
"""


@pytest.mark.slow
def test_a_lemma_that_only_the_type_invariant_needs_is_found(tmp_path: Path) -> None:
    """DoneIsFree is inductive by itself, but count stays in 0..1 only by a lemma. Proofs that were tried with
    lemmas did not claim that values stay in their sorts: they needed no lemma, so that none was suggested."""
    (tmp_path / "Once.tla").write_text(ONCE)
    (tmp_path / "Once.cfg").write_text("SPECIFICATION Spec\nCONSTANT Node = {a, b}\nINVARIANT DoneIsFree\n")
    asked = ("prove", str(tmp_path / "Once.tla"), "--property", "DoneIsFree", "--all-constants")
    assert verify(*asked).exit_code == 12
    found = verify(*asked, "--suggest")
    assert found.exit_code == 0, found.output
    assert "count" in found.stdout.partition("EXTENDS Once")[2].partition("====")[0]


FOUND = {"p": ["a", "b"], "q": ["c"], "r": [], "s": ["b"]}
"""The lemmas that a search finds for each property alone."""
HELPS = {"p": ["b"], "q": ["b", "c"], "r": ["c"], "s": ["b"]}
"""The lemmas each of which suffices to prove the property. That for r is only found in the search for q.
Where b is known, q needs no search."""


@pytest.mark.parametrize("order", list(permutations(FOUND)))
def test_the_order_of_properties_decides_nothing(order: Sequence[str]) -> None:
    def search(name: str) -> list[Pair]:
        return [(f"suggested_{place}", text) for place, text in enumerate(FOUND[name], 1)]

    def choose(name: str, pairs: Sequence[Pair]) -> list[Pair]:
        return [pair for pair in pairs if pair[1] in HELPS[name]][:1]

    shared = SharedLemmas()
    helping = share_lemmas(order, search, choose, shared)
    assert all(helping.values())
    for name, names in helping.items():
        assert {str(text) for _, text in shared.select(names)} & {*HELPS[name]}


def test_a_property_that_nothing_helps_stays_open() -> None:
    helping = share_lemmas(["p", "q"], lambda _: [], lambda _, pairs: list(pairs), SharedLemmas())
    assert helping == {"p": [], "q": []}


def test_names_of_lemmas_differ() -> None:
    shared = SharedLemmas({"suggested_1"})
    assert shared.add([("suggested_1", "a"), ("suggested_2", "b")]) == ["suggested_2", "suggested_3"]
    assert shared.add([("suggested_2", "c"), ("suggested_9", "a")]) == ["suggested_4", "suggested_2"]
    assert shared.select(["suggested_4", "suggested_2"]) == [("suggested_2", "a"), ("suggested_4", "c")]
