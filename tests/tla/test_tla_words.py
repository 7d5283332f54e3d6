"""The order of strings is TLC's: by when it first meets the word, in its own modules too."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.command_line import ROOT, verify
from tests.support.tlc_words import table
from verifier.tla.config import read_config
from verifier.tla.loading import read_module

TLC = ROOT.parent / "shared" / "tla"
JARS = [str(TLC / name) for name in ("tla2tools.jar", "CommunityModules.jar")]
with_tlc = pytest.mark.skipif(
    not Path(JARS[0]).is_file() or shutil.which("javac") is None, reason="TLC or a JDK is not there"
)
MODULES = {
    "A": r"""EXTENDS B, Bags
CONSTANT k1, k2
VARIABLE xvar
I == INSTANCE C
Init == xvar = "zzzstring"
Next == [xvar' = xvar]_xvar /\ {"setmapped" : y \in {"bound"}} = {}
Pairs == {<<"e1">> : y \in {"e2"}, z \in {"e3"}}
Map == [f \in {"f1"} |-> "f2"]
Some == {y \in {"g1"} : y = "g2"}
Local == LET q == "i1" IN q = "i2"
Arms == CASE xvar = "k1" -> "k3" [] OTHER -> "k4"
Numbered == "7" # "8" /\ 8 > 7
""",
    "B": 'EXTENDS Integers, TLC\nbword == "bstring"\n',
    "C": 'EXTENDS Sequences\nLOCAL INSTANCE E\nCONSTANT k1\ncword == "cstring"\nD(a) == a = "dd"\n',
    "E": 'eword == "estring"\n',
}
CONFIG = 'CONSTANTS k1 = {mv1, "cfgstr", mv2}\n k2 = k2\nINIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n'
MET = (
    *("mv1", "cfgstr", "mv2", "k2", "STRING", "EXTENDS", "Bags", "k1", "xvar", "setmapped"),
    *("8", "7", "Integers", "bword", "IsABag", "n", "S", "e"),
    *("_TLCTrace", "console", "Print", "cword", "eword", "bstring", "action", "estring", "cstring", "dd"),
    *("zzzstring", "bound", "e2", "e3", "e1", "f1", "f2", "g1", "g2", "i1", "i2", "k3", "k4"),
)
"""Some of the words, in the order in which TLC's own table has them; ``setmapped`` is met later."""


def _write_both(folder: Path) -> tuple[Path, Path]:
    for name, body in MODULES.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{body}====\n")
    (folder / "A.cfg").write_text(CONFIG)
    return folder / "A.tla", folder / "A.cfg"


def _ours(module: Path, config: Path) -> list[str]:
    library = read_module(module, [TLC / "library"])[1]
    return list(dict.fromkeys((*(word for _, word in read_config(config).words), *library.words)))


def test_words_are_met_in_the_order_of_the_table(tmp_path: Path) -> None:
    ours = _ours(*_write_both(tmp_path))
    met = [word for word in MET if word not in ("setmapped", "console")]
    assert sorted(met, key=ours.index) == met
    assert ours.index("bound") < ours.index("setmapped") < ours.index("e2")
    assert ours.index("action") < ours.index("estring")


def _find_misplaced(module: Path, config: Path) -> list[tuple[str, str]]:
    """Neighbours that TLC has the other way round, and words that it does not have."""
    ours = _ours(module, config)
    theirs = table(module.resolve(), config.resolve(), JARS, str(TLC / "library"))
    places = {word: number for number, word in enumerate(theirs)}
    known = [word for word in ours if word in places]
    wrong = [pair for pair in pairwise(known) if places[pair[0]] > places[pair[1]]]
    more = [("", word) for word in ours if word not in places]
    return [pair for pair in wrong if not pair[0].startswith("N_")] + more


@pytest.mark.thorough
@with_tlc
def test_tlc_has_the_words_in_that_order(tmp_path: Path) -> None:
    assert _find_misplaced(*_write_both(tmp_path)) == []


@with_tlc
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "examples/SlidingPuzzles/SlidingPuzzles",
        "examples/acp/ACP_NB_TLC",
        "examples/MultiPaxos-SMR/MultiPaxos_MC",
        "examples/nbacg_guer01/nbacg_guer01",
    ],
)
def test_tlc_has_the_words_of_examples_in_that_order(name: str) -> None:
    module = TLC / f"{name}.tla"
    config = module.with_suffix(".cfg")
    if not config.is_file():
        pytest.skip(f"there is no {config.name}")
    assert _find_misplaced(module, config) == []


CHOSEN = r"""
EXTENDS Naturals
VARIABLE x
Init == x = (CHOOSE v \in {WORDS} : TRUE)
Next == UNCHANGED x
Inv == x = "FIRST"
"""


@pytest.mark.parametrize("command", ["explore", "prove", "bmc --depth 1", "bmc --depth 1 --steps serial"])
@pytest.mark.parametrize(
    ("words", "first"),
    [
        ('"b", "a"', "a"),
        ('"zz", "yy"', "zz"),
        ('"q", "S"', "S"),
        ('"s", "n", "Nat"', "Nat"),
        ('"2", "1"', "1"),
    ],
)
def test_choose_takes_the_word_that_tlc_met_first(
    words: str, first: str, command: str, tmp_path: Path
) -> None:
    body = CHOSEN.replace("WORDS", words).replace("FIRST", first)
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    done = verify(*command.split(), "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == 0, done.output


def test_what_rests_on_the_order_of_computed_strings_is_said(tmp_path: Path) -> None:
    body = "EXTENDS TLC\nVARIABLE x\nInit == x = CHOOSE v \\in {ToString(<<17>>), ToString(<<18>>)} : TRUE\n"
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}Next == UNCHANGED x\n====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    done = verify("explore", "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == 0
    assert 'no text has the strings "<<17>>", "<<18>>": TLC may order them in another way' in done.output
