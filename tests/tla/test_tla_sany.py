"""SANY's errors are errors, and texts that it accepts are accepted: SANY has read each of these texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tla_modules import explore_module, specify_module, value
from verifier.tla.errors import TlaError

BASE = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x\n"
OTHERS = {
    "Vars": "VARIABLE v\nStep == v' = 1\nInv == v = 1\n",
    "Consts": "CONSTANT C\nP == C\n",
    "Unary": "CONSTANT F(_)\nP == F(1)\n",
    "Primed": "CONSTANT C\nP == C'\n",
    "Updated": "CONSTANT C\nP == [C EXCEPT ![1] = 2]\n",
    "Inner": "CONSTANT C\nI == INSTANCE Vars WITH v <- C\n",
    "Both": "CONSTANT C\nVARIABLE v\nP == v' = C\n",
    "Again": "CONSTANT C\nVARIABLE v\nQ == v' = C\n",
    "Outer": "---- MODULE Inside ----\nV == 1\n====\n",
    "Applied": "EXTENDS Naturals\nCONSTANTS C, O(_, _)\nF(a) == O(a, C)\n",
}

LEVELS = {
    "P == (x')'": "6:10: a prime stands below another one: what it primes is about two states already",
    "P == ([]Init)'": "' takes at most what is about one state, and this is temporal",
    "A == x' = 1\nP == A'": "a prime stands below another one",
    "F(a) == a'\nP == F(x')": "7:9: F, for a, takes at most what is about one state",
    "F(a) == a'\nG(b) == F(b)\nP == G(x')": "8:9: G, for b, takes at most what is about one state",
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
    "P == [[a |-> x'] EXCEPT !.a = @'].a": "6:32: a prime stands below another one",
    "F(a) == a'\nP == [[a |-> x'] EXCEPT !.a = F(@)]": "F, for a, takes at most what is about one state",
    "G(r) == [r EXCEPT !.a = @']\nP == G([a |-> x'])": "G, for r, takes at most what is about one",
    "ASSUME [[a |-> 1] EXCEPT !.a = @'].a = 1": "an assumption is about constants only",
    "P == ENABLED []Init": "ENABLED takes at most what is about two states, and this is temporal",
    "THEOREM T == []Init\nP == ENABLED T": "ENABLED takes at most what is about two states",
    "P == UNCHANGED (x')": "UNCHANGED takes at most what is about one state",
    "P == [][[]Init]_x": "[A]_v takes at most what is about two states",
    "P == [][Next]_(x')": "[A]_v takes at most what is about one state",
    "P == <><<Next>>_(x')": "<<A>>_v takes at most what is about one state",
    "P == WF_(x')(Next)": "WF_v(A) takes at most what is about one state",
    "P == SF_x([]Init)": "SF_v(A) takes at most what is about two states",
    "P == {[]Init}": "a set or function takes at most what is about two states",
    "P == {a \\in {1} : []Init}": "and this is temporal",
    "P == {[]Init : a \\in {1}}": "and this is temporal",
    "P == [a \\in {1} |-> a][[]Init]": "and this is temporal",
    "P == <<[]Init>>": "a tuple takes at most what is about two states",
    "P == [a : []Init]": "and this is temporal",
    "P == [{1} -> []Init]": "and this is temporal",
    "P == [x EXCEPT ![1] = []Init]": "EXCEPT takes at most what is about two states",
    "P == CHOOSE a \\in {1} : []Init": "CHOOSE takes at most what is about two states",
    "P == CHOOSE a : []Init": "CHOOSE takes at most what is about two states",
    "P == ([]Init) = TRUE": "= takes at most what is about two states, and this is temporal",
    "P == ([]Init) \\in BOOLEAN": "\\in takes at most what is about two states, and this is temporal",
    "P == 1 + []Init": "+ takes at most what is about two states, and this is temporal",
    "H(F(_)) == F(1)\nP == H(LAMBDA a : []Init) + 1": "+ takes at most what is about two states",
    "H(F(_)) == F(x')\nG(a) == a'\nP == H(G)": "8:8: H gives this operator something that is about two",
    "H(F(_), b) == F(b)\nG(a) == a'\nP == H(G, x')": "H gives this operator something that is about two",
    "H(F(_), b) == F(b)\nP == H(LAMBDA a : a', x')": "H gives this operator something that is about two",
    "H(F(_), b) == F(b)\nK(F(_), b) == H(F, b)\nP == K(LAMBDA a : a', x')": "K gives this operator something",
    "H(F(_)) == F(x')\nK(F(_)) == H(F)\nP == K(LAMBDA a : a')": "K gives this operator something that is",
    "H(F(_)) == ENABLED F(x)\nP == H(LAMBDA a : []a)": "H, for F, takes at most what is about two states",
    "H(F(_)) == F(1)'\nP == H(LAMBDA a : x')": "H, for F, takes at most what is about one state",
    "RECURSIVE R(_)\nR(n) == IF n = 0 THEN x' ELSE R(n - 1)\nP == R(1)'": "a prime stands below another one",
    "RECURSIVE R(_)\nR(n) == IF n = 0 THEN 0 ELSE R(n - 1)'\nP == R(1)": "a prime stands below another one",
    "RECURSIVE R(_)\nR(a) == IF TRUE THEN a' ELSE R(a)": "R is RECURSIVE, so it cannot prime its argument a",
    "THEOREM (x')' = 1": "a prime stands below another one",
    "THEOREM Next /\\ []Init": "what is about two states stands beside a temporal formula",
    "ASSUME x = 0": "an assumption is about constants only, and this one is about one state",
    "ASSUME LET a == x IN a = 1": "an assumption is about constants only",
    "ASSUME 1' = 1": "an assumption is about constants only, and this one is about two states",
    "ASSUME ENABLED TRUE": "an assumption is about constants only, and this one is about one state",
    "I == INSTANCE Vars WITH v <- x'": "6:6: the instance of Vars puts something for v that is about two",
    "LOCAL INSTANCE Vars WITH v <- x'": "6:7: the instance of Vars puts something for v that is about two",
    "v == x'\nI == INSTANCE Vars": "7:6: the instance of Vars puts something for v that is about two",
    "P == LET I == INSTANCE Vars WITH v <- []Init IN I!Inv": "puts something for v that is temporal",
    "I == INSTANCE Both WITH C <- x, v <- x": "puts something for C that is about one state",
    "I == INSTANCE Primed WITH C <- x": "puts something for C that is about one state",
    "I == INSTANCE Inner WITH C <- x": "puts something for C that is about one state",
    "I == INSTANCE Updated WITH C <- []Init": "EXCEPT takes at most what is about two states",
    "I(u) == INSTANCE Vars WITH v <- u\nP == I(x')!Inv": "7:9: I!Inv, for u, takes at most",
    "I(v) == INSTANCE Vars\nP == I(x')!Inv": "7:9: I!Inv, for v, takes at most",
    "I == INSTANCE Vars WITH v <- x\nP == [](I!Step)": "[] of a formula about two states",
}  # fmt: skip

NAMES = {
    "NEW == 1": "6:1: NEW is a word of the language",
    "STATE == 1": "6:1: STATE is a word of the language",
    "DEF == 1": "6:1: DEF is a word of the language",
    "PICK == 1": "6:1: PICK is a word of the language",
    "VARIABLE ACTION": "6:10: ACTION is a word of the language",
    "P == \\A NEW \\in {1} : TRUE": "NEW is a word of the language",
    "a /\\ b == 1": "/\\ is a symbol of the language",
    "a' == 1": "' is a symbol of the language",
    "CONSTANT x": "6:10: x has a meaning already",
    "CONSTANT K\nVARIABLE K": "7:10: K has a meaning already",
    "CONSTANT K\nCONSTANT K(_)": "7:10: K has a meaning already",
    "---- MODULE In ----\n====\n---- MODULE In ----\n====": "8:1: the module In stands here a second time",
    "V == 1\n---- MODULE In ----\nV == 2\n====": "8:1: V has a meaning already",
    "---- MODULE In ----\nV == W\n====\nW == 1": "7:6: W is defined only below, in line 9",
    "---- MODULE In ----\nV == (x')'\n====": "7:10: a prime stands below another one",
    "INSTANCE Outer\nINSTANCE Inside": "7:10: there is no module Inside",
    "P == 1.5": "6:6: 1.5 is not an integer, and TLC has no other numbers",
    "P == 2 \\in ℕ": "6:12: unknown operator ℕ: define ℕ == Nat",
    "P == LET RECURSIVE R(_) IN 1": "R is declared RECURSIVE and never defined",
    "P == LET LOCAL RECURSIVE R(_) R(a) == a IN R(1)": "syntax error: unexpected",
    "RECURSIVE f(_)\nf[a \\in {1}] == a": "7:1: f was declared RECURSIVE with arguments",
    "RECURSIVE R(_)\nCONSTANT K\nR(a) == 1": "7:1: this constant declaration stands between RECURSIVE R",
    "RECURSIVE R(_)\nASSUME TRUE\nR(a) == 1": "7:1: this assumption stands between RECURSIVE R",
    "RECURSIVE R(_)\nTHEOREM TRUE\nR(a) == 1": "7:1: this theorem stands between RECURSIVE R",
    "f[a \\in DOMAIN f] == a": "6:16: f is not known within its own definition",
    "f[a \\in {1}] == a\nP == f[1, 2]": "7:6: the function f takes 1 argument, 2 are given",
    "f[a \\in {1}, b \\in {2}] == a\nP == f[1, 2, 3]": "the function f takes 2 arguments, 3 are given",
    "H(F(_)) == F(1)\nK(G(_)) == 1\nP == K(H)": "8:8: H takes an operator itself",
    "H(F(_, _)) == F(1, 2)\nP == H(LAMBDA a, Nat : Nat)": "7:18: Nat has a meaning already",
    "P == \\E a, Nat : TRUE": "6:12: Nat has a meaning already",
    **{
        f"P == {text}": "have conflicting precedences here: put parentheses"
        for text in ("2 * -1", "2 \\div -1", "2 ^ -1", "1 - 2 * -3", "7 % 4 % 2")
    },
    "I == INSTANCE Consts WITH C <- 1\nP == I!C": "7:8: unknown operator I!C: Consts has none",
    "I == INSTANCE Applied WITH C <- 1, O <- +\nP == I!O(1, 2)": "unknown operator I!O: Applied has none",
    "I == INSTANCE Applied WITH C <- 1, O <- 1\nP == I!F(1)": "O takes 2 arguments",
}  # fmt: skip

PROOFS = {
    "USE DEF Nothing": "6:9: unknown operator Nothing",
    "USE Init, Nothing": "6:11: unknown operator Nothing",
    "USE Nothing > 0": "6:5: unknown operator Nothing",
    "USE DEF x": "6:9: DEF names definitions, and x is declared",
    "USE MODULE Sequences": "6:5: the module Sequences stands in no EXTENDS and no INSTANCE",
    "HIDE Init": "6:6: HIDE takes the names of theorems, assumptions and steps",
    "THEOREM T == TRUE\nHIDE T!:": "7:6: HIDE takes the names of theorems",
    "RECURSIVE R(_)\nUSE R\nR(a) == 1": "7:1: this USE or HIDE stands between RECURSIVE R",
    "RECURSIVE R(_)\n---- MODULE In ----\n====\nR(a) == 1": "7:1: this module stands between RECURSIVE R",
    "RECURSIVE R(_)\nR(a) == a'": "R is RECURSIVE, so it cannot prime its argument a",
    "---- MODULE Naturals ----\n====": "6:1: the module Naturals is known by EXTENDS or INSTANCE",
    "INSTANCE Consts WITH C <- 1\n---- MODULE Consts ----\n====": "the module Consts is known by EXTENDS",
    "THEOREM TRUE\n<1> Nothing\n<1> QED": "7:5: unknown operator Nothing",
    "THEOREM TRUE\n<1> DEFINE F(a) == b\n<1> F(1) + G(1)\n<1> QED": "7:20: unknown operator b",
    "THEOREM TRUE\n<1> SUFFICES ASSUME NEW a PROVE a\n <2> a\n <2> QED\n<1> QED": "8:6: unknown operator a",
    "THEOREM TRUE\n<1> PICK a : a\n <2> a\n <2> QED\n<1> QED": "8:6: unknown operator a",
    "THEOREM TRUE\n<1> ASSUME NEW a PROVE a\n<1> CASE a\n<1> QED": "8:10: unknown operator a",
    "THEOREM ASSUME NEW a PROVE b": "6:28: unknown operator b",
    "THEOREM TRUE\n<*>a. QED": "7:1: a step <*> has no name: write its level, as in <1>a",
    "THEOREM TRUE\n<1> Init\n  <+> x\n  <*> QED\n  <*> QED\n<1> QED": "11:1: the proof of a step of level 1",
    "F(a) == a\nTHEOREM TRUE\n<1>a HAVE TRUE\n<1>b F(<1>a)\n<1> QED": "9:8: <1>a is a step HAVE",
    "F(a) == a\nTHEOREM TRUE\n<1>a CASE TRUE\n<1> QED BY F(<1>a)": "9:14: <1>a is a step CASE",
    "THEOREM TRUE\n<1> QED BY Nothing DEF Init": "7:12: unknown operator Nothing",
    "THEOREM TRUE\n<1> USE DEF Nothing\n<1> QED": "7:13: unknown operator Nothing",
    "THEOREM TRUE\n<1>1 TRUE BY <1>2\n<1>2 QED": "7:14: no step <1>2 stands before or around this one",
    "THEOREM []Init\n<1> HAVE x\n<1> QED": "7:5: HAVE takes what is constant where the goal is temporal",
    "THEOREM []Init\n<1> QED\n  <2> TAKE a \\in x\n  <2> QED": "8:7: TAKE takes what is constant",
    "THEOREM Init\n<1> []Init\n <2> WITNESS x\n <2> QED\n<1> QED": "8:6: WITNESS takes what is constant",
    "THEOREM []Init\n<1> CASE x = 0\n<1> QED": "7:5: CASE takes what is constant",
    "THEOREM TRUE\n<1> PICK a \\in x : []Init\n<1> QED": "7:16: PICK takes a constant set where its",
    "THEOREM ASSUME NEW a \\in []Init PROVE TRUE": "6:16: the set of NEW takes at most what is about two",
    "THEOREM T == ASSUME ASSUME NEW a, l:: a PROVE a PROVE 1": "6:35: a label cannot stand behind NEW",
    "F(a) == ENABLED a\nI == INSTANCE Unary": "7:6: the instance of Unary puts F for F, which tells equal",
    "G(a) == [a EXCEPT ![1] = @']\nI == INSTANCE Unary WITH F <- G": "puts G for F, which tells equal",
    "H(O(_), a) == O(a)\nG(a) == H(LAMBDA b : []b, a)\nI == INSTANCE Unary WITH F <- G": "puts G for F",
    "H(O(_), a) == O(a)'\nG(a) == H(LAMBDA b : a, 1)\nI == INSTANCE Unary WITH F <- G": "puts G for F",
    "I == INSTANCE Unary WITH F <- LAMBDA a : UNCHANGED a": "puts F for F, which tells equal arguments apart",
    "H(F(_)) == F(x)\nP == H([])'": "7:11: ' takes at most what is about one state, and this is temporal",
    "H(F(_)) == F(x')\nP == H(UNCHANGED)": "7:8: H gives this operator something that is about two states",
    "I == INSTANCE Unary WITH F <- []": "puts F for F, which tells equal arguments apart",
    "I == INSTANCE Consts WITH C <- 1\nJ == INSTANCE Consts WITH C <- I": "7:32: I is an instance of",
}  # fmt: skip

LAYOUT = {
    "P == /\\ IF x = 1\n     THEN TRUE ELSE FALSE": "7:6: this belongs to the item that begins in",
    "P == /\\ LET a == 1\n     IN a = 1\n     /\\ TRUE": "7:6: this belongs to the item that begins in",
    'P == "ä" = "ä" /\\ \\/ IF x = 1\n                  THEN TRUE ELSE FALSE': "right of column 19",
    "P == /\\ x = 1 +\n     2\n     /\\ TRUE": "syntax error: unexpected",
    "P == /\\ \\A a \\in {1} :\n     a = 1\n     /\\ TRUE": "syntax error: unexpected",
    "P == /\\ [x EXCEPT\n   ![1] = 2] = x": "syntax error: unexpected",
    "P == /\\ (\n     TRUE\n  )\n     /\\ TRUE": "syntax error: unexpected",
}  # fmt: skip

ACCEPTED = [
    "H(F(_)) == F(TRUE)\nP == H([]) /\\ H(<>)\nQ == <<H(ENABLED), H(UNCHANGED), H(')>> = H(~)",
    "H(_??_) == TRUE ?? FALSE\nP == H(-+->) \\/ H(~>)\nQ == <<H(\\cdot), H(/\\), H(\\/), H(=>)>>",
    "THEOREM T == ASSUME NEW a PROVE a\nUSE T, Init, 1 < 2, MODULE Naturals DEF Nat, >, T\nHIDE T DEF Init",
    "I == INSTANCE Applied WITH C <- 1, O <- +\nUSE I!F(1) DEF I, I!F\nASSUME A == TRUE\nHIDE A, MODULE M",
    "THEOREM TRUE\n<1>a TRUE\n<1>b HAVE TRUE\n<1> QED BY <1>a, <1>b, <1>a => TRUE",
    "THEOREM T == TRUE\n<1>1 TRUE\n <2>1 TRUE BY <1>1, <2>1\n <2> QED BY <2>1, T\n<1> HIDE <1>1\n<1> QED",
    "THEOREM []Init\n<1> TAKE a, b\n<1> HAVE a\n<1> SUFFICES x = 0\n <2> HAVE x\n <2> QED\n<1> QED",
    "THEOREM Init\n<1> HAVE x\n<1>1 CASE x\n<1>2 PICK a \\in x : Next\n<1> QED",
    "THEOREM TRUE\n<*> DEFINE F(a) == x.y\n<*> F(1)\n<*> QED BY F(2) DEF F",
    "THEOREM ASSUME NEW STATE s, NEW ACTION A, NEW F(_) PROVE F(s)\n<1> [][A]_s\n<1> QED",
    "THEOREM TRUE\n<1> SUFFICES ASSUME NEW a PROVE a\n <2> x\n <2> QED\n<1> HAVE a\n<1> QED",
    "THEOREM TRUE\n<1> ASSUME NEW a PROVE a\n <2> a\n <2> QED\n<1> PICK a : TRUE\n<1> a\n<1> QED",
    "THEOREM T == ASSUME NEW a, l:: a, ASSUME m:: a, NEW b PROVE b PROVE a",
    "G(a) == LET b == a' IN 1\nI == INSTANCE Unary WITH F <- G",
    "G(a) == \\A b \\in {a} : []b\nI == INSTANCE Unary WITH F <- G\nJ(H(_)) == INSTANCE Unary WITH F <- H",
    "RECURSIVE R(_)\nR(a) == ENABLED a",
    "---- MODULE Unary ----\n====\nI == INSTANCE Unary",
    'P == LET LOCAL A == "LET" LOCAL B(a) == LET LOCAL C == a IN C IN B(A)\nLOCAL INSTANCE Sequences',
    "I(c, O(_, _)) == INSTANCE Applied WITH C <- c, O <- O\nP == I(1, +)!F(2)",
    'P == "ä" = "ä" /\\ \\/ IF x = 1\n                   THEN TRUE ELSE FALSE',
    "P == \\/ x = 1\n     /\\ TRUE",
    'P == /\\ "ä" = "ä" /\\ \\/ x = 1\n                     + 1',
    "F(a, b) == a\nP == /\\ F(1,\n      2\n      ) = 1\n     /\\ TRUE",
    "P == \\/ x = 1\n          /\\ TRUE\n     \\/ TRUE\nQ == (/\\ x = 1\n      /\\ x = 2\n )",
    "P == {a \\in {1} : /\\ a = 1\n                   /\\ a = 2\n}",
    "P == /\\ x = 1 \\* here\n\\* a comment\n          + 1\n     /\\ TRUE",
    "EXTENDS Both, Again\nInit == v = C\nNext == P /\\ Q",
    "EXTENDS Both\nCONSTANT C\nVARIABLE v\nInit == v = C\nNext == P",
    "---- MODULE In ----\nV == 3\n====\nV == 4\nI == INSTANCE In\nP == V + I!V",
    "---- MODULE A ----\nV == 3\n====\n---- MODULE B ----\nEXTENDS A\nW == V\n====\nINSTANCE B\nP == W + V",
    "EXTENDS Outer, Naturals\nVARIABLE x\nINSTANCE Inside\nInit == x = V\nNext == x' = x",
    "ℕ == Nat\nP == 2 \\in ℕ",
    "RECURSIVE R(_), T(_)\nR(a) == 1\nP == T(1)\nT(a) == R(a)",
    "f[a \\in {1}, b \\in {2}] == a\nP == f[1, 2] = f[<<1, 2>>]",
    "f[<<a, b>> \\in {<<1, 2>>}] == a\nP == f[<<1, 2>>]",
    "f == [a \\in {<<1, 2>>} |-> a]\nP == f[1, 2]",
    "P == [Nat |-> 1, Int |-> 2].Nat\nQ == [BOOLEAN : {1}, STRING : {2}]",
    "EXTENDS RealTime\nInit == now = 0\nNext == now' = now\nP == RTBound(Next, now, 0, 1) /\\ RTnow(now)",
    "A == x' = x\nF(a) == []a\nP == F(A)",
    "P == [](LET a == 1 IN [Next]_x)",
    "F(a, b) == a /\\ b\nP == F(Next, []Init)",
    "P == IF Next THEN []Init ELSE TRUE",
    "P == [a \\in {1} |-> []Init]",
    "P == CASE []Init -> 1 [] OTHER -> 2",
    "P == [[a |-> [b |-> x']] EXCEPT !.a = [[b |-> 1] EXCEPT !.b = @']]",
    "P == [[a |-> x] EXCEPT !.a = LET z == @' IN z]",
    "EXTENDS Integers\nVARIABLE x\nInit == x = <<2 % -1, 2 - -1, 1 .. -1, 2 * SUBSET {1}>>\nNext == x' = x",
    "P == <<TRUE = ~TRUE, TRUE \\in SUBSET {}, ~ ~ TRUE>>",
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
    body = f"{text}\n" if text.startswith("EXTENDS") else f"{BASE}{text}\n"
    body += "Same(a) == a\n" if "CONSTANT K(_)" in text else ""
    config = "K <- Same" if "CONSTANT K(_)" in text else "C = 1" if text.startswith("EXTENDS Both") else ""
    specify_module(folder, body, f"INIT Init\nNEXT Next\nCONSTANTS {config}", **OTHERS)


@pytest.mark.parametrize(("text", "words"), (LEVELS | NAMES | PROOFS | LAYOUT).items())
def test_rejected(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError) as error:
        _specify(tmp_path, text)
    assert words in str(error.value)


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str, tmp_path: Path) -> None:
    _specify(tmp_path, text)


PASSED_OVER = [
    "THEOREM TRUE\n<1> INSTANCE Outer\n<1> Something\n<1> QED",
    "THEOREM TRUE\n<1>a TRUE\n<1> <1>a!1 => <1>a!Nothing\n<1> QED",
]
"""SANY rejects these: what an INSTANCE within a proof brings, and parts of steps are not looked at."""


@pytest.mark.parametrize("text", PASSED_OVER)
def test_what_is_passed_over_in_proofs(text: str, tmp_path: Path) -> None:
    _specify(tmp_path, text)


def test_what_two_modules_declare_is_one(tmp_path: Path) -> None:
    body = """EXTENDS Both, Again, Naturals
