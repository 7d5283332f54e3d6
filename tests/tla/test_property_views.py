"""Views of states that invariants have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import specify_module
from verifier.tla.property_views import views_by
from verifier.tla.value_types import Fn

CONFIG = "INIT Init\nNEXT Next\nINVARIANT Own"
BODY = """
EXTENDS Integers, Sequences, FiniteSets, TLC
Node == {"a", "b", "c"}
VARIABLES role, log
Init == role = [n \\in Node |-> "follower"] /\\ log = [n \\in Node |-> <<>>]
Next == UNCHANGED <<role, log>>
Max(s) == CHOOSE x \\in s : \\A y \\in s : y <= x
IsLeader(n) == role[n] = "leader"
Large(n) == {k \\in 1..Len(log[n]) : log[n][k] > 1}
LastIsLarge == \\A n \\in Node : IsLeader(n) => LET k == Len(log[n]) IN k = 0 \\/ log[n][k] > 1
"""
ROLES = {"l": "leader", "f": "follower", "c": "candidate"}


class Viewed:
    """An invariant and its views of states, or None if it has none."""

    def __init__(self, folder: Path, invariant: str) -> None:
        self.spec = specify_module(folder, f"{BODY}Own == {invariant}\n", CONFIG)
        self.views = views_by(self.spec.evaluator, self.spec.invariants["Own"])

    def see(self, roles: str, *logs: tuple[int, ...]) -> frozenset[int]:
        """Return the view of a state: a letter and a log for each node."""
        assert self.views is not None
        role = Fn({node: ROLES[letter] for node, letter in zip("abc", roles, strict=True)})
        log = Fn(dict(zip("abc", [*logs, *[()] * (3 - len(logs))], strict=True)))
        self.spec.evaluator.now[:] = [role, log]
        return self.views()


def test_it_does_not_matter_which_process_is_which(tmp_path: Path) -> None:
    viewed = Viewed(tmp_path, 'LastIsLarge /\\ \\A n \\in Node : role[n] # "candidate"')
    assert viewed.see("lff", (2, 1)) == viewed.see("ffl", (), (), (2, 1))
    others = [viewed.see(roles, (1,)) for roles in ("lff", "llf", "lfc", "fff")]
    assert len({viewed.see("lff", (2,)), *others}) == 5


def test_what_the_invariant_does_not_read_is_not_seen(tmp_path: Path) -> None:
    viewed = Viewed(tmp_path, "\\A n \\in Node : ~IsLeader(n)")
    assert viewed.see("fff", (1,)) == viewed.see("fff", (2, 2), (3,))
    # The invariant is true of both, and a candidate is not a follower.
    assert viewed.see("fff") != viewed.see("cff") != viewed.see("lff")


def test_a_set_with_a_property_is_seen_by_its_candidates(tmp_path: Path) -> None:
    viewed = Viewed(tmp_path, '\\A n \\in Node : role[n] = "leader" => Large(n) = {}')
    # None is large in either state, but in one of them there is a candidate.
    assert viewed.see("lff") != viewed.see("lff", (1,))
    assert viewed.see("lff", (1,)) == viewed.see("lff", (1, 1))
    assert viewed.see("lff", (1,)) != viewed.see("lff", (2,))


def test_numbers_are_seen_by_their_order(tmp_path: Path) -> None:
    viewed = Viewed(tmp_path, 'Len(log["a"]) <= Cardinality({n \\in Node : IsLeader(n)})')
    assert viewed.see("fff", (1, 1)) == viewed.see("lff", (1, 1, 1))
    assert len({viewed.see("lff", (1,) * length) for length in range(3)}) == 3


@pytest.mark.parametrize(
    "invariant",
    [
        "\\A n \\in Node : IsLeader(n) => Max(Large(n)) > 1",
        'IF role["a"] = "leader" THEN log["a"][1] > 1 ELSE role["b"] = 3',
        "CASE \\A n \\in Node : IsLeader(n) -> TRUE",
    ],
)
def test_parts_without_a_value_do_not_hide_others(tmp_path: Path, invariant: str) -> None:
    viewed = Viewed(tmp_path, invariant)
    for _ in range(2):
        assert viewed.see("lff") != viewed.see("lll", (2,), (2,), (2,))


@pytest.mark.parametrize("invariant", ['RandomElement(DOMAIN role) # "d"', "ENABLED Next"])
def test_what_may_have_another_value_has_no_view(tmp_path: Path, invariant: str) -> None:
    assert Viewed(tmp_path, invariant).views is None
