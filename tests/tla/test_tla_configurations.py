"""Configurations that TLC takes: values of operators by argument, and values for what the module lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, specify_module, write_module
from verifier.tla.errors import TlaError
from verifier.tla.frames import Undefined

TABLES = """EXTENDS Integers
CONSTANTS Next2(_), Weight(_, _), A, B
Twice(n) == 2 * n
VARIABLES x, k
Init == x = 0 /\\ k = A
Next == x' = Next2(x) /\\ k' = IF k = A THEN B ELSE A
Inv == Weight(k, "a") + Weight(k, "b") < LIMIT /\\ Twice(1) = 7
"""
CONFIG = """INIT Init
NEXT Next
INVARIANT Inv
CONSTANTS
  A = a  B = b
  Next2(0) = 1, Next2(1) = 2  Next2(2) = 0
  Weight(a, "a") = 1  Weight(a, "b") = 2  Weight(b, "a") = 3
  Weight(b, "b") = 4
  Twice(1) = 7
CHECK_DEADLOCK FALSE
"""


def test_values_by_argument(tmp_path: Path) -> None:
    """TLC: 6 distinct states, 7 generated; with 7 for LIMIT, Inv is violated in the second state."""
    found = explore_module(tmp_path, TABLES.replace("LIMIT", "8"), CONFIG).result
    assert (found.distinct, found.generated, found.violations) == (6, 7, {})
    found = explore_module(tmp_path, TABLES.replace("LIMIT", "7"), CONFIG).result
    assert list(found.violations) == ["Inv"]


@pytest.mark.parametrize(("limit", "code"), [("8", 0), ("7", 10)])
def test_values_by_argument_translated(limit: str, code: int, tmp_path: Path) -> None:
    path = write_module(tmp_path, TABLES.replace("LIMIT", limit))
    path.with_suffix(".cfg").write_text(CONFIG)
    assert verify("prove", "--spec", str(path)).exit_code == code
    result = verify("bmc", "--spec", str(path), "--steps", "serial", "--depth", "6")
    assert result.exit_code == code
    assert 'Next2(0)=1, Next2(1)=2, Next2(2)=0, Weight(a, "a")=1' in result.output


def test_an_argument_without_a_value(tmp_path: Path) -> None:
    """TLC: it was attempted to apply the operator to an argument, which is undefined."""
    config = CONFIG.replace("Next2(2) = 0", "")
    with pytest.raises(Undefined, match=r"M.cfg:6:\d+: the configuration gives Next2 no value"):
        explore_module(tmp_path, TABLES.replace("LIMIT", "8"), config)


def test_the_hash_has_the_values_by_argument(tmp_path: Path) -> None:
    path = write_module(tmp_path, TABLES.replace("LIMIT", "8"))
    hashes = set()
    for config in (CONFIG, CONFIG.replace("Next2(2) = 0", "Next2(2) = 1")):
        path.with_suffix(".cfg").write_text(config)
        found = verify("explore", "--spec", str(path), "--format", "json")
        hashes.add(json.loads(found.stdout)["spec_hash"])
    assert len(hashes) == 2


def test_values_for_what_the_module_lacks_are_passed_over(tmp_path: Path) -> None:
    """As TLC does, which says nothing."""
    body = "EXTENDS Naturals\nVARIABLE x\nLimit == 3\nInit == x = Limit\nNext == x' = x\n"
    path = write_module(tmp_path, body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANTS Limt = 4 x = 5 Other = 6")
    result = verify("explore", "--spec", str(path))
    assert result.exit_code == 0
    assert (
        "M.cfg:3:11: M has no constant or definition Limt; did you mean Limit?: passed over" in result.stderr
    )
    assert "M.cfg:3:20: M has no constant or definition x: passed over, as TLC does" in result.stderr
    assert "Other" not in result.stderr
    with pytest.raises(TlaError, match="no constant or definition Limt"):
        specify_module(tmp_path, body, "CONSTANT Limt <- Limit")


@pytest.mark.parametrize("where", ["CONSTRAINT Stop", "INVARIANT StopAtOnce"])
def test_a_module_ends_the_search(where: str, tmp_path: Path) -> None:
    """TLC: 8 states generated, 8 distinct, 1 left on the queue."""
    body = """EXTENDS Naturals, TLC, TLCExt
