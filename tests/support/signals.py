"""Trials: commands that get SIGINT or SIGTERM at random moments, once or twice, with and without a terminal.

``python -m results.generators.signal_trials`` makes many of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import tty
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
MARK = "VERIFY_TRIAL"
"""An environment variable by which all processes of a trial are known."""
_PYTHON = ROOT / ".venv" / "bin" / "python"
_COMMAND = (
    str(_PYTHON if _PYTHON.exists() else sys.executable),
    "-c",
    "from verifier.cli.entry import main; main()",
)
UNBOUNDED = """---- MODULE Unbounded ----
EXTENDS Integers
VARIABLES left, holder
Init == left = 0 /\\ holder = [n \\in 1..4 |-> 0]
Tick == left' = left - 1 /\\ UNCHANGED holder
Grant(n) == left = 0 /\\ left' = 4 /\\ holder' = [holder EXCEPT ![n] = 1 - @]
Next == Tick \\/ \\E n \\in 1..4 : Grant(n)
TypeOK == left \\in 0..4
Binary == \\A n \\in 1..4 : holder[n] \\in 0..1
Shrinks == left <= 4
Less == \\A m, n \\in 1..4 : holder[m] - holder[n] < 2
====
"""
"""Its variable ``left`` falls forever, and TypeOK is violated in one step."""
UNBOUNDED_CONFIG = "INIT Init NEXT Next\nINVARIANTS TypeOK Binary Shrinks Less\n"
_LONG = 8000
_CERTIFICATE, _TRACE, _RUN = "proof.json", "t.itf.json", "run.json"
UNTIL_HEARD = 0.5
"""Before, on a busy machine, Python itself may still be starting."""
_GONE_SECONDS = 5.0
STUCK_SECONDS = 10.0
"""The time after a command's last signal at which it shows its place, and is ended."""
_SHOWN_SECONDS = 3.0
_READ_SECONDS = 0.05
ROOM = 2000
"""The bytes that a terminal that nobody reads still takes."""


@dataclass(frozen=True)
class Trial:
    """One run and its signals."""

    words: tuple[str, ...]
    after: float
    number: int
    again: float | None
    terminal: bool
    """True if standard error is a terminal, which nobody reads and which is soon full."""


@dataclass(frozen=True)
class Ended:
    """The end of a trial."""

    code: int
    seconds: float
    """From the first signal to the end."""
    output: str
    errors: str
    orphans: int
    heard: bool
    """True if the command was still running when the first signal was sent."""


