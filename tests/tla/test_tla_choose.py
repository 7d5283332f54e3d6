"""CHOOSE from sets whose members the state decides: of integers it takes the least, as TLC does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import translate_body
from tests.support.tla_random import ran
from verifier.errors import UsageError
from verifier.tla.explorer import Explorer
from verifier.verdict import VerdictKind

CHOOSING = """
EXTENDS Integers
VARIABLES f, x
S == 1..3
Init == f \\in [S -> -1..1] /\\ x = 9
Range == {f[i] : i \\in S}
Chosen == CHOOSE n \\in SET : FITS
Next == x = 9 /\\ x' = Chosen /\\ f' = f
IsLeast == x # 9 => LET n == x IN (x \\in SET) /\\ (FITS) /\\ \\A n1 \\in SET : n1 < x => ~(OTHERS)
"""
CONFIG = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\nINVARIANT IsLeast\n"


def _body(members: str, fits: str) -> str:
    others = fits.replace("n ", "n1 ")
    return CHOOSING.replace("SET", members).replace("FITS", fits).replace("OTHERS", others)


@pytest.mark.parametrize("members", ["{f[1] - 1} \\cup Range", "{f[2], 0, f[3] + 1}", "Range \\cup {-3}"])
@pytest.mark.parametrize("fits", ["TRUE", "n # f[1] \\/ n = f[2]", "n >= f[1] => n >= f[3] - 1"])
def test_it_takes_the_least_that_fits(members: str, fits: str, tmp_path: Path) -> None:
    asked = translate_body(tmp_path, _body(members, fits), CONFIG)
    explorer = Explorer(asked.loaded.specification, properties=(), keep_going=True)
    explorer.explore()
    assert explorer.result.distinct == 54
    found = ran("explore", asked, keep_going=True).outcome
    assert found.statistics["distinct_states"] == 54
    assert {verdict.kind for verdict in found.verdicts} == {VerdictKind.HOLDS}


def test_none_that_fits_has_no_value(tmp_path: Path) -> None:
    asked = translate_body(tmp_path, _body("{f[2], f[3] + 1}", "n > f[1]"), CONFIG)
    with pytest.raises(UsageError, match="CHOOSE finds no element"):
        ran("explore", asked, keep_going=True)
