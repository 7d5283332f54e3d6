"""A search that goes on with the first states, which were looked at for other reasons, finds the same."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import all_found, specify_module
from tests.support.tla_random_texts import configuration, module
from verifier.runs.modules import translated_exploring
from verifier.runs.modules.policy import POLICY
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.columns import level_choice as levels
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper, sample

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
GRID = (
    "EXTENDS Naturals, TLC\nVARIABLES x, y\nInit == x \\in 0..2 /\\ y = 0\n"
    "Next == ((x < 6 /\\ x' = x + 1 /\\ y' = y) \\/ (y < 4 /\\ y' = y + 1 /\\ x' = x))"
)


def _search(made: Specification, most: int | None, **options: Any) -> tuple[tuple[Any, ...], bool]:
    """All that a search finds; whether it went on with another one, which found about so many states."""
    asked = (*made.invariants, *made.properties, *([NO_DEADLOCK] if made.config.check_deadlock else []))
    made.evaluator.printed.clear()
    begun = None
    if most is not None:
        with contextlib.suppress(Undefined):
            begun = sample(made, most=most, walks=False).begun
    explorer = Explorer(made, properties=asked, begun=begun, **options)
    found, _ = all_found(explorer)
    return (*found, tuple(made.evaluator.printed)), explorer.continued is not None


@pytest.mark.thorough
@pytest.mark.parametrize("by_columns", [False, True])
def test_random_modules(by_columns: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_LARGE", 1 if by_columns else 10**9)
    monkeypatch.setattr(levels, "_TRIED_SECONDS", 1e9)
    continued = 0
    for seed in range(30):
        text, config = module(Random(seed)), configuration(Random(f"configuration {seed}"))[0]
        made = specify_module(tmp_path, text, config)
        naive, _ = _search(made, None, by_columns=False)
        for most in (0, 2, 7, 10_000):
            found, goes_on = _search(made, most, by_columns=by_columns)
            assert found == naive, (seed, most)
            continued += goes_on
    assert continued > 15


def test_it_goes_on_within_a_level_and_between_two(tmp_path: Path) -> None:
    made = specify_module(tmp_path, GRID, QUIET)
    naive, _ = _search(made, None)
    for most in range(len(naive[5][0]) + 2):
        assert _search(made, most) == (naive, True)


def test_what_ends_the_level_that_it_goes_on_with_leaves_the_one_before_closed(tmp_path: Path) -> None:
    made = specify_module(tmp_path, f"{GRID}\nInv == x + y # 5", f"{QUIET}\nINVARIANT Inv")
    naive, _ = _search(made, None)
    assert "Inv" in naive[3]
    searched = [_search(made, most) for most in range(12)]
    assert [found for found, _ in searched] == [naive] * 12
    assert sum(goes_on for _, goes_on in searched) > 6


@pytest.mark.parametrize(
    ("body", "config"),
    [
        (f"{GRID}\nView == x", "VIEW View"),
        (f"{GRID}\nAllowed == x' # 3", "ACTION_CONSTRAINT Allowed"),
        (f"{GRID}\nBoth == [][x' # 3]_x", "PROPERTY Both"),
        (f"{GRID}\nEarly == x # 2", "CONSTRAINT Early"),
        (f'{GRID}\nEarly == TLCGet("level") < 5', "CONSTRAINT Early"),
        (f"{GRID}\nFirst == x # 2", "PROPERTY First"),
        (f"{GRID}\nInv == x # 4", "INVARIANT Inv"),
        (f'{GRID}\nInv == TLCGet("distinct") < 20', "INVARIANT Inv"),
        (f"{GRID}\nInv == 12 \\div (5 - x) > 0", "INVARIANT Inv"),
        (f"{GRID}\nInv == x < 5\nEarly == x < 5", "INVARIANT Inv\nCONSTRAINT Early"),
        (f'{GRID} /\\ (IF y = 3 THEN PrintT("three") ELSE TRUE)', ""),
        (f"{GRID}\nAlways == TLCSet(3, x) /\\ x < 9", "INVARIANT Always"),
    ],
)
def test_it_starts_anew_where_it_would_find_something_else(body: str, config: str, tmp_path: Path) -> None:
    made = specify_module(tmp_path, body, f"{QUIET}\n{config}")
    assert _search(made, 30) == (_search(made, None)[0], False)


@pytest.mark.parametrize("limit", [{"max_depth": 3}, {"max_states": 12}])
def test_it_starts_anew_where_it_is_to_end_early(limit: dict[str, int], tmp_path: Path) -> None:
    made = specify_module(tmp_path, GRID, QUIET)
    assert _search(made, 30, **limit) == (_search(made, None, **limit)[0], False)


def test_it_starts_anew_with_a_deadlock(tmp_path: Path) -> None:
    stuck = specify_module(tmp_path, GRID, "INIT Init\nNEXT Next")
    assert _search(stuck, 100) == (_search(stuck, None)[0], False)
    assert _search(stuck, 5)[1]


def test_it_starts_anew_with_permutations(tmp_path: Path) -> None:
    """All initial states are listed then, one of each class is counted."""
    body = (
        "EXTENDS TLC\nCONSTANT S\nVARIABLES x, y\nInit == x \\in S /\\ y = {}\n"
        "Next == \\E z \\in S : y' = y \\cup {z} /\\ x' = x\nAll == Permutations(S)"
    )
    config = f"{QUIET}\nCONSTANT S = {{a, b, c}}\nSYMMETRY All"
    naive, _ = all_found(Explorer(specify_module(tmp_path, body, config), properties=()))
    made = specify_module(tmp_path, body, config)
    symmetry = Explorer(made, properties=()).permute()
    assert symmetry is not None
    begun = sample(made, most=5, walks=False, symmetry=symmetry).begun
    assert begun is not None
    explorer = Explorer(made, properties=(), begun=begun)
    assert all_found(explorer)[0] == naive
    assert explorer.continued is None


WIDE = """---- MODULE Wide ----
EXTENDS Integers
VARIABLES s, large
TypeOk == s \\in SUBSET (0..11) /\\ large \\in SUBSET (0..699)
Init == s = {} /\\ large = {}
Next == \\E k \\in 0..11 : s' = s \\cup {k} /\\ large' = large
====
"""


@pytest.mark.parametrize("most_bits", [600, 800])
def test_no_walks_are_taken_where_a_state_has_too_many_bits(
    most_bits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walks could only widen the sorts. The first states are the same, and so are the counts."""
    (tmp_path / "Wide.tla").write_text(WIDE)
    (tmp_path / "Wide.cfg").write_text(f"{QUIET}\nINVARIANT TypeOk")
    monkeypatch.setattr(translated_exploring, "POLICY", replace(POLICY, bits_explored=most_bits))
    walks, stroll = list[int](), Stepper._stroll

    def count_walks(stepper: Stepper, chance: Random, start: list[Any], count: int, steps: int) -> list[Any]:
        walks.append(count)
        return stroll(stepper, chance, start, count, steps)

    monkeypatch.setattr(Stepper, "_stroll", count_walks)
    done = verify("explore", str(tmp_path / "Wide.tla"), "--property", "TypeOk", "--format", "json")
    result = json.loads(done.stdout)
    assert (result["results"][0]["verdict"], result["statistics"]["distinct_states"]) == ("HOLDS", 4096)
    words = "the translation would need 712 bits per state"
    assert (words in done.stderr) == (not walks) == (most_bits == 600)
