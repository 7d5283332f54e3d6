"""Defaults of a project, from [tool.verify] in its pyproject.toml."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, ROOT, verify, wrong


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, in which one works in a folder."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    return tmp_path


def say(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")


def options(*arguments: str) -> dict[str, Any]:
    """The options that a run records."""
    done = verify(*arguments, "--format", "json", "--expect", "NeverTop=violated")
    found: dict[str, Any] = json.loads(done.stdout)["options"]
    return found


def test_a_project_gives_defaults_and_the_command_line_wins(project: Path) -> None:
    say(
        project,
        '[tool.verify]\nseed = 7\nkeep_going = true\n[tool.verify.bmc]\ndepth = 2\nsteps = "serial"\n',
    )
    assert options("bmc", CHAIN) | {"seed": 7, "depth": 2, "steps": "serial"} == options("bmc", CHAIN)
    given = options("bmc", CHAIN, "--depth", "3", "--seed", "1")
    assert (given["depth"], given["seed"], given["steps"]) == (3, 1, "serial")
    assert options("explore", CHAIN)["keep_going"] is True
    assert options("explore", CHAIN, "--no-keep-going")["keep_going"] is False


def test_the_engine_s_own_table_wins_over_the_shared_one(project: Path) -> None:
    say(project, "[tool.verify]\nseed = 7\n[tool.verify.bmc]\nseed = 8\n")
    assert options("bmc", CHAIN)["seed"] == 8
    assert options("simulate", CHAIN, "--walks", "3")["seed"] == 7


def test_what_was_given_is_said(project: Path) -> None:
    say(project, '[tool.verify.bmc]\ndepth = 2\nproperties = ["NeverTop"]\ntimeout = "5m"\n')
    said = verify("bmc", CHAIN).stderr.splitlines()[0]
    assert said == f"{project}/pyproject.toml gives --property NeverTop --timeout 300 --depth 2"
    assert "gives" not in verify("bmc", CHAIN, "--quiet").stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.verify]\ntimout = 3", "unknown option 'timout' (allowed: .*); did you mean 'timeout'?"),
        ("[tool.verify.bmc]\ndept = 3", "unknown option of bmc 'dept' (allowed: .*); did you mean 'depth'?"),
        ("[tool.verify.bcm]\ndepth = 3", "unknown engine 'bcm' (allowed: .*); did you mean 'bmc'?"),
        (
            "[tool.verify.explore]\ndepth = -1",
            "depth = -1 is not allowed: it takes an integer, at least 0",
        ),
        ("[tool.verify]\nsolver = 'z4'", "solver = z4 is not allowed: it takes z3, .*; did you mean 'z3'?"),
        ("[tool.verify]\ntimeout = 'soon'", "timeout = soon is not allowed: it takes"),
        ("[tool]\nverify = 3", "[tool.verify] is a table of options, not 3"),
        ("[tool.verify", "is not TOML"),
    ],
)
def test_a_mistake_names_the_file(project: Path, text: str, words: str) -> None:
    say(project, text)
    said = wrong("bmc", CHAIN)
    assert said.startswith(f"verify: {project}/pyproject.toml")
    first, _, last = words.partition(".*")
    assert first in said
    assert last in said
    assert verify("bmc", "--help").exit_code == verify("list").exit_code == 0


def test_the_nearest_table_counts(project: Path) -> None:
    say(project, "[tool.verify]\nseed = 7\n")
    say(project / "inner", "[tool.other]\nseed = 9\n")
    assert options("bmc", CHAIN)["seed"] == 7
    say(project / "inner", "[tool.verify]\nseed = 9\n")
    assert options("bmc", CHAIN)["seed"] == 9


def test_nothing_is_read_beyond_the_repository(project: Path) -> None:
    say(project, "[tool.verify]\nseed = 7\n")
    (project / "inner" / ".git").mkdir()
    assert options("bmc", CHAIN)["seed"] == 0
    (project / "inner" / ".git").rmdir()
    (project / ".git").rmdir()
    assert options("bmc", CHAIN)["seed"] == 0


def test_manifests_say_everything_themselves(project: Path) -> None:
    say(project, "[tool.verify]\nunknown = 7\n")
    manifest = project / "verify.toml"
    manifest.write_text(
        f'[[cell]]\nid = "chain"\nspec = "{ROOT}/tests/support/toys.py:Chain"\ndepth = 2\n'
        '[cell.expect]\nNeverTop = { verdict = "holds" }\n'
    )
    done = verify("ci", str(manifest))
    assert "unknown" not in done.output