VARIABLE v
Init == v = C
Next == P /\\ Q
Inv == v = C"""
    found = explore_module(
        tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANT C = 3", **OTHERS
    ).result
    assert (found.distinct, found.violations) == (1, {})


def test_fields_with_names_of_sets(tmp_path: Path) -> None:
    """The grammar takes these names for the sets; names that are none of fields stay what they are."""
    text = """[Nat |-> "ä [Nat |-> 1]", STRING |-> 2, a |-> [x \\in {1}, y \\in BOOLEAN |-> TRUE]]"""
    table = "(<<1, FALSE>> :> TRUE @@ <<1, TRUE>> :> TRUE)"
    assert value(tmp_path, text) == f'[STRING |-> 2, Nat |-> "ä [Nat |-> 1]", a |-> {table}]'
    assert value(tmp_path, "[[Int |-> [TRUE |-> 1]] EXCEPT !.Int.TRUE = @ + 1].Int . TRUE") == "2"
    assert value(tmp_path, "[Real : {1}, FALSE : BOOLEAN]") == value(
        tmp_path, "{[Real |-> 1, FALSE |-> b] : b \\in BOOLEAN}"
    )


def test_an_instance_with_an_operator_as_parameter(tmp_path: Path) -> None:
    body = """EXTENDS Naturals
I(c, O(_, _)) == INSTANCE Applied WITH C <- c, O <- O
J(O(_, _)) == INSTANCE Applied WITH C <- 5
C == 7
ASSUME I(1, +)!F(2) = 3 /\\ I(10, LAMBDA a, b : b - a)!F(2) = 8 /\\ J(LAMBDA a, b : a * b)!F(2) = 10"""
    explore_module(tmp_path, body, "", **OTHERS)
