"""Guided walks of a module by the interpreter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify

LOCK = """
---- MODULE Combination ----
EXTENDS Naturals
VARIABLES turns, noise
Init == turns = 0 /\\ noise = {}
Turn == turns < 16 /\\ turns' = turns + 1 /\\ UNCHANGED noise
Slip == turns > 0 /\\ turns' = 0 /\\ UNCHANGED noise
Shake == \\E n \\in 1..3 : turns > 0 /\\ n \\notin noise /\\ turns' = 0 /\\ noise' = noise \\union {n}
Settle == noise # {} /\\ noise' = {} /\\ UNCHANGED turns
Next == Turn \\/ Slip \\/ Shake \\/ Settle
Closed == turns < 16
HalfClosed == turns < 8
Early == [][turns < 12]_turns
====
"""


@pytest.fixture
def lock(tmp_path: Path) -> str:
    """A lock that opens at 16 right turns. Every wrong one begins again."""
    path = tmp_path / "Combination.tla"
    path.write_text(LOCK)
    config = "INIT Init\nNEXT Next\nINVARIANTS Closed HalfClosed\nPROPERTY Early\nCHECK_DEADLOCK FALSE\n"
    path.with_suffix(".cfg").write_text(config)
    return str(path)


def walk_module(lock: str, *words: str) -> dict[str, Any]:
    """The JSON object of walks by the interpreter."""
    asked = ("simulate", lock, "--by", "interpreter", "--walks", "800", "--format", "json")
    content: dict[str, Any] = json.loads(verify(*asked, *words).stdout)
    return content


def test_what_plain_walks_miss_is_found(lock: str) -> None:
    plain, guided = walk_module(lock), walk_module(lock, "--guided")
    assert [one["verdict"] for one in plain["results"]].count("VIOLATED") == 0
    found = {one["property"]: (one["verdict"], one["steps"]) for one in guided["results"]}
    # A known violation does not end the walks: what is beyond it is found, too.
    assert found == {"Closed": ("VIOLATED", 16), "HalfClosed": ("VIOLATED", 8), "Early": ("VIOLATED", 13)}
    assert not any(one["fewest"] for one in guided["results"])
    assert guided["statistics"]["restarts"] > 0


def test_the_same_seed_finds_the_same(lock: str) -> None:
    one, other = (walk_module(lock, "--guided", "--property", "Closed", "--seed", "5") for _ in range(2))
    assert one["statistics"]["steps"] == other["statistics"]["steps"]
    assert one["results"][0]["trace"] == other["results"][0]["trace"]


def test_no_violation_says_what_was_tried(lock: str) -> None:
    content = walk_module(lock, "--guided", "--property", "Closed", "--depth", "12")
    assert content["exit_code"] == 12
    steps, deepest = content["statistics"]["steps"], content["statistics"]["deepest"]
    assert deepest == 12
    assert f"800 guided walks ({steps:,} actions, at most 12 in a row)" in content["results"][0]["reason"]


def test_walks_avoid_states_outside_of_the_constraints(tmp_path: Path) -> None:
    text = """
---- MODULE Full ----
EXTENDS Naturals
VARIABLES done, waiting
Init == done = 0 /\\ waiting = 0
Work == done' = done + 1 /\\ UNCHANGED waiting
Ask == waiting' = waiting + 1 /\\ UNCHANGED done
Next == Work \\/ Ask \\/ UNCHANGED <<done, waiting>>
Few == waiting < 2
Unfinished == done < 25
====
"""
    path = tmp_path / "Full.tla"
    path.write_text(text)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTRAINT Few\nINVARIANT Unfinished\n")
    asked = ("--walks", "10", "--depth", "27", "--guided")
    content = walk_module(str(path), *asked)
    # A walk with a third request would end there, and one that stays where it is would not reach so far.
    assert content["results"][0]["verdict"] == "VIOLATED"


COINS = """
---- MODULE Coins ----
EXTENDS Naturals
VARIABLES at, coins, levers
Init == at = 0 /\\ coins = 4 /\\ levers = 0
Climb == at < 8 /\\ at' = at + 1 /\\ UNCHANGED <<coins, levers>>
Fall == at \\in 1..7 /\\ at' = at - 1 /\\ UNCHANGED <<coins, levers>>
Spend == /\\ coins > 0 /\\ coins' = coins - 1 /\\ levers' = IF at >= 6 THEN levers + 1 ELSE levers
         /\\ UNCHANGED at
Next == Climb \\/ Fall \\/ Spend
Shut == levers < 4 \\/ at < 8
====
"""


def test_walks_save_what_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "Coins.tla"
    path.write_text(COINS)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Shut\nCHECK_DEADLOCK FALSE\n")
    words = ("--guided", "--walks", "150", "--depth", "60")
    walks = [walk_module(str(path), *words, "--seed", str(seed)) for seed in range(4)]
    assert all(content["results"][0]["verdict"] == "VIOLATED" for content in walks)
    # Walks that spend at once what they can took 2,500 actions.
    assert sum(content["statistics"]["steps"] for content in walks) < 1_500


LATE = """
---- MODULE Late ----
EXTENDS Naturals
VARIABLES at, done
Init == at = 0 /\\ done = 0
Step == at' = (at + 1) % 50 /\\ UNCHANGED done
Back == at' = (at + 49) % 50 /\\ UNCHANGED done
Late == at = 25 /\\ done < 3 /\\ done' = done + 1 /\\ UNCHANGED at
Next == Step \\/ Back \\/ Late
Early == done < 3
====
"""


def test_a_part_that_had_no_step_for_long_is_still_tried(tmp_path: Path) -> None:
    path = tmp_path / "Late.tla"
    path.write_text(LATE)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Early\nCHECK_DEADLOCK FALSE\n")
    content = walk_module(str(path), "--guided")
    assert content["results"][0]["verdict"] == "VIOLATED"
    assert content["statistics"]["actions"]["Late"]["taken"] > 0
