"""Searches of the interpreter by several processes: they find what one process finds, in its order."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.child_processes import list_children
from tests.support.columns import QUIET
from tests.support.command_line import ROOT, verify
from tests.support.tla_modules import specify_module
from tests.support.tla_random_texts import configuration, module
from tests.support.workers import find_with_workers, share_all_levels
from verifier.runs.modules.loading import load
from verifier.tla.coding import Coding, Uncodable
from verifier.tla.explorer import Explorer
from verifier.tla.value_types import FALSE, TRUE, Fn, ModelValue, Value
from verifier.tla.values import LazySet
from verifier.tla.workers import level_choice
from verifier.tla.workers.pool import Pool

GOLDEN = ROOT.parent / "shared" / "golden" / "tla-examples.json"
GRID = (
    "EXTENDS Naturals, Sequences, FiniteSets\nVARIABLES x, y\n"
    "Init == x = <<>> /\\ y \\in [1..3 -> {0}]\n"
    "Take(s) == Len(x) < 3 /\\ x' = Append(x, s) /\\ y' = [y EXCEPT ![s] = (@ + 1) % 3]\n"
    "Drop == x # <<>> /\\ x' = Tail(x) /\\ UNCHANGED y\nNext == Drop \\/ (\\E s \\in 1..3 : Take(s))\n"
)
LIMITS: list[dict[str, Any]] = [{"keep_going": True}, {"first": True}, {"max_states": 5}, {"max_depth": 2}]
SYMMETRIC = (
    "EXTENDS TLC, Naturals, FiniteSets, Sequences\nCONSTANTS S\nVARIABLES x, y\nSym == Permutations(S)\n"
    "Init == x = <<>> /\\ y \\in [S -> {0}]\n"
    "Take(s) == Len(x) < 3 /\\ x' = Append(x, s) /\\ y' = [y EXCEPT ![s] = (@ + 1) % 3]\n"
    "Drop == x # <<>> /\\ x' = Tail(x) /\\ UNCHANGED y\n"
    "Swap == Len(x) = 2 /\\ x' = <<x[2], x[1]>> /\\ y' = [s \\in S |-> IF s = x[1] THEN 0 ELSE y[s]]\n"
    "Next == (\\E s \\in S : Take(s)) \\/ Drop \\/ Swap\n"
    "Within == Cardinality({s \\in S : y[s] = 2}) < 2\nInv == ~(Len(x) = 3 /\\ y[x[1]] = 0)\n"
)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    share_all_levels(monkeypatch)


def _compare(folder: Path, body: str, config: str, **options: Any) -> tuple[Any, ...]:
    """Compare one process with two and three. Return what they find."""
    one, _ = find_with_workers(specify_module(folder, body, config), 1, **options)
    for workers in (2, 3):
        found, took_part = find_with_workers(specify_module(folder, body, config), workers, **options)
        assert took_part
        assert found == one
    return one


@pytest.mark.parametrize("seed", range(12))
def test_random_modules(seed: int, tmp_path: Path) -> None:
    """Errors, violations, constraints, deadlocks and limits come in the same order, too."""
    text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
    made = specify_module(tmp_path, text, config)
    for options in ({}, LIMITS[seed % len(LIMITS)]):
        one, _ = find_with_workers(made, 1, by_columns=False, **options)
        for workers in (2, 3):
            assert find_with_workers(made, workers, by_columns=False, **options)[0] == one


CONFIGURATIONS = [
    "INVARIANT Inv\n",
    "CHECK_DEADLOCK TRUE\nINVARIANT Inv\nINVARIANT Few\n",
    "CONSTRAINT Within\nINVARIANT Inv\n",
    "ACTION_CONSTRAINT Slow\nPROPERTY Steps\n",
    "VIEW Seen\nINVARIANT Inv\n",
    "VIEW Sum\nCONSTRAINT Within\n",
]
BODY = GRID + (
    "Inv == y # [s \\in 1..3 |-> 2]\nFew == Len(x) < 3 \\/ y[1] # 2\nWithin == y[1] + y[2] < 4\n"
    "Slow == x' # x \\/ y' # y\nSteps == [][y[3] # 2 \\/ y'[3] # 0]_y\n"
    "Seen == <<Len(x), y>>\nSum == y[1] + y[2] + Len(x)\n"
)


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_what_a_configuration_says(config: str, tmp_path: Path) -> None:
    whole = f"INIT Init\nNEXT Next\n{config}"
    _compare(tmp_path, BODY, whole)
    _compare(tmp_path, BODY, whole, keep_going=True)
    _compare(tmp_path, BODY, whole, first=True)


@pytest.mark.parametrize(
    "more", ["", "INVARIANT Inv\n", "CONSTRAINT Within\n", "INVARIANT Inv\nCONSTRAINT Within\n"]
)
def test_symmetry(more: str, tmp_path: Path) -> None:
    config = f"{QUIET}\nCONSTANTS S = {{a, b, c, d}}\nSYMMETRY Sym\n{more}"
    one = _compare(tmp_path, SYMMETRIC, config, keep_going=True)
    assert one[6][0] > one[1][0]  # orbits of several states


def test_permutations_that_change_more_than_names(tmp_path: Path) -> None:
    """The search starts again without them."""
    body = SYMMETRIC + "Least == Len(x) < 2 \\/ x[2] # CHOOSE s \\in S : s # x[1]\n"
    config = f"{QUIET}\nCONSTANTS S = {{a, b, c}}\nSYMMETRY Sym\nINVARIANT Least"
    one = _compare(tmp_path, body, config)
    assert one[6][1] is not None


def test_workers_end_for_columns_and_start_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from verifier.tla.columns import level_choice as levels

    monkeypatch.setattr(levels, "_LARGE", 30)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 0.0)
    monkeypatch.setattr(levels.ByColumns, "_pays", lambda *_: False)
    begun: list[Any] = []
    monkeypatch.setattr(level_choice.ByWorkers, "_begin", _note_call(level_choice.ByWorkers._begin, begun))
    _compare(tmp_path, GRID, QUIET)
    assert len(begun) == 4  # twice in each of both searches


def test_columns_are_compared_with_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FastPaxos left columns, which were four times as fast, because workers had found its first states."""
    from verifier.tla.columns import level_choice as levels

    monkeypatch.setattr(levels, "_LARGE", 30)
    monkeypatch.setattr(level_choice.ByWorkers, "cpu_seconds", property(lambda _: 1_000.0))
    explorer = Explorer(specify_module(tmp_path, GRID, QUIET), properties=(), workers=2)
    explorer.explore()
    assert explorer.columns.speed is not None
    assert explorer.columns.speed < explorer.result.generated / 1_000
    assert explorer.workers is not None
    first, second = explorer.workers.means
    assert first == (2, 0)
    assert second[0] == 1
    assert 0 < second[1] < explorer.level


