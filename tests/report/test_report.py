"""The reader's view: changes, columns, the failing part, verdicts in words."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.support.models import build
from tests.support.toys import Chain, LockServer, Overflow, SelfLoop
from verifier.encodings.concrete import Element, FrozenMap
from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Function,
    IndexSet,
    Option,
    PartialFunction,
    Range,
    Record,
    Sequence,
    Set,
    Sort,
)
from verifier.encodings.terms import Symbol
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.engines.fair_loops import explain_no_loop
from verifier.engines.outcome import Outcome
from verifier.outcomes.content import as_object
from verifier.outcomes.run import Run
from verifier.printable import say_count
from verifier.report.description import describe
from verifier.report.protocol import render_description
from verifier.specs.protocol import Protocol, define
from verifier.specs.registry import load
from verifier.system.model import Model
from verifier.text.changes import changes, contents
from verifier.text.columns import align_rows, one_line, widths
from verifier.text.counterexample import render_trace
from verifier.text.failure import render_failure, short_failure
from verifier.text.run import render_run, verdict_text
from verifier.trust.replay import Replayer
from verifier.trust.trace import Trace
from verifier.verdict import IS_VIOLATED, LEFT_TO_LIVE, Verdict, VerdictKind

NODES = IndexSet("node", 3)
N1, N2, N3 = NODES.elements
REPLICAS = IndexSet("replica", 3).elements
REPLICA_COLUMNS = ["replica r1", "replica r2", "replica r3"]
ENTRY = Record(id=Range(0, 9), epoch=Range(0, 9))
LOCAL = Record(hw=Range(0, 9), epoch=Range(-1, 9), leader=Option(NODES), isr=Set(NODES))


def entry(number: int, epoch: int) -> FrozenMap:
    return FrozenMap({"id": number, "epoch": epoch})


def local(hw: int = 0, epoch: int = -1, leader: Element | None = None, *isr: Element) -> FrozenMap:
    return FrozenMap({"hw": hw, "epoch": epoch, "leader": leader, "isr": frozenset(isr)})


def per_node(*values: Any) -> FrozenMap:
    return FrozenMap(zip(NODES.elements, values, strict=True))


def show_changes(sort: Sort, old: Any, new: Any, name: str = "x") -> list[str]:
    found = changes([Symbol(name, sort)], {name: old}, {name: new}, NODES)
    return [f"{change.lane or ''}|{one_line(change)}" for change in found]


CHANGES: list[tuple[Sort, Any, Any, list[str]]] = [
    (Range(0, 3), 1, 1, []),
    (Range(0, 3), 1, 2, ["|x: 1 → 2"]),
    (Boolean(), False, True, ["|x: false → true"]),
    (Option(NODES), None, N2, ["|x: – → n2"]),
    (Option(ENTRY), None, entry(1, 2), ["|x: – → (id 1, epoch 2)"]),
    (Option(ENTRY), entry(1, 1), entry(1, 2), ["|x.epoch: 1 → 2"]),
    (ENTRY, entry(0, 0), entry(1, 2), ["|x: (id 0, epoch 0) → (id 1, epoch 2)"]),
    (LOCAL, local(0), local(1), ["|x.hw: 0 → 1"]),
    (LOCAL, local(), local(0, 1, N1), ["|x.epoch: -1 → 1", "|x.leader: – → n1"]),
    (Function(NODES, Range(0, 3)), per_node(0, 0, 0), per_node(0, 1, 0), ["n2|x[n2]: 0 → 1"]),
    (
        Function(NODES, LOCAL),
        per_node(*[local()] * 3),
        per_node(local(), local(2), local()),
        ["n2|x[n2].hw: 0 → 2"],
    ),
    (
        Function(NODES, Sequence(ENTRY, 3)),
        per_node((), (entry(0, 0),), ()),
        per_node((), (entry(0, 0), entry(1, 2)), ()),
        ["n2|x[n2]: appended (id 1, epoch 2)"],
    ),
    (
        Sequence(ENTRY, 3),
        (entry(0, 0), entry(1, 1)),
        (entry(0, 0),),
        ["|x: dropped (id 1, epoch 1) from the end"],
    ),
    (Sequence(Range(0, 9), 3), (1, 2, 3), (2, 3), ["|x: dropped 1 from the front"]),
    (Sequence(Range(0, 9), 3), (1, 1), (1,), ["|x: dropped 1 of 2 copies of 1"]),
    (Sequence(Range(0, 9), 4), (1, 1, 1, 1), (1, 1), ["|x: dropped 2 of 4 copies of 1"]),
    (Sequence(Range(0, 9), 4), (1, 2, 1, 2), (1, 2), ["|x: ⟨1, 2, 1, 2⟩ → ⟨1, 2⟩"]),
    (Sequence(Range(0, 9), 3), (1, 2), (1, 5), ["|x[1]: 2 → 5"]),
    (
        Function(Range(0, 1), Function(NODES, Boolean())),
        FrozenMap({0: per_node(False, False, False), 1: per_node(False, False, False)}),
        FrozenMap({0: per_node(False, True, False), 1: per_node(False, False, False)}),
        ["|x[0][n2]: false → true"],
    ),
    (
        Record(of=Function(NODES, Range(0, 1))),
        FrozenMap({"of": per_node(0, 0, 0)}),
        FrozenMap({"of": per_node(1, 0, 0)}),
        ["n1|x.of[n1]: 0 → 1"],
    ),
    (Set(NODES), frozenset({N1}), frozenset({N1, N3}), ["|x: {n1} → {n1, n3}"]),
    (
        Set(ENTRY),
        frozenset({entry(0, 0), entry(1, 1)}),
        frozenset({entry(0, 0), entry(2, 2)}),
        ["|x: + (id 2, epoch 2), − (id 1, epoch 1)"],
    ),
    (Sequence(Range(0, 9), 3), (1, 2), (2, 5, 1), ["|x: ⟨1, 2⟩ → ⟨2, 5, 1⟩"]),
    (Bag(NODES, 2), FrozenMap({N1: 2}), FrozenMap({N1: 1, N2: 1}), ["|x: + n2, − n1"]),
    (Bag(NODES, 2), FrozenMap({}), FrozenMap({N1: 1, N2: 2}), ["|x: + n1, + 2 × n2"]),
    (
        PartialFunction(Range(0, 9), ENTRY),
        FrozenMap({1: entry(1, 1), 2: entry(2, 2)}),
        FrozenMap({1: entry(1, 3), 4: entry(0, 0)}),
        ["|x[1].epoch: 1 → 3", "|x: + 4: (id 0, epoch 0), − 2"],
    ),
    (PartialFunction(NODES, Range(0, 3)), FrozenMap({}), FrozenMap({N2: 1}), ["n2|x[n2]: – → 1"]),
]


@pytest.mark.parametrize(("sort", "old", "new", "expected"), CHANGES, ids=[str(case[3]) for case in CHANGES])
def test_changes(sort: Sort, old: Any, new: Any, expected: list[str]) -> None:
    assert show_changes(sort, old, new) == expected


def test_what_is_the_same_everywhere_is_said_once() -> None:
    variables = [
        Symbol("hw", Function(NODES, Range(0, 3))),
        Symbol("log", Function(NODES, Function(Range(0, 1), Option(ENTRY)))),
    ]
    empty = FrozenMap({0: None, 1: None})
    state = {"hw": per_node(0, 0, 0), "log": per_node(empty, empty, empty)}
    assert [one_line(item) for item in contents(variables, state, NODES, brief=True)] == [
        "hw: all 0",
        "log: all –",
    ]
    state["hw"] = per_node(0, 1, 0)
    found = contents(variables, state, NODES, brief=True)
    assert [(item.lane, one_line(item)) for item in found[:2]] == [(N1, "hw[n1]: 0"), (N2, "hw[n2]: 1")]


def test_the_widest_columns_give_way_first() -> None:
    assert widths([10, 50, 40], 80, 20) == [10, 32, 32]
    assert widths([10, 20], 100, 20) == [10, 20]
    assert widths([50, 50, 50, 50], 80, 20) is None


def test_aligned_rows_fit() -> None:
    rows = [("a", "b" * 30 + " " + "c" * 30), ("long name", "x")]
    lines = [line for row in align_rows(rows, 60) for line in row]
    assert lines == [f"a           {'b' * 30}", f"            {'c' * 30}", "long name   x"]


# A counterexample of a real protocol, by its actions; tests/engines/test_bmc.py searches for such.
STRONG_ISR = """
ControllerElectLeader(r1) BecomeFollower(r1, r2, 0) ControllerElectLeader(r3) ControllerElectLeader(r1)
BecomeLeader(r1, 2) LeaderShrinkIsrBetterFencing(r1, r3) BecomeLeader(r3, 1) LeaderWrite(r1)
FollowerFetch(r2, r1) ImprovedLeaderIncHighWatermark(r1) BecomeFollower(r3, r2, 1) FollowerTruncate(r3, r2)
"""


@cache
def first_try() -> tuple[Model, Trace]:
    model = build(load("kip320-first-try")())
    replicas = REPLICAS
    nobody = FrozenMap({"leader": None, "isr": frozenset()})
    initial = {
        "log": FrozenMap((r, ()) for r in replicas),
        "replica": FrozenMap((r, local()) for r in replicas),
        "next_record_id": 0,
        "next_leader_epoch": 0,
        "requests": FrozenMap((epoch, nobody) for epoch in range(3)),
        "quorum": FrozenMap({"epoch": -1, "leader": None, "isr": frozenset(replicas)}),
    }
    labels = re.findall(r"\w+\([^)]*\)", STRONG_ISR)
    firings = [(model.instance(label), ()) for label in labels]
    return model, Replayer(model).execute(model.layout.encode_state(initial), firings, "StrongIsr")


def lines_of(width: int, *, full: bool = False) -> list[str]:
    model, trace = first_try()
    return [line.plain for line in render_trace(model.definition, trace, width, full=full)]


@pytest.mark.parametrize("width", [50, 60, 80, 100, 120, 140, 200])
@pytest.mark.parametrize("full", [False, True])
def test_no_line_is_wider_than_the_terminal(width: int, full: bool) -> None:
    model, trace = first_try()
    lines = lines_of(width, full=full) + [line.plain for line in render_failure(model, trace, width)]
    assert max(map(len, lines)) <= width
    titles = [line for line in lines if re.match(r" *\d+  ", line)]
    assert [int(line.split()[0]) for line in titles] == list(range(13))
    assert titles[8].strip() == "8  LeaderWrite(leader=r1)"


def test_every_lane_has_a_column() -> None:
    for width, titles in ((80, REPLICA_COLUMNS), (140, ["shared", *REPLICA_COLUMNS])):
        heading, rule, *lines = lines_of(width)
        assert [title.strip() for title in heading.split("│")] == titles
        assert len(rule) <= width
        place = titles.index("replica r2")
        fetched = lines[next(i for i, line in enumerate(lines) if "FollowerFetch" in line) + 1]
        cells = [cell.strip() for cell in fetched.split("│")]
        assert cells[place].startswith("log[r2]:")
        assert not any(cells[:place] + cells[place + 1 :])


def test_changes_read_as_in_the_protocol() -> None:
    text = "\n".join(lines_of(120))
    assert "log[r2]: appended (id 0, epoch 2)" in text
    assert "replica[r1].hw: 0 → 1" in text
    assert "next_leader_epoch: 0 → 1   requests[0].leader: – → r1" in text
    assert "log[r2]: dropped (id 0, epoch 2)" in text


def test_a_narrow_terminal_gets_a_list() -> None:
    lines = lines_of(60)
    assert not any("│" in line for line in lines)
    assert "    log[r2]: appended (id 0, epoch 2)" in lines


def test_whole_states_mark_what_changed() -> None:
    lines = lines_of(100, full=True)
    at = next(index for index, line in enumerate(lines) if "LeaderWrite" in line)
    step = "\n".join(lines[at : at + 8])
    assert "* next_record_id: 1" in step
    assert "  next_leader_epoch: 3" in step
    assert "* log[r1]: ⟨(id 0, epoch 2)⟩" in step


def test_the_failing_part_has_its_witnesses() -> None:
    model, trace = first_try()
    lines = [line.plain for line in render_failure(model, trace, 100)]
    assert lines[0] == "StrongIsr fails in state 12:"
    assert "0 < length(log[r2]) is false" in "\n".join(lines)
    assert "where length(log[r2]) = 0" in "\n".join(lines)
    assert "0 < length(log[r2]) is false" in short_failure(model, trace)


def test_lanes_are_the_first_index_set_or_the_one_named() -> None:
    assert define(Chain()).presentation.lanes is None
    assert str(define(LockServer()).presentation.lanes) == "client(3)"


def finish(protocol: Protocol, properties: tuple[str, ...], depth: int, **options: Any) -> Run:
    model = build(protocol)
    steps = StepsChoice(options.get("steps", "serial"))
    outcome = check(model, Request(properties, depth, steps, "cadical"))
    return run_of(model, outcome, depth, **options)


def run_of(model: Model, outcome: Outcome, depth: int, **options: Any) -> Run:
    return Run(
        engine="bmc",
        definition=model.definition,
        model=model,
        options=options,
        depth=depth,
        solvers=("cadical",),
        outcome=outcome,
        seconds=1.0,
        building_seconds=0.5,
        exit_code=0,
    )


def text_of(run: Run, width: int = 100) -> str:
    return "\n".join(getattr(line, "plain", str(line)) for line in render_run(run, width, full=False))


def test_a_run_as_text() -> None:
    text = text_of(finish(Chain(), ("NeverTop", "StartsLow"), 4))
    assert "NeverTop: VIOLATED in 2 steps (fewest)" in text
    assert "NeverTop fails in state 2:" in text
    assert re.search(r"StartsLow +HOLDS\(4\)", text)
    assert "Deadlocks were not checked" in text


def test_users_never_see_the_words_of_solvers() -> None:
    runs = [
        finish(Chain(), ("NeverTop", "StartsLow"), 4),
        finish(Overflow(), ("Small",), 4),
        finish(SelfLoop(), ("NotAtStart",), 2),
    ]
    for run in runs:
        said = f"{text_of(run)} {as_object(run)}".replace("python-sat", "")
        assert not re.search(r"\b(un)?sat(isfiable)?\b", said, re.IGNORECASE)


def test_a_type_invariant_says_which_action_would_leave_which_sort() -> None:
    text = text_of(finish(Overflow(), ("TypeInvariant",), 5))
    assert "Count() is enabled and would give x a value outside 0..3" in text
    (result,) = as_object(finish(Overflow(), ("TypeInvariant",), 5))["results"]
    (failing,) = result["trace"]["#meta"]["failing"]
    assert failing["says"] == failing["formula"]  # a page must not say of a sentence that it is false


def test_a_violated_initial_state() -> None:
    text = text_of(finish(Chain(), ("NotAtStart",), 2))
    assert "VIOLATED in 0 steps (fewest)" in text
    assert "NotAtStart fails in the initial state:" in text


def test_a_deadlock_property_says_that_nothing_is_enabled() -> None:
    text = text_of(finish(Chain(), ("StuckElsewhere",), 4))
    assert "StuckElsewhere fails in state 2, in which no action is enabled:" in text
    assert "Deadlocks " not in text


def test_an_execution_that_violates_two_properties_is_shown_once() -> None:
    run = finish(Chain(), ("NeverTop",), 4)
    (verdict,) = run.outcome.verdicts
    assert verdict.trace is not None
    other = Verdict("StartsLow", VerdictKind.VIOLATED, 2, 0.0, trace=verdict.trace)
    both = run_of(run.model or build(Chain()), Outcome((verdict, other), (), {}), 4)
    text = text_of(both)
    assert "The execution that violates NeverTop violates it too." in text
    assert text.count("0  initially") == 1


def test_an_action_never_enabled_is_a_warning() -> None:
    model = build(Chain())
    closed = Verdict("StartsLow", VerdictKind.HOLDS, 4, 0.0)
    assert "warning: never enabled within depth 4: Count" in text_of(
        run_of(model, Outcome((closed,), ("Count",), {}), 4)
    )
    stopped = Verdict("StartsLow", VerdictKind.INCONCLUSIVE, 2, 0.0, "interrupted")
    text = text_of(run_of(model, Outcome((stopped,), ("Count",), {}), 4))
    assert "warning" not in text
    assert "Not enabled in any state searched so far: Count" in text


@pytest.mark.parametrize("depth", [0, 1])
def test_no_warning_of_actions_that_a_small_depth_cannot_enable(depth: int) -> None:
    closed = Verdict("StartsLow", VerdictKind.HOLDS, depth, 0.0)
    text = text_of(run_of(build(Chain()), Outcome((closed,), ("Count",), {}), depth))
    assert "warning" not in text
    assert "Not enabled in any state searched so far: Count" in text


def test_what_is_open_behind_a_violation_names_the_violation() -> None:
    verdicts = (
        Verdict("UndefinedRead", VerdictKind.VIOLATED, 0, 0.0),
        Verdict("StartsLow", VerdictKind.INCONCLUSIVE, None, 0.0, f"UndefinedRead{IS_VIOLATED}"),
    )
    text = text_of(run_of(build(Chain()), Outcome(verdicts, (), {}), 4))
    assert "StartsLow is open as long as UndefinedRead is violated" in text
    assert "nothing is known beyond" not in text


@pytest.mark.parametrize(("count", "words"), [(0, "0 steps"), (1, "1 step"), (1200, "1,200 steps")])
def test_a_count_of_one_is_singular(count: int, words: str) -> None:
    assert say_count(count, "step") == words


def test_no_loop_among_one_state() -> None:
    assert "no fair loop among 1 state violates it" in explain_no_loop(1)


def test_a_counterexample_beyond_the_depth_is_explained() -> None:
    run = finish(Chain(), ("NeverTop",), 4)
    text = " ".join(text_of(run_of(build(Chain()), run.outcome, 1)).split())
    assert "The execution shown for NeverTop (2 steps) is longer than --depth 1, because bmc also" in text
    assert "bmc to depth 1," in text
    assert "auto steps" not in text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict("P", VerdictKind.HOLDS, 12, 0.0), "HOLDS(12)"),
        (
            Verdict("P", VerdictKind.INCONCLUSIVE, 7, 0.0, "timeout of 10 s"),
            "INCONCLUSIVE(timeout of 10 s, depth 7 closed)",
        ),
        (
            Verdict("P", VerdictKind.INCONCLUSIVE, 7, 0.0, "timeout of 10 s; p and q seem unbounded"),
            "INCONCLUSIVE(timeout of 10 s; p and q seem unbounded; depth 7 closed)",
        ),
        (
            Verdict("P", VerdictKind.INCONCLUSIVE, None, 0.0, "interrupted"),
            "INCONCLUSIVE(interrupted, no depth closed)",
        ),
        (
            Verdict("P", VerdictKind.INCONCLUSIVE, None, 0.0, "no violation in 200 random executions"),
            "INCONCLUSIVE(no violation in 200 random executions)",
        ),
        (
            Verdict("P", VerdictKind.INCONCLUSIVE, 7, 0.0, LEFT_TO_LIVE),
            "INCONCLUSIVE(temporal: only check and live decide it)",
        ),
        (Verdict("P", VerdictKind.ERROR, 0, 0.0, "contradiction"), "ERROR(contradiction)"),
        (Verdict("P", VerdictKind.PROVED, None, 0.0), "PROVED"),
    ],
)
def test_verdicts_in_words(verdict: Verdict, words: str) -> None:
    assert verdict_text(verdict) == words


def test_whether_a_counterexample_has_the_fewest_actions() -> None:
    trace = Trace("p", "", {}, "P", ({"x": 0}, {"x": 1}), ())
    found = Verdict("P", VerdictKind.VIOLATED, 1, 0.0, trace=trace)
    assert verdict_text(found) == "VIOLATED in 0 steps (maybe not the fewest: --shortest)"
    assert verdict_text(found, shortest=True) == "VIOLATED in 0 steps (maybe not the fewest)"
    step = Verdict("P", VerdictKind.NOT_INDUCTIVE, None, 0.0, "Up() does not keep P", trace=trace)
    assert verdict_text(step) == "NOT_INDUCTIVE(Up() does not keep P)"  # a step is no execution


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_description_fits_and_names_everything(width: int) -> None:
    model = build(load("kip320")())
    about = describe(model.definition, model)
    lines = [getattr(line, "plain", str(line)) for line in render_description(about, width)]
    text = "\n".join(lines)
    assert max(map(len, lines)) <= max(width, 80)
    for group in ("constants", "variables", "actions", "properties"):
        assert all(item["name"] in text for item in about[group])
    assert "interchangeable (checked)" in text
