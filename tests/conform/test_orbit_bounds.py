"""Rejections by symmetry: the number of events that an execution explains, as all states say it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from verifier.conform import trace_modules
from verifier.conform.canonical import Canonical
from verifier.conform.orbit_bounds import find_orbit_bound
from verifier.conform.trace_modules import TraceModule
from verifier.conform.twin_loops import TwinDraw
from verifier.errors import UsageError
from verifier.tla.symmetry import Renaming
from verifier.tla.value_types import Fn, ModelValue

HEAD = r"""---- MODULE S ----
EXTENDS Naturals, Sequences, FiniteSets, TLC, Json, IOUtils
CONSTANTS Key, Val, Other
VARIABLES f, s, l
Keys == {"k1", "k2", "k3", "k4"}
Vals == {"x", "y", "z"}
Others == OTHER
None == "none"
Trace == ndJsonDeserialize(IOEnv.LOG_OF_S)
Is(e) == l \in 1..Len(Trace) /\ Trace[l].event = e /\ l' = l + 1
Init == f = [k \in Key |-> None] /\ s = {} /\ l = 1
Put(k, v) == f[k] = None /\ f' = [f EXCEPT ![k] = v]
Drop(k) == f[k] # None /\ f' = [f EXCEPT ![k] = None]
Take(k) == k \notin s /\ s' = s \cup {k}
Again(k) == s' = s \cup {k}
Two(k, j) == k # j /\ f[k] = f[j] /\ s' = s \cup {k, j}
RECURSIVE Size(_)
Size(a) == IF a = {} THEN 0 ELSE Cardinality(a)
Whole == TLCGet("stats").diameter - 1 = Len(Trace)
"""
CONFIG = """INIT Init
NEXT Next
CHECK_DEADLOCK FALSE
POSTCONDITION Whole
CONSTANTS Key <- Keys
 Val <- Vals
 Other <- Others
