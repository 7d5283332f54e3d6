"""Messages that once misled: other constants, parts that are not read, cells, misspelt keywords."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong

_RING = """---- MODULE Ring ----
EXTENDS Naturals
CONSTANT N
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Low == x < 2
Comes == []<>(x = 0)
====
"""
_UNREAD = """
from verifier import Option, Protocol, Range, State, Step, action, eventually, temporal


class Unread(Protocol):
    def state(self):
        return State(x=Option(Range(0, 2)))

    def init(self, s):
        return s.x.is_none

    @action()
    def go(self, s):
        return Step(when=[s.x.value == 1], then={s.x: 2})

    @temporal
    def comes(self, s):
        return eventually(s.x == 2)
"""
_GUARDED = '''
from verifier import *


class GuardedState(State):
    """A log, and what was acknowledged."""

    def __init__(self, guarded: "Guarded") -> None:
        self.log = variable(Sequence(Range(0, 1), 2))
        self.acked = variable(Range(0, 1))


class Guarded(Protocol, camel_case=True):
    """An invariant with a guard."""

    def state(self) -> GuardedState:
        return GuardedState(self)

    def init(self, s: GuardedState) -> Formula:
        return s.log.is_empty & (s.acked == 0)

    @action()
    def acknowledge(self, s: GuardedState) -> Step:
        return Step(when=[s.acked == 0], then={s.acked: 1})

    @invariant()
    def logged(self, s: GuardedState) -> Formula:
        return (s.acked == 1).implies((0 < s.log.length) & (s.acked == s.log[0]))
'''


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "Ring.tla"
    path.write_text(_RING)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Low CONSTANT N = 5")
    return path


def test_a_trace_is_not_replayed_with_another_configuration(ring: Path) -> None:
    trace, other = ring.with_name("t.itf.json"), ring.with_name("Other.cfg")
    other.write_text(ring.with_suffix(".cfg").read_text().replace("5", "7"))
    verify("explore", str(ring), "--trace-out", str(trace))
    asked = ("replay", str(trace), "--spec", str(ring))
    assert verify(*asked, "--config", str(ring.with_suffix(".cfg"))).exit_code == 0
    words = wrong(*asked, "--config", str(other))
    assert f"the trace was made with N=5, and --config {other} gives N=7" in words


def test_a_certificate_is_not_checked_with_another_configuration(ring: Path) -> None:
    proof, other = ring.with_name("proof.json"), ring.with_name("Other.cfg")
    other.write_text(ring.with_suffix(".cfg").read_text().replace("5", "7"))
    verify("prove", str(ring), "--certificate", str(proof))
    asked = ("certify", str(proof), "--spec", str(ring))
    done = verify(*asked, "--config", str(ring.with_suffix(".cfg")))
    assert (done.exit_code, "The claim: Ring with N=5, " in done.stdout) == (0, True), done.stdout
    words = wrong(*asked, "--config", str(other))
    assert f"the certificate was made with N=5, and --config {other} gives N=7" in words


def test_what_is_not_read_is_not_called_false(tmp_path: Path) -> None:
    path = tmp_path / "guarded.py"
    path.write_text(_GUARDED)
    shown = verify("explore", str(path)).stdout
    assert "0 < length(log) is false" in shown
    assert "log[0] is false" not in shown


def test_recording_says_what_no_cell_covers(ring: Path) -> None:
    ring.with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTY Comes INVARIANT Low CONSTANT N = 2")
    manifest = ring.with_name("verify.toml")
    manifest.write_text('[[cell]]\nid = "ring"\nspec = "Ring.tla"\nengine = "explore"\n')
    done = verify("ci", str(manifest), "--update")
    assert done.exit_code == 14
    words = "not covered  no cell expects a verdict on Comes, a temporal property of Ring.tla"
    assert words in done.stdout


def test_a_cell_that_cannot_be_loaded_still_covers_its_properties(ring: Path) -> None:
    """Its spec is refused already; nobody has to add a cell."""
    ring.with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTY Comes INVARIANT Low CONSTANT N = 2")
    manifest = ring.with_name("verify.toml")
    expected = '[cell.expect]\nLow = "proved"\nNoDeadlock = "holds"\n'
    cells = '[[cell]]\nid = "all"\nspec = "Ring.tla"\nconstants = { M = 2 }\n'
    cells += f'{expected}Comes = "violated"\n'
    manifest.write_text(f'{cells}[[cell]]\nid = "ring"\nspec = "Ring.tla"\nengine = "explore"\n{expected}')
    done = verify("ci", str(manifest))
    assert "FAIL  all: spec: " in done.stdout
    assert "no cell expects" not in done.stdout
    manifest.write_text(manifest.read_text().replace('Comes = "violated"\n', ""))
    words = "FAIL  manifest: no cell expects a verdict on Comes, a temporal property of Ring.tla"
    assert words in verify("ci", str(manifest)).stdout


@pytest.mark.parametrize(
    ("written", "meant"),
    [("PROPERTES", "PROPERTIES"), ("Properties", "PROPERTIES"), ("property", "PROPERTY")],
)
def test_a_misspelt_keyword_is_named(written: str, meant: str, ring: Path) -> None:
    ring.with_suffix(".cfg").write_text(f"INIT Init NEXT Next INVARIANT Low {written} Comes CONSTANT N = 2")
    assert f"did you mean the keyword {meant}?" in wrong("explore", str(ring))


@pytest.mark.parametrize("command", ["explore", "simulate", "check"])
def test_an_error_of_evaluation_is_said_with_its_state_once(command: str, ring: Path) -> None:
    ring.write_text(_RING.replace("x' = (x + 1) % N", "x < 9 /\\ x' = (x + 1) % (N - 5)"))
    done = verify(command, str(ring))
    assert done.exit_code == 2
    assert done.stderr.count("in the state") <= 1


def test_progress_of_live_counts_no_negative_actions(tmp_path: Path) -> None:
    """The step with which the loop begins is no action, also if the violation is in the first state."""
    protocol = tmp_path / "unread.py"
    protocol.write_text(_UNREAD)
    done = verify("live", str(protocol), "--engine", "bmc", "--property", "comes")
    assert "violation with 0 actions found " in done.stderr
    assert "comes      VIOLATED in 0 steps" in done.stdout
