"""The steps that led to a failure: the last change of each value at fault, and the origin of the last one."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.examples import bookkeeper_data_loss, kip320_first_try, rabbit_lasso, run_rows
from tests.support.two_recoveries import two_recoveries
from verifier.outcomes.row import Row
from verifier.report.causes import earlier_causes
from verifier.report.diagram import Diagram
from verifier.report.fair_loop import close_loop
from verifier.report.telling import tell
from verifier.report.trace_diagram import diagram_of
from verifier.runs.replaying import Replayed, row_of


def draw(row: Row) -> Diagram:
    assert row.trace is not None
    return diagram_of(close_loop(row.trace), row.drawing)


def sentences(row: Row) -> list[str]:
    return ["".join(piece.text for piece in line).strip() for line in earlier_causes(draw(row))]


@pytest.mark.thorough
def test_a_stale_value_is_named_with_the_step_that_set_it() -> None:
    """r1 counts on its own ISR without r2, which the quorum took in later."""
    (row,) = run_rows("bmc", "--spec", "kip320-first-try", "--property", "StrongIsr", "--shortest")
    changed, found = sentences(row)
    assert changed.startswith("log[r2] has been ⟨⟩ since the start.")
    stale = re.search(
        r"replica\[r1\]\.isr,? (?:was )?last changed in step (\d+), \w+: \{r1, r2, r3\} → \{r1, r3\}", found
    )
    joined = re.search(
        r"quorum\.isr was last changed in step (\d+), \w+: \{r1, r3\} → \{r1, r2, r3\}", changed
    )
    assert stale is not None
    assert joined is not None
    assert int(stale[1]) < int(joined[1])


@pytest.mark.parametrize(
    "make", [kip320_first_try, rabbit_lasso, pytest.param(bookkeeper_data_loss, marks=pytest.mark.thorough)]
)
def test_a_last_change_is_one_and_is_the_last(make: object) -> None:
    assert callable(make)
    diagram = draw(make())
    paths = [place.path for place in diagram.places]
    named = 0
    for line in earlier_causes(diagram):
        for before, piece in pairwise(line):
            claim = re.search(r"(\S+?),? (?:was )?last changed in $", before.text)
            if claim is None or piece.step is None:
                continue
            named += 1
            place = paths.index(claim[1])
            until = diagram.fails_at if "was" in before.text else diagram.fails_at - 1
            changing = [
                n for n in range(1, until + 1) if any(c.place == place for c in diagram.steps[n].changes)
            ]
            assert piece.step == changing[-1]
            assert str(diagram.steps[piece.step]) == piece.title
    assert named


@pytest.mark.thorough
def test_a_value_is_followed_through_messages_to_where_it_came_from() -> None:
    """c3 believes entry 1 confirmed, since b1 told so, since c2 told b1."""
    model, trace = two_recoveries()
    row = row_of(Replayed(model.definition, model, trace, None, 0.0))
    changed, chain = sentences(row)
    # b3 has the entry, and is not in the ensemble that c3 closed with
    assert "meta_fragments[1] was last changed in step 1, ClientCreatesLedger: {} → {b1, b2}." in changed
    assert "b_entries[b3][1] was last changed in step 19, BookieSendsAddConfirmedResponse: – → 1." in changed
    assert chain.startswith("How meta_last_entry became 1, the last 8 of 14 changes: step 20: ")
    places = [
        "step 21: clients[c2].lac = 1",
        "add_requests[c2][2][1][b1]",
        "b_lac[b1] = 1",
        "fence_responses[c3][b1].lac",
        "step 26: clients[c3].lap = 1",
        "clients[c3].curr_read_entry",
        "step 29: clients[c3].last_recoverable_entry = 1.",
    ]
    assert [chain.index(place) for place in places] == sorted(chain.index(place) for place in places)
    steps = [int(step) for step in re.findall(r"step (\d+)", chain)]
    assert steps == sorted(steps)


def test_a_loop_says_why_fairness_allows_it() -> None:
    row = rabbit_lasso()
    found = tell(row, draw(row))
    assert found is not None
    words = "".join(piece.text for piece in found.earlier[-1])
    demand = "weak fairness of the next step only demands that some step is taken"
    assert words.startswith(f"Fairness allows it: {demand}; ")
    assert words.endswith(") is one.")


LEADER = """
from verifier import *


class Leader(Protocol):
    nodes = IndexSetConstant(2, "who may lead", kind="node")

    def state(self):
        return State(up=Set(self.nodes), leader=Option(self.nodes))

    def init(self, s):
        return [s.up == self.nodes, s.leader.is_none]

    @action(node="nodes")
    def fail(self, s, node):
        return Step(when=[s.up.contains(node)], then={s.up: s.up.remove(node)})

    @action(node="nodes")
    def take(self, s, node):
        down = ~forall(s.up.contains(n) for n in self.nodes)
        return Step(when=[s.leader.is_none, s.up.contains(node), down], then={s.leader: node})

    @invariant()
    def nobody_leads(self, s):
        return s.leader.is_none
"""


def test_a_member_that_left_is_no_equation(tmp_path: Path) -> None:
    """``n1 ∈ up = no`` would be read as a comparison of up."""
    file = tmp_path / "leader.py"
    file.write_text(LEADER)
    (row,) = run_rows("explore", str(file), "--property", "nobody_leads")
    assert re.search(r"How leader became n\d: step 1: n\d ∈ up became no\.", " ".join(sentences(row)))


OUTBOX = """
from verifier import *


class Outbox(Protocol):
    orders = IndexSetConstant(2, "orders", kind="order")

    def state(self):
        return State(placed=Set(self.orders), outbox=Set(self.orders), sent=Set(self.orders))

    def init(self, s):
        return [s.placed.is_empty, s.outbox.is_empty, s.sent.is_empty]

    @action(order="orders")
    def place(self, s, order):
        free = ~s.placed.contains(order)
        return Step(when=free, then={s.placed: s.placed.add(order), s.outbox: s.outbox.add(order)})

    @action(order="orders")
    def lose(self, s, order):
        return Step(when=s.outbox.contains(order), then={s.outbox: s.outbox.remove(order)})

    @invariant()
    def nothing_lost(self, s):
        return forall(s.outbox.contains(o) | s.sent.contains(o) for o in self.orders if s.placed.contains(o))

    @invariant()
    def some_lost(self, s):
        return s.placed.is_empty | ~s.outbox.is_empty
"""


def test_a_member_that_was_never_in_a_set_is_said_so(tmp_path: Path) -> None:
    """If the property fails for one order, the others are no cause."""
    file = tmp_path / "outbox.py"
    file.write_text(OUTBOX)
    (row,) = run_rows("explore", str(file), "--property", "some_lost")
    assert re.search(r" o[12] was never in outbox\. ", sentences(row)[0])
    (row,) = run_rows("explore", str(file), "--property", "nothing_lost")
    (said,) = sentences(row)
    assert said.startswith("sent has been {} since the start. ")
    assert "never" not in said
