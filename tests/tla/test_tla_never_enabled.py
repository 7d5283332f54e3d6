"""Actions of TLA+ modules that are never enabled: every engine names them, translated or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module
from verifier.tla.columns import level_choice as levels

# The phase "back" is never reached, so its sort lacks it: Back and Leave have no step as translated.
BODY = """EXTENDS Naturals
CONSTANT Broken
VARIABLES x, phase
vars == <<x, phase>>
Init == x = 0 /\\ phase = "ask"
Up == x < 9 /\\ x' = x + 1 /\\ UNCHANGED phase
End == x = 9 /\\ phase = "ask" /\\ phase' = (IF Broken THEN "end" ELSE "back") /\\ UNCHANGED x
Back == phase = "back" /\\ phase' = "done" /\\ UNCHANGED x
Leave(n) == phase = "done" /\\ x' = n /\\ UNCHANGED phase
Next == Up \\/ End \\/ Back \\/ \\E n \\in 1..2 : Leave(n)
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Up)
Low == x <= 9
Small == x < 2
Arrives == <>(x = 9)
"""
CONFIG = "SPECIFICATION Spec\nCONSTANT Broken = TRUE\nINVARIANTS Low\nPROPERTY Arrives\nCHECK_DEADLOCK FALSE"

EVERYWHERE = [
    ["bmc", "--depth", "12", "--property", "Low"],
    ["bmc", "--depth", "12", "--property", "Low", "--solver", "cadical"],
    ["explore", "--property", "Low"],
    ["simulate", "--walks", "50", "--property", "Low"],
    ["prove", "--property", "Low"],
    ["prove", "--property", "Low", "--no-explore"],
    ["induct", "--property", "Low"],
    ["live"],
]


@pytest.fixture
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "M.cfg").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    write_module(tmp_path, BODY)


def _run(*words: str, code: int) -> dict[str, Any]:
    result = verify(words[0], "M.tla", *words[1:], "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("_module")
@pytest.mark.parametrize("words", EVERYWHERE, ids=" ".join)
def test_every_engine_names_the_actions_that_are_never_enabled(words: list[str]) -> None:
    run = _run(*words, code=12 if words[0] == "simulate" else 0)
    assert {"Back", "Leave"} == set(run["statistics"]["never_enabled"])
    if words[0] == "induct":  # looks at no executions, and refuses to expect this
        return
    run = _run(*words, "--expect", "Back=enabled", code=12 if words[0] == "simulate" else 14)
    assert run["expected_but_never_enabled"] == ["Back"]
    assert run["expected"] == ["Back=enabled"]


@pytest.mark.usefixtures("_module")
@pytest.mark.parametrize("words", [one for one in EVERYWHERE if one[0] != "induct"], ids=" ".join)
def test_an_action_that_is_enabled_is_as_expected(words: list[str]) -> None:
    run = _run(*words, "--expect", "Up=enabled", code=12 if words[0] == "simulate" else 0)
    assert not run["expected_but_never_enabled"]
    assert "Up" not in run["statistics"]["never_enabled"]


@pytest.mark.usefixtures("_module")
@pytest.mark.parametrize("large", [1, 10**9])
@pytest.mark.parametrize("words", [[], ["--solver", "cadical"]], ids=" ".join)
def test_what_states_at_the_depth_enable_counts(
    words: list[str], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """End leads from depth 9: it is enabled within 9 steps, by the interpreter, by columns and by solvers."""
    monkeypatch.setattr(levels, "_LARGE", large)
    asked = ["bmc", *words, "--property", "Low", "--expect", "End=enabled"]
    assert set(_run(*asked, "--depth", "9", code=0)["statistics"]["never_enabled"]) == {"Back", "Leave"}
    assert _run(*asked, "--depth", "8", code=14)["expected_but_never_enabled"] == ["End"]


@pytest.mark.usefixtures("_module")
def test_explore_counts_what_is_never_taken_as_zero() -> None:
    run = _run("explore", "--property", "Low", code=0)
    assert run["statistics"]["actions"]["Leave"] == {"taken": 0}
    result = verify("explore", "M.tla", "--property", "Low")
    assert "warning: never enabled: Back, Leave (a guard too strong?)" in result.stdout
    result = verify("explore", "M.tla", "--property", "Low", "--depth", "3")
    assert "Not enabled in any state visited so far: End, Back, Leave." in result.stdout


@pytest.mark.usefixtures("_module")
def test_a_prover_that_proved_nothing_says_nothing_of_actions() -> None:
    """That the sorts are not left is what a proof shows: before that, what they lack may be reached."""
    run = _run("prove", "--property", "Small", "--no-explore", code=10)
    assert not run["statistics"]["never_enabled"]


@pytest.mark.usefixtures("_module")
@pytest.mark.parametrize("engine", ["bmc", "explore", "live"])
def test_an_unknown_action_is_refused_with_the_nearest(engine: str) -> None:
    result = verify(engine, "M.tla", "--expect", "Bak=enabled")
    assert result.exit_code == 2
    assert "--expect: unknown property or action 'Bak'" in result.stderr
    assert "did you mean 'Back'?" in result.stderr


@pytest.mark.usefixtures("_module")
@pytest.mark.parametrize("words", [["prove", "--no-explore"], ["induct"]], ids=" ".join)
def test_an_action_is_enabled_if_one_way_to_take_it_is(words: list[str], tmp_path: Path) -> None:
    """The translation has Turn twice; one of the two is never enabled."""
    turn = "Turn == ((x > 50 /\\ x' = 0) \\/ (x = 9 /\\ x' = 0)) /\\ UNCHANGED phase\n"
    write_module(tmp_path, BODY.replace("Next == Up", f"{turn}Next == Turn \\/ Up"))
    run = _run(*words, "--property", "Low", code=0)
    assert {"Back", "Leave"} == set(run["statistics"]["never_enabled"])
