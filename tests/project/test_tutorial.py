"""The tutorial is true: its code is the example files, and its commands give what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from verifier.cli.main import cli

DOCS = Path(__file__).parents[2] / "docs"


LOCK, MESSAGES = (DOCS / "tutorial.md").read_text().split("## 7. ")
TWO_PHASE = DOCS / "examples" / "two_phase.py"


def _blocks(language: str, text: str = LOCK) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_code_of_the_tutorial_is_the_example() -> None:
    *parts, fix, last = _blocks("python")
    example = (DOCS / "tutorial" / "lease_lock.py").read_text()
    assert "\n".join((*parts, last)) == example
    guard = "            when=[token.is_some],\n"
    fenced = (DOCS / "tutorial" / "fenced_lock.py").read_text()
    assert fenced.split('"""', 2)[2] == example.replace(guard, fix).split('"""', 2)[2]


@pytest.mark.parametrize(("file", "depth", "code"), [("lease_lock.py", 10, 10), ("fenced_lock.py", 30, 0)])
def test_the_verdicts_are_those_of_the_tutorial(file: str, depth: int, code: int) -> None:
    arguments = ["bmc", "--spec", str(DOCS / "tutorial" / file), "--depth", str(depth), "--steps", "serial"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    if code:
        (shown,) = _blocks("text")
        table = [line.rstrip() for line in shown.splitlines() if line.strip()]
        printed = [line.rstrip() for line in result.stdout.splitlines()]
        actions = [line for line in table if re.match(r" *\d+  ", line)]
        assert [line for line in printed if re.match(r" *\d+  ", line)] == actions
    else:
        assert result.stdout.count("HOLDS(30)") >= 2


def test_the_code_with_messages_is_the_example() -> None:
    example = TWO_PHASE.read_text()
    assert all(block in example for part in _blocks("python", MESSAGES) for block in part.split("\n\n    @"))


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["bmc", "--set", "waits_for_all=false"], 10, "Consistent: VIOLATED in 3 steps"),
        (["explore"], 0, "distinct states      288"),
        (["induct", "--property", "Consistent", "--lemma", "TmKeepsItsWord"], 11, "does not keep Consistent"),
        (["induct", "--property", "Consistent"], 0, "Consistent   PROVED"),
    ],
)
def test_the_verdicts_with_messages_are_those_of_the_tutorial(
    arguments: list[str], code: int, says: str
) -> None:
    command, *options = arguments
    result = CliRunner().invoke(cli, [command, "--spec", str(TWO_PHASE), *options])
    assert result.exit_code == code, result.output
    assert says in result.stdout
    if code == 11:
        (shown,) = _blocks("text", MESSAGES)
        assert shown.strip() in " ".join(result.stdout.split()).replace("Consistent NOT", "Consistent   NOT")
