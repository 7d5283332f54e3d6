"""Exploration: exact counts, shortest traces, limits, and agreement with everything else that counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.support import explicit as slow
from tests.support.command_line import CHAIN, LOCK, verify
from tests.support.models import build
from tests.support.sampling import some_of
from tests.support.tlc import constants_of, read_measured
from tests.support.toys import Chain, LockServer, Lottery, Overflow, SelfLoop, Unreachable
from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, unroll
from verifier.encodings.sorts import Range, Set
from verifier.engines.explore import Exploration, Progress, Request, explore
from verifier.explicit.initial import initial_states
from verifier.explicit.moves import Moves
from verifier.explicit.packing import Rows, unpack
from verifier.processes.limits import Limits
from verifier.solvers import Answer, open_solver
from verifier.specs.built_in import BUILT_IN
from verifier.specs.protocol import IntegerConstant, Protocol, State, Step, action, free, invariant
from verifier.specs.registry import load
from verifier.specs.titles import NO_DEADLOCK
from verifier.system.deadlock import with_deadlock
from verifier.system.model import Model
from verifier.verdict import COMPLETE, VerdictKind

SMALL: Mapping[str, Mapping[str, Any]] = {
    "kafka-async-isr": {"replicas": 2, "max_offset": 1, "max_version": 2},
    "bookkeeper": {"bookies": 2, "write_quorum": 2, "ack_quorum": 1, "losses": "one"},
    "bookkeeper-4-13": {"bookies": 2, "write_quorum": 2, "ack_quorum": 1},
    "pulsar-compaction": {"message_sent_limit": 1, "compaction_times_limit": 2},
    "rabbit-sac": {"queues": 2, "apps": 2},
    "rabbit-sac-restart": {"queues": 2, "apps": 2},
    "exactly-once": {"message_count": 1, "dup_count": 2},
    "exactly-once-atomic": {"max_queue": 1, "max_retry": 1},
}
"""Constants of a small graph; the Kafka protocols beside async-isr share theirs."""
KAFKA = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def _all(model: Model) -> tuple[str, ...]:
    return tuple(prop.name for prop in model.system.properties)


class Storm(Protocol, camel_case=True):
    """Each state leads to each."""

    def state(self) -> State:
        return State(held=Set(Range(1, 12)))

    def init(self, s: Any) -> Any:
        return s.held.is_empty

    @action(some=free("sets"))
    def jump(self, s: Any, some: Any) -> Step:
        return Step(then={s.held: some})

    sets = Set(Range(1, 12))

    @invariant()
    def fine(self, s: Any) -> Any:
        return s.held.cardinality <= 12


def _whole(model: Model, **options: Any) -> Exploration:
    return explore(model, Request(_all(model), keep_going=True, **options))


def _steps(found: Exploration) -> dict[str, int]:
    return {v.property_name: v.steps for v in found.verdicts if v.steps is not None}


def _small(spec: str) -> Model:
    return build(load(spec)(dict(SMALL.get(spec, KAFKA))))


@pytest.mark.parametrize(
    ("protocol", "states", "generated", "depth", "deadlocks", "steps"),
    [
        (Chain(), 3, 3, 2, 1, {"NeverTop": 2, "NotAtStart": 0, "StuckElsewhere": 2, NO_DEADLOCK: 2}),
        (SelfLoop(), 3, 4, 2, 0, {"NeverTop": 2, "NotAtStart": 0}),
        (Unreachable(), 4, 4, 3, 1, {NO_DEADLOCK: 3}),
        # What would leave its sort is not taken, but it is no deadlock either.
        (Overflow(), 4, 4, 3, 0, {"TypeInvariant": 3}),
        # From 8 states without holder 12 times a client asks, 12 times one gets the lock; from 12 with one,
        # 12 times a client asks. Nothing can happen where all others than the holder have asked.
        (LockServer(), 20, 37, 4, 3, {"NotAllAsk": 3, "FirstNeverHolds": 2, NO_DEADLOCK: 4}),
        # From nobody drawn 7 groups; then from 3 singles 3 groups each, from 3 pairs 1 each.
        (Lottery(), 12, 20, 2, 5, {"SomeLeft": 1, NO_DEADLOCK: 1}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Protocol) else None,
)
def test_counts_of_the_toys(
    protocol: Protocol, states: int, generated: int, depth: int, deadlocks: int, steps: Mapping[str, int]
) -> None:
    found = _whole(with_deadlock(build(protocol)))
    counted = found.statistics
    assert (counted["distinct_states"], counted["generated_states"]) == (states, generated)
    assert (counted["depth"], counted["deadlocks"], counted["initial_states"]) == (depth, deadlocks, 1)
    assert counted["complete"]
    assert _steps(found) == steps
    assert all(verdict.fewest for verdict in found.verdicts if verdict.trace)


def test_what_holds_in_the_complete_graph_holds_to_its_depth() -> None:
    (verdict,) = explore(build(Chain()), Request(("StartsLow",))).verdicts
    assert (verdict.kind, verdict.depth, verdict.reason) == (VerdictKind.HOLDS, 2, COMPLETE)


def test_coverage_counts_states_steps_and_what_they_find() -> None:
    found = _whole(build(Unreachable()))
    assert found.statistics["actions"] == {
        "Count": {"enabled": 3, "taken": 3, "found": 3},
        "Never": {"enabled": 0, "taken": 0, "found": 0},
    }
    assert found.never_enabled == ("Never",)


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=3))
def test_agrees_with_the_slow_explorer(spec: str) -> None:
    model = _small(spec)
    found = _whole(model, max_states=60_000)
    if not found.statistics["complete"]:
        pytest.skip("too large for the slow explorer")
    expected = slow.explore(model)
    counted = found.statistics
    assert (counted["distinct_states"], counted["depth"]) == (expected.distinct_states, expected.depth)
    assert {name: counts["taken"] for name, counts in counted["actions"].items()} == {
        **dict.fromkeys(counted["actions"], 0),
        **expected.taken,
    }
    assert _steps(found) == expected.steps


@pytest.mark.parametrize("symmetry", [False, True])
def test_successors_that_are_taken_a_few_at_a_time_are_the_same(
    symmetry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = with_deadlock(_small("kafka-truncate-hw"))
    options = {"symmetry": symmetry, "graph": not symmetry}
    expected = _whole(model, **options)
    monkeypatch.setattr("verifier.engines.explore._SUCCESSORS_AT_ONCE", 3)
    found = _whole(model, **options)
    timed = dict.fromkeys(("states_per_second", "exploring_seconds", "peak_memory_bytes"))
    assert {**found.statistics, **timed} == {**expected.statistics, **timed}
    assert [v.trace for v in found.verdicts] == [v.trace for v in expected.verdicts]
    if found.graph is not None and expected.graph is not None:
        assert np.array_equal(found.graph.rows, expected.graph.rows)
        assert np.array_equal(found.graph.edges, expected.graph.edges)


def test_very_many_successors_are_not_in_memory_at_once() -> None:
    """Each of 4096 states leads to each: at once they took 900 MB."""
    free = psutil.Process().memory_info().rss + (150 << 20)
    found = explore(build(Storm()), Request(("Fine",), limits=Limits(memory=free)))
    assert (found.statistics["generated_states"], found.statistics["complete"]) == (4096**2 + 1, True)
    assert found.statistics["peak_memory_bytes"] < free


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=3))
def test_orbits_have_as_many_states_as_there_are(spec: str) -> None:
    model = with_deadlock(_small(spec))
    plain = _whole(model, max_states=100_000)
    if not plain.statistics["complete"]:
        pytest.skip("too large")
    folded = _whole(model, symmetry=True)
    assert folded.statistics["complete"]
    assert (
        folded.statistics.get("states_in_orbits", plain.statistics["distinct_states"])
        == (plain.statistics["distinct_states"])
    )
    assert folded.statistics["distinct_states"] <= plain.statistics["distinct_states"]
    assert folded.statistics["depth"] == plain.statistics["depth"]
    assert _steps(folded) == _steps(plain)
    assert folded.never_enabled == plain.never_enabled


def _rows() -> Iterator[Any]:
    """Yield TLC's measurements, as test parameters."""
    for row in read_measured():
        constants = ".".join(str(value) for value in row["constants"].values())
        # The families' own tests compare their rows in the quick tests.
        marks = [pytest.mark.thorough] if "bookkeeper" in row["spec"] or "kip" in row["spec"] else []
        words = f"{row['spec']}-{constants}-{'+'.join(row['properties'])}"
        yield pytest.param(row, id=words, marks=marks)


