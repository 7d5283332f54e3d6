"""The import contract must see every folder: an import planted against it is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.import_contract import CONTRACTS, check, stage


@pytest.mark.parametrize(
    ("module", "imported", "broken"),
    [
        ("encodings/planted.py", "verifier.specs.protocol", "Arrows point one way"),
        ("specs/kafka/planted.py", "verifier.solvers.interface", "Arrows point one way"),
        ("encodings/planted.py", "z3", "Only the backends know the solvers"),
        ("solvers/z3_backend.py", "cvc5", "Only the backends know the solvers"),
        ("specs/planted.py", "click", "Only the command line and the reports know how things look"),
        ("engines/planted.py", "rich", "Only the command line and the reports know how things look"),
        ("engines/planted.py", "verifier.specs.kafka", "Engines know no protocol"),
        ("system/planted.py", "verifier.solvers", "The transition system knows no solver"),
        ("runs/modules/policy.py", "verifier.runs.modules.strategy", "No circles inside the rooms"),
        ("tla/loops.py", "verifier.tla.interpreter", "What compiles expressions forms layers"),
        ("tla/translate/parts.py", "verifier.tla.translate.sets", "The rules of the translation form layers"),
    ],
)
def test_a_planted_import_is_found(module: str, imported: str, broken: str, tmp_path: Path) -> None:
    stage(tmp_path)
    path = tmp_path / "verifier" / module
    path.parent.mkdir(exist_ok=True)
    before = path.read_text() if path.exists() else ""
    path.write_text(f"{before}\nimport {imported}\n")
    done = check(tmp_path, CONTRACTS[0])
    assert done.returncode != 0
    assert f"{broken} BROKEN" in done.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("tla/evaluator.py", "verifier.tla.interpreter"),
        ("engines/exploration.py", "verifier.engines.findings"),
        ("runs/loaded.py", "verifier.runs.question"),
        ("specs/constants.py", "verifier.specs.protocol"),
    ],
)
def test_a_circle_by_types_is_found(module: str, imported: str, tmp_path: Path) -> None:
    stage(tmp_path)
    path = tmp_path / "verifier" / module
    path.write_text(f"{path.read_text()}\nif TYPE_CHECKING:\n    import {imported}\n")
    assert check(tmp_path, CONTRACTS[0]).returncode == 0
    done = check(tmp_path, CONTRACTS[1])
    assert done.returncode != 0
    assert "by types neither BROKEN" in done.stdout
