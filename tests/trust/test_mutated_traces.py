"""Traces changed in every way: what a replay accepts is an execution that shows what it claims."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.sampling import rest_slow
from tests.support.trace_judge import Judge
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.errors import UsageError
from verifier.runs import replaying
from verifier.runs.loaded import Loaded
from verifier.runs.loading import load
from verifier.runs.replaying import replay_text
from verifier.specs.definition import Definition
from verifier.specs.protocol import DefinitionError
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model, build
from verifier.trust import itf
from verifier.trust.replay import Replayer

MANY = 600
"""Mutants of each subject, for ``make slow``."""
FEW = 25

Data = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """A violation of a small protocol."""

    spec: str
    constants: tuple[tuple[str, Any], ...]
    property_name: str
    depth: int

    def __str__(self) -> str:
        return self.spec


def subject(spec: str, property_name: str, depth: int, **constants: Any) -> Subject:
    return Subject(spec, tuple(constants.items()), property_name, depth)


TINY = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
UNFENCED = {"bookies": 3, "write_quorum": 3, "send_limit": 1, "recovery_reads_fence": False}
SUBJECTS = [
    subject("kafka-truncate-hw", "StrongIsr", 9, **TINY),
    subject("bookkeeper-4-13", "NoDivergenceBetweenWriterAndMetaData", 19, **UNFENCED),
    subject("pulsar-compaction", "DuplicateNullKeyMessage", 8, message_sent_limit=2),
    subject("rabbit-sac", NO_DEADLOCK, 8, queues=2, apps=2),
    subject("exactly-once", "Safety", 9, message_count=1, dup_count=2, variant="outbox-first"),
]


_LOADED: dict[str, Loaded] = {}
_MODELS: dict[tuple[str, str], Model] = {}


def load_once(spec: str, settings: dict[str, Any], claimed: str | None = None) -> Loaded:
    """Load the protocol of a trace; most traces have the same constants. Refused ones are not kept."""
    key = f"{spec} {settings!r}"  # in which 1 is not True
    if key not in _LOADED:
        _LOADED[key] = load(spec, settings, claimed=claimed)
    return _LOADED[key]


def model_of(definition: Definition) -> Model:
    """The model, built once; freedom from deadlock is a property of it."""
    key = (definition.spec_hash, repr(definition.constants))
    if key not in _MODELS:
        _MODELS[key] = with_deadlock(build(definition))
    return _MODELS[key]


@cache
def judge_of(spec: str, constants: tuple[tuple[str, Any], ...]) -> Judge:
    return Judge(model_of(load(spec, dict(constants)).definition))


@cache
def trace_of(asked: Subject) -> str:
    model = model_of(load(asked.spec, dict(asked.constants)).definition)
    request = Request((asked.property_name,), asked.depth, StepsChoice.SERIAL, "cadical")
    verdict = next(v for v in check(model, request).verdicts if v.property_name == asked.property_name)
    assert verdict.trace is not None
    return json.dumps(itf.dump(verdict.trace, model))


# Changes

Edit = Callable[[random.Random, Data, Model], None]


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside, by what it is in and its key there."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield data, key
        yield from _places(value)


def _value(rng: random.Random, data: Data, _: Model) -> None:
    """Another value somewhere in a state, as near as can be."""
    state = rng.choice(data["states"])
    inside, key = rng.choice([(i, k) for i, k in _places(state) if k != "#meta"])
    inside[key] = _near(rng, inside[key], data)


def _near(rng: random.Random, value: Any, data: Data) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice((-1, 1))
        case str():
            words = [i[k] for i, k in _places(data["states"]) if isinstance(i[k], str)]
            return rng.choice(words)
        case {"tag": "None"}:
            return {"tag": "Some", "value": rng.choice([0, "r1", "b1", {"#set": []}, []])}
        case {"tag": "Some"}:
            return {"tag": "None", "value": {"#tup": []}}
        case list() if value:
            items = list(value)
            change = rng.choice((items.pop, items.reverse, lambda: items.append(items[0])))
            change()
            return items
        case dict() if value and rng.random() < 0.3:
            return {name: item for name, item in value.items() if name != rng.choice(list(value))}
    return rng.choice([value, 0, [], {}, None, "x"])


def _variable(rng: random.Random, data: Data, _: Model) -> None:
    """A variable has the value of another state, or of another variable."""
    one, other = rng.choice(data["states"]), rng.choice(data["states"])
    name = rng.choice(data["vars"])
    one[name] = copy.deepcopy(other[name if rng.random() < 0.8 else rng.choice(data["vars"])])


def _steps(rng: random.Random, data: Data, _: Model) -> None:
    """States are dropped, doubled, exchanged or reversed."""
    states = data["states"]
    place = rng.randrange(len(states))
    match rng.randrange(6):
        case 0 if len(states) > 1:
            del states[place]
        case 1:
            states.insert(place, copy.deepcopy(states[place]))
        case 2:
            other = rng.randrange(len(states))
            states[place], states[other] = states[other], states[place]
        case 3:
            states.reverse()
        case 4:
            del states[place + 1 :]
        case _:
            states.append(copy.deepcopy(states[place]))


def _labels(rng: random.Random, data: Data, _: Model) -> None:
    """The actions of two states are exchanged; their states stay."""
    one, other = rng.choice(data["states"]), rng.choice(data["states"])
    one["#meta"], other["#meta"] = other["#meta"], one["#meta"]


def _action(rng: random.Random, data: Data, model: Model) -> None:
    about = rng.choice(data["states"][1:] or data["states"])["#meta"]
    about["action"] = rng.choice([action.name for action in model.definition.actions])


def _parameter(rng: random.Random, data: Data, _: Model) -> None:
    """A parameter is changed, dropped, or exchanged with another."""
    about = rng.choice(data["states"][1:] or data["states"])["#meta"]
    parameters = about.get("parameters") or {}
    about["parameters"] = parameters
    if not parameters:
        parameters["extra"] = "r1"
        return
    name, other = rng.choice(list(parameters)), rng.choice(list(parameters))
    match rng.randrange(4):
        case 0:
            del parameters[name]
        case 1:
            parameters[name], parameters[other] = parameters[other], parameters[name]
        case _:
            parameters[name] = _near(rng, parameters[name], data)


def _property(rng: random.Random, data: Data, model: Model) -> None:
    data["#meta"]["property"] = rng.choice([None, "Wishful", *(p.name for p in model.system.properties)])


def _constants(rng: random.Random, data: Data, _: Model) -> None:
    constants = data["#meta"]["constants"]
    name = rng.choice(list(constants))
    match rng.randrange(3):
        case 0:
            del constants[name]
        case 1:
            constants[f"{name}s"] = 1
        case _:
            constants[name] = _near(rng, constants[name], data)


def _about(rng: random.Random, data: Data, _: Model) -> None:
    """The spec's hash, which a replay only warns of, or its name."""
    if rng.random() < 0.5:
        data["#meta"]["spec_hash"] = "0" * 16
    else:
        data["#meta"]["spec"] = rng.choice(["kip101", "kip320", "rabbit-sac-restart", "bookkeeper", "none"])