@pytest.mark.parametrize("row", list(_rows()))
def test_agrees_with_the_measured_rows(row: dict[str, Any]) -> None:
    if row["spec"] not in BUILT_IN:
        pytest.skip("not built in")
    model = with_deadlock(build(load(row["spec"])(constants_of(row))))
    properties = (NO_DEADLOCK,) if row["verdict"] == "deadlock" else tuple(row["properties"])
    found = explore(model, Request(properties, symmetry=row["symmetry"]))
    steps = _steps(found)
    if row["verdict"] == "holds":
        counted = found.statistics
        assert not steps.keys() & set(properties)
        assert (counted["complete"], counted["depth"]) == (True, row["depth_levels"] - 1)
        assert (counted["distinct_states"], counted["initial_states"]) == (
            row["distinct_states"],
            row["initial_states"],
        )
        # TLC counts a state once for every witness of a quantifier inside an action; we do not.
        assert counted["generated_states"] <= row["generated_states"]
        if row["spec"] in {"kafka-truncate-hw", "kip101", "kafka-async-isr", "rabbit-sac", "exactly-once"}:
            assert counted["generated_states"] == row["generated_states"]
    else:
        assert min(steps[name] for name in properties if name in steps) == row["shortest_states"] - 1


def _after_exactly(model: Model, count: int) -> list[set[tuple[bool, ...]]]:
    """The states at the end of executions of exactly 0, 1, … actions, by evaluation."""
    moves, bits = Moves(model), len(model.system.bits)
    rows: Rows = initial_states(model.system)
    result = [{tuple(unpack(row, bits)) for row in rows}]
    for _ in range(count):
        found = [
            step.rows
            for first in range(0, len(rows), moves.chunk())
            for step in moves.successors(moves.look(rows[first : first + moves.chunk()]))
        ]
        rows = np.unique(np.concatenate(found), axis=0) if found else rows[:0]
        result.append({tuple(unpack(row, bits)) for row in rows})
    return result


