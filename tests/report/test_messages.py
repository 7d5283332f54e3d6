"""Participants that are numbers, and messages that are records: lanes, arrows, and the page with them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.support.chromium import BROWSER, DRIVER, console, evaluate, size
from tests.support.examples import run_rows
from verifier.outcomes.row import Row
from verifier.report.diagram import Diagram
from verifier.report.messages import Messages
from verifier.report.page import as_html
from verifier.report.report import Report
from verifier.report.tables import trace_text
from verifier.report.trace_diagram import diagram_of, read_taken
from verifier.specs.definition import DefinitionError
from verifier.specs.protocol import define
from verifier.specs.registry import load

SPEC = '''
from verifier import *


class Voting(Protocol, camel_case=True):
    """Servers with numbers send votes; one forgets."""

    servers = property(lambda self: Range(1, 3))
    epochs = property(lambda self: Range(1, 3))
    votes = property(lambda self: Record(epoch=self.epochs, src=self.servers, dst=self.servers))

    def state(self):
        return State(
            epoch=Function(self.servers, Range(0, 3)),
            got=Function(self.servers, Set(self.servers)),
            net=NET(self.votes),
            seen=PartialFunction(self.votes, Range(0, 2)),
        )

    def init(self, s):
        empty = forall(self.servers, lambda i: (s.epoch[i] == 0) & s.got[i].is_empty)
        return empty & EMPTY & s.seen.is_empty

    @action(epoch="epochs", i="servers", j="servers")
    def ask(self, s, epoch, i, j):
        vote = self.votes(epoch=epoch, src=i, dst=j)
        return Step(when=[i != j, s.epoch[i] < epoch], then={s.epoch[i]: epoch, s.net: SEND})

    @action(m="votes")
    def take(self, s, m):
        return Step(
            when=[HELD, s.epoch[m.dst] < m.epoch],
            then={s.epoch[m.dst]: m.epoch, s.got[m.dst]: s.got[m.dst].add(m.src), s.seen[m]: 1 REMOVE},
        )

    @action(m="votes")
    def drop(self, s, m):
        return Step(when=[HELD, m.epoch == 3], then={s.net: s.net.remove(m)})

    @invariant
    def few(self, s):
        return ~exists(self.servers, lambda i: s.got[i].contains(2) & (s.epoch[i] == 2))

    @reachable
    def lost(self, s):
        return exists(self.servers, lambda i: s.epoch[i] == 3) & EMPTY

    @step_invariant
    def epochs_grow_by_one(self, s, after):
        return forall(self.servers, lambda i: after.epoch[i] <= s.epoch[i] + 1)
'''
DRAWINGS = {
    "mail": 'Drawing(("servers",), (Mail("net[m]", "m.src", "m.dst", "at {m.epoch}", lost_by=("Drop",)),))',
    "call": 'Drawing(("servers",), (Call(("Take",), "m.src", "m.dst", "at {m.epoch}", sent="net[m]"),))',
    "none": "None",
}


def spec(folder: Path, kind: str, drawing: str, *, removes: bool) -> str:
    text = SPEC.replace("SEND", "s.net.add(vote)")
    text = text.replace("REMOVE", ", s.net: s.net.remove(m)" if removes else "")
    text = text.replace("EMPTY", "forall(self.votes, lambda m: ~(HELD))")
    text = text.replace("HELD", {"Set": "s.net.contains(m)", "Bag": "(s.net.copies(m) > 0)"}[kind])
    net = {"Set": "Set", "Bag": "lambda of: Bag(of, 2)"}[kind]
    path = folder / f"voting_{kind}_{removes}.py".lower()
    path.write_text(f"{text}\n    drawing = {drawing}\n".replace("NET(self", f"({net})(self"))
    return str(path)


@cache
def row_of(folder: Path, kind: str, drawing: str, name: str, *, removes: bool = False) -> Row:
    file = spec(folder, kind, DRAWINGS[drawing], removes=removes)
    (row,) = (row for row in run_rows("explore", "--spec", file, "--property", name) if row.trace is not None)
    return row


def draw(row: Row) -> Diagram:
    assert row.trace is not None
    return diagram_of(row.trace, row.drawing)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("voting")


def test_numbers_are_lanes_where_they_are_participants(folder: Path) -> None:
    diagram = draw(row_of(folder, "Set", "mail", "Few"))
    assert [lane.name for lane in diagram.lanes][:3] == ["server 1", "server 2", "server 3"]
    lanes = {place.path: diagram.lanes[place.lane].name for place in diagram.places}
    assert lanes["epoch[2]"] == "server 2"
    assert lanes["got[3]"] == "server 3"
    for step in diagram.steps[1:]:
        if step.action == "Ask":  # epoch has the same numbers, but is no participant
            assert diagram.lanes[step.lane].name == f"server {dict(step.parameters)['i']}"


@pytest.mark.parametrize("kind", ["Set", "Bag"])
@pytest.mark.parametrize("removes", [False, True])
@pytest.mark.parametrize("drawing", ["mail", "call"])
def test_records_are_messages(kind: str, removes: bool, drawing: str, folder: Path) -> None:
    diagram = draw(row_of(folder, kind, drawing, "Few", removes=removes))
    (received,) = (n for n, step in enumerate(diagram.steps) if step.action == "Take")
    (arrow,) = (arrow for arrow in diagram.arrows if arrow.received == received)
    assert diagram.steps[arrow.sent].action == "Ask"
    assert diagram.lanes[arrow.sender].name == "server 2"
    assert arrow.receiver == diagram.steps[received].lane
    assert arrow.label == "at 2"
    assert not arrow.lost


def test_an_action_can_lose_messages(folder: Path) -> None:
    diagram = draw(row_of(folder, "Set", "mail", "Lost"))
    (arrow,) = diagram.arrows
    assert arrow.lost
    assert arrow.received is None
    assert diagram.steps[arrow.sent].action == "Ask"


def test_without_a_drawing_numbers_that_look_like_processes_have_lanes(folder: Path) -> None:
    row = row_of(folder, "Set", "none", "Few")
    diagram = draw(row)
    assert [lane.name for lane in diagram.lanes] == ["server 1", "server 2", "server 3", "shared"]
    definition = define(load(spec(folder, "Set", "None", removes=False))())
    assert (str(definition.presentation.lanes), definition.presentation.lane_kind) == ("1..3", "server")


def test_what_a_set_gained_is_said_alone(folder: Path) -> None:
    text = trace_text(row_of(folder, "Set", "none", "Few"))
    assert re.search(r"net: \+ \(epoch 2, src 2, dst [13]\)\n", text)
    assert re.search(r"seen: \+ \(epoch 2, src 2, dst [13]\): 1\n", text)


VARIANT = """
from verifier import *

