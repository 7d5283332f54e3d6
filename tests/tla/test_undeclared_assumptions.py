"""A proof for all constants says what it assumes although no ASSUME of the module does."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.parametric.protocol_readings import ParametricReading
from verifier.runs.asking import execute
from verifier.runs.loaded import Loaded
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.runs.reading_for_all import reading_of

MODULE = r"""---- MODULE Assumes ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Quorum, Nil, None, N, K
ASSUMED
VARIABLES x, y, holder
TypeOK == x \in SUBSET Node /\ y \in 0..N /\ holder \in Node \cup {Nil}
Init == x = {} /\ y = 0 /\ holder = Nil
Next ==
    \/ \E Q \in Quorum : x' = Q /\ UNCHANGED <<y, holder>>
    \/ y < N /\ y' = y + 1 /\ UNCHANGED <<x, holder>>
    \/ \E n \in Node : holder' = n /\ UNCHANGED <<x, y>>
Claim == CLAIM
====
"""
CONFIG = r"""INIT Init
NEXT Next
INVARIANT Claim
CONSTANTS Node = {a, b, c} Quorum = {{a}, {b, c}} Nil = Nil None = None N = 4 K = 1
CHECK_DEADLOCK FALSE
"""
NODE, QUORUM, FEW, LESS = "Node is not empty", "Quorum is not empty", "N >= 0", "K >= 0"
PARTS, NO_NODE = "each element of Quorum is a subset of Node", "Nil is not an element of Node"
ALL = {NODE, QUORUM, FEW, LESS, PARTS, NO_NODE}


def _load(folder: Path, assumed: str, claim: str) -> Loaded:
    (folder / "Assumes.tla").write_text(MODULE.replace("ASSUMED", assumed).replace("CLAIM", claim))
    (folder / "Assumes.cfg").write_text(CONFIG)
    return load(str(folder / "Assumes.tla"), {})


def _read(folder: Path, assumed: str, claim: str = "y <= N") -> ParametricReading:
    loaded = _load(folder, assumed, claim)
    assert loaded.source is not None
    reading = reading_of(loaded.source.as_protocol(loaded, ("Claim",), ()))
    assert set(reading.beyond_declared) <= set(reading.said)
    return reading


def _prove(folder: Path, assumed: str, claim: str = "y <= N") -> Run:
    run = execute("prove", _load(folder, assumed, claim), ProveOptions(all_constants=True))
    assert [one.kind.name for one in run.outcome.verdicts] == ["PROVED"]
    return run


CLAIMS = [
    ("Node # {}", NODE),
    (r"\E n \in Node : TRUE", NODE),
    ("Cardinality(Node) > 0", NODE),
    ("Quorum # {}", QUORUM),
    (r"\A Q \in Quorum : Q \subseteq Node", PARTS),
    ("N >= 0", FEW),
    ("K + 1 > 0", LESS),
    (r"\A n \in Node : n # Nil", NO_NODE),
    (r"Nil \notin Node", NO_NODE),
    ("Nil # None", "Nil and None are different values"),
    ('Nil # "none"', "Nil is not a string"),
]
"""Claims that are false at an empty set, a negative number, or a value with two roles."""


@pytest.mark.parametrize(("claim", "beyond"), CLAIMS)
def test_what_makes_a_claim_true_is_said_to_be_undeclared(tmp_path: Path, claim: str, beyond: str) -> None:
    assert beyond in _read(tmp_path, "", claim).beyond_declared


@pytest.mark.slow
def test_a_proof_that_assumes_more_than_the_module_is_not_about_all_constants(tmp_path: Path) -> None:
    run = _prove(tmp_path, "", " /\\ ".join(f"({claim})" for claim, _ in CLAIMS))
    content = as_object(run)
    assert content["constants"] == "assumed"
    assert {beyond for _, beyond in CLAIMS} <= set(content["beyond_declared"]) <= set(content["assumptions"])


@pytest.mark.parametrize(
    ("assumed", "said"),
    [
        ("Node # {}", {NODE}),
        ("{} # Node", {NODE}),
        ("Cardinality(Node) > 0", {NODE}),
        ("Cardinality(Node) # 0", {NODE}),
        ("2 <= Cardinality(Node)", {NODE}),
        ("Cardinality(Node) >= 0", set()),
        ("Cardinality(Node) < 9", set()),
        (r"N \in Nat", {FEW}),
        ("N > 0 - 1", {FEW}),
        ("N >= 0 - 1", set()),
        ("N < 9", set()),
        ("N # 0 - 1", set()),
        ("N = 4", {FEW}),
        (r"K \in Nat /\ N >= 2 * K", {FEW, LESS}),
        (r"N >= 2 * K /\ K \in Nat", {FEW, LESS}),
        ("N >= 2 * K", set()),
        (r"K \in Nat /\ N + K > 2", {LESS}),
        (r"K \in Nat /\ Cardinality(Node) > 2 * K", {LESS, NODE}),
        (r"K \in Nat /\ Cardinality(Node) >= 2 * K", {LESS}),
        ("Cardinality(Node) = N - 1", {FEW}),
        (r"Nil \notin Node", {NO_NODE}),
        (r"None \notin Node", set()),
        ("Quorum # {}", {QUORUM}),
        (r"\E Q \in Quorum : Q # {}", {QUORUM}),
        (r"\A Q \in Quorum : Q # {}", set()),
        (r"Quorum \subseteq SUBSET Node", {PARTS}),
        (r"\A Q \in Quorum : Q # {} /\ Q \subseteq Node", {PARTS}),
        (r"\A Q \in Quorum : Q \in SUBSET Node", {PARTS}),
        (r"\A Q \in Quorum : Q # {} => Q \subseteq Node", set()),
        (r"\A Q \in Quorum, n \in Node : Q \subseteq Node", set()),
    ],
)
def test_what_assumes_of_the_module_imply_is_declared(tmp_path: Path, assumed: str, said: set[str]) -> None:
    assert ALL - set(_read(tmp_path, f"ASSUME {assumed}").beyond_declared) == said


def test_different_values_and_strings_can_be_declared(tmp_path: Path) -> None:
    known = r"ASSUME Nil # None /\ Nil \notin STRING /\ None \notin STRING"
    reading = _read(tmp_path, known, 'Nil # None /\\ Nil # "none"')
    assert not [one for one in reading.beyond_declared if "different" in one or "string" in one]
    assert {"Nil and None are different values", "Nil is not a string"} <= set(reading.said)


@pytest.mark.slow
def test_a_module_that_assumes_all_of_it_is_proved_for_all_constants(tmp_path: Path) -> None:
    known = r"""ASSUME Node # {} /\ Quorum # {} /\ Quorum \subseteq SUBSET Node /\ Nil \notin Node
ASSUME N \in Nat /\ K \in Nat"""
    run = _prove(tmp_path, known)
    assert as_object(run)["constants"] == "all"
    assert set(run.assumptions or ()) >= ALL
