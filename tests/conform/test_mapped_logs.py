"""Logs judged by a mapping: the right line, the reason, and the verdict of a naive search."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.support.command_line import verify, wrong
from tests.support.mapped_counter import GOOD, MAP, Event, judge_logs, list_options, write_log
from verifier.conform.coding import NotSymbolic

LOCK = '''"""A lock."""
from __future__ import annotations

from verifier.encodings.declared import Element, Formula, variable
from verifier.encodings.sorts import Option
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action


class LockState(State):
    """Who holds the lock."""

    def __init__(self, lock: Lock) -> None:
        self.holder = variable(Option(lock.clients))


class Lock(Protocol):
    """Clients take turns holding one lock."""

    clients = IndexSetConstant(2, "who wants it", kind="client")

    def state(self) -> LockState:
        return LockState(self)

    def init(self, s: LockState) -> Formula:
        return s.holder.is_none

    @action(client="clients")
    def take(self, s: LockState, client: Element) -> Step:
        return Step(when=[s.holder.is_none], then={s.holder: client})

    @action()
    def drop(self, s: LockState) -> Step:
        return Step(when=[s.holder.is_some], then={s.holder: None})
'''


def test_a_log_is_accepted_and_many_have_one_verdict_each(counter: Path) -> None:
    array = counter / "array.json"
    array.write_text(json.dumps(GOOD, indent=1))
    bad = write_log(counter, [*GOOD, {"event": "inc", "value": 2}], "bad")
    found = judge_logs(counter, write_log(counter, GOOD), str(array), bad)
    assert [(one["verdict"], one["line"]) for one in found] == [
        ("ACCEPTED", None),
        ("ACCEPTED", None),
        ("REJECTED", 7),
    ]
    assert found[2]["states"] == [{"x": "2"}]
    assert found[2]["obstacles"][0]["words"] == "is 3 after the step, and the log's value is 2"


def test_the_first_false_conjunct_is_told_with_its_values(counter: Path) -> None:
    (found,) = judge_logs(counter, write_log(counter, [*GOOD[:1], {"event": "set", "to": 0}]))
    one = found["obstacles"][0]
    assert (found["line"], one["formula"], one["values"]) == (2, "x > 1", {"n": "0", "x": "1"})
    assert one["place"].endswith("Counter.tla:6:11")
    same = [*GOOD[:3], {"event": "set", "to": 2}]
    (found,) = judge_logs(counter, write_log(counter, same))
    one = found["obstacles"][0]
    assert (found["line"], one["formula"], one["passed"]) == (4, "n /= x", 1)
    assert one["values"] == {"n": "2", "x": "2"}


def test_a_rejected_log_has_its_lines_and_the_states_before(counter: Path) -> None:
    silent = 'silent = { actions = ["Lose"], most = 1 }\n'
    (counter / "map.toml").write_text(MAP.replace("ignore", f"{silent}ignore"))
    events: list[Event] = [*GOOD[:3], GOOD[0], {"event": "set", "to": 7}]
    (found,) = judge_logs(counter, write_log(counter, events))
    assert found["line"] == 5
    assert [one["line"] for one in found["events"]] == [1, 2, 3, 4, 5]
    assert json.loads(found["events"][3]["text"]) == GOOD[0]
    path = [(one["line"], one["action"], one["state"]["x"]) for one in found["path"]]
    assert path[:2] == [(None, "", "0"), (1, "Inc", "1")]
    assert path[-1][0] == 4
    assert [line for line, action, _ in path if action == "Lose"] == [None, None]
    assert found["path"][-1]["state"] == found["states"][0]


def test_silent_actions_stand_between_events(counter: Path) -> None:
    log = write_log(counter, [*GOOD[:1], GOOD[5], {"event": "inc", "from": 0}])
    assert judge_logs(counter, log)[0]["line"] == 3
    for most, verdict in ((1, "REJECTED"), (2, "ACCEPTED")):
        silent = f'silent = {{ actions = ["Lose"], most = {most} }}\n'
        (counter / "map.toml").write_text(MAP.replace("ignore", f"{silent}ignore"))
        assert judge_logs(counter, log)[0]["verdict"] == verdict


def test_too_many_states_leave_a_log_undecided_at_its_line(
    counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise NotSymbolic

    monkeypatch.setattr("verifier.conform.by_solver.make_coding", refuse)
    log = write_log(counter, [*GOOD[:3], {"event": "Set"}])
    done = verify("conform", log, *list_options(counter), "--max-states", "2", "--format", "json")
    (found,) = json.loads(done.stdout)["logs"]
    assert (done.exit_code, found["verdict"], found["line"]) == (12, "UNDECIDED", 4)
    words = "more than 2 states agree with the log so far: raise --max-states, or log more of the state"
    assert found["reason"] == words


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ('{"event": "stop"}\n', "log:1: ERROR: the event 'stop' is not an action"),
        ('{"event": "inc"}\n{"even": "inc"}\n', "log:2: ERROR: the event has no field event"),
        ('{"event": "inc"}\n{"event": \n', "log:2: ERROR: no JSON: Expecting value"),
        ('{"event": "inc"}\n{"event": ', "log:2: ERROR: no JSON: Expecting value. The last line has no end"),
        ('{"event": "inc"}\n7\n', "log:2: ERROR: an event must be an object"),
        ('{"event": "set", "two": 2}\n', "log:1: ERROR: no event 'set' has a field to"),
    ],
)
def test_a_log_that_does_not_fit_the_mapping_is_one_line(log: str, words: str, counter: Path) -> None:
    (counter / "log").write_text(log)
    good = write_log(counter, GOOD, "good")
    done = verify("conform", str(counter / "log"), good, *list_options(counter))
    assert done.exit_code == 2
    assert words in done.stdout
    found = [line.split()[:2] for line in done.stdout.splitlines()[-2:]]
    assert found == [[str(counter / "log"), "ERROR"], [good, "ACCEPTED"]]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('event = "event"', "", 'event = "FIELD" must say'),
        ("x = ", "y = ", "unknown variable 'y'"),
        ('action = "Inc"', 'action = "Ink"', "unknown action 'Ink'"),
        ("{ n = ", "{ m = ", "unknown parameter of Set 'm'"),
        ("ignore", "ignores", "unknown table 'ignores'"),
    ],
)
def test_a_mapping_that_does_not_fit_the_spec_is_one_line(
    old: str, new: str, words: str, counter: Path
) -> None:
    (counter / "map.toml").write_text(MAP.replace(old, new))
    assert words in wrong("conform", write_log(counter, GOOD), *list_options(counter))


def _naive(events: list[Event], steps: Callable[[int, str], list[tuple[int | None, int]]]) -> int | None:
    """Return the number, from 1, of the first event after which no execution of all agrees with the log."""
    executions = [[0]]
    for number, event in enumerate(events, 1):
        longer = []
        for execution in executions:
            for given, after in steps(execution[-1], event["event"]):
                fits = "to" not in event or given == event["to"]
                fits = fits and ("from" not in event or execution[-1] == event["from"])
                if fits and ("value" not in event or after == event["value"]):
                    longer.append([*execution, after])
        if not longer:
            return number
        executions = longer
    return None


def _counter_steps(x: int, event: str) -> list[tuple[int | None, int]]:
    if event == "beat":
        return [(None, x)]
    if event == "inc":
        return [(None, x + 1)] if x < 3 else []
    return [(n, n) for n in range(4) if x > 1 and n != x]


def _change_log(
    good: list[Event], chance: Random, change: Callable[[list[Event], int, Random], None]
) -> list[Event]:
    """Return a log with one event dropped, doubled, exchanged with the next one, or changed."""
    events = [dict(event) for event in good]
    place = chance.randrange(len(events) - 1)
    match chance.randrange(4):
        case 0:
            del events[place]
        case 1:
            events.insert(place, events[place])
        case 2:
            events[place], events[place + 1] = events[place + 1], events[place]
        case _:
            change(events, place, chance)
    return events


def _change_a_value(events: list[Event], place: int, chance: Random) -> None:
    one = chance.choice([event for event in events if len(event) > 1])
    one[list(one)[1]] = chance.randrange(4)


def _change_the_holder(events: list[Event], place: int, chance: Random) -> None:
    events[place]["now"] = chance.choice(["c1", "c2", None])


def _mutations(count: int) -> list[list[Event]]:
    chance = Random(35)
    return [_change_log(GOOD, chance, _change_a_value) for _ in range(count)]


def test_changed_logs_are_judged_as_a_naive_search_judges_them(counter: Path) -> None:
    logs = _mutations(60)
    expected = [_naive(events, _counter_steps) for events in logs]
    found = judge_logs(counter, *(write_log(counter, events, f"log{i}") for i, events in enumerate(logs)))
    assert [one["line"] for one in found] == expected
    assert {one["verdict"] for one in found} == {"ACCEPTED", "REJECTED"}


def test_a_python_protocol_is_followed_through_a_table(tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    (tmp_path / "map.toml").write_text(
        'event = "op"\n[events.take]\naction = "Take"\nparameters = { client = "who" }\n'
        '[events.drop]\naction = "Drop"\n[constants]\nclients = 3\n'
    )
    (tmp_path / "log.csv").write_text("op,who\ntake,c3\ndrop,\ntake,c1\ntake,c2\n")
    options = ("--spec", str(tmp_path / "lock.py"), "--map", str(tmp_path / "map.toml"), "--format", "json")
    done = verify("conform", str(tmp_path / "log.csv"), *options)
    (found,) = json.loads(done.stdout)["logs"]
    assert (found["verdict"], found["line"], found["text"]) == ("REJECTED", 5, "take,c2")
    assert found["states"] == [{"holder": "c1"}]
    (one,) = found["obstacles"]
    assert (one["action"], one["formula"], one["values"]) == (
        "Take(client=c2)",
        "holder is none",
        {"holder": "c1"},
    )


def test_a_conjunct_of_a_protocol_names_the_parts_that_it_reads(tmp_path: Path) -> None:
    (tmp_path / "turns.py").write_text(TURNS)
    (tmp_path / "map.toml").write_text(
        'event = "op"\n[events.pass]\naction = "Hand"\nparameters = { client = "who", other = "to" }\n'
    )
    (tmp_path / "log.csv").write_text("op,who,to\npass,c1,c2\npass,c1,c3\n")
    options = ("--spec", str(tmp_path / "turns.py"), "--map", str(tmp_path / "map.toml"), "--format", "json")
    done = verify("conform", str(tmp_path / "log.csv"), *options)
    (found,) = json.loads(done.stdout)["logs"]
    (one,) = found["obstacles"]
    assert (found["line"], one["formula"], one["values"]) == (3, "1 ≤ turns[c1]", {"turns[c1]": "0"})


TURNS = """
from verifier import *


