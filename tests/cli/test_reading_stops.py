"""Texts are read within the time, an interrupt ends the parser, and what is not a regular file is refused."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, start_verify, verify
from verifier.files import bytes_of, reason_of
from verifier.tla.errors import TlaError
from verifier.tla.text import without_comments

_NESTED = {
    "conjuncts": "/\\ TRUE " * 100_000,
    "parentheses": "(" * 100_000 + "1" + ")" * 100_000,
    "conditionals": "IF TRUE THEN 1 ELSE " * 100_000 + "1",
}


def _module(name: str, body: str) -> str:
    return f"---- MODULE {name} ----\nVARIABLE x\nInit == x = 1\nNext == x' = x\nInv == {body}\n====\n"


_PARSE = """
import sys, time
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import Watched, look_at
from verifier.tla.text import parse_text

began = time.monotonic()
try:
    with Watched(look_at(Limits(0.3).begin())):
        parse_text(sys.stdin.read(), "A.tla")
except Interrupted as stop:
    print(stop, time.monotonic() - began < 5.0)
"""


# A parser that is ended leaves its memory: each of these tests has a process of its own.
@pytest.mark.parametrize("body", _NESTED.values(), ids=_NESTED)
def test_the_parser_ends_with_the_time(body: str) -> None:
    command = [sys.executable, "-c", _PARSE]
    done = subprocess.run(
        command, check=False, cwd=ROOT, input=_module("A", body), capture_output=True, text=True
    )
    assert done.stdout == "timeout of 0.3 s True\n", done.stderr


@pytest.mark.parametrize("repeated", ["-", '"\\', "(*", "= ", "---- M"])
@pytest.mark.parametrize("where", ["before", "within", "behind"])
def test_the_time_grows_with_the_length(repeated: str, where: str) -> None:
    long = repeated * 50_000
    body = _module("A", long if where == "within" else "1")
    text = f"{long}\n{body}" if where == "before" else f"{body}{long}" if where == "behind" else body
    began = time.process_time()
    with contextlib.suppress(TlaError):
        without_comments(text, "A.tla")
    assert time.process_time() - began < 2


def test_timeout_counts_while_the_module_is_read(tmp_path: Path) -> None:
    path = tmp_path / "A.tla"
    path.write_text(_module("A", _NESTED["conjuncts"]))
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    run = start_verify("explore", str(path), "--timeout", "1s", "--property", "Inv", "--format", "json")
    output, errors = run.communicate()
    reason = "timeout of 1 s, while the spec was read"
    assert errors == f"verify: {reason}\n"
    assert run.returncode == 12
    ended = json.loads(output)
    (open_verdict,) = ended["results"]
    assert (ended["ended"], ended["exit_code"], ended["engine"]) == (reason, 12, "explore")
    assert (open_verdict["property"], open_verdict["verdict"]) == ("Inv", "INCONCLUSIVE")
    found = tmp_path / "run.json"
    found.write_text(output)
    assert reason in verify("report", str(found)).stdout


def test_timeout_counts_while_the_code_of_a_protocol_runs(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text("while True:\n    pass\n")
    run = start_verify("explore", str(path), "--timeout", "1s")
    _, errors = run.communicate(timeout=60)
    assert (run.returncode, errors) == (12, "verify: timeout of 1 s, while the spec was read\n")


_STOPS = """
import os, signal, sys
from importlib import import_module
def stop(*given, **named):
    os.kill(os.getpid(), signal.SIGTERM)
name, _, attribute = "{place}".partition(":")
setattr(import_module(name), attribute, stop)
"""
_WITH_JSON = {
    "check": (("check", "kip320"), "verifier.runs.loading:load"),
    "bmc": (("bmc", "kip320", "--property", "StrongIsr"), "verifier.runs.asking:make_question"),
    "show": (("show", "kip320"), "verifier.runs.loading:load"),
    "certify": (("certify", "{proof}"), "verifier.trust.certificate_file:read_file"),
    "ci": (("ci", "{proof}"), "verifier.ci.manifest:read_manifest"),
    "sweep": (("sweep", "--spec", "kip320"), "verifier.sweep.expansion:expand"),
    "tests": (("tests", "--spec", "kip320"), "verifier.runs.loading:load"),
    "conform": (("conform", "{proof}", "--spec", "kip320"), "verifier.conform.judging:make_judge"),
    "report": (("report", "{proof}"), "verifier.report.run_sources:read_report"),
}


@pytest.mark.parametrize("name", _WITH_JSON)
def test_a_command_that_is_ended_prints_one_object(name: str, tmp_path: Path) -> None:
    words, place = _WITH_JSON[name]
    proof = tmp_path / "proof.json"
    proof.write_text("{}")
    run = start_verify(
        *(word.format(proof=proof) for word in words), "--format", "json", first=_STOPS.format(place=place)
    )
    output, errors = run.communicate()
    assert (run.returncode, errors.strip()) == (12, "verify: interrupted")
    ended = json.loads(output)
    assert "interrupted" in (ended["notes"][0] if name == "report" else ended["ended"])
    assert ended.get("exit_code", 12) == 12


@pytest.mark.parametrize(
    ("output_format", "shown"),
    [("text", ""), ("markdown", "Ended: interrupted"), ("junit", "nothing was decided"), ("html", "Ended")],
)
def test_a_report_that_is_ended_is_still_a_document(output_format: str, shown: str, tmp_path: Path) -> None:
    words = ("report", str(tmp_path), "--format", output_format)
    run = start_verify(*words, first=_STOPS.format(place="verifier.report.run_sources:read_report"))
    output, _ = run.communicate()
    assert run.returncode == 12
    assert shown in output
    assert bool(shown) == bool(output)


def test_an_interrupt_of_the_imports_prints_one_object() -> None:
    stops = "verifier.cli.streams:prepare_streams"
    run = start_verify("explore", "kip320", "--format", "json", first=_STOPS.format(place=stops))
    output, errors = run.communicate()
    assert (run.returncode, errors) == (12, "verify: interrupted\n")
    assert json.loads(output)["ended"] == "interrupted"


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "{}.tla"),
        ("bmc", "{}.py"),
        ("report", "{}.json"),
        ("replay", "{}.json"),
        ("certify", "{}.json"),
        ("ci", "{}.toml"),
        ("sweep", "{}.toml"),
        ("report", "/dev/full"),
        ("ci", "/dev/zero"),
    ],
    ids=" ".join,
)
def test_a_pipe_or_device_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    name = words[1].format(tmp_path / "pipe")
    if not name.startswith("/dev"):
        os.mkfifo(name)
    done = verify(words[0], name)
    assert done.exit_code == 2
    assert "not a regular file" in done.stderr


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "run.json"
    with large.open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(OSError, match="it has more than 1024 MiB") as refused:
        bytes_of(large)
    assert reason_of(refused.value) == "it has more than 1024 MiB"
