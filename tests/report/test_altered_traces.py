"""Run files whose executions contradict the property, the figures or the constants."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify

MODULE = """---- MODULE Nodes ----
EXTENDS Naturals
CONSTANT Node
VARIABLES count, done
Init == count = [n \\in Node |-> 0] /\\ done = {}
Up(n) == count[n] < 2 /\\ count' = [count EXCEPT ![n] = @ + 1] /\\ UNCHANGED done
End(n) == count[n] = 2 /\\ done' = done \\cup {n} /\\ UNCHANGED count
Next == \\E n \\in Node : Up(n) \\/ End(n)
Spec == Init /\\ [][Next]_<<count, done>>
Low == \\A n \\in Node : count[n] < 2 \\/ n \\notin done
====
"""
CONFIG = "SPECIFICATION Spec\nCONSTANT Node = {a, b}\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n"
RESULT = ("results", 0)
TRACE = (*RESULT, "trace")
META = (*TRACE, "#meta")
LAST = (*TRACE, "states", -1)


@pytest.fixture(scope="module")
def run_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    module = tmp_path_factory.mktemp("nodes") / "Nodes.tla"
    module.write_text(MODULE)
    module.with_suffix(".cfg").write_text(CONFIG)
    return verify("explore", str(module), "--format", "json").stdout


def report(folder: Path, content: Any) -> Any:
    run = folder / "run.json"
    run.write_text(json.dumps(content))
    return verify("report", str(run))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([((*TRACE, "loop"), 1)], "says a loop, and #meta.loop is missing"),
        ([((*META, "about_step"), True)], "Low is of the kind “invariant”, and its trace fails in a step"),
        ([(("asked", "Low", "kind"), "temporal property")],
         "Low is of the kind “temporal property”, and its trace has no loop"),
        ([((*RESULT, "depth"), 1)], "says depth 1, and its shortest execution has 3 steps"),
        ([((*RESULT, "depth"), 9)], "says depth 9, and its shortest execution has 3 steps"),
        ([((*LAST, "count", "#map", 0, 1), 7)], "where it fails, and state 3 has another value"),
        ([(("statistics", "actions", "Down"), {"taken": -4})], "statistics.actions.Down.taken is -4"),
        ([(("statistics", "actions", "Up", "taken"), 1)], "2 steps of Up, and statistics.actions counts 1"),
        ([(("constants", "Node"), "{a}"), ((*META, "constants", "Node"), "{a}")],
         "says Node = {a}, and its trace has the members a, b"),
        ([((*LAST, "count", "#map", 0, 1), 1.5)], "count is 1.5, which is not a value"),
        ([((*LAST, "count"), None)], "count is null, which is not a value"),
        ([((*LAST, "count", "#map"), [["a", 0], ["a", 1]])], 'has the key "a" twice'),
        ([((*LAST, "done", "#set"), ["a", "a"])], 'has the member "a" twice'),
        ([((*META, "failing", 0, "says"), "the moon is full")], "that was altered after the run"),
        ([((*META, "failing", 0, "culprits"), [])], "that was altered after the run"),
        ([((*LAST, "#meta", "guards"), [])], "that was altered after the run"),
        ([((*META, "checksum"), "0123456789abcdef")], "its checksum is another"),
    ],
)  # fmt: skip
def test_an_execution_that_contradicts_its_run_is_refused(
    changes: list[tuple[tuple[str | int, ...], Any]], words: str, run_text: str, tmp_path: Path
) -> None:
    content: Any = json.loads(run_text)
    assert report(tmp_path, content).exit_code == 0
    for (*outer, last), value in changes:
        reduce(lambda found, key: found[key], outer, content)[last] = value
    done = report(tmp_path, content)
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_bounded_search_that_stopped_early_is_refused(tmp_path: Path) -> None:
    asked = ("kip320", "--property", "TypeOk", "--depth", "1", "--set", "replicas=2", "--format", "json")
    content = json.loads(verify("bmc", *asked).stdout)
    assert report(tmp_path, content).exit_code == 0
    content["options"]["depth"] = 40
    done = report(tmp_path, content)
    assert done.exit_code == 2
    assert "says HOLDS up to depth 1, and depth 40 was asked for" in done.stderr


@pytest.mark.parametrize("initial", [0, 1])
@pytest.mark.parametrize("command", ["explore", "check", "bmc"])
def test_a_property_of_states_and_steps_may_fail_in_a_step(
    tmp_path: Path, command: str, initial: int
) -> None:
    """Its part about steps need not read the next state."""
    module = tmp_path / "Steps.tla"
    module.write_text(
        "---- MODULE Steps ----\nEXTENDS Integers\nVARIABLES x, y\n"
        "Init == x = 0 /\\ y = 1\nNext == x < 3 /\\ x' = x + 1 /\\ y' = 1 - y\n"
        f"First == x = {initial} /\\ [][y = 1]_x\n"
        "Both == [](x < 9) /\\ [][y = 1]_x\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nPROPERTY First Both\nCHECK_DEADLOCK FALSE\n")
    content = json.loads(verify(command, str(module), "--format", "json").stdout)
    verdicts = {one["property"]: one["verdict"] for one in content["results"]}
    assert verdicts["First"] == "VIOLATED"
    assert "VIOLATED" in (verdicts["Both"], verdicts.get("Both!step"))
    done = report(tmp_path, content)
    assert done.exit_code == 0, done.stderr
