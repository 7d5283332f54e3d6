"""The import contract must see every folder: imports planted against it are found.

They are planted together, because each check reads the whole package. So each has to be named.
"""

from __future__ import annotations

from pathlib import Path

from tests.import_contract import CONTRACTS, check, stage

PLANTED = [
    ("encodings/planted.py", "verifier.specs.protocol", "Arrows point one way"),
    ("specs/kafka/planted.py", "verifier.solvers.interface", "Arrows point one way"),
    ("encodings/other.py", "z3", "Only the backends know the solvers"),
    ("solvers/z3_backend.py", "cvc5", "Only the backends know the solvers"),
    ("specs/planted.py", "click", "Only the command line and the reports know how things look"),
    ("engines/other.py", "rich", "Only the command line and the reports know how things look"),
    ("engines/planted.py", "verifier.specs.kafka", "Engines know no protocol"),
    ("system/planted.py", "verifier.solvers", "The transition system knows no solver"),
    ("runs/modules/policy.py", "verifier.runs.modules.strategy", "No circles inside the rooms"),
    ("tla/loops.py", "verifier.tla.interpreter", "What compiles expressions forms layers"),
    ("tla/translate/parts.py", "verifier.tla.translate.sets", "The rules of the translation form layers"),
]
BY_TYPES = [
    ("tla/evaluator.py", "verifier.tla.interpreter"),
    ("engines/exploration.py", "verifier.engines.findings"),
    ("runs/loaded.py", "verifier.runs.question"),
    ("specs/constants.py", "verifier.specs.protocol"),
]


def _plant(folder: Path, module: str, text: str) -> str:
    """Add text to a module of the copy. Return the module's name."""
    path = folder / "verifier" / module
    path.parent.mkdir(exist_ok=True)
    before = path.read_text() if path.exists() else ""
    path.write_text(f"{before}\n{text}\n")
    return "verifier." + module.removesuffix(".py").replace("/", ".")


def test_planted_imports_are_found(tmp_path: Path) -> None:
    stage(tmp_path)
    planted = [(_plant(tmp_path, path, f"import {one}"), one, broken) for path, one, broken in PLANTED]
    done = check(tmp_path, CONTRACTS[0])
    assert done.returncode != 0
    for module, imported, broken in planted:
        assert f"{broken} BROKEN" in done.stdout
        inside = f"- .{module.split('.')[-1]} -> .{imported.split('.')[-1]} (1 import)"
        assert f"- {module} -> {imported} (l." in " ".join(done.stdout.split()) or inside in done.stdout


def test_circles_by_types_are_found(tmp_path: Path) -> None:
    stage(tmp_path)
    for path, imported in BY_TYPES:
        _plant(tmp_path, path, f"if TYPE_CHECKING:\n    import {imported}")
    assert check(tmp_path, CONTRACTS[0]).returncode == 0
    done = check(tmp_path, CONTRACTS[1])
    assert done.returncode != 0
    assert "by types neither BROKEN" in done.stdout
    for path, _ in BY_TYPES:
        assert f"No cycles are allowed in verifier.{path.split('/')[0]}.\n" in done.stdout
