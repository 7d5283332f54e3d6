"""Engines that translate a module say what the interpreter, and so TLC, says of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify, wrong
from tests.support.tla_modules import few, write_module
from verifier.runs.modules import bounded_checking
from verifier.tla.translate import translation
from verifier.tla.translate.scouting import Scout

LOCK = str(ROOT / "docs" / "examples" / "FencedLock.tla")
CONFIG = "INIT Init\nNEXT Next\n"
ENGINES = (["explore"], ["bmc", "--depth", "6"], ["prove"], ["simulate", "--walks", "100", "--depth", "8"])

EACH = [pytest.param(w, marks=pytest.mark.thorough) if w == ["prove"] else w for w in ENGINES]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _module(folder: Path, body: str, config: str) -> None:
    write_module(folder, body)
    (folder / "M.cfg").write_text(CONFIG + config)


def _run(*words: str) -> tuple[int, dict[str, tuple[str, int | None]]]:
    result = verify(*words, "M.tla", "--format", "json")
    assert result.stdout, result.output
    run: dict[str, Any] = json.loads(result.stdout)
    return result.exit_code, {one["property"]: (one["verdict"], one["steps"]) for one in run["results"]}


# -- ACTION_CONSTRAINT

BOUNDED = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 5 /\\ x' = x + 1
Allowed == x' < 3
Low == x < 3
Slow == [][x' < 3]_x
"""


@pytest.mark.parametrize("words", EACH)
def test_the_state_behind_an_excluded_step_is_checked_and_nothing_follows_it(
    words: list[str], folder: Path
) -> None:
    walks = words[0] == "simulate"  # a walk ends before the first step that violates something
    _module(folder, BOUNDED, f"ACTION_CONSTRAINT Allowed\nINVARIANT Low\n{'' if walks else 'PROPERTY Slow'}")
    code, found = _run(*words)
    assert code == 10
    assert found["Low"] == found.get("Slow", found["Low"]) == ("VIOLATED", 3)
    assert found["NoDeadlock"][0] in ("HOLDS", "PROVED", "INCONCLUSIVE" if walks else "")


def test_a_trace_that_goes_on_behind_an_excluded_step_is_refused(folder: Path) -> None:
    _module(folder, BOUNDED, "INVARIANT Four\n")
    write_module(folder, f"{BOUNDED}Four == x < 4\n")
    assert verify("bmc", "M.tla", "--depth", "6", "--trace-out", "t.json").exit_code == 10
    assert verify("replay", "t.json", "--spec", "M.tla").exit_code == 0
    _module(folder, f"{BOUNDED}Four == x < 4\n", "INVARIANT Four\nACTION_CONSTRAINT Allowed\n")
    said = wrong("replay", "t.json", "--spec", "M.tla")
    assert "step 3: the ACTION_CONSTRAINT lets no step follow this one" in said


