"""Logs of TLA+ modules with which too many states agree: a solver says what enumeration says."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.conform.by_solver import SolverSearch
from verifier.conform.logs import Event
from verifier.conform.mapping import read_mapping
from verifier.conform.modules import ModuleMachine
from verifier.conform.outcome import Conformance, LogVerdict
from verifier.conform.search import Search
from verifier.conform.symbolic import SymbolicSearch
from verifier.runs.modules.loading import load
from verifier.runs.modules.translating import NotTranslated
from verifier.testing.json_values import module_json

QUEUE = r"""---- MODULE Queue ----
EXTENDS Naturals, Sequences
VARIABLES x, y, q, f
Node == {"n1", "n2"}
Init == x \in 0..2 /\ y \in 0..2 /\ q = <<>> /\ f = [n \in Node |-> 0]
Put(v) == Len(q) < 2 /\ q' = Append(q, v) /\ UNCHANGED <<x, y, f>>
Take == q # <<>> /\ x' = (x + Head(q)) % 3 /\ q' = Tail(q) /\ UNCHANGED <<y, f>>
Mix(n) == y' = (y + x + f[n]) % 3 /\ f' = [f EXCEPT ![n] = (@ + x) % 3] /\ UNCHANGED <<x, q>>
Next == (\E v \in 0..2 : Put(v)) \/ Take \/ (\E n \in Node : Mix(n))
Small == x + y < 4
====
"""
MESSAGES = r"""---- MODULE Messages ----
EXTENDS Naturals, FiniteSets
CONSTANTS Node
VARIABLES term, sent, up
Init == term \in [Node -> 0..1] /\ sent = {} /\ up = [n \in Node |-> TRUE]
Ask(n, t) == /\ up[n] /\ t > term[n]
             /\ term' = [term EXCEPT ![n] = t] /\ sent' = sent \cup {[from |-> n, term |-> t]} /\ up' = up
Hear(n) == \E m \in sent : /\ m.from # n /\ m.term > term[n] /\ up[n]
                           /\ term' = [term EXCEPT ![n] = m.term] /\ sent' = sent \ {m} /\ up' = up
Turn(n, on) == up[n] # on /\ up' = [up EXCEPT ![n] = on] /\ UNCHANGED <<term, sent>>
Next == \E n \in Node : Hear(n) \/ (\E t \in 1..3 : Ask(n, t)) \/ (\E on \in BOOLEAN : Turn(n, on))
Few == Cardinality(sent) < 2
Calm == \E n \in Node : term[n] < 2
====
"""
COUNTER = r"""---- MODULE Grow ----
EXTENDS Integers
VARIABLES a, b
Init == a \in 0..1 /\ b = 0
Up(n) == a' = a + n /\ b' = b
Move == a > 0 /\ a' = a - 1 /\ b' = b + 3
Swap == a' = b /\ b' = a
Next == (\E n \in 1..2 : Up(n)) \/ Move \/ Swap
====
"""
MODULES: dict[str, tuple[str, str, list[dict[str, Any]]]] = {
    "Queue": (
        QUEUE,
        "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n",
        [
            {
                "event": "event",
                "silent": {"actions": ["Take"], "most": 1},
                "events": {
                    "Put": {"action": "Put", "parameters": {"v": "v?"}, "after": {"q": "q?"}},
                    "Mix": {"action": "Mix", "parameters": {"n": "n"}, "after": {"f[n]": "at?", "y": "y?"}},
                },
            },
            {"state": {"x": "x?", "q": "q?", "f": "f?"}},
        ],
    ),
    "Messages": (
        MESSAGES,
        "INIT Init\nNEXT Next\nCONSTANT Node={a,b}\nCONSTRAINT Few\nINVARIANT Calm\nCHECK_DEADLOCK FALSE\n",
        [
            {
                "event": "event",
                "silent": {"actions": ["Turn"], "most": 1},
                "events": {
                    "Ask": {
                        "action": "Ask", "parameters": {"n": "n?", "t": "t?"}, "after": {"sent": "sent?"},
                    },
                    "Hear": {
                        "action": "Hear", "parameters": {"n": "n"},
                        "before": {"term[n]": "from?"}, "after": {"term[n]": "at?", "up": "up?"},
                    },
                },
            },
            {"state": {"term": "term?", "sent": "sent?"}},
        ],
    ),
    "Grow": (
        COUNTER,
        "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n",
        [
            {
                "event": "event",
                "events": {
                    "Up": {"action": "Up", "parameters": {"n": "n?"}, "after": {"a": "a?"}},
                    "Move": {"action": "Move", "after": {"b": "b?"}},
                    "Swap": {"action": "Swap"},
                },
            },
        ],
    ),
}  # fmt: skip


def make_machine(folder: Path, name: str) -> ModuleMachine:
    text, configuration, _ = MODULES[name]
    file = next(line.split()[2] for line in text.splitlines() if "MODULE" in line)
    (folder / f"{file}.tla").write_text(text)
    (folder / f"{file}.cfg").write_text(configuration)
    return ModuleMachine(load(str(folder / f"{file}.tla"), {}, None, ()))


def change_values(found: list[dict[str, Any]], chance: Random) -> None:
    """Leave out half of the values of events, and change some."""
    seen = [dict(one) for one in found]
    for event in found:
        for key in [key for key in event if key not in ("event", "n") or (key == "n" and "t" in event)]:
            if chance.random() < 0.5:
                del event[key]
            elif chance.random() < 0.08:
                event[key] = chance.choice(seen).get(key, event[key])


def make_log(machine: ModuleMachine, mapping: dict[str, Any], chance: Random) -> list[Event]:
    """Return a log of a random execution, which leaves out much, and which may be changed in a place."""
    order = machine.spec.evaluator.order

    def values(of: Any) -> dict[str, Any]:
        return {name: module_json(machine.value(of, name), order) for name in machine.variables}

    state, found = chance.choice(machine.initial()), list[dict[str, Any]]()
    if "event" not in mapping:
        found.append(values(state))
    for _ in range(chance.randint(1, 6)):
        steps = [
            (name, *one) for name in machine.actions for one in machine.steps(state, name, lambda _: True)
        ]
        if not steps:
            break
        name, given, after = chance.choice(steps)
        event = values(after)
        if "event" in mapping:
            event |= {key: module_json(value, order) for key, value in given.items()} | {"event": name}
            for key, variable in (("at", "term"), ("at", "f")):
                if variable in event and "n" in event:
                    event |= {key: event[variable][event["n"]], "from": values(state)[variable][event["n"]]}
        state = after
        if "event" not in mapping or name in mapping["events"]:
            found.append(event)
    change_values(found, chance)
    if len(found) > 2 and chance.random() < 0.3:
        found.pop(chance.randrange(len(found)))
    return [Event(number, json.dumps(one), one) for number, one in enumerate(found, 1)]


def summarise(one: LogVerdict) -> tuple[Any, ...]:
    """Return what does not depend on the execution that was found: of a false invariant, its line does."""
    line = None if one.violated else one.line
    return one.verdict, one.explained, line, "" if one.violated else one.reason, one.lines


def compare(machine: ModuleMachine, mapping: dict[str, Any], seed: int, count: int) -> list[LogVerdict]:
    """Return the solver's verdicts on random logs, each the same as that of enumeration."""
    mapped = read_mapping(mapping, "the mapping", machine.actions, machine.variables, machine.invariants)
    listing, solving = Search(machine, mapped), SolverSearch(machine, mapped, 0)
    chance, found = Random(seed), list[LogVerdict]()
    while len(found) < count:
        events = make_log(machine, mapping, chance)
        if events:
            listed = listing.judge_list(Path("log"), events)
            solved = solving.judge_list(Path("log"), events)
            assert summarise(solved) == summarise(listed), [one.text for one in events]
            found.append(solved)
    return found


