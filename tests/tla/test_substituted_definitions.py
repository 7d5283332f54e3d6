r"""Definitions that a configuration puts in place of others, as ``Ballot <- Ballots``, for all constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.errors import UsageError
from verifier.outcomes.run import Run
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions
from verifier.tla.first_order.scopes import Unread

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Count ----
EXTENDS Integers
CONSTANTS Node, Most
Ballot == Nat
Ballots == 0..Most
Limit == 3
Wider == 5
Twice(b) == b + b
Thrice(b) == b + b + b
VARIABLES last, given
TypeOK == last \in [Node -> Ballot \cup {-1}] /\ given \in 0..5
Init == last = [n \in Node |-> -1] /\ given = 0
Idle == UNCHANGED <<last, given>>
Wild == last' = [n \in Node |-> -1] /\ given' = given
Take(n, b) == b > last[n] /\ last' = [last EXCEPT ![n] = b] /\ given' = given
Give == given < Limit /\ given' = given + 1 /\ last' = last
Next == Idle \/ Give \/ \E n \in Node, b \in Ballot : Take(n, b)
Known == \A n \in Node : last[n] >= -1
Positive == \A n \in Node : last[n] >= 0
Few == given <= 3
Doubled == \A n \in Node : Twice(last[n]) >= -2
====
"""
CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nCONSTANTS Node = {a, b}\nMost = 2\nBallot <- Ballots\n"


def _prove(folder: Path, claim: str, more: str = "") -> Run:
    (folder / "Count.tla").write_text(MODULE)
    (folder / "Count.cfg").write_text(f"{CONFIG}{more}\nINVARIANT {claim}\n")
    return execute("prove", load(str(folder / "Count.tla"), {}), ProveOptions(all_constants=True))


def _verdict(run: Run) -> str:
    return run.outcome.verdicts[0].kind.name


def test_a_definition_is_read_as_its_substitute_and_the_answer_says_so(tmp_path: Path) -> None:
    run = _prove(tmp_path, "Known")
    assert _verdict(run) == "PROVED"
    put = "Ballot is Ballots, as in the configuration"
    assert run.beyond_declared == (put, "Node is not empty", "Most >= 0")
    assert run.assumptions is not None
    assert put in run.assumptions
    file = tmp_path / "proof.json"
    file.write_text(run.certificate_texts["Known"])
    checked = certify(read_claim(file, str(tmp_path / "Count.tla"), None, Limits()))
    assert checked.verdict.kind.name == "PROVED"


def test_the_union_of_a_range_and_a_negative_number_has_both(tmp_path: Path) -> None:
    assert _verdict(_prove(tmp_path, "Positive")) == "VIOLATED"


def test_what_only_the_replaced_definition_satisfies_is_not_proved(tmp_path: Path) -> None:
    assert _verdict(_prove(tmp_path, "Few")) == "PROVED"
    assert _verdict(_prove(tmp_path, "Few", "CONSTANT Limit <- Wider")) == "VIOLATED"


def test_an_action_is_walked_as_its_substitute(tmp_path: Path) -> None:
    run = _prove(tmp_path, "Known", "CONSTANT Idle <- Wild")
    assert "Idle is Wild, as in the configuration" in run.beyond_declared
    assert _verdict(run) == "PROVED"


def test_an_operator_with_parameters_has_no_substitute(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="another operator or value in place of Twice"):
        _prove(tmp_path, "Doubled", "CONSTANT Twice <- Thrice")


def test_a_substitute_that_is_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unread, match="another operator or value in place of Limit"):
        _prove(tmp_path, "Few", "CONSTANT Limit = 2")


def test_an_assumption_is_that_of_the_substitute(tmp_path: Path) -> None:
    """From Most = 51 on, the replaced definition is false."""
    text = MODULE.replace("VARIABLES", "Low == Most <= 50\nHigh == Most >= 0\nASSUME Low\nVARIABLES")
    text = text.replace("Few ==", "Small == Most <= 50\nFew ==")
    (tmp_path / "Count.tla").write_text(text)
    for more, verdict in (("", "PROVED"), ("CONSTANT Low <- High", "INCONCLUSIVE")):
        (tmp_path / "Count.cfg").write_text(f"{CONFIG}{more}\nINVARIANT Small\n")
        run = execute("prove", load(str(tmp_path / "Count.tla"), {}), ProveOptions(all_constants=True))
        assert _verdict(run) == verdict


