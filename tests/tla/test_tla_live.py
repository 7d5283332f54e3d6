"""Temporal properties and fairness of TLA+ modules: translated, decided, and judged by the interpreter."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify, wrong
from tests.support.sampling import first_of
from tests.support.tla_modules import specify_module, write_module
from verifier.json_shape import read_json
from verifier.runs.modules import liveness
from verifier.runs.modules.policy import POLICY
from verifier.tla import ast
from verifier.tla.lasso import Lasso
from verifier.tla.splitting import Formula
from verifier.tla.unfolding import split_fairness

RING = """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x \\in 0..1 /\\ y = 0
Inc == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y
Flip == x = 3 /\\ y' = 1 - y /\\ UNCHANGED x
Reset == x = 3 /\\ y = 1 /\\ x' = 0 /\\ UNCHANGED y
Next == Inc \\/ Flip \\/ Reset
Strong == Init /\\ [][Next]_vars /\\ WF_vars(Inc) /\\ SF_vars(Reset)
Weak == Init /\\ [][Next]_vars /\\ WF_vars(Inc) /\\ WF_vars(Flip) /\\ WF_vars(Reset)
A1 == [](x = 3 => [](x = 3))
A2 == (x = 1) => [](x # 0)
A3 == (x = 0) ~> (x = 3)
A4 == []<>(x = 0)
A5 == <>[](x = 3)
A6 == [](y = 1 => [](x >= 0))
A7 == \\A n \\in 0..3 : []<>(x = n)
A8 == (x = 0) => <>(x = 2)
A9 == []<>(y = 1) => []<>(x = 0)
"""
HOLDING = {"Strong": {"A3", "A6", "A8", "A9"}, "Weak": {"A3", "A6", "A8"}}
"""The properties in which TLC finds no error."""
ALL = tuple(f"A{number}" for number in range(1, 10))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _live(*words: str, code: int) -> dict[str, Any]:
    result = verify("live", "M.tla", *words, "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("specification", ["Strong", "Weak"])
@pytest.mark.parametrize("engine", ["explicit", "prove"])
def test_verdicts_are_those_of_tlc(engine: str, specification: str, folder: Path) -> None:
    write_module(folder, RING)
    Path("M.cfg").write_text(f"SPECIFICATION {specification}\nCHECK_DEADLOCK FALSE\n")
    asked = ALL if engine == "explicit" else ("A1", "A3", "A9")
    named = [word for name in asked for word in ("--property", name)]
    run = _live("--engine", engine, *named, code=10)
    found = {result["property"]: result["verdict"] for result in run["results"]}
    assert found == {name: "PROVED" if name in HOLDING[specification] else "VIOLATED" for name in asked}


def test_a_lasso_is_replayed_with_its_fairness(folder: Path) -> None:
    write_module(folder, RING)
    Path("M.cfg").write_text("SPECIFICATION Weak\nPROPERTY A4\nCHECK_DEADLOCK FALSE\n")
    run = _live("--trace-out", "t.itf.json", code=10)
    trace = run["results"][0]["trace"]
    assert {met["condition"] for met in trace["#meta"]["loop"]["conditions"]} == {
        "WF of Inc",
        "WF of Flip",
        "WF of Reset",
    }
    replayed = verify("replay", "t.itf.json", "--spec", "M.tla", "--show")
    assert replayed.exit_code == 0, replayed.output
    assert "A4 fails in this execution:\n  false " in replayed.stdout
    assert "\nWhy the loop is fair:\n  " in replayed.stdout
    Path("S.cfg").write_text("SPECIFICATION Strong\nCHECK_DEADLOCK FALSE\n")
    assert "\nA4: VIOLATED in " in verify("check", "M.tla").stdout
    unfair = wrong("replay", "t.itf.json", "--spec", "M.tla", "--config", "S.cfg")
    assert "the loop is not fair" in unfair
    data = read_json(Path("t.itf.json").read_text())
    data["#meta"]["property"] = "A3"
    Path("t.itf.json").write_text(json.dumps(data))
    assert "A3 holds of this execution" in wrong("replay", "t.itf.json", "--spec", "M.tla")


@pytest.mark.thorough
def test_a_proof_under_fairness_is_checked_again(folder: Path) -> None:
    write_module(folder, RING)
    Path("M.cfg").write_text("SPECIFICATION Strong\nPROPERTY A3\nCHECK_DEADLOCK FALSE\n")
    _live("--engine", "prove", "--certificate", "p.json", code=0)
    checked = verify("certify", "p.json", "--spec", "M.tla")
    assert checked.exit_code == 0, checked.output
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nPROPERTY A3\nCHECK_DEADLOCK FALSE\n")
    assert "another version of M" in wrong("certify", "p.json", "--spec", "M.tla")


SAID = """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Inc(n) == x < 3 /\\ x' = x + n /\\ UNCHANGED y
Flip == y' = 1 - y /\\ UNCHANGED x
Next == Flip \\/ \\E n \\in {1} : Inc(n)
End == <>(x = 3)
Live == Init /\\ [][Next]_vars /\\ """


@pytest.mark.parametrize(
    ("fairness", "proved"),
    [
        ("\\A n \\in {1} : WF_vars(Inc(n))", True),
        ("WF_x(Next)", True),
        ("WF_vars(Next /\\ x' # x)", True),
        ("WF_vars(Inc(1) /\\ y = 0) /\\ WF_vars(Inc(1) /\\ y = 1)", False),
        ("SF_vars(Inc(1) /\\ y = 0) /\\ SF_vars(Inc(1) /\\ y = 1)", True),
        ("WF_vars(x' = 1 + x /\\ x <= 2 /\\ y' = y)", True),
        ("WF_vars(Next)", False),
        ("WF_vars(Flip)", False),
        ("WF_x(x' = x + 1 /\\ x < 3)", True),
        ("WF_y(y' = 1 - y)", False),
        ("WF_x(x' = x + 1 /\\ x < 2)", False),
        ("[]<>(x = 3)", True),
    ],
)
def test_fairness_is_of_the_steps_of_an_action_however_it_is_said(
    fairness: str, proved: bool, folder: Path
) -> None:
    write_module(folder, SAID + fairness)
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY End\nCHECK_DEADLOCK FALSE\n")
    (result,) = _live("--engine", "explicit", code=0 if proved else 10)["results"]
    assert result["verdict"] == ("PROVED" if proved else "VIOLATED")
    if result["trace"] is not None:
        assert {s["#meta"].get("action", "Flip") for s in result["trace"]["states"]} <= {"Flip", "Inc"}


@pytest.mark.parametrize(
    ("fairness", "expected"),
    [
        (
            "WF_vars(x' = x + 2 /\\ x <= 1 /\\ y' = y)",
            "M.tla:10:34: WF of x' = x + 2 /\\ x <= 1 /\\ y' = y: a step of it may",
        ),
        ("WF_vars(x' = x + 1 /\\ x < 3)", "leaves open the next value of y"),
        ("\\A n \\in 0..x : WF_vars(Inc(n))", "a finite set that is the same in all states"),
    ],
)
def test_other_fairness_is_refused_with_its_place(fairness: str, expected: str, folder: Path) -> None:
    write_module(folder, SAID + fairness)
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY End\nCHECK_DEADLOCK FALSE\n")
    assert expected in wrong("live", "M.tla", "--by", "translation")


def test_fairness_of_other_actions_is_decided_by_the_interpreter(folder: Path) -> None:
    """As TLC does, which has an error where an action leaves open what a variable becomes."""
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY End\nCHECK_DEADLOCK FALSE\n")
    write_module(folder, f"{SAID}WF_vars(x' = x + 2 /\\ x <= 1 /\\ y' = y)")
    run = _live(code=10)
    assert run["statistics"]["semantics"] == "interpreter"
    write_module(folder, f"{SAID}WF_vars(x' = x + 1 /\\ x < 3)")
    assert "M.tla:4:14: y has no value in the next state yet" in wrong("live", "M.tla")


def test_the_translation_says_where_a_temporal_formula_has_no_value(tmp_path: Path, monkeypatch: Any) -> None:
    write_module(
        tmp_path,
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\n"
        "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nf == [i \\in 0..2 |-> i]\n"
        "P == [](x = 2 => f[x + 1] = 2) \\/ <>(x = 3)",
    )
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY P\nCHECK_DEADLOCK FALSE\n")
    monkeypatch.chdir(tmp_path)
    said = wrong("live", "M.tla", "--by", "translation")
    assert "a step or a temporal formula has no value (after 2 steps" in said
    assert "in the state x = 2): --by interpreter evaluates it" in said
    assert "has one to the interpreter" not in said  # which has none, either
    assert "3 is not in the domain of the function" in wrong("live", "M.tla", "--by", "interpreter")


GENERAL = {
    "IF x = 0 THEN <>(x = 3) ELSE FALSE": True,
    "IF x = 0 THEN [](x = 3 => <>(x = 3)) ELSE <>(x = 7)": True,
    "[](IF y = 1 THEN <>(y = 0) ELSE TRUE)": False,
    "WF_vars(x' = x + 2 /\\ y' = y)": False,
    "WF_vars(Flip)": False,
    "SF_vars(Inc(1))": True,
    "WF_x(Next)": True,
    "\\A n \\in {1} : WF_vars(Inc(n) /\\ y = 0)": True,
    "SF_vars(Flip) => []<>(y = 1)": True,
    "WF_vars(Flip) => <>[](x = 3)": True,
    "<><<Flip>>_vars": False,
    "<><<Inc(1)>>_vars": True,
    "<><<x' = 2>>_x": True,
    "[]<><<Inc(1)>>_vars": False,
    "<>[][Flip]_vars": True,
    "(x = 0) ~> <>[][UNCHANGED x]_vars": True,
    "[](x = 0 => (<>(x = 1) /\\ <>(x = 2)))": True,
    "[](x = 0 => (<>(x = 1) /\\ <>(y = 1)))": False,
    "(x = 0) ~> [](x # 1 \\/ <>(x = 2))": True,
    "<>(x = 1 /\\ <>(x = 0))": False,
    "(x = 1 /\\ []<>(y = 0)) ~> (x = 2 /\\ <>(x = 3))": True,
    "\\E n \\in 0..3 : <>(x = n /\\ [](x = n))": True,
    "<>[](y = 0) \\/ <>[](y = 1) \\/ [](y = 0 => <>(y = 1))": True,
    "[](<>(y = 1) => (x < 3 \\/ []<>(y = 1)))": False,
}
"""Of SAID, where x counts to 3 under strong fairness, and y may flip."""


@pytest.mark.parametrize(("formula", "proved"), GENERAL.items())
def test_formulas_are_nested_in_any_way(formula: str, proved: bool, folder: Path) -> None:
    write_module(folder, f"{SAID}SF_vars(Inc(1))\nOwn == {formula}")
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY Own\nCHECK_DEADLOCK FALSE\n")
    (result,) = _live("--engine", "explicit", code=0 if proved else 10)["results"]
    assert result["verdict"] == ("PROVED" if proved else "VIOLATED")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("\\E n \\in 0..x : <>(x = n)", "a finite set that is the same in all states"),
    ],
)
def test_other_formulas_are_refused_with_their_place(formula: str, expected: str, folder: Path) -> None:
    write_module(folder, f"{SAID}TRUE\nOwn == {formula}")
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY Own\nCHECK_DEADLOCK FALSE\n")
    error = wrong("live", "M.tla")
    assert expected in error
    assert "M.tla:11:" in error


@pytest.mark.thorough
def test_all_of_a_property_is_decided(folder: Path) -> None:
    claims = {
        "Both": ("[](x <= 3) /\\ []<>(x = 0)", True),
        "States": ("[](x <= 2) /\\ []<>(x = 0)", False),
        "Steps": ("[][x' > x]_vars /\\ []<>(x = 0)", False),
        "First": ("x = 1 /\\ []<>(x = 0)", False),
        "Safe": ("[](x <= 3)", True),
    }
    said = "\n".join(f"{name} == {claim}" for name, (claim, _) in claims.items())
    body = "Init == x = 0\nNext == x' = (x + 1) % 4\nLive == Init /\\ [][Next]_vars /\\ WF_vars(Next)"
    write_module(folder, f"EXTENDS Naturals\nVARIABLE x\nvars == x\n{body}\n{said}\n")
    Path("M.cfg").write_text(f"SPECIFICATION Live\nPROPERTY {' '.join(claims)}\nCHECK_DEADLOCK FALSE\n")
    done = verify("live", "M.tla", "--format", "json")
    assert done.exit_code == 10, done.output
    assert "Safe is about single states and steps, not whole executions: verify check, bmc" in done.stderr
    found = {result["property"]: result["verdict"] for result in json.loads(done.stdout)["results"]}
    expected = {name: "PROVED" if holds else "VIOLATED" for name, (_, holds) in claims.items()}
    assert found == {name: verdict for name, verdict in expected.items() if name != "Safe"}
    proof = folder / "proof.json"
    words = ("M.tla", "--property", "Both", "--certificate", str(proof))
    for command, code in ((("live", "--engine", "prove"), 0), (("prove",), 12)):
        assert verify(*command, *words).exit_code == code
        assert verify("certify", str(proof), "--spec", "M.tla").exit_code == 0
    assert "verify check, bmc, explore and prove check it" in wrong("live", "M.tla", "--property", "Safe")


def test_what_a_property_says_of_states_is_left_to_the_others(folder: Path) -> None:
    write_module(folder, f"{SAID}SF_vars(Inc(1))\nBoth == [](x <= 3) /\\ <>(x = 3)")
    Path("M.cfg").write_text("SPECIFICATION Live\nPROPERTY Both\nCHECK_DEADLOCK FALSE\n")
    (result,) = _live("--property", "Both", code=0)["results"]
    assert result["property"] == "Both"
    run = json.loads(verify("bmc", "M.tla", "--depth", "4", "--format", "json").stdout)
    found = {result["property"]: result["verdict"] for result in run["results"]}
    assert found == {"Both": "HOLDS", "Both (temporal part)": "INCONCLUSIVE"}
    text = verify("bmc", "M.tla", "--depth", "4").stdout
    assert "at most 4 actions violates Both (safety part)" in text
    assert "\nBoth (safety part)     HOLDS(4)" in text


_STEPS_ALONE = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\\ [][Next]_x
Both == [](x <= 3) /\\ []<>(x = 3)
Other == [](x <= 3) /\\ []<>(x = 0)
"""


_SAFETY_ENGINES = ("prove", "explore", "explore --by translation", "bmc --depth 4", "simulate")


@pytest.mark.parametrize("words", _SAFETY_ENGINES)
@pytest.mark.parametrize("asked", ["Both", "all"])
def test_a_named_property_is_not_decided_by_its_safety_part(words: str, asked: str, folder: Path) -> None:
    """An execution may stop in state 0, so Both is violated, but not by a state or a step."""
    write_module(folder, _STEPS_ALONE)
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Both Other\nCHECK_DEADLOCK FALSE\n")
    command, *options = words.split()
    done = verify(command, "M.tla", *options, "--property", asked, "--format", "json")
    found = {result["property"]: result["verdict"] for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 12
    assert "INCONCLUSIVE" in (found["Both"], found.get("Both (temporal part)"))
    assert ("Other" in found) is (asked == "all")
    assert any(name.startswith("Other (") for name in found) <= (asked == "all")
    assert verify("live", "M.tla", "--property", "Both").exit_code == 10


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
def test_sorts_are_widened_where_fairness_rests_on_a_step_beyond_them(engine: str, folder: Path) -> None:
    body = "Init == x = 0\nNext == x < 3 /\\ x' = x + 1\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)"
    claims = "Within == x < 2\nStays == []<>(x = 0)"
    write_module(folder, f"EXTENDS Naturals\nVARIABLE x\n{body}\n{claims}")
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Stays\nCONSTRAINT Within\nCHECK_DEADLOCK FALSE\n")
    (result,) = _live("--engine", engine, code=0)["results"]
    assert result["verdict"] == "HOLDS"


FORMULAS = {
    "[]<>(x = 1)": True,
    "<>[](x = 1)": False,
    "[](x = 2 => <>(x = 0))": False,
    "x = 0 ~> x = 2": True,
    "x = 2 ~> x = 0": False,
    "<>(x = 2 /\\ []<>(x = 2))": True,
    "\\A n \\in 1..2 : []<>(x = n)": True,
    "\\E n \\in 0..2 : <>[](x # n)": True,
    "[][x' # x]_x": True,
    "[][x' > x]_x": False,
    "<><<x' < x>>_x": True,
    "WF_x(x = 1 /\\ x' = 2)": True,
    "WF_x(x' = 3)": False,
    "SF_x(x = 2 /\\ x' = 0)": False,
    "WF_x(x = 2 /\\ x' = 0)": True,
    "LET P == x = 1 IN []<>P": True,
    "~<>(x = 3)": True,
    "<>(x = 2) <=> []<>(x = 1)": True,
}
"""Of the execution 0, 1, 2, 1, 2, …"""


@pytest.mark.parametrize(("formula", "expected"), FORMULAS.items())
def test_the_interpreter_judges_infinite_executions(formula: str, expected: bool, tmp_path: Path) -> None:
    body = f"EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' \\in 0..2\nTold == {formula}"
    spec = specify_module(tmp_path, body)
    told = spec.module.names["Told"]
    assert isinstance(told, ast.Definition)
    whole = Formula(ast.Apply(told, place=told.place), "M")
    assert Lasso(spec.evaluator, [(0,), (1,), (2,)], 1).holds(whole) is expected


CHOSEN = """EXTENDS Naturals
VARIABLES x, S
vars == <<x, S>>
Init == x = 2 /\\ S = {2, 3}
Grow == 1 \\notin S /\\ S' = S \\union {1} /\\ UNCHANGED x
Pick == \\E m \\in S : x' = m /\\ UNCHANGED S
Next == Grow \\/ Pick
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Grow) /\\ WF_vars(Pick)
Left == <>(x = 3)
First == <>(x = 1)
"""


@pytest.mark.parametrize("engine", ["explicit", "prove"])
def test_fairness_of_a_choice_among_what_the_state_has_is_met_by_any_member(
    engine: str, folder: Path
) -> None:
    """TLC: First is violated by 2, 3, 2, 3, ...; Left is violated by 2, 1, 2, 1, ..."""
    write_module(folder, CHOSEN)
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Left First\nCHECK_DEADLOCK FALSE\n")
    run = _live("--engine", engine, code=10)
    assert {one["property"]: one["verdict"] for one in run["results"]} == {
        "Left": "VIOLATED",
        "First": "VIOLATED",
    }


def test_fairness_of_a_choice_is_not_met_while_any_member_is_possible(folder: Path) -> None:
    """Who stutters at x = 2 is not fair: a step to 3 is possible."""
    write_module(
        folder, CHOSEN.replace("Next == Grow \\/ Pick", "Next == Pick").replace(" /\\ WF_vars(Grow)", "")
    )
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Left\nCHECK_DEADLOCK FALSE\n")
    run = _live(code=0)
    assert [one["verdict"] for one in run["results"]] == ["PROVED"]


PAIRS = """EXTENDS Naturals
N == 1..3
VARIABLE sent
Pairs == {<<m, n>> \\in N \\X N : m # n}
Init == sent = {}
Send(m, n) == <<m, n>> \\notin sent /\\ sent' = sent \\cup {<<m, n>>}
Next == \\E <<m, n>> \\in Pairs : Send(m, n)
Base == Init /\\ [][Next]_sent
Guarded == Base /\\ \\A m, n \\in N : m # n => WF_sent(Send(m, n))
Chosen == Base /\\ \\A m, n \\in N : IF m = n THEN TRUE ELSE LET fair == m < 9 IN fair => WF_sent(Send(m, n))
Tuples == Base /\\ \\A <<m, n>> \\in Pairs : WF_sent(Send(m, n))
Few == Base /\\ \\A m, n \\in N : m < n => WF_sent(Send(m, n))
All == \\A m, n \\in N : m # n => <>(<<m, n>> \\in sent)
Each == \\A <<m, n>> \\in Pairs : <>(<<m, n>> \\in sent)
"""


@pytest.mark.parametrize("specification", first_of(["Guarded", "Chosen", "Tuples", "Few"], 1))
def test_fairness_of_each_pair_of_values(specification: str, folder: Path) -> None:
    write_module(folder, PAIRS)
    Path("M.cfg").write_text(f"SPECIFICATION {specification}\nPROPERTIES All Each\nCHECK_DEADLOCK FALSE\n")
    code, verdict = (10, "VIOLATED") if specification == "Few" else (0, "PROVED")
    assert [one["verdict"] for one in _live(code=code)["results"]] == [verdict, verdict]


def test_tuples_that_do_not_fit_are_refused_with_their_place(folder: Path) -> None:
    write_module(folder, PAIRS.replace("<<m, n>> \\in Pairs : WF", "<<m, n, k>> \\in Pairs : WF"))
    Path("M.cfg").write_text("SPECIFICATION Tuples\nPROPERTIES All\nCHECK_DEADLOCK FALSE\n")
    assert "M.tla:12:38: tuples of 3 are expected" in wrong("live", "M.tla")


def test_an_action_is_named_by_the_parts_of_a_tuple(folder: Path) -> None:
    write_module(folder, PAIRS + "Two == sent # {<<1, 2>>}\n")
    Path("M.cfg").write_text("SPECIFICATION Base\nINVARIANT Two\nCHECK_DEADLOCK FALSE\n")
    assert "Send(m=1, n=2)" in verify("bmc", "M.tla", "--steps", "serial").output


PARTLY = """EXTENDS Naturals, Sequences
VARIABLES q, y
Init == q = <<1>> /\\ y = 0
Turn == \\E k \\in {1, 3} : Head(q) < 3 /\\ k < 2 /\\ q' = IF Len(q) = 1 THEN <<2, 1>> ELSE <<1>>
Next == (Turn /\\ UNCHANGED y) \\/ (y' = 1 - y /\\ UNCHANGED q)
Spec == Init /\\ [][Next]_<<q, y>> /\\ WF_q(Turn /\\ UNCHANGED y)
Claim == WF_q(Turn)
Again == []<>(Head(q) = 1)
"""


@pytest.mark.thorough
def test_ways_of_an_action_that_are_never_possible_say_nothing_of_what_they_leave_open(folder: Path) -> None:
    write_module(folder, PARTLY)
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Claim Again\nCHECK_DEADLOCK FALSE\n")
    assert [one["verdict"] for one in _live(code=0)["results"]] == ["PROVED", "PROVED"]


def test_a_step_that_fairness_names_is_called_as_the_module_does(folder: Path) -> None:
    """An action with several ways, which have numbers."""
    body = """EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = "a"
Next == \\/ x = 0 /\\ x' = 1 /\\ y' \\in {"a", "b", "?"}
        \\/ x = 1 /\\ x' = 0 /\\ \\E z \\in {"a", "?"} : y' = z /\\ z # "a"
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_x(Next)
Live == <>(x = 5)"""
    write_module(folder, body)
    Path("M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Live\n")
    found = verify("live", "M.tla", "--trace-out", "t.json")
    assert 'Next(z="?") from state 1' in found.stdout
    assert "Next_" not in found.stdout + Path("t.json").read_text()


CLOCK = """EXTENDS Naturals
VARIABLE now
Init == now = 0
Tick == now < {last} /\\ now' = now + 1
Next == Tick \\/ (now = 2 /\\ now' = 0)
Spec == Init /\\ [][Next]_now /\\ {fairness}
Bound == now < {bound}
Far == <>(now > 100)
"""


@pytest.mark.parametrize("by", ["interpreter", "translation"])
@pytest.mark.parametrize(
    ("last", "bound", "fairness", "is_vacuous"),
    [
        (9, 4, "WF_now(Tick)", False),  # goes round below the bound
        (9, 2, "WF_now(Tick)", True),
        (9, 2, "SF_now(Tick)", True),
        (9, 4, "SF_now(Tick)", False),
        (1, 2, "WF_now(Tick)", False),  # may stop where Tick is impossible
        (9, 2, "TRUE", False),
    ],
)
def test_a_property_that_holds_since_no_fair_execution_is_left_says_so(
    by: str, last: int, bound: int, fairness: str, is_vacuous: bool, folder: Path
) -> None:
    write_module(folder, CLOCK.format(last=last, bound=bound, fairness=fairness))
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Far\nCONSTRAINT Bound\n")
    (found,) = _live("--by", by, "--engine", "explicit", code=0 if is_vacuous else 10)["results"]
    if is_vacuous:
        assert found["verdict"] == "HOLDS"
        assert found["reason"].startswith("vacuous: no fair execution stays within the constraint")
    else:
        assert found["verdict"] == "VIOLATED"


def test_fairness_is_read_once_for_all_properties(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That no fair execution is left is found once, too."""
    calls: list[Any] = []

    def split(*arguments: Any) -> Any:
        calls.append(arguments)
        return split_fairness(*arguments)

    monkeypatch.setattr(liveness, "split_fairness", split)
    more = "Again == []<>(now > 200)\n"
    write_module(folder, CLOCK.format(last=9, bound=2, fairness="WF_now(Tick)") + more)
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Far Again\nCONSTRAINT Bound\n")
    results = _live("--by", "interpreter", "--engine", "explicit", code=0)["results"]
    assert [one["reason"][:8] for one in results] == ["vacuous:", "vacuous:"]
    assert len(calls) == 1


_COUNTERS = """EXTENDS Naturals
VARIABLES x, y, z
vars == <<x, y, z>>
Init == x = 0 /\\ y = 0 /\\ z = 0
Next == \\/ x < 19 /\\ x' = x + 1 /\\ UNCHANGED <<y, z>>
        \\/ y < 19 /\\ y' = y + 1 /\\ UNCHANGED <<x, z>>
        \\/ z < 19 /\\ z' = z + 1 /\\ UNCHANGED <<x, y>>
Spec == Init /\\ [][Next]_vars /\\ WF_vars(y' = y + 1 /\\ Next)
Moves == <>(x > 0)
Climbs == <>(y = 19)
Stays == (x = 18 /\\ y = 19) ~> (x = 19)
"""


def test_a_loop_among_the_first_states_is_found_before_all_are_explored(folder: Path) -> None:
    """The others are decided among all states. ``Stays`` fails only in states that are reached late."""
    write_module(folder, _COUNTERS)
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES Moves Climbs Stays\nCHECK_DEADLOCK FALSE\n")
    asked = ("--by", "interpreter")
    alone = _live(*asked, "--property", "Moves", code=10)
    assert alone["results"][0]["verdict"] == "VIOLATED"
    assert alone["statistics"]["distinct_states"] < 8_000
    assert not alone["statistics"]["complete"]
    found = _live(*asked, code=10)
    verdicts = {one["property"]: one["verdict"] for one in found["results"]}
    assert verdicts == {"Moves": "VIOLATED", "Climbs": "PROVED", "Stays": "VIOLATED"}
    assert found["statistics"]["distinct_states"] == 8_000
    first = _live(*asked, "--first", code=10)
    assert first["statistics"]["distinct_states"] < 8_000
    assert {one["property"]: one["reason"] for one in first["results"] if one["verdict"] != "VIOLATED"}


@pytest.mark.parametrize("states", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("specification", HOLDING)
def test_first_states_prove_nothing(
    specification: str, states: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "POLICY", replace(POLICY, states_before_loops=states))
    write_module(folder, RING)
    config = f"SPECIFICATION {specification}\nPROPERTIES {' '.join(ALL)}\nCHECK_DEADLOCK FALSE\n"
    (folder / "M.cfg").write_text(config)
    found = _live("--by", "interpreter", code=10)
    proved = {one["property"] for one in found["results"] if one["verdict"] == "PROVED"}
    violated = {one["property"] for one in found["results"] if one["verdict"] == "VIOLATED"}
    assert proved == HOLDING[specification]
    assert violated == set(ALL) - proved


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_a_fairness_condition_for_each_element_is_named_by_its_text(by: str, tmp_path: Path) -> None:
    r"""The value that is put for a name has the place of the set, which begins before the action."""
    body = """VARIABLES pc, turn
Init == pc = [p \\in {1, 2} |-> "idle"] /\\ turn = 2
Enter(p) == pc[p] = "idle" /\\ turn = p /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ UNCHANGED turn
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "idle"] /\\ turn' \\in {1, 2}
Next == \\E p \\in {1, 2} : Enter(p) \\/ Leave(p)
Spec == Init /\\ [][Next]_<<pc, turn>> /\\ \\A p \\in {1, 2} : WF_<<pc, turn>>(Enter(p) \\/ Leave(p))
Each == []<>(pc[1] = "in")
"""
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Each\n")
    said = verify("live", str(write_module(tmp_path, body)), "--by", by).stdout
    assert "\n  WF of Enter(p) \\/ Leave(p) with p = 1: enabled in no state of the loop" in said
