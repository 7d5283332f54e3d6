"""TLA+ files through the command line: verdicts, counts, exit codes, wrong usage."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module

BODY = """EXTENDS Naturals
CONSTANT N
VARIABLES x, seen
Init == x = 0 /\\ seen = {}
Up == x < N /\\ x' = x + 1 /\\ seen' = seen \\cup {x}
Back == x = N /\\ x' = 0 /\\ UNCHANGED seen
Next == Up \\/ Back
Spec == Init /\\ [][Next]_<<x, seen>> /\\ WF_x(Next)
Bounded == x <= N
Small == x < 3
Often == []<>(x = 0)
"""
CONFIG = "SPECIFICATION Spec\nCONSTANT N = 4\nINVARIANTS Bounded"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "M.cfg").write_text(CONFIG)
    return write_module(tmp_path, BODY)


def _object(*words: str, code: int) -> dict[str, Any]:
    result = verify(*words, "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_explore_counts_as_tlc_does(module: Path) -> None:
    run = _object("explore", "--spec", str(module), code=0)
    figures = run["statistics"]
    names = ("distinct_states", "generated_states", "depth", "initial_states", "complete")
    # 0..4 on the way up, then 0..4 again with all that was seen.
    assert [figures[name] for name in names] == [9, 10, 8, 1, True]
    assert figures["actions"] == {"Up": {"taken": 8}, "Back": {"taken": 1}}
    assert {r["property"]: r["verdict"] for r in run["results"]} == {
        "Bounded": "HOLDS",
        "NoDeadlock": "HOLDS",
    }
    assert run["constants"] == {"N": 4}


def test_a_constant_is_overridden_and_changes_the_hash(module: Path) -> None:
    run = _object("explore", "--spec", str(module), "--set", "N=2", code=0)
    assert run["statistics"]["distinct_states"] == 5
    assert run["spec_hash"] != _object("explore", "--spec", str(module), code=0)["spec_hash"]


def test_a_violation_has_a_shortest_trace(module: Path, tmp_path: Path) -> None:
    trace = tmp_path / "t.itf.json"
    run = _object("explore", str(module), "--property", "Small", "--trace-out", str(trace), code=10)
    (result,) = run["results"]
    assert (result["verdict"], result["steps"], result["fewest"]) == ("VIOLATED", 3, True)
    states = json.loads(trace.read_text())["states"]
    assert states == result["trace"]["states"]
    assert states[3]["x"] == 3
    assert states[3]["seen"] == {"#set": [0, 1, 2]}
    assert states[3]["#meta"]["action"] == "Up"
    text = verify("explore", str(module), "--property", "Small").stdout
    assert "Small: VIOLATED in 3 steps (fewest)" in text
    assert "seen: {0, 1} → {0, 1, 2}" in text
    assert text.count("VIOLATED in 3 steps") == 2, "one execution, and the table of verdicts"


def test_a_violation_is_announced_at_its_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the state, not of the one that leads to it."""
    monkeypatch.setattr("verifier.tla.expanding.BETWEEN_CHECKS", 1)
    path = write_module(
        tmp_path, "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nLow == x < 3\nAny == TRUE"
    )
    config = "INIT Init\nNEXT Next\nINVARIANT Low\nACTION_CONSTRAINT Any\n"
    path.with_suffix(".cfg").write_text(config)
    asked = ("--spec", str(path), "--keep-going", "--depth", "9")
    done = verify("explore", *asked)
    assert "Low is violated at depth 3\n" in done.stderr
    checked = verify("check", "--spec", str(path), "--timeout", "20s")
    assert checked.stderr.count("explore: Low is violated") == 1, checked.stderr
    assert json.loads(verify("explore", *asked, "--format", "json").stdout)["results"][0]["steps"] == 3


def test_a_trace_shows_the_alias(module: Path, tmp_path: Path) -> None:
    alias = 'Shown == [now |-> x, step |-> x\' - x, at |-> TLCGet("level")]\nWrong == [now |-> seen[7]]\n'
    module.write_text(
        module.read_text().replace("Naturals", "Naturals, TLC").replace("Small ==", alias + "Small ==")
    )
    config, trace = tmp_path / "A.cfg", tmp_path / "t.itf.json"
    config.write_text(f"{CONFIG} Small\nALIAS Shown")
    shown = verify("explore", str(module), "--config", str(config), "--trace-out", str(trace)).stdout
    assert "now = 2" in shown
    assert "step = 1" in shown
    assert "seen =" not in shown
    last = json.loads(trace.read_text())["states"][3]
    assert last["x"] == 3
    assert last["#meta"]["alias"] == {"now": 3, "step": 0, "at": 4}
    config.write_text(f"{CONFIG} Small\nALIAS Wrong")
    assert "seen =" in verify("explore", str(module), "--config", str(config)).stdout


def test_liveness_is_named_as_not_checked(module: Path) -> None:
    (module.parent / "L.cfg").write_text(f"{CONFIG}\nPROPERTY Often")
    run = _object("explore", str(module), "--config", str(module.parent / "L.cfg"), code=12)
    often = next(result for result in run["results"] if result["property"] == "Often")
    assert often["verdict"] == "INCONCLUSIVE"
    assert "only check and live decide it" in often["reason"]


def test_a_deadlock(module: Path) -> None:
    config = module.parent / "D.cfg"
    config.write_text("INIT Init\nNEXT Up\nCONSTANT N = 2\n")
    assert _object("explore", str(module), "--config", str(config), code=13)["results"][0]["steps"] == 2
    config.write_text("INIT Init\nNEXT Up\nCONSTANT N = 2\nINVARIANT Bounded\nCHECK_DEADLOCK FALSE\n")
    run = _object("explore", str(module), "--config", str(config), code=0)
    assert [result["property"] for result in run["results"]] == ["Bounded"]


