"""Counts of a module's formulas; the counts are those that TLC's ``-coverage`` prints for this module."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong

MODULE = r"""---- MODULE Counts ----
EXTENDS Integers
VARIABLES x, y
Small == x < 3
Init == x = 0 /\ y = FALSE
Up(k) == /\ Small
         /\ k > x
         /\ x' = k
         /\ y' = (k = 2)
Never == /\ x > 5
         /\ y
         /\ UNCHANGED <<x, y>>
Reset == IF x = 3 THEN x' = 0 /\ y' = y ELSE x = 2 /\ ~y /\ UNCHANGED <<x, y>>
Next == (\E k \in 1..3 : Up(k)) \/ Never \/ Reset
Inv == x > 7 => y
Fine == y => x = 2 \/ x = 0
===="""
CONFIG = "INIT Init\nNEXT Next\nINVARIANTS Inv Fine\nCHECK_DEADLOCK FALSE\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The module with its configuration."""
    path = tmp_path / "Counts.tla"
    path.write_text(MODULE)
    path.with_suffix(".cfg").write_text(CONFIG)
    return path


def test_each_formula_is_counted_in_each_state(module: Path) -> None:
    result = verify("explore", str(module), "--coverage", "--format", "json")
    counts = {
        (one["formula"], int(one["place"].split(":")[-2])): (one["evaluated"], one["true"])
        for one in json.loads(result.stdout)["statistics"]["coverage"]
    }
    assert counts == {
        ("x < 3", 4): (12, 9),
        ("k > x", 7): (9, 6),
        ("x > 5", 10): (4, 0),
        ("y", 11): (0, 0),
        ("x = 3", 13): (4, 1),
        ("x = 2", 13): (3, 1),
        ("~y", 13): (1, 0),
        ("y", 13): (1, 1),
        ("x > 7 => y", 15): (4, 4),
        ("x > 7", 15): (4, 0),
        ("y", 15): (0, 0),
        ("y => x = 2 \\/ x = 0", 16): (4, 4),
        ("y", 16): (4, 1),
        ("x = 2", 16): (1, 1),
        ("x = 0", 16): (0, 0),
    }


def test_formulas_that_were_never_true_come_first(module: Path) -> None:
    printed = verify("explore", str(module), "--coverage").stdout
    never, others = printed.split("formulas that were never true")[1].split("other formulas")
    assert "x > 7  (Inv, Counts.tla:15:8)" in never
    assert "k > x  (Counts.tla:7:13)" in others


def test_counting_changes_no_count_of_states(module: Path) -> None:
    plain, counted = (
        json.loads(verify("explore", str(module), *more, "--format", "json").stdout)
        for more in ((), ("--coverage",))
    )
    for name in ("distinct_states", "generated_states", "depth", "levels"):
        assert plain["statistics"][name] == counted["statistics"][name]
    assert "coverage" not in plain["statistics"]


@pytest.mark.parametrize("engine", ["explore", "check", "simulate"])
def test_a_translation_is_not_counted(engine: str, module: Path) -> None:
    assert "--by interpreter" in wrong(engine, str(module), "--coverage", "--by", "translation")


def test_a_check_counts_what_exploration_counts(module: Path) -> None:
    explored, checked = (
        json.loads(verify(engine, str(module), "--coverage", "--format", "json").stdout)["statistics"]
        for engine in ("explore", "check")
    )
    for name in ("coverage", "vacuous", "sources"):
        assert explored[name] == checked[name]
    assert [one["text"] for one in explored["sources"]] == [MODULE]


def test_a_check_of_temporal_properties_counts_in_all_states(module: Path) -> None:
    module.write_text(MODULE.replace("Inv ==", "Ends == <>(x = 3)\nInv =="))
    module.with_suffix(".cfg").write_text(CONFIG.replace("INVARIANTS", "PROPERTY Ends\nINVARIANTS"))
    words = ("check", str(module), "--coverage", "--property", "Ends", "--format", "json")
    made = json.loads(verify(*words).stdout)
    assert [one["property"] for one in made["results"]] == ["Ends"]
    counts = {one["formula"]: one["evaluated"] for one in made["statistics"]["coverage"]}
    assert made["statistics"]["complete"]
    assert (counts["x < 3"], counts["x > 5"]) == (12, 4)


