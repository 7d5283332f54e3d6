"""Drawing hints: what they name exists, and they change nothing that matters."""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from tests.support.models import build
from tests.support.toys import LockServer
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.specs.built_in import BUILT_IN
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import Call, Drawing, Lane, Mail, define
from verifier.specs.registry import load
from verifier.trust import itf


def lock_server(drawing: Drawing) -> dict[str, Any]:
    """The description of a drawing of the toy."""

    class Drawn(LockServer):
        pass

    Drawn.drawing = drawing
    described = define(Drawn()).drawing
    assert described is not None
    return dict(described)


def test_lanes_are_elements_or_named() -> None:
    server = Lane("server", ("holder",), ("Grant",))
    described = lock_server(Drawing((server, "clients"), (Call(("Grant",), "server", "client", "yours"),)))
    assert [lane["name"] for lane in described["lanes"]] == ["server", "c1", "c2", "c3"]
    assert [lane["kind"] for lane in described["lanes"]][1:] == ["client"] * 3
    assert described["messages"][0]["type"] == "call"


@pytest.mark.parametrize(
    ("drawing", "named"),
    [
        (Drawing(("servers",)), "servers"),
        (Drawing((Lane("server", ("holders",)),)), "did you mean 'holder'"),
        (Drawing(("clients",), (Call(("Grant",), "client", "sever"),)), "sever"),
        (Drawing(("clients",), (Mail("asks[client]", "client", "client"),)), "did you mean 'asked'"),
        (Drawing(("clients",), (Mail("asked[client]", "client", "server"),)), "server"),
        (Drawing(("clients",), (Mail("asked[client]", "client.name", "client"),)), "not a record or variant"),
        (Drawing(("clients",), (Mail("holder", "clients", "clients"),)), "which is never 1 .in_flight"),
        (
            Drawing(("clients",), (Mail("holder.name", "c1", "c2"),)),
            "not a record or variant with a field 'name'",
        ),
        (Drawing(("clients",), (Mail("asked[client.name]", "c1", "c2"),)), "gives no new name"),
        (Drawing(("clients",), (Mail("asked[client", "c1", "c2"),)), "is not like requests"),
        (Drawing(("clients",), (Mail("asked[client][m]", "c1", "c2"),)), "goes on after a message"),
        (Drawing(("clients",), (Call(("Grnat",), "c1", "client"),)), "did you mean 'Grant'"),
        (Drawing(("clients",), (Call(("Grant",), "c1", "client", "{cleint}"),)), "did you mean 'client'"),
        (Drawing(("clients",), (Call(("Grant",), "c1", "client", sent="asked[who]"),)), "unknown name in br"),
        (Drawing((Lane("server", actions=("Give",)),)), "unknown action in the drawing 'Give'"),
        (Drawing((Lane("server", ("holder",)), Lane("server"))), "two lanes that are called 'server'"),
        (Drawing((Lane("server", "holder"),)), "are a tuple"),  # type: ignore[arg-type]
        (Drawing("clients"), "lanes in the drawing are a tuple"),  # type: ignore[arg-type]
        (Drawing(("name",)), "'name' is not an index set, range or enumeration"),
    ],
)
def test_what_a_drawing_names_must_exist(drawing: Drawing, named: str) -> None:
    with pytest.raises(DefinitionError, match=named) as raised:
        lock_server(drawing)
    assert re.match(rf"{re.escape(__file__)}, line \d+: ", str(raised.value))


def test_a_drawing_is_no_part_of_the_hash() -> None:
    definition = define(load("kip320")())
    assert definition.drawing is not None
    assert replace(definition, drawing=None).spec_hash == definition.spec_hash


def test_every_built_in_drawing_names_actions_of_its_family() -> None:
    """A pattern that matches no action of any protocol is a slip."""
    actions: set[str] = set()
    patterns: set[str] = set()
    for name in BUILT_IN:
        definition = define(load(name)())
        actions |= {action.name for action in definition.actions}
        assert definition.drawing is not None, name
        for part in (*definition.drawing["lanes"], *definition.drawing["messages"]):
            patterns |= set(part.get("actions", ()))
    unmatched = {p for p in patterns if not any(fnmatchcase(action, p) for action in actions)}
    assert unmatched == set()


def test_traces_say_what_fails_and_how_they_are_drawn() -> None:
    model = build(load("bookkeeper-4-13")())
    name = "NoDivergenceBetweenWriterAndMetaData"
    request = Request((name,), 20, steps=StepsChoice.PARALLEL)
    trace = check(model, request).verdicts[0].trace
    assert trace is not None
    about = itf.dump(trace, model)["#meta"]
    assert about["drawing"] == model.definition.drawing
    (failing,) = about["failing"]
    assert failing["formula"] == "w1.lac ≤ meta_last_entry"
    assert failing["where"] == [["w1.lac", "1"], ["meta_last_entry", "0"]]
