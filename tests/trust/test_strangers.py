"""Files of strangers: certificates and traces never decide which code is run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, FAST, LOCK, verify, wrong
from verifier.trust import certificate as certificates

_TRAP = """
from pathlib import Path
Path({marker!r}).touch()
from tests.support.toys import Chain as Trap
"""


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A spec's file that leaves a marker when it is run, and the marker."""
    marker = tmp_path / "was-run"
    file = tmp_path / "trap.py"
    file.write_text(_TRAP.format(marker=str(marker)))
    return file, marker


def certificate(folder: Path, spec: str) -> Path:
    """A certificate, sealed, that names a spec."""
    content: dict[str, Any] = {
        "format": certificates.FORMAT,
        "spec": spec,
        "spec_hash": "0" * 16,
        "constants": {},
        "property": "StartsLow",
        "found_by": {"engine": "ic3", "solver": "minisat", "version": "1"},
        "k": 1,
        "lemmas": [],
        "clauses": [],
        "invariant": [],
        "smt2": [],
    }
    path = folder / "proof.json"
    path.write_text(json.dumps({**content, "digest": certificates.digest_of(content)}))
    return path


def trace(folder: Path, spec: str) -> Path:
    """A trace that names a spec."""
    path = folder / "trace.itf.json"
    about = {"spec": spec, "spec_hash": "0" * 16, "constants": {}, "property": "StartsLow"}
    path.write_text(json.dumps({"#meta": about, "vars": ["x"], "states": [{"x": 0}]}))
    return path


@pytest.mark.parametrize("spelled", ["{}", "{}:Trap", "relative", "./relative", "trap", "module"])
@pytest.mark.parametrize("command", ["certify", "replay", "report"])
def test_a_file_does_not_decide_whose_code_is_run(
    command: str,
    spelled: str,
    trap: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, marker = trap
    monkeypatch.chdir(tmp_path)
    near = {"relative": "trap.py", "./relative": "./trap.py:Trap", "trap": "trap", "module": "trap:Trap"}
    named = near.get(spelled, spelled.format(file))
    written = (certificate if command == "certify" else trace)(tmp_path, named)
    said = wrong(command, str(written))
    assert f"is of {named!r}, which is not built in: name its file with --spec FILE.py" in said
    assert not marker.exists()


@pytest.mark.parametrize("command", ["certify", "replay", "report"])
def test_the_user_may_say_whose(command: str, trap: tuple[Path, Path], tmp_path: Path) -> None:
    file, marker = trap
    written = (certificate if command == "certify" else trace)(tmp_path, os.fspath(file))
    wrong(command, str(written), "--spec", str(file))  # of another protocol, as is seen once it is loaded
    assert marker.exists()


def test_a_proof_of_ones_own_protocol_is_checked_with_its_file_named(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    done = verify("prove", "--spec", CHAIN, "--property", "StartsLow", "--certificate", str(path))
    assert done.exit_code == 0, done.output
    assert "not built in" in wrong("certify", str(path))
    assert verify("certify", str(path), "--spec", CHAIN).exit_code == 0


def test_a_trace_of_ones_own_protocol_replays_with_its_file_named(tmp_path: Path) -> None:
    path = tmp_path / "t.itf.json"
    asked = ("--property", "NotAllAsk", "--depth", "4", "--trace-out", str(path))
    assert verify("bmc", "--spec", LOCK, *asked, *FAST).exit_code == 10
    assert "not built in" in wrong("replay", str(path))
    assert verify("replay", str(path), "--spec", LOCK).exit_code == 0


@pytest.mark.parametrize("command", ["certify", "replay"])
def test_constants_of_another_protocol_are_not_called_a_misspelling(command: str, tmp_path: Path) -> None:
    """Nobody gave them: the file states them, and the wrong spec was named."""
    kind, out = ("prove", "--certificate") if command == "certify" else ("bmc", "--trace-out")
    path = tmp_path / "written.json"
    asked = ("--property", "HolderWaitsNoMore" if kind == "prove" else "NotAllAsk", out, str(path))
    assert verify(kind, "--spec", LOCK, *asked).exit_code in (0, 10)
    said = wrong(command, str(path), "--spec", CHAIN)
    assert f"the file is of 'lock-server', and {CHAIN} defines 'chain': unknown constant" in said
