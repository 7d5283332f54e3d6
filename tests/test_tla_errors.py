"""Malformed modules and configurations: each is one clear error with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tla_modules import explored
from verifier.errors import UsageError
from verifier.tla.frames import Undefined
from verifier.tla.loading import read_module

GOOD = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == x >= 0\n"
CONFIG = "INIT Init\nNEXT Next"

MODULES = {
    "an unknown name": ("VARIABLE x\nInit == x = y\nNext == x' = x", "M.tla:3:13: unknown operator y"),
    "a name nearly right": (GOOD + "P == Initt", "unknown operator Initt; did you mean Init?"),
    "an operator without its module": (
        "VARIABLE x\nInit == x = 1 + 1\nNext == x' = x",
        "the module Integers",
    ),
    "a module that is not there": ("EXTENDS Nowhere\n" + GOOD[17:], "M.tla:2:9: there is no module Nowhere"),
    "conflicting junctions": (GOOD + "P == x = 0 \\/ x = 1 /\\ x = 2", "conflicting precedences"),
    "chained implications": (GOOD + "P == x = 0 => x = 1 => x = 2", "=> and => have conflicting precedences"),
    "chained comparisons": (GOOD + "P == 0 < x < 2", "< and < have conflicting precedences"),
    "ENABLED beside =": (GOOD + "P == ENABLED x = 1", "conflicting precedences"),
    "too few arguments": (GOOD + "Op(a, b) == a + b\nP == Op(1) = 2", "Op takes 2 arguments, 1 are given"),
    "too many arguments": (GOOD + "Op(a) == a\nP == Op(1, 2) = 2", "Op takes 1 argument, 2 are given"),
    "no arguments": (GOOD + "Op(a) == a\nP == Op = 2", "Op takes 1 argument, 0 are given"),
    "a name defined twice": (GOOD + "Inv == TRUE", "Inv has a meaning already"),
    "a bound name that is a variable": (GOOD + "P == \\A x \\in {1} : x = 1", "x has a meaning already"),
    "a parameter that is a variable": (GOOD + "Op(x) == x", "x has a meaning already"),
    "a value where an operator is": (GOOD + "H(F(_)) == F(1)\nP == H(3) = 1", "an operator of 1 argument"),
    "an operator of another arity": (
        GOOD + "H(F(_)) == F(1)\nT(a, b) == a\nP == H(T) = 1",
        "T is no operator of 1",
    ),
    "LAMBDA of another arity": (
        GOOD + "H(F(_)) == F(1)\nP == H(LAMBDA a, b : a) = 1",
        "an operator of 1 argument",
    ),
    "RECURSIVE without a definition": (GOOD + "RECURSIVE R(_)", "R is declared RECURSIVE and never defined"),
    "RECURSIVE of another arity": (GOOD + "RECURSIVE R(_)\nR(a, b) == a", "another number of arguments"),
    "a field twice": (GOOD + "P == [a |-> 1, a |-> 2]", "the field a stands here twice"),
    "an instance by itself": (GOOD + "I == INSTANCE Integers\nP == I", "I is an instance of a module"),
    "an operator that an instance lacks": (
        GOOD + "I == INSTANCE Integers\nP == I!Foo",
        "unknown operator I!Foo",
    ),
    "no instance": (GOOD + "P == Inv!Foo", "Inv is no instance of a module"),
    "a part that is not there": (
        GOOD + "C == /\\ TRUE\n     /\\ TRUE\nP == C!3",
        "there is no part 3: it has 2",
    ),
    "@ outside EXCEPT": (GOOD.replace("x = 0", "x = @"), "@ has no meaning outside EXCEPT"),
    "text that is no TLA+": (GOOD + "P == (1 + ", "cannot be read"),
    "a comment without an end": (GOOD + "(* never", "this comment does not end"),
    "Next that forgets a variable": (
        GOOD.replace("VARIABLE x", "VARIABLES x, y"),
        "leaves y without a value",
    ),
    "a guard that is no truth": (GOOD.replace("x' = 1 - x", "x /\\ x' = 0"), "TRUE or FALSE is expected"),
    "a value outside a domain": (GOOD.replace("x = 0", "x = <<1>>[2]"), "2 is not in the domain"),
    "a set that is infinite": (GOOD.replace("x = 0", "x \\in Nat"), "Nat cannot be listed: it is infinite"),
    "kinds that are not compared": (
        GOOD.replace("x = 0", 'x = 0 /\\ x = "a"'),
        "different kinds are compared",
    ),
    "an assumption that is false": (GOOD + "ASSUME Two == 1 = 2", "the assumption Two is false"),
    "CASE without a case": (GOOD.replace("x = 0", "x = CASE FALSE -> 1"), "no case of this CASE is true"),
    "CHOOSE of nothing": (GOOD.replace("x = 0", "x = CHOOSE y \\in {} : TRUE"), "CHOOSE finds no element"),
    "CHOOSE without a set": (GOOD.replace("x = 0", "x = CHOOSE y : TRUE"), "CHOOSE without a set"),
    "a constant without a value": (GOOD + "CONSTANT N", "constant N has no value"),
}  # fmt: skip

CONFIGS = {
    "an unknown keyword": (
        "INITT Init",
        "M.cfg:1:1: INITT is no keyword of a configuration; did you mean INIT?",
    ),
    "a sign": ("INIT = Init", "INIT expects a name"),
    "INIT without NEXT": ("INIT Init\nINVARIANT Inv", "INIT and NEXT belong together"),
    "nothing to explore": ("INVARIANT Inv", "names no SPECIFICATION"),
    "both ways": ("SPECIFICATION Init\nINIT Init\nNEXT Next", "SPECIFICATION stands beside INIT or NEXT"),
    "an unknown invariant": (
        f"{CONFIG}\nINVARIANT Inw",
        "INVARIANT Inw: M defines no Inw; did you mean Inv?",
    ),
    "an action as invariant": (f"{CONFIG}\nINVARIANT Next", "it speaks of two states"),
    "an unknown constant": (f"{CONFIG}\nCONSTANT N = 3", "M has no constant or definition N"),
    "a constant twice": (f"{CONFIG}\nCONSTANTS Inv = 1 Inv = 2", "gets a value here a second time"),
    "a constant without a value": (f"{CONFIG}\nCONSTANT Inv =", "the configuration ends after this"),
    "a set without an end": (f"{CONFIG}\nCONSTANT Inv = {{1, 2", "the configuration ends after this"),
    "an operator that is not there": (f"{CONFIG}\nCONSTANT Inv <- Foo", "defines no Foo"),
    "a module that is not used": (f"{CONFIG}\nCONSTANT Inv <- [Foo]Init", "M does not use the module Foo"),
    "INIT twice": ("INIT Init\nINIT Init\nNEXT Next", "INIT stands here a second time"),
    "CHECK_DEADLOCK of something": (f"{CONFIG}\nCHECK_DEADLOCK maybe", "takes TRUE or FALSE, not maybe"),
    "a comment without an end": ("(* never", "this comment does not end"),
    "SYMMETRY of something": (f"{CONFIG}\nSYMMETRY Init", "SYMMETRY Init: it speaks of one state"),
}


@pytest.mark.parametrize("case", MODULES)
def test_malformed_module(case: str, tmp_path: Path) -> None:
    body, words = MODULES[case]
    with pytest.raises((UsageError, Undefined)) as caught:
        explored(tmp_path, body, CONFIG)
    _clear(str(caught.value), words, tmp_path)


@pytest.mark.parametrize("case", CONFIGS)
def test_malformed_configuration(case: str, tmp_path: Path) -> None:
    config, words = CONFIGS[case]
    with pytest.raises(UsageError) as caught:
        explored(tmp_path, GOOD, config)
    _clear(str(caught.value), words, tmp_path)


def test_a_module_of_another_name(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text(f"---- MODULE Other ----\n{GOOD}====\n")
    with pytest.raises(UsageError, match="should have the file's name, M"):
        read_module(path)


def _clear(message: str, words: str, folder: Path) -> None:
    """One line, with a file, a line and a column."""
    assert words in message
    assert "\n" not in message
    assert re.match(r"M\.(tla|cfg):\d+:\d+: ", message.replace(f"{folder}/", ""))


def test_an_error_names_the_operators_around(tmp_path: Path) -> None:
    body = (
        "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nF(a) == 1 \\div a\nG(a) == F(a) + 1\nNext == x' = G(x)"
    )
    with pytest.raises(Undefined) as caught:
        explored(tmp_path, body, CONFIG)
    assert re.search(r":5:11: division by 0, in F \(6:9\), in G \(7:14\)", str(caught.value))
