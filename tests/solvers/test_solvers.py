"""Every solver against brute force, on small random clause sets that grow between queries."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Sequence

import pytest

from verifier.errors import UsageError, make_unknown_name_error
from verifier.solvers import (
    DEFAULT_SOLVER,
    SOLVER_NAMES,
    Answer,
    ClauseSolver,
    open_solver,
    solver_version,
)
from verifier.solvers.solver_names import BACKENDS

Assignment = tuple[bool, ...]


def satisfies(assignment: Assignment, literal: int, base: int) -> bool:
    return assignment[abs(literal) - 1 - base] == (literal > 0)


def random_literals(rng: random.Random, count: int, size: int, base: int) -> list[int]:
    return [rng.choice((1, -1)) * (base + rng.randint(1, size)) for _ in range(count)]


def check_answer(
    solver: ClauseSolver,
    clauses: Sequence[Sequence[int]],
    models: Sequence[Assignment],
    assumed: Sequence[int],
    base: int,
) -> None:
    """Compare one query with the list of all models of the clauses."""
    expected = [m for m in models if all(satisfies(m, literal, base) for literal in assumed)]
    answer = solver.solve(assumed)
    if expected:
        assert answer is Answer.SATISFIABLE
        for clause in clauses:
            assert any(solver.value(abs(literal)) == (literal > 0) for literal in clause)
        for literal in assumed:
            assert solver.value(abs(literal)) == (literal > 0)
    else:
        assert answer is Answer.UNSATISFIABLE
        core = solver.failed_assumptions()
        assert set(core) <= set(assumed)
        assert not [m for m in models if all(satisfies(m, literal, base) for literal in core)]


def run_increments(name: str, rng: random.Random) -> None:
    size = rng.randint(2, 7)
    base = rng.choice((0, 0, 50))  # high numbers take another path to Z3 than dense ones
    models = list(itertools.product((False, True), repeat=size))
    clauses: list[list[int]] = []
    solver = open_solver(name, seed=rng.choice((0, 3)))
    for _ in range(rng.randint(1, 6)):
        widths = rng.choices((1, 2, 2, 3, 3, 4), k=rng.randint(0, 6))
        added = [random_literals(rng, width, size, base) for width in widths]
        if rng.random() < 0.01:
            added.append([])
        clauses += added
        for clause in added:
            models = [m for m in models if any(satisfies(m, literal, base) for literal in clause)]
        solver.add_clauses(added)
        for _ in range(rng.randint(1, 3)):
            assumed = random_literals(rng, rng.choice((0, 1, 2, 3, 5)), size, base)
            check_answer(solver, clauses, models, assumed, base)
    solver.close()
    solver.close()


@pytest.mark.parametrize(
    ("name", "first"),
    [
        pytest.param(name, first, marks=[pytest.mark.thorough] if first else [])
        for name in BACKENDS
        for first in range(0, 200 if name == "cvc5" else 600, 100)
    ],
)
def test_random_increments_agree_with_brute_force(name: str, first: int) -> None:
    for seed in range(first, first + 100):
        run_increments(name, random.Random(seed))


@pytest.mark.parametrize("name", BACKENDS)
def test_a_pigeonhole_has_no_assignment(name: str) -> None:
    pigeons, holes = 6, 5
    in_hole = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(pigeons)]
    solver = open_solver(name)
    solver.add_clauses(in_hole)
    assert solver.solve() is Answer.SATISFIABLE
    # One switch per hole, so that the core must name every hole.
    switches = [pigeons * holes + 1 + hole for hole in range(holes)]
    for hole, switch in enumerate(switches):
        for one, other in itertools.combinations(in_hole, 2):
            solver.add_clauses([[-switch, -one[hole], -other[hole]]])
    assert solver.solve(switches) is Answer.UNSATISFIABLE
    assert sorted(solver.failed_assumptions()) == switches
    assert solver.solve(switches[1:]) is Answer.SATISFIABLE
    assert solver.solve() is Answer.SATISFIABLE


@pytest.mark.parametrize("name", BACKENDS)
def test_unseen_variables_are_false_and_may_be_assumed(name: str) -> None:
    solver = open_solver(name)
    solver.add_clauses([[1, 2]])
    assert solver.solve() is Answer.SATISFIABLE
    assert not solver.value(7)
    assert solver.solve([9]) is Answer.SATISFIABLE
    assert solver.value(9)
    assert solver.solve([9, -9]) is Answer.UNSATISFIABLE
    assert set(solver.failed_assumptions()) <= {9, -9}


@pytest.mark.parametrize("name", BACKENDS)
def test_an_empty_clause_settles_everything(name: str) -> None:
    solver = open_solver(name)
    solver.add_clauses([[1], []])
    assert solver.solve([1]) is Answer.UNSATISFIABLE
    assert list(solver.failed_assumptions()) == []


@pytest.mark.parametrize("name", BACKENDS)
def test_values_stay_readable_while_clauses_are_added(name: str) -> None:
    """The loop that enumerates all assignments, blocking each while it is being read."""
    solver = open_solver(name)
    solver.add_clauses([[1, 2, 3]])
    seen = set()
    while solver.solve() is Answer.SATISFIABLE:
        first = solver.value(1)
        solver.add_clauses([[-v if solver.value(v) else v for v in (1, 2, 3)]])
        assert solver.value(1) == first
        seen.add(tuple(solver.values((1, 2, 3))))
        assert solver.values((1, 9)) == [first, False]
    assert len(seen) == 7


@pytest.mark.parametrize("name", BACKENDS)
def test_questions_out_of_turn_are_refused(name: str) -> None:
    solver = open_solver(name)
    with pytest.raises(RuntimeError):
        solver.value(1)
    with pytest.raises(RuntimeError):
        solver.values([1])
    solver.add_clauses([[1]])
    assert solver.solve() is Answer.SATISFIABLE
    with pytest.raises(RuntimeError):
        solver.failed_assumptions()
    assert solver.solve([-1]) is Answer.UNSATISFIABLE
    with pytest.raises(RuntimeError):
        solver.value(1)
    with pytest.raises(ValueError, match="0 is not a literal"):
        solver.add_clauses([[1, 0]])
    with pytest.raises(ValueError, match="0 is not a literal"):
        solver.solve([0])
    solver.close()
    with pytest.raises(RuntimeError):
        solver.solve()


def test_an_unknown_solver_gets_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"unknown solver 'cadicall'.*z3.*did you mean 'cadical'\?"):
        open_solver("cadicall")
    with pytest.raises(UsageError, match=r"did you mean 'z3'\?"):
        solver_version("Z3")
    assert "did you mean" not in str(make_unknown_name_error("solver", "xyzzy", SOLVER_NAMES))


def test_versions_name_the_solver_that_runs() -> None:
    assert DEFAULT_SOLVER in SOLVER_NAMES
    for name in SOLVER_NAMES:
        assert solver_version(name)[0].isdigit()


def test_importing_the_interface_loads_no_solver() -> None:
    code = (
        "import sys, verifier.solvers as s; s.solver_version('z3'); "
        "print(*[m for m in ('z3', 'pysat', 'cvc5', 'bitwuzla', 'pysmt') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_z3_makes_no_context_but_the_solvers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The global one would take as much memory again in each process."""

    def make_context() -> None:
        raise AssertionError("the global context is made")

    monkeypatch.setattr("z3.z3.main_ctx", make_context)
    solver = open_solver("z3")
    solver.add_clauses([[1, 2]])
    assert solver.solve([-1]) is Answer.SATISFIABLE
    assert solver.value(2)
    assert solver.solve([-1, -2]) is Answer.UNSATISFIABLE
    assert sorted(solver.failed_assumptions()) == [-2, -1]
