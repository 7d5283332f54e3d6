"""The executions that `verify tests` makes: what they cover, and what they cannot cover."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import ROOT, verify, wrong
from verifier.processes.limits import Interrupted, Limits
from verifier.runs.loading import load
from verifier.testing.covering import Execution, cover_graph
from verifier.testing.graphs import StateGraph, explore_graph
from verifier.testing.requests import BY_GUARDS, COVERS

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Stop
VARIABLE x
Init == x \\in {0, 5}
Inc == x < 3 /\\ x' = x + 1
Set(n) == x > 1 /\\ x' = n
Rest == x = Stop /\\ UNCHANGED x
Never == x = 77 /\\ x' = 0
Next == Inc \\/ (\\E n \\in 0..3 : Set(n)) \\/ Rest \\/ Never
Small == x < 6
====
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
TWO_PHASE = ROOT / "docs" / "examples" / "two_phase.py"


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("Counter.tla").write_text(COUNTER)
    Path("Counter.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Stop = 3\nINVARIANT Small\n")
    return tmp_path


@pytest.fixture(scope="module")
def graph() -> StateGraph:
    return explore_graph(load(str(TWO_PHASE), {"rm": "2"}), 20_000, None, Limits())()


def _list_covered(cover: str, execution: Execution) -> Iterator[Any]:
    match cover:
        case "states":
            yield from execution.states
        case "pairs":
            yield from pairwise(step.action for step in execution.steps)
        case "actions":
            yield from (step.action for step in execution.steps)
        case "instances":
            yield from (step.title for step in execution.steps)
        case "transitions":
            yield from execution.numbers


def _all_targets(cover: str, graph: StateGraph) -> set[Any]:
    match cover:
        case "states":
            return set(range(graph.states))
        case "pairs":
            return {
                (one.action, other.action)
                for one in graph.steps
                for other in graph.steps
                if one.target == other.source
            }
        case "actions":
            return {step.action for step in graph.steps}
        case "instances":
            return {step.title for step in graph.steps}
    return set(range(len(graph.steps)))


@pytest.mark.parametrize("cover", [cover for cover in COVERS if cover not in BY_GUARDS])
@pytest.mark.parametrize("seed", [0, 7])
def test_all_targets_are_covered_by_executions(graph: StateGraph, cover: str, seed: int) -> None:
    suite = cover_graph(graph, cover, seed=seed)
    for execution in suite.executions:
        assert execution.initial < graph.initial
        assert [step.source for step in execution.steps] == execution.states[:-1]
    found = {target for one in suite.executions for target in _list_covered(cover, one)}
    assert found == _all_targets(cover, graph)
    assert (suite.covered, suite.left, suite.not_found) == (len(found), [], [])
    assert suite.targets == len(found) + len(suite.impossible)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_depth_limits_executions_and_names_what_is_farther(graph: StateGraph, depth: int) -> None:
    suite = cover_graph(graph, "transitions", depth=depth)
    assert max(len(one.steps) for one in suite.executions) == depth
    assert suite.covered + len(suite.left) == suite.targets == len(graph.steps)
    assert all(" actions" in words for words in suite.left)


def test_a_count_limits_executions(graph: StateGraph) -> None:
    suite = cover_graph(graph, "transitions", count=2)
    found = {target for one in suite.executions for target in _list_covered("transitions", one)}
    assert len(suite.executions) == 2
    assert suite.covered == len(found)
    assert len(suite.left) == suite.targets - len(found)
    assert suite.left[0].endswith("--count is reached")


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("stop", [Interrupted("timeout of 1 s"), KeyboardInterrupt()])
def test_an_interrupt_keeps_the_executions_that_were_found(
    graph: StateGraph, stop: BaseException, number: int
) -> None:
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == number:
            raise stop

    suite = cover_graph(graph, "transitions", depth=3, check=check)
    assert len(suite.executions) == number
    reason = str(stop) or "interrupted"
    assert any(words.endswith(f": {reason}") for words in suite.left)


def test_different_seeds_choose_different_executions(graph: StateGraph) -> None:
    one, other = (cover_graph(graph, "actions", seed=seed).executions for seed in (0, 1))
    assert one != other


@pytest.mark.usefixtures("counter")
def test_a_complete_graph_proves_what_is_impossible() -> None:
    done = verify("tests", "--spec", "Counter.tla", "--cover", "actions", "--format", "json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["complete"]) == (0, True)
    assert found["impossible"] == ["Never"]
    assert (found["covered"], found["targets"]) == (3, 4)


@pytest.mark.usefixtures("counter")
def test_an_incomplete_graph_proves_nothing() -> None:
    asked = ("tests", "--spec", "Counter.tla", "--cover", "actions")
    for limit, reason in ((("--depth", "1"), "depth 1"), (("--max-states", "3"), "limit of 3 states")):
        done = verify(*asked, *limit, "--format", "json")
        found = json.loads(done.stdout)
        assert (done.exit_code, found["ended"], found["impossible"]) == (12, reason, [])
        assert "Never" in found["not_found"]
    shown = verify(*asked, "--depth", "1").stdout
    assert "not found in the explored part: " in shown


def test_a_protocol_has_the_same_reasons() -> None:
    done = verify("tests", "--spec", str(TWO_PHASE), "--cover", "pairs", "--depth", "2", "--format", "json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["ended"], found["impossible"]) == (12, "depth 2", [])
    assert found["not_found"]


@pytest.mark.usefixtures("counter")
def test_wrong_names_are_told() -> None:
    assert "did you mean 'pairs'" in wrong("tests", "--spec", "Counter.tla", "--cover", "pair")
    assert "--out DIR" in wrong("tests", "--spec", "Counter.tla", "--format", "pytest")


@pytest.mark.thorough
@pytest.mark.usefixtures("counter")
def test_the_same_seed_gives_the_same_bytes() -> None:
    found = []
    for number in ("1", "2"):
        command = [sys.executable, "-c", "from verifier.cli.entry import main; main()"]
        command += ["tests", "--spec", "Counter.tla", "--out", number, "--seed", "3"]
        environment = {**ENVIRONMENT, "PYTHONHASHSEED": number}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        found.append({path.name: path.read_bytes() for path in Path(number).iterdir()})
    assert found[0] == found[1]
    assert "execution-001.ndjson" in found[0]


@pytest.mark.parametrize("spec", [pytest.param("kip320", marks=pytest.mark.thorough), "Endless.tla"])
def test_an_interrupted_exploration_is_covered_as_far_as_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = COUNTER.replace("x < 3", "x >= 0").replace("MODULE Counter", "MODULE Endless")
    Path("Endless.tla").write_text(text)
    Path("Endless.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Stop = 3\n")
    asked = ("--cover", "actions", "--max-states", "100000000", "--timeout", "1")
    done = verify("tests", "--spec", spec, *asked, "--format", "json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["ended"], found["complete"]) == (12, "timeout", False)
    assert found["covered"] > 0
    assert found["executions"]


@pytest.mark.thorough
@pytest.mark.usefixtures("counter")
def test_ctrl_c_keeps_what_was_explored() -> None:
    Path("Counter.tla").write_text(COUNTER.replace("x < 3", "x >= 0"))
    command = [sys.executable, "-c", "from verifier.cli.entry import main; main()"]
    command += ["tests", "--spec", "Counter.tla", "--cover", "actions", "--max-states", "100000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=30)
    assert process.returncode == 12
    assert "(not all: interrupted)" in shown
    assert "cover 4 of 4 actions" in shown


def test_a_suite_of_a_module_shows_itself_in_a_line(counter: Path) -> None:
    import verifier

    loaded = verifier.load(str(counter / "Counter.tla"))
    assert repr(loaded.tests("actions")).startswith("<TestSuite of Counter: ")
    assert "cover 3 of 4 actions" in repr(loaded.tests("actions"))
    assert "a module that is not translated" in repr(loaded.loaded.definition)
