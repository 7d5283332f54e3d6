"""Limits and interrupts: what a command may take, and how it ends when it is told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.command_line import ROOT, start_verify, verify, wrong
from verifier.processes.limits import Interrupted, Limits
from verifier.processes.watching import look_at
from verifier.runs.loading import load
from verifier.system.size import MOST_BITS, check_size

LARGE = ("--set", "replicas=5", "--set", "log_size=5", "--set", "max_records=5")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("bmc", "kip320", "--set", "log_size=20000"), "log_size=20000"),
        (("explore", "kip101", "--set", "max_leader_epoch=100000000"), "max_leader_epoch=100000000"),
        (("show", "kip320", "--set", "replicas=100000000"), "replicas=100000000"),
        (("export", "kip320", "--format", "smt2", "--set", "replicas=5000"), "replicas=5000"),
        (("simulate", "bookkeeper", "--set", "bookies=100000"), "bookies=100000"),
    ],
)
def test_absurd_constants_are_refused_at_once(words: tuple[str, ...], name: str) -> None:
    began = time.monotonic()
    line = wrong(*words)
    assert name in line
    assert "taken for a mistake" in line
    assert time.monotonic() - began < 10


def test_a_strangers_trace_with_an_absurd_constant_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "t.itf.json"
    done = verify("bmc", "kip101", "--depth", "11", "--property", "WeakIsr", "--trace-out", str(trace))
    assert done.exit_code == 10
    content = json.loads(trace.read_text())
    text = json.dumps(content).replace('"log_size": 2', '"log_size": 100000000')
    assert text != json.dumps(content)
    trace.write_text(text)
    for command in ("replay", "report"):
        line = wrong(command, str(trace))
        assert "taken for a mistake" in line


@pytest.mark.thorough
def test_the_size_is_estimated_well_for_every_built_in_protocol() -> None:
    from verifier.specs.built_in import BUILT_IN
    from verifier.system.model import build
    from verifier.system.size import _bits

    for spec in BUILT_IN:
        definition = load(spec, {}).definition
        real = len(build(definition).system.bits)
        guessed = sum(_bits(symbol.sort) for symbol in definition.variables)
        assert real <= guessed <= 4 * real + 10, (spec, real, guessed)
        check_size(definition)
    assert MOST_BITS >= 100_000


@pytest.mark.parametrize("command", ["bmc", "explore", "simulate", "prove", "induct"])
def test_memory_ends_building_too(command: str) -> None:
    words = ("--set", "replicas=9", "--set", "log_size=30", "--set", "max_records=9")
    if command == "simulate":
        pytest.skip("simulation has no limit of memory of its own")
    done = verify(command, "kip320", *words, "--memory", "1MiB")
    assert done.exit_code == 12
    assert "memory limit of 1 MiB, while building the formulas" in done.stdout


@pytest.mark.parametrize(("later", "ends"), [(2**34, False), (0, True)])
def test_memory_that_others_give_back_is_there(
    later: int, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [0]
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=free[0]))
    used = [2**30]
    resident = SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=used[0]))
    monkeypatch.setattr("psutil.Process", lambda: resident)
    free[0] = 2**20
    look = look_at(Limits())
    used[0], free[0] = used[0] + 2**20, later
    if ends:
        with pytest.raises(Interrupted, match="the memory of this machine"):
            look()
    else:
        look()


def test_each_property_has_its_share_of_the_time() -> None:
    limits = Limits(10.0).begin()
    first = limits.share(4)
    assert first.seconds == 10.0
    assert first.until is not None
    assert 2.0 < first.until - time.monotonic() < 2.6
    assert limits.share(1).until is None
    assert Limits().share(3).until is None
    left, of_second = first.seconds_left, first.share(2).seconds_left
    assert left is not None
    assert of_second is not None
    assert of_second <= left / 2 < left <= 2.5
    gone = Limits(10.0, since=time.monotonic(), until=time.monotonic() - 1)
    with pytest.raises(Interrupted, match=r"this property's share of 10 s"):
        gone.check_time()


@pytest.mark.slow
def test_the_last_properties_get_their_time() -> None:
    done = verify("prove", "bookkeeper", "--timeout", "12s", "--format", "json", "--no-lemmas")
    results = json.loads(done.stdout)["results"]
    assert results[0]["property"] == "TypeOk" or len(results) > 2
    late = [r for r in results if r["verdict"] == "INCONCLUSIVE"]
    assert all(r["seconds"] > 0.3 or "share" in (r["reason"] or "") for r in late)
    assert done.exit_code in (0, 12)


def _interrupt(words: tuple[str, ...], after: float, times: int, number: int) -> tuple[int, str, str]:
    process = start_verify(*words)
    time.sleep(after)
    for _ in range(times):
        process.send_signal(number)
        time.sleep(0.05)
    try:
        output, errors = process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"{words} goes on after {times} signals")
    return process.returncode, output, errors


@pytest.mark.parametrize(
    ("number", "times"),
    [
        pytest.param(signal.SIGTERM, 1, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, 2, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        ("induct", "kip320", *LARGE, "--format", "json"),
        ("prove", "bookkeeper", "--no-lemmas", "--format", "json"),
        ("ci", str(ROOT / ".ci" / "verify.toml"), "--format", "json"),
    ],
    ids=lambda words: words[0],
)
def test_one_interrupt_ends_it(words: tuple[str, ...], times: int, number: int) -> None:
    code, output, errors = _interrupt(words, 3.0, times, number)
    assert code == 12, errors
    assert "Traceback" not in errors
    if words[0] != "ci":
        reasons = [result["reason"] for result in json.loads(output)["results"]]
        assert reasons.count("interrupted") >= 1


def test_matrix_can_be_interrupted() -> None:
    words = ("matrix", str(ROOT / ".ci" / "verify.toml"))
    for after in (0.9, 2.0, 4.0):
        code, output, errors = _interrupt(words, after, 1, signal.SIGINT)
        if code != -signal.SIGINT:  # else Python itself was still starting
            break
    assert (code, output) == (12, "") or (code == 0 and output)  # it may have been done before
    assert "Traceback" not in errors


LOST = """
import os, signal, time
from verifier.processes.interrupts import terminable

class Interrupted:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

try:
    with terminable():
        Interrupted()
        time.sleep(30)
        print("lost")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_that_arrives_in_a_destructor_is_not_lost() -> None:
    command = [sys.executable, "-c", LOST]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=20, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_exploring_stops_when_what_can_be_violated_is() -> None:
    done = verify("explore", "kip101", "--format", "json")
    content = json.loads(done.stdout)
    verdicts = {result["property"]: result["verdict"] for result in content["results"]}
    assert verdicts == {"TypeOk": "INCONCLUSIVE", "WeakIsr": "VIOLATED", "StrongIsr": "VIOLATED"}
    assert not content["statistics"]["complete"]
    done = verify("explore", "kip101", "--property", "TypeOk", "--property", "WeakIsr", "--format", "json",
                  "--set", "replicas=2", "--set", "log_size=1")  # fmt: skip
    assert json.loads(done.stdout)["statistics"]["complete"]
