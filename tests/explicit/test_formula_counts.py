"""The counts of guards and premises, beside a count state by state."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from tests.support.command_line import LOCK, verify, wrong
from tests.support.level_search import everything
from tests.support.models import build
from tests.support.naive import Naive
from tests.support.random_protocols import random_protocol
from tests.support.sampling import rest_slow
from tests.support.toys import LockServer, Lottery
from verifier.encodings.plain_terms import Environment, Undefined, values_of
from verifier.encodings.printing import text
from verifier.encodings.terms import Term, conjuncts
from verifier.engines.explore import explore
from verifier.explicit.guard_counts import _LONGEST
from verifier.specs.protocol import Protocol
from verifier.specs.registry import load

Counts = Counter[tuple[str, str]]


def count_naively(naive: Naive, states: list[tuple[object, ...]]) -> tuple[Counts, Counts]:
    """Count the conjuncts of guards that are evaluated and are true, by action and text."""
    evaluated, true = Counts(), Counts()
    for state in states:
        e = naive.environment(state)
        try:
            within = naive.within(e)
        except Undefined:
            continue
        for action in naive.definition.actions if within else ():
            fixed = [one.symbol for one in action.parameters if not one.free]
            free = [one.symbol for one in action.parameters if one.free]
            for given in product(*(list(values_of(symbol.sort)) for symbol in fixed)):
                left = [
                    {**e, **dict(zip((*fixed, *free), (*given, *chosen), strict=True))}
                    for chosen in product(*(list(values_of(symbol.sort)) for symbol in free))
                ]
                for term in (part for line in action.when for part in conjuncts(line)):
                    key = action.name, text(term, {}, 0, _LONGEST)
                    evaluated[key] += bool(left)
                    left = [one for one in left if is_true(naive, term, one)]
                    true[key] += bool(left)
    return evaluated, true


def is_true(naive: Naive, term: Term, environment: Environment) -> bool:
    """True if a formula has a value, and is true."""
    try:
        return bool(naive.read(term)(environment))
    except Undefined:
        return False


def compare(protocol: Protocol) -> int:
    """Compare the counts of a protocol, and return the number of its formulas."""
    model = build(protocol)
    explored = explore(model, everything(model, coverage=True))
    naive = Naive(model.definition)
    found = naive.explore(20_000, 40)
    assert found.complete
    evaluated, true = count_naively(naive, [state for level in found.levels for state in level])
    guards = {action.name for action in model.definition.actions}
    counts = [one for one in explored.statistics["coverage"] if one["owner"] in guards]
    for one in counts:
        key = one["owner"], one["formula"]
        assert (one["evaluated"], one["true"]) == (evaluated[key], true[key]), key
    assert evaluated.keys() <= {(one["owner"], one["formula"]) for one in counts}
    return len(counts)


@pytest.mark.parametrize("seed", rest_slow(range(60), 6))
def test_guards_of_random_protocols(seed: int) -> None:
    compare(random_protocol(seed)[1])


@pytest.mark.parametrize("protocol", [LockServer, Lottery])
def test_guards_of_protocols(protocol: type[Protocol]) -> None:
    assert compare(protocol()) > 0


def test_the_last_conjunct_is_true_for_each_step() -> None:
    model = build(load("kip320")({"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}))
    figures = explore(model, everything(model, coverage=True)).statistics
    last = {one["owner"]: one["true"] for one in figures["coverage"]}
    taken = {name: counts["taken"] for name, counts in figures["actions"].items()}
    assert {name: last[name] for name in taken} == taken
    assert sum(taken.values()) + figures["initial_states"] == figures["generated_states"]


def test_premises_of_invariants() -> None:
    model = build(load("kip320")({"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 0}))
    figures = explore(model, everything(model, coverage=True)).statistics
    premises = {
        one["formula"]: (one["evaluated"], one["true"])
        for one in figures["coverage"]
        if one["owner"] == "StrongIsr"
    }
    replicas = 2 * figures["distinct_states"]
    evaluated, true = premises["replica[leader].leader = leader"]
    assert evaluated == replicas
    assert 0 < true < replicas
    assert premises["member ∈ quorum.isr"][0] == 2 * true


VACUOUS = """
from verifier.encodings.declared import Formula, variable
from verifier.encodings.sorts import Range
from verifier.specs.protocol import Protocol, State, Step, action, invariant


class CounterState(State):
    def __init__(self, counter: "Counter") -> None:
        self.count = variable(Range(0, 4))


class Counter(Protocol):
    def state(self) -> CounterState:
        return CounterState(self)

    def init(self, s: CounterState) -> Formula:
        return s.count == 0

    @action()
    def up(self, s: CounterState) -> Step:
        return Step(when=[s.count < 3], then={s.count: s.count + 1})

    @invariant()
    def never(self, s: CounterState) -> Formula:
        return (s.count == 4).implies(s.count == 0)

    @invariant()
    def at_times(self, s: CounterState) -> Formula:
        return (s.count == 3).implies(s.count > 0)
"""


def test_a_check_names_vacuous_properties(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(VACUOUS)
    explored, checked = (
        json.loads(verify(engine, str(path), "--coverage", "--format", "json").stdout)["statistics"]
        for engine in ("explore", "check")
    )
    for name in ("coverage", "vacuous", "sources"):
        assert explored[name] == checked[name]
    (vacuous,) = checked["vacuous"]
    line = VACUOUS.splitlines().index("    def never(self, s: CounterState) -> Formula:") + 1
    assert vacuous["property"] == "never"
    assert vacuous["place"].endswith(f"counter.py, line {line}")
    assert {one["first_line"]: one["text"].split("(")[0].strip() for one in checked["sources"]} == {
        line - 4: "def up",
        line: "def never",
        line + 4: "def at_times",
    }
    printed = " ".join(verify("check", str(path), "--coverage").stdout.split())
    assert "warning: never may hold vacuously: its premise count = 4 is never true" in printed


def test_executions_count_each_state_that_they_visit() -> None:
    words = ("simulate", "kip101", "--coverage", "--walks", "30", "--depth", "6", "--property", "none")
    figures = json.loads(verify(*words, "--format", "json").stdout)["statistics"]
    first = {one["owner"]: one for one in reversed(figures["coverage"])}
    visited = figures["walks"] + figures["steps"]
    assert first["LeaderWrite"]["evaluated"] == 3 * visited
    last = {one["owner"]: one["true"] for one in figures["coverage"]}
    assert last["LeaderWrite"] >= figures["actions"]["LeaderWrite"]["enabled"]


def test_what_does_not_go_with_coverage() -> None:
    assert "goes without --coverage" in wrong("simulate", LOCK, "--coverage", "--guided")
    for other in ("--find-bugs", "--no-explore"):
        assert "--coverage explores" in wrong("check", LOCK, "--coverage", other)


def test_coverage_is_printed_and_needs_one_process() -> None:
    printed = verify("explore", LOCK, "--coverage").stdout
    assert "evaluated" in printed
    assert "--coverage counts in one process" in wrong("explore", LOCK, "--coverage", "--workers", "2")
