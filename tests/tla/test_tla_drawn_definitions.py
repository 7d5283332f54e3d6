"""Definitions with a random value: it is drawn once for a run, and is a constant everywhere in the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, specify_module
from verifier.tla.ast import Definition
from verifier.tla.explorer import Explorer
from verifier.tla.workers.suitability import explain_one_process

BODY = r"""
EXTENDS Integers, TLC
VARIABLES x, before, y
Few == RandomElement(SUBSET (0..15))
Named == Few
Loud == PrintT("loud")
Steps == 1..4
Init == x = 0 /\ before = 0 /\ y = 0
Next == \E s \in Steps : x' = (x + s) % 16 /\ before' = x /\ y' = IF x \in Named THEN 1 ELSE 2
TypeOK == x \in 0..15 /\ y \in 0..2
Known == (y = 1 => before \in Few) /\ (y = 2 => before \notin Few)
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANTS TypeOK Known\nCHECK_DEADLOCK FALSE\n"


def _write(folder: Path) -> str:
    (folder / "M.tla").write_text(f"---- MODULE M ----{BODY}====\n")
    (folder / "M.cfg").write_text(CONFIG)
    return str(folder / "M.tla")


@pytest.mark.parametrize("by", ["translation", "interpreter"])
def test_each_engine_has_the_same_value_throughout(by: str, tmp_path: Path) -> None:
    done = verify("explore", _write(tmp_path), "--by", by, "--format", "json")
    found = json.loads(done.stdout)
    verdicts = {one["property"]: one["verdict"] for one in found["results"]}
    assert verdicts == {"TypeOK": "HOLDS", "Known": "HOLDS"}


def test_a_check_compares_the_translation_and_warns(tmp_path: Path) -> None:
    done = verify("prove", _write(tmp_path), "--property", "Known")
    assert done.exit_code == 0, done.output
    assert "translation agrees with the module" in done.output
    assert "Few has a random value, drawn anew in each run" in done.output


@pytest.mark.usefixtures("columns_at_once")
def test_columns_take_it_as_a_constant(tmp_path: Path) -> None:
    explorer = Explorer(specify_module(tmp_path, BODY, CONFIG), properties=("TypeOK",))
    explorer.explore()
    assert explorer.columns.search is not None
    alone = Explorer(explorer.specification, properties=("TypeOK",), by_columns=False)
    alone.explore()
    assert explorer.result.levels == alone.result.levels


def test_only_definitions_that_are_evaluated_once_are_drawn(tmp_path: Path) -> None:
    body = BODY + "Of(n) == RandomElement(0..n)\nNow == RandomElement({x, y})\nBoth == Few \\cup {Of(3)}\n"
    made = specify_module(tmp_path, body, CONFIG)
    found = {}
    for name in ("Few", "Named", "Loud", "Of", "Now", "Both", "Steps"):
        definition = made.module.names[name]
        assert isinstance(definition, Definition)
        facts = made.evaluator.analysis._symbol(definition, "M")
        found[name] = facts.drawn, facts.changing
    assert found == {
        "Few": (True, False), "Named": (True, False), "Both": (True, False), "Loud": (False, False),
        "Of": (False, True), "Now": (False, True), "Steps": (False, False),
    }  # fmt: skip


def test_other_machines_and_runs_do_not_continue(tmp_path: Path) -> None:
    search = explore_module(tmp_path, BODY, CONFIG)
    assert "random value" in explain_one_process(search, elsewhere=True)
    assert explain_one_process(search) == ""
    done = verify("explore", _write(tmp_path), "--work", str(tmp_path / "work"))
    assert done.exit_code == 2
    assert "a run that continues would draw another" in done.output