ORDER = r"""---- MODULE Sending ----
VARIABLE sent
Messages == [kind: {"ask", "answer", "end"}, to: {"a", "b", "c", "d"}]
Init == sent = {}
Next == \E m \in Messages : m \notin sent /\ m.kind = "ask" /\ sent' = sent \cup {m}
Asked == sent # {} => \E m \in sent : m.to \in {"b", "d"} \/ m.kind = "ask"
===="""


def test_counts_within_quantifiers_are_the_same_in_each_run(tmp_path: Path) -> None:
    """The order of a set of strings differs from process to process."""
    path = tmp_path / "Sending.tla"
    path.write_text(ORDER)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Asked\nCHECK_DEADLOCK FALSE\n")
    entry = "from verifier.cli.entry import main; main()"
    words = ("-c", entry, "explore", str(path), "--coverage", "--format", "json")
    found = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, check=True)
        found.append(json.loads(done.stdout)["statistics"]["coverage"])
    assert all(one == found[0] for one in found)


def test_executions_count_each_state_that_they_visit(module: Path) -> None:
    words = ("simulate", str(module), "--coverage", "--walks", "20", "--depth", "5", "--format", "json")
    figures = json.loads(verify(*words).stdout)["statistics"]
    counts = {(one["formula"], int(one["place"].split(":")[-2])): one for one in figures["coverage"]}
    visited = figures["walks"] + figures["steps"]
    assert visited == 120
    assert counts["x > 7", 15]["evaluated"] == visited
    assert counts["x < 3", 4]["evaluated"] == 3 * visited
    assert figures["actions"]["Up"]["enabled"] == counts["x < 3", 4]["true"] // 3


def test_an_explained_violation_is_not_counted(module: Path) -> None:
    module.write_text(MODULE.replace("Fine == y => x = 2", "Fine == x = 3 => y"))
    words = ("simulate", str(module), "--coverage", "--walks", "20", "--depth", "5", "--format", "json")
    figures = json.loads(verify(*words).stdout)["statistics"]
    counts = {(one["formula"], int(one["place"].split(":")[-2])): one for one in figures["coverage"]}
    assert counts["x = 3", 16]["evaluated"] == figures["walks"] + figures["steps"]


PREMISES = r"""---- MODULE Premises ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Big == x = 5 /\ TRUE
Called == Big => x = 1
Junction == /\ x = 0 => TRUE
            /\ \A k \in {0, 1} : (x = 7 \/ k = 3 + x) => x = k
Nested == x = 1 => (x = 2 => x = 3)
Steps == [][x = 8 => x' = 1]_x
Unreached == x = 4 => (x = 6 => x = 1)
Sometimes == x = 1 => x \in {1}
Choice == (x = 9 => x = 1) \/ x \in {0, 1}
===="""


def test_premises_that_are_never_true_are_named(tmp_path: Path) -> None:
    path = tmp_path / "Premises.tla"
    path.write_text(PREMISES)
    invariants = "Called Junction Nested Unreached Sometimes Choice"
    config = f"INIT Init\nNEXT Next\nINVARIANTS {invariants}\nPROPERTY Steps\n"
    path.with_suffix(".cfg").write_text(config)
    made = json.loads(verify("check", str(path), "--coverage", "--format", "json").stdout)
    vacuous = {one["property"]: one["premise"] for one in made["statistics"]["vacuous"]}
    assert vacuous == {
        "Called": "Big",
        "Junction": "x = 7 \\/ k = 3 + x",
        "Nested": "x = 2",
        "Steps": "x = 8",
        "Unreached": "x = 4",
    }
    printed = " ".join(verify("check", str(path), "--coverage").stdout.split())
    assert "Nested may hold vacuously: its premise x = 2 is never true (Premises.tla:10:21)" in printed
    cut = " ".join(verify("explore", str(path), "--coverage", "--depth", "0").stdout.split())
    assert "its premise x = 1 was never true so far" in cut
    assert "Formulas were counted in the first" in cut
