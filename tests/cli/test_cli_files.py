"""Files that the command line writes and reads: traces, also edited ones, and SMT-LIB."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CHAIN, FAST, LOCK, verify, wrong


def test_a_trace_is_written_and_replays(tmp_path: Path) -> None:
    target = tmp_path / "t.itf.json"
    arguments = (
        "--property",
        "NotAllAsk",
        "--property",
        "FirstNeverHolds",
        "--trace-out",
        str(target),
        *FAST,
    )
    assert verify("bmc", "--spec", LOCK, "--depth", "4", *arguments).exit_code == 10
    other = tmp_path / "t.FirstNeverHolds.itf.json"
    assert json.loads(target.read_text())["#meta"]["property"] == "NotAllAsk"
    done = verify("replay", str(target), "--spec", LOCK)
    assert (done.exit_code, done.stderr) == (0, "")
    assert re.match(
        r"replayed: 3 actions, NotAllAsk fails in the last state: cardinality\(asked\) < 3", done.stdout
    )
    shown = verify("replay", str(other), "--spec", LOCK, "--show").stdout
    assert "2  Grant(client=c1)" in shown
    assert "replayed: 2 actions, FirstNeverHolds fails" in shown


def test_an_existing_file_is_kept_until_there_is_a_trace(tmp_path: Path) -> None:
    target = tmp_path / "t.itf.json"
    target.write_text("precious")
    done = verify("bmc", "--spec", CHAIN, "--property", "StartsLow", "--trace-out", str(target), *FAST)
    assert done.exit_code == 0
    assert target.read_text() == "precious"
    assert "is not written; the one that is there is older" in done.stderr
    wrong("bmc", "--spec", CHAIN, "--trace-out", str(target), "--expect", "nonsense")
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


def test_the_question_is_written(tmp_path: Path) -> None:
    target = tmp_path / "q.smt2"
    verify("bmc", "--spec", CHAIN, "--depth", "3", "--dump-smt2", str(target), *FAST)
    assert target.read_text().count("(check-sat)") == 1


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    target = tmp_path / "trace.itf.json"
    verify(
        "bmc", "--spec", LOCK, "--property", "NotAllAsk", "--depth", "4", "--trace-out", str(target), *FAST
    )
    return target


def rewrite(file: Path, edit: Callable[[Any], Any]) -> str:
    data = json.loads(file.read_text())
    edit(data)
    file.write_text(json.dumps(data))
    return str(file)


EDITS: list[tuple[Callable[[Any], Any], str]] = [
    (
        lambda d: d["states"][2]["asked"].update({"#set": []}),
        "does not replay: step 2: .* gives another state",
    ),
    (
        lambda d: d["states"][1]["#meta"].update(action="Grant"),
        "does not replay: step 1: Grant.* is not enabled",
    ),
    (
        lambda d: d["states"][0]["asked"].update({"#set": ["c2"]}),
        "does not replay: step 0: not an initial state",
    ),
    (lambda d: d["states"].pop(), "does not replay: step 2: NotAllAsk holds in the last state"),
    (
        lambda d: d["states"][1]["asked"].update({"#set": ["c7"]}),
        "does not replay: step 1: asked is c7, which is not in",
    ),
    (lambda d: d["states"][1].pop("asked"), "state 1 lacks the variable asked"),
    (lambda d: d["#meta"].update(property="NotAllAks"), "unknown property .*did you mean 'NotAllAsk'"),
    (lambda d: d["#meta"].update(constants={"clients": 0}), "clients=0 is not allowed"),
    (lambda d: d["#meta"].pop("spec"), '"spec" in "#meta" should be a name'),
    (lambda d: d.pop("#meta"), '"#meta" is missing'),
    (lambda d: d.update(states=[]), "the trace has no states"),
]


@pytest.mark.parametrize(("edit", "words"), EDITS, ids=[words for _, words in EDITS])
def test_an_edited_trace_is_turned_down(trace_file: Path, edit: Callable[[Any], Any], words: str) -> None:
    assert re.search(words, wrong("replay", rewrite(trace_file, edit), "--spec", LOCK))


def test_a_trace_never_decides_which_code_is_run(trace_file: Path) -> None:
    assert "name its file with --spec FILE.py" in wrong("replay", str(trace_file))
    edited = rewrite(trace_file, lambda d: d["#meta"].update(spec=LOCK))
    assert "not built in" in wrong("replay", edited)


def test_a_trace_of_another_version_is_checked_with_a_warning(trace_file: Path) -> None:
    edited = rewrite(trace_file, lambda d: d["#meta"].update(spec_hash="0" * 16))
    done = verify("replay", edited, "--spec", LOCK)
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: lock-server or its constants changed since")


@pytest.mark.parametrize("command", ["replay", "report"])
def test_constants_given_must_be_those_of_the_file(command: str, trace_file: Path) -> None:
    about = [command, str(trace_file), "--spec", LOCK, "--set"]
    made = json.loads(trace_file.read_text())["#meta"]["constants"]["clients"]
    line = wrong(*about, "clients=4")
    assert f"the trace was made with clients={made}, and --set gives clients=4" in line
    assert verify(*about, f"clients={made}").exit_code in (0, 10)


def test_constants_given_must_be_those_of_a_module_s_trace(tmp_path: Path) -> None:
    path, trace = tmp_path / "Count.tla", str(tmp_path / "t.itf.json")
    path.write_text(
        "---- MODULE Count ----\nEXTENDS Integers\nCONSTANTS N, M\nVARIABLE x\nInit == x = 0\n"
        "Next == x' = (x + 1) % M\nSmall == x < N\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next\nCONSTANTS N = 3 M = 9\nINVARIANT Small\n")
    assert verify("explore", str(path), "--trace-out", trace).exit_code == 10
    about = ["replay", trace, "--spec", str(path), "--set"]
    assert verify(*about, "N=3").exit_code == 0
    # An execution at these, too, but not the one that was found.
    assert "the trace was made with N=3, and --set gives N=2" in wrong(*about, "N=2")