class Tagged(Protocol, camel_case=True):
    nodes = IndexSetConstant(2, kind="node")
    sort = property(lambda self: Variant(vote=Record(voter=self.nodes, to=Option(self.nodes)), stop=None))
    drawing = Drawing(("nodes",), (Mail("net[m]", "m.vote.voter", "m.vote.to", "{m.tag}"),))

    def state(self):
        return State(net=Option(self.sort), done=Boolean())

    def init(self, s):
        return s.net.is_none & ~s.done

    @action(i="nodes", j="nodes")
    def ask(self, s, i, j):
        return Step(when=[i != j, s.net.is_none, ~s.done], then={s.net: self.sort.vote(voter=i, to=j)})

    @action()
    def stop(self, s):
        return Step(when=[s.net.is_some], then={s.net: None, s.done: True})

    @invariant
    def never(self, s):
        return ~s.done
"""


def test_a_message_in_an_option_is_reached_through_its_tag(tmp_path: Path) -> None:
    path = tmp_path / "tagged.py"
    path.write_text(VARIANT)
    (row,) = (r for r in run_rows("explore", "--spec", str(path), "--property", "Never") if r.trace)
    (arrow,) = draw(row).arrows
    assert (arrow.sent, arrow.received, arrow.label) == (1, 2, "vote")
    path.write_text(VARIANT.replace("m.vote.to", "m.vote.too"))
    with pytest.raises(DefinitionError, match="did you mean 'to'"):
        define(load(str(path))())
    path.write_text(VARIANT.replace("m.vote.to", "m.stop"))
    with pytest.raises(DefinitionError, match=r"tagged.py, line 7: the end 'm.stop' .* have no lanes"):
        define(load(str(path))())


def test_messages_in_channels_arrive_in_order_and_those_to_all_more_than_once() -> None:
    """The rest of a channel is in transit; each owner of a message to all receives it."""

    def state(*waiting: str, board: tuple[str, ...] = (), **about: Any) -> dict[str, Any]:
        held = [{"kind": kind, "src": "n1"} for kind in waiting]
        channel = {"#map": [["n1", []], ["n2", held]]}
        return {"channel": channel, "board": {"#set": [{"kind": kind} for kind in board]}, "#meta": about}

    to_all = {"kind": "all"}
    states = [
        state(),
        state("a", action="Send"),
        state("a", "b", board=("all",), action="Send"),
        state("b", board=("all",), action="Take"),
        state("b", board=("all",), action="Hear", parameters={"n": "n2", "m": to_all}),
        state("b", board=("all",), action="Hear", parameters={"n": "n1", "m": to_all}),
    ]
    lanes = {"n1": 1, "n2": 2}
    found = Messages(states, [read_taken(one) for one in states], lambda text, _: lanes.get(text, 0))
    mail = {"path": "channel[to][m]", "sender": "m.src", "receiver": "to", "label": "{m.kind}"}
    arrows = list(found.mail({**mail, "holds": True, "in_flight": 1, "lost": -1}))
    assert [(a.label, a.sender, a.receiver, a.sent, a.received) for a in arrows] == [
        ("a", 1, 2, 1, 3),
        ("b", 1, 2, 2, None),
    ]
    call = {"actions": ["Hear"], "sender": "leader", "receiver": "n", "label": "", "sent": "board[m]"}
    arrows = list(found.calls(call))
    assert [(a.sender, a.receiver, a.sent, a.received) for a in arrows] == [(0, 2, 2, 4), (0, 1, 2, 5)]


def open_page(driver: Chrome, rows: list[Row], folder: Path) -> Any:
    path = folder / "report.html"
    path.write_text(as_html(Report("voting", rows)), encoding="utf-8")
    size(driver, 1440, 1000)
    driver.get("about:blank")
    driver.get(path.as_uri())
    assert console(driver) == []
    return evaluate(driver, "document.querySelector('.page.current').id")


@pytest.mark.thorough
@pytest.mark.skipif(not (BROWSER and DRIVER), reason="Chromium and its driver are not here")
def test_the_page_opens_at_the_counterexample_and_marks_the_step_that_fails(
    driver: Chrome, folder: Path
) -> None:
    file = spec(folder, "Set", DRAWINGS["call"], removes=False)
    rows = run_rows("bmc", "--spec", file, "--depth", "3", "--steps", "serial")
    name = next(row.property_name for row in rows if row.trace is not None)
    assert len(rows) > 2
    assert open_page(driver, rows, folder) == name
    driver.execute_script("location.hash = '#overview'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert evaluate(driver, "document.querySelector('.page.current').id") == "overview"

    grows = [row for row in rows if row.property_name == "EpochsGrowByOne"]
    open_page(driver, grows, folder)
    broken = evaluate(
        driver, "[...new Set([...document.querySelectorAll('.row.broken')].map(r => r.dataset.step))]"
    )
    assert broken == [str(grows[0].steps)]
    said = evaluate(driver, "document.querySelector('.failing').textContent")
    assert f"EpochsGrowByOne does not allow step {grows[0].steps}, Ask(" in said
    assert f"fails in step {grows[0].steps}" in evaluate(
        driver, "document.querySelector('.verdict-row').textContent"
    )


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="Chromium and its driver are not here")
def test_the_whole_of_a_long_value_unfolds(driver: Chrome, folder: Path) -> None:
    open_page(driver, [row_of(folder, "Set", "none", "Few")], folder)
    driver.execute_script("location.hash = '#verdict-1/step-1'")
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    brief, whole = evaluate(
        driver,
        "['.diff details summary', '.diff details'].map(s => document.querySelector(s).textContent)",
    )
    assert re.fullmatch(r"\+ \(epoch 2, src 2, dst [13]\)", brief)
    assert whole.startswith(f"{brief}{{}} → {{(epoch 2")
    heads = evaluate(driver, "[...document.querySelectorAll('.detail h4')].map(e => e.textContent)")
    assert "server 1" in heads
