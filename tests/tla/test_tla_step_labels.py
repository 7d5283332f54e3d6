"""Labels of steps: each engine names a step of a module as the interpreter does, in text and JSON."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from verifier.runs.modules.loading import load
from verifier.tla.explorer import Explorer
from verifier.tla.itf import as_json
from verifier.tla.translate.sampling import Stepper
from verifier.tla.value_types import Value

MODULE = r"""
---- MODULE Mail ----
EXTENDS Integers, Sequences
CONSTANTS Node, Nil
VARIABLES queue, holder, sent, messages
Init == queue = <<>> /\ holder = Nil /\ sent = 0 /\ messages = {}
Push(p) == Len(queue) < 2 /\ queue' = Append(queue, p) /\ UNCHANGED <<holder, sent, messages>>
Send(k) == \E p \in Node :
    /\ messages' = messages \cup {[from |-> p, at |-> <<k, sent>>]}
    /\ sent < 2 /\ sent' = sent + 1 /\ UNCHANGED <<queue, holder>>
Receive == \E m \in messages : /\ m.at[1] > 0 /\ holder = Nil /\ holder' = m.from
                               /\ messages' = messages \ {m} /\ UNCHANGED <<queue, sent>>
Take == \E s \in SUBSET Node : \E <<a, b>> \in Node \X Node :
    /\ queue # <<>> /\ Head(queue) \in s /\ a # b /\ holder # Nil /\ holder' = a
    /\ queue' = Tail(queue) /\ UNCHANGED <<sent, messages>>
Next == \/ \E i, p \in Node : IF i = p THEN Push(p) ELSE \E k \in 0..1 : Send(k)
        \/ Receive \/ Take
        \/ holder # Nil /\ queue = <<>> /\ holder' = Nil /\ UNCHANGED <<queue, sent, messages>>
Spec == Init /\ [][Next]_<<queue, holder, sent, messages>>
Kept == [](holder # Nil => []<>(holder # Nil))
NotTaken == ~(holder # Nil /\ Len(queue) = 1 /\ sent = 1 /\ messages = {})
====
"""
CONFIGURATION = """SPECIFICATION Spec
CONSTANTS Node = {a, b} Nil = Nil
INVARIANT NotTaken
PROPERTY Kept
CHECK_DEADLOCK FALSE
"""
QUESTIONS = (
    ("NotTaken", "explore", "--by", "interpreter"),
    ("NotTaken", "explore", "--by", "translation"),
    ("NotTaken", "bmc", "--depth", "5", "--by", "translation", "--shortest"),
    ("NotTaken", "prove", "--by", "translation"),
    ("NotTaken", "simulate", "--by", "interpreter"),
    ("NotTaken", "simulate", "--by", "translation"),
    ("NotTaken", "check"),
    ("Kept", "live", "--by", "interpreter"),
    ("Kept", "live", "--by", "translation"),
)


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mail")
    (folder / "Mail.tla").write_text(MODULE.lstrip())
    (folder / "Mail.cfg").write_text(CONFIGURATION)
    return folder / "Mail.tla"


@pytest.fixture(scope="module")
def known_labels(mail: Path) -> dict[str, str]:
    """The label of each step that the interpreter gives it: the first action in the order of the text."""
    spec = load(str(mail), {}).specification
    order, names = spec.evaluator.order, [variable.name for variable in spec.variables]

    def as_object(values: dict[str, Value]) -> dict[str, Any]:
        return {name: as_json(value, order) for name, value in values.items()}

    explorer = Explorer(spec, properties=())
    explorer.explore()
    stepper, labels = Stepper(spec), dict[str, str]()
    for one in explorer.states:
        for other, taken in stepper.take_steps(one):
            step = [as_object(dict(zip(names, state, strict=True))) for state in (one, other)]
            labels.setdefault(_show(*step), _show([taken.name, as_object(dict(taken.parameters))]))
    return labels


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_each_engine_labels_steps_as_the_interpreter(
    mail: Path, known_labels: dict[str, str], question: tuple[str, ...]
) -> None:
    name, engine, *options = question
    run = verify(engine, str(mail), "--property", name, *options, "--format", "json")
    (result,) = json.loads(run.stdout)["results"]
    states = result["trace"]["states"]
    abouts = [state["#meta"] for state in states[1:]]
    if "loop" in result["trace"] and "action" in result["trace"]["#meta"]["loop"]:
        states = [*states, states[result["trace"]["loop"]]]
        abouts.append(result["trace"]["#meta"]["loop"])
    bare = [{name: value for name, value in state.items() if name != "#meta"} for state in states]
    labels = [_show([about["action"], about["parameters"]]) for about in abouts]
    assert labels == [known_labels[_show(*step)] for step in pairwise(bare)]


@pytest.mark.parametrize("by", ["interpreter", "translation"])
def test_text_shows_parameters_alike(mail: Path, by: str) -> None:
    text = verify("bmc", str(mail), "--property", "NotTaken", "--depth", "5", "--by", by).stdout
    assert re.search(r"Send\(k=1, p=[ab]\)", text)
    assert re.search(r"Receive\(m=", text)


def _show(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)
