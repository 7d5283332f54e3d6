"""Random texts of TLA+, made by rules: expressions, states, modules and their configurations."""

from __future__ import annotations

import re
from random import Random

from verifier.specs.titles import NO_DEADLOCK

MODULES = "Integers, Sequences, FiniteSets, TLC, Bags, FiniteSetsExt, SequencesExt, Functions, Folds"
VARIABLES = "i, b, s, q, r, f, p, w, m, n, z, g, u, t"
HEAD = f"EXTENDS {MODULES}\nCONSTANTS None, Node\nVARIABLES {VARIABLES}\n"
CONFIG = "CONSTANTS\n None = None\n Node = {na, nb}\nINIT Init\nNEXT Next\n"
RULES: dict[str, list[str]] = {
    "int": [
        "i", "0", "1", "2", "(-1)", "Len($seq)", "Cardinality($set)", "($int + $int)", "($int - $int)",
        "($int * $int)", "($int \\div $int)", "($int % $int)", "(2 ^ $int)", "(IF $bool THEN $int ELSE $int)",
        "$rec.a", "$fun[$int]", "$seq[$int]", "Head($seq)", "$par[$int]", "$tup[1]", "$nest.v[$int]",
        "(CHOOSE x \\in $set : %bool)", "(CHOOSE x \\in $set : x > $int)", "(LET x == $int IN x - %int)",
        "(CASE $bool -> $int [] OTHER -> $int)", "(CASE $bool -> $int [] $bool -> $int)", "(-($int))",
        "Min($set)", "Max($set)", "FoldSet(LAMBDA x, y : x + y, $int, $set)",
        "FoldLeft(LAMBDA x, y : x - y, $int, $seq)", "FoldFunction(LAMBDA x, y : x + y, 0, $fun)",
        "BagCardinality($bag)", "CopiesIn($int, $bag)", "Cardinality($words)", "$maps[$model]",
        "[<<x, y>> \\in {<<1, $int>>} |-> %int][<<1, $int>>]", "Len($seqs)", "Head(Head($seqs))",
        "(CHOOSE x \\in $recs : TRUE).a", "Last($seq)", "(LET d(x) == x + %int IN d($int))",
        "Sum2($int, $int)", "Count($seq)", "Up[$int]", "Len($rows)", "Cardinality($mixed)",
        "ReduceSet(LAMBDA x, y : x + y, $set, $int)", "[x \\in $set |-> %int][$int]",
    ],
    "bool": [
        "b", "TRUE", "FALSE", "($bool /\\ $bool)", "($bool \\/ $bool)", "(~$bool)", "($bool => $bool)",
        "($bool <=> $bool)", "($int < $int)", "($int >= $int)", "($int = $int)", "($set = $set)",
        "($seq = $seq)", "($rec = $rec)", "($fun = $fun)", "($par # $par)", "($int \\in $set)",
        "($set \\subseteq $set)", "$rec.b", "(\\A x \\in $set : %bool)", "(\\E x \\in $set : x = %int)",
        "(\\A x \\in $set, y \\in $set : x + y # %int)", "($set \\in SUBSET $set)", "($rec \\in $recs)",
        "($seq \\in Seq($set))", "($fun \\in [0..2 -> $set])", "($par \\in [$set -> $set])",
        "($rec \\in [a : $set, b : BOOLEAN])", "($set \\in $sets)", "($word = $word)",
        "(IF $bool THEN $bool ELSE $bool)", "($int \\in DOMAIN $seq)", "(<<$int, $bool>> = <<$int, $bool>>)",
        "($tup \\in $set \\X BOOLEAN)", "($model \\in Node)", "($model = None)", "($model = $model)",
        "(\\E <<x, y>> \\in $set \\X $set : x < y)", "($any = $any)", "($any \\in $mixed)",
        "($words \\subseteq $words)", "($nest = $nest)", "BagIn($int, $bag)", "($bag = $bag)",
        "($seqs = $seqs)", "($int \\in Nat)", "($set \\subseteq Nat)", "($maps \\in [Node -> $set])",
        "(\\A x \\in Node : $maps[x] >= $int)", "$tup[2]", "(\\E x \\in $sets : x = {})",
        "Contains($seq, $int)",
        "IsPrefix($seq, $seq)", "($mixed = $mixed)", "(\\E x \\in SUBSET $set : x = $set)", "($rows = $rows)",
        "(\\E x \\in [Node -> {0, $int}] : x = $maps)", "($any # $int)", "(\\A x \\in {$int, $int} : %bool)",
        "(\\E x \\in [s -> {0, 1}] : x = $par)",
        "IsInjective($seq)", "(\\E x \\in $recs : x.b)", "(\\E x \\in DOMAIN $par : $par[x] > $int)",
        "($int \\in {$int, $int})", "(\\A x \\in 1..Len($seq) : $seq[x] > $int)", "IsFiniteSet($set)",
        "(<<$int, $int>> \\in {<<x, x>> : x \\in $set})", "($bool = $bool)", "($bag \\sqsubseteq $bag)",
    ],
    "set": [
        "s", "{}", "{$int}", "{$int, $int}", "(0..2)", "($int..$int)", "($set \\cup $set)",
        "($set \\cap $set)", "($set \\ $set)", "{x \\in $set : %bool}", "{x \\in $set : x < $int}",
        "{x + %int : x \\in $set}", "(DOMAIN $seq)", "(DOMAIN $par)", "(UNION $sets)",
        "(UNION {$set, $set})", "(IF $bool THEN $set ELSE $set)", "{x * y : x \\in $set, y \\in $set}",
        "(CHOOSE x \\in $sets : TRUE)", "{x.a : x \\in $recs}", "Range($seq)", "ToSet($seq)",
        "BagToSet($bag)",
        "(CASE $bool -> $set [] OTHER -> $set)", "{x \\in Nat : x \\in $set}", "{x[1] : x \\in {$tup, $tup}}",
        "{$maps[x] : x \\in Node}", "{x - y : <<x, y>> \\in $set \\X $set}", "(LET x == $set IN x \\cup x)",
        "{Cardinality(x) : x \\in SUBSET {0, $int}}", "{FoldSet(LAMBDA x, y : x + y, 0, $set)}",
    ],
    "sets": ["{$set}", "{$set, $set}", "(SUBSET (s \\cap 0..1))", "{{x} : x \\in $set}", "(SUBSET {0, $int})",
             "{x \\in SUBSET {0, 1, $int} : Cardinality(x) < 2}", "{x \\cup $set : x \\in SUBSET {1}}"],
    "seq": [
        "q", "<<>>", "<<$int>>", "<<$int, $int>>", "Append($seq, $int)", "Tail($seq)", "($seq \\o $seq)",
        "SubSeq($seq, $int, $int)", "[$seq EXCEPT ![$int] = $int]", "(IF $bool THEN $seq ELSE $seq)",
        "[x \\in 1..Len($seq) |-> x + %int]", "SelectSeq($seq, LAMBDA x : x > $int)",
        "[$seq EXCEPT ![1] = @ + $int]",
        "Reverse($seq)", "Head($seqs)", "$seqs[$int]", "Front($seq)", "[x \\in DOMAIN $seq |-> $seq[x]]",
        "[x \\in {1, 2} |-> %int]", "(CASE $bool -> $seq [] $bool -> $seq)", "$nest.l", "<<Head($seq)>>",
    ],
    "seqs": ["<<$seq>>", "<<$seq, $seq>>", "Append($seqs, $seq)", "Tail($seqs)",
             "[$seqs EXCEPT ![1][$int] = $int]", "[$seqs EXCEPT ![$int] = Append(@, $int)]"],
    "rows": ["z", "<<$rec>>", "Append($rows, $rec)", "Tail($rows)", "SelectSeq($rows, LAMBDA x : x.a > $int)",
             "[$rows EXCEPT ![$int].a = @ + $int]", "Append($rows, [c |-> $word])"],
    "rec": [
        "r", "[a |-> $int, b |-> $bool]", "[$rec EXCEPT !.a = $int]", "[$rec EXCEPT !.b = ~@]",
        "(IF $bool THEN $rec ELSE $rec)", "(CHOOSE x \\in {$rec} : TRUE)", "(\"a\" :> $int @@ $rec)",
        "[$rec EXCEPT !.a = @ + $int, !.b = $bool]", "Head($rows)", "$rows[$int]",
    ],
    "nest": ["n", "[v |-> $fun, l |-> $seq]", "[$nest EXCEPT !.v[$int] = @ + $int]",
        "[$nest EXCEPT !.l = Append(@, $int)]",
             "[$nest EXCEPT !.l[$int] = $int, !.v[0] = $int]", "(IF $bool THEN $nest ELSE $nest)"],
    "recs": ["{$rec}", "{$rec, $rec}", "{[a |-> x, b |-> %bool] : x \\in $set}",
        "[a : {0, $int}, b : {$bool}]",
             "{x \\in {$rec, $rec} : x.b}"],
    "fun": [
        "f", "[x \\in 0..2 |-> %int]", "[x \\in 0..2 |-> x - $int]", "[$fun EXCEPT ![$int] = $int]",
        "[$fun EXCEPT ![1] = @ + $int]", "(IF $bool THEN $fun ELSE $fun)", "$nest.v",
        "[$fun EXCEPT ![0] = $int, ![$int] = @ - 1]",
    ],
    "par": [
        "p", "[x \\in $set |-> %int]", "[x \\in $set |-> x]", "($int :> $int)", "($par @@ $par)",
        "(IF $bool THEN $par ELSE $par)", "[$par EXCEPT ![$int] = $int]",
        "[x \\in DOMAIN $par \\ {$int} |-> $par[x]]",
        "[$par EXCEPT ![$int] = @ + $int]", "(<<>> @@ $par)", "Restrict($par, $set)", "$bag",
    ],
    "maps": ["t", "[x \\in Node |-> $int]", "[$maps EXCEPT ![$model] = $int]", "[$maps EXCEPT ![na] = @ + 1]",
             "(IF $bool THEN $maps ELSE $maps)"],
    "bag": ["g", "SetToBag($set)", "($bag (+) $bag)", "($bag (-) $bag)", "EmptyBag"],
    "tup": ["u", "<<$int, $bool>>", "[$tup EXCEPT ![1] = @ + $int]", "(IF $bool THEN $tup ELSE $tup)"],
    "word": ['"on"', '"off"', "w", "(IF $bool THEN $word ELSE $word)", "(CHOOSE x \\in $words : TRUE)"],
    "words": ['{"on"}', '{"on", $word}', "($words \\cup {$word})", '{x \\in $words : x # $word}',
              "($words \\ {$word})"],
    "model": ["m", "None", "na", "(IF $bool THEN $model ELSE $model)", "(CHOOSE x \\in Node : x # $model)"],
    "any": ["$int", "$word", "$model", "(IF $bool THEN $int ELSE $model)",
        "(IF $bool THEN $word ELSE $model)",
            "(IF $bool THEN $rec ELSE None)", "$seq", "$rec", "$set", "(IF $bool THEN $set ELSE $seq)",
            "$bool"],
    "mixed": ["{None, $int}", "({None} \\cup $set)", "{$rec, None}", "{$any}", "{$word, $model}",
        "($set \\cup Node)"],
}  # fmt: skip
LEAVES = {"sets": "{s}", "recs": "{r}", "seqs": "<<q>>", "any": "m", "mixed": "{None}"}
OPERATORS = (
    "na == CHOOSE x \\in Node : TRUE\nSum2(x, y) == x + y\n"
    "RECURSIVE Count(_)\nCount(x) == IF x = <<>> THEN 0 ELSE 1 + Count(Tail(x))\n"
    "Up[x \\in 0..3] == IF x = 0 THEN 0 ELSE Up[x - 1] + 1\n"
)


