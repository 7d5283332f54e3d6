"""Logs with which too many states agree: a solver says of them what enumeration says of all states."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier import (
    Element,
    Formula,
    Function,
    IndexSetConstant,
    Option,
    Protocol,
    Range,
    Set,
    SetValue,
    State,
    Step,
    action,
    arbitrary,
    free,
    invariant,
    some,
    variable,
)
from verifier.conform.by_solver import SolverSearch
from verifier.conform.logs import Event
from verifier.conform.mapping import read_mapping
from verifier.conform.outcome import Conformance, LogVerdict
from verifier.conform.protocols import ProtocolMachine
from verifier.conform.search import Search
from verifier.conform.written_values import WrittenValues
from verifier.runs.protocol_loading import load_class_at
from verifier.testing.json_values import protocol_json
from verifier.trust.replay import ReplayFailure


class RelayState(State):
    def __init__(self, p: Relay) -> None:
        self.count = variable(Function(p.nodes, Range(0, 3)))
        self.holder = variable(Option(p.nodes))
        self.seen = variable(Set(p.nodes))


class Relay(Protocol):
    """Nodes count, and pass on what one of them holds."""

    nodes = IndexSetConstant(2, "who counts", kind="n")

    def state(self) -> RelayState:
        return RelayState(self)

    def init(self, s: RelayState) -> list[Formula]:
        return [arbitrary(s.count), s.holder.is_none, s.seen.is_empty]

    @action(n="nodes")
    def grow(self, s: RelayState, n: Element) -> Step:
        return Step(when=[s.count[n] < 3], then={s.count[n]: s.count[n] + 1})

    @action(n="nodes", m="nodes")
    def give(self, s: RelayState, n: Element, m: Element) -> Step:
        return Step(
            when=[s.holder.is_none | (s.holder == some(n)), n != m, s.count[n] > s.count[m]],
            then={s.holder: some(m), s.seen: s.seen.add(m)},
        )

    @action()
    def lose(self, s: RelayState) -> Step:
        return Step(when=[s.holder.is_some], then={s.holder: None})

    @invariant()
    def not_all_seen(self, s: RelayState) -> Formula:
        return (s.seen.cardinality < 2) | s.holder.is_none


class GroupState(State):
    def __init__(self, p: Group) -> None:
        self.held = variable(p.groups)


class Group(Protocol):
    """Elements are put in, some at a time."""

    nodes = IndexSetConstant(3, "the elements", kind="n")

    @property
    def groups(self) -> Set[Element]:
        return Set(self.nodes)

    def state(self) -> GroupState:
        return GroupState(self)

    def init(self, s: GroupState) -> Formula:
        return s.held.is_empty

    @action(more=free("groups"))
    def put(self, s: GroupState, more: SetValue[Element]) -> Step:
        return Step(when=[(more & s.held).is_empty, ~more.is_empty], then={s.held: s.held | more})


WIDE = '''from __future__ import annotations

from verifier import Function, IndexSetConstant, Protocol, Range, State, Step, action, arbitrary, variable


class Wide(Protocol):
    """Nodes count from any number on."""

    nodes = IndexSetConstant(9, "who counts", kind="n")

    def state(self):
        return State(count=Function(self.nodes, Range(0, 9)))

    def init(self, s):
        return arbitrary(s.count)

    @action(n="nodes")
    def grow(self, s, n):
        return Step(when=[s.count[n] < 9], then={s.count[n]: s.count[n] + 1})
'''
MAPPINGS: list[dict[str, Any]] = [
    {
        "event": "event", "silent": {"actions": ["Lose"], "most": 1},
        "events": {
            "Grow": {
                "action": "Grow", "parameters": {"n": "n?"},
                "before": {"count[n]": "from?"}, "after": {"count[n]": "to?"},
            },
            "Give": {
                "action": "Give", "parameters": {"n": "n?", "m": "m?"},
                "after": {"holder": "holder?", "seen": "seen?"},
            },
        },
    },
    {"state": {"holder": "holder?", "seen": "seen?", "count": "count?"}},
]  # fmt: skip


@pytest.fixture(scope="module")
def machine() -> ProtocolMachine:
    return ProtocolMachine(load_class_at(Relay, {}).definition)


def change_values(found: list[dict[str, Any]], chance: Random) -> None:
    """Leave out half of the values of events, and change some."""
    for event in found:
        for key in [key for key in event if key != "event" and (event.get("event"), key) != ("Grow", "n")]:
            if chance.random() < 0.5:
                del event[key]
            elif chance.random() < 0.08:
                event[key] = chance.choice(["n1", "n2", 0, 3, None, ["n1"], {"n1": 0, "n2": 3}])


def make_log(machine: ProtocolMachine, mapping: dict[str, Any], chance: Random) -> list[Event]:
    """Return a log of a random execution, which leaves out much, and which may be changed in a place."""
    state, found = chance.choice(machine.initial()), list[dict[str, Any]]()

    def values(of: Any) -> dict[str, Any]:
        return {name: protocol_json(machine.value(of, name)) for name in machine.variables}

    if "event" not in mapping:
        found.append(values(state))
    for _ in range(chance.randint(1, 6)):
        steps = [
            (name, *one) for name in machine.actions for one in machine.steps(state, name, lambda _: True)
        ]
        if not steps:
            break
        name, given, after = chance.choice(steps)
        event = {key: protocol_json(value) for key, value in given.items()}
        if "n" in event:
            counts = (values(state)["count"], values(after)["count"])
            event |= {"from": counts[0][event["n"]], "to": counts[1][event["n"]]}
        event |= {key: value for key, value in values(after).items() if key != "count"} | {"event": name}
        if "event" not in mapping:
            event = values(after)
        state = after
        if name != "Lose" or "event" not in mapping:
            found.append(event)
    change_values(found, chance)
    if len(found) > 2 and chance.random() < 0.3:
        found.pop(chance.randrange(len(found)))
    return [Event(number, json.dumps(one), one) for number, one in enumerate(found, 1)]


def summarise(one: LogVerdict) -> tuple[Any, ...]:
    return one.verdict, one.explained, one.line, one.reason, one.lines


@pytest.mark.parametrize("mapping", MAPPINGS, ids=["events", "states"])
@pytest.mark.parametrize("seed", range(4))
def test_the_solver_says_what_enumeration_says(
    machine: ProtocolMachine, mapping: dict[str, Any], seed: int
) -> None:
    mapped = read_mapping(mapping, "the mapping", machine.actions, machine.variables, machine.invariants)
    listing, solving = Search(machine, mapped), SolverSearch(machine, mapped, 0)
    chance, verdicts, solved_by_solver = Random(seed), set[Conformance](), 0
    for _ in range(12):
        events = make_log(machine, mapping, chance)
        listed, solved = listing.judge_list(Path("log"), events), solving.judge_list(Path("log"), events)
        solved_by_solver += solved.by_solver
        assert summarise(solved) == summarise(listed), [one.text for one in events]
        verdicts.add(solved.verdict)
    assert solved_by_solver == 12
    assert verdicts == {Conformance.ACCEPTED, Conformance.REJECTED}


def test_an_execution_that_does_not_replay_is_no_verdict(
    machine: ProtocolMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    mapped = read_mapping(MAPPINGS[0], "the mapping", machine.actions, machine.variables)
    right = WrittenValues._cube

    def wrong(*given: Any) -> list[int]:
        return [-literal for literal in right(*given)]

    monkeypatch.setattr(WrittenValues, "_cube", wrong)
    fields = {"event": "Give", "seen": ["n2"]}
    with pytest.raises(ReplayFailure, match="does not lead to"):
        SolverSearch(machine, mapped, 0).judge_list(Path("log"), [Event(1, "", fields)])


def test_the_command_asks_a_solver_where_too_many_states_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = Path(__file__).read_text().split("import pytest")[1].split("class GroupState")[0]
    lines = (line for line in text.splitlines() if not line.startswith(("from tests", "from verifier.")))
    Path("relay.py").write_text("\n".join(["from __future__ import annotations", *lines]))
    Path("map.toml").write_text('event = "event"\n')
    good = '{"event": "Grow", "n": "n1"}\n' * 3
    Path("good").write_text(good)
    Path("bad").write_text(good + '{"event": "Grow", "n": "n1"}\n')
    asked = ("--spec", "relay.py", "--map", "map.toml", "--max-states", "2")
    done = verify("conform", "good", "bad", *asked)
    assert "bad:4: REJECTED: no Grow step matches this line" in done.stdout
    assert "a solver found a state that agrees with them:" in done.stdout
    assert "ACCEPTED" in done.stdout


def test_more_initial_states_than_can_be_listed_are_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wide.py").write_text(WIDE)
    rule = 'parameters = { n = "n" }\nafter = { "count[n]" = "to?" }\n'
    Path("map.toml").write_text(f'event = "event"\n[events.Grow]\n{rule}')
    Path("log").write_text('{"event": "Grow", "n": "n7", "to": 9}\n{"event": "Grow", "n": "n7"}\n')
    done = verify("conform", "log", "--spec", "wide.py", "--map", "map.toml")
    assert "log:2: REJECTED: no Grow step matches this line" in done.stdout
    assert "count[n7] < 9   is false" in done.stdout


@pytest.mark.parametrize(
    ("count", "fields", "verdict"),
    [
        (3, {}, Conformance.ACCEPTED),
        (4, {}, Conformance.REJECTED),
        (1, {"more": ["n1"]}, Conformance.ACCEPTED),
        (2, {"more": ["n1"]}, Conformance.REJECTED),
    ],
)
def test_a_parameter_that_the_solver_chooses_stays_open(
    count: int, fields: dict[str, Any], verdict: Conformance
) -> None:
    machine = ProtocolMachine(load_class_at(Group, {}).definition)
    rule = {"action": "Put", "parameters": {"more": "more?"}}
    mapped = read_mapping(
        {"event": "event", "events": {"Put": rule}}, "the mapping", machine.actions, machine.variables
    )
    events = [Event(number, "", {"event": "Put", **fields}) for number in range(1, count + 1)]
    found = SolverSearch(machine, mapped, 0).judge_list(Path("log"), events)
    assert (found.verdict, found.by_solver) == (verdict, True)
    assert summarise(Search(machine, mapped).judge_list(Path("log"), events)) == summarise(found)
