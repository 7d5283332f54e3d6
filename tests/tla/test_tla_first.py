"""``verify explore --first`` ends at the first violation, whatever explores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.tla_modules import write_module

WALK = """
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x' \\in {x + 1, x + 2} /\\ y' \\in 0..1 /\\ x < 9
        \\/ x \\in 7..11 /\\ x' = x + 1 /\\ y' = y
Low == x < 5
Lower == ~(x = 3 /\\ y = 1)
Higher == x < 8
Slow == [][x' # 7 \\/ x # 5]_x
"""
FIRST = {  # the properties, and those that are violated, with the steps to that
    ("Low", "Higher"): {"Low": 3},
    ("Lower", "Low", "Higher"): {"Lower": 2},
    ("Higher",): {"Higher": 4},
    ("Slow", "Higher"): {"Slow": 4},
    ("Slow", "Low"): {"Low": 3, "Slow": 4},
}


@pytest.mark.parametrize("names", FIRST)
def test_it_may_end_at_the_first_violation(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter and the translation end there alike, with the same counts; else they go on."""
    path = write_module(tmp_path, WALK)
    kinds = {True: "PROPERTY", False: "INVARIANT"}
    asked = "".join(f"{kinds[name == 'Slow']} {name}\n" for name in names)
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n{asked}")
    found = []
    for translate in (False, True):
        if translate:
            for reason in ("_check_states", "_reason_by_violations"):
                monkeypatch.setattr(f"verifier.runs.modules.translated_exploring.{reason}", lambda *_: "")
        run = json.loads(verify("explore", str(path), "--first", "--format", "json").stdout)
        assert (run["statistics"]["instances"] is not None) == translate
        counts = ("distinct_states", "generated_states", "levels", "waiting_states", "complete")
        verdicts = {r["property"]: (r["verdict"], r["steps"], r["depth"]) for r in run["results"]}
        found.append(([run["statistics"][name] for name in counts], verdicts))
    assert found[0] == found[1]
    violated = {name: steps for name, (_, steps, _) in found[0][1].items() if steps is not None}
    assert violated == FIRST[names]
    assert not found[0][0][-1]
    every = json.loads(verify("explore", str(path), "--format", "json").stdout)["results"]
    assert all(result["verdict"] == "VIOLATED" for result in every)


@pytest.mark.parametrize(
    ("asked", "depth"), [(("Lower",), 2), (("Higher",), 4), (("Lower", "Low"), 3), (("Lower", "Never"), None)]
)
def test_it_ends_where_all_that_was_asked_is_violated(
    asked: tuple[str, ...], depth: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sorts are checked along as translated, and hold to the end: that does not keep it going."""
    path = write_module(tmp_path, f"{WALK}Never == x < 99")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    words = ["explore", str(path), "--format", "json", *(f"--property={name}" for name in asked)]
    for reason in ("_check_states", "_reason_by_violations"):
        monkeypatch.setattr(f"verifier.runs.modules.translated_exploring.{reason}", lambda *_: "")
    run = json.loads(verify(*words).stdout)
    assert run["statistics"]["instances"] is not None
    assert run["statistics"]["complete"] == (depth is None)
    assert len(run["statistics"]["levels"]) == (8 if depth is None else depth + 1)
    assert [result["verdict"] == "VIOLATED" for result in run["results"]] == [n != "Never" for n in asked]
    every = json.loads(verify(*words, "--keep-going").stdout)
    assert every["statistics"]["complete"]


@pytest.mark.parametrize(
    ("asked", "few", "one"),
    [
        (("Low",), True, True),
        (("Low", "Never"), False, True),
        (("Never", "Low"), False, True),
        (("Never",), False, False),
        (("Top",), False, False),
    ],
)
def test_the_interpreter_ends_at_what_the_first_states_violate(
    asked: tuple[str, ...], few: bool, one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is translated for it, unless one property holds in the first states, or has no value there. A
    run that ends at the first violation needs just one."""
    path = write_module(tmp_path, f"{WALK}Never == x < 99\nTop == 1 \\div (x - 2) < 1")
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    monkeypatch.setattr("verifier.runs.modules.translated_exploring._check_states", lambda *_: "")
    words = ["explore", str(path), *(f"--property={name}" for name in asked)]
    assert ("the first states violate Low" in verify(*words, "--first").stderr) == one
    said = verify(*words).stderr
    assert ("the first states violate all that is asked for" in said) == few
    assert "the first states violate" not in verify(*words, "--keep-going").stderr


def test_the_first_violation_and_all_states_exclude_each_other(tmp_path: Path) -> None:
    path = write_module(tmp_path, WALK)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\n")
    for spec in (str(path), "kip320"):
        assert "--first does not go with --keep-going" in wrong("explore", spec, "--first", "--keep-going")