"""
EVEN = (
    r"(\E k \in Key, v \in Val : Put(k, v)) /\ s' = s",
    r"(\E k \in Key : Drop(k)) /\ UNCHANGED s",
    r"(\E k \in Key : Take(k)) /\ UNCHANGED f",
    r"(\E k, j \in Key : Two(k, j)) /\ UNCHANGED f",
    r"(\E k \in Key : \E j \in Key : Put(k, None) /\ Take(j) /\ k # j)",
    r"\E v \in Val : (\E k \in Key : Put(k, v)) /\ (\E j \in Key : f[j] = v /\ Take(j))",
    r"Size(s) > 1 /\ s' = {} /\ f' = [k \in Key |-> IF k \in s THEN f[k] ELSE None]",
    r"Cardinality({f[k] : k \in Key}) > 2 /\ f' = [k \in Key |-> None] /\ UNCHANGED s",
    r"(\A k \in Key : f[k] # None) /\ s' \in SUBSET Key /\ UNCHANGED f",
    r"(\E k \in Key : f[k] \in Val /\ f' = [j \in Key |-> f[k]]) /\ UNCHANGED s",
    r"(\E k, j \in Key : Cardinality(s) < 4 /\ Two(k, j)) /\ UNCHANGED f",
    r"\E v \in Val : (\E k \in Key : l > 0 /\ Put(k, v)) /\ \E j \in Key : l > 0 /\ f'[j] = None /\ Take(j)",
    r"(\E i \in 1..2 : Cardinality(s) < i /\ (\E k \in Key : Take(k))) /\ UNCHANGED f",
    r"(\E o \in Other, v \in Val : o # v /\ (\E k \in Key : Put(k, v))) /\ UNCHANGED s",
)
UNEVEN = (
    r'(\E k \in Key : k = "k1" /\ Take(k)) /\ UNCHANGED f',
    r'(\E k \in {"k1", "k2"} : Take(k)) /\ UNCHANGED f',
    r'(\E k \in Key : Put(k, "x")) /\ UNCHANGED s',
    r'(\E k \in Key, v \in Val : v = "y" /\ Put(k, v)) /\ UNCHANGED s',
    r"(\E k \in Key, v \in Val : v = Trace[l].name /\ Put(k, v)) /\ UNCHANGED s",
    r"(\E k \in Key : k = Trace[l].key /\ Take(k)) /\ UNCHANGED f",
    r"(\E k \in Key : k = (CHOOSE j \in Key : TRUE) /\ Take(k)) /\ UNCHANGED f",
    r'(\E k \in Key, v \in Val : v \in STRING /\ ToString(v) # "\"z\"" /\ Put(k, v)) /\ UNCHANGED s',
    r'(\E k \in Key, v \in Val : ToString(v) # "\"z\"" /\ Put(k, v)) /\ UNCHANGED s',
    r"(\E k \in Key, v \in Val : v \in DOMAIN [x |-> l] /\ Put(k, v)) /\ UNCHANGED s",
    r"(\E k \in Key, v \in Val : v \in DOMAIN [x |-> 1] /\ Put(k, v)) /\ UNCHANGED s",
    r'(\E k \in Key, v \in Val : Len(v) = 1 /\ v \o "" = "x" /\ Put(k, v)) /\ UNCHANGED s',
    r'(\E k \in Key : {k} \in {{"k1"}, {"k3"}} /\ Take(k)) /\ UNCHANGED f',
    r'(\E k \in Key : k = "k" \o Trace[l].cipher /\ Again(k)) /\ UNCHANGED f',
    r'(\E k \in Key : k = SubSeq("xk1", Trace[l].place, 3) /\ Again(k)) /\ UNCHANGED f',
)


def _write(
    folder: Path, actions: list[str], events: list[dict[str, Any]], others: str = '{"p", "q"}'
) -> TraceModule:
    next_ = " \\/ ".join(f'(Is("e{number}") /\\ {one})' for number, one in enumerate(actions))
    (folder / "S.tla").write_text(f"{HEAD.replace('OTHER', others)}Next == {next_}\n====\n")
    (folder / "S.cfg").write_text(CONFIG)
    (folder / "log").write_text("".join(f"{json.dumps(one)}\n" for one in events))
    return TraceModule(str(folder / "S.tla"), "LOG_OF_S", {}, None, [])


def _bound(module: TraceModule, folder: Path, patch: pytest.MonkeyPatch) -> int | None:
    patch.setenv("LOG_OF_S", str(folder / "log"))
    return find_orbit_bound(module._load({}).specification, module._load, lambda: None)


def _with_keys(count: int) -> str:
    """The module with other keys."""
    keys = ", ".join(f'"k{number}"' for number in range(count))
    return HEAD.replace('"k1", "k2", "k3", "k4"', keys)


def _events(chance: Random) -> list[dict[str, Any]]:
    return [
        {
            "event": f"e{chance.choice([0, 0, 1, 2])}",
            "key": f"k{chance.randint(1, 9)}",
            "name": chance.choice("xyw"),
        }
        for _ in range(chance.randint(2, 7))
    ]


def test_a_bound_is_what_all_states_explain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, known, refused = Random(35), 0, 0
    monkeypatch.setattr(trace_modules, "_MOST_WAITING", 1_000_000)
    for number in range(70):
        actions = chance.sample(EVEN, 3)
        if number % 2:
            actions[chance.randrange(3)] = chance.choice(UNEVEN)
        others = chance.choice(['{"p", "q"}', "Vals", '{"x", "p"}', '{"k1", "p"}'])
        events = _events(chance)
        if number % 3:
            events = [{"event": one["event"]} for one in events]
        module = _write(tmp_path, actions, events, others)
        try:
            whole = module.judge(tmp_path / "log")
        except UsageError:
            continue
        bound = _bound(module, tmp_path, monkeypatch)
        refused += bound is None and whole.verdict.name == "REJECTED"
        known += bound is not None
        if bound is not None:
            assert (whole.verdict.name, whole.explained) == ("REJECTED", bound), (actions, others, events)
    assert known >= 12
    assert refused >= 5


@pytest.mark.parametrize("action", UNEVEN)
def test_members_that_are_told_apart_are_not_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    known = {"key": "k1", "name": "y", "cipher": "1", "place": 2}
    fields = {name: value for name, value in known.items() if name in action}
    events: list[dict[str, Any]] = [{"event": "e0", **fields}] * 9
    module = _write(tmp_path, [action], events)
    assert _bound(module, tmp_path, monkeypatch) is None


def test_sets_that_share_a_member_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    action = r"(\E o \in Other, v \in Val, k \in Key : o = v /\ Put(k, v)) /\ UNCHANGED s"
    module = _write(tmp_path, [action], [{"event": "e0"}] * 6, '{"x", "p"}')
    assert _bound(module, tmp_path, monkeypatch) == 4


def test_a_field_of_the_log_may_be_a_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    action = r"(\E k \in Key : k \in DOMAIN Trace[l] /\ Take(k)) /\ UNCHANGED f"
    module = _write(tmp_path, [action], [{"event": "e0", "k1": 1}] * 6)
    assert _bound(module, tmp_path, monkeypatch) is None


def test_a_step_that_explains_no_event_leaves_no_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _write(tmp_path, [EVEN[0]], [{"event": "e0"}] * 9)
    more = r"Next == (Size(s) < 2 /\ (\E k \in Key : Take(k)) /\ UNCHANGED <<f, l>>) \/ "
    file = tmp_path / "S.tla"
    file.write_text(file.read_text().replace("Next == ", more))
    assert _bound(module, tmp_path, monkeypatch) is None


@pytest.mark.parametrize(("action", "most"), [(EVEN[3], None), (EVEN[10], None), (EVEN[11], 4)])
def test_loops_inside_of_loops_take_different_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, most: int | None
) -> None:
    module = _write(tmp_path, [action], [{"event": "e0"}] * 6)
    found = module.judge(tmp_path / "log")
    explained = None if found.verdict.name == "ACCEPTED" else found.explained
    assert _bound(module, tmp_path, monkeypatch) == explained
    assert most is None or most > found.explained


PAIR = r"s' \in SUBSET Key /\ f' \in [Key -> {0, 1}] /\ "
OF_ITEM = r"\E k \in Key : l > 0 /\ k \in s' /\ f'[k] = i"


@pytest.mark.parametrize(
    "loops",
    [
        rf"\A i \in {{0, 1}} : {OF_ITEM}",
        rf"LET g[i \in 0..2] == IF i = 2 THEN TRUE ELSE ({OF_ITEM}) /\ g[i + 1] IN g[0]",
    ],
)
def test_a_loop_that_is_walked_several_times_takes_all_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loops: str
) -> None:
    module = _write(tmp_path, [f"{PAIR}({loops})"], [{"event": "e0"}] * 3)
    module = _without_place(tmp_path, module)
    assert module.judge(tmp_path / "log").verdict.name == "ACCEPTED"
    assert _bound(module, tmp_path, monkeypatch) is None


def _without_place(folder: Path, module: TraceModule) -> TraceModule:
    """The module whose place in the log is set after the actions, so that they are walked to their ends."""
    file = folder / "S.tla"
    text = file.read_text().replace("Trace[l].event = e /\\ l' = l + 1", "Trace[l].event = e")
    begin, _, action = text.partition("Next == ")
    file.write_text(f"{begin}Next == {action.replace('====', '')} /\\ l' = l + 1\n====\n")
    return module


@pytest.mark.parametrize("action", EVEN[:3])
def test_the_last_member_is_found_without_all_ways_to_come_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    wide = _with_keys(12).replace('"z"', '"z", "a", "b", "c", "d"')
    monkeypatch.setitem(globals(), "HEAD", wide)
    module = _write(tmp_path, [action], [{"event": "e0"}] * 14)
    assert _bound(module, tmp_path, monkeypatch) == (0 if "Drop" in action else 12)


def test_a_log_with_one_key_too_many_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "HEAD", _with_keys(9))
    module = _write(tmp_path, [*EVEN[:1], EVEN[13]], [{"event": f"e{n % 2}"} for n in range(12)])
    monkeypatch.setattr(trace_modules, "_MOST_WAITING", 0)
    monkeypatch.delattr(trace_modules._Judgement, "_whole")
    found = module.judge(tmp_path / "log")
    assert (found.verdict.name, found.line, found.explained) == ("REJECTED", 10, 9)
    assert ("f", "none") not in found.states[0]
    assert any("f[k] = None" in one.formula for one in found.obstacles)


def _random_state(chance: Random, names: list[ModelValue], others: list[ModelValue]) -> tuple[Any, ...]:
    pairs = Fn({name: chance.choice(others[:2]) for name in names})
    some = frozenset(chance.sample(names, chance.randint(0, len(names))))
    inner = frozenset(frozenset(chance.sample(names, 2)) for _ in range(2))
    return pairs, some, inner, chance.randint(0, 1), (chance.choice(names), "word")


def test_an_image_is_one_under_a_permutation_and_mostly_the_same_for_all(tmp_path: Path) -> None:
    chance, equal = Random(3), 0
    names, others = ([ModelValue(f"{letter}{number}") for number in range(5)] for letter in "pq")
    canonical = Canonical([names, others])
    ring = Fn(zip(names, (*names[1:], names[0]), strict=True))
    for number in range(60):
        state = _random_state(chance, names, others) if number else (ring, 1, 2, 3)
        mixed = dict(zip(names, chance.sample(names, 5), strict=True))
        mixed |= dict(zip(others, chance.sample(others, 5), strict=True))
        image = tuple(map(Renaming(mixed).of, state))
        one, other = canonical.rename(state), canonical.rename(image)
        equal += one == other
        assert canonical.rename(one)[3] == state[3]
        twins = canonical.find_twins(state)
        for group in (names, others):
            for first in group:
                for second in group:
                    swapped = Renaming({first: second, second: first})
                    same = tuple(map(swapped.of, state)) == state
                    assert same == (twins[first] == twins[second])
    assert equal >= 55


def test_a_loop_takes_as_many_twins_as_loops_are_nested() -> None:
    names = [ModelValue(f"p{number}") for number in range(5)]
    draw = TwinDraw(2)
    draw.twins = dict(zip(names, (0, 0, 0, 1, 2), strict=True))
    assert draw.mix([*names, 7]) == [*names[:2], *names[3:], 7]
