"""Parts of definitions by their names, ``Op!2!(x)``: each of these was given to TLC."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, specify_module, write_module
from verifier.tla.errors import TlaError

pytestmark = pytest.mark.validation

DEFINITIONS = r"""
Q(a) == \A b \in {1,2} : b > a
Q2(a) == \A b \in {1,2}, c, d \in {3} : b > c + d
Q3 == \E b : b = 1
QT == \A <<m, n>> \in {<<1,2>>} : m < n
Ch == CHOOSE z \in {1,2} : z > 1
Fi == {y \in {1, 2, 3} : y > 2}
Im == {i + 1 : i \in {1,2}}
Im2 == {i + j : i \in {1,2}, j \in {5}}
Fn == [i \in {1,2} |-> i + 1]
Rf[i \in {1,2}] == i + 1
Le(a) == /\ a = 1
         /\ LET u == a + 1
                v(k) == k + a
            IN u + v(2)
Cs(a) == CASE a = 1 -> 5 [] a = 2 -> 6 [] OTHER -> 7
Re == [a |-> 1 + 1, b |-> 2]
Rs == [a : {1}, b : {2}]
Fs == [{1} -> {2}]
Ex == [Re EXCEPT !.a = 9, !.b = 8]
Dt == Re.a
Fa == <<4, 5>>[2]
Ng(x) == ~ (x = 1)
Ch3 == TRUE /\ FALSE /\ 1 = 1
Pr == {1} \X {2} \X {3}
Plus(a, b) == a + b * 2
IfO(a) == IF a = 1 THEN 3 ELSE 4
Lt == LET u == 1 IN u + 5
Lt2 == LET u == 1 w(x) == x * (u + 1) IN \A j \in {1} : j = u
Tu == <<7, 8 + 1>>
Lb == \A b \in {1,2} : lab(b):: (b > 1 /\ FALSE)
Lb2 == 1 + (lab:: 3 * 4)
Nest == \A b \in {1,2} : \E c \in {3, b} : c = b
Op(H(_), x) == H(x) + 1
Map(f(_), S) == {f(s) : s \in S}
Map2(f(_,_), S) == {f(s, s) : s \in S}
Map3(f(_,_,_), S) == {f(s, s, s) : s \in S}
B1 == LET u == 2 IN lab:: u + 3
B2(a) == LET u(k) == k * a IN \A b \in {1, 2} : lab(b):: (u(b) > 3 /\ LET z == 5 IN inn:: z + b = u(b))
B3(a) == LET u == a IN [i \in {1,2} |-> l(i):: i + u]
B4 == LET u(k) == ll:: k * 7 IN lab:: u(3) + 1
Fold(f(_, _), s, b) == f(s, b)
---- MODULE In ----
EXTENDS Integers
CONSTANT C
VARIABLE w
Sum(a) == a + C
All(a) == \A b \in {1,2} : lab(b):: b + Sum(a) + w > 3
Twice == Sum(4) * 2
====
I(C, w) == INSTANCE In
J == INSTANCE In WITH C <- 5, w <- 2
"""
VALUES = {
    "Q(0)!(2)": "TRUE",
    "Q(0)!(2)!1": "2",
    "Q(0)!1": "{1, 2}",
    "Map2(Q!@, {1,2})": "{FALSE}",
    "Map(Q, {1,2})": "{FALSE}",
    "Q2(0)!(1, 3, 3)": "FALSE",
    "Q2(0)!1": "{1, 2}",
    "Q2(0)!2": "{3}",
    "Q3!(1)": "TRUE",
    "QT!(1, 2)": "TRUE",
    "QT!1": "{<<1, 2>>}",
    "Ch!(2)": "TRUE",
    "Ch!1": "{1, 2}",
    "Fi!1": "{1, 2, 3}",
    "Fi!(3)": "TRUE",
    "Fi!(3)!2": "2",
    "Im!1": "{1, 2}",
    "Im!(5)": "6",
    "Im2!2": "{5}",
    "Im2!(5,6)": "11",
    "Fn!1": "{1, 2}",
    "Fn!(7)": "8",
    "Rf!(7)": "8",
    "Rf!1": "{1, 2}",
    "Le(1)!2!u": "2",
    "Le(1)!2!v(5)": "6",
    "Le(1)!2!v(5)!1": "5",
    "Le(1)!2!1": "5",
    "Le(1)!2!1!1": "2",
    "Le(1)!2": "5",
    "Cs(1)!1!1": "TRUE",
    "Cs(1)!1!2": "5",
    "Cs(1)!3!2": "7",
    "Re!1": "2",
    "Re!1!1": "1",
    "Re!2": "2",
    "Rs!1": "{1}",
    "Rs!2": "{2}",
    "Fs!1": "{1}",
    "Fs!2": "{2}",
    "Ex!1": "[a |-> 2, b |-> 2]",
    "Dt!1": "[a |-> 2, b |-> 2]",
    "Dt!2": '"a"',
    "Fa!1": "<<4, 5>>",
    "Fa!2": "2",
    "Ng(1)!1": "TRUE",
    "Ng(1)!1!<<": "1",
    "Ng(1)!1!>>": "1",
    "Ng(1)!<<": "TRUE",
    "Ch3!1": "FALSE",
    "Ch3!2": "TRUE",
    "Ch3!1!2": "FALSE",
    "Pr!1": "{1}",
    "Pr!3": "{3}",
    "Plus(1,2)!2": "4",
    "Plus(1,2)!>>!<<": "2",
    "Plus(1,2)!:": "5",
    "IfO(1)!2": "3",
    "Lt!1": "6",
    "Lt!1!2": "5",
    "Lt!:": "6",
    "Lt2!1": "TRUE",
    "Lt2!1!(3)": "FALSE",
    "Tu!2": "9",
    "Tu!2!1": "8",
    "Lb!lab(2)": "FALSE",
    "Lb!lab(2)!1": "TRUE",
    "Lb!(2)": "FALSE",
    "Lb!(2)!1": "TRUE",
    "Lb2!lab": "12",
    "Lb2!2": "12",
    "Lb2!2!1": "3",
    "Lb2!lab!1": "3",
    "Nest!(2)!(3)": "FALSE",
    "Nest!(2)!1": "{2, 3}",
    "Map2(Nest!@!@, {1})": "{TRUE}",
    "Op(LAMBDA y : y, 3)!1": "3",
    "Map(Fi!@, {1, 3})": "{FALSE, TRUE}",
    "Map2(Le!2!v, {1, 3})": "{2, 6}",
    "Map(Lb!lab, {1, 2})": "{FALSE}",
    "Map2(Plus!:, {1})": "{3}",
    "Map2(Plus!1, {1})": "{1}",
    "B1!lab": "5",
    "B2(2)!lab(2)": "FALSE",
    "B2(2)!lab(2)!inn": "FALSE",
    "B2(2)!lab(2)!2": "FALSE",
    "B2(2)!lab(2)!1!1": "4",
    "B3(5)!l(9)": "14",
    "B3(5)!1!(4)": "9",
    "B3(5)!1!(4)!2": "5",
    "B4!lab": "22",
    "B4!lab!1": "21",
    "LET D == 1 + 5 IN D!2": "5",
    "LET D(q) == q + 5 IN D(3)!1": "3",
    "LET D(q) == \\A b \\in {1} : b = q IN D(3)!(3)": "TRUE",
    "LET L(q) == LET m == q * 2 IN m + 1 IN L(4)!1!1": "8",
    "LET L(q) == LET m == q * 2 IN m + 1 IN L(4)!1": "9",
    "\\A g \\in {1,2} : LET D == g + 5 IN D!1 = g": "TRUE",
    "Fold(B3!1!@, 5, 1)": "6",
    "Fold(B3!l, 5, 1)": "6",
    "I(1, 2)!All(1)!(2)": "TRUE",
    "I(1, 2)!Twice!1": "5",
    "I(1, 2)!Twice!1!1": "4",
    "J!All(1)!lab(2)!1": "10",
    "J!Twice!1!1": "4",
    "J!Twice!<<": "9",
    "Fold(J!All!@, 2, 3)": "TRUE",
}
REFUSED = [
    "Q(0)!2",
    "Q(0)!@",
    "Q!(0)",
    "Map3(Q2!@, {1})",
    "Q2(0)!3",
    "Q3!1",
    "QT!(<<1, 2>>)",
    "Le(1)!2!:",
    "Cs(1)!1",
    "Cs(1)!3",
    "Cs(1)!3!1",
    "Ex!2",
    "Ex!2!1",
    "Ng(1)!>>",
    "Ch3!3",
    "Plus!2",
    "Plus!:",
    "IfO(1)!>>",
    "Lt!u",
    "Lt!2",
    "Lt2!w(4)",
    "Lt2!w(4)!2",
    "Lt2!(3)",
    "Lb!(2)!lab",
    "Map(Le!2!v, {1, 3})",
    "Op!1",
    "B4!ll",
    "Map(B3(5)!1!@, {1})",
    "Map(B4!lab, {1})",
    "I(1, 2)!Twice!1!2",
    "Map(J!Twice!:, {2})",
]  # fmt: skip


def test_parts_have_the_values_that_tlc_gives_them(tmp_path: Path) -> None:
    lines = "\n".join(f"ASSUME PrintT({part})" for part in VALUES)
    body = f"EXTENDS Integers, TLC, Sequences\n{DEFINITIONS}{lines}"
    assert explore_module(tmp_path, body, "").evaluator.printed == list(VALUES.values())


@pytest.mark.parametrize("part", REFUSED)
def test_what_sany_takes_for_no_part_is_refused(part: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError) as error:
        specify_module(tmp_path, f"EXTENDS Integers, TLC, Sequences\n{DEFINITIONS}P == {part}", "")
    assert error.value.place.line == DEFINITIONS.count("\n") + 3


BODY = r"""EXTENDS Naturals
VARIABLE x
Init == x = 0
Act == \E d \in 1..2, c \in {5} : LET y == x + d IN In(d, c):: /\ y < c /\ x' = y
Inv == \A d \in 0..3 : LET y == x + d IN x # 3 \/ d = y - 3
Next == %s
Has == %s
"""


@pytest.mark.parametrize("engine", ["explore", "bmc"])
@pytest.mark.parametrize(
    ("action", "claim", "code"),
    [
        ("Act!(1, 4)!1", "Inv!(0)!1!1", 10),
        ("Act!(2, 4)", "Inv!(3)", 0),
        ("Act!In(1, 4)", "x < 4", 0),
        ("Act!In(1, 4)", "Inv!(7)!1!2", 10),
        ("\\E k \\in 1..2 : Act!(k, 3)!1!1!2", "x < 4", 10),
    ],
)
def test_parts_of_actions_and_invariants(
    engine: str, action: str, claim: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Has\nCHECK_DEADLOCK FALSE\n")
    limits = ["--depth", "5", "--steps", "serial"] if engine == "bmc" else ["--depth", "5"]
    done = verify(engine, str(write_module(tmp_path, BODY % (action, claim))), *limits)
    assert done.exit_code == code, done.output


@pytest.mark.parametrize(
    "text",
    [
        "THEOREM l:: TRUE",
        "ASSUME l:: TRUE",
        "P == [[a |-> 1] EXCEPT !.a = (l:: @ + 1)]",
        "P == (l:: 1) + (l:: 2)",
        "P == l:: 1\nQ == P!m",
    ],
)
def test_labels_that_name_nothing_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="label"):
        specify_module(tmp_path, f"EXTENDS Integers\n{text}", "")


def test_labels_of_theorems_assumptions_and_functions(tmp_path: Path) -> None:
    body = r"""EXTENDS Integers, TLC
