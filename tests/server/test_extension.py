"""The extension of VS Code: it builds, and agrees with the server about commands and settings."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.command_line import ROOT
from verifier.server.editor.language_server import REQUEST, make_server
from verifier.server.editor.told import WHY
from verifier.server.table import REQUESTS

FOLDER = ROOT / "verifier" / "server" / "editor" / "vscode"


def read_source(name: str) -> str:
    """Return a source of the extension."""
    return (FOLDER / "src" / name).read_text(encoding="utf-8")


def test_the_extension_names_commands_and_requests_of_the_server() -> None:
    text = read_source("extension.ts")
    commands = make_server().protocol.fm.commands
    assert {REQUEST, WHY} <= commands.keys()
    assert f'"{REQUEST}"' in text
    assert f'"{WHY}"' in text
    asked = set(re.findall(r'ask(?:<\w+>)?\("(\w+)"', text))
    assert asked == {"path", "counterexample", "back", "forward"}
    assert asked <= REQUESTS.keys()


def test_the_settings_are_those_of_the_server() -> None:
    declared = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    settings = set(declared["contributes"]["configuration"]["properties"])
    assert settings == {"verify.command", "verify.library", "verify.runPython"}
    page = (ROOT / "docs" / "editor.md").read_text(encoding="utf-8")
    for name in ("library", "runPython"):
        assert f"{name}: settings.get" in read_source("extension.ts")
        assert f"| `{name}` |" in page


def test_the_lock_file_names_no_registry() -> None:
    locked = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))
    assert len(locked["packages"]) > 10
    assert not [name for name, one in locked["packages"].items() if "resolved" in one]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_the_extension_is_built_from_a_clean_clone(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "clone")], check=True)
    subprocess.run(["make", "vsix"], cwd=tmp_path / "clone", check=True, capture_output=True)
    with zipfile.ZipFile(tmp_path / "clone" / "dist" / "protoverify.vsix") as made:
        names = set(made.namelist())
        assert {"extension/package.json", "extension/dist/extension.js"} <= names
        assert {"extension/syntaxes/tlaplus.json", "extension/language-configuration.json"} <= names
        assert not [name for name in names if "node_modules" in name or "test" in name]
        assert b"verify.request" in made.read("extension/dist/extension.js")
