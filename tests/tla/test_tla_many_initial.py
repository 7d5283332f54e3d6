"""Modules with more initial states than are looked at: sorts hold what Init says of each variable."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.sampling import rest_slow
from tests.support.tla_modules import specify_module, write_module
from tests.support.tla_random import compare_modules
from verifier.tla.translate import translation
from verifier.tla.translate.sampling import sample
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.translate.translation import start_translation

_FLAGS = """EXTENDS Naturals
VARIABLES flags, count
Init == flags \\in [1..4 -> BOOLEAN] /\\ count = 0
Lower(i) == flags[i] /\\ flags' = [flags EXCEPT ![i] = FALSE] /\\ count' = count + 1
Next == \\E i \\in 1..4 : Lower(i)
Few == count < 4
All == count <= 4
"""
_INNER = _FLAGS.replace("1..4", "1..N").replace("VARIABLES", "CONSTANT N\nVARIABLES")
_OUTER = """EXTENDS Naturals
VARIABLES count, kept
I == INSTANCE Inner WITH flags <- count, count <- kept, N <- 4
Init == I!Init
Next == I!Next
Few == kept < 4
All == kept <= 4
"""
_REFUSALS = ("does not say by itself", "there are too many to look at")
_CONFIG = "INIT Init\nNEXT Next\nINVARIANTS Few All\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture(autouse=True)
def look_at_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the initial states, one is looked at; nothing else is."""
    monkeypatch.setattr(translation, "sample", lambda spec, *_, **__: sample(spec, most=1, most_initial=1))


@pytest.mark.thorough
@pytest.mark.parametrize("body", [_FLAGS, _OUTER], ids=["plain", "instance"])
def test_all_initial_states_are_searched(tmp_path: Path, body: str) -> None:
    """The violation begins in the last of sixteen."""
    write_module(tmp_path, _INNER, "Inner")
    path = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text(_CONFIG)
    done = verify("bmc", "--spec", str(path), "--depth", "6", "--shortest")
    assert "VIOLATED in 4 steps (fewest)" in done.stdout, done.output
    assert "HOLDS(6)" in done.stdout
    done = verify("prove", "--spec", str(path), "--property", "All")
    assert "PROVED" in done.stdout, done.output


@pytest.mark.parametrize(
    ("init", "name"),
    [
        ("a \\in 1..3 /\\ b = a", "b"),
        ("a \\in 1..3 /\\ b \\in {a, a + 1}", "b"),
        ("b \\in 1..3 /\\ (a = 1 \\/ a = 2)", "a"),
        ("(a \\in 1..3 /\\ b = 1) \\/ (a = 9 /\\ b \\in 1..3)", "a"),
        ("\\E x \\in 1..3 : a = x /\\ b \\in 1..x", "a"),
    ],
)
def test_what_init_says_of_others_is_not_enough(tmp_path: Path, init: str, name: str) -> None:
    body = f"EXTENDS Naturals\nVARIABLES a, b\nInit == {init}\nNext == UNCHANGED <<a, b>>"
    with pytest.raises(Untranslated, match=f"which values {name} has"):
        start_translation(specify_module(tmp_path, body))


def test_what_a_property_says_of_initial_states_is_refused(tmp_path: Path) -> None:
    path = write_module(tmp_path, f"{_FLAGS}Goal == count = 0 /\\ [][Next]_<<flags, count>>\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nPROPERTY Goal\nCHECK_DEADLOCK FALSE\n")
    done = verify("bmc", "--spec", str(path), "--depth", "2", "--steps", "serial")
    assert "there are too many to look at" in done.output
    assert "HOLDS" not in done.stdout


def test_explore_counts_as_before(tmp_path: Path) -> None:
    path = write_module(tmp_path, _FLAGS)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", "--spec", str(path), "--format", "json")
    assert '"initial_states": 16' in done.stdout


@pytest.mark.parametrize(
    ("goal", "all_of_them"),
    [("[][Next]_<<flags, count>>", False), ("count = 0 /\\ [][Next]_<<flags, count>>", True)],
)
def test_explore_looks_at_all_where_a_property_speaks_of_them(
    tmp_path: Path, goal: str, all_of_them: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "sample", sample)
    monkeypatch.setattr(translation, "SAMPLING", replace(SAMPLING, initial_told_by_init=1))
    config = "INIT Init\nNEXT Next\nPROPERTY Goal\nCHECK_DEADLOCK FALSE\n"
    spec = specify_module(tmp_path, f"{_FLAGS}Goal == {goal}\n", config)
    assert start_translation(spec, widely=True).sample.all_initial == all_of_them


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, *rest_slow(range(4, 40, 4), 1)])
def test_random_modules_from_one_state(tmp_path: Path, first: int) -> None:
    found: Counter[str] = Counter()
    for seed in range(first, first + 4):
        wrong = compare_modules(tmp_path, seed, found, ("bmc", "prove"))
        assert [each for each in wrong if not any(words in each for words in _REFUSALS)] == []
    assert found["bmc: VIOLATED"] + found["bmc: HOLDS"] > 0, found


@pytest.mark.parametrize(("most", "by_interpreter"), [(5_000, True), (3_000, False)])
def test_initial_states_that_are_not_all_looked_at_are_not_listed_one_by_one(
    most: int, by_interpreter: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Columns suit variables of few values, but begin behind the initial states."""
    monkeypatch.setattr(translation, "sample", lambda spec, *_, **__: sample(spec, most_initial=most))
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x \\in 1..60 /\\ y \\in 1..60\nNext == x' = y /\\ y' = x\n"
    )
    path = write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    done = verify("explore", "--spec", str(path))
    assert "3,600" in done.stdout, done.output
    assert ("each variable has few values" in done.stderr) == by_interpreter