THEOREM T == \A a \in {1} : l(a):: 2 = a
ASSUME A == m:: \A a \in {1} : a = 1
F[a \in {1}] == n(a):: a + 1
ASSUME PrintT(<<T!l(2), T!(3), T!1, T!:, A!m!(4), A!m!1, F!n(5)>>)"""
    printed = explore_module(tmp_path, body, "").evaluator.printed
    assert printed == ["<<TRUE, FALSE, {1}, FALSE, FALSE, {1}, 6>>"]


OF_LETS = r"""EXTENDS Integers
COp(q, p) == CHOOSE x : lab(x) ::  LET a ++ b ==  {a, b, q, p, x}
                                   IN  <<q, 99 ++ p >>
COp2(q, p) == CHOOSE x : lab(x) ::  LET a ++ b ==  {lab(y):: y + a + b : y \in {1}}
                                    IN  <<q, 99 ++ p >>
OOp2(A(_, _), a, b) == A(a, b)
OOp5(A(_, _, _, _, _), a1, a2, a3, a4, a5) == A(a1, a2, a3, a4, a5)
OOp6(A(_, _, _, _, _, _), a1, a2, a3, a4, a5, a6) == A(a1, a2, a3, a4, a5, a6)
I == INSTANCE Symbols
J == INSTANCE Takes WITH A <- COp!@!++, B <- I!++
K(A(_, _, _, _, _), B(_, _)) == INSTANCE Takes
VARIABLE v
Init == v = 0
Next == v' = v
Inv == PART
"""
SYMBOLS = r"""---- MODULE Symbols ----
a ++ b == <<a, b>>
a \o b == <<b, a>>
====
"""
TAKES = "CONSTANTS A(_, _, _, _, _), B(_, _)\nFive == A(1, 2, 3, 4, 5)\nTwo == B(1, 2)\n"
BY_SYMBOLS = [
    "COp(1, 2)!(3)!++(4, 5) = {2,1, 3, 4, 5}",
    "COp(1, 2)!lab(3)!:!++(4, 5) = {2,1, 3, 4, 5}",
    "OOp5(COp!@!++, 1, 2, 3, 4, 5) = {2,1, 3, 4, 5}",
    "OOp5(COp!lab!:!++ , 1, 2, 3, 4, 5) = {2,1, 3, 4, 5}",
    r"OOp2(I!++, 1, 2) = <<1, 2>> /\ OOp2(I!\o, 1, 2) = <<2, 1>>",
    r"COp(1, 2)!(3)!1!>> = {99, 1, 2, 3} /\ COp(1, 2)!(3)!1!<<=1",
    r"COp2(1,2)!lab(3)!:!++(9,10)!lab(11) = 30 /\ COp2(1,2)!(3)!++(9,10)!(11) = 30",
    r"OOp6(COp2!lab!:!++!lab, 1, 2, 3, 9, 10, 11) = 30 /\ OOp6(COp2!@!++!@, 1, 2, 3, 9, 10, 11) = 30",
    r"J!Five = {1, 2, 3, 4, 5} /\ J!Two = <<1, 2>>",
    r"K(COp!@!++, I!++)!Five = {1, 2, 3, 4, 5} /\ K(COp!@!++, I!\o)!Two = <<2, 1>>",
]


@pytest.mark.parametrize("part", BY_SYMBOLS)
def test_operators_that_are_symbols_behind_names(part: str, tmp_path: Path) -> None:
    modules = {"Symbols": SYMBOLS, "Takes": f"---- MODULE Takes ----\n{TAKES}====\n"}
    for name, text in modules.items():
        (tmp_path / f"{name}.tla").write_text(text)
    text = OF_LETS.replace("PART", part)
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{text}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    done = verify("explore", "--spec", str(tmp_path / "M.tla"))
    assert done.exit_code == 0, done.output