def test_a_deadlock_as_deep_as_was_looked(module: Path) -> None:
    """A state at the greatest depth is not expanded; whether it has a step is asked all the same."""
    config = module.parent / "D.cfg"
    config.write_text("INIT Init\nNEXT Up\nCONSTANT N = 2\nINVARIANT Bounded\n")
    asked = ("explore", str(module), "--config", str(config), "--depth")
    found = {depth: _object(*asked, str(depth), code=0 if depth < 2 else 13) for depth in (0, 1, 2)}
    stuck = {
        depth: next(r["verdict"] for r in run["results"] if r["property"] == "NoDeadlock")
        for depth, run in found.items()
    }
    assert stuck == {0: "HOLDS", 1: "HOLDS", 2: "VIOLATED"}
    assert [run["statistics"]["distinct_states"] for run in found.values()] == [1, 2, 3]
    assert [run["statistics"]["generated_states"] for run in found.values()] == [1, 2, 3]


def test_limits_keep_what_was_found(module: Path) -> None:
    run = _object("explore", str(module), "--set", "N=100000", "--max-states", "500", code=12)
    assert run["statistics"]["distinct_states"] >= 500
    assert not run["statistics"]["complete"]
    run = _object("explore", str(module), "--set", "N=100000", "--timeout", "0.5", code=12)
    assert "timeout" in run["results"][0]["reason"]
    run = _object("explore", str(module), "--depth", "3", code=0)
    assert run["results"][0]["depth"] == 3


@pytest.mark.parametrize(
    "body", ["\\A f \\in [1..20 -> 1..9] : f[1] < 10", "\\A a, b, c \\in 1..3000 : a + b > -c"]
)
def test_the_time_ends_within_one_evaluation(body: str, tmp_path: Path) -> None:
    path = write_module(
        tmp_path,
        "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\n"
        f"Inv == x < 2 \\/ ({body})",
    )
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE")
    started = time.monotonic()
    run = _object("explore", str(path), "--timeout", "1", code=12)
    assert time.monotonic() - started < 20
    assert "timeout" in run["results"][0]["reason"]
    # What was found until then is kept.
    assert run["statistics"]["distinct_states"] >= 2


def test_show(module: Path) -> None:
    about = _object("show", str(module), code=0)
    assert about["actions"] == ["Up", "Back"]
    assert about["variables"] == ["x", "seen"]
    assert "Bounded" in verify("show", str(module)).stdout


def test_show_tells_what_a_step_chooses(tmp_path: Path) -> None:
    """A step of Lose is shown as Lose(m=2), though Lose has no parameter."""
    body = "EXTENDS Integers\nVARIABLE left\nInit == left = 0..3\n"
    body += "Take(m) == \\E k \\in left : k > m /\\ left' = left \\ {m, k}\n"
    body += "Lose == \\E m \\in left : left' = left \\ {m}\n"
    body += "Next == Lose \\/ (\\E n \\in left : Take(n)) \\/ (left = {} /\\ left' = 0..3)\n"
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    shown = verify("show", str(write_module(tmp_path, body))).stdout
    said = shown.partition("Actions\n")[2].partition("\n\n")[0].splitlines()
    assert said == ["  Lose, where \\E binds m", "  Take(m), where \\E binds k", "  Next"]
    assert "Instances" not in shown


def test_an_invariant_without_a_value_is_shown_with_its_own_state(tmp_path: Path) -> None:
    """The state that is being checked, not the one that it was reached from."""
    body = "EXTENDS Sequences\nVARIABLE q\nInit == q = <<1>>\nNext == q # <<>> /\\ q' = Tail(q)\n"
    body += "Inv == Head(q) = 1\n"
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv")
    for first, steps in (("<<1>>", "1 step: Next()"), ("<<>>", "0 steps")):
        module = write_module(tmp_path, body.replace("<<1>>", first))
        result = verify("explore", str(module))
        assert result.exit_code == 2
        assert f"(after {steps}; in the state q = <<>>)" in result.output


def test_modules_from_a_library(module: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    write_module(library, "Two == 2", "Lib")
    write_module(
        tmp_path, BODY.replace("EXTENDS Naturals", "EXTENDS Naturals, Lib").replace("x < 3", "x < Two")
    )
    assert verify("explore", str(module)).exit_code == 2
    _object("explore", str(module), "--library", str(library), code=0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bmc", "M.tla", "--property", "Smal"], "unknown property 'Smal'"),
        (["explore", "M.tla", "--set", "M=3"], "unknown constant of M 'M' (allowed: N)"),
        (["explore", "M.tla", "--set", "N=$"], "a value is expected"),
        (["explore", "M.tla", "--property", "Smal"], "unknown property 'Smal'"),
        (["explore", "M.tla", "--config", "none.cfg"], "the configuration cannot be read"),
        (["explore", "M.tla", "--library", "none"], "is not a folder"),
        (["explore", "M.tla", "--library", "x" * 5000], "is not a path: file name too long"),
        (["explore", "M.tla", "--symmetry"], "its configuration says SYMMETRY"),
        (["explore", "None.tla"], "the module cannot be read"),
        (["explore", "kip320", "--config", "M.cfg"], "--config is for TLA+ modules, and kip320 is not one"),
    ],
)
def test_wrong_usage(words: list[str], expected: str, module: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(module.parent)
    result = verify(*words)
    assert result.exit_code == 2, result.output
    assert expected in result.output.replace("\n", " ")
