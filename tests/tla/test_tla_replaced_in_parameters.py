"""Substitutes for definitions of instances with parameters, as TLC has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, question_of, specify_module, translate_body
from verifier.runs.modules.refining import run_from_sample
from verifier.tla.errors import TlaError
from verifier.verdict import VerdictKind

TEXTS = {
    "A": "EXTENDS Naturals\nCONSTANT P\nLim == 3\nF(a) == a + Lim + P\n",
    "B": "EXTENDS Naturals\nCONSTANT Q\nJ(r) == INSTANCE A WITH P <- r\nG(a) == J(Q)!F(a)\n",
    "M": """EXTENDS Naturals
VARIABLE x
I(k) == INSTANCE B WITH Q <- k
One == 1
Id(a) == a + 1
Init == x = 0
Next == x < 9 /\\ x' \\in {I(1)!G(x), I(0)!J(1)!F(x)}
Inv == x < 9
""",
}


CONFIG = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\nCONSTANT "
OTHERS = {name: TEXTS[name] for name in ("A", "B")}


@pytest.mark.parametrize(("replaced", "steps"), [("Lim <-[A] One", 5), ("F <-[A] Id", 9), ("G <-[B] Id", 3)])
def test_the_substitute_takes_its_own_arguments(replaced: str, steps: int, tmp_path: Path) -> None:
    found = explore_module(tmp_path, TEXTS["M"], CONFIG + replaced, **OTHERS).result.violations
    assert [len(one.states) - 1 for one in found.values()] == [steps]
    made = translate_body(tmp_path, TEXTS["M"], CONFIG + replaced)
    (verdict,) = run_from_sample(question_of(made, "bmc", depth=9, shortest=True), made).outcome.verdicts
    assert (verdict.kind, verdict.steps) == (VerdictKind.VIOLATED, steps)


@pytest.mark.parametrize("replaced", ["F <-[A] One", "Lim <-[A] Id", "G <-[B] One"])
def test_a_substitute_with_other_arguments_is_refused(replaced: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="takes"):
        specify_module(tmp_path, TEXTS["M"], CONFIG + replaced, **OTHERS)