def _solve_levels(model: Model, count: int, most: int) -> Iterator[set[tuple[bool, ...]]]:
    """Return the states after some actions by a solver, one state at a time; end if there are too many."""
    unrolled = unroll(model.system, Steps.SERIAL, symmetry=False)
    solver = open_solver("cadical")
    variables = FrameVariables(unrolled)
    solver.add_clauses(unrolled.start)
    solver.add_clauses(unrolled.state)
    for depth in range(count + 1):
        variables.open_frame()
        if depth:
            solver.add_clauses(variables.place_clauses(unrolled.relation, depth - 1))
            solver.add_clauses(variables.place_clauses(unrolled.state, depth))
        bits = [variables.at(bit, depth) for bit in range(1, unrolled.bits + 1)]
        guard = variables.fresh()
        found: set[tuple[bool, ...]] = set()
        while solver.solve([guard]) is Answer.SATISFIABLE:
            state = tuple(solver.value(bit) for bit in bits)
            found.add(state)
            if len(found) > most:
                return
            differs = [-v if on else v for v, on in zip(bits, state, strict=True)]
            solver.add_clauses([[-guard, *differs]])
        yield found


@pytest.mark.parametrize("spec", some_of(BUILT_IN, every=3))
def test_states_after_exactly_k_actions_are_those_the_solver_enumerates(spec: str) -> None:
    model = _small(spec)
    reached = _after_exactly(model, 6)
    compared = 0
    for evaluated, solved in zip(reached, _solve_levels(model, 6, most=2000), strict=False):
        assert evaluated == solved
        compared += 1
    assert compared >= 3
    assert compared == 7 or len(reached[compared]) > 2000


class Bounded(Protocol, camel_case=True):
    """Counts up by one or two; beyond the constraint nothing happens."""

    top = IntegerConstant(4)

    def state(self) -> State:
        return State(x=Range(0, 9))

    def init(self, s: Any) -> Any:
        return s.x == 0

    @action()
    def one(self, s: Any) -> Step:
        return Step(when=[], then={s.x: s.x + 1})

    @action()
    def two(self, s: Any) -> Step:
        return Step(when=[], then={s.x: s.x + 2})

    def constraint(self, s: Any) -> Any:
        return s.x <= self.top

    @invariant()
    def never_six(self, s: Any) -> Any:
        return s.x != 6


def test_states_beyond_the_constraint_are_checked_but_not_counted() -> None:
    found = _whole(with_deadlock(build(Bounded())))
    counted = found.statistics
    assert (counted["distinct_states"], counted["states_beyond_constraint"], counted["depth"]) == (5, 2, 2)
    assert (counted["generated_states"], counted["deadlocks"]) == (11, 0)
    assert _steps(found) == {"NeverSix": 3}


def _inconclusive(found: Exploration, reason: str) -> int:
    assert {verdict.kind for verdict in found.verdicts} == {VerdictKind.INCONCLUSIVE}
    assert all(reason in str(verdict.reason) for verdict in found.verdicts)
    assert not found.statistics["complete"]
    (depth,) = {verdict.depth for verdict in found.verdicts}
    assert depth is not None
    return depth


KIP320 = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}


def test_limits_end_it_with_the_depth_that_was_closed() -> None:
    model, asked = build(load("kip320")(KIP320)), ("TypeOk", "StrongIsr")
    whole = explore(model, Request(asked)).statistics
    states = _inconclusive(explore(model, Request(asked, max_states=500)), "more than 500 states")
    assert 3 < states < whole["depth"]
    timed = explore(model, Request(asked, limits=Limits(seconds=1e-9)))
    assert {verdict.depth for verdict in timed.verdicts} == {None}
    assert "timeout" in str(timed.verdicts[0].reason)
    starved = explore(model, Request(asked, limits=Limits(memory=1000)))
    assert "memory limit" in str(starved.verdicts[0].reason)


