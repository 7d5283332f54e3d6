"""The command line as users and scripts meet it: light commands, verdicts, exit codes, JSON, interrupts."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.support.command_line import CHAIN, ENDLESS, FAST, ROOT, start_verify, verify
from verifier.engines.bmc import PREFERRED_SOLVER
from verifier.outcomes.expectations import exit_code, parse_expectations
from verifier.specs.built_in import BUILT_IN
from verifier.verdict import Verdict, VerdictKind

# Light commands


def test_light_commands_import_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from verifier.cli.main import cli\n"
        "for words in ('list', 'list --format json', '--help', 'bmc --help', '--version'):\n"
        "    assert not cli(words.split(), standalone_mode=False)\n"
        "heavy = {'pysmt', 'z3', 'rich', 'pyspark', 'pandas', 'cvc5', 'pysat'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "kip320" in done.stdout


def test_list_names_every_built_in_protocol() -> None:
    lines = verify("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(BUILT_IN)
    listed = json.loads(verify("list", "--format", "json").stdout)["specs"]
    assert [item["spec"] for item in listed] == list(BUILT_IN)
    assert all(item["description"] for item in listed)


def test_show_describes_a_protocol() -> None:
    text = verify("show", "kip320").stdout
    for words in (
        "max_leader_epoch = 2",
        "an integer, at least 0",
        "BecomeLeader(leader ∈ replica(3)",
        "state bits",
    ):
        assert words.replace("state bits", "bits for") in text
    about = json.loads(verify("show", "--spec", "kip320", "--set", "replicas=2", "--format", "json").stdout)
    assert about["constants"][0] == {
        "name": "replicas",
        "value": 2,
        "default": 3,
        "allowed": "a number of elements, at least 2",
        "description": about["constants"][0]["description"],
    }
    assert {item["name"]: item["default"] for item in about["properties"]}["LeaderInIsr"] is False
    assert about["encoding"]["bits"] > 0
    assert set(about["encoding"]["clauses_per_step"]) == {"serial", "parallel"}
    assert about["symmetry"] == [{"index_set": "replica(2)", "pinned": []}]


def test_help_has_examples() -> None:
    for command in ("list", "show", "bmc", "replay"):
        done = verify(command, "--help")
        assert done.exit_code == 0
        assert f"verify {command}" in done.stdout.partition("Example")[2]
    assert "code of the file is run" in re.sub(r"\s+", " ", verify("bmc", "--help").stdout)


def test_the_help_names_the_solver_that_runs_by_default() -> None:
    words = re.sub(r"\s+", " ", verify("bmc", "--help").stdout)
    assert f"The solver. [default: {PREFERRED_SOLVER}]" in words


def test_no_command_shows_the_help() -> None:
    done = verify()
    assert done.exit_code == 2
    assert "Commands:" in done.stderr


# Verdicts and exit codes


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--property", "StartsLow"), 0, "HOLDS(5)"),
        ((), 10, "VIOLATED in 2 steps"),
        (("--property", "all"), 10, "VIOLATED in 0 steps"),
        (("--shortest",), 10, "VIOLATED in 2 steps (fewest)"),
        (("--set", "top=6"), 0, "HOLDS(5)"),
        (("--steps", "serial", "--no-symmetry", "--seed", "3"), 10, "VIOLATED in 2 steps (fewest)"),
        (("--expect", "violated"), 0, "met: "),
        (("--expect", "holds"), 10, "not met: "),
        (("--property", "StartsLow", "--expect", "violated"), 14, "not met: "),
        (("--expect", "NeverTop=violated", "--expect", "holds"), 0, "met: "),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = verify("bmc", "--spec", CHAIN, "--depth", "5", *FAST, *arguments)
    assert done.exit_code == code, done.output
    assert words in done.stdout
    assert "to depth 5" in done.stderr.splitlines()[0]


def test_depth_defaults_to_the_protocols_own() -> None:
    assert "HOLDS(10)" in verify("bmc", CHAIN, "--property", "StartsLow", *FAST).stdout


def test_progress_is_said_as_it_happens() -> None:
    done = verify("bmc", "--spec", CHAIN, "--depth", "2", "--steps", "serial", *FAST)
    assert re.search(r"^violation with 2 actions found \(serial, ", done.stderr, re.MULTILINE)


def verdict(kind: VerdictKind, name: str = "P") -> Verdict:
    return Verdict(name, kind, 1, 0.0)


HOLDS, VIOLATED, INCONCLUSIVE = VerdictKind.HOLDS, VerdictKind.VIOLATED, VerdictKind.INCONCLUSIVE


@pytest.mark.parametrize(
    ("kinds", "expected", "code"),
    [
        ([HOLDS, HOLDS], [], 0),
        ([HOLDS, INCONCLUSIVE], [], 12),
        ([VIOLATED, INCONCLUSIVE], [], 10),
        ([VIOLATED, VerdictKind.ERROR], [], 1),
        ([VerdictKind.NOT_INDUCTIVE, INCONCLUSIVE], [], 11),
        ([HOLDS, VIOLATED], ["violated"], 0),
        ([HOLDS, VIOLATED], ["holds"], 10),
        ([HOLDS, HOLDS], ["violated"], 14),
        ([INCONCLUSIVE, HOLDS], ["violated"], 12),
        ([INCONCLUSIVE, HOLDS], ["INCONCLUSIVE"], 0),
        ([VIOLATED, VerdictKind.ERROR], ["violated"], 1),
        ([HOLDS, VIOLATED], ["P1=violated", "holds"], 0),
        ([HOLDS, VIOLATED], ["P0=violated"], 10),
        ([HOLDS, HOLDS], ["P0=violated", "holds"], 14),
    ],
)
def test_expectations(kinds: list[VerdictKind], expected: list[str], code: int) -> None:
    verdicts = [verdict(kind, f"P{index}") for index, kind in enumerate(kinds)]
    assert exit_code(verdicts, parse_expectations(expected, ["P0", "P1"])) == code


# Machine-readable output


def test_json_has_the_names_that_scripts_rely_on() -> None:
    done = verify("bmc", "--spec", CHAIN, "--depth", "3", "--format", "json", *FAST)
    found = json.loads(done.stdout)
    assert found["spec"] == "chain"
    assert re.fullmatch(r"[0-9a-f]{16}", found["spec_hash"])
    assert (found["constants"], found["engine"], found["exit_code"]) == ({"top": 2}, "bmc", done.exit_code)
    assert found["options"]["depth"] == 3
    assert found["solver"]["name"] == "cadical"
    assert found["solver"]["version"]
    assert found["seconds"] > 0
    violated, holds = found["results"][:2]
    assert set(violated) >= {
        "property",
        "verdict",
        "depth",
        "steps",
        "reason",
        "seconds",
        "trace",
        "certificate",
    }
    assert (violated["property"], violated["verdict"], violated["steps"]) == ("NeverTop", "VIOLATED", 2)
    assert [state["x"] for state in violated["trace"]["states"]] == [0, 1, 2]
    assert (holds["verdict"], holds["depth"], holds["steps"], holds["trace"]) == ("HOLDS", 3, None, None)
    statistics = found["statistics"]
    assert statistics["never_enabled"] == []
    assert statistics["peak_memory_bytes"] >= 0
    assert (statistics["bits"], statistics["instances"]) == (2, 1)
    assert set(statistics["searches"]) == {"serial", "parallel"}


# Time, interrupts


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"{words!r} was never said")


def test_ctrl_c_keeps_what_is_known() -> None:
    process = start_verify(*ENDLESS)
    wait_for(process, " closed depth ")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 12
    assert re.search(r"INCONCLUSIVE\(interrupted, depth \d+ closed\)", output)
    assert "Traceback" not in errors


def test_a_request_to_terminate_is_an_interrupt_with_json_intact() -> None:
    process = start_verify(*ENDLESS, "--format", "json")
    wait_for(process, " closed depth ")
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    found = json.loads(output)
    assert (process.returncode, found["exit_code"]) == (12, 12)
    (result,) = (item for item in found["results"] if item["property"] == "HolderWaitsNoMore")
    assert (result["verdict"], result["reason"]) == ("INCONCLUSIVE", "interrupted")
    assert result["depth"] is not None


def test_an_interrupt_before_the_search_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verifier.runs.question.build_model", interrupt)
    done = verify("bmc", "--spec", CHAIN, "--format", "json")
    assert done.exit_code == 12
    result = json.loads(done.stdout)["results"][0]
    assert (result["verdict"], result["depth"], result["reason"]) == ("INCONCLUSIVE", None, "interrupted")


@pytest.mark.parametrize("command", ["bmc", "explore", "simulate", "prove", "induct"])
def test_the_clock_ends_building_too(command: str) -> None:
    large = [word for name in ("replicas", "log_size", "max_records") for word in ("--set", f"{name}=9")]
    began = time.monotonic()
    done = verify(command, "--spec", "kip320", *large, "--timeout", "200ms")
    assert time.monotonic() - began < 10
    assert done.exit_code == 12
    assert "INCONCLUSIVE(timeout of 0.2 s, while building the formulas, no depth closed)" in done.stdout


def test_the_clock_ends_the_search() -> None:
    began = time.monotonic()
    done = verify(*ENDLESS, "--timeout", "1s")
    assert time.monotonic() - began < 20
    assert done.exit_code == 12
    assert re.search(r"INCONCLUSIVE\(timeout of 1 s, (no depth|depth \d+) closed\)", done.stdout)


def test_too_much_memory_ends_the_search() -> None:
    done = verify(*ENDLESS, "--memory", "1MiB")
    assert done.exit_code == 12
    assert "INCONCLUSIVE(memory limit of 1 MiB, " in done.stdout
