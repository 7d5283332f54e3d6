"""The release: the wheel, its metadata, its trial; `encodings` hides no standard package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.system_packages import NEEDS, SWITCH, announce, install, missing
from tests.try_wheel import BROUGHT, pip_lines

ROOT = Path(__file__).resolve().parents[2]
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


def copy_sources(folder: Path) -> Path:
    """A copy of the sources, because setuptools leaves its build folder beside them."""
    source = folder / "source"
    source.mkdir()
    for name in ("verifier", "encodings", "specs", "results"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, symlinks=True, ignore=ignored)
    for path in (ROOT / "pyproject.toml", *ROOT.glob("README.md")):
        shutil.copy(path, source)
    return source


def test_the_checkout_is_installed_as_a_path(tmp_path: Path) -> None:
    """An import hook would hide ``verifier`` from mypy and from editors, which run no code."""
    assert "--config-settings editable_mode=compat --editable" in (ROOT / "Makefile").read_text()
    source = copy_sources(tmp_path)
    code = "import sys; from setuptools.build_meta import build_editable as build; "
    code += "import os; os.chdir(sys.argv[1]); build(sys.argv[2], {'editable_mode': 'compat'})"
    done = python("-c", code, str(source), str(tmp_path), path="")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("protoverify-*.whl")
    (found,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".pth"))
    assert zipfile.ZipFile(wheel).read(found).decode().split() == [str(source)]


def test_a_wheel_has_every_module(tmp_path: Path) -> None:
    source = copy_sources(tmp_path)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    done = python("-m", "pip", "wheel", *options, str(source), path="")
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("protoverify-*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        prefix + path.relative_to(ROOT).as_posix()
        for folder, prefix in (("verifier", ""), ("encodings", "verifier/"), ("specs", "verifier/"))
        for pattern in ("*.py", "*.pyi", "*.toml", "py.typed", "*.jinja", "*.css", "*.js", "*.c")
        for path in (ROOT / folder).rglob(pattern)
    }
    assert expected - inside == set()
    assert not [name for name in inside if name.startswith(("encodings/", "results/", "specs/", "tests/"))]


def test_the_metadata_says_what_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["readme"] == "README.md"
    minors = re.findall(r"Python :: 3\.(\d+)", "\n".join(project["classifiers"]))
    assert minors == ["11", "12", "13"]
    assert project["requires-python"] == ">=3.11"
    assert "Typing :: Typed" in project["classifiers"]


def test_every_package_is_listed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "packages"
    ]
    folders = {
        path.parent for top in ("verifier", "encodings", "specs") for path in (ROOT / top).rglob("*.py")
    }
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    found = {name if name.split(".")[0] == "verifier" else f"verifier.{name}" for name in names}
    assert set(listed) == found


def dry_run(target: str) -> list[str]:
    """The commands of a target, also where make runs these tests."""
    outer = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_ci_tries_the_wheel_on_every_python() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]
    assert jobs["wheel"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert "make wheel PYTHON=python" in [step.get("run") for step in jobs["wheel"]["steps"]]
    assert "tests/try_wheel.py dist" in dry_run("wheel")[0]


def test_what_the_documents_install_is_tried() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    lines = pip_lines()
    assert (
        {line.split("'")[1] for line in lines}
        == set(BROUGHT)
        == {"protoverify[sweep]", "protoverify[notebook]", "protoverify[server]"}
    )
    for extra, modules in BROUGHT.items():
        brought = " ".join(extras[extra.partition("[")[2].removesuffix("]")])
        assert all(module in brought for module in modules)


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing but an apt-get that writes down what it is asked; the file that it writes."""
    log = tmp_path / "log"
    (tmp_path / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.delenv(SWITCH, raising=False)
    return log


def test_make_quick_says_first_what_it_installs(apt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce(list(NEEDS))
    assert capsys.readouterr().out == (
        "System packages: apt-get installs openjdk-17-jre-headless, berkeley-abc, chromium, chromium-driver; "
        "make SYSTEM_PACKAGES=no quick leaves that out\n"
    )
    assert not apt.exists()
    install(["readers"])
    assert [line.split()[-2:] for line in apt.read_text().splitlines()][1] == ["install", "berkeley-abc"]


def test_it_can_be_switched_off(
    apt: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "no")
    announce(list(NEEDS))
    install(list(NEEDS))
    said = capsys.readouterr().out
    assert not apt.exists()
    assert "are missing and not installed (SYSTEM_PACKAGES=no)" in said
    assert "berkeley-abc is missing: its tests skip (exported AIGER)" in said


def test_it_says_in_the_end_what_it_skipped(apt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing(list(NEEDS))
    assert len(capsys.readouterr().out.splitlines()) == len(NEEDS)
    (apt.parent / "java").symlink_to("/bin/sh")
    missing(["java"])
    assert capsys.readouterr().out == "No test was skipped for want of a system package\n"


def test_make_quick_begins_and_ends_with_it() -> None:
    lines = dry_run("quick")
    assert lines[0].endswith("tests/system_packages.py announce")
    assert lines[-1].endswith("tests/system_packages.py missing")


@pytest.mark.parametrize("target", ["check", "test", "thorough", "slow"])
def test_other_targets_install_no_system_package(target: str) -> None:
    lines = dry_run(target)
    assert not [line for line in lines if "system_packages.py install" in line]
    assert [line for line in lines if f"--tier {target}" in line]


def test_ci_runs_all_quick_tests() -> None:
    assert "\nmake quick\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [line for line in dry_run("quick") if "--tier quick" in line]