def test_only_whole_levels_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(load("kip320")(KIP320))
    whole = explore(model, Request(("TypeOk",))).statistics["levels"]
    monkeypatch.setattr(Moves, "chunk", lambda moves: 16)
    for most in range(500, 1500, 100):
        levels = explore(model, Request(("TypeOk",), max_states=most)).statistics["levels"]
        assert 3 < len(levels) < len(whole)
        assert levels == whole[: len(levels)]


def test_a_depth_asked_for_is_closed_and_no_more() -> None:
    found = explore(build(Chain({"top": 5})), Request(("StartsLow", "NeverTop"), max_depth=4))
    assert [(verdict.kind, verdict.depth, verdict.reason) for verdict in found.verdicts] == [
        (VerdictKind.HOLDS, 4, None),
        (VerdictKind.HOLDS, 4, None),
    ]
    assert not found.statistics["complete"]
    assert explore(build(Chain()), Request(("StartsLow",), max_depth=2)).statistics["complete"]


def test_an_interrupt_keeps_what_was_found() -> None:
    def interrupt(news: Progress) -> None:
        if news.depth == 8 and news.violated is None:
            raise KeyboardInterrupt

    model = build(load("kafka-truncate-hw")(KIP320))
    found = explore(model, Request(("TypeOk", "WeakIsr")), interrupt)
    kinds = {verdict.property_name: verdict.kind for verdict in found.verdicts}
    assert kinds == {"TypeOk": VerdictKind.INCONCLUSIVE, "WeakIsr": VerdictKind.VIOLATED}
    assert "interrupted" in str(found.verdicts[0].reason)
    assert found.verdicts[0].depth == 8


def test_it_ends_when_all_asked_for_is_violated_unless_told_to_go_on() -> None:
    model = build(Chain({"top": 5}))
    assert explore(model, Request(("NotAtStart",))).statistics["distinct_states"] == 2
    assert explore(model, Request(("NotAtStart",), keep_going=True)).statistics["distinct_states"] == 6


def test_the_command_prints_what_scripts_rely_on() -> None:
    done = verify("explore", LOCK, "--format", "json", "--property", "all", "--deadlock")
    assert done.exit_code == 10
    result = json.loads(done.stdout)
    assert (result["engine"], result["exit_code"]) == ("explore", 10)
    kinds = {item["property"]: (item["verdict"], item["steps"]) for item in result["results"]}
    assert kinds["NotAllAsk"] == ("VIOLATED", 3)
    assert kinds["HolderWaitsNoMore"] == ("HOLDS", None)
    wanted = {"distinct_states", "generated_states", "depth", "initial_states", "deadlocks", "actions"}
    assert wanted | {"states_per_second", "complete"} <= result["statistics"].keys()
    assert result["statistics"]["actions"]["Ask"] == {"enabled": 16, "taken": 24, "found": 16}


def test_a_deadlock_has_its_own_exit_code_and_replays(tmp_path: Path) -> None:
    trace = tmp_path / "stuck.itf.json"
    for engine in (("explore",), ("bmc", "--depth", "3", "--solver", "cadical")):
        arguments = (CHAIN, "--property", "StartsLow", "--deadlock", "--trace-out", str(trace))
        done = verify(*engine, *arguments)
        assert done.exit_code == 13, done.output
        assert "in which no action is enabled" in done.stdout
        replayed = verify("replay", str(trace), "--spec", CHAIN)
        assert replayed.exit_code == 0, replayed.output
        assert verify(*engine, *arguments, "--expect", "NoDeadlock=violated").exit_code == 0
        assert verify(*engine, CHAIN, "--property", "StartsLow", "--expect", "holds").exit_code == 0
    said = verify("explore", CHAIN, "--property", "StartsLow").stdout
    assert "1 state has no enabled action. Deadlocks count as violations only with --deadlock." in said


def test_a_graph_has_every_state_and_step(tmp_path: Path) -> None:
    for name, state, step in (
        ("g.dot", "holder = ", " -> "),
        ("g.graphml", "<node ", "<edge "),
        ("g.json", "holder = ", '"tail"'),
    ):
        path = tmp_path / name
        done = verify("explore", LOCK, "--graph", str(path), "--property", "HolderWaitsNoMore")
        assert done.exit_code == 0, done.output
        text = path.read_text(encoding="utf-8")
        assert (text.count(state), text.count(step)) == (20, 36)
    assert verify("explore", LOCK, "--graph", str(tmp_path / "g.png")).exit_code == 2


def test_symmetry_is_said_and_the_states_are_counted() -> None:
    done = verify("explore", LOCK, "--symmetry", "--property", "HolderWaitsNoMore")
    assert done.exit_code == 0
    assert "up to 2 permutations" in done.stdout
    assert "classes of states" in done.stdout
