"""Random expressions and random modules: what is translated means what the interpreter computes."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from tests.tla_modules import ran
from verifier.encodings.sorts import SortError
from verifier.encodings.terms import Term
from verifier.runs.tla_loading import formula_named, load
from verifier.runs.tla_symbolic import symbolic
from verifier.tla.explorer import Explorer, State
from verifier.tla.frames import Undefined
from verifier.tla.logic import same
from verifier.tla.specification import Specification
from verifier.tla.translate.expressions import Context, Translator
from verifier.tla.translate.specification import Translation
from verifier.tla.translate.symbolic import Nothing, Untranslated
from verifier.tla.values import NoValue, Value, listed
from verifier.trust.explain import ConcreteReading

HEAD = "EXTENDS Integers, Sequences, FiniteSets, TLC\nVARIABLES i, b, s, q, r, f, p, w\n"
RULES = {
    "int": [
        "i", "0", "1", "2", "(-1)", "Len($seq)", "Cardinality($set)", "($int + $int)", "($int - $int)",
        "($int * $int)", "($int \\div $int)", "($int % $int)", "(IF $bool THEN $int ELSE $int)",
        "$rec.a", "$fun[$int]", "$seq[$int]", "Head($seq)", "$par[$int]",
        "(CHOOSE x \\in $set : %bool)", "(CHOOSE x \\in $set : x > $int)", "(LET x == $int IN x - %int)",
        "(CASE $bool -> $int [] OTHER -> $int)", "(CASE $bool -> $int [] $bool -> $int)", "(-($int))",
    ],
    "bool": [
        "b", "TRUE", "FALSE", "($bool /\\ $bool)", "($bool \\/ $bool)", "(~$bool)", "($bool => $bool)",
        "($bool <=> $bool)", "($int < $int)", "($int >= $int)", "($int = $int)", "($set = $set)",
        "($seq = $seq)", "($rec = $rec)", "($fun = $fun)", "($par # $par)", "($int \\in $set)",
        "($set \\subseteq $set)", "$rec.b", "(\\A x \\in $set : %bool)", "(\\E x \\in $set : x = %int)",
        "(\\A x \\in $set, y \\in $set : x + y # %int)", "($set \\in SUBSET $set)", "($rec \\in $recs)",
        "($seq \\in Seq($set))", "($fun \\in [0..2 -> $set])", "($par \\in [$set -> $set])",
        "($rec \\in [a : $set, b : BOOLEAN])", "($set \\in $sets)", "($word = $word)",
        "(IF $bool THEN $bool ELSE $bool)", "($int \\in DOMAIN $seq)",
        "(<<$int, $bool>> = <<$int, $bool>>)",
    ],
    "set": [
        "s", "{}", "{$int}", "{$int, $int}", "(0..2)", "($int..$int)", "($set \\cup $set)",
        "($set \\cap $set)", "($set \\ $set)", "{x \\in $set : %bool}", "{x \\in $set : x < $int}",
        "{x + %int : x \\in $set}", "(DOMAIN $seq)", "(DOMAIN $par)", "(UNION $sets)",
        "(UNION {$set, $set})",
        "(IF $bool THEN $set ELSE $set)", "{x * y : x \\in $set, y \\in $set}",
        "(CHOOSE x \\in $sets : TRUE)",
        "{z.a : z \\in $recs}",
    ],
    "sets": ["{$set}", "{$set, $set}", "(SUBSET (s \\cap 0..1))", "{{x} : x \\in $set}"],
    "seq": [
        "q", "<<>>", "<<$int>>", "<<$int, $int>>", "Append($seq, $int)", "Tail($seq)", "($seq \\o $seq)",
        "SubSeq($seq, $int, $int)", "[$seq EXCEPT ![$int] = $int]", "(IF $bool THEN $seq ELSE $seq)",
        "[x \\in 1..Len($seq) |-> x + %int]", "SelectSeq($seq, LAMBDA x : x > $int)",
    ],
    "rec": [
        "r", "[a |-> $int, b |-> $bool]", "[$rec EXCEPT !.a = $int]", "[$rec EXCEPT !.b = ~@]",
        "(IF $bool THEN $rec ELSE $rec)", "(CHOOSE x \\in {$rec} : TRUE)",
    ],
    "recs": ["{$rec}", "{$rec, $rec}", "{[a |-> x, b |-> %bool] : x \\in $set}"],
    "fun": [
        "f", "[x \\in 0..2 |-> %int]", "[x \\in 0..2 |-> x - $int]", "[$fun EXCEPT ![$int] = $int]",
        "[$fun EXCEPT ![1] = @ + $int]", "(IF $bool THEN $fun ELSE $fun)",
    ],
    "par": [
        "p", "[x \\in $set |-> %int]", "[x \\in $set |-> x]", "($int :> $int)", "($par @@ $par)",
        "(IF $bool THEN $par ELSE $par)", "[$par EXCEPT ![$int] = $int]",
    ],
    "word": ['"on"', '"off"', "w", "(IF $bool THEN $word ELSE $word)"],
}  # fmt: skip
LEAVES = {"sets": "{s}", "recs": "{r}"}


def _expression(chance: Random, kind: str, depth: int, bound: tuple[str, ...] = ()) -> str:
    """An expression of a kind. Below ``%`` the name that the rule binds may be used."""
    if kind == "int" and bound and chance.random() < 0.4:
        return chance.choice(bound)
    rules = RULES[kind]
    if depth <= 0:
        rules = [rule for rule in rules if not re.search("[$%][a-z]", rule)] or [LEAVES[kind]]
    own = str(chance.randrange(10**9))
    rule = re.sub(r"\b([xy])\b", rf"\g<1>{own}", chance.choice(rules))

    def part(found: re.Match[str]) -> str:
        names = (*bound, f"x{own}") if found[1] == "%" else bound
        return _expression(chance, found[2], depth - 1, names)

    return re.sub(r"([$%])([a-z]+)", part, rule)


def _state(chance: Random) -> str:
    low = chance.randint
    ints = [str(low(-1, 3)) for _ in range(low(0, 3))]
    keys = chance.sample(range(-1, 4), low(0, 3))
    parts = {
        "i": low(-2, 3),
        "b": chance.choice(["TRUE", "FALSE"]),
        "s": "{" + ", ".join(ints) + "}",
        "q": "<<" + ", ".join(str(low(-1, 2)) for _ in range(low(0, 2))) + ">>",
        "r": f"[a |-> {low(0, 2)}, b |-> {chance.choice(['TRUE', 'FALSE'])}]",
        "f": "[x \\in 0..2 |-> " + f"(x * {low(0, 2)}) + {low(-1, 1)}]",
        "p": "(" + " @@ ".join([f"{key} :> {low(0, 2)}" for key in keys] or ["<<>>"]) + ")",
        "w": chance.choice(['"on"', '"off"']),
    }
    return "(" + " /\\ ".join(f"{name} = {value}" for name, value in parts.items()) + ")"


def _interpreted(spec: Specification, name: str, state: State) -> Value | None:
    """The value that the interpreter computes; None if there is none."""
    formula = formula_named(spec, name, [])
    spec.evaluator.now[:] = state
    try:
        return listed(spec.evaluator.compiled(formula.body, formula.module)())
    except (Undefined, NoValue):
        return None


@pytest.mark.parametrize("seed", range(20, 24))
def test_random_expressions_mean_what_the_interpreter_computes(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    kinds = [chance.choice(["int", "bool", "set", "seq", "rec", "fun", "par"]) for _ in range(100)]
    texts = {f"E{n}": _expression(chance, kind, chance.randint(1, 2)) for n, kind in enumerate(kinds)}
    body = HEAD + "Init == " + " \\/ ".join(_state(chance) for _ in range(8)) + "\n"
    body += "Next == UNCHANGED <<i, b, s, q, r, f, p, w>>\n"
    body += "".join(f"{name} == {text}\n" for name, text in texts.items())
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{body}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    asked = symbolic(load(str(tmp_path / "M.tla"), {}))
    asked.definition()
    spec, made = asked.loaded.specification, asked.translation
    symbols = dict(zip(spec.variables, made.variables, strict=True))
    translator = Translator(spec.evaluator, made.names, symbols, {})
    compared = unnoticed = refused = 0
    for name, text in texts.items():
        formula = formula_named(spec, name, [])
        try:
            found = translator.value(formula.body, Context({}, formula.module))
            term = None if isinstance(found, Nothing) else translator.term(found)
        except Untranslated:
            continue
        for state in made.sample.states:
            theirs = _interpreted(spec, name, state)
            try:
                ours = _translated(made, term, state)
            except SortError:  # refused by the engines
                continue
            if theirs is None:
                unnoticed += ours is not None
            elif ours is None:
                refused += 1
            else:
                assert same(theirs, ours), f"{text}: {ours} is {theirs} to the interpreter in {state}"
                compared += 1
    assert compared > 400
    assert unnoticed + refused < 10  # what has no value may go unnoticed where its value is not needed


def _translated(made: Translation, term: Term | None, state: State) -> Value | None:
    if term is None:
        return None
    values = {
        symbol.name: made.names.encode(value, symbol.sort)
        for symbol, value in zip(made.variables, state, strict=True)
    }
    reading = ConcreteReading(values)
    if not reading.is_defined(term, {}):
        return None
    found = reading.value(term, {})
    assert found is not None
    return made.names.decode(found, term.sort)


def _module(chance: Random) -> str:
    """Steps over an integer in 0..3, a set and a sequence, with parameters, choices and guards."""

    low = chance.randint

    def part(rule: str) -> str:
        small = {
            "$guard": ["x > $n", "x \\in s", "Len(q) < 2", "s # {}", "$n \\notin s",
                "(\\E y \\in s : y > x)", "TRUE"],
            "$x": ["x' = (x + $n) % 4", "x' \\in {0, $n}", "x' \\in s", "UNCHANGED x",
                "x' = Cardinality(s) % 4",
                   "x' = (IF x \\in s THEN $n ELSE x)", "x' = (IF q = <<>> THEN 0 ELSE Head(q))"],
            "$s": ["s' = s \\cup {x}", "s' = s \\ {$n}", "UNCHANGED s", "s' = {y \\in s : y # $n}",
                "s' \\in SUBSET s",
                   "s' = {(y + 1) % 4 : y \\in s}", "s' = s \\cup {x'}",
                "s' = (IF x' > 1 THEN {} ELSE {x', $n})"],
            "$q": ["UNCHANGED q", "q' = <<x>>", "q' = (IF Len(q) < 2 THEN Append(q, x') ELSE Tail(q))",
                "q' = <<>>",
                   "q' = [y \\in 1..Len(q) |-> $n]", "q' = [y \\in DOMAIN q |-> (q[y] + $n) % 4]"],
            "$n": [str(low(0, 3))],
        }  # fmt: skip
        own = re.sub(r"\b([yz])\b", rf"\g<1>{low(1, 10**9)}", rule)
        return re.sub(r"\$[a-z]+", lambda found: part(chance.choice(small[found[0]])), own)

    steps = [
        chance.choice(
            [
                "($guard /\\ $x /\\ $s /\\ $q)",
                "(\\E z \\in {0, $n} : z # x /\\ $x /\\ s' = s \\cup {z} /\\ $q)",
                "(\\E z \\in s : x' = z /\\ $s /\\ $q)",
                "(IF $guard THEN $x /\\ $s /\\ $q ELSE $x /\\ UNCHANGED <<s, q>>)",
                "($guard /\\ $x /\\ (($s /\\ $q) \\/ ($guard /\\ $q /\\ UNCHANGED s)))",
            ]
        )
        for _ in range(chance.randint(1, 4))
    ]
    init = f"Init == x \\in 0..{chance.randint(0, 1)} /\\ s = {{{chance.randint(0, 3)}}} /\\ q = <<>>\n"
    text = init + "Next == " + part(" \\/ ".join(steps)) + "\n"
    return "EXTENDS Integers, Sequences, FiniteSets\nVARIABLES x, s, q\n" + text


@pytest.mark.parametrize("seed", range(20))
def test_random_modules_have_the_states_that_the_interpreter_finds(tmp_path: Path, seed: int) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE M ----\n{_module(Random(seed))}====\n")
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    asked = symbolic(load(str(tmp_path / "M.tla"), {}))
    theirs = Explorer(asked.loaded.specification, properties=(), keep_going=True)
    theirs.explore()
    ours = ran("explore", asked, keep_going=True).outcome.statistics
    assert ours["distinct_states"] == theirs.found.distinct
    assert ours["depth"] == theirs.found.depth
