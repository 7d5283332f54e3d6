"""A bounded search guesses sorts from executions within its depth, and its verdicts are right beyond."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import specify_module
from verifier.runs.modules import refining
from verifier.tla.translate.sampling import Sample, sample
from verifier.tla.translate.translation import start_translation

CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"
QUEUE = """EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Next == \\/ \\E x \\in 1..3 : q' = Append(q, x)
        \\/ q # <<>> /\\ q' = Tail(q)
"""
LATE = """EXTENDS Naturals, Sequences
VARIABLES x, y
Init == x = [p \\in 1..4 |-> 0] /\\ y = 0
Work(p) == x[p] < 2 /\\ x' = [x EXCEPT ![p] = @ + 1] /\\ UNCHANGED y
Finish == (\\A p \\in 1..4 : x[p] = 2) /\\ y' = 100 /\\ UNCHANGED x
Next == Finish \\/ \\E p \\in 1..4 : Work(p)
Unfinished == y < 100
Other == y # 55
"""


def _sample_queue(folder: Path, depth: int | None) -> Sample:
    return sample(specify_module(folder, QUEUE, CONFIG), depth=depth)


def test_the_sample_ends_one_step_beyond_the_depth(tmp_path: Path) -> None:
    for depth in (0, 1, 4):
        first = _sample_queue(tmp_path, depth)
        lengths = [len(q) for (q,) in first.states if isinstance(q, tuple)]
        assert first.closed
        assert not first.complete
        assert max(lengths) == depth + 1
        assert len(first.states) == sum(3**length for length in range(depth + 2))


def test_without_a_depth_or_with_many_states_the_sample_is_as_large_as_it_may_be(tmp_path: Path) -> None:
    for depth in (None, 9):
        first = _sample_queue(tmp_path, depth)
        assert not first.closed
        assert len(first.states) > 2_000


def test_sorts_of_a_queue_are_as_long_as_the_depth_needs(tmp_path: Path) -> None:
    rows = start_translation(specify_module(tmp_path, QUEUE, CONFIG), depth=4).shapes["q"].rows
    assert rows is not None
    assert len(rows.items) == 5


def _run_late(folder: Path, body: str, *options: str) -> str:
    (folder / "Late.tla").write_text(f"---- MODULE Late ----\n{body}====\n")
    (folder / "Late.cfg").write_text(f"{CONFIG}INVARIANTS Unfinished Other\n")
    return verify("bmc", str(folder / "Late.tla"), "--by", "translation", *options).output


@pytest.mark.parametrize("steps", ["auto", "parallel"])
def test_parallel_steps_that_leave_the_sorts_find_violations_beyond_the_depth(
    steps: str, tmp_path: Path
) -> None:
    """Eight actions in two parallel steps lead to the step that assigns a value that no state within the
    depth has."""
    output = _run_late(tmp_path, LATE, "--depth", "4", "--steps", steps)
    assert "starting again with y widened" in output
    assert "VIOLATED in 9 steps, beyond the depth of 4 asked for" in output
    assert "no execution of at most 4 actions violates Other" in output


def test_serial_steps_look_no_further_than_the_depth(tmp_path: Path) -> None:
    output = _run_late(tmp_path, LATE, "--depth", "4", "--steps", "serial")
    assert "starting again" not in output
    assert "HOLDS(4): no execution of at most 4 actions violates these properties" in output


def test_a_violation_within_the_depth_is_found_in_sorts_of_the_depth(tmp_path: Path) -> None:
    output = _run_late(tmp_path, LATE, "--depth", "9", "--shortest")
    assert "Unfinished: VIOLATED in 9 steps (fewest)" in output


def test_an_expression_without_a_value_beyond_the_depth_is_no_error(tmp_path: Path) -> None:
    """The state that leaves the sorts has no value for an invariant; the depth is decided all the same."""
    late = LATE.replace("Finish ==", "Same == UNCHANGED <<x, y>>\nFinish ==")
    late = late.replace("y < 100", "(IF \\A p \\in 1..4 : x[p] = 2 THEN Head(<<>>) ELSE y) < 100")
    output = _run_late(tmp_path, late, "--depth", "4")
    assert "HOLDS(4): no execution of at most 4 actions violates these properties" in output


def test_widening_beyond_the_depth_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "has_rounds_left", lambda asked, leaving, number: False)
    output = _run_late(tmp_path, LATE, "--depth", "4")
    assert "HOLDS(4): no execution of at most 4 actions violates these properties" in output
