"""Sorts are guessed from walks that go where values are new, and from like items of tuples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import specify_module
from verifier.tla.translate import scouting
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.scouting import Scout
from verifier.tla.translate.shapes import Shape
from verifier.tla.translate.translation import start_translation

CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"
CLIMBING = """EXTENDS Naturals
VARIABLES steps, top, noise
Init == steps = 0 /\\ top = 0 /\\ noise = {}
Next == /\\ steps < 12 /\\ steps' = steps + 1
        /\\ \\/ noise' \\in SUBSET (1..9) /\\ top' = 0
           \\/ noise' = {} /\\ top' = top + 1
"""
BOARD = r"""---- MODULE Board ----
EXTENDS Integers
VARIABLE board
Places == (0..4) \X (0..4)
Init == board = {{p} : p \in Places}
Next == \E a, b \in board : a # b /\ board' = (board \ {a, b}) \cup {a \cup b}
Some == board # {}
TypeOK == board \in SUBSET SUBSET Places
====
"""


def test_walks_begin_again_where_values_are_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of the first states are that deep, and nearly every step of a walk goes back to 0."""
    budget = replace(SAMPLING, scouted_successors=1_000_000, scouted=150, scouted_after_news=100)
    monkeypatch.setattr(scouting, "SAMPLING", budget)
    spec = specify_module(tmp_path, CLIMBING, CONFIG)
    with_walks = start_translation(spec, depth=12).shapes["top"].ints
    assert max(with_walks) == 12  # not 13: that takes more steps
    monkeypatch.setattr(scouting.Scout, "widen", lambda *_: None)
    assert max(start_translation(spec, depth=12).shapes["top"].ints) < 10


def test_many_successors_end_the_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scouts: list[Scout] = []
    right = Scout.widen

    def widen(self: Scout, shapes: Iterable[Shape], steps: int) -> None:
        right(self, shapes, steps)
        scouts.append(self)

    monkeypatch.setattr(scouting, "SAMPLING", replace(SAMPLING, scouted_successors=1_000))
    monkeypatch.setattr(Scout, "widen", widen)
    start_translation(specify_module(tmp_path, CLIMBING, CONFIG), depth=12)
    assert 1_000 <= scouts[0].generated < 1_000 + 513


LEDGERS = """EXTENDS Naturals, Sequences
CONSTANT Nil
VARIABLES kept, count, noise
Init == kept = <<Nil, Nil, Nil>> /\\ count = 0 /\\ noise = {}
Next == \\/ noise' \\in 1..60 /\\ UNCHANGED <<kept, count>>
        \\/ /\\ noise' = 0 /\\ count' = count + 1 /\\ count < 2
           /\\ kept' = [kept EXCEPT ![count + 1] = <<count, noise>>]
"""


def test_items_of_tuples_are_alike(tmp_path: Path) -> None:
    """The third is Nil in every state that is seen, and what the others are may be next."""
    found = start_translation(specify_module(tmp_path, LEDGERS, f"{CONFIG}\nCONSTANT Nil = Nil"), depth=3)
    rows = found.shapes["kept"].rows
    assert rows is not None
    assert rows.items[0] == rows.items[2]
    assert rows.items[2].rows is not None


def test_invariants_bound_variables_below_let(tmp_path: Path) -> None:
    body = """EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == x < 9000 /\\ x' = x + 1 /\\ y' = y
Inv == LET N == 20
           S == {n \\in 0..N * 200 : n # x}
       IN x \\in 0..N * 200 /\\ y \\in S \\cup {y}
"""
    spec = specify_module(tmp_path, body, f"{CONFIG}\nINVARIANT Inv")
    sample = start_translation(spec, depth=3)
    assert max(sample.shapes["x"].ints) == 4000
    assert max(sample.shapes["y"].ints) == 0  # S depends on the state


@pytest.mark.parametrize(
    "engine",
    [("prove", "--no-explore", "--by", "translation"), ("bmc", "--depth", "9", "--by", "translation")],
)
def test_states_that_are_too_large_are_refused_before_scouting(
    engine: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_to_scout(*_: object) -> None:
        raise AssertionError("scouted, although sorts only widen")

    monkeypatch.setattr(Scout, "widen", refuse_to_scout)
    (tmp_path / "Board.tla").write_text(BOARD)
    (tmp_path / "Board.cfg").write_text(f"{CONFIG} INVARIANTS Some TypeOK")
    command, *options = engine
    run = verify(command, str(tmp_path / "Board.tla"), "--property", "Some", *options)
    assert "more than 100,000 are taken for a mistake" in run.output
