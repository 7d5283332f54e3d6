"""Counts of a module's formulas; the counts are those that TLC's ``-coverage`` prints for this module."""

from __future__ import annotations

import json
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
    assert "x > 7  (Counts.tla:15:8)" in never
    assert "k > x  (Counts.tla:7:13)" in others


def test_counting_changes_no_count_of_states(module: Path) -> None:
    plain, counted = (
        json.loads(verify("explore", str(module), *more, "--format", "json").stdout)
        for more in ((), ("--coverage",))
    )
    for name in ("distinct_states", "generated_states", "depth", "levels"):
        assert plain["statistics"][name] == counted["statistics"][name]
    assert "coverage" not in plain["statistics"]


def test_a_translation_is_not_counted(module: Path) -> None:
    assert "--by interpreter" in wrong("explore", str(module), "--coverage", "--by", "translation")
