"""The folder `encodings` must not hide the standard library's package of that name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINKS = {"encodings": "../encodings", "specs": "../specs"}


def python(*arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("path", [".", str(ROOT)])
def test_python_starts_with_the_checkout_on_its_path(path: str) -> None:
    code = (
        "import encodings, verifier.encodings.sorts, verifier.specs.protocol; "
        "assert encodings.utf_8; print(verifier.encodings.sorts.__file__)"
    )
    done = python("-c", code, path=path)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).resolve() == ROOT / "encodings" / "sorts.py"


def test_encodings_is_not_a_regular_package() -> None:
    assert not (ROOT / "encodings" / "__init__.py").exists()


@pytest.mark.parametrize("name", sorted(LINKS))
def test_links_are_relative(name: str) -> None:
    link = ROOT / "verifier" / name
    assert link.is_symlink()
    assert os.readlink(link) == LINKS[name]


def test_a_wheel_has_every_module(tmp_path: Path) -> None:
    # From a copy, because setuptools leaves its build folder beside the sources.
    source = tmp_path / "source"
    source.mkdir()
    for name in ("verifier", "encodings", "specs", "results"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    for path in (ROOT / "pyproject.toml", *ROOT.glob("README.md")):
        shutil.copy(path, source)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    done = python("-m", "pip", "wheel", *options, str(source), path="")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("protoverify-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        prefix + path.relative_to(ROOT).as_posix()
        for folder, prefix in (("verifier", ""), ("encodings", "verifier/"), ("specs", "verifier/"))
        for pattern in ("*.py", "*.toml", "*.jinja", "*.css", "*.js")
        for path in (ROOT / folder).rglob(pattern)
    }
    assert expected - inside == set()
    assert not [name for name in inside if name.startswith(("encodings/", "results/", "specs/", "tests/"))]