@pytest.mark.thorough
def test_fairness_beside_an_action_constraint(folder: Path) -> None:
    write_module(
        folder,
        "EXTENDS Naturals\nVARIABLE x\nNext == x' = (x + 1) % 4\n"
        "Spec == x = 0 /\\ [][Next]_x /\\ WF_x(Next)\nAllowed == x' # 3\nTwo == <>(x = 2)",
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nACTION_CONSTRAINT Allowed\nPROPERTY Two\n")
    assert _run("live") == (0, {"Two": ("HOLDS", None)})


# -- initial states

INITIAL = """EXTENDS Naturals
VARIABLE x
Init == x \\in 0..5
Next == x' = (x + 1) % 3
Within == x < 3
Low == x < 5
First == x < 4 /\\ [][x' < 3]_x
"""


@pytest.mark.parametrize("words", EACH)
def test_initial_states_beyond_the_constraint_are_checked(words: list[str], folder: Path) -> None:
    _module(folder, INITIAL, "CONSTRAINT Within\nINVARIANT Low\nPROPERTY First\n")
    code, found = _run(*words)
    assert (code, found["Low"], found["First"]) == (10, ("VIOLATED", 0), ("VIOLATED", 0))


@pytest.mark.parametrize("words", [["explore"], ["bmc"], ["bmc", "--solver=z3"], ["prove"], ["simulate"]])
def test_no_initial_state(words: list[str], folder: Path) -> None:
    _module(folder, INITIAL.replace("0..5", "{}"), "INVARIANT Low\n")
    assert "no state satisfies Init" in wrong(*words, "M.tla")
    _module(folder, f"{INITIAL}Nowhere == x > 7\nFew == x < 9\n", "INVARIANT Few\nCONSTRAINT Nowhere\n")
    assert "that nothing can happen" in wrong(*words, "M.tla")


# -- what has no value

TAILS = """EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<1, 2, 3>>
Next == q' = Tail(q)
Long == Len(q) > 1
Short == Len(q) < 9
"""


@pytest.mark.parametrize("words", EACH[:3])
def test_what_is_violated_before_something_has_no_value_is_violated(words: list[str], folder: Path) -> None:
    _module(folder, TAILS, "INVARIANT Long Short\n")
    code, found = _run(*words)
    assert code == 10
    assert found["Long"] == ("VIOLATED", 2)
    assert found["Short"] == found["NoDeadlock"] == ("INCONCLUSIVE", None)
    assert "Tail of the empty sequence has no value" in verify(*words, "M.tla", "--format", "json").stdout


def test_an_initial_state_without_a_value_is_named(folder: Path) -> None:
    _module(folder, "VARIABLES x, y\nInit == <<x, y>> = <<0, 0>>\nNext == UNCHANGED <<x, y>>", "")
    for words in ENGINES:
        assert "x has no value yet: assign it before it is read, in Init" in wrong(*words, "M.tla")


def test_what_is_violated_before_the_sorts_are_left_stays_violated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "sample", few)
    monkeypatch.setattr(Scout, "widen", lambda *_: None)
    monkeypatch.setattr(bounded_checking, "search_by_interpreter", lambda *_: None)
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 9\n"
    _module(folder, f"{body}Low == x < 2\nHigh == x < 9", "INVARIANT Low High\n")
    code, found = _run("bmc", "--depth", "4")
    assert (code, found["Low"], found["High"][0]) == (10, ("VIOLATED", 2), "HOLDS")
    assert "goes beyond the guessed range" in verify("bmc", "M.tla", "--depth", "4").stderr


# -- functions whose domain varies

BAG = """EXTENDS Naturals, Bags
VARIABLE b
Init == b = EmptyBag
Next == \\/ \\E e \\in {"x", "y"} : CopiesIn(e, b) < 2 /\\ b' = b (+) SetToBag({e})
        \\/ \\E e \\in BagToSet(b) : b' = b (-) SetToBag({e})
Small == BagCardinality(b) < 4
"""


@pytest.mark.parametrize("words", EACH)
def test_a_value_takes_the_kind_that_the_state_decides(words: list[str], folder: Path) -> None:
    _module(folder, BAG, "INVARIANT Small\n")
    code, found = _run(*words)
    assert (code, found["Small"]) == (10, ("VIOLATED", 4))


# -- the constants of a file of results


def test_a_proof_and_a_trace_are_of_the_constants_that_they_name(folder: Path) -> None:
    three = ("--spec", LOCK, "--set", "Client={c1, c2, c3}")
    assert verify("prove", *three, "--property", "TypeOK", "--certificate", "p.json").exit_code == 0
    checked = verify("certify", "p.json", "--spec", LOCK)
    assert checked.exit_code == 0, checked.output
    assert "Client={c1, c2, c3}" in checked.output
    broken = (*three, "--set", "Fencing=FALSE", "--property", "InOrder")
    assert verify("bmc", *broken, "--trace-out", "t.json").exit_code == 10
    replayed = verify("replay", "t.json", "--spec", LOCK)
    assert replayed.exit_code == 0, replayed.output
    assert "warning" not in replayed.output
    assert "the trace was made with" in wrong("replay", "t.json", "--spec", LOCK, "--set", "Client={c1, c2}")


