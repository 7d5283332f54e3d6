"""Runs of ``check`` as they are written are read again: lassos, and verdicts within a CONSTRAINT."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import write_module

_RING = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Small == x < 3
Never == <>(x = 5)
Later == <>(x = 2) => x = 1
"""
_CLOCK = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Bound == x < 30
Small == x <= 30
Always == []<>(x = 3)
"""
_PROPERTIES = "INVARIANT Small\nPROPERTY {}\n"


def _run(folder: Path, command: str, body: str, config: str) -> Path:
    path = write_module(folder, body)
    (folder / "M.cfg").write_text(f"SPECIFICATION Spec\n{config}")
    done = verify(command, str(path), "--format", "json")
    assert done.exit_code in (0, 10), done.output
    (folder / "run.json").write_text(done.stdout)
    return folder / "run.json"


def _results(path: Path) -> dict[str, dict[str, Any]]:
    return {one["property"]: one for one in json.loads(path.read_text())["results"]}


def test_lassos_that_may_not_have_the_fewest_steps_are_read_again(tmp_path: Path) -> None:
    path = _run(tmp_path, "check", _RING, _PROPERTIES.format("Never Later"))
    assert _results(path)["Later"]["fewest"] is False
    done = verify("report", str(path))
    assert done.exit_code == 0, done.output
    forged = path.read_text().replace('"fewest": false', '"fewest": true')
    path.write_text(forged)
    assert verify("report", str(path)).exit_code == 2


@pytest.mark.parametrize("command", ["check", "live"])
def test_a_property_that_holds_since_no_execution_is_left_is_called_vacuous(
    command: str, tmp_path: Path
) -> None:
    """Also in reports. The depth of such a verdict counts states, of which there are more than levels."""
    path = _run(tmp_path, command, _CLOCK, "CONSTRAINT Bound\n" + _PROPERTIES.format("Always"))
    assert _results(path)["Always"]["reason"].startswith("vacuous: ")
    for form in ("text", "markdown", "junit", "html"):
        done = verify("report", str(path), "--format", form)
        assert done.exit_code == 0, done.output
        assert "vacuous" in done.stdout.lower(), form
        assert "actions violates it" not in done.stdout


def test_rows_of_temporal_properties_stay_if_the_time_is_over(tmp_path: Path) -> None:
    path = write_module(tmp_path, _RING)
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\n" + _PROPERTIES.format("Never"))
    done = verify("prove", str(path), "--timeout", "1ms", "--format", "json")
    assert [one["property"] for one in json.loads(done.stdout)["results"]] == ["Small", "NoDeadlock", "Never"]
