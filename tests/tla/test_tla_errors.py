"""Malformed modules and configurations: each is one clear error with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.sampling import first_of
from tests.support.tla_modules import explore_module, write_module
from verifier.errors import UsageError
from verifier.tla.frames import Undefined
from verifier.tla.loading import read_module

GOOD = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == x >= 0\n"
CONFIG = "INIT Init\nNEXT Next"
BEGINS = "7:1: syntax error in the part that begins here, at `P`"

MODULES = {
    "an unknown name": ("VARIABLE x\nInit == x = y\nNext == x' = x", "M.tla:3:13: unknown operator y"),
    "a set without its module": (
        "VARIABLE x\nInit == x = 1\nNext == x' = x\nP == x \\in Nat",
        "unknown operator Nat: it is in the module Naturals; add it to EXTENDS",
    ),
    "a Community Module's operator": (
        GOOD + "P == Cardinality(SetToSeq({})) = 0",
        "it is in the module",
    ),
    "a name nearly right": (GOOD + "P == Initt", "unknown operator Initt; did you mean Init?"),
    "a variable without a value behind a function": (
        "VARIABLES f, x\nInit == f = [n \\in {TRUE} |-> n]\nNext == UNCHANGED <<f, x>>",
        "Init leaves x without a value",
    ),
    "an operator without its module": (
        "VARIABLE x\nInit == x = 1 + 1\nNext == x' = x",
        "the module Naturals",
    ),
    "a module that is not there": ("EXTENDS Nowhere\n" + GOOD[17:], "M.tla:2:9: there is no module Nowhere"),
    "a standard module misspelt": ("EXTENDS Natrals\n" + GOOD[17:], "did you mean Naturals?"),
    "a name that is defined below": (GOOD + "P == Q\nQ == 1", "M.tla:7:6: Q is defined only below, in line"),
    "recursion without RECURSIVE": (
        GOOD + "F(n) == IF n = 0 THEN 0 ELSE F(n - 1)",
        "F is not known within its own definition: say RECURSIVE F",
    ),
    "a word of the language": (GOOD + "IN == 1", "IN is a word of the language"),
    "conflicting junctions": (GOOD + "P == x = 0 \\/ x = 1 /\\ x = 2", "conflicting precedences"),
    "chained implications": (GOOD + "P == x = 0 => x = 1 => x = 2", "=> and => have conflicting precedences"),
    "chained comparisons": (GOOD + "P == 0 < x < 2", "< and < have conflicting precedences"),
    "ENABLED beside =": (GOOD + "P == ENABLED x = 1", "conflicting precedences"),
    "too few arguments": (GOOD + "Op(a, b) == a + b\nP == Op(1) = 2", "Op takes 2 arguments, 1 is given"),
    "too many arguments": (GOOD + "Op(a) == a\nP == Op(1, 2) = 2", "Op takes 1 argument, 2 are given"),
    "no arguments": (GOOD + "Op(a) == a\nP == Op = 2", "Op takes 1 argument, 0 are given"),
    "a name defined twice": (GOOD + "Inv == TRUE", "Inv has a meaning already"),
    "a bound name that is a variable": (
        GOOD + "P == \\A x \\in {1} : x = 1",
        "7:9: x has a meaning already (from 3:10)",
    ),
    "a bound name of a quantifier around": (
        GOOD + "P == /\\ \\A s \\in {1} : s = 1 /\\ \\E s \\in {2} : s = 2",
        "s has a meaning already (from 7:12): rename one of them",
    ),
    "a parameter that is a variable": (GOOD + "Op(x) == x", "x has a meaning already"),
    "a value where an operator is": (GOOD + "H(F(_)) == F(1)\nP == H(3) = 1", "an operator of 1 argument"),
    "an operator of another arity": (
        GOOD + "H(F(_)) == F(1)\nT(a, b) == a\nP == H(T) = 1",
        "T does not take 1",
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
    "no instance": (GOOD + "P == x!Foo", "x is not an instance of a module"),
    "no label": (GOOD + "P == Inv!Foo", "Inv has no label Foo"),
    "a part that is not there": (
        GOOD + "C == /\\ TRUE\n     /\\ TRUE\nP == C!3",
        "there is no part 3: it has 2",
    ),
    "@ outside EXCEPT": (GOOD.replace("x = 0", "x = @"), "@ has a meaning only in what EXCEPT assigns"),
    "text that is not TLA+": (GOOD + "P == (1 + ", "syntax error"),
    "a comment without an end": (GOOD + "(* never", "this comment does not end"),
    "Next that forgets a variable": (
        GOOD.replace("VARIABLE x", "VARIABLES x, y"),
        "leaves y without a value",
    ),
    "a guard that is not a truth": (GOOD.replace("x' = 1 - x", "x /\\ x' = 0"), "TRUE or FALSE is expected"),
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
        "M.cfg:1:1: INITT is not a keyword of a configuration; did you mean INIT?",
    ),
    "a sign": ("INIT = Init", "INIT expects a name"),
    "INIT without NEXT": ("INIT Init\nINVARIANT Inv", "INIT and NEXT belong together"),
    "nothing to explore": ("INVARIANT Inv", "names no SPECIFICATION"),
    "both ways": ("SPECIFICATION Init\nINIT Init\nNEXT Next", "SPECIFICATION stands beside INIT or NEXT"),
    "an unknown invariant": (
        f"{CONFIG}\nINVARIANT Inw",
        "INVARIANT Inw: M defines no Inw; did you mean Inv?",
    ),
    "an action as invariant": (f"{CONFIG}\nINVARIANT Next", "it is about two states"),
    "an unknown constant that is replaced": (
        f"{CONFIG}\nCONSTANT N <- Inv",
        "M has no constant or definition N",
    ),
    "a constant without a value": (f"{CONFIG}\nCONSTANT Inv =", "the configuration ends after this"),
    "a set without an end": (f"{CONFIG}\nCONSTANT Inv = {{1, 2", "the configuration ends after this"),
    "an operator that is not there": (f"{CONFIG}\nCONSTANT Inv <- Foo", "defines no Foo"),
    "a module that is not used": (f"{CONFIG}\nCONSTANT Inv <- [Foo]Init", "M does not use the module Foo"),
    "INIT twice": ("INIT Init\nINIT Init\nNEXT Next", "INIT stands here a second time"),
    "CHECK_DEADLOCK of something": (f"{CONFIG}\nCHECK_DEADLOCK maybe", "takes TRUE or FALSE, not maybe"),
    "a comment without an end": ("(* never", "this comment does not end"),
    "SYMMETRY of something": (f"{CONFIG}\nSYMMETRY Init", "SYMMETRY Init: it is about one state"),
}


SEQUENCES = GOOD.replace("Integers", "Integers, Sequences, FiniteSets, TLC, TLCExt, Json")


def _init(formula: str) -> str:
    return SEQUENCES.replace("x = 0", formula)


MODULES |= {
    "a constant that is a variable": (f"{GOOD}CONSTANT x", "7:10: x has a meaning already"),
    "a parenthesis that is not closed": (GOOD + "P == (1 + 2", "7:6: syntax error: this ( is not closed"),
    "a parenthesis that is not opened": (GOOD + "P == 1 + 2)", "7:11: syntax error: this ) closes"),
    "a definition without ==": (GOOD + "P 1 + 2", "7:2: == is missing here"),
    "a definition with =": (
        "---- MODULE M ----\nP = /\\ TRUE\n====\n",
        "unexpected `=`; a definition is written",
    ),
    "no operator between": (GOOD + "P(a) ==\n  /\\ Q(a) a = 1", "an operator, or the :: of a label, is"),
    "an assignment": (GOOD + "P := 3", BEGINS),
    "IF without ELSE": (GOOD + "P == IF TRUE THEN 1", BEGINS),
    "LET without IN": (GOOD + "P == LET a == 1", BEGINS),
    "CASE without anything": (GOOD + "P == CASE", BEGINS),
    "a string without an end": (GOOD + 'P == "abc', '7:10: " is missing here'),
    "a prime of a prime": (GOOD.replace("x' = 1", "(x')' = 1"), "a prime stands below another one"),
    "a prime in Init": (GOOD.replace("x = 0", "x' = 0"), "or in a formula of initial states"),
    "a parameter twice": (GOOD + "Op(a, a) == a", "7:7: a has a meaning already (from 7:4)"),
    "a name bound again inside": (
        GOOD + "P == \\A a \\in {1} : \\E a \\in {2} : a = 1",
        "a has a meaning already",
    ),
    "a LET that hides a definition": (GOOD + "P == LET Inv == 1 IN Inv", "Inv has a meaning already"),
    "a standard name defined anew": (SEQUENCES + "Len(s) == 1", "from the standard module Sequences"),
    "an instance of nothing": (GOOD + "I == INSTANCE Foo", "there is no module Foo"),
    "something put for nothing": (GOOD + "I == INSTANCE Integers WITH q <- 1", "Integers declares no q"),
    "an assumption about variables": (GOOD + "ASSUME x = 0", "an assumption is about constants only"),
    "an assumption that is not a truth": (GOOD + "ASSUME 3", "TRUE or FALSE is expected here: it is 3"),
    "EXCEPT of a number": (_init("x = [1 EXCEPT ![1] = 2]"), "a function is expected here: it is 1"),
    "Len of a set": (_init("x = Len({1})"), "a sequence is expected here"),
    "a field that is not there": (_init("x = [a |-> 1].b"), "the record [a |-> 1] has no field b"),
    "a number applied": (_init("x = 3[1]"), "3 is applied to 1, but it is not a function"),
    "IF of a number": (_init("x = IF 1 THEN 2 ELSE 3"), "TRUE or FALSE is expected here: it is 1"),
    "a quantifier over a number": (_init("\\E y \\in 3 : x = y"), "a set is expected here: it is 3"),
    "UNION of numbers": (_init("x = UNION {1, 2}"), "a set is expected here"),
    "the size of Nat": (_init("x = Cardinality(Nat)"), "Nat cannot be counted: it is infinite"),
    "a sum of a string": (_init('x = 1 + "a"'), "an integer is expected here"),
    "an integer too large": (_init("x = 2147483647 + 1"), "beyond TLC's integers of 32 bits"),
    "a number too large": (GOOD + "P == 2147483648", "2147483648 is beyond TLC's integers of 32 bits"),
    "a number too large, in hexadecimal": (GOOD + "P == \\hFFFFFFFFF", "beyond TLC's integers of 32 bits"),
    "a negative power": (_init("x = 2 ^ (0 - 1)"), "2 ^ -1 has no value"),
    "parts of what is not a tuple": (_init("\\A <<a, b>> \\in {1} : x = a"), "tuples of 2 are expected"),
    "Assert": (_init('x = 0 /\\ Assert(FALSE, "no way")'), "Assert fails: no way"),
    "recursion without an end": (
        _init("x = R(0)").replace("Init ==", "RECURSIVE R(_)\nR(n) == R(n + 1)\nInit =="),
        "R calls itself without an end",
    ),
    "the next state before it has a value": (
        GOOD.replace("x' = 1", "x' > 0 /\\ x' = 1"),
        "x has no value in the next state yet",
    ),
    "a temporal formula in Init": (GOOD.replace("x = 0", "x = 0 /\\ <>(x = 1)"), "has no value in a state"),
    "TLCGet of what was not set": (_init("x = TLCGet(7)"), "TLCGet(7): no value was set"),
    "an operator that is not supported": (
        SEQUENCES.replace("x' = 1 - x", "x' = 1 - x /\\ PickSuccessor(TRUE)"),
        "PickSuccessor of the module TLCExt is not supported",
    ),
    "JSON": (_init('x = JsonSerialize("a.json", 1)'), "JsonSerialize writes a file or runs a program"),
    "an algorithm without its translation": (
        "EXTENDS Integers\n(* --algorithm A\nbegin\n  skip;\nend algorithm *)\n",
        "INIT Init: M defines no Init",
    ),
}  # fmt: skip

CONFIGS |= {
    "a constraint that is not a truth": (f"{CONFIG}\nCONSTRAINT Three", "TRUE or FALSE is expected"),
    "an action as constraint": (f"{CONFIG}\nCONSTRAINT Next", "CONSTRAINT Next: it is about two states"),
    "a temporal action constraint": (f"{CONFIG}\nACTION_CONSTRAINT Live", "it is temporal"),
    "a temporal invariant": (f"{CONFIG}\nINVARIANT Live", "name it under PROPERTY"),
    "a view that is not there": (f"{CONFIG}\nVIEW Iny", "VIEW Iny: M defines no Iny; did you mean Inv?"),
    "an alias that is not there": (f"{CONFIG}\nALIAS Foo", "ALIAS Foo: M defines no Foo"),
    "an unknown property": (f"{CONFIG}\nPROPERTY Foo", "PROPERTY Foo: M defines no Foo"),
    "an action as property": (f"{CONFIG}\nPROPERTY Next", "it is about one step: say [][Next]_v"),
    "CHECK_DEADLOCK of nothing": (f"{CONFIG}\nCHECK_DEADLOCK", "ends after this: TRUE or FALSE is expected"),
    "an operator of another arity": (f"{CONFIG}\nCONSTANT Op <- Three", "Three takes no arguments, Op 1"),
    "deadlocks twice": (f"{CONFIG}\nCHECK_DEADLOCK TRUE CHECK_DEADLOCK FALSE", "stands here a second time"),
    "a chain": (f"{CONFIG}\nCONSTANTS N <- Op Op <- Init", "something is put for Op itself"),
    "values for arguments that it does not take": (
        f"{CONFIG}\nCONSTANT Op(1, 2) = 3",
        "Op takes 1 argument, and has 2 here",
    ),
    "arguments of a constant": (f"{CONFIG}\nCONSTANT Three(1) = 3", "Three takes no arguments, and has 1"),
    "no arguments": (f"{CONFIG}\nCONSTANT Op() = 3", "Op() has no arguments: write Op = value"),
    "two values for the same arguments": (f"{CONFIG}\nCONSTANT Op(1) = 3 Op(1) = 4", "a second value here"),
    "values for one and for two arguments": (
        f"{CONFIG}\nCONSTANT Op(1) = 3 Op(1, 2) = 4",
        "Op has 2 arguments here, and 1 before",
    ),
    "an operator for arguments": (f"{CONFIG}\nCONSTANT Op(1) <- Three", "= and a value are expected, not <-"),
    "arguments without an end": (f"{CONFIG}\nCONSTANT Op(1 2) = 3", "a comma or ) is expected, not 2"),
    "two signs": ("INIT == Init\nNEXT Next", "1:6: = stands here, where INIT expects a name"),
    "a sign that is none": (f"{CONFIG}\nINVARIANT Inv;", "3:14: ';' is not expected"),
    "a number too large": (f"{CONFIG}\nCONSTANT Inv = 3000000000", "3:16: the number 3000000000 is beyond"),
    "a specification without steps": ("SPECIFICATION Init", "has no [][Next]_vars"),
    "a specification with parameters": ("SPECIFICATION Op", "it takes 1 argument, none are expected"),
    "SYMMETRY of numbers": (f"{CONFIG}\nSYMMETRY Three", "SYMMETRY expects a set of permutations"),
    "a specification without Init": ("SPECIFICATION Steps", "Steps does not define initial states"),
    "a constant for a view": (f"{CONFIG}\nVIEW Three", "3:6: VIEW Three: it is the same in all states"),
    "a postcondition of a state": (f"{CONFIG}\nPOSTCONDITION Inv", "POSTCONDITION Inv: it reads x"),
    "Next as Init": ("INIT Next\nNEXT Next", "or in a formula of initial states"),
    "Init as Next": ("INIT Init\nNEXT Init", "leaves x without a value"),
    "INIT of nothing": ("INIT\nNEXT Next", "1:1: INIT needs a name"),
    "nothing at all": ("\\* nothing", "names no SPECIFICATION, and no INIT and NEXT"),
    "a number as operator": (f"{CONFIG}\nCONSTANT Three <- 3", "the name of an operator is expected"),
    "a module without a bracket": (f"{CONFIG}\nCONSTANT Three <- [M Init", "] is expected after the"),
    "JSON": ('{"init": 1}', "1:8: ':' is not expected"),
}  # fmt: skip


@pytest.mark.parametrize("case", MODULES)
def test_malformed_module(case: str, tmp_path: Path) -> None:
    body, words = MODULES[case]
    with pytest.raises((UsageError, Undefined)) as caught:
        explore_module(tmp_path, body, CONFIG)
    _clear(str(caught.value), words, tmp_path)


@pytest.mark.parametrize("case", CONFIGS)
def test_malformed_configuration(case: str, tmp_path: Path) -> None:
    config, words = CONFIGS[case]
    with pytest.raises((UsageError, Undefined)) as caught:
        explore_module(
            tmp_path, f"{GOOD}Three == 3\nOp(a) == a\nLive == <>(x = 1)\nSteps == [][Next]_x\n", config
        )
    _clear(str(caught.value), words, tmp_path)


def test_a_truth_in_small_letters_is_a_model_value(tmp_path: Path) -> None:
    body = GOOD.replace("x = 0", "On /\\ x = 0").replace("VARIABLE", "CONSTANT On\nVARIABLE")
    with pytest.raises((UsageError, Undefined)) as caught:
        explore_module(tmp_path, body, f"{CONFIG}\nCONSTANT On = true")
    _clear(str(caught.value), "it is true, a model value; is TRUE meant?", tmp_path)


@pytest.mark.parametrize("formula", ["N + 1 > x", "N > x", "x \\in 0..N"])
def test_a_word_for_a_number_names_its_option(formula: str, tmp_path: Path) -> None:
    """The value of a configuration has no option."""
    path = write_module(tmp_path, GOOD.replace("x >= 0", formula).replace("VARIABLE", "CONSTANT N\nVARIABLE"))
    path.with_suffix(".cfg").write_text(f"{CONFIG}\nINVARIANT Inv\nCONSTANT N = two\n")
    words = verify("explore", str(path)).stderr
    assert re.search("an integer is expected .*: it is two", words)
    assert "--set" not in words
    words = verify("explore", str(path), "--set", "N=three").stderr
    assert re.search("an integer is expected .*: it is three, a model value from --set N=three", words)


def test_an_error_of_the_first_states_is_told_once(tmp_path: Path) -> None:
    path = write_module(
        tmp_path, GOOD.replace("VARIABLE x", "VARIABLES x, y").replace("x = 0", "x = 0 /\\ y = 0")
    )
    path.with_suffix(".cfg").write_text(CONFIG)
    words = "leaves y without a value (UNCHANGED y would keep its value)"
    assert verify("explore", str(path)).stderr.count(words) == 1


@pytest.mark.parametrize(
    ("action", "where"),
    [
        ("IF x = 0 THEN y' = 1 ELSE TRUE", "in the ELSE branch at line 10, column 33"),
        ("CASE x = 0 -> y' = 1 [] OTHER -> x < 3", "in the arm OTHER at line 10, column 40"),
        ("((y' = 1 /\\ x = 0) \\/ x < 3)", "in the disjunct at line 10, column 29"),
        (
            "(UNCHANGED <<x, y>> \\/ x > 3 \\/ x = 0)",
            "in the disjunct at line 10, column 30 or in the disjunct at line 10, column 39",
        ),
        ("Part(x)", "in the THEN branch at line 9, column 18"),
    ],
)
def test_the_branch_that_forgets_a_variable_is_named(action: str, where: str, tmp_path: Path) -> None:
    body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\n\n\n\nPart(n) == IF n > 0\n"
    body += f"            THEN TRUE ELSE y' = 0\nDo == {action}\nNext == x' = 1 - x /\\ Do\n"
    path = write_module(tmp_path, f"EXTENDS Integers\n{body}")
    path.with_suffix(".cfg").write_text(CONFIG)
    said = f"Next leaves y without a value {where} (UNCHANGED y there would keep its value), in Next (after"
    assert said in verify("explore", str(path)).stderr


def test_the_place_of_an_error_is_told_from_the_uses_of_its_operators(tmp_path: Path) -> None:
    """A configuration uses Inv: it has no place in the module."""
    body = GOOD.replace("Inv == ", "First(s) == s[1]\nInv == First(<<>>) = 1 /\\ ")
    path = write_module(tmp_path, body)
    path.with_suffix(".cfg").write_text(f"{CONFIG}\nINVARIANT Inv\n")
    line = body[: body.index("Inv ==")].count("\n") + 2
    said = f", in First (used at line {line}, column 8), in Inv (after 0 steps; in the state x = 0)"
    assert said in verify("explore", str(path)).stderr


def test_a_deadlock_says_how_it_is_allowed(tmp_path: Path) -> None:
    path = write_module(tmp_path, GOOD.replace("x' = 1 - x", "x < 2 /\\ x' = x + 1"))
    config = path.with_suffix(".cfg")
    config.write_text(CONFIG)
    words = " ".join(verify("explore", str(path)).stdout.split())
    assert "to end this way, put CHECK_DEADLOCK FALSE in M.cfg, or add an action that leaves" in words
    config.write_text(f"{CONFIG}\nCHECK_DEADLOCK FALSE\n")
    words = verify("explore", str(path), "--deadlock").stdout
    assert "to end this way, add an action that leaves" in words


def test_a_search_that_ended_early_says_why(tmp_path: Path) -> None:
    path = write_module(tmp_path, GOOD.replace("x' = 1 - x", "x' \\in {x - 1, x + 1}"))
    path.with_suffix(".cfg").write_text(f"{CONFIG}\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    words = verify("explore", str(path)).stdout
    assert "Exploration ended once everything was decided; " in words
    assert "sorts are guessed from 1 states" not in verify("check", str(path)).stderr


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
        explore_module(tmp_path, body, CONFIG)
    words = ":5:11: division by 0, in F (used at line 6, column 9), in G (used at line 7, column 14), in Next"
    assert words in str(caught.value)


def test_a_module_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "M.tla"
    path.write_text(f"---- MODULE M ----\n{GOOD}")
    with pytest.raises(UsageError, match="==== is missing at the end"):
        read_module(path)


def test_a_value_for_what_the_module_does_not_name_is_passed_over(tmp_path: Path) -> None:
    """As TLC does: s1 is a model value in the set all the same."""
    body = "CONSTANT S\nVARIABLE x\nInit == x \\in S\nNext == UNCHANGED x"
    explorer = explore_module(
        tmp_path, body, f"{CONFIG}\nCONSTANTS s1 = 1\n  quiet = {{3}}\n  S = {{s1, s2}}"
    )
    assert explorer.result.distinct == 2


@pytest.mark.parametrize(
    "engine",
    [["explore"], ["bmc", "--depth", "60", "--solver", "cadical"], ["prove", "--no-explore"]],
    ids=" ".join,
)
@pytest.mark.parametrize("length", first_of([3, 50], 1))
def test_an_error_names_the_steps_to_its_state(engine: list[str], length: int, tmp_path: Path) -> None:
    body = f"""EXTENDS Naturals, Sequences
