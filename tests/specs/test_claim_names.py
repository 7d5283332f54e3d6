"""Properties and lemmas keep the names of their methods, unless the class asks for those of TLA+."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import verifier
from tests.support.command_line import verify
from verifier import Range, State, Step, action, always_eventually, invariant, lemma, reachable, temporal
from verifier.specs.protocol import Protocol, define

LOCK = '''
from verifier import IndexSetConstant, Option, Protocol, State, Step, action, invariant, reachable


class Lock(Protocol):
    """Clients take turns holding one lock."""

    clients = IndexSetConstant(2, "who wants it", kind="client")

    def state(self):
        return State(holder=Option(self.clients))

    def init(self, s):
        return s.holder.is_none

    @action(client="clients")
    def take(self, s, client):
        return Step(when=[s.holder.is_none], then={s.holder: client})

    @invariant
    def nobody_holds_it(self, s):
        return s.holder.is_none

    @reachable
    def somebody_holds_it(self, s):
        return s.holder.is_some
'''


class Clock(Protocol):
    """A clock of two hours."""

    def state(self) -> State:
        return State(hour=Range(0, 1))

    def init(self, s):  # type: ignore[no-untyped-def]
        return s.hour == 0

    @action
    def tick(self, s):  # type: ignore[no-untyped-def]
        return Step(when=[s.hour == 0], then={s.hour: 1})

    @invariant
    def hour_is_small(self, s):  # type: ignore[no-untyped-def]
        return s.hour <= 1

    @invariant(name="Named")
    def hour_has_a_name(self, s):  # type: ignore[no-untyped-def]
        return s.hour <= 1

    @lemma
    def hour_is_no_larger(self, s):  # type: ignore[no-untyped-def]
        return s.hour <= 1

    @temporal
    def hour_comes_back(self, s):  # type: ignore[no-untyped-def]
        return always_eventually(s.hour == 1)


class Original(Clock, camel_case=True):
    """The clock with the names of TLA+."""


class Faster(Original):
    """A clock that inherits how its claims are named."""

    @reachable
    def hour_is_late(self, s):  # type: ignore[no-untyped-def]
        return s.hour == 1


def test_a_protocol_says_how_its_claims_are_named() -> None:
    own, original, faster = define(Clock()), define(Original()), define(Faster())
    assert [p.name for p in own.properties] == ["hour_is_small", "Named", "TypeInvariant"]
    assert [p.name for p in original.properties] == ["HourIsSmall", "Named", "TypeInvariant"]
    assert "HourIsLate" in [p.name for p in faster.properties]
    assert ([p.name for p in own.lemmas], [p.name for p in own.temporal]) == (
        ["hour_is_no_larger"],
        ["hour_comes_back"],
    )
    assert [p.name for p in original.temporal] == ["HourComesBack"]
    assert [a.name for a in own.actions] == ["Tick"]


@pytest.mark.parametrize("asked", ["nobody_holds_it", "NobodyHoldsIt"])
def test_a_property_is_shown_by_its_own_name_and_asked_by_either(asked: str, tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    spec = str(tmp_path / "lock.py")
    expected = ("--expect", f"{asked}=violated")
    done = verify("explore", spec, "--property", asked, *expected, "--format", "json")
    assert done.exit_code == 0
    (found,) = json.loads(done.stdout)["results"]
    assert (found["property"], found["verdict"], found["steps"]) == ("nobody_holds_it", "VIOLATED", 1)
    result = verifier.load(spec).bmc(asked, depth=2)
    assert result["nobody_holds_it"].verdict == result[asked].verdict == "VIOLATED"
    exported = ("--format", "smt2", "--out", str(tmp_path / "lock.smt2"))
    assert verify("export", spec, "--property", asked, *exported).exit_code == 0
    trace = tmp_path / "t.itf.json"
    verify("bmc", spec, "--property", asked, "--depth", "2", "--trace-out", str(trace))
    trace.write_text(trace.read_text().replace('"nobody_holds_it"', f'"{asked}"'))
    assert verify("replay", str(trace), "--spec", spec).exit_code == 0


def test_a_misspelt_name_suggests_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    done = verify("explore", str(tmp_path / "lock.py"), "--property", "nobody_hold_it")
    assert done.exit_code == 2
    assert "did you mean 'nobody_holds_it'?" in done.stderr


def test_an_action_is_asked_by_its_name_and_by_its_method(tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    for name in ("take", "Take"):
        words = ("--property", "somebody_holds_it", "--expect", f"{name}=enabled")
        done = verify("explore", str(tmp_path / "lock.py"), *words)
        assert done.exit_code == 0, done.output
        done = verify("simulate", str(tmp_path / "lock.py"), "--walks", "5", "--count-action", name)
        assert "Take taken in an execution" in done.stdout