CASES = [(name, number) for name, (*_, mappings) in MODULES.items() for number in range(len(mappings))]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_the_solver_says_what_enumeration_says(tmp_path: Path, name: str, number: int) -> None:
    found = compare(make_machine(tmp_path, name), MODULES[name][2][number], 77, 6)
    assert any(one.by_solver for one in found)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "number"), CASES)
def test_the_solver_says_of_many_logs_what_enumeration_says(tmp_path: Path, name: str, number: int) -> None:
    found = compare(make_machine(tmp_path, name), MODULES[name][2][number], 77, 240)
    assert {one.verdict for one in found if one.by_solver} == {Conformance.ACCEPTED, Conformance.REJECTED}


@pytest.mark.thorough
def test_sorts_are_widened_before_a_log_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make_machine(tmp_path, "Grow")
    mapped = read_mapping(MODULES["Grow"][2][0], "the mapping", machine.actions, machine.variables)
    events = [Event(number, "", {"event": "Up", "n": 2}) for number in range(1, 61)]
    assert Search(machine, mapped).judge_list(Path("log"), events).verdict is Conformance.ACCEPTED
    found = SolverSearch(machine, mapped, 0).judge_list(Path("log"), events)
    assert (found.verdict, found.by_solver) == (Conformance.ACCEPTED, True)
    monkeypatch.setattr(SymbolicSearch, "find_leaving", lambda *_: None)  # the sorts end at line 54
    found = SolverSearch(machine, mapped, 0).judge_list(Path("log"), events)
    assert found.verdict is Conformance.REJECTED


def test_the_command_asks_a_solver_where_too_many_states_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_machine(tmp_path, "Queue")
    Path("map.toml").write_text('event = "event"\n[events.Put]\nparameters = { v = "v?" }\n')
    Path("good").write_text('{"event": "Put"}\n{"event": "Put"}\n')
    Path("bad").write_text('{"event": "Put"}\n{"event": "Put"}\n{"event": "Put"}\n')
    asked = ("--spec", "Queue.tla", "--map", "map.toml", "--max-states", "2")
    done = verify("conform", "good", "bad", *asked)
    assert "bad:3: REJECTED: no Put step matches this line" in done.stdout
    assert "a solver found a state that agrees with them:" in done.stdout
    assert "Len(q) < 2   is false" in done.stdout
    assert "ACCEPTED" in done.stdout


def test_a_module_that_is_not_translated_leaves_a_log_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = make_machine(tmp_path, "Queue")
    mapped = read_mapping({"event": "event"}, "the mapping", machine.actions, machine.variables)

    def refuse(*_: object) -> None:
        raise NotTranslated("no rule")

    monkeypatch.setattr("verifier.conform.module_coding.translate_module", refuse)
    found = SolverSearch(machine, mapped, 2).judge_list(Path("log"), [Event(1, "", {"event": "Put"})])
    assert (found.verdict, found.by_solver) == (Conformance.UNDECIDED, False)
