"""The examples of docs/examples: their states are those that TLC counts in the original texts, their broken
variants fail after as many steps, and what they claim is proved."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from tests.support.command_line import ROOT
from verifier import load

EXAMPLES = ROOT / "docs" / "examples"
FILES = sorted(path.name for path in EXAMPLES.glob("*.py"))
ABSTRACT = {"transaction_commit.py", "voting.py"}
"""Others refine these; what is broken in them does not."""
ROWS: list[dict[str, Any]] = tomllib.loads((EXAMPLES / "tlc.toml").read_text(encoding="utf-8"))["row"]
CELLS: list[dict[str, Any]] = tomllib.loads((EXAMPLES / "verify.toml").read_text(encoding="utf-8"))["cell"]


def _cases(*, broken: bool) -> list[Any]:
    """The rows, with how long they take."""
    marks = {"slow": pytest.mark.slow, "thorough": pytest.mark.thorough}
    return [
        pytest.param(
            row,
            id=f"{row['spec']}: {row['says']}",
            marks=[mark for name, mark in marks.items() if row.get(name)],
        )
        for row in ROWS
        if ("steps" in row) == broken
    ]


@pytest.mark.parametrize("row", _cases(broken=False))
def test_the_states_are_those_of_the_original(row: dict[str, Any]) -> None:
    found = load(EXAMPLES / row["spec"], **row.get("constants", {})).explore(keep_going=True)
    assert found.ok
    counted = found.statistics
    assert counted["generated_states"] == row.get("once", row["generated"])
    assert (counted["distinct_states"], counted["depth"] + 1) == (row["distinct"], row["levels"])


@pytest.mark.parametrize("row", _cases(broken=True))
def test_the_broken_variant_fails_as_soon_as_in_the_original(row: dict[str, Any]) -> None:
    found = load(EXAMPLES / row["spec"], **row["constants"]).explore(row["property"])[row["property"]]
    assert (found.verdict, found.steps, found.fewest) == ("VIOLATED", row["steps"], True)


@pytest.mark.parametrize("file", ["two_phase.py", "transaction_commit.py", "voting.py", "ewd840.py"])
def test_the_lemmas_prove_every_property(file: str) -> None:
    assert {found.verdict for found in load(EXAMPLES / file).induct()} == {"PROVED"}


@pytest.mark.thorough
@pytest.mark.parametrize("file", ["paxos.py", "ewd998.py", "lamport_mutex.py"])
def test_the_longer_proofs(file: str) -> None:
    assert {found.verdict for found in load(EXAMPLES / file).induct()} == {"PROVED"}


@pytest.mark.slow
def test_a_term_of_raft_has_one_leader() -> None:
    assert load(EXAMPLES / "raft.py").induct("OneLeaderPerTerm")["OneLeaderPerTerm"].verdict == "PROVED"


def test_every_example_has_states_a_broken_variant_and_a_cell_for_each() -> None:
    counted = {row["spec"] for row in ROWS if "distinct" in row}
    broken = {row["spec"] for row in ROWS if "steps" in row}
    assert counted == set(FILES)
    assert broken == set(FILES) - ABSTRACT
    violated = {cell["spec"] for cell in CELLS if "violated" in map(_verdict, cell["expect"].values())}
    explored = {cell["spec"] for cell in CELLS if cell.get("engine") == "explore"}
    proved = {cell["spec"] for cell in CELLS if cell.get("engine") == "induct"}
    assert explored == proved == set(FILES)
    assert violated == set(FILES) - ABSTRACT


def test_the_manifest_and_the_rows_agree() -> None:
    rows = {_key(row): row for row in ROWS}
    for cell in CELLS:
        row = rows.get(_key(cell))
        if row is not None and cell.get("engine") == "explore":
            assert cell["distinct_states"] == row["distinct"]
        if row is not None and "steps" in row:
            assert cell["expect"][row["property"]]["steps"] == row["steps"]


def _verdict(expected: Any) -> Any:
    return expected["verdict"] if isinstance(expected, dict) else expected


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["spec"], repr(sorted(item.get("constants", {}).items()))


@pytest.mark.thorough
def test_mypy_finds_nothing_in_the_examples() -> None:
    files = [str(EXAMPLES / file) for file in FILES]
    shown, _, code = api.run(["--strict", "--config-file", str(ROOT / "pyproject.toml"), *files])
    assert code == 0, shown


def test_the_list_of_examples_names_them_all() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"]({file})" in text for file in FILES)
    assert "](docs/examples/README.md)" in (Path(ROOT) / "README.md").read_text(encoding="utf-8")
