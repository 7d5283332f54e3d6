r"""``-N`` in proofs for all constants: at given constants N is a number too, but not one that is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.outcomes.run import Run
from verifier.runs.asking import execute
from verifier.runs.loaded import ReadingOptions
from verifier.runs.loading import load
from verifier.runs.prove_options import ProveOptions

pytestmark = pytest.mark.usefixtures("few_drawn_states")

MODULE = r"""---- MODULE Negated ----
EXTENDS Integers
CONSTANT N
ASSUME N \in Nat
VARIABLE d
TypeOK == d \in -N..N
Init == d = 0
Next == NEXT
Claim == d >= -N
Beyond == d >= 1 - N
Deep == -N >= -3 \/ d # -4
====
"""


def _prove(folder: Path, action: str) -> Run:
    (folder / "Negated.tla").write_text(MODULE.replace("NEXT", action))
    (folder / "Negated.cfg").write_text("CONSTANT N = 3\nINIT Init\nNEXT Next\n")
    loaded = load(str(folder / "Negated.tla"), {}, reading=ReadingOptions(None, (), ()))
    asked = ("TypeOK", "Claim", "Beyond", "Deep")
    return execute("prove", loaded, ProveOptions(properties=asked, all_constants=True, timeout=40))


@pytest.mark.parametrize("action", [r"d > -N /\ d' = d - 1", r"d' \in {d - 1, N} \cap -N..N"])
def test_a_negated_constant_is_read_at_each_value(action: str, tmp_path: Path) -> None:
    """The configuration has N = 3. A violation of Deep needs N = 4."""
    verdicts = {one.property_name: one.kind.name for one in _prove(tmp_path, action).outcome.verdicts}
    found = {"Beyond": "VIOLATED", "Deep": "VIOLATED"}
    others = {name: kind for name, kind in verdicts.items() if name not in found}
    assert others == {"TypeOK": "PROVED", "Claim": "PROVED"}
    assert "PROVED" not in (verdicts["Beyond"], verdicts["Deep"])
    assert "VIOLATED" in (verdicts["Beyond"], verdicts["Deep"])