def commands(folder: Path) -> Mapping[str, tuple[tuple[str, ...], float]]:
    """Return each command and the seconds within which it is interrupted; files go to the folder."""
    unbounded = folder / "Unbounded.tla"
    unbounded.write_text(UNBOUNDED, encoding="utf-8")
    unbounded.with_suffix(".cfg").write_text(UNBOUNDED_CONFIG, encoding="utf-8")
    long = folder / "Long.tla"
    long.write_text(long_module(_LONG), encoding="utf-8")
    long.with_suffix(".cfg").write_text("INIT Init NEXT Next\nINVARIANT Inv\n", encoding="utf-8")
    log = folder / "long.ndjson"
    log.write_text('{"event": "Inc"}\n{"event": "Dec"}\n' * (10 * _LONG), encoding="utf-8")
    (folder / "empty.toml").write_text('event = "event"\n', encoding="utf-8")
    return {
        "bmc": (("bmc", "kip320", "--depth", "14", "--format", "json"), 6.0),
        "explore": (("explore", "kip320", "--set", "log_size=3", "--format", "json"), 6.0),
        "simulate": (("simulate", "rabbit-sac", "--walks", "1000000", "--format", "json"), 6.0),
        "prove": (("prove", "bookkeeper", "--no-lemmas", "--property", "all", "--format", "json"), 8.0),
        "prove-module": (("prove", "docs/examples/FencedLock.tla", "--format", "json"), 8.0),
        "prove-unbounded": (("prove", str(unbounded), "--format", "json"), 12.0),
        "explore-unbounded": (("explore", str(unbounded), "--keep-going", "--format", "json"), 6.0),
        "bmc-unbounded": (("bmc", str(unbounded), "--depth", "40", "--format", "json"), 10.0),
        "check": (("check", "kip320", "--format", "json"), 10.0),
        "check-unbounded": (("check", str(unbounded), "--format", "json"), 12.0),
        "explore-long": (("explore", str(long), "--format", "json"), 6.0),
        "conform": (("conform", str(log), str(log), "--spec", str(long), "--map", str(folder / "empty.toml"),
                     "--format", "json"), 8.0),
        "tests": (("tests", "--spec", "kip320", "--cover", "pairs", "--depth", "9", "--format", "json"), 8.0),
        "induct": (("induct", "kip320", "--set", "replicas=5", "--format", "json"), 6.0),
        "all-constants": (("prove", "kip320", "--all-constants", "--format", "json"), 6.0),
        "live": (("live", "rabbit-sac", "--property", "Liveness", "--format", "json"), 6.0),
        "ci": (("ci", str(ROOT / ".ci" / "verify.toml"), "--format", "json"), 8.0),
        "matrix": (("matrix", str(ROOT / ".ci" / "verify.toml")), 4.0),
        "show": (("show", "kip320"), 1.5),
        "list": (("list",), 0.6),
        "help": (("help", "prove"), 0.8),
        "certify": (("certify", str(folder / _CERTIFICATE)), 2.5),
        "replay": (("replay", str(folder / _TRACE)), 1.0),
        "report": (("report", str(folder / _RUN), "--format", "html", "--out", str(folder / "r.html")), 1.0),
        "export": (("export", "kip320", "--format", "aiger", "--out", str(folder / "k.aig")), 2.5),
        "sweep": (("sweep", "--spec", "kip320", "--grid", "replicas=2..3", "--depth", "10", "--out",
                   str(folder / "sweep"), "--format", "json"), 15.0),
    }  # fmt: skip


def long_module(count: int) -> str:
    """A module with so many definitions that reading it takes some seconds."""
    lines = (
        f"D{number}(s) == \\E y \\in s : y > {number} /\\ <<y, x>> # [a |-> x, b |-> s]\n"
        for number in range(count)
    )
    return (
        "---- MODULE Long ----\nEXTENDS Naturals, Sequences\nVARIABLE x\nInit == x = 0\n"
        f"Inc == x < 9 /\\ x' = x + 1\nDec == x > 0 /\\ x' = x - 1\nNext == Inc \\/ Dec\n"
        f"{''.join(lines)}Inv == x < 10\n====\n"
    )


def prepare(folder: Path) -> None:
    """Makes the files that commands of ``commands`` read."""
    for words in (
        ("prove", "rabbit-sac", "--property", "TypeOK", "--certificate", str(folder / _CERTIFICATE)),
        ("bmc", "kip320-first-try", "--depth", "12", "--trace-out", str(folder / _TRACE)),
    ):
        subprocess.run([*_COMMAND, *words], cwd=ROOT, capture_output=True, check=False)
    with (folder / _RUN).open("wb") as written:
        words = ("bmc", "kip320-first-try", "--depth", "12", "--format", "json")
        subprocess.run([*_COMMAND, *words], cwd=ROOT, stdout=written, stderr=subprocess.DEVNULL, check=False)
    missing = [name for name in (_CERTIFICATE, _TRACE, _RUN) if not (folder / name).is_file()]
    assert not missing, missing


