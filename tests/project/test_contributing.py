"""The recipes of CONTRIBUTING.md, followed word for word in a copy of the repository."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.sampling import some_of

ROOT = Path(__file__).parents[2]
_STEP = re.compile(
    r"(?:Write `(?P<written>[^`]+)`[^:`]*(?:`[^`]+`)?:"
    r"|Add to `(?P<changed>[^`]+)`, below(?P<each> each)?\s`(?P<anchor>[^`]+)`:"
    r"|Copy `(?P<source>[^`]+)` to `(?P<target>[^`]+)`"
    r"|(?=```console))"
)
_BLOCK = re.compile(r"\s*```\w+\n(.*?)```", re.S)
_SAYS = {
    "verify show lock": "Clients take turns holding one lock.",
    "verify explore lock --property all": "REACHED in 1 step",
    "verify bmc kip101 --depth 4 --solver glucose": "glucose 4.0",
    "python -m pytest -q -n 0 tests/solvers/test_solvers.py -k glucose": " passed",
    "python -m results.generators.engines_page": "## toy",
    "python -m results.generators.engine_methods": "    def toy(",
    "verify prove Thermostat.tla --property Near --by translation": "translation agrees with the module",
    "verify induct Countdown.tla --property Going --expect not_inductive": "Going has no proof",
    "verify report run.json --format csv": "kip101,",
}
"""Texts that commands must print, besides ending with 0."""


@dataclass(frozen=True)
class Recipe:
    """A section of the page."""

    title: str
    text: str


def _recipes() -> list[Recipe]:
    sections = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## ")[1:]
    return [Recipe(section.partition("\n")[0], section) for section in sections if "```console" in section]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository, without what is generated."""
    for name in ("encodings", "specs", "verifier", "tests", "results"):
        ignored = shutil.ignore_patterns("__pycache__", "run*", "*.html")
        keep = shutil.ignore_patterns("__pycache__") if name in ("verifier", "tests") else ignored
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=keep)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def _run(command: str, folder: Path) -> str:
    words = shlex.split(command)
    to = words[words.index(">") + 1] if ">" in words else None
    words = words[: words.index(">")] if ">" in words else words
    code = "from verifier.cli.entry import main; main()"
    start = [sys.executable, "-c", code] if words[0] == "verify" else [sys.executable]
    done = subprocess.run(
        [*start, *words[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    if to is not None:
        (folder / to).write_text(done.stdout)
    return done.stdout + done.stderr


def _follow(recipe: Recipe, folder: Path) -> int:
    """Does what the recipe says; how many steps it had."""
    steps = 0
    for step in _STEP.finditer(recipe.text):
        steps += 1
        if step["source"]:
            shutil.copy(folder / step["source"], folder / step["target"])
            continue
        block = _BLOCK.match(recipe.text, step.end())
        assert block is not None, step[0]
        if step["written"]:
            path = folder / step["written"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block[1], encoding="utf-8")
        elif step["changed"]:
            path = folder / step["changed"]
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            places = [number for number, line in enumerate(lines) if step["anchor"] in line]
            assert places
            assert step["each"] or len(places) == 1
            for place in reversed(places):
                lines.insert(place + 1, block[1])
            path.write_text("".join(lines), encoding="utf-8")
        else:
            for command in re.findall(r"^\$ (.*)$", block[1], re.M):
                assert _SAYS.get(command, "") in _run(command, folder)
    return steps


@pytest.mark.thorough
@pytest.mark.parametrize("recipe", some_of(_recipes(), every=3), ids=lambda recipe: recipe.title)
def test_a_recipe_works_word_for_word(recipe: Recipe, copy: Path) -> None:
    assert _follow(recipe, copy) >= 3


def test_every_command_with_words_to_say_is_in_a_recipe() -> None:
    text = "".join(recipe.text for recipe in _recipes())
    assert all(f"$ {command}\n" in text for command in _SAYS)
    assert len(_recipes()) == 6
