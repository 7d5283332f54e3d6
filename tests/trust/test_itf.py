"""Trace files: what is written is read back, and what is wrong with a file is said on one line."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.models import build
from tests.support.toys import Chain, LockServer, Lottery
from verifier.encodings.concrete import FrozenMap
from verifier.encodings.quantifiers import arbitrary
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Option,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
)
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.errors import UsageError
from verifier.specs.protocol import (
    IndexSetConstant,
    Protocol,
    State,
    Step,
    action,
    free,
    invariant,
    reachable,
    step_invariant,
)
from verifier.system.model import Model
from verifier.trust import itf
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import ActionTaken, Trace

NODE = IndexSet("node", 2)
N1, N2 = NODE.elements
RECORD = Record(id=Range(0, 1), owner=Option(NODE))
SORTS: dict[str, Sort] = {
    "flag": Boolean(),
    "number": Range(-1, 2),
    "colour": Enum("colour", ("red", "green")),
    "leader": Option(NODE),
    "entry": RECORD,
    "perhaps": Option(RECORD),
    "hw": Function(NODE, Range(0, 1)),
    "kept": Function(Range(0, 1), Option(RECORD)),
    "asked": Set(NODE),
    "records": Set(RECORD),
    "log": Sequence(RECORD, 2),
    "sent": Bag(NODE, 2),
}


class EverySort(Protocol, camel_case=True):
    """One variable of each sort."""

    nodes = IndexSetConstant(2, kind="node")

    @property
    def groups(self) -> Set:
        return Set(self.nodes)

    def state(self) -> State:
        return State(**SORTS)

    def init(self, s: Any) -> Any:
        return (s.number == 0) & arbitrary(*(getattr(s, name) for name in SORTS))

    @action(node="nodes", group=free("groups"))
    def reset(self, s: Any, node: Any, group: Any) -> Step:
        return Step(when=[group.contains(node)], then={s.number: 0})

    @invariant()
    def low(self, s: Any) -> Any:
        return s.number < 2


EVERY_SORT = build(EverySort())
STATES = st.fixed_dictionaries({name: st.sampled_from(list(sort.values())) for name, sort in SORTS.items()})


@settings(max_examples=60, deadline=None)
@given(STATES, STATES, st.sampled_from([frozenset(), frozenset({N1}), frozenset({N1, N2})]))
def test_every_value_survives(before: Any, after: Any, group: frozenset[Any]) -> None:
    taken = ActionTaken("Reset", {"node": N1, "group": group})
    trace = Trace("every-sort", "abc", {"nodes": 2}, "Low", (before, after), (taken,))
    data = json.loads(json.dumps(itf.dump(trace, EVERY_SORT)))
    assert itf.load(data, EVERY_SORT) == trace


def violation(protocol: Protocol, name: str) -> tuple[Model, Trace]:
    model = build(protocol)
    verdict = check(model, Request((name,), 4, StepsChoice.SERIAL, "cadical")).verdicts[0]
    assert verdict.trace is not None
    return model, verdict.trace


@pytest.mark.parametrize(
    ("protocol", "name"), [(Chain(), "NeverTop"), (LockServer(), "NotAllAsk"), (Lottery(), "SomeLeft")]
)
def test_a_counterexample_read_back_replays(protocol: Protocol, name: str) -> None:
    model, trace = violation(protocol, name)
    data = itf.parse(json.dumps(itf.dump(trace, model)), Path("t.json"))
    read = itf.load(data, model)
    assert (read.states, read.actions, read.violates) == (trace.states, trace.actions, name)
    Replayer(model).check(read)


def test_the_shape_is_that_of_itf() -> None:
    model, trace = violation(LockServer(), "NotAllAsk")
    data = itf.dump(trace, model)
    assert data["vars"] == ["holder", "asked"]
    about = data["#meta"]
    assert (about["format"], about["spec"], about["property"]) == ("ITF", "lock-server", "NotAllAsk")
    assert about["constants"] == {"clients": 3}
    assert about["spec_hash"] == model.definition.spec_hash
    first, second = data["states"][:2]
    assert first == {
        "#meta": {"index": 0},
        "holder": {"tag": "None", "value": {"#tup": []}},
        "asked": {"#set": []},
    }
    assert second["#meta"] == {
        "index": 1,
        "action": "Ask",
        "parameters": {"client": "c1"},
        "guards": [
            {"formula": "(c1 ∉ asked)", "witnesses": [], "where": [["asked", "{}"]]},
            {"formula": "(holder ≠ c1)", "witnesses": [], "where": [["holder", "–"]]},
        ],
        "flows": [["asked", ["asked"]]],
    }
    assert second["asked"] == {"#set": ["c1"]}


def test_values_of_the_sorts_are_written_as_itf_has_them() -> None:
    state: dict[str, Any] = {name: next(iter(sort.values())) for name, sort in SORTS.items()}
    state |= {
        "leader": N2,
        "log": (FrozenMap({"id": 1, "owner": None}),),
        "sent": FrozenMap({N1: 2}),
    }
    written = itf.dump(Trace("every-sort", "", {"nodes": 2}, None, (state,), ()), EVERY_SORT)["states"][0]
    assert written["leader"] == {"tag": "Some", "value": "n2"}
    assert written["log"] == [{"id": 1, "owner": {"tag": "None", "value": {"#tup": []}}}]
    assert written["sent"] == {"#map": [["n1", 2]]}
    assert written["hw"] == {"#map": [["n1", 0], ["n2", 0]]}
    assert written["colour"] == "red"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("# a comment", "not JSON"),
        ("[]", "no ITF trace"),
        ('{"vars": ["x"]}', "no ITF trace"),
        ('{"states": []}', "no states"),
    ],
)
def test_what_is_no_trace(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        itf.parse(text, Path("t.json"))


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (None, '"#meta" is missing'),
        ({"format": "ITF", "source": "MC.tla"}, '"spec" in "#meta" should be a name, it is missing'),
        ({"spec": "chain", "constants": 3}, '"constants" in "#meta" should be an object, it is 3'),
        ({"spec": "chain", "constants": {}, "property": 1}, '"property" in "#meta" should be a name or null'),
    ],
)
def test_a_foreign_header(about: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        itf.header({"#meta": about, "states": [{}]})


def set_to(*path: Any) -> Any:
    """An edit of a trace: the value at all but the last of ``path`` becomes the last."""

    def edit(data: Any) -> None:
        *way, place, value = path
        for step in way:
            data = data[step]
        data[place] = value

    return edit


def drop(*path: Any) -> Any:
    def edit(data: Any) -> None:
        *way, place = path
        for step in way:
            data = data[step]
        del data[place]

    return edit


BROKEN = [
    (drop("states", 1, "asked"), UsageError, "state 1 lacks the variable asked"),
    (set_to("states", 1, "extra", 1), UsageError, "state 1 has extra, which is not a variable"),
    (set_to("states", 1, 7), UsageError, "state 1 is not a JSON object"),
    (drop("states", 2, "#meta"), UsageError, "state 2 does not name the action"),
    (drop("states", 2, "#meta", "action"), UsageError, "state 2 does not name the action"),
    (set_to("states", 2, "#meta", "parameters", []), UsageError, '"parameters" of Ask is not a JSON object'),
    (set_to("states", 1, "asked", ["c1"]), UsageError, 'state 1: asked should be {"#set": \\[…\\]}'),
    (set_to("states", 1, "holder", "c1"), UsageError, "state 1: holder should be"),
    (set_to("states", 1, "holder", {"tag": "Some", "value": 3}), UsageError, "should be a string that names"),
    (set_to("states", 1, "asked", {"#set": ["c9"]}), ReplayFailure, "step 1: asked is c9, which is"),
    (
        set_to("states", 1, "#meta", "action", "Grab"),
        ReplayFailure,
        "step 1: the protocol has no action Grab",
    ),
    (set_to("states", 1, "#meta", "parameters", {}), ReplayFailure, "should have the parameters client"),
    (set_to("states", 1, "#meta", "parameters", "who", "c1"), ReplayFailure, "should have the parameters"),
    (set_to("states", 1, "#meta", "parameters", "client", "c4"), ReplayFailure, "Ask is c4, which is not in"),
    (
        set_to("states", 2, "#meta", "parameters", "client", "c1"),
        ReplayFailure,
        "step 2: Ask.* is not enabled",
    ),
    (set_to("states", 2, "asked", {"#set": ["c1"]}), ReplayFailure, "step 2: .* gives another state"),
    (set_to("states", 0, "asked", {"#set": ["c1"]}), ReplayFailure, "step 0: not an initial state"),
    (drop("states", -1), ReplayFailure, "step 2: NotAllAsk holds in the last state"),
]


@pytest.mark.parametrize(("edit", "error", "words"), BROKEN, ids=[words for _, _, words in BROKEN])
def test_an_edited_trace_is_rejected(edit: Any, error: type[Exception], words: str) -> None:
    model, trace = violation(LockServer(), "NotAllAsk")
    data = copy.deepcopy(itf.dump(trace, model))
    edit(data)
    with pytest.raises(error, match=words) as raised:
        Replayer(model).check(itf.load(data, model))
    assert "\n" not in str(raised.value)


class ReadsHolder(LockServer):
    """Properties that read the holder, of whom there is none in the states of the trace."""

    @invariant(default=False)
    def holder_asked(self, s: Any) -> Any:
        return s.asked.contains(s.holder.value)

    @reachable(default=False)
    def holder_asks(self, s: Any) -> Any:
        return s.asked.contains(s.holder.value)

    @step_invariant(default=False)
    def stays(self, s: Any, after: Any) -> Any:
        return s.holder.value == after.holder.value


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HolderAsked", "HolderAsked has no value in the last state: .* reads holder, which has no value"),
        ("HolderAsks", "HolderAsks has no value in the last state: .* reads holder, which has no value"),
        ("Stays", "Stays has no value for the last step"),
        ("TypeInvariant", "TypeInvariant holds in the last state"),
    ],
)
def test_a_property_without_a_value_is_not_said_to_hold(name: str, words: str) -> None:
    model, trace = violation(ReadsHolder(), "NotAllAsk")
    assert trace.states[-1]["holder"] is None
    with pytest.raises(ReplayFailure, match=words):
        Replayer(model).check(replace(trace, violates=name))
    with pytest.raises(ReplayFailure, match="Stays is about steps, and the trace has none"):
        Replayer(model).check(replace(trace, violates="Stays", states=trace.states[:1], actions=()))


def state_of_every_sort(**changed: Any) -> dict[str, Any]:
    state = {name: next(iter(sort.values())) for name, sort in SORTS.items()}
    written = itf.dump(Trace("every-sort", "", {"nodes": 2}, None, (state,), ()), EVERY_SORT)
    written["states"][0].update(changed)
    return written


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"flag": 1}, UsageError, "flag should be true or false, the file has 1"),
        ({"number": True}, UsageError, "number should be an integer, the file has true"),
        ({"number": {"#bigint": "x"}}, UsageError, "number should be an integer"),
        ({"number": 1.5}, UsageError, "number should be an integer, the file has 1.5"),
        ({"entry": {"id": 0}}, UsageError, "entry should be an object with id, owner"),
        ({"log": {}}, UsageError, "log should be an array"),
        ({"hw": {"#map": [["n1"]]}}, UsageError, "hw should be"),
        ({"hw": {"#map": [["n1", 0], ["n1", 1]]}}, UsageError, "two values for the key n1"),
        ({"hw": {"#map": [["n1", 0]]}}, ReplayFailure, "hw has no value for the key n2"),
        ({"hw": {"#map": [["n1", 0], ["n2", 0], ["n3", 0]]}}, ReplayFailure, "hw is n3, which is"),
    ],
)
def test_a_value_of_another_shape(changed: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        itf.load(state_of_every_sort(**changed), EVERY_SORT)


def test_large_integers_of_other_tools_are_read() -> None:
    read = itf.load(state_of_every_sort(number={"#bigint": "-1"}), EVERY_SORT)
    assert read.states[0]["number"] == -1
