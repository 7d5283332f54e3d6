"""Subsets that an action chooses, functions over few items, and values assigned beyond what was seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.tla_modules import translate_body
from tests.support.tla_random import ran
from verifier.runs.modules.translating import Symbolic
from verifier.tla.explorer import Explorer
from verifier.tla.translate import sampling, scouting, shape_sorts, spreading_once, translation
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.verdict import VerdictKind

SENT = """
EXTENDS Integers, FiniteSets, TLC
CONSTANT Node
VARIABLES up, sent, n
Requests == {[to |-> b, n |-> n + 1] : b \\in up}
Of(m, counts) == LET pair == CHOOSE c \\in counts : c[1] = m IN pair[2]
Send == /\\ n < 2 /\\ n' = n + 1 /\\ UNCHANGED up
        /\\ \\E counts \\in {s \\in SUBSET (Requests \\X {-1, 1}) :
                               /\\ Cardinality(s) = Cardinality(Requests)
                               /\\ \\A m \\in Requests : \\E p \\in s : p[1] = m} :
               sent' = sent @@ [m \\in Requests |-> Of(m, counts)]
Again == /\\ n > 0 /\\ UNCHANGED <<n, up>>
         /\\ sent' = [m \\in {[to |-> b, n |-> n] : b \\in up} |-> 0] @@ sent
Drop == \\E b \\in up : up' = up \\ {b} /\\ UNCHANGED <<sent, n>>
Take == \\E m \\in DOMAIN sent : sent[m] = 1 /\\ sent' = [sent EXCEPT ![m] = @ - 1] /\\ UNCHANGED <<up, n>>
Init == up = Node /\\ n = 0 /\\ sent = [m \\in {} |-> 0]
Next == Send \\/ Again \\/ Drop \\/ Take
NoneLost == \\A m \\in DOMAIN sent : m.n < 2 \\/ sent[m] # -1
"""
SENT_CONFIG = "INIT Init\nNEXT Next\nCONSTANT Node = {a, b}\nINVARIANT NoneLost\nCHECK_DEADLOCK FALSE"


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that two nodes are enough for one case of all subsets."""
    monkeypatch.setattr(spreading_once, "_FEW_ITEMS", 1)


@pytest.fixture(params=[False, True], ids=["by parts", "listed"])
def _listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys with parts as values of a sort of their parts, or of one that lists them."""
    if request.param:
        monkeypatch.setattr(shape_sorts, "_MOST_KEYS", 1)
        monkeypatch.setattr(shape_sorts, "_MOST_UNSEEN", 0)


def _counts(asked: Symbolic) -> tuple[tuple[int, int], tuple[int, int]]:
    explorer = Explorer(asked.loaded.specification, properties=(), keep_going=True)
    explorer.explore()
    asked.each_way = True
    ours = ran("explore", asked, keep_going=True).outcome.statistics
    theirs = explorer.result.distinct, explorer.result.generated
    return theirs, (ours["distinct_states"], ours["generated_states"])


@pytest.mark.usefixtures("_listed")
def test_the_states_and_steps_are_those_of_the_interpreter(tmp_path: Path) -> None:
    theirs, ours = _counts(translate_body(tmp_path, SENT, SENT_CONFIG))
    assert theirs == ours
    assert ours[0] > 50


@pytest.mark.usefixtures("_listed")
def test_the_shortest_violation_has_the_interpreters_length(tmp_path: Path) -> None:
    found = ran("bmc", translate_body(tmp_path, SENT, SENT_CONFIG), depth=5, shortest=True)
    verdicts = {one.property_name: one for one in found.outcome.verdicts}
    assert verdicts["NoneLost"].kind is VerdictKind.VIOLATED
    assert verdicts["NoneLost"].steps == 2


EQUAL = """
EXTENDS Integers, FiniteSets
VARIABLES x, y, s
Items == {x, y, 3 - x}
Init == x \\in {1, 2} /\\ y \\in {1, 2} /\\ s = {}
Next == \\E t \\in {u \\in SUBSET Items : Cardinality(u) = 1} : s' = t /\\ UNCHANGED <<x, y>>
"""


def test_items_that_are_equal_are_no_two_ways(tmp_path: Path) -> None:
    theirs, ours = _counts(translate_body(tmp_path, EQUAL, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"))
    assert theirs == ours


LATE = """
EXTENDS Integers, TLC
VARIABLES f, n
Key(k) == [key |-> k]
Init == f = (Key(0) :> 0) /\\ n = 0
Next == /\\ n < 40 /\\ n' = n + 1
        /\\ f' = IF n = 39 THEN f @@ (Key(n) :> n) ELSE [f EXCEPT ![Key(0)] = IF n = 30 THEN 9 ELSE @]
Small == \\A k \\in DOMAIN f : k.key < 39
"""


@pytest.mark.usefixtures("_listed")
def test_a_value_that_was_not_seen_widens_the_sort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An assignment outside the sort is never taken for a missing step."""
    monkeypatch.setattr(translation, "sample", lambda spec, **_: sampling.sample(spec, 3))
    monkeypatch.setattr(scouting.Scout, "widen", lambda *_: None)
    monkeypatch.setattr(sampling, "SAMPLING", replace(SAMPLING, walks=0))
    config = "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE"
    asked = translate_body(tmp_path, LATE, config)
    narrow = asked.sorts()["f"].size
    found = ran("bmc", asked, depth=41, shortest=True)
    verdicts = {one.property_name: one for one in found.outcome.verdicts}
    assert (verdicts["Small"].kind, verdicts["Small"].steps) == (VerdictKind.VIOLATED, 40)
    assert asked.sorts()["f"].size > narrow


FRESH = """
EXTENDS Integers
VARIABLES up, f
Init == up = {1, 2} /\\ f = [k \\in {} |-> 0]
Next == \\/ \\E b \\in up : up' = up \\ {b} /\\ f' = [k \\in {[to |-> c] : c \\in up} |-> k.to]
        \\/ up' = {1, 2} /\\ UNCHANGED f
"""


@pytest.mark.usefixtures("_listed")
def test_a_function_over_items_that_the_state_decides_is_made_from_nothing(tmp_path: Path) -> None:
    theirs, ours = _counts(translate_body(tmp_path, FRESH, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"))
    assert theirs == ours


ON_THE_WAY = """
EXTENDS Integers, FiniteSets, TLC
VARIABLES f, n
Init == f = (0 :> 0) /\\ n = 0
Next == /\\ n < 3 /\\ f' = [f EXCEPT ![0] = 1 - @]
        /\\ n' = IF [f EXCEPT ![0] = 50][0] = 50 THEN n + Cardinality(DOMAIN (f @@ (9 :> n))) - 1 ELSE n
Small == n < 3
"""


def test_a_value_on_the_way_to_what_is_assigned_may_be_none_of_the_variable(tmp_path: Path) -> None:
    config = "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE"
    asked = translate_body(tmp_path, ON_THE_WAY, config)
    found = ran("bmc", asked, depth=4, shortest=True)
    verdicts = {one.property_name: one for one in found.outcome.verdicts}
    assert (verdicts["Small"].kind, verdicts["Small"].steps) == (VerdictKind.VIOLATED, 3)
    assert not asked.translation.keeps_sorts
