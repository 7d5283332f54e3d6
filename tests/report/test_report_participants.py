"""Whom reports draw as participants, which notation they write values in, and what they mark as failing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.examples import bookkeeper_data_loss, kip320_first_try
from tests.support.modules_for_pages import commit, jugs
from verifier.encodings.concrete import FrozenMap
from verifier.outcomes.row import Row
from verifier.report.diagram import SHARED, Diagram, diagram_of
from verifier.report.notation import Notation


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Row:
    return commit(tmp_path_factory.mktemp("commit"))


def drawn(row: Row) -> Diagram:
    assert row.trace is not None
    return diagram_of(row.trace, row.drawing)


def test_lanes_are_for_what_acts_alone(committed: Row) -> None:
    """Not for records, quorums and rounds, though actions take them, and rounds index a function."""
    diagram = drawn(committed)
    assert [(lane.name, lane.kind) for lane in diagram.lanes] == [
        ("r1", "RM"),
        ("r2", "RM"),
        (SHARED, SHARED),
    ]
    assert diagram.has_participants
    lanes = {place.path: diagram.lanes[place.lane].name for place in diagram.places}
    assert lanes["rmState[r2]"] == "r2"
    assert lanes["round[0]"] == SHARED


def test_numbers_act_where_nothing_else_does() -> None:
    states: list[dict[str, Any]] = [
        {"token": {"#map": [[0, True], [1, False]]}, "count": {"#map": [[0, 0], [1, 0]]}},
        {
            "#meta": {"action": "Pass", "parameters": {"n": 0, "to": 1}},
            "token": {"#map": [[0, False], [1, True]]},
            "count": {"#map": [[0, 0], [1, 0]]},
        },
    ]
    trace = {"#meta": {"module": "Ring.tla"}, "vars": ["token", "count"], "states": states}
    diagram = diagram_of(trace, None)
    assert [lane.name for lane in diagram.lanes] == ["n 0", "n 1"]
    assert [(arrow.sender, arrow.receiver, arrow.directed) for arrow in diagram.arrows] == [(0, 1, False)]
    assert {place.path: place.lane for place in diagram.places}["token[1]"] == 1


def test_nobody_acts_where_no_function_has_what_actions_take(tmp_path: Path) -> None:
    diagram = drawn(jugs(tmp_path))
    assert not diagram.has_participants
    assert [place.path for place in diagram.places] == ["big", "small"]


@pytest.mark.parametrize("most", [12, 13])
def test_too_many_participants_are_no_lanes(most: int) -> None:
    names = [f"p{number:02}" for number in range(most)]
    held = {"#map": [[name, 0] for name in names]}
    states = [{"x": held}, {"#meta": {"action": "Go", "parameters": {"p": "p00"}}, "x": held}]
    assert diagram_of({"vars": ["x"], "states": states}, None).has_participants is (most <= 12)


def test_values_of_modules_are_written_as_in_modules(committed: Row) -> None:
    diagram = drawn(committed)
    start = dict(zip((place.path for place in diagram.places), diagram.start, strict=True))
    assert start["rmState[r1]"] == '"working"'
    assert start["done"] == "FALSE"
    assert start["msgs"] == "{}"
    last = diagram.steps[-1]
    assert dict(last.parameters)["Q"] == "{r1, r2}"
    prepared = next(c for s in diagram.steps for c in s.changes if diagram.places[c.place].path == "msgs")
    assert prepared.delta in (
        '+ [type |-> "Prepared", rm |-> r1]',
        '+ [type |-> "Prepared", rm |-> r2]',
        '+ [rm |-> r1, type |-> "Prepared"]',
        '+ [rm |-> r2, type |-> "Prepared"]',
    )


def test_values_of_protocols_are_written_as_protocols_show_them() -> None:
    diagram = drawn(kip320_first_try())
    values = [change.after for step in diagram.steps for change in step.changes]
    assert "⟨(id 0, epoch 0)⟩" in values
    assert "{r1, r2}" in values
    assert not any("|->" in value or "<<" in value for value in values)


_TLA = Notation(True, frozenset({"c1", "c2"}))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("c1", "c1"),
        ("c3", '"c3"'),
        ('say "hi"', '"say \\"hi\\""'),
        (True, "TRUE"),
        ([1, "c1"], "<<1, c1>>"),
        ({"type": "1a", "bal": 1}, '[type |-> "1a", bal |-> 1]'),
        ({"#map": [["c1", 0], ["c2", 1]]}, "(c1 :> 0 @@ c2 :> 1)"),
        ({"#map": [[{"#set": ["c1"]}, 0]]}, "({c1} :> 0)"),
        ({"#map": []}, "<<>>"),
        ({"#set": [10, 9, 1]}, "{1, 9, 10}"),
        ({"#set": ["n10", "n9"]}, '{"n9", "n10"}'),
        ({"tag": "Some", "value": 1}, '[tag |-> "Some", value |-> 1]'),
        ({"a b": 1}, '("a b" :> 1)'),
        ({"#bigint": "99999999999999999"}, "99999999999999999"),
    ],
)
def test_every_kind_of_value_in_the_notation_of_modules(data: Any, words: str) -> None:
    assert _TLA.shown(data) == words


def test_long_values_are_told_in_parts() -> None:
    members = frozenset(f"member number {number}" for number in range(12))
    parts = Notation().parts(members)
    assert parts[0] == "{"
    assert parts[-1] == "}"
    assert set(parts[1:-1]) == members
    record = FrozenMap({"first": "x" * 30, "second": "y" * 30})
    assert Notation(True).parts(record)[1] == f'first |-> "{"x" * 30}"'
    assert Notation().parts(frozenset({1, 2})) == ()


def test_only_the_participant_that_fails_is_marked(committed: Row) -> None:
    """The formula looks at one key of the function, so only its place is wrong."""
    diagram = drawn(committed)
    (failing,) = diagram.failing
    witness = dict(failing.witnesses)["r"]
    (mentioned,) = failing.where
    assert mentioned.path == f"rmState[{witness}]"
    assert mentioned.value == '"committed"'
    assert [diagram.places[place].path for place in mentioned.places] == [f"rmState[{witness}]"]


def test_what_stands_in_an_expression_is_marked() -> None:
    diagram = drawn(kip320_first_try())
    ((_, mentioned),) = [(part, one) for part in diagram.failing for one in part.where]
    assert mentioned.path.startswith("length(log[r")
    assert [f"length({diagram.places[place].path})" for place in mentioned.places] == [mentioned.path]


def test_a_function_looked_at_as_a_whole_is_marked_as_a_whole() -> None:
    row = bookkeeper_data_loss()
    assert row.trace is not None
    failing = {"formula": "Cardinality(b_lac) = 0", "witnesses": [], "where": [["b_lac", "(b1: 0)"]]}
    trace = {**row.trace, "#meta": {**row.trace["#meta"], "failing": [failing]}}
    diagram = drawn(replace(row, trace=trace))
    (mentioned,) = diagram.failing[0].where
    assert [diagram.places[place].path for place in mentioned.places] == [
        "b_lac[b1]",
        "b_lac[b2]",
        "b_lac[b3]",
    ]
