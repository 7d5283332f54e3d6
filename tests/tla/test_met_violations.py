"""Violations that the comparison of a module with its protocol meets, at constants that no other search
tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tla.test_claims_for_all_constants import kinds_of, prove
from verifier.errors import UsageError
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run

pytestmark = pytest.mark.usefixtures("few_drawn_states")

HALVES = """EXTENDS Naturals, FiniteSets
CONSTANT Node, F
ASSUME F \\in Nat
VARIABLES vote, done
TypeOK == vote \\subseteq Node /\\ done \\in BOOLEAN
Init == vote = {} /\\ done = FALSE
Vote(n) == vote' = vote \\cup {n} /\\ UNCHANGED done
Halves == {Q \\in SUBSET Node : Cardinality(Q) + F >= Cardinality(Node)}
Finish == (\\E Q \\in Halves : \\A n \\in Q : n \\in vote) /\\ done' = TRUE /\\ UNCHANGED vote
Next == Finish \\/ \\E n \\in Node : Vote(n)
Voted == done => \\E n \\in Node : n \\in vote
Few == Cardinality(vote) <= Cardinality(Node)
"""
HALVES_CONFIG = "CONSTANTS Node = {a, b, c} F = 1\nINVARIANTS TypeOK Voted Few\n"


def prove_text(folder: Path, text: str, config: str, *properties: str) -> Run:
    """Return the run about a module with this text."""
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{text}====\n")
    (folder / "M.cfg").write_text(f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n{config}")
    return prove(str(folder / "M.tla"), *properties)


def test_a_violation_at_untried_constants_is_met(tmp_path: Path) -> None:
    """F >= Node is needed, and neither the least nor the given constants have it."""
    run = prove_text(tmp_path, HALVES, HALVES_CONFIG)
    assert kinds_of(run) == {"TypeOK": "PROVED", "Voted": "VIOLATED", "Few": "PROVED"}
    voted = next(one for one in run.outcome.verdicts if one.property_name == "Voted")
    assert (voted.reason, voted.steps, voted.fewest) == ("with Node=1, F=1", 1, True)
    assert as_object(run)["results"][1]["trace"]["states"][-1]["done"] is True


def test_a_constraint_that_excludes_the_violation_counts(tmp_path: Path) -> None:
    """Nothing that the configuration asks about is violated."""
    text = f"{HALVES}Within == vote # {{}} \\/ ~done\n"
    kinds = kinds_of(prove_text(tmp_path, text, f"{HALVES_CONFIG}CONSTRAINT Within\n"))
    assert kinds["Voted"] == "VIOLATED"  # its last state may be beyond
    text = text.replace("Within == vote # {} \\/ ~done", "Within == Cardinality(Node) > 2")
    kinds = kinds_of(prove_text(tmp_path, text, f"{HALVES_CONFIG}CONSTRAINT Within\n"))
    assert kinds["Voted"] != "PROVED"


def test_an_invariant_without_a_reading_is_watched(tmp_path: Path) -> None:
    """Elements of two sets are not compared by a proof. The sets of the configuration share elements."""
    text = (
        "CONSTANTS A, B\nVARIABLES x, y\nTypeOK == x \\in A /\\ y \\in B\nInit == x \\in A /\\ y \\in B\n"
        "Next == x' \\in A /\\ UNCHANGED y\nApart == x # y\nAlike == x \\in A \\cup B\n"
    )
    run = prove_text(tmp_path, text, "CONSTANTS A = {a, b} B = {a, b}\nINVARIANTS TypeOK Apart Alike\n")
    assert kinds_of(run) == {"TypeOK": "PROVED", "Apart": "VIOLATED", "Alike": "INCONCLUSIVE"}
    apart = next(one for one in run.outcome.verdicts if one.property_name == "Apart")
    assert apart.reason == "with A=2, B=2, and the shared elements of the configuration"


def test_constants_without_an_initial_state_are_left_out(tmp_path: Path) -> None:
    text = (
        "CONSTANT Node\nVARIABLES x, y\nTypeOK == x \\in Node /\\ y \\in Node\n"
        "Init == x \\in Node /\\ y \\in Node /\\ x # y\nNext == x' = y /\\ y' = x\nApart == x # y\n"
    )
    run = prove_text(tmp_path, text, "CONSTANT Node = {a, b}\nINVARIANTS TypeOK Apart\n")
    assert set(kinds_of(run).values()) == {"PROVED"}
    assert {"Node": 1} not in run.outcome.statistics["validation"]["sizes"]


DIVIDES = (
    "EXTENDS Integers\nCONSTANT N\nASSUME N \\in Nat\nVARIABLE x\nTypeOK == x \\in 0..N\nInit == x = 0\n"
    "Next == x < N /\\ x' = x + 1\nAbove == x >= 0\nRest == N % (N - 1) < N\n"
)


def test_a_property_without_a_value_is_open_alone(tmp_path: Path) -> None:
    """The message names the constants: it has a value at those of the configuration."""
    run = prove_text(tmp_path, DIVIDES, "CONSTANT N = 3\nINVARIANTS TypeOK Above Rest\n")
    assert kinds_of(run) == {"TypeOK": "PROVED", "Above": "PROVED", "Rest": "INCONCLUSIVE"}
    rest = run.outcome.verdicts[2]
    assert str(rest.reason).startswith("with N=1, Rest has no value in a reachable state: ")


def test_a_question_about_that_property_alone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"with N=1, Rest has no value"):
        prove_text(tmp_path, DIVIDES, "CONSTANT N = 3\nINVARIANTS TypeOK Above Rest\n", "Rest")


def test_given_constants_that_violate_an_assumption_are_named(tmp_path: Path) -> None:
    """A negative number has no reading, but the ASSUME is what the user must look at."""
    with pytest.raises(UsageError, match=r"the assumption is false at these constants; got N=-3"):
        prove_text(tmp_path, DIVIDES, "CONSTANT N = -3\nINVARIANTS TypeOK Above\n")
