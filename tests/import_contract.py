"""Checks the import contract of pyproject.toml: `python tests/import_contract.py`.

import-linter neither follows symbolic links nor looks into folders without an __init__.py, so in
the checkout it passes over encodings/ and specs/ in silence. It gets a copy with both put right.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTRACTS = (ROOT / "pyproject.toml", ROOT / "tests" / "type_circles.toml")
"""The contract of imports at run time, and that of imports by types."""


def stage(target: Path) -> None:
    """Copy the package and its contract to `target`, every folder a regular one."""
    package = target / "verifier"
    shutil.copytree(ROOT / "verifier", package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *package.rglob("*")):
        if folder.is_dir():
            (folder / "__init__.py").touch()
    for contract in CONTRACTS:
        shutil.copy(contract, target)


def check(target: Path, contract: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a staged copy."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-logo", "--no-cache", "--config", contract.name]
    return subprocess.run(command, cwd=target, capture_output=True, text=True, check=False)


def main() -> int:
    """Print what import-linter says; 0 if every contract is kept."""
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        checks = [check(Path(folder), contract) for contract in CONTRACTS]
    for done in checks:
        print(done.stdout, done.stderr, sep="", end="")
    return max(done.returncode for done in checks)


if __name__ == "__main__":
    sys.exit(main())