def _note_call(function: Any, calls: list[Any]) -> Any:
    def note(*given: Any) -> Any:
        calls.append(given)
        return function(*given)

    return note


def test_an_infinite_set_is_left_to_one_process(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = {}\n"
        "Next == x < 9 /\\ x' \\in {x + 1, x + 2} /\\ y' = IF x > 4 THEN Nat ELSE {x}\n"
    )
    _compare(tmp_path, body, QUIET)


@pytest.mark.parametrize(
    "step",
    ["TLCSet(1, x)", 'PrintT("x")', "x' = RandomElement({x + 1})", 'TLCGet("level") < 9'],
)
def test_the_search_itself_is_left_to_one_process(step: str, tmp_path: Path) -> None:
    body = f"EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1 /\\ {step}\n"
    explorer = Explorer(specify_module(tmp_path, body, QUIET), properties=(), workers=2)
    explorer.explore()
    assert explorer.workers is not None
    assert "its value depends on the search" in explorer.workers.why_alone
    assert explorer.workers.first_level is None
    assert explorer.result.distinct == 4


# -- values as bytes

_MODELS = {name: ModelValue(name) for name in ("a", "b")}
_VALUES: list[Value] = [
    0, -1, 12, "", "a", "12;", "é:1", TRUE, FALSE, *_MODELS.values(), (), (1,), (1, 2), ((1,), 2), ("12",),
    frozenset(), frozenset((1, 2)), frozenset((12,)), frozenset((frozenset(), frozenset((1,)))),
    Fn({0: 1}), Fn({"a": 1, "b": TRUE}), Fn({"a": Fn({"b": ()})}), Fn({_MODELS["a"]: 1, _MODELS["b"]: 1}),
]  # fmt: skip


def test_different_values_have_different_bytes() -> None:
    coding = Coding(_MODELS.__getitem__)
    codes = [coding.encode(value) for value in _VALUES]
    assert len(set(codes)) == len(codes)
    again = [Coding(_MODELS.__getitem__).decode(code) for code in codes]
    assert again == _VALUES
    assert [type(value) for value in again] == [type(value) for value in _VALUES]


def test_equal_values_have_equal_bytes() -> None:
    coding, other = Coding(_MODELS.__getitem__), Coding(_MODELS.__getitem__)
    pairs = [(number, number % 7) for number in range(40)]
    assert coding.encode(frozenset(pairs)) == other.encode(frozenset(reversed(pairs)))
    assert coding.encode(Fn(pairs)) == other.encode(Fn(reversed(pairs)))
    with pytest.raises(Uncodable):
        coding.encode((1, _Endless()))


class _Endless(LazySet):
    @property
    def infinite(self) -> bool:
        return True


# -- processes

