"""Assumptions of proofs for all constants on the constants of a TLA+ module, and how the answer says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from verifier.errors import UsageError
from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

STRINGS = r"""---- MODULE Strings ----
CONSTANT Node
ASSUMED
VARIABLES x, w
TypeOK == x \in Node \cup {"none"} /\ w \in BOOLEAN
Init == x = "none" /\ w = FALSE
Next == ~w /\ x' \in Node /\ w' = TRUE
Claim == w => CLAIM
====
"""
QUORUMS = r"""---- MODULE Strings ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Quorum
ASSUMED
VARIABLE x
TypeOK == x \in SUBSET Node
Init == x = {}
Next == \E Q \in Quorum : Q # x /\ x' = Q
Claim == \A Q, R \in Quorum : Q \cap R # {}
====
"""
MAJORITIES = r"\A Q \in Quorum : Cardinality(Q) * 2 > Cardinality(Node)"


def _prove(folder: Path, text: str, constants: str = "Node = {a, b}") -> Any:
    (folder / "Strings.tla").write_text(text)
    config = f"INIT Init\nNEXT Next\nINVARIANT Claim\nCONSTANTS {constants}\nCHECK_DEADLOCK FALSE\n"
    (folder / "Strings.cfg").write_text(config)
    loaded = load(str(folder / "Strings.tla"), {})
    run = execute("prove", loaded, ProveOptions(all_constants=True))
    assert run.outcome.verdicts[0].kind.name == "PROVED"
    return run


@pytest.mark.parametrize(
    ("claim", "strings"), [('x # "none"', '"none"'), (r'x \notin {"none", "other"}', '"none" or "other"')]
)
def test_the_answer_says_which_strings_a_set_lacks(tmp_path: Path, claim: str, strings: str) -> None:
    """A set of strings may have the string that stands for no element of it. Then the claim is false."""
    found = _prove(tmp_path, STRINGS.replace("ASSUMED", "").replace("CLAIM", claim))
    said = f"no element of Node is the string {strings}"
    assert said in found.assumptions
    assert found.beyond_declared == ("Node is not empty", said)


def test_a_module_can_declare_that_a_set_lacks_a_string(tmp_path: Path) -> None:
    text = STRINGS.replace("ASSUMED", r'ASSUME "none" \notin Node').replace("CLAIM", 'x # "none"')
    found = _prove(tmp_path, text)
    assert 'no element of Node is the string "none"' in found.assumptions
    assert found.beyond_declared == ("Node is not empty",)


def test_a_declared_set_without_a_model_value_is_read(tmp_path: Path) -> None:
    text = STRINGS.replace("ASSUMED", r"CONSTANT Nil ASSUME Nil \notin Node").replace('"none"', "Nil")
    found = _prove(tmp_path, text.replace("CLAIM", "x # Nil"), "Node = {a, b} Nil = Nil")
    assert "Nil is not an element of Node" in found.assumptions
    assert found.beyond_declared == ("Node is not empty",)


def test_the_answer_lists_what_the_module_assumes_of_quorums(tmp_path: Path) -> None:
    text = QUORUMS.replace("ASSUMED", f"ASSUME Large == {MAJORITIES}")
    found = _prove(tmp_path, text, "Node = {a, b} Quorum = {{a, b}}")
    assert f"ASSUME {MAJORITIES}" in found.assumptions
    sets = ("Node is not empty", "Quorum is not empty", "each element of Quorum is a subset of Node")
    assert found.beyond_declared == sets


def test_contradictory_assumptions_are_refused(tmp_path: Path) -> None:
    text = QUORUMS.replace("ASSUMED", f"ASSUME {MAJORITIES}\nASSUME {{}} \\in Quorum")
    with pytest.raises(UsageError, match="satisfy the ASSUMEs"):
        _prove(tmp_path, text, "Node = {a, b} Quorum = {{a, b}}")


def test_an_assumption_that_the_configuration_breaks_is_named_by_its_place(tmp_path: Path) -> None:
    text = QUORUMS.replace("ASSUMED", "ASSUME Cardinality(Node) > 5")
    with pytest.raises(UsageError, match=r"Strings\.tla:4:\d+: the assumption is false at these constants"):
        _prove(tmp_path, text, "Node = {a, b}\nQuorum = {{a, b}}")


def test_a_set_with_a_string_that_the_module_mentions_is_refused(tmp_path: Path) -> None:
    """The configuration would not satisfy the assumption of the proof."""
    text = STRINGS.replace("ASSUMED", "").replace("CLAIM", "x \\in Node")
    words = r'Strings\.tla:5:22: .* puts the string "none" into Node, .* such as Node = \{e1, e2\}'
    with pytest.raises(UsageError, match=words):
        _prove(tmp_path, text, 'Node = {"none", "green"}')
