"""ARCHITECTURE.md is short and true to the tree."""

from __future__ import annotations

import re

import pytest

from tests.support.command_line import ROOT

PAGE = ROOT / "ARCHITECTURE.md"
MOST_WORDS = 1500
BESIDE = {"encodings", "specs"}
"""Rooms at the top level; verifier/ has links to them."""


def exists(name: str) -> bool:
    """True if a name of the page is a module, a name in one, a folder or a file."""
    plain = name.rstrip("/")
    for base in (ROOT, ROOT / "verifier"):
        if (base / plain).exists() or (base / f"{plain}.py").exists():
            return True
        module, _, member = plain.rpartition(".")
        path = base / f"{module}.py"
        if module and path.exists() and re.search(rf"\b{member}\b", path.read_text(encoding="utf-8")):
            return True
    return False


def test_it_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_every_path_that_it_names_is_there() -> None:
    named = re.findall(r"`([a-z_]+/[\w./]*)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 30
    assert [name for name in named if not exists(name)] == []


@pytest.mark.parametrize("name", ["runs/nothing", "specs/protocol.defined_nowhere", "nowhere/"])
def test_a_name_that_is_not_there_is_noticed(name: str) -> None:
    assert not exists(name)


def test_the_drawing_has_every_room() -> None:
    drawing = PAGE.read_text(encoding="utf-8").split("```")[1]
    drawn = set(re.findall(r"^ *([a-z]+)/ ", drawing, re.M))
    folders = {path.name for path in (ROOT / "verifier").iterdir() if path.is_dir()}
    assert drawn == {name for name in folders if not name.startswith("__")} | BESIDE
