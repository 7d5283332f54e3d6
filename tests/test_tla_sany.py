"""What SANY rejects is rejected, and what it accepts is accepted: each of these texts was given to SANY."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tla_modules import specified
from verifier.tla.errors import TlaError

BASE = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x\n"
OTHERS = {
    "Vars": "VARIABLE v\nStep == v' = 1\nInv == v = 1\n",
    "Consts": "CONSTANT C\nP == C\n",
    "Primed": "CONSTANT C\nP == C'\n",
    "Updated": "CONSTANT C\nP == [C EXCEPT ![1] = 2]\n",
    "Inner": "CONSTANT C\nI == INSTANCE Vars WITH v <- C\n",
    "Both": "CONSTANT C\nVARIABLE v\nP == v' = C\n",
}

LEVELS = {
    "P == (x')'": "6:8: ' takes at most what speaks of one state, and this speaks of two states",
    "P == ([]Init)'": "' takes at most what speaks of one state, and this is temporal",
    "A == x' = 1\nP == A'": "a prime stands below another one",
    "F(a) == a'\nP == F(x')": "7:9: F, for a, takes at most what speaks of one state",
    "F(a) == a'\nG(b) == F(b)\nP == G(x')": "8:9: G, for b, takes at most what speaks of one state",
    "F(a) == LET b == a' IN 1\nP == F(x')": "7:9: F, for a,",
    "P == LET F(a) == a' IN F(x')": "6:27: F, for a,",
    "A == x' = x\nP == []A": "[] of a formula about two states: only [][A]_v is allowed, written out",
    "A == [Next]_x\nP == []A": "[] of a formula about two states: only [][A]_v is allowed, written out",
    "A == <<Next>>_x\nP == []<>A": "<> of a formula about two states: only <><<A>>_v",
    "F(a) == a' = a\nP == []F(x)": "[] of a formula about two states",
    "P == LET a == x' = x IN []a": "[] of a formula about two states",
    "P == []<<Next>>_x": "[] of a formula about two states: only [][A]_v is allowed",
    "P == <>[Next]_x": "<> of a formula about two states: only <><<A>>_v is allowed",
    "P == [](\\A a \\in {1} : [Next]_x)": "[] of a formula about two states",
    "P == []([Next]_x /\\ [Next]_x)": "[] of a formula about two states",
    "P == \\EE y : <>(y' = x)": "<> of a formula about two states",
    "P == ENABLED []Init": "ENABLED takes at most what speaks of two states, and this is temporal",
    "THEOREM T == []Init\nP == ENABLED T": "ENABLED takes at most what speaks of two states",
    "P == UNCHANGED (x')": "UNCHANGED takes at most what speaks of one state",
    "P == [][[]Init]_x": "[A]_v takes at most what speaks of two states",
    "P == [][Next]_(x')": "[A]_v takes at most what speaks of one state",
    "P == <><<Next>>_(x')": "<<A>>_v takes at most what speaks of one state",
    "P == WF_(x')(Next)": "WF_v(A) takes at most what speaks of one state",
    "P == SF_x([]Init)": "SF_v(A) takes at most what speaks of two states",
    "P == {[]Init}": "a set or function takes at most what speaks of two states",
    "P == {a \\in {1} : []Init}": "and this is temporal",
    "P == {[]Init : a \\in {1}}": "and this is temporal",
    "P == [a \\in {1} |-> a][[]Init]": "and this is temporal",
    "P == <<[]Init>>": "a tuple takes at most what speaks of two states",
    "P == [a : []Init]": "and this is temporal",
    "P == [{1} -> []Init]": "and this is temporal",
    "P == [x EXCEPT ![1] = []Init]": "EXCEPT takes at most what speaks of two states",
    "P == CHOOSE a \\in {1} : []Init": "CHOOSE takes at most what speaks of two states",
    "P == CHOOSE a : []Init": "CHOOSE takes at most what speaks of two states",
    "P == ([]Init) = TRUE": "= takes at most what speaks of two states, and this is temporal",
    "P == ([]Init) \\in BOOLEAN": "\\in takes at most what speaks of two states, and this is temporal",
    "P == 1 + []Init": "+ takes at most what speaks of two states, and this is temporal",
    "H(F(_)) == F(1)\nP == H(LAMBDA a : []Init) + 1": "+ takes at most what speaks of two states",
    "H(F(_)) == F(x')\nG(a) == a'\nP == H(G)": "8:8: H gives this operator something that speaks of two",
    "H(F(_), b) == F(b)\nG(a) == a'\nP == H(G, x')": "H gives this operator something that speaks of two",
    "H(F(_), b) == F(b)\nP == H(LAMBDA a : a', x')": "H gives this operator something that speaks of two",
    "H(F(_), b) == F(b)\nK(F(_), b) == H(F, b)\nP == K(LAMBDA a : a', x')": "K gives this operator something",
    "H(F(_)) == F(x')\nK(F(_)) == H(F)\nP == K(LAMBDA a : a')": "K gives this operator something that speaks",
    "H(F(_)) == ENABLED F(x)\nP == H(LAMBDA a : []a)": "H, for F, takes at most what speaks of two states",
    "H(F(_)) == F(1)'\nP == H(LAMBDA a : x')": "H, for F, takes at most what speaks of one state",
    "RECURSIVE R(_)\nR(n) == IF n = 0 THEN x' ELSE R(n - 1)\nP == R(1)'": "a prime stands below another one",
    "RECURSIVE R(_)\nR(n) == IF n = 0 THEN 0 ELSE R(n - 1)'\nP == R(1)": "a prime stands below another one",
    "RECURSIVE R(_)\nR(a) == IF TRUE THEN a' ELSE R(a)": "R calls itself, so it cannot prime its argument a",
    "THEOREM (x')' = 1": "a prime stands below another one",
    "THEOREM Next /\\ []Init": "what speaks of two states stands beside a temporal formula",
    "ASSUME x = 0": "an assumption speaks of constants only, and this one speaks of one state",
    "ASSUME LET a == x IN a = 1": "an assumption speaks of constants only",
    "ASSUME 1' = 1": "an assumption speaks of constants only, and this one speaks of two states",
    "ASSUME ENABLED TRUE": "an assumption speaks of constants only, and this one speaks of one state",
    "I == INSTANCE Vars WITH v <- x'": "6:6: the instance of Vars puts something for v that speaks of two",
    "LOCAL INSTANCE Vars WITH v <- x'": "6:7: the instance of Vars puts something for v that speaks of two",
    "v == x'\nI == INSTANCE Vars": "7:6: the instance of Vars puts something for v that speaks of two",
    "P == LET I == INSTANCE Vars WITH v <- []Init IN I!Inv": "puts something for v that is temporal",
    "I == INSTANCE Both WITH C <- x, v <- x": "puts something for C that speaks of one state",
    "I == INSTANCE Primed WITH C <- x": "puts something for C that speaks of one state",
    "I == INSTANCE Inner WITH C <- x": "puts something for C that speaks of one state",
    "I == INSTANCE Updated WITH C <- []Init": "EXCEPT takes at most what speaks of two states",
    "I(u) == INSTANCE Vars WITH v <- u\nP == I(x')!Inv": "7:9: I!Inv, for u, takes at most",
    "I == INSTANCE Vars WITH v <- x\nP == [](I!Step)": "[] of a formula about two states",
}  # fmt: skip

ACCEPTED = [
    "A == x' = x\nF(a) == []a\nP == F(A)",
    "P == [](LET a == 1 IN [Next]_x)",
    "F(a, b) == a /\\ b\nP == F(Next, []Init)",
    "P == IF Next THEN []Init ELSE TRUE",
    "P == [a \\in {1} |-> []Init]",
    "P == CASE []Init -> 1 [] OTHER -> 2",
    "P == (ENABLED Next)' /\\ UNCHANGED 1 /\\ 1' = 1",
    "P == \\A a \\in {x'} : a' = 1",
    "P == {a' : a \\in {x'}}",
    "P == \\EE y : [][y' = x]_y",
    "P == []<><<Next>>_x /\\ <>[][Next]_x",
    "P == Next = TRUE",
    "CONSTANT K(_)\nP == K(x') = 1 /\\ K(1)' = 1",
    "G(H(_), a) == H(a)\nP == G(LAMBDA z : z', x)",
    "RECURSIVE R(_)\nR(a) == IF a = 0 THEN x ELSE R(a - 1)\nP == R(x)' = 1",
    "RECURSIVE R(_)\nR(a) == IF a = 0 THEN 1 ELSE R(a - 1)\nASSUME R(3) = 1",
    "RECURSIVE R(_)\nR(a) == ENABLED (x' = 1 /\\ R(a))\nP == R(1)'",
    "I == INSTANCE Consts WITH C <- x'\nP == I!P",
    "I == INSTANCE Consts WITH C <- []Init",
    "J(u) == INSTANCE Consts WITH C <- u\nP == J([]Init)!P",
    "I == INSTANCE Both WITH C <- 1, v <- x\nP == I!P",
    "I == INSTANCE Vars WITH v <- 1",
    "I(u) == INSTANCE Vars WITH v <- u\nP == I(x)!Step",
]


def _specify(folder: Path, text: str) -> None:
    body = text if text.startswith("EXTENDS") else f"{BASE}{text}\n"
    values = " ".join(f"{name} = 1" for name in ("K",) if "CONSTANT K\n" in text)
    put = " K <- Next0" if "CONSTANT K(_)" in text else ""
    config = f"CONSTANTS {values}{put}\n" if values or put else ""
    specified(folder, body + ("Next0(a) == a\n" if put else ""), config + "INIT Init\nNEXT Next\n", **OTHERS)


@pytest.mark.parametrize("text", LEVELS)
def test_levels(text: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError) as error:
        _specify(tmp_path, text)
    assert LEVELS[text] in str(error.value)


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str, tmp_path: Path) -> None:
    _specify(tmp_path, text)
