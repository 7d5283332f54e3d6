"""Proofs about few states: the interpreter continues soon if translating takes long."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.runs.modules.policy import POLICY

_TREE = """---- MODULE Small ----
EXTENDS Integers
VARIABLE tree
Ins(t, x) == LET RECURSIVE go(_)
                 go(n) == IF n = <<>> THEN <<x, <<>>, <<>>>>
                          ELSE IF x < n[1] THEN <<n[1], go(n[2]), n[3]>>
                          ELSE IF x > n[1] THEN <<n[1], n[2], go(n[3])>> ELSE n
             IN go(t)
RECURSIVE Height(_)
Height(t) == IF t = <<>> THEN 0
             ELSE LET a == Height(t[2]) b == Height(t[3]) IN 1 + (IF a > b THEN a ELSE b)
Init == tree = <<>>
Next == \\/ \\E x \\in 1..2 : tree' = Ins(tree, x)
        \\/ tree # <<>> /\\ tree' = tree[2]
Low == Height(tree) < 3
Lower == Height(tree) < 2
====
"""
_GRID = """---- MODULE Small ----
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x' \\in 0..59 /\\ y' = y
        \\/ y' \\in 0..59 /\\ x' = x
Low == x < 60
Lower == x + y < 60
====
"""


@pytest.mark.parametrize(
    ("module", "semantics"), [(_TREE, "interpreter"), (_GRID, "translation")], ids=["tree", "grid"]
)
def test_the_interpreter_continues_soon_after_it_has_seen_all_states(
    module: str, semantics: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No time for building is left here if all states were sampled, and the usual time if there are more."""
    monkeypatch.setattr(
        "verifier.runs.modules.refining.POLICY", replace(POLICY, building_seconds_if_explored=0.0)
    )
    path = tmp_path / "Small.tla"
    path.write_text(module)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Low Lower\n")
    done = verify("prove", str(path), "--format", "json")
    content = json.loads(done.stdout)
    results = {one["property"]: (one["verdict"], one["steps"]) for one in content["results"]}
    assert results == {
        "Low": ("PROVED", None),
        "Lower": ("VIOLATED", 2),
        "NoDeadlock": ("PROVED", None),
    }
    assert content["statistics"]["semantics"] == semantics