CONSTANT Client
VARIABLES n, q
Init == n = 0 /\\ q = <<>>
Tick(c) == n < {length} /\\ n' = n + 1 /\\ UNCHANGED q
Take == n = {length} /\\ q' = Tail(q) /\\ UNCHANGED n
Next == Take \\/ \\E c \\in Client : Tick(c)
Inv == n \\in 0..{length}
"""
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Client = {a}\nINVARIANT Inv")
    result = verify(*engine, str(write_module(tmp_path, body)))
    assert result.exit_code == 2
    steps = ", ".join(["…"] * (length > 40) + ["Tick(c=a)"] * min(length, 40))
    assert f"(after {length} steps: {steps}; in the state n = {length} /\\ q = <<>>)" in result.stderr


def test_a_symmetry_without_a_value_is_an_error_with_its_place(tmp_path: Path) -> None:
    body = "EXTENDS TLC, Integers\nCONSTANT S\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n"
    body += "Symm == Permutations(S)\n"
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT S = {a, b}\nSYMMETRY Symm\nINVARIANT Inv")
    module = str(write_module(tmp_path, f"{body}Inv == x \\in 0..1\n"))
    result = verify("explore", module, "--set", "S=a")
    assert result.exit_code == 2
    assert "M.tla:7:9: SYMMETRY has no value: a set is expected here: it is a" in result.stderr


def test_an_error_hides_no_violation_that_was_found(tmp_path: Path) -> None:
    """Q has no value after three steps, and P is violated after one."""
    body = (
        "EXTENDS Integers\nVARIABLES x, y\nInit == x = 0 /\\ y = {0}\n"
        "Next == x < 4 /\\ x' = x + 1 /\\ y' = IF x = 2 THEN \"a\" ELSE {x}\n"
        "P == x # 1\nQ == 7 \\notin y\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS P Q\nCHECK_DEADLOCK FALSE\n")
    module = str(write_module(tmp_path, body))
    for by in ("translation", "interpreter"):
        done = verify("explore", "--by", by, module)
        assert "P" in done.stdout, by
        assert "VIOLATED in 1 step" in done.stdout, by
        assert done.exit_code == 10, by


def test_what_an_error_comes_after_is_checked_first(tmp_path: Path) -> None:
    """As in TLC: the state that the first disjunct gives is violated before the second has no value."""
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals, Sequences\nVARIABLES c, x\nInit == c = 0 /\\ x = <<>>\n"
        "Next == \\/ c < 2 /\\ c' = c + 1 /\\ UNCHANGED x\n"
        "        \\/ c = 1 /\\ x' = Head(x) /\\ UNCHANGED c\nInv == c < 2\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    result = verify("explore", str(tmp_path / "M.tla"), "--by", "interpreter")
    assert result.exit_code == 10
    assert "VIOLATED in 2 steps" in result.stdout
    (tmp_path / "M.cfg").write_text("INIT Init NEXT Next")
    result = verify("explore", str(tmp_path / "M.tla"), "--by", "interpreter")
    assert result.exit_code == 2
    assert "after 1 step: Next(); in the state c = 1" in result.stderr


def test_infinite_sets_are_compared_without_their_members(tmp_path: Path) -> None:
    write_module(tmp_path, GOOD.replace("x >= 0", "Nat \\subseteq Int /\\ ~(Int \\subseteq Nat)"))
    (tmp_path / "M.cfg").write_text(f"{CONFIG}\nINVARIANT Inv")
    result = verify("explore", str(tmp_path / "M.tla"), "--by", "interpreter")
    assert result.exit_code == 0, result.stderr
