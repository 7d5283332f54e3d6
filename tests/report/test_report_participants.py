"""Whom reports draw as participants, which notation they write values in, and what they mark as failing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.examples import bookkeeper_data_loss, kip320_first_try
from tests.support.modules_for_pages import commit, find_violation, jugs
from verifier.encodings.concrete import FrozenMap
from verifier.outcomes.row import PLACES, Row
from verifier.report.diagram import SHARED, Diagram
from verifier.report.notation import Notation
from verifier.report.trace_diagram import diagram_of


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Row:
    return commit(tmp_path_factory.mktemp("commit"))


def draw(row: Row) -> Diagram:
    assert row.trace is not None
    return diagram_of(row.trace, row.drawing)


def test_lanes_are_for_what_acts_alone(committed: Row) -> None:
    """Not for records, quorums and rounds, though actions take them, and rounds index a function."""
    diagram = draw(committed)
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


RING = """---- MODULE Ring ----
EXTENDS Naturals
CONSTANT N
VARIABLES token, color, round
Node == 0..N-1
Round == 0..1
Init == token = 0 /\\ color = [n \\in Node |-> "white"] /\\ round = [b \\in Round |-> 0]
Pass(i) == /\\ token = i
           /\\ color[i] = "white"
           /\\ token' = i + 1
           /\\ UNCHANGED <<color, round>>
Paint(i, b) == \\E c \\in {"black", "red"} : /\\ round[b] = 0
                                        /\\ color' = [color EXCEPT ![i] = c]
                                        /\\ round' = [round EXCEPT ![b] = 1]
                                        /\\ UNCHANGED token
Next == (\\E i \\in Node \\ {N - 1} : Pass(i)) \\/ (\\E i \\in Node, b \\in Round : Paint(i, b))
TokenStays == token < 2
Unpainted == \\A b \\in Round : round[b] = 0
====
"""
RING_CONFIG = "CONSTANT N = 4\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT "


@pytest.mark.parametrize("claim", ["TokenStays", "Unpainted"])
def test_participants_come_from_the_module_and_not_from_one_trace(claim: str, tmp_path: Path) -> None:
    """Whatever the trace takes: nodes act in both, and rounds, which index a function too, in neither."""
    diagram = draw(find_violation(tmp_path, "Ring", RING, f"{RING_CONFIG}{claim}\n"))
    assert [lane.name for lane in diagram.lanes] == ["Node 0", "Node 1", "Node 2", "Node 3", SHARED]
    lanes = {place.path: diagram.lanes[place.lane].name for place in diagram.places}
    assert lanes["color[2]"] == "Node 2"
    assert lanes["round[1]"] == SHARED


def test_what_actions_demand_stands_beside_the_step(tmp_path: Path) -> None:
    row = find_violation(tmp_path, "Ring", RING, f"{RING_CONFIG}TokenStays\n")
    second = draw(row).steps[2]
    assert str(second) == "Pass(i=1)"
    assert [(one.formula, one.where) for one in second.demands] == [
        ("token = i", "token = 1"),
        (
            'color[i] = "white"',
            'color = (0 :> "white" @@ 1 :> "white" @@ 2 :> "white" @@ 3 :> "white")',
        ),
    ]
    assert row.statistics[PLACES] == {"Pass": "Ring.tla:8"}
    (painted,) = draw(find_violation(tmp_path, "Ring", RING, f"{RING_CONFIG}Unpainted\n")).steps[1:]
    assert [one.formula for one in painted.demands] == ["round[b] = 0"]


def test_what_the_actions_of_protocols_demand_stands_beside_the_step() -> None:
    row = kip320_first_try()
    elected = next(step for step in draw(row).steps if step.action == "BecomeLeader")
    given = dict(elected.parameters)
    first, second = elected.demands
    assert first.formula == f"requests[{given['epoch']}].leader = {given['leader']}"
    assert first.where == first.formula
    assert second.formula == f"replica[{given['leader']}].epoch < {given['epoch']}"
    assert second.where.startswith(f"replica[{given['leader']}].epoch = ")
    assert row.statistics[PLACES]["BecomeLeader"].startswith("replication.py, line ")


def test_a_trace_of_others_demands_nothing() -> None:
    row = kip320_first_try()
    assert row.trace is not None
    states = [{**state, "#meta": {"action": "Go"}} for state in row.trace["states"]]
    diagram = diagram_of({**row.trace, "states": states}, row.drawing)
    assert not any(step.demands for step in diagram.steps)


def test_nobody_acts_where_no_function_has_what_actions_take(tmp_path: Path) -> None:
    diagram = draw(jugs(tmp_path))
    assert not diagram.has_participants
    assert [place.path for place in diagram.places] == ["big", "small"]


@pytest.mark.parametrize("most", [12, 13])
def test_too_many_participants_are_no_lanes(most: int) -> None:
    names = [f"p{number:02}" for number in range(most)]
    held = {"#map": [[name, 0] for name in names]}
    states = [{"x": held}, {"#meta": {"action": "Go", "parameters": {"p": "p00"}}, "x": held}]
    assert diagram_of({"vars": ["x"], "states": states}, None).has_participants is (most <= 12)


def test_values_of_modules_are_written_as_in_modules(committed: Row) -> None:
    diagram = draw(committed)
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
    diagram = draw(kip320_first_try())
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
    assert _TLA.show(data) == words


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
    diagram = draw(committed)
    (failing,) = diagram.failing
    witness = dict(failing.witnesses)["r"]
    (mentioned,) = failing.where
    assert mentioned.path == f"rmState[{witness}]"
    assert mentioned.value == '"committed"'
    assert [diagram.places[place].path for place in mentioned.places] == [f"rmState[{witness}]"]


def test_what_stands_in_an_expression_is_marked() -> None:
    diagram = draw(kip320_first_try())
    ((_, mentioned),) = [(part, one) for part in diagram.failing for one in part.where]
    assert mentioned.path.startswith("length(log[r")
    assert [f"length({diagram.places[place].path})" for place in mentioned.places] == [mentioned.path]


def test_a_function_looked_at_as_a_whole_is_marked_as_a_whole() -> None:
    row = bookkeeper_data_loss()
    assert row.trace is not None
    failing = {"formula": "Cardinality(b_lac) = 0", "witnesses": [], "where": [["b_lac", "(b1: 0)"]]}
    trace = {**row.trace, "#meta": {**row.trace["#meta"], "failing": [failing]}}
    diagram = draw(replace(row, trace=trace))
    (mentioned,) = diagram.failing[0].where
    assert [diagram.places[place].path for place in mentioned.places] == [
        "b_lac[b1]",
        "b_lac[b2]",
        "b_lac[b3]",
    ]