def expression(chance: Random, kind: str, depth: int, bound: tuple[str, ...] = ()) -> str:
    """An expression of a kind. Below ``%`` the name that the rule binds may be used."""
    if kind == "int" and bound and chance.random() < 0.4:
        return chance.choice(bound)
    rules = RULES[kind]
    if depth <= 0:
        rules = [rule for rule in rules if not re.search("[$%][a-z]", rule)] or [LEAVES[kind]]
    own = str(chance.randrange(10**9))
    rule = re.sub(r"\b([xyd])\b", rf"\g<1>{own}", chance.choice(rules))

    def part(found: re.Match[str]) -> str:
        names = (*bound, f"x{own}") if found[1] == "%" else bound
        return expression(chance, found[2], depth - 1, names)

    return re.sub(r"([$%])([a-z]+)", part, rule)


def state(chance: Random) -> str:
    low = chance.randint
    ints = [str(low(-1, 3)) for _ in range(low(0, 3))]
    keys = chance.sample(range(-1, 4), low(0, 3))
    truth = ("TRUE", "FALSE")
    rows = [
        chance.choice([f"[a |-> {low(0, 2)}, b |-> {chance.choice(truth)}]", '[c |-> "on"]'])
        for _ in range(low(0, 2))
    ]
    parts = {
        "i": low(-2, 3),
        "b": chance.choice(truth),
        "s": "{" + ", ".join(ints) + "}",
        "q": "<<" + ", ".join(str(low(-1, 2)) for _ in range(low(0, 2))) + ">>",
        "r": f"[a |-> {low(0, 2)}, b |-> {chance.choice(truth)}]",
        "f": "[x \\in 0..2 |-> " + f"(x * {low(0, 2)}) + {low(-1, 1)}]",
        "p": "(" + " @@ ".join([f"{key} :> {low(0, 2)}" for key in keys] or ["<<>>"]) + ")",
        "w": chance.choice(['"on"', '"off"']),
        "m": chance.choice(["None", "na", "(CHOOSE x \\in Node : x # na)"]),
        "n": f"[v |-> [x \\in 0..2 |-> x], l |-> <<{', '.join(['1'] * low(0, 2))}>>]",
        "z": "<<" + ", ".join(rows) + ">>",
        "g": "(" + " @@ ".join([f"{key} :> {low(1, 2)}" for key in keys] or ["<<>>"]) + ")",
        "u": f"<<{low(-1, 2)}, {chance.choice(truth)}>>",
        "t": f"[x \\in Node |-> IF x = na THEN {low(0, 1)} ELSE {low(0, 2)}]",
    }
    return "(" + " /\\ ".join(f"{name} = {value}" for name, value in parts.items()) + ")"


