"""Growth under a CONSTRAINT: a run ends for growth without end, and not for growth up to a bound."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.runs.modules.constraint_bounds import enlarge
from verifier.verdict import LEFT_TO_LIVE

_CLIMB = """---- MODULE Climb ----
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x' = x + 1 /\\ y' = y
        \\/ x' = x - 1 /\\ y' = y
        \\/ y' = y + x /\\ x' = x
Spec == Init /\\ [][Next]_<<x, y>>
Con == x \\in -2..3 /\\ y \\in -3..7
Wide == x \\in -3..3 /\\ y \\in -9..9
A == x <= 4
Least == x > -4
B == y < 7
Returns == []<>(x = 0)
====
"""


def _answer(path: Path, *asked: str) -> dict[str, dict[str, object]]:
    done = verify(asked[0], str(path), *asked[1:], "--timeout", "90s", "--format", "json")
    return {one["property"]: one for one in json.loads(done.stdout)["results"]}


@pytest.mark.parametrize("constraint", ["Con", "Wide"])
def test_a_proof_under_a_constraint_says_what_exploration_says(constraint: str, tmp_path: Path) -> None:
    """The values beyond the bounds are those of successors of states within them."""
    path = tmp_path / "Climb.tla"
    path.write_text(_CLIMB)
    config = f"SPECIFICATION Spec\nCONSTRAINT {constraint}\nINVARIANTS A Least B\n"
    path.with_suffix(".cfg").write_text(config)
    proved = {"HOLDS": "PROVED", "VIOLATED": "VIOLATED"}
    explored = {
        name: (proved[str(one["verdict"])], one["steps"])
        for name, one in _answer(path, "explore", "--by", "interpreter").items()
    }
    assert {name: (one["verdict"], one["steps"]) for name, one in _answer(path, "prove").items()} == explored
    assert explored["A"] == explored["NoDeadlock"] == ("PROVED", None)
    assert explored["B"] == ("VIOLATED", 6)
    assert explored["Least"][0] == ("PROVED" if constraint == "Con" else "VIOLATED")


def test_a_temporal_property_left_to_others_is_not_open_for_growth(tmp_path: Path) -> None:
    path = tmp_path / "Climb.tla"
    path.write_text(_CLIMB)
    path.with_suffix(".cfg").write_text(
        "SPECIFICATION Spec\nCONSTRAINT Con\nINVARIANTS A B\nPROPERTY Returns\n"
    )
    assert _answer(path, "explore", "--by", "translation")["Returns"]["reason"] == LEFT_TO_LIVE


_FAR = """---- MODULE Far ----
EXTENDS Integers, Sequences
VARIABLES x, max, y, q
Init == x = 0 /\\ max = 0 /\\ y = 0 /\\ q = <<>>
Up == x' = x + 1 /\\ max' = x' /\\ UNCHANGED <<y, q>>
Down == x' = x - 1 /\\ UNCHANGED <<max, y, q>>
Beside == y' = y + 1 /\\ UNCHANGED <<x, max, q>>
Both == Up \\/ Beside
Behind == \\/ x' = x + 1 /\\ UNCHANGED <<max, y, q>>
          \\/ y < x /\\ y' = y + 1 /\\ UNCHANGED <<x, max, q>>
Put == q' = Append(q, x) /\\ UNCHANGED <<x, max, y>>
Low == x < 300
Near == x - y < 3
Short == Len(q) < 300
Small == x \\in -2..2 /\\ y < 3 /\\ Len(q) < 3
Binary == max \\in 0..300
====
"""


def _ask_far(folder: Path, following: str, constraint: str, command: str) -> dict[str, dict[str, object]]:
    path = folder / "Far.tla"
    path.write_text(_FAR)
    config = f"INIT Init\nNEXT {following}\nCONSTRAINT {constraint}\nINVARIANTS Small Binary\n"
    path.with_suffix(".cfg").write_text(config)
    results = _answer(path, command)
    assert (results["Small"]["verdict"], results["Small"]["steps"]) == ("VIOLATED", 3)
    return results


@pytest.mark.parametrize("command", ["explore", "prove"])
@pytest.mark.parametrize(("following", "constraint"), [("Up", "Low"), ("Put", "Short")])
def test_a_far_bound_is_no_reason_to_end(
    following: str, constraint: str, command: str, tmp_path: Path
) -> None:
    """Up lets ``max`` grow beside ``x``, and the CONSTRAINT mentions ``x`` alone."""
    results = _ask_far(tmp_path, following, constraint, command)
    kind = "PROVED" if command == "prove" else "HOLDS"
    assert (results["Binary"]["verdict"], results["NoDeadlock"]["verdict"]) == (kind, kind)


@pytest.mark.parametrize("command", ["explore", "prove"])
@pytest.mark.parametrize(
    ("following", "constraint", "words"),
    [
        ("Both", "Low", "y seems unbounded"),
        ("Down", "Low", "x seems unbounded"),
        ("Behind", "Near", "x and y seem unbounded"),
    ],
)
def test_growth_without_end_ends_a_run_under_a_constraint(
    following: str, constraint: str, words: str, command: str, tmp_path: Path
) -> None:
    """The constraint bounds another variable, the other direction, or a difference."""
    results = _ask_far(tmp_path, following, constraint, command)
    reason = f"stopped because {words} (--keep-going continues)"
    assert {results[name]["reason"] for name in ("Binary", "NoDeadlock")} == {reason}


def test_enlarged_values_are_greater_longer_and_more() -> None:
    assert enlarge(3, -1) < -1_000
    numbers = enlarge((1, 2), 1)
    assert len(numbers) > 500
    assert min(numbers) > 1_000
    assert len(enlarge(frozenset({(0,)}), 1)) > 500
    assert enlarge(frozenset({"a"}), 1) == frozenset({"a"})
    assert enlarge((), 1) == ()
