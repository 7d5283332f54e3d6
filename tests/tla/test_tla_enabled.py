"""ENABLED, and so fairness, of an instance that puts expressions for variables.

Below ENABLED, what is primed is not what is put for the variable, primed: the action has variables of its own
there, which may become whatever it says. TLC says the same of all modules here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.tla_modules import write_module

INNER = """EXTENDS Naturals
CONSTANT Most
VARIABLES a, b
Step == a' = 0 /\\ b' = 1
Up(n) == a < Most /\\ a' = a + n /\\ UNCHANGED b
Can == ENABLED Step
CanUp(n) == ENABLED Up(n)
Other == ENABLED <<UNCHANGED a /\\ b' = 0>>_<<a, b>>
Fair == WF_<<a, b>>(Step)
FairUp == SF_a(Up(1))
"""
OUTER = """EXTENDS Naturals
VARIABLES x, y
One == INSTANCE Inner WITH a <- x, b <- x, Most <- 2
Sum == INSTANCE Inner WITH a <- x + 1, b <- y, Most <- 2
Put == INSTANCE Inner WITH a <- y, b <- x, Most <- 2
Fixed == INSTANCE Inner WITH a <- y, b <- 5, Most <- 2
For(n) == INSTANCE Inner WITH a <- x + n, b <- x - n, Most <- n + 2
Half == INSTANCE Inner WITH a <- x \\div 2, b <- y, Most <- 1
Init == x = 0 /\\ y = 0
Next == x' = (x + 1) % 4 /\\ y' = y
Spec == Init /\\ [][Next]_<<x, y>>
Live == Spec /\\ WF_<<x, y>>(Next)
"""
STATES = {
    "One!Can": True,
    "Sum!Can": True,
    "Put!Can": True,
    "Fixed!Can": True,
    "\\A n \\in 0..1 : For(n)!Can": True,
    "One!Other": False,
    "Sum!Other": False,
    "Fixed!Other": True,
    "Half!CanUp(1) <=> x < 2": True,
    "Half!CanUp(1)": False,
    "Sum!CanUp(7) <=> x = 0": True,
    "\\E n \\in {3, 9} : For(n)!CanUp(n) <=> x < 2": True,
    "For(9)!CanUp(0)": False,
}
ENGINES = (["explore"], ["bmc", "--depth", "5"], ["prove"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_module(tmp_path, INNER, "Inner")
    return tmp_path


def _verdicts(*words: str) -> dict[str, str]:
    done = verify(*words, "M.tla", "--format", "json")
    assert done.stdout, done.output
    return {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize("words", ENGINES, ids=lambda words: words[0])
def test_what_is_enabled_of_an_instance(words: list[str], folder: Path) -> None:
    lines = "\n".join(f"C{index} == {claim}" for index, claim in enumerate(STATES))
    write_module(folder, OUTER + lines)
    names = " ".join(f"C{index}" for index in range(len(STATES)))
    (folder / "M.cfg").write_text(f"SPECIFICATION Spec\nINVARIANT {names}\n")
    found = _verdicts(*words)
    holds = "PROVED" if words[0] == "prove" else "HOLDS"
    expected = [holds if claim else "VIOLATED" for claim in STATES.values()]
    assert [found[f"C{index}"] for index in range(len(STATES))] == expected


@pytest.mark.parametrize(
    ("specification", "claim", "proved"),
    [
        ("Live", "One!Fair", False),
        ("Live", "Sum!Fair", False),
        ("Live", "Put!Fair", True),
        ("Spec", "Put!Fair", False),
        ("Live", "Fixed!Fair", False),
        ("Live", "Half!FairUp", True),
        ("Spec", "Half!FairUp", False),
        ("Live", "Sum!FairUp", True),
        ("Spec", "Sum!FairUp", False),
        ("Live", "\\A n \\in 1..2 : For(n)!FairUp", False),
        ("Spec", "\\A n \\in 1..2 : For(n)!FairUp", False),
    ],
)
def test_fairness_of_an_instance(specification: str, claim: str, proved: bool, folder: Path) -> None:
    write_module(folder, f"{OUTER}Claim == {claim}\n")
    (folder / "M.cfg").write_text(f"SPECIFICATION {specification}\nPROPERTY Claim\n")
    assert _verdicts("live") == {"Claim": "PROVED" if proved else "VIOLATED"}


def test_what_is_below_a_let_is_refused_with_its_place(folder: Path) -> None:
    write_module(folder, INNER + "Within == LET Act == Step IN ENABLED Act\n", "Inner")
    write_module(folder, OUTER + "Claim == Half!Within\n")
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Claim\n")
    assert "Inner.tla:12:30: ENABLED and fairness below a LET" in wrong("explore", "M.tla")


def test_a_primed_value_that_fairness_cannot_read_is_no_reason_to_leave_it_out(folder: Path) -> None:
    """TLC ends with an error here. An action that is never possible would be fair."""
    write_module(
        folder,
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 4\nHalf == x \\div 2\n"
        "Flip == Half' = 1 - Half\nSpec == Init /\\ [][Next]_x\nClaim == WF_Half(Flip)\n",
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Claim\n")
    assert "M.tla:9:10: WF of Flip reads the next value of x before it assigns it" in wrong(
        "live", "M.tla", "--by", "translation"
    )
    assert "M.tla:6:9: x has no value in the next state yet" in wrong("live", "M.tla")


def test_fairness_of_an_action_without_a_name_is_named_by_its_text(folder: Path) -> None:
    write_module(
        folder,
        "EXTENDS Naturals\nVARIABLES x, y, z\nInit == x = 0 /\\ y = 0 /\\ z = 0\n"
        "Next == x' = 1 - x /\\ UNCHANGED <<y, z>>\nSpec == Init /\\ [][Next]_<<x, y, z>>\n"
        "Claim == WF_y(y' # y + z')\nOther == WF_<<x, y, z>>(x' = 1 - x)\n",
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Claim\n")
    said = wrong("live", "M.tla", "--by", "translation")
    assert "WF of y' # y + z' reads the next value of y before it assigns it" in said
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Other\n")
    said = wrong("live", "M.tla", "--by", "translation")
    assert "WF of x' = 1 - x leaves open the next values of y and z" in said


ARGUMENTS = """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Up == x < 2 /\\ x' = x + 1 /\\ y' = y
Set(k) == x < k /\\ x' = k /\\ y' = y
Back == x = 2 /\\ x' = 0 /\\ y' = 1 - y
Next == Up \\/ Back
Can(A) == ENABLED A
CanAll(A(_), S) == \\A k \\in S : ENABLED A(k)
Through(A, B) == Can(A) \\/ LET b == Can(B) IN b
Fair(A) == WF_vars(A)
Spec == Init /\\ [][Next]_vars /\\ Fair(Up) /\\ Fair(Back)
Unfair == Init /\\ [][Next]_vars /\\ Fair(Up)
Some == Through(Up, Back)
All == CanAll(Set, 3..4)
First == Can(Up)
Lambda == CanAll(LAMBDA k : x = k /\\ UNCHANGED vars, {x})
Again == []<>(y = 1)
"""


@pytest.mark.parametrize("words", ENGINES, ids=lambda words: words[0])
def test_what_is_enabled_of_an_argument(words: list[str], folder: Path) -> None:
    """ENABLED of an action that is an argument speaks of one state, whatever the action is."""
    write_module(folder, ARGUMENTS)
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANTS Some All First Lambda\n")
    holds = "PROVED" if words[0] == "prove" else "HOLDS"
    expected = {"Some": holds, "All": holds, "First": "VIOLATED", "Lambda": holds, "NoDeadlock": holds}
    assert _verdicts(*words) == expected


@pytest.mark.parametrize(("specification", "verdict"), [("Spec", "PROVED"), ("Unfair", "VIOLATED")])
def test_fairness_of_an_argument(specification: str, verdict: str, folder: Path) -> None:
    write_module(folder, ARGUMENTS)
    (folder / "M.cfg").write_text(f"SPECIFICATION {specification}\nPROPERTY Again\n")
    assert _verdicts("live") == {"Again": verdict}


@pytest.mark.parametrize("formula", ["x' > x", "Can(Up) /\\ UNCHANGED x", "Both(Up)", "Put!CanStep"])
def test_an_argument_that_stands_elsewhere_too_speaks_of_two_states(formula: str, folder: Path) -> None:
    """So does that of an instance that puts expressions for variables: it has no variables of its own."""
    inner = "VARIABLE a\nStep == a' = 0\nCan(A) == ENABLED A\nCanStep == Can(Step)\n"
    write_module(folder, inner, "Inner")
    more = "Both(A) == Can(A) /\\ A\nPut == INSTANCE Inner WITH a <- x + y\n"
    write_module(folder, f"{ARGUMENTS}{more}Wrong == {formula}\n")
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Wrong\n")
    assert "INVARIANT Wrong: it is about two states" in wrong("explore", "M.tla")


def test_properties_with_the_same_refusal_are_named_together(folder: Path) -> None:
    write_module(
        folder,
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 4\nSpec == Init /\\ [][Next]_x\n"
        "Odd == x' # x + 1 /\\ x' = 0\nFair == WF_x(Odd)\nOne == Fair\n"
        "Other == Fair \\/ <>(x = 5)\nGood == <>(x = 3)\n",
    )
    (folder / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTIES One Other Good\n")
    done = verify("live", "M.tla", "--by", "translation")
    assert "One and Other are left open: M.tla:8:9: WF of Odd " in done.stderr
