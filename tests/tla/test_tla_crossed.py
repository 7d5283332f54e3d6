"""Random modules with every combination of CONSTRAINT, ACTION_CONSTRAINT, VIEW, SYMMETRY and ALIAS."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.tla_mixed_checking import find_differences
from tests.support.tla_mixed_modules import draw_module
from verifier.outcomes.run import Run
from verifier.runs.modules.verdicts import ClosedDepths
from verifier.trust.trace import ActionTaken, Trace
from verifier.verdict import Verdict, VerdictKind


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [700_002, 700_011, *range(700_032, 700_048)])
def test_engines_say_what_the_interpreter_says(seed: int, tmp_path: Path) -> None:
    made = draw_module(seed, crossed=True)
    assert find_differences(tmp_path, made, ("explore", "bmc", "prove"), None, Counter()) == []


@pytest.mark.thorough
def test_32_seeds_have_every_combination() -> None:
    words = ("CONSTRAINT W", "ACTION_CONSTRAINT", "VIEW", "SYMMETRY", "ALIAS")
    configs = [f"\n{draw_module(seed, crossed=True).config}" for seed in range(32)]
    assert len({tuple(f"\n{word}" in config for word in words) for config in configs}) == 32


@pytest.mark.parametrize(
    ("depth", "steps", "known"), [(0, 0, {}), (3, 3, {}), (2, 3, {"Two": 2}), (5, 3, {})]
)
def test_no_depth_is_closed_at_which_something_has_no_value(
    depth: int, steps: int, known: dict[str, int]
) -> None:
    """The prover ended with an internal error where it closed such a depth for another property."""
    taken = tuple(ActionTaken("Next", {}) for _ in range(steps))
    trace = Trace("M", "", {}, "UndefinedRead", tuple({"x": 0} for _ in range(steps + 1)), taken)
    leaving = Verdict("UndefinedRead", VerdictKind.VIOLATED, steps, 0.0, trace=trace)
    two = Verdict("Two", VerdictKind.INCONCLUSIVE, depth, 0.0, "UndefinedRead is violated")
    closed = ClosedDepths(("Two",))
    closed.add(cast(Run, SimpleNamespace(outcome=SimpleNamespace(verdicts=(two, leaving)))), leaving)
    assert closed.depths == known