PARTS = {
    "guard": ["x > $n", "x \\in s", "Len(q) < 2", "s # {}", "$n \\notin s", "(\\E y \\in s : y > x)", "TRUE",
              "(x = $n \\/ Len(q) > 0)", "(\\A y \\in s : y # $n)", "ENABLED (x' = $n /\\ x # $n)",
              "~(x \\in s)",
              "Cardinality(s) < 3"],
    "odd": ["Head(q) = $n", "q[$n] > x", "(CHOOSE y \\in s : y > $n) > 0", "x \\div $n > 0", "Tail(q) = <<>>",
            "(Len(q) > 0 /\\ Head(q) = x)", "(Len(q) = 0 \\/ Head(q) = x)", "Min(s) = $n", "f[x] = $n",
            "(x \\in DOMAIN f => f[x] > 0)", "(\\E y \\in s : q[y] = $n)",
            "(IF q = <<>> THEN TRUE ELSE q[1] < 3)"],
    "x": ["x' = (x + $n) % 4", "x' \\in {0, $n}", "x' \\in s", "UNCHANGED x", "x' = Cardinality(s) % 4",
          "x' = (IF x \\in s THEN $n ELSE x)", "x' = (IF q = <<>> THEN 0 ELSE Head(q))"],
    "oddx": ["x' = Head(q)", "x' = q[$n]", "x' = (CHOOSE y \\in s : y # x)", "x' = $n \\div x", "x' = f[$n]",
             "x' \\in {Head(q), 0}", "x' = Max(s)"],
    "s": ["s' = s \\cup {x}", "s' = s \\ {$n}", "UNCHANGED s", "s' = {y \\in s : y # $n}", "s' \\in SUBSET s",
          "s' = {(y + 1) % 4 : y \\in s}", "s' = s \\cup {x'}", "s' = (IF x' > 1 THEN {} ELSE {x', $n})"],
    "q": ["UNCHANGED q", "q' = <<x>>", "q' = (IF Len(q) < 2 THEN Append(q, x') ELSE Tail(q))", "q' = <<>>",
          "q' = [y \\in 1..Len(q) |-> $n]", "q' = [y \\in DOMAIN q |-> (q[y] + $n) % 4]"],
    "f": ["UNCHANGED f", "f' = [f EXCEPT ![x] = $n]", "f' = [y \\in s |-> x]", "f' = (x :> $n) @@ f",
          "f' = [y \\in DOMAIN f \\ {$n} |-> f[y]]"],
    "inv": ["x < 3", "Cardinality(s) < 3", "Len(q) < 2", "x \\notin s", "(Len(q) > 0 => Head(q) # 2)", "TRUE",
            "(\\A y \\in DOMAIN f : f[y] < 3)", "x \\in 0..3"],
}  # fmt: skip
STEPS_ALLOWED = [
    "x' # $n", "x' >= x", "Len(q') # 1", "s' # s", "$guard", "(x' \\in s => $guard)", "s \\cap s' # {}",
    "(x = $n => q' # q)", "DOMAIN f \\subseteq DOMAIN f'",
]  # fmt: skip
"""Formulas of ACTION_CONSTRAINT and ``[][A]_v``."""
_STEPS = [
    "($guard /\\ $x /\\ $s /\\ $q /\\ $f)",
    "(\\E z \\in {0, $n} : z # x /\\ $x /\\ s' = s \\cup {z} /\\ $q /\\ $f)",
    "(\\E z \\in s : x' = z /\\ $s /\\ $q /\\ $f)",
    "(IF $guard THEN $x /\\ $s /\\ $q /\\ $f ELSE $x /\\ UNCHANGED <<s, q, f>>)",
    "($guard /\\ $x /\\ (($s /\\ $q /\\ $f) \\/ ($guard /\\ $q /\\ UNCHANGED <<f, s>>)))",
    "(CASE $guard -> $x /\\ $s /\\ $q /\\ $f [] OTHER -> UNCHANGED <<x, s, q, f>>)",
    "(LET g == $n IN g # x /\\ x' = g /\\ $s /\\ $q /\\ $f)",
]
_ODD_STEPS = [
    "($odd /\\ $x /\\ $s /\\ $q /\\ $f)", "($guard /\\ $odd /\\ $x /\\ $s /\\ $q /\\ $f)",
    "($guard /\\ $oddx /\\ $s /\\ $q /\\ $f)", "($oddx /\\ $guard /\\ $s /\\ $q /\\ $f)",
    "(IF $odd THEN $x /\\ $s /\\ $q /\\ $f ELSE UNCHANGED <<x, s, q, f>>)",
    "(\\E z \\in {Head(q), $n} : x' = z /\\ $s /\\ $q /\\ $f)",
]  # fmt: skip


