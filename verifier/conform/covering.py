"""The coverage of executions and of logs: its counts, made from a specification and from verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.conform.coverage import Coverage
from verifier.conform.machine import Machine
from verifier.conform.outcome import LogVerdict


def empty_coverage(machine: Machine) -> Coverage:
    """Return the coverage of no step."""
    parts = (part for action in machine.actions for part in machine.parts(action))
    return Coverage(dict.fromkeys(machine.actions, 0), dict.fromkeys(parts, 0))


def cover_steps(machine: Machine, steps: Iterable[tuple[Any, str, Any]]) -> Coverage:
    """Return the coverage of an execution: each step with the state before, its action and parameters."""
    coverage = empty_coverage(machine)
    for state, action, given in steps:
        coverage.count_step(action, machine.true_parts(state, action, given))
    return coverage


def join_coverage(verdicts: Iterable[LogVerdict]) -> Coverage | None:
    """Return the coverage of all accepted logs; None if there is none."""
    coverage: Coverage | None = None
    for one in verdicts:
        if one.coverage is not None:
            coverage = coverage or Coverage(
                dict.fromkeys(one.coverage.actions, 0), dict.fromkeys(one.coverage.parts, 0)
            )
            coverage.add(one.coverage)
    return coverage
