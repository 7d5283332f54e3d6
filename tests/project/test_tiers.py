"""The tiers of tests: what `make check`, `make test`, `make quick`, `make thorough` and `make slow` run."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.support.command_line import ROOT
from tests.support.tiers import TESTS, TIERS, Tiers

TEST = ("tla/test_x.py", "test_one")


def test_each_entry_names_a_test_that_exists() -> None:
    tiers = Tiers.read()
    defined = {
        (path.relative_to(TESTS).as_posix(), node.name)
        for path in TESTS.glob("*/test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert (set(tiers.cases) | tiers.checked) - defined == set()
    assert all(count >= 0 for count in tiers.cases.values())
    assert tiers.left_out <= {path for path, _ in defined}


def test_check_is_small_and_touches_every_room() -> None:
    tiers = Tiers.read()
    assert 100 <= len(tiers.checked) <= 150
    rooms = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert {path.partition("/")[0] for path, _ in tiers.checked} == rooms
    assert not [test for test in tiers.checked if tiers.cases.get(test) == 0]


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("own", [set(), {"thorough"}, {"slow"}], ids=str)
@pytest.mark.parametrize("cases", [{}, {TEST: 0}, {TEST: 2}], ids=["all", "none", "two"])
@pytest.mark.parametrize("left_out", [frozenset[str](), frozenset([TEST[0]])], ids=["whole", "left out"])
@pytest.mark.parametrize("checked", [frozenset[tuple[str, str]](), frozenset([TEST])], ids=len)
def test_no_case_that_runs_is_left_out_before(
    tier: str,
    own: set[str],
    cases: dict[tuple[str, str], int],
    left_out: frozenset[str],
    checked: frozenset[tuple[str, str]],
) -> None:
    """Marks of a test are known before its cases; cases may have more."""
    tiers = Tiers(left_out, checked, cases)
    further: list[set[str]] = [set(), {"thorough"}, {"slow"}]
    runs = any(tiers.runs(tier, own | more, TEST, place) for more in further for place in range(3))
    assert not runs or tiers.may_run(tier, own, TEST)


@pytest.mark.parametrize(
    ("marks", "place", "runs"),
    [
        (set(), 0, {"check", "test", "quick"}),
        (set(), 1, {"test", "quick"}),
        (set(), 2, {"thorough"}),
        ({"validation"}, 0, {"check", "test", "quick"}),
        ({"thorough"}, 0, {"thorough"}),
        ({"slow"}, 0, {"slow"}),
        ({"slow", "thorough"}, 0, {"slow"}),
    ],
)
def test_a_case_belongs_to_tiers(marks: set[str], place: int, runs: set[str]) -> None:
    tiers = Tiers(frozenset(), frozenset([TEST]), {TEST: 2})
    assert {tier for tier in TIERS if tiers.runs(tier, marks, TEST, place)} == runs


@pytest.mark.parametrize("checked", [True, False])
def test_of_a_file_that_is_left_out_only_the_checked_tests_are_run(checked: bool) -> None:
    tiers = Tiers(frozenset([TEST[0]]), frozenset([TEST][: int(checked)]))
    ran = [{tier for tier in TIERS if tiers.runs(tier, set(), TEST, place)} for place in range(2)]
    first = {"check", "test", "quick"} if checked else {"quick", "thorough"}
    assert ran == [first, {"quick", "thorough"}]


def test_no_case_is_left_out_of_all_tiers() -> None:
    tiers = Tiers.read()
    for test in [TEST, *tiers.cases, *tiers.checked, *((path, "test_x") for path in tiers.left_out)]:
        for marks in (set[str](), {"thorough"}, {"slow"}):
            for place in range(3):
                covered = [tiers.runs(tier, marks, test, place) for tier in ("test", "thorough", "slow")]
                assert covered.count(True) == 1


def test_pytest_runs_the_tests_of_a_tier() -> None:
    ran = _run_pytest("--tier", "check", "--collect-only", "-q", "tests/solvers", "tests/clauses")
    found = {line.partition("[")[0] for line in ran.stdout.splitlines() if "::" in line}
    rooms = ("solvers/", "clauses/")
    expected = [f"tests/{path}::{name}" for path, name in Tiers.read().checked if path.startswith(rooms)]
    assert found == set(expected) != set()


def test_an_unknown_tier_is_refused() -> None:
    done = _run_pytest("--tier", "all")
    assert done.returncode == 4
    assert "choose from" in done.stderr


def _run_pytest(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
