"""What may stand at the root of the repository: a trace or report left there by a run does not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    ".ci",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "constraints.txt",
    "docs",
    "encodings",
    "pyproject.toml",
    "results",
    "specs",
    "tests",
    "verifier",
}


def test_only_what_belongs_there_stands_at_the_root() -> None:
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    found = {line.split("/", 1)[0] for line in listed.stdout.splitlines()}
    assert found <= ALLOWED
    assert {"README.md", "verifier", "specs"} <= found
