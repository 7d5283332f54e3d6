"""Undefined reads of temporal properties: every command knows ``UndefinedRead``, as check shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.models import build
from verifier.encodings.quantifiers import choose, if_
from verifier.encodings.sorts import Option
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    always,
    always_eventually,
    for_each,
    invariant,
    leads_to,
    now,
    temporal,
)
from verifier.specs.titles import UNDEFINED_READ


class Holding(Protocol):
    """A client takes a lock. The other one may have had it last."""

    clients = IndexSetConstant(2, kind="client")

    def state(self) -> State:
        return State(holder=Option(self.clients), last=Option(self.clients))

    def init(self, s: Any) -> Any:
        return s.holder.is_some & s.last.is_none

    @action()
    def give_back(self, s: Any) -> Step:
        return Step(when=[s.holder.is_some], then={s.holder: None, s.last: s.holder})

    @invariant()
    def one_is_known(self, s: Any) -> Any:
        return s.holder.is_some | s.last.is_some


class Reads(Holding):
    """Reads the holder after the one step, in which there is none."""

    @temporal()
    def is_last(self, s: Any) -> Any:
        return always(s.last.is_none | (s.holder.value == s.last.value))


class Guarded(Holding):
    """Reads the holder where there is one."""

    @temporal()
    def is_last(self, s: Any) -> Any:
        return always(s.holder.is_none | s.last.is_none | (s.holder.value == s.last.value))


class ReadsForEach(Holding):
    """Reads the holder under a quantifier, within another temporal formula."""

    @temporal()
    def moves(self, s: Any) -> Any:
        asked = for_each(self.clients, lambda c: leads_to(s.last == c, s.holder.value == c))
        return now(s.last.is_some) | asked


class ReadsFirst(Holding):
    """Reads the holder if the first client, in order, had the lock."""

    def choose_client(self) -> Any:
        return choose(self.clients, lambda c: True)

    @temporal()
    def one_has_it(self, s: Any) -> Any:
        client = self.choose_client()
        return always_eventually(if_(s.last == client, s.holder.value == client, s.last == s.last))


class ReadsSecond(ReadsFirst):
    """Reads the holder if the second client, in order, had the lock."""

    def choose_client(self) -> Any:
        return choose(self.clients, lambda c: c != choose(self.clients, lambda _: True))


HERE = __file__
PROPERTY = ("--property", UNDEFINED_READ)


@pytest.mark.parametrize("spec", ["Reads", "ReadsForEach", "ReadsFirst", "ReadsSecond"])
@pytest.mark.parametrize(
    "command",
    [
        ("bmc", "--steps", "serial"),
        ("bmc", "--steps", "parallel"),
        ("check",),
        ("explore",),
        ("explore", "--symmetry"),
        ("prove", "--engine", "ic3"),
        ("prove", "--engine", "kind"),
        ("simulate",),
    ],
)
def test_every_engine_finds_the_read(command: tuple[str, ...], spec: str) -> None:
    done = verify(command[0], f"{HERE}:{spec}", *command[1:], *PROPERTY, "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert (result["property"], result["verdict"], result["steps"]) == (UNDEFINED_READ, "VIOLATED", 1)


def test_a_read_that_is_guarded_is_none() -> None:
    done = verify("prove", f"{HERE}:Guarded", *PROPERTY, "--property", "one_is_known", "--format", "json")
    verdicts = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert verdicts == {UNDEFINED_READ: "PROVED", "one_is_known": "PROVED"}
    done = verify("induct", f"{HERE}:Reads", *PROPERTY, "--format", "json")
    assert json.loads(done.stdout)["results"][0]["verdict"] != "PROVED"


def test_a_temporal_property_does_not_hinder_proofs_of_others() -> None:
    """Its reads do not matter if it is not asked for."""
    done = verify("check", f"{HERE}:Reads", "--format", "json")
    verdicts = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert verdicts.pop("one_is_known") == verdicts.pop("TypeInvariant") == "PROVED"
    assert verdicts == {UNDEFINED_READ: "VIOLATED", "is_last": "INCONCLUSIVE"}
    done = verify("explore", f"{HERE}:Reads", "--format", "json")
    assert {one["verdict"] for one in json.loads(done.stdout)["results"]} == {"HOLDS"}


def test_the_output_says_which_property_reads_and_a_trace_of_it_replays(tmp_path: Any) -> None:
    file = tmp_path / "t.itf.json"
    for command in (("live",), ("check",), ("explore", *PROPERTY)):
        done = verify(command[0], f"{HERE}:Reads", *command[1:], "--trace-out", str(file))
        assert "the property is_last reads holder, which has no value" in " ".join(done.output.split())
        again = verify("replay", str(file), "--spec", f"{HERE}:Reads")
        assert (again.exit_code, f"{UNDEFINED_READ} fails in the last state" in again.output) == (0, True)


def test_an_export_of_other_properties_says_nothing_of_the_read() -> None:
    asked = ("export", f"{HERE}:Reads", "--format", "smt2")
    own = verify(*asked, "--property", "one_is_known").stdout
    assert own.count(UNDEFINED_READ) == 0
    assert UNDEFINED_READ in verify(*asked, *PROPERTY).stdout


def test_live_says_which_command_checks_it() -> None:
    done = verify("live", f"{HERE}:Reads", *PROPERTY)
    assert (done.exit_code, f"{UNDEFINED_READ} is about single states" in done.output) == (2, True)
    assert UNDEFINED_READ in verify("show", f"{HERE}:Reads").output
    assert UNDEFINED_READ not in verify("show", f"{HERE}:Holding").output


def test_symmetry_keeps_what_temporal_properties_read() -> None:
    """The clients stay interchangeable unless such a read tells them apart."""
    assert build(Reads()).system.symmetries
    assert build(ReadsForEach()).system.symmetries
    assert not build(ReadsFirst()).system.symmetries
