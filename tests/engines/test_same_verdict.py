"""A command has one verdict, whichever of two searches is faster.

Parallel steps see executions with more actions than ``--depth``. Those decide nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tests.engines.test_random_systems import NAMES, RandomProtocol
from tests.support.explicit import explore
from tests.support.models import build
from tests.support.sampling import first_of
from verifier.clauses.action_limit import ActionLimit, exclusive_groups
from verifier.clauses.frame_variables import FrameVariables
from verifier.clauses.unrolling import Steps, unroll
from verifier.engines import bmc, bounded_search
from verifier.engines.bmc import Request, check
from verifier.engines.choices import StepsChoice
from verifier.solvers import open_solver, satisfiable
from verifier.specs.registry import load
from verifier.verdict import VerdictKind


def _slowly(steps: Steps | None, seconds: float = 0.2) -> Callable[..., None]:
    """A search that, if it takes these steps, waits so long before each report."""

    def search(system: Any, task: Any, report: Callable[[Any], None], *rest: Any) -> None:
        def late(event: Any) -> None:
            if task.steps is steps:
                time.sleep(seconds)
            report(event)

        bounded_search.search(system, task, late, *rest)

    return search


@pytest.mark.parametrize("slow", [None, Steps.SERIAL, Steps.PARALLEL])
@pytest.mark.parametrize(
    ("spec", "constants", "name", "depth", "kind"),
    [
        ("kip101", {"replicas": 2, "log_size": 1, "max_records": 1}, "WeakIsr", 9, None),
        *first_of(
            [
                ("kafka-truncate-hw", {}, "WeakIsr", 5, VerdictKind.HOLDS),
                ("kafka-truncate-hw", {}, "WeakIsr", 7, VerdictKind.HOLDS),
                ("kafka-truncate-hw", {}, "WeakIsr", 8, VerdictKind.VIOLATED),
                ("kip101", {}, "WeakIsr", 6, VerdictKind.HOLDS),
                ("kip101", {}, "WeakIsr", 8, VerdictKind.HOLDS),
            ],
            1,
        ),
    ],
)
def test_speed_decides_nothing(
    spec: str,
    constants: dict[str, Any],
    name: str,
    depth: int,
    kind: VerdictKind | None,
    slow: Steps | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = build(load(spec)(constants))
    if kind is None:
        fewest = explore(model).steps.get(name, depth + 1)
        kind = VerdictKind.HOLDS if fewest > depth else VerdictKind.VIOLATED
    monkeypatch.setattr(bmc, "search", _slowly(slow))
    verdict = next(v for v in check(model, Request((name,), depth)).verdicts if v.property_name == name)
    assert verdict.kind is kind
    assert verdict.steps is None or verdict.steps <= depth
    assert verdict.depth == depth or kind is VerdictKind.VIOLATED


@pytest.mark.parametrize("rules", first_of(range(25), 5))
def test_parallel_steps_alone_hold_and_fail_by_the_depth(rules: int) -> None:
    model = build(RandomProtocol({"rules": rules}))
    fewest = explore(model).steps
    for depth in (0, 1, 2, 3, 5):
        request = Request(NAMES, depth, StepsChoice.PARALLEL, "cadical")
        for verdict in check(model, request).verdicts:
            if verdict.property_name in NAMES:
                within = fewest.get(verdict.property_name, depth + 1) <= depth
                assert verdict.kind is (VerdictKind.VIOLATED if within else VerdictKind.HOLDS)
                assert verdict.steps is None or verdict.steps <= depth


@pytest.mark.parametrize("rules", first_of(range(8), 2))
def test_what_is_enabled_is_enabled_within_the_depth(rules: int) -> None:
    model = build(RandomProtocol({"rules": rules}))
    for depth in (1, 2, 3):
        known = {
            steps: check(model, Request(("TypeInvariant",), depth, steps, "cadical")).never_enabled
            for steps in (StepsChoice.SERIAL, StepsChoice.PARALLEL, StepsChoice.AUTO)
        }
        assert len(set(known.values())) == 1, (depth, known)


@pytest.mark.thorough
@pytest.mark.parametrize("slow", [None, Steps.SERIAL, Steps.PARALLEL])
def test_an_action_that_matters_is_looked_for_to_the_depth(
    slow: Steps | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A violation alone would end the search before, or after, it is seen: whichever search is faster."""
    monkeypatch.setattr(bmc, "search", _slowly(slow, 0.05))  # the other takes milliseconds
    for rules in range(6):
        model = build(RandomProtocol({"rules": rules}))
        actions = tuple(action.name for action in model.definition.actions)
        request = Request(NAMES, 4, solver="cadical", awaited=actions)
        everything = Request(("TypeInvariant",), 4, StepsChoice.SERIAL, "cadical")
        assert check(model, request).never_enabled == check(model, everything).never_enabled


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_the_limit_counts_every_action(most: int) -> None:
    """Of random choices what fires in three frames, those are allowed that are at most so many."""
    model = build(load("kafka-truncate-hw")({"replicas": 2, "log_size": 1, "max_records": 1}))
    instances = model.system.instances
    groups = exclusive_groups(instances)
    assert sorted(index for group in groups for index in group) == list(range(len(instances)))
    for group in groups:
        shared = frozenset.intersection(*(frozenset(instances[index].writes) for index in group))
        assert shared or len(group) == 1
    unrolling = unroll(model.system, Steps.PARALLEL, symmetry=False)
    variables = FrameVariables(unrolling, 3)
    solver = open_solver("cadical")
    limit = ActionLimit(most, groups, unrolling.firing, variables)
    for frame in range(3):
        solver.add_clauses(limit.frame(frame))
    counts = list(product(range(3), repeat=3))
    for count in counts:
        firing = []
        for frame, number in enumerate(count):
            for place, group in enumerate(groups):
                fires = group[0] if place < number else None
                for index in group:
                    literal = variables.at(unrolling.firing[index], frame)
                    firing.append(literal if index == fires else -literal)
        assert satisfiable(solver, [*firing, limit.kept]) == (sum(count) <= most)
        assert satisfiable(solver, firing)
    solver.close()
