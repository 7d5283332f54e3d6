"""Verdicts within a CONSTRAINT or up to a VIEW say so, in the terminal and on the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify

BOUNDED = """---- MODULE Bounded ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Small == x < 3
Inv == x < 10
====
"""
"""Ten steps violate Inv, and the constraint allows three."""
HIDDEN = """---- MODULE Hidden ----
EXTENDS Naturals
VARIABLES x, h
Init == x = 0 /\\ h = 0
Left == x = 0 /\\ x' = 1 /\\ h' = 0
Right == x = 0 /\\ x' = 1 /\\ h' = 1
Leap == x = 1 /\\ h = 1 /\\ x' = 3 /\\ h' = h
Walk == x \\in 1..2 /\\ x' = x + 1 /\\ h' = 1
Next == Left \\/ Right \\/ Leap \\/ Walk
Seen == x
Inv == x # 3
====
"""
"""Right and Leap violate Inv in two steps. The VIEW takes the state after Right for that after Left."""


def _write(folder: Path, text: str, config: str) -> str:
    name = text.split()[2]
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT Inv\n{config}")
    return str(folder / f"{name}.tla")


@pytest.mark.parametrize("command", ["check", "explore", "prove"])
def test_a_verdict_within_a_constraint_names_it(tmp_path: Path, command: str) -> None:
    module, page = _write(tmp_path, BOUNDED, "CONSTRAINT Small\n"), tmp_path / "page.html"
    done = verify(command, module, "--html", str(page))
    assert done.exit_code == 0
    assert "within the constraint Small" in " ".join(done.stdout.split())
    assert "every reachable state" not in done.stdout
    assert "within the constraint Small" in page.read_text()


def test_without_a_constraint_there_is_no_word_of_one(tmp_path: Path) -> None:
    module = _write(tmp_path, BOUNDED.replace("x + 1", "1 - x"), "")
    done = verify("check", module)
    assert "every reachable state (2)" in done.stdout
    assert "constraint" not in done.stdout


@pytest.mark.parametrize("command", ["check", "explore"])
def test_up_to_a_view_an_execution_may_not_be_the_shortest(tmp_path: Path, command: str) -> None:
    module = _write(tmp_path, HIDDEN, "VIEW Seen\nCHECK_DEADLOCK FALSE\n")
    done = verify(command, module, "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert (result["verdict"], result["fewest"]) == ("VIOLATED", False)
    text = verify(command, module).stdout
    assert "maybe not the fewest" in text
    assert "never enabled: Leap" not in text


def test_without_a_view_it_is_the_shortest(tmp_path: Path) -> None:
    done = verify("explore", _write(tmp_path, HIDDEN, "CHECK_DEADLOCK FALSE\n"), "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert (result["steps"], result["fewest"]) == (2, True)