def module(chance: Random) -> str:
    """Steps over an integer, a set, a sequence and a function; of some an expression may have no value."""

    def part(rule: str) -> str:
        own = str(chance.randint(1, 10**9))
        rule = re.sub(r"\b([yzg])\b", rf"\g<1>{own}", rule)

        def fill(found: re.Match[str]) -> str:
            if found[1] == "n":
                return str(chance.randint(0, 3))
            return part(chance.choice(PARTS[found[1]]))

        return re.sub(r"\$([a-z]+)", fill, rule)

    odd = chance.random() < 0.5
    rules = [*_STEPS, *_ODD_STEPS] if odd else _STEPS
    steps = [part(chance.choice(rules)) for _ in range(chance.randint(1, 4))]
    invariant = part(chance.choice(["$inv", "$inv /\\ $inv", "$odd" if odd else "$inv"]))
    allowed, act = (part(chance.choice(STEPS_ALLOWED)) for _ in range(2))
    return (
        f"EXTENDS {MODULES}\nVARIABLES x, s, q, f\n"
        f"Init == x \\in 0..{chance.randint(0, 1)} /\\ s = {{{chance.randint(0, 3)}}} "
        "/\\ q = <<>> /\\ f = <<>>\n"
        "Next == " + " \\/ ".join(steps) + f"\nInv == {invariant}\nSmall == Len(q) < 3\n"
        f"Allowed == {allowed}\nAct == [][{act}]_<<x, s, q, f>>\n"
        f"First == {part('$inv')} /\\ [][{act}]_x\n"
    )


def configuration(chance: Random) -> tuple[str, tuple[str, ...]]:
    """Return a random configuration for such a module, and the names of the checked properties."""
    invariant, steps, constraint = "Inv", "Act", "Small"
    properties = [name for name in (steps, "First") if chance.random() < 0.3]
    words = ["INIT Init", "NEXT Next", f"INVARIANT {invariant}", f"CONSTRAINT {constraint}"]
    words += [f"PROPERTY {name}" for name in properties]
    words += ["ACTION_CONSTRAINT Allowed"] if chance.random() < 0.3 else []
    deadlock = chance.random() < 0.3
    words += [] if deadlock else ["CHECK_DEADLOCK FALSE"]
    return "\n".join(words) + "\n", (invariant, *properties, *([NO_DEADLOCK] if deadlock else []))
