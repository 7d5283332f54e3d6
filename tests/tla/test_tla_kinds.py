"""Every operator on values of every kind: both readings have the same value, or none.

Two variables hold values of several kinds. Each template is read in all their states by both.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.sampling import rest_slow
from tests.support.tla_random import interpret, translate_in_state
from verifier.encodings.sorts import SortError
from verifier.errors import TooLargeError
from verifier.runs.modules.loading import formula_named, load
from verifier.runs.modules.translating import translate_module
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.rules import make_translator
from verifier.tla.translate.symbolic import Nothing, Untranslated
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import same

HEAD = (
    "EXTENDS Integers, Sequences, FiniteSets, TLC, Bags, FiniteSetsExt, SequencesExt, Functions, Folds,"
    " Bitwise\nCONSTANTS None, A\nVARIABLES x, y\n"
)
CONFIG = "CONSTANTS\n None = None\n A = A\nINIT Init\nNEXT Next\n"
EVERY = 'None; 1; "a"; TRUE; {}; {1}; <<>>; <<1>>; [a |-> 1]; (0 :> 1)'
UNIVERSES = {
    "scalars": ('1; 0; -1; "a"; None; TRUE', "1; 0; {}; {1}; None"),
    "sequences and others": ("<<>>; <<1>>; <<1, 2>>; <<2, 1, 1>>; None", "<<>>; <<1>>; <<1, 2>>; 1; None"),
    "records and sets": (
        "[a |-> 1]; [a |-> 1, b |-> 2]; [c |-> 1]; None; {1}",
        "[a |-> 1]; {}; {1}; 2; None",
    ),
    "functions of every kind": (
        "(0 :> 1 @@ 1 :> 2); <<1, 2>>; <<>>; (<<1, 2>> :> 1); (None :> 1); TRUE",
        "(0 :> 1); <<1, 2>>; <<>>; [a |-> 1]; 0",
    ),
    "sets of every kind": ('{}; {1}; {"a"}; {<<1>>}; None; <<1>>', '{}; {1}; {"a"}; 1'),
    "functions that may be sequences": (
        "(1 :> 1 @@ 3 :> 1); <<1, 2>>; <<>>; (2 :> 1)",
        '1; 2; 0; -1; "a"; {1}',
    ),
    "tuples of one length": ("<<1, 2>>; <<2, 2>>", "1; 2; <<1, 2>>; None; {1, 2}; (0 :> 1)"),
    "sets beside all": ("{}; {1}; {1, 2}; {3}", '1; {1}; "a"; None; <<1>>; {<<1>>}; {None}; {"a"}'),
    "everything": (EVERY, EVERY),
    "nine shapes of records": (
        "; ".join(f"[{name} |-> {number}]" for number, name in enumerate("abcdefghi")) + "; None; <<>>",
        '"a"; "z"; 1; <<>>; [a |-> 0]; [a |-> 0, b |-> 1]; None',
    ),
    "eight shapes of records": (
        "; ".join(f"[{name} |-> {number}]" for number, name in enumerate("abcdefgh")) + "; None",
        '"a"; "z"; 1; <<>>; [a |-> 0]; [a |-> 0, b |-> 1]; None',
    ),
    "members that are listed": (
        (
            '{[t |-> "p", b |-> <<1, 2, 3>>, c |-> {1, 2}, d |-> 3]}; {}; {<<1, 2, 3, 4>>};'
            ' {[t |-> "q", e |-> {1}], [t |-> "p", b |-> <<1, 2, 4>>, c |-> {1, 2, 5}, d |-> 3]}'
        ),
        '[t |-> "p", b |-> <<1, 2, 3>>, c |-> {1, 2}, d |-> 3]; <<1, 2, 3, 4>>; None; <<>>; {<<1, 2, 3, 4>>}',
    ),
    "sets in sequences": (
        "<<{1}, {2}>>; <<{1}>>; <<>>; <<{}, {}, {1, 2}>>",
        "{<<>>}; {{1}}; {1}; {}; <<{1}>>; 1",
    ),
    "functions to sets": (
        "(None :> {1}); (None :> {1} @@ A :> {}); <<>>; <<{1}>>",
        "None; A; 1; {1}; {A, None}",
    ),
}
QUICK = ("sets of every kind", "tuples of one length")
LATER = [one for one in UNIVERSES if one not in QUICK]
SETS = r"""
x \in y; x \notin y; x \subseteq y; x \cup y; x \cap y; x \ y; SUBSET x; UNION x; Cardinality(x)
IsFiniteSet(x); {x, y}
{x} = {y}; {x} \cup {y}; {x} \subseteq {y}; {x} \cap {y} = {}; {x} \ {y}; {x} \subseteq y; {x} \in {{y}}
x \X y; [x -> y]
[a : x]; [x -> {1}]; kSubset(x, y); kSubset(1, x); SetToSeq(x); Min(x); Max(x); {x} \in SUBSET y
{x} \subseteq Nat
(IF y = 1 THEN x ELSE {1}) \cup {2}; BoundedSeq({1}, x); {x} \subseteq [a : {1}]; Cardinality({x, y})
"""
MEMBERS = r"""
x \in Nat; x \in Int; x \in STRING; x \in BOOLEAN; x \in Seq({1, 2}); x \in Seq(y); x \in Seq(Nat)
x \in 0..2; x \in 0..y
x \in y..3; x \in SUBSET y; x \in SUBSET {1, 2}; x \in SUBSET Nat; x \in [a : {1}]; x \in [a : {1}, b : {2}]
x \in [a : y]
x \in [1..2 -> {1, 2}]; x \in [{0, 1} -> {1, 2}]; x \in [y -> {1, 2}]; x \in [DOMAIN x -> y]
x \in [1..1 -> Nat]
x \in {1, 2} \X {1, 2}; x \in y \X y; x \in {1} \X {2} \X {1}; x \in Nat \X Nat; x \in {1, 2}; x \in {y}
x \in {None, 1}
x \in {<<1>>, <<1, 2>>}; x \in {<<>>}; x \in {{1}, {}}; x \in {e + 1 : e \in {0, 1}}; x \in {1} \cup Nat
<<x>> \in {<<y>>, <<1>>}
x \in Nat \cup {None}; x \in Seq({1}) \cup {None}; x \in (IF y = 1 THEN Nat ELSE {1}); x \in [{} -> {1}]
<<x, y>> \in Nat \X Nat
x \in Seq(Seq(Nat)); x \in SUBSET Seq({1}); x \in {[a |-> 1], [a |-> 1, b |-> 2]}
x \in {[e \in {} |-> 1], <<1>>}
"""
FUNCTIONS = r"""
DOMAIN x; x[y]; x.a; x @@ y; x :> y; (x :> 1) @@ (y :> 2); (1 :> x) @@ y; [x EXCEPT ![y] = 5]
[x EXCEPT ![1] = y]
[x EXCEPT ![1] = @ + 1]; [x EXCEPT !.a = y]; [x EXCEPT ![1][1] = 3]; [x EXCEPT ![y] = @] = x
[x EXCEPT ![1].a = 2]
[e \in x |-> 1]; [e \in x |-> e]; [e \in DOMAIN x |-> x[e]]; [a |-> x].a; <<x>> = <<y>>
[a |-> x] = [a |-> y]; x = y; x # y
Range(x); IsInjective(x); Restrict(x, y); DOMAIN (x @@ y); (y :> x)[1]; (x @@ y)[1]
LET f[a \in x] == a IN f[y]
LET f[a \in x] == a IN DOMAIN f; (IF y = 1 THEN x ELSE <<1>>)[1]; x = [e \in {} |-> 1]
FoldFunction(LAMBDA a, b : a + b, 0, x)
x (+) y; x (-) y; x \sqsubseteq y; BagToSet(x); SetToBag(x); CopiesIn(y, x); BagIn(y, x); BagCardinality(x)
IsABag(x)
SetToBag(x) (+) y; SetToBag(x) (-) SetToBag(y); EmptyBag (+) x; <<0>> (-) x
"""
SEQUENCES = r"""
Len(x); Head(x); Tail(x); Append(x, y); x \o y; SubSeq(x, 1, 2); SubSeq(x, y, 2); SubSeq(x, 1, y)
Reverse(x); Last(x); Front(x)
SelectSeq(x, LAMBDA e : e = 1); SelectSeq(x, LAMBDA e : e = y); FoldLeft(LAMBDA a, b : a + b, 0, x)
Cons(y, x); RemoveAt(x, 1)
FoldRight(LAMBDA a, b : a + b, x, 0); Contains(x, y); IsPrefix(x, y); Remove(x, y); InsertAt(x, 1, y)
ReplaceAt(x, 1, y)
Head(Append(x, y)); Len(x \o y); Append(x, y)[1]; x \o <<y>> = <<1, 2>>; Tail(x) \in Seq({1})
Len(IF y = 1 THEN x ELSE <<1>>)
"""
SCALARS = r"""
x < y; x >= y; x + y; x - y; -x; x * y; x \div y; x % y; x ^ y; x .. y; x & y; x | y; x ^^ y; shiftR(x, y)
x /\ y; x \/ y; ~x; x => y; x <=> y; IF x THEN 1 ELSE 2; IF x = y THEN x ELSE y; IF x = None THEN y ELSE x
x + 2147483647
CASE x = 1 -> 1 [] y = 1 -> 2 [] OTHER -> 3; LET z == x IN z = y; Assert(x, y); 2147483647 + (x - y)
"""
BOUND = r"""
\A e \in x : e = y; \E e \in x : e = y; \A e \in x : e \in y; \E e \in x : e = 1; \A e \in x : TRUE
\E e \in x : FALSE
CHOOSE e \in x : TRUE; CHOOSE e \in x : e = y; {e \in x : e = y}; {e \in x : TRUE}; {<<e>> : e \in x}
{e[1] : e \in x}
\A <<e, f>> \in x : e = f; \E e \in SUBSET x : e = y; \E e \in SUBSET x : Cardinality(e) = 1
\E e \in [x -> {1, 2}] : TRUE
\E e \in x \X y : e[1] = e[2]; \E e \in [a : x] : e.a = y; \A e \in 1..x : e < 3; \A e \in 1..y : x[e] = 1
\E e \in UNION x : e = 1
\E <<e, f>> \in x : TRUE; {<<e, f>> \in x : TRUE}
\A e \in DOMAIN x : x[e] = 1; FoldSet(LAMBDA a, b : a + b, 0, x); {{e, 0} : e \in x}
\E e \in (IF y = 1 THEN x ELSE {1}) : e = 1
MapThenFoldSet(LAMBDA a, b : a + b, 0, LAMBDA e : e, LAMBDA S : CHOOSE e \in S : TRUE, x)
"""
TEMPLATES = [
    one.strip()
    for group in (SETS, MEMBERS, FUNCTIONS, SEQUENCES, SCALARS, BOUND)
    for one in re.split(r"[;\n]", group)
    if one.strip()
]
_OF_STRINGS = re.compile(r"Len\(|SubSeq\(|\\o|Front\(|IsPrefix\(|RemoveAt\(|Contains\(")
"""Strings are no sequences to the translation, which has no value there."""


def _agree(one: Value | None, other: Value | None) -> bool:
    if one is None or other is None:
        return one is other
    try:
        return same(one, other)
    except NoValue:
        return False


def differences(folder: Path, universe: tuple[str, str], templates: list[str]) -> tuple[list[str], int]:
    """Return the differences between the two readings of templates, and the number of compared values."""
    init = " /\\ ".join(
        "(" + " \\/ ".join(f"{name} = {value}" for value in values.split("; ")) + ")"
        for name, values in zip("xy", universe, strict=True)
    )
    body = f"{HEAD}Init == {init}\nNext == UNCHANGED <<x, y>>\n"
    body += "".join(f"E{number} == {text}\n" for number, text in enumerate(templates))
    (folder / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (folder / "M.cfg").write_text(CONFIG)
    asked = translate_module(load(str(folder / "M.tla"), {}))
    asked.definition()
    spec, made = asked.loaded.specification, asked.translation
    symbols = dict(zip(spec.variables, made.variables, strict=True))
    translator = make_translator(spec.evaluator, made.names, symbols, {})
    found, count = [], 0
    for number, text in enumerate(templates):
        formula = formula_named(spec, f"E{number}", [])
        try:
            value = translator.value(formula.body, Context({}, formula.module))
            term = None if isinstance(value, Nothing) else translator.term(value)
        except (Untranslated, TooLargeError):  # refused
            continue
        for state in made.sample.states:
            try:
                ours = translate_in_state(made, term, state)
            except (SortError, TooLargeError):  # refused by the engines
                break
            theirs = interpret(spec, f"E{number}", state)
            count += 1
            refused = ours is None and any(isinstance(one, str) for one in state) and _OF_STRINGS.search(text)
            if not _agree(theirs, ours) and not refused:
                found.append(f"{text}: {ours} is {theirs} to the interpreter in {state}")
    return found, count


WHERE_ORDER_DECIDES = ("CHOOSE e \\in x : TRUE: None", "\\A e \\in x : e = y: None")
"""The translation does not look at so many members in TLC's order. It has no value where order decides."""


@pytest.mark.parametrize("universe", [*QUICK, *rest_slow(LATER, 4)])
def test_operators_of_every_kind(tmp_path: Path, universe: str) -> None:
    found, count = differences(tmp_path, UNIVERSES[universe], TEMPLATES)
    if universe == "members that are listed":
        found = [one for one in found if not one.startswith(WHERE_ORDER_DECIDES)]
    assert found == []
    assert count > 8 * len(TEMPLATES)
