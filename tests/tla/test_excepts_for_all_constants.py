r"""EXCEPT in proofs for all constants: within another one, after another one, and beyond the domain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from verifier.runs.asking import execute
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

pytestmark = pytest.mark.usefixtures("few_drawn_states")

NESTED = r"""---- MODULE Changed ----
EXTENDS Integers
CONSTANT Node
VARIABLE f
TypeOK == f \in [Node -> [Node -> 0..9]]
Init == f = [a \in Node |-> [b \in Node |-> 0]]
Next == \E a, b \in Node : f' = [f EXCEPT CHANGES]
Claim == \A a, b \in Node : f[a][b] <= 1
====
"""
BEYOND = r"""---- MODULE Changed ----
EXTENDS Integers
CONSTANT N
ASSUME N \in Nat
VARIABLES f, i
TypeOK == f \in [1..N -> 0..2] /\ i \in 0..N
Init == f = [k \in 1..N |-> 0] /\ i = 0
Next == i < N /\ i' = i + 1 /\ f' = [f EXCEPT ![i] = IF @ = 0 THEN 2 ELSE 1]
Claim == \A k \in 1..N : f[k] = IF k < i THEN 2 ELSE 0
Wrong == \A k \in 1..N : f[k] = 0
====
"""


def _prove(folder: Path, text: str, constants: str) -> Any:
    (folder / "Changed.tla").write_text(text)
    config = f"INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANTS TypeOK Claim\nCONSTANTS {constants}\n"
    (folder / "Changed.cfg").write_text(config + ("INVARIANT Wrong\n" if "Wrong" in text else ""))
    run = execute("prove", load(str(folder / "Changed.tla"), {}), ProveOptions(all_constants=True))
    return {one.property_name: (one.kind.name, one.steps) for one in run.outcome.verdicts}


@pytest.mark.parametrize(
    ("changes", "type_invariant", "claim"),
    [
        ("![a][b] = @ + 1, ![b] = [@ EXCEPT ![a] = IF @ > 0 THEN @ - 1 ELSE 9]", ("VIOLATED", 2), 1),
        ("![a] = [@ EXCEPT ![b] = IF @ > 0 THEN @ - 1 ELSE 9]", ("PROVED", None), 1),
        ("![a] = [@ EXCEPT ![b] = IF @ < 9 THEN @ + 1 ELSE 0]", ("PROVED", None), 2),
        ("![a][b] = LET old == @ IN IF old < 9 THEN old + 1 ELSE 0", ("PROVED", None), 2),
    ],
)
def test_the_old_part_is_known_within_another_except(
    changes: str, type_invariant: tuple[str, int | None], claim: int, tmp_path: Path
) -> None:
    """The comparison with the module would find a wrong reading."""
    found = _prove(tmp_path, NESTED.replace("CHANGES", changes), "Node = {a, b}")
    assert found == {"TypeOK": type_invariant, "Claim": ("VIOLATED", claim)}


def test_except_changes_nothing_beyond_the_domain(tmp_path: Path) -> None:
    """As in TLC: at i = 0 the function stays as it is."""
    found = _prove(tmp_path, BEYOND, "N = 3")
    assert found == {"TypeOK": ("PROVED", None), "Claim": ("PROVED", None), "Wrong": ("VIOLATED", 2)}
