"""The files of the repository: no trace or report left at the root by a run, and no large file."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALLOWED = {
    ".ci",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
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


LARGEST_FILE, LARGEST_RESULTS = 550_000, 2_000_000
"""Bytes, of a file that is no picture of the documentation, and of all files in results/."""


def _list_tracked() -> list[str]:
    """The paths that git knows."""
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return listed.stdout.splitlines()


def test_only_what_belongs_there_stands_at_the_root() -> None:
    found = {line.split("/", 1)[0] for line in _list_tracked()}
    assert found <= ALLOWED
    assert {"README.md", "verifier", "specs"} <= found


def test_no_large_file_is_tracked() -> None:
    sizes = {name: (ROOT / name).lstat().st_size for name in _list_tracked() if (ROOT / name).is_file()}
    large = {
        name: size
        for name, size in sizes.items()
        if size > LARGEST_FILE and not name.startswith("docs/images/")
    }
    assert not large
    results = [size for name, size in sizes.items() if name.startswith("results/")]
    assert 0 < sum(results) < LARGEST_RESULTS


def test_every_module_that_architecture_names_exists() -> None:
    pages = (ROOT / "ARCHITECTURE.md", ROOT / "docs" / "internals.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"`([a-z_0-9]+(?:/[\w.-]+)+)/?`", text))
    assert len(named) > 60
    missing = [
        name
        for name in named
        for module in [name.partition(".")[0]]
        if not any(
            (base / path).exists()
            for base in (ROOT, ROOT / "verifier")
            for path in (name, module, f"{module}.py")
        )
    ]
    assert not missing