_LONG = (
    "EXTENDS Naturals, FiniteSets\nVARIABLES x, y\n"
    "Init == x = {} /\\ y = 0\nInv == Cardinality(x) < 99\n"
    "Next == \\E s \\in 1..16 : s \\notin x /\\ x' = x \\cup {s} /\\ y' = (y + s) % 97\n"
)


def test_a_worker_that_is_killed_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give = Pool.give
    given: list[str] = []

    def kill_later(self: Pool, name: str, *task: Any) -> None:
        given.append(name)
        if len(given) == 9:
            os.kill(self._children._children[name].process.pid, signal.SIGKILL)
        give(self, name, *task)

    monkeypatch.setattr(Pool, "give", kill_later)
    made = specify_module(tmp_path, _LONG, QUIET)
    found, _ = find_with_workers(made, 2, by_columns=False)
    assert found[0] == "a worker ended before the search: killed by signal 9"
    assert 0 < found[1][0] < 2**16
    assert not list_children()


def test_an_interrupt_keeps_what_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = specify_module(tmp_path, _LONG, QUIET)

    def stop(explorer: Explorer) -> None:
        if explorer.count > 300:
            raise KeyboardInterrupt

    explorer = Explorer(made, properties=(), workers=2, by_columns=False, enforce=stop)
    with pytest.raises(KeyboardInterrupt):
        explorer.explore()
    assert explorer.result.distinct == explorer.count > 300
    assert len(explorer.states[-1]) == 2
    assert not list_children()


def test_memory_counts_workers(tmp_path: Path) -> None:
    made = specify_module(tmp_path, _LONG, QUIET)
    seen: list[int] = []

    def look(explorer: Explorer) -> None:
        if explorer.workers is not None and len(seen) < 5:
            time.sleep(0.25)
            seen.append(explorer.workers.memory)

    Explorer(made, properties=(), workers=2, by_columns=False, enforce=look, max_depth=4).explore()
    assert max(seen) > 1 << 20


def test_the_command_says_who_explored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{_LONG}====\n")
    (tmp_path / "M.cfg").write_text(f"{QUIET}\nINVARIANT Inv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(level_choice, "_MOST_IN_BLOCK", 500)
    command = ["explore", "M.tla", "--by", "interpreter", "--depth", "4", "--format", "json"]
    one = json.loads(verify(*command).stdout)["statistics"]
    two = json.loads(verify(*command, "--workers", "2").stdout)["statistics"]
    assert "workers" not in one
    large = ["explore", "M.tla", "--by", "interpreter", "--depth", "6", "--workers", "2"]
    monkeypatch.setattr(level_choice, "_BEGIN_SECONDS", 1e9)
    # On a busy machine, columns may seem slower, and are left.
    assert re.search("one process explored: the exploration (by columns )?was short", verify(*large).stderr)
    assert "one process explored: the exploration was short" in verify(*large, "--depth", "1").stderr
    monkeypatch.setattr(level_choice, "_BEGIN_SECONDS", -1e9)
    assert two["workers"] == 2
    assert "2 processes" in [means["name"] for means in two["explored_by"]]
    same = ("distinct_states", "generated_states", "levels", "actions", "complete")
    assert [one[name] for name in same] == [two[name] for name in same]


def test_spark_within_one_process_gives_its_cores_to_local_processes(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{_LONG}====\n")
    (tmp_path / "M.cfg").write_text(QUIET)
    command = ["explore", str(tmp_path / "M.tla"), "--by", "interpreter", "--depth", "2"]
    run = verify(*command, "--master", "local[2]", "--format", "json")
    words = "local[2] has the same cores: 2 processes explore without Spark"
    assert words in run.stderr
    figures = json.loads(run.stdout)["statistics"]
    assert figures["without_spark"] == words
    assert [one["name"] for one in figures["explored_by"]] == ["2 processes"]


# -- models of others


@pytest.mark.thorough
@pytest.mark.skipif(not GOLDEN.is_file(), reason="the golden counts are not there")
@pytest.mark.parametrize(
    "model",
    [
        "allocator/SchedulingAllocator",
        "nbacg_guer01/nbacg_guer01",
        "Disruptor/Disruptor_SPMC",
        "acp/ACP_SB_TLC",
        "Chameneos/Chameneos",
    ],
)
def test_counts_of_tlc(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    share_all_levels(monkeypatch, 100)
    rows = json.loads(GOLDEN.read_text())["rows"]
    row = next(one for one in rows if one["model"] == f"{model}.cfg")
    examples = GOLDEN.parents[1] / "tla" / "examples"
    made = load(str(examples / row["module"]), {}, examples / row["model"]).specification
    properties = (*made.invariants, *made.properties)
    explorer = Explorer(made, properties=properties, workers=2, by_columns=False)
    explorer.explore()
    found = explorer.result
    assert explorer.workers is not None
    assert explorer.workers.first_level == 0
    assert (found.distinct, found.generated) == (row["distinct"], row["generated"])
    assert len(found.levels) == row["levels"]
    assert not found.violations