class Turns(Protocol):
    \"\"\"Clients hand their turns on.\"\"\"

    name = "turns"
    clients = IndexSetConstant(3)

    def state(self):
        return State(turns=Function(self.clients, Range(0, 3)))

    def init(self, s):
        return forall(self.clients, lambda c: s.turns[c] == 1)

    @action(client="clients", other="clients")
    def Hand(self, s, client, other):
        return Step(
            when=[s.turns[client] >= 1, s.turns[other] < 3],
            then={s.turns[client]: s.turns[client] - 1, s.turns[other]: s.turns[other] + 1},
        )

    @invariant()
    def nobody_has_all(self, s):
        return forall(self.clients, lambda c: s.turns[c] < 3)
"""


def test_a_draft_names_actions_parameters_and_what_is_left(counter: Path) -> None:
    events: list[Event] = [{"event": "inc"}, {"event": "set", "n": 2}, {"event": "zzz"}]
    log, spec = write_log(counter, events), str(counter / "Counter.tla")
    done = verify("conform", log, "--spec", spec, "--draft")
    assert 'action = "Set"\nparameters = { n = "n" }' in done.stdout
    assert '# ignore = ["zzz"]' in done.stdout
    (counter / "map.toml").write_text(done.stdout.replace("# ignore", "ignore"))
    assert judge_logs(counter, log)[0]["line"] == 2  # x > 1 does not hold


def test_a_spec_that_reads_no_log_needs_a_mapping(counter: Path) -> None:
    line = wrong("conform", write_log(counter, GOOD), "--spec", str(counter / "Counter.tla"))
    assert "Give a mapping with --map FILE; --draft proposes one" in line


def _first_impossible(events: list[Event]) -> int | None:
    """Return the number, from 1, of the first event that a lock does not allow."""
    holder = None
    for number, event in enumerate(events, 1):
        if (event["op"] == "take") is (holder is not None):
            return number
        holder = event["who"] if event["op"] == "take" else None
        if event.get("now", holder) != holder:
            return number
    return None


def test_changed_logs_of_a_python_protocol_are_judged_as_the_lock_itself(tmp_path: Path) -> None:
    (tmp_path / "lock.py").write_text(LOCK)
    (tmp_path / "map.toml").write_text(
        'event = "op"\n[events.take]\naction = "Take"\nparameters = { client = "who" }\n'
        'after = { holder = "now?" }\n[events.drop]\naction = "Drop"\nafter = { holder = "now?" }\n'
    )
    take, drop = {"op": "take", "who": "c1", "now": "c1"}, {"op": "drop", "now": None}
    good: list[Event] = [take, drop, {"op": "take", "who": "c2"}, {"op": "drop"}, take, drop]
    chance, logs = Random(7), [good]
    logs += [_change_log(good, chance, _change_the_holder) for _ in range(30)]
    files = [write_log(tmp_path, events, f"log{number}") for number, events in enumerate(logs)]
    options = ("--spec", str(tmp_path / "lock.py"), "--map", str(tmp_path / "map.toml"), "--format", "json")
    found = json.loads(verify("conform", *files, *options).stdout)["logs"]
    assert [one["line"] for one in found] == [_first_impossible(events) for events in logs]
    assert {one["verdict"] for one in found} == {"ACCEPTED", "REJECTED"}


def test_a_constraint_that_speaks_of_a_search_is_refused(counter: Path) -> None:
    text = (counter / "Counter.tla").read_text().replace("====\n", 'Early == TLCGet("level") < 3\n====\n')
    (counter / "Counter.tla").write_text(text.replace("EXTENDS ", "EXTENDS TLC, ", 1))
    with (counter / "Counter.cfg").open("a") as config:
        config.write("CONSTRAINT Early\n")
    assert "a log has neither" in wrong("conform", write_log(counter, GOOD), *list_options(counter))
