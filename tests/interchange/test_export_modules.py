"""Step invariants of TLA+ modules in exported files: Patronus and ABC come to the same verdicts."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.exporting import abc, needs_abc

TEXT = r"""---- MODULE T ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 2) % 8
Up == [][x' > x]_x
Near == [][x' # x + 3]_x
Early == [][x < 4 => x' > x]_x
First == [][x # 0]_x
====
"""
STEPS = {"Up": 4, "Near": None, "Early": None, "First": 1}
"""The steps to the first violation, the violating one among them."""


def _export(folder: Path, name: str, form: str) -> Path:
    (folder / "T.tla").write_text(TEXT)
    (folder / "T.cfg").write_text(f"INIT Init\nNEXT Next\nPROPERTY {' '.join(STEPS)}\n")
    file = folder / f"{name}.{form}"
    done = verify("export", str(folder / "T.tla"), "--property", name, "--format", form, "--out", str(file))
    assert done.exit_code == 0, done.stderr
    return file


@pytest.mark.parametrize("name", STEPS)
def test_verify_finds_these_steps(name: str, tmp_path: Path) -> None:
    _export(tmp_path, name, "smt2")
    done = verify("bmc", str(tmp_path / "T.tla"), "--depth", "6", "--property", name)
    steps = STEPS[name]
    words = f"{name}: VIOLATED in {steps} step" if steps else "HOLDS(6)"
    assert words in done.stdout


@pytest.mark.parametrize("name", STEPS)
def test_patronus_finds_them_in_the_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patronus = pytest.importorskip("pypatronus")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    if shutil.which("z3") is None:
        pytest.skip("there is no command z3")
    system = patronus.parse_btor2_str(_export(tmp_path, name, "btor2").read_text())
    answer = patronus.bmc("z3", system, 8)
    # The bad state is the one before the step, and Patronus counts states.
    assert (len(answer) if str(answer) == "sat" else None) == STEPS[name]


@needs_abc
@pytest.mark.parametrize("name", STEPS)
def test_abc_decides_the_file_for_all_depths(name: str, tmp_path: Path) -> None:
    file = _export(tmp_path, name, "aiger").rename(tmp_path / "T.aig")
    answer = abc(file, "pdr")
    steps = STEPS[name]
    assert (answer.frame, answer.proved) == ((None, True) if steps is None else (steps - 1, False)), (
        answer.said
    )