@pytest.mark.parametrize("assume", ["Cardinality(Node) + Most <= 60", "Most <= 60 - Cardinality(Node)"])
def test_an_assumption_with_a_replaced_standard_operator_is_refused(tmp_path: Path, assume: str) -> None:
    """With the substitute it is true of every Most, and the claim is false from Most = 60 on."""
    text = MODULE.replace("EXTENDS Integers", "EXTENDS Integers, FiniteSets").replace(
        "VARIABLES", f"Fewer(S) == 0 - Most\nASSUME {assume}\nVARIABLES"
    )
    (tmp_path / "Count.tla").write_text(text.replace("Few ==", "Small == Most <= 59\nFew =="))
    (tmp_path / "Count.cfg").write_text(f"{CONFIG}CONSTANT Cardinality <- Fewer\nINVARIANT Small\n")
    with pytest.raises(Unread, match="this ASSUME has Cardinality, and the configuration puts another"):
        execute("prove", load(str(tmp_path / "Count.tla"), {}), ProveOptions(all_constants=True))


@pytest.mark.parametrize(
    "named", ["INIT Init\nNEXT Next\nCONSTANT Next <- Idle", "INIT Init\nNEXT Next\nCONSTANT Init <- Start",
              "SPECIFICATION Spec\nCONSTANT Next <- Idle", "SPECIFICATION Spec\nCONSTANT Init <- Start",
              "INIT Init\nNEXT Next\nCONSTANT Few <- Any"],
)  # fmt: skip
def test_the_answer_says_that_what_the_configuration_names_is_replaced(tmp_path: Path, named: str) -> None:
    """The claim itself, Init or Next may be another definition than the module's."""
    start = "Start == last = [n \\in Node |-> -1] /\\ given = 0\nAny == given >= 0\n"
    more = f"{start}Spec == Init /\\ [][Next]_<<last, given>>\n===="
    (tmp_path / "Count.tla").write_text(MODULE.replace("====", more))
    config = CONFIG.replace("INIT Init\nNEXT Next\n", "")
    (tmp_path / "Count.cfg").write_text(f"{config}{named}\nINVARIANT Few\n")
    run = execute("prove", load(str(tmp_path / "Count.tla"), {}), ProveOptions(all_constants=True))
    replaced, put = named.split("CONSTANT ")[1].split(" <- ")
    assert _verdict(run) == "PROVED"
    assert f"{replaced} is {put}, as in the configuration" in run.beyond_declared


def test_definitions_that_call_themselves_by_a_substitution_are_refused(tmp_path: Path) -> None:
    """They had no end. TLC ends with a StackOverflowError."""
    more = "Start == Init /\\ given = 0\n===="
    (tmp_path / "Count.tla").write_text(MODULE.replace("====", more))
    (tmp_path / "Count.cfg").write_text(f"{CONFIG}CONSTANT Init <- Start\nINVARIANT Few\n")
    with pytest.raises(Unread, match="Start calls itself, since the configuration puts it in place of"):
        execute("prove", load(str(tmp_path / "Count.tla"), {}), ProveOptions(all_constants=True))


@pytest.mark.parametrize("used", ["TypeOK == x \\in Vals", "TypeOK == x \\in 0..3\nASSUME Vals # {}"])
def test_so_are_those_of_the_type_invariant_and_of_an_assume(tmp_path: Path, used: str) -> None:
    (tmp_path / "Loop.tla").write_text(
        "---- MODULE Loop ----\nEXTENDS Naturals\nVARIABLE x\nVals == {0, 1}\nWrap == Vals \\cup {2}\n"
        f"{used}\nInit == x = 0\nNext == x' = x\nInv == x = x\n===="
    )
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\nCONSTANT Vals <- Wrap\n"
    (tmp_path / "Loop.cfg").write_text(config)
    with pytest.raises(UsageError, match="Wrap calls itself"):
        execute("prove", load(str(tmp_path / "Loop.tla"), {}), ProveOptions(all_constants=True))
