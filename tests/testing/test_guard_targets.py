"""Targets in guards: parts, conjuncts that alone are false, and such that alone keep an invariant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify

LOCK = """---- MODULE Lock ----
EXTENDS FiniteSets, Naturals
VARIABLES held, asked
Init == held = {} /\\ asked = {}
Ask(p) == /\\ asked = {} \\/ p \\notin held \\/ asked = {9}
          /\\ p \\notin asked
          /\\ asked' = asked \\union {p} /\\ held' = held
Free == held = {}
Take(p) == /\\ p \\in asked
           /\\ Free
           /\\ held' = held \\union {p}
           /\\ asked' = IF asked = {p} THEN {} ELSE asked \\ {p}
Drop == held # {} /\\ held' = {} /\\ UNCHANGED asked
Next == Drop \\/ \\E p \\in {1, 2} : Ask(p) \\/ Take(p)
Mutex == Cardinality(held) <= 1
====
"""
DOOR = '''from __future__ import annotations

from verifier import Element, Formula, IndexSetConstant, Protocol, Set, State
from verifier import Step, action, invariant, variable


class LockState(State):
    def __init__(self, p: Lock) -> None:
        self.held = variable(Set(p.clients))
        self.asked = variable(Set(p.clients))


class Lock(Protocol):
    """A lock."""

    clients = IndexSetConstant(2, "who asks", kind="client")

    def state(self) -> LockState:
        return LockState(self)

    def init(self, s: LockState) -> list[Formula]:
        return [s.held.is_empty, s.asked.is_empty]

    @action(p="clients")
    def ask(self, s: LockState, p: Element) -> Step:
        return Step(
            when=[s.asked.is_empty | ~s.held.contains(p), ~s.asked.contains(p)],
            then={s.asked: s.asked.add(p)},
        )

    @action(p="clients")
    def take(self, s: LockState, p: Element) -> Step:
        return Step(
            when=[s.asked.contains(p), s.held.is_empty],
            then={s.held: s.held.add(p), s.asked: s.asked.remove(p)},
        )

    @action()
    def drop(self, s: LockState) -> Step:
        return Step(when=[~s.held.is_empty], then={s.held: s.held - s.held})

    @invariant()
    def mutex(self, s: LockState) -> Formula:
        return s.held.cardinality <= 1
'''
HIDDEN = """---- MODULE Hidden ----
EXTENDS Sequences, Naturals
VARIABLE q
Init == q = <<1>>
Pop(i) == q # <<>> /\\ Head(q) = i /\\ q' = Tail(q)
Next == \\E i \\in 1..2 : Pop(i)
====
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("Lock.tla", LOCK), ("lock.py", DOOR), ("Hidden.tla", HIDDEN)):
        Path(name).write_text(text)
    Path("Lock.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Mutex\n")
    Path("Hidden.cfg").write_text("INIT Init\nNEXT Next\n")


def make_tests(cover: str, spec: str = "Lock.tla", *more: str) -> dict[str, Any]:
    done = verify("tests", "--spec", spec, "--cover", cover, "--format", "json", *more)
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["exit_code"] == done.exit_code
    return {
        **found,
        **{kind: [one.split("  (")[0] for one in found[kind]] for kind in ("impossible", "not_found")},
    }


def test_parts_of_guards_are_covered_or_impossible() -> None:
    found = make_tests("guards")
    assert (found["exit_code"], found["covered"], found["targets"]) == (0, 2, 3)
    assert found["impossible"] == ["Ask: asked = {9}"]


def test_conjuncts_that_alone_are_false_are_covered() -> None:
    found = make_tests("near-failures")
    assert (found["exit_code"], found["covered"], found["impossible"]) == (0, 5, [])


def test_only_one_conjunct_keeps_the_invariant() -> None:
    found = make_tests("near-violations")
    assert (found["exit_code"], found["covered"], found["targets"]) == (0, 1, 5)
    assert "Take: Free" not in found["impossible"]
    assert list(map(sorted, found["executions"])) == [["Ask(p=1)", "Ask(p=2)", "Take(p=1)"]]


@pytest.mark.parametrize(("line", "verdict"), [("/\\ p \\in asked", "HOLDS"), ("/\\ Free", "VIOLATED")])
def test_the_invariant_breaks_without_that_conjunct_alone(line: str, verdict: str) -> None:
    Path("Lock.tla").write_text(LOCK.replace(line, "/\\ TRUE"))
    done = verify("explore", "--spec", "Lock.tla", "--format", "json")
    results = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert results["Mutex"] in {verdict, "PROVED" if verdict == "HOLDS" else verdict}


@pytest.mark.parametrize(
    ("cover", "covered", "targets"), [("guards", 2, 2), ("near-failures", 5, 5), ("near-violations", 1, 5)]
)
def test_a_protocol_has_the_same_targets(cover: str, covered: int, targets: int) -> None:
    found = make_tests(cover, "lock.py")
    assert (found["exit_code"], found["covered"], found["targets"]) == (0, covered, targets)
    assert len(found["impossible"]) == targets - covered


@pytest.mark.parametrize(
    ("next_", "cover", "words"),
    [
        ("x' = 1 - x", "guards", "no guard has a disjunction or an IF"),
        ("x' = 1 - x", "near-failures", "no action has a guard"),
        ("x' = 1 - x", "near-violations", "no action has a guard"),
        ("x > 1 /\\ x' = 2", "transitions", "no action can be taken"),
        ("x > 1 /\\ x' = 2", "instances", "no action can be taken"),
    ],
)
def test_a_specification_without_targets_says_so(next_: str, cover: str, words: str) -> None:
    head = "---- MODULE Plain ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    Path("Plain.tla").write_text(f"{head}Next == {next_}\n====\n")
    Path("Plain.cfg").write_text("INIT Init\nNEXT Next\n")
    done = verify("tests", "--spec", "Plain.tla", "--cover", cover)
    assert done.exit_code == 0
    assert f"nothing to cover: {words}" in done.stdout
    assert "0 of 0" not in done.stdout


def test_a_graph_that_is_not_complete_proves_nothing_of_guards() -> None:
    found = make_tests("near-violations", "Lock.tla", "--depth", "2")
    assert (found["exit_code"], found["covered"], found["impossible"]) == (12, 0, [])
    assert "Take: Free" in found["not_found"]


def test_a_conjunct_before_what_has_no_value_is_not_called_impossible() -> None:
    found = make_tests("near-failures", "Hidden.tla")
    assert found["exit_code"] == 12
    assert found["impossible"] == []
    assert [one.split("  (")[0] for one in found["left"]] == ["Pop: q # <<>>"]
    assert "has no value" in found["left"][0]