def run(trial: Trial) -> Ended:
    """Runs a command, sends its signals and waits for its end.

    If it does not end, its Python processes are aborted and show where they are (``faulthandler``).
    """
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with _terminal(trial.terminal) as terminal:
            process = subprocess.Popen(
                [*_COMMAND, *trial.words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors if terminal is None else terminal[1],
                cwd=ROOT,
                env={**os.environ, MARK: mark, "PYTHONFAULTHANDLER": "1"},
                start_new_session=True,
            )
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(trial.after)
            began, heard = time.monotonic(), process.poll() is None
            _send(process, trial.number)
            if trial.again is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(trial.again)
                _send(process, trial.number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STUCK_SECONDS)
            seconds = time.monotonic() - began
            stuck = process.poll() is None
            if stuck:
                _abort(mark)
            shown = _read(terminal, _SHOWN_SECONDS if stuck else _READ_SECONDS)
            code = process.poll()
            orphans = _count_left(mark)
            for pid in _find_marked(mark):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        errors.seek(0)
        said = errors.read().decode(errors="replace") + shown
        return Ended(-999 if code is None else code, seconds, output.read().decode(), said, orphans, heard)


@contextlib.contextmanager
def _terminal(wanted: bool) -> Iterator[tuple[int, int] | None]:
    if not wanted:
        yield None
        return
    ours, theirs = full_terminal(ROOM)
    try:
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


def full_terminal(room: int) -> tuple[int, int]:
    """Return a terminal with room for this number of bytes, as its reading end and its writing end."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    os.set_blocking(theirs, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(theirs, b"x")
    if room:
        os.read(ours, room)
    os.set_blocking(theirs, True)
    return ours, theirs


def _abort(mark: str) -> None:
    """Aborts the Python processes of a trial, which then say where they are."""
    for pid in _find_marked(mark):
        with contextlib.suppress(OSError):
            if "python" in os.readlink(f"/proc/{pid}/exe"):
                os.kill(pid, signal.SIGABRT)


def _read(terminal: tuple[int, int] | None, seconds: float) -> str:
    """Read the text written to a terminal that was full of other text; without a terminal, only wait."""
    if terminal is None:
        time.sleep(seconds)
        return ""
    os.set_blocking(terminal[0], False)
    said, until = b"", time.monotonic() + seconds
    while time.monotonic() < until:
        with contextlib.suppress(BlockingIOError):
            said += os.read(terminal[0], 65536)
        time.sleep(0.01)
    return said.lstrip(b"x").decode(errors="replace")


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    if process.poll() is None:
        process.send_signal(number)


def _find_marked(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def _count_left(mark: str) -> int:
    until = time.monotonic() + _GONE_SECONDS
    while (left := len(_find_marked(mark))) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def meets_python(after: float, number: int, code: int, errors: str) -> bool:
    """True if the signal met Python itself, before it ran anything of this program: it is ended as the system
    does, shows a traceback of its own, or drops the signal with one. What went to a terminal is not known."""
    shown = "KeyboardInterrupt" in errors or (code == 1 and not errors)
    its_own = shown and "verifier/" not in errors
    return after < UNTIL_HEARD and (code == -number or its_own)


def wrongs(trial: Trial, ended: Ended, most: float) -> list[str]:
    """The faults of the end of a trial; ``most`` seconds are allowed."""
    if meets_python(trial.after, trial.number, ended.code, ended.errors):
        return []
    found = []
    if ended.seconds > most + (trial.again or 0):
        found.append(f"took {ended.seconds:.1f} s")
    if ended.orphans:
        found.append(f"{ended.orphans} processes are left")
    if "Traceback" in ended.errors or "internal error" in ended.errors:
        found.append("traceback or internal error")
    if ended.code not in (0, 10, 12):
        found.append(f"exit code {ended.code}")
    if "json" in trial.words:  # also where it was ended while it read
        try:
            json.loads(ended.output)
        except ValueError:
            found.append("output is not JSON")
    return found


def draw_trial(words: tuple[str, ...], within: float, chance: Random) -> Trial:
    """A trial of a command, drawn at random."""
    again = chance.uniform(0.0, 3.0) if chance.random() < 0.5 else None
    number = chance.choice((signal.SIGINT, signal.SIGTERM))
    return Trial(words, chance.uniform(0.0, within), number, again, chance.random() < 0.3)