VARIABLE x
Init == x = 0
Next == x' = TLCCache((x + 1) % 50, {x})
Stop == IF x = 7 THEN TLCSet("exit", TRUE) ELSE TLCSet("exit", FALSE)
StopAtOnce == TLCSet("exit", x = 7)
"""
    path = write_module(tmp_path, body)
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\n{where}")
    found = verify("explore", "--spec", str(path), "--format", "json")
    assert found.exit_code == 12
    statistics = json.loads(found.stdout)["statistics"]
    assert (statistics["distinct_states"], statistics["generated_states"]) == (8, 8)
    assert 'the module ended the search: TLCSet(\\"exit\\", TRUE)' in found.stdout


@pytest.mark.parametrize(("most", "verdict", "code"), [(9, "HOLDS", 12), (7, "VIOLATED", 10)])
def test_a_postcondition_is_evaluated_where_the_module_ends_the_search(
    most: int, verdict: str, code: int, tmp_path: Path
) -> None:
    """TLC: no error for 9, and the postcondition is false for 7."""
    body = f"""EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 50
Stop == TLCSet("exit", x = 7)
Few == TLCGet("distinct") <= {most}
"""
    path = write_module(tmp_path, body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Stop\nPOSTCONDITION Few")
    found = verify("explore", "--spec", str(path), "--format", "json")
    verdicts = {row["property"]: row["verdict"] for row in json.loads(found.stdout)["results"]}
    assert (verdicts["Few"], verdicts["Stop"], found.exit_code) == (verdict, "INCONCLUSIVE", code)


@pytest.mark.parametrize(
    ("declared", "put"),
    [
        ("CONSTANT F(_)", "F = 5"),
        ("F(a) == a", "F = 5"),
        ("CONSTANT F(_)", "F <- G"),
        ("F(a) == a", "F(2) = 5"),
    ],
)
def test_an_operator_may_have_one_value(declared: str, put: str, tmp_path: Path) -> None:
    """Whatever its arguments are, as TLC has it."""
    body = f"EXTENDS Naturals\n{declared}\nG(a) == a + 3\nVARIABLE x\nInit == x = F(2)\n"
    body += "Next == x' = x\nFive == x = 5\n"
    found = explore_module(tmp_path, body, f"INIT Init\nNEXT Next\nINVARIANT Five\nCONSTANT {put}").result
    assert (found.distinct, found.violations) == (1, {})


def test_truths_need_no_definition(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = TRUE\nNext == x' = ~x\n"
    asked = "INVARIANT TRUE FALSE\nCONSTRAINT TRUE\nACTION_CONSTRAINT TRUE\nPROPERTY TRUE"
    found = explore_module(tmp_path, body, f"INIT Init\nNEXT Next\n{asked}").result
    assert (found.distinct, set(found.violations)) == (2, {"FALSE"})


def test_a_configuration_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = write_module(tmp_path, "VARIABLE x\nInit == x = TRUE\nNext == x' = ~x\n")
    path.with_suffix(".cfg").write_text("\ufeffINIT Init\r\nNEXT Next\r\n")
    assert verify("explore", "--spec", str(path)).exit_code == 0


@pytest.mark.parametrize("spec", ["LET I(a(_)) == a(Init /\\ [][Next]_x) IN I(Same)", "Through(Same)"])
def test_a_specification_may_be_the_argument_of_an_operator(spec: str, tmp_path: Path) -> None:
    body = f"""VARIABLE x
Init == x = TRUE
Next == x' = ~x
Same(F) == F
Through(a(_)) == a(Init /\\ [][Next]_x)
Spec == {spec}"""
    assert len(explore_module(tmp_path, body, "SPECIFICATION Spec").states) == 2