EDITS: tuple[Edit, ...] = (
    *(_value, _value, _value, _variable, _variable, _steps, _steps, _labels),
    *(_action, _parameter, _parameter, _property, _constants, _about),
)
"""Changes of which one to three make a mutant; those listed twice are made more often."""


def mutants(asked: Subject, count: int) -> Iterator[tuple[str, str]]:
    """As many changed traces."""
    rng, text = random.Random(str(asked)), trace_of(asked)
    model = model_of(load(asked.spec, dict(asked.constants)).definition)
    made = 0
    for first in cycle(EDITS):
        data = json.loads(text)
        done = [first, *rng.choices(EDITS, k=rng.choice((0, 0, 0, 1, 2)))]
        try:
            for edit in done:
                edit(rng, data, model)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change left nothing for this one to change
        if data != json.loads(text):
            yield ", ".join(edit.__name__.strip("_") for edit in done), json.dumps(data)
            made += 1
        if made == count:
            return


def judge_mutants(asked: Subject, count: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The numbers of those turned down and accepted; every accepted one is an execution."""
    monkeypatch.setattr(replaying, "load", load_once)
    monkeypatch.setattr(replaying, "build_model", model_of)
    monkeypatch.setattr(replaying, "with_deadlock", lambda model: model)
    tally = {"turned down": 0, "accepted": 0}
    for what, text in mutants(asked, count):
        try:
            replay_text(Path("trace.itf.json"), text, None, {})
        except (UsageError, DefinitionError):
            tally["turned down"] += 1
            continue
        tally["accepted"] += 1
        data = json.loads(text)
        about = data["#meta"]
        fault = judge_of(about["spec"], tuple(about["constants"].items())).faults(data)
        assert fault is None, f"{asked}: {what} was accepted: {fault}"
    return tally


@pytest.mark.parametrize("asked", rest_slow([*SUBJECTS[2:], *SUBJECTS[:2]], 4), ids=str)
def test_what_is_accepted_is_an_execution(asked: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judge_of(asked.spec, asked.constants).faults(json.loads(trace_of(asked))) is None
    tally = judge_mutants(asked, FEW, monkeypatch)
    assert sum(tally.values()) == FEW
    assert tally["turned down"] > FEW / 2, tally


@pytest.mark.slow
@pytest.mark.parametrize("asked", SUBJECTS, ids=str)
def test_of_many_more_none_is_accepted_that_is_none(asked: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = judge_mutants(asked, MANY, monkeypatch)
    assert tally["turned down"] > MANY / 2, tally
    assert tally["accepted"], tally


@pytest.mark.thorough
@pytest.mark.parametrize("asked", [SUBJECTS[0], SUBJECTS[3]], ids=str)
def test_the_command_agrees(asked: Subject, tmp_path: Path) -> None:
    path = tmp_path / "trace.itf.json"
    for what, text in [("nothing", trace_of(asked)), *mutants(asked, 5)]:
        path.write_text(text)
        try:
            replay_text(path, text, None, {})
            expected = 0
        except (UsageError, DefinitionError):
            expected = 2
        assert verify("replay", str(path)).exit_code == expected, what


@pytest.mark.thorough
@pytest.mark.parametrize("left_out", ["is_initial", "_check_step", "violates"])
def test_a_replay_that_leaves_something_out_is_noticed(
    left_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace_of(SUBJECTS[0])
    anything = {"is_initial": True, "_check_step": None, "violates": True}
    monkeypatch.setattr(Replayer, left_out, lambda *_: anything[left_out])
    with pytest.raises(AssertionError, match="was accepted"):
        judge_mutants(SUBJECTS[0], MANY, monkeypatch)
