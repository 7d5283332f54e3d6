"""The naive check beside proofs for all constants: a property is explored at all small constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from results.generators.all_small_constants import explore_at_all

MODULE = r"""---- MODULE Small ----
EXTENDS FiniteSets, Naturals
CONSTANTS Node, Quorum
ASSUME \A Q \in Quorum : Q # {}
VARIABLE seen
Init == seen = {}
Next == \E n \in Node, Q \in Quorum : n \in Q /\ seen' = seen \cup {n}
Few == Cardinality(seen) < 4
Fewer == \A Q \in Quorum : Cardinality(seen) < 3 \/ ~(Q \subseteq seen)
Known == seen \subseteq Node
====
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANTS Known Few Fewer\nCONSTANTS Node = {1, 2}\nQuorum = {{1}, {1, 2}}\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "Small.tla").write_text(MODULE)
    (tmp_path / "Small.cfg").write_text(CONFIG + "CHECK_DEADLOCK FALSE\n")
    return tmp_path / "Small.tla"


def test_a_violation_at_four_elements_is_found_with_its_constants(module: Path) -> None:
    assert "VIOLATED with Node=4" in str(explore_at_all(module, "Few"))


def test_a_violation_at_three_elements_of_a_quorum_is_found(module: Path) -> None:
    assert explore_at_all(module, "Fewer").violated.startswith("Node=3")


def test_choices_at_which_an_assume_is_false_are_left_out(module: Path) -> None:
    found = explore_at_all(module, "Known")
    assert (found.violated, found.partly) == ("", 0)
    assert 5 < found.complete < 57
