"""The commands that an answer advises are complete: copied, they ask about the same spec."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify

MODULE = """---- MODULE Walk ----
EXTENDS Steps
CONSTANTS Places, None
VARIABLE at
Init == at = None
Next == \\E p \\in Places : at' = p
Spec == Init /\\ [][Next]_at /\\ WF_at(Next)
Known == at \\in Places \\cup {None}
Near == Small(3)
Gone == at # "lost"
Far == <>(at # None)
===="""


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A module that extends one of another folder."""
    (tmp_path / "other parts").mkdir()
    steps = "---- MODULE Steps ----\nEXTENDS Naturals\nSmall(n) == n < 4\n====\n"
    (tmp_path / "other parts" / "Steps.tla").write_text(steps)
    (tmp_path / "Walk.tla").write_text(MODULE)
    text = "SPECIFICATION Spec\nCONSTANTS Places = {p1, p2}\nNone = None\n"
    (tmp_path / "Small.cfg").write_text(
        f"{text}INVARIANTS Known Near Gone\nPROPERTY Far\nCHECK_DEADLOCK FALSE\n"
    )
    return tmp_path / "Walk.tla"


def _advised(said: str, before: str) -> list[str]:
    """Return the words of the command behind these words, which stands last in its paragraph."""
    text = said[said.index(before) + len(before) :]
    lines = text.split("\n")
    command = [lines[0], *(line for line in lines[1:2] if line.startswith("  "))]
    return shlex.split(" ".join(command))[1:]


def test_the_command_for_live_has_all_that_was_given(walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(walk.parent)
    given = ("--config", "Small.cfg", "--library", "other parts", "--set", "Places={x, y, z}")
    done = verify("explore", "Walk.tla", *given)
    advised = _advised(done.stdout, "To decide Far, run: ")
    assert advised == ["live", "Walk.tla", *given, "--property", "Far"]
    answer = json.loads(verify(*advised, "--format", "json").stdout)
    assert answer["constants"]["Places"] == "{x, y, z}"
    assert answer["results"][0]["verdict"] == "PROVED"


def test_the_command_that_goes_on_has_the_constants() -> None:
    done = verify("check", "kip320", "--set", "replicas=4", "--timeout", "1", "--property", "StrongIsr")
    words = "StrongIsr is open. To continue, with more time, run: "
    assert _advised(done.stdout, words) == [
        *("prove", "kip320", "--set", "replicas=4", "--property", "StrongIsr"),
    ]


def test_holds_names_the_properties_beside_a_violated_one(tmp_path: Path) -> None:
    path = tmp_path / "Odd.tla"
    path.write_text(
        "---- MODULE Odd ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
        "A == x >= 0\nB == x < 9\nC == x < 2\nD == x # 7\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS A B C D\n")
    asked = [word for name in "ABCD" for word in ("--property", name)]
    said = verify("bmc", str(path), "--depth", "3", *asked).stdout
    assert "HOLDS(3): no execution of at most 3 actions violates A, B or D.\n" in said
    said = verify("bmc", str(path), "--depth", "3", *asked[:4]).stdout
    assert "HOLDS(3): no execution of at most 3 actions violates these properties.\n" in said


def test_the_configuration_says_that_deadlocks_do_not_count() -> None:
    module = str(ROOT / "docs" / "examples" / "FencedLock.tla")
    said = " ".join(verify("explore", module).stdout.split())
    why = "since FencedLock.cfg says CHECK_DEADLOCK FALSE. With --deadlock it would be a violation."
    words = f"This is not a violation, {why}"
    assert f"4 states have no enabled action. {words}" in said


def test_an_error_of_the_module_is_told_once_and_no_command_is_advised(tmp_path: Path) -> None:
    """More time would not decide a property if an expression has no value."""
    path = tmp_path / "Jobs.tla"
    path.write_text(
        "---- MODULE Jobs ----\nEXTENDS Naturals, Sequences\nVARIABLES queue, left\n"
        "Init == queue = <<1, 2>> /\\ left = 3\n"
        "Next == left > 0 /\\ left' = left - 1 /\\ queue' = Tail(queue)\n"
        "Few == Len(queue) < 3\nFull == left > 2\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Few Full\n")
    said = " ".join(verify("check", str(path)).stdout.split())
    assert "Few and NoDeadlock are open, because of an error in the module: " in said
    assert said.count("in the state queue = <<>>") == 1
    assert "To continue, with more time" not in said
    assert "cannot decide" not in said