def test_constants_of_a_file_that_no_configuration_can_say_are_left(folder: Path) -> None:
    body = "EXTENDS Naturals\nCONSTANTS N, F\nVARIABLE x\nFun == [i \\in 0..2 |-> i + 1]\nInit == x = 0\n"
    body += "Next == x' = F[x]\nThree == 3\nLow == x < N"
    _module(folder, body, "CONSTANTS N <- Three F <- Fun\nINVARIANT Low")
    assert verify("bmc", "M.tla", "--set", "N=2", "--depth", "2", "--trace-out", "t.json").exit_code == 10
    assert verify("replay", "t.json", "--spec", "M.tla").exit_code == 0
    data = json.loads(Path("t.json").read_text())
    data["#meta"]["constants"] |= {"F": "[a |-> 1]", "G": 3, "N": "2"}
    Path("t.json").write_text(json.dumps(data))
    assert verify("replay", "t.json", "--spec", "M.tla").exit_code == 0


ON_THE_WAY = """EXTENDS Integers, FiniteSets, TLC
VARIABLES f, n
Init == f = (0 :> 0) /\\ n = 0
Next == /\\ n < 3 /\\ f' = [f EXCEPT ![0] = 1 - @]
        /\\ n' = IF [f EXCEPT ![0] = 50][0] = 50 THEN n + Cardinality(DOMAIN (f @@ (9 :> n))) - 1 ELSE n
Small == n < 4
"""


def test_a_proof_whose_values_on_the_way_have_sorts_of_their_own_is_checked_again(folder: Path) -> None:
    _module(folder, ON_THE_WAY, "INVARIANT Small\nCHECK_DEADLOCK FALSE")
    assert verify("prove", "M.tla", "--certificate", "p.json").exit_code == 0
    assert json.loads(Path("p.json").read_text())["own_sorts"] is True
    checked = verify("certify", "p.json", "--spec", "M.tla")
    assert checked.exit_code == 0, checked.output


# -- model values with a type

TYPED = """EXTENDS Naturals
CONSTANTS P, Q, Nil
VARIABLE x
Init == x \\in P
Next == x' \\in P \\cup {Nil}
Apart == \\A q \\in Q : q # x
Outside == x \\notin Q
Number == x # 1
Alike == x = Nil \\/ x \\in P
"""


@pytest.mark.parametrize("words", ENGINES[:2])
@pytest.mark.parametrize("name", ["Apart", "Outside", "Number"])
def test_model_values_of_different_types_are_not_compared(name: str, words: list[str], folder: Path) -> None:
    _module(folder, TYPED, "CONSTANTS P = {p_1, p_2} Q = {q_1} Nil = Nil\nCHECK_DEADLOCK FALSE")
    assert "in the state x = p_" in wrong(*words, "M.tla", "--property", name)
    assert _run(*words, "--property", "Alike")[0] == 0


# -- kinds

KINDS = """EXTENDS Integers, Sequences
VARIABLE x
Init == x = [a |-> 0]
Next == x' = -1
"""


@pytest.mark.parametrize("of", ["[{1} -> {1}]", "[a : {0, 1}]", "({0} \\X {1})", "Seq({1})", "SUBSET {1}"])
def test_what_is_looked_for_in_a_set_is_of_the_kind_of_its_members(of: str, folder: Path) -> None:
    _module(folder, f"{KINDS}Odd == x \\in {of} \\/ TRUE", "INVARIANT Odd\n")
    for words in ENGINES[:2]:
        assert "what is looked for in" in wrong(*words, "M.tla")


# -- said, not skipped


def test_a_postcondition_is_left_to_explore_and_that_is_said(folder: Path) -> None:
    body = "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n"
    _module(folder, f'{body}Post == TLCGet("distinct") = 3', "POSTCONDITION Post\n")
    assert verify("explore", "M.tla").exit_code == 10
    assert "POSTCONDITION is not evaluated here" in verify("bmc", "M.tla", "--depth", "2").stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["prove", "--lemma", "Next"], "the lemma Next is about more than one state"),
        (["bmc", "--property", "Lov"], "M.cfg names Low; did you mean 'Low'?"),
        (["bmc", "--set", "x=3"], "M has no constant or definition x"),
        (["bmc", "--set", "N=3"], "unknown constant of M 'N'"),
        (["bmc", "--set", "Low=1.."], "constant Low=1..: 1.. is not a value"),
        (["bmc", "--set", f"Low={'9' * 5000}"], "9 is beyond TLC's integers of 32 bits"),
    ],
)
def test_wrong_words_are_one_line(words: list[str], expected: str, folder: Path) -> None:
    _module(folder, BOUNDED, "INVARIANT Low\n")
    assert expected in wrong(*words, "M.tla")
