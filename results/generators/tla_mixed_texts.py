"""Random texts of TLA+ over values of several kinds: values, expressions, states.

A variable has a profile, the kinds of values that it takes. An operator mostly gets what it wants, and now and
then a value of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

MODULES = "Integers, Sequences, FiniteSets, TLC, Bags, FiniteSetsExt, SequencesExt, Functions, Folds, BagsExt, Bitwise"
CONSTANTS = " None = None\n Node = {na, nb}\n"
OPERATORS = (
    'Strings == <<"a", "b", "c", "v", "x", "">>\n'
    "Na == CHOOSE x \\in Node : TRUE\nOther == CHOOSE x \\in Node : x # Na\n"
    "RECURSIVE Size(_)\nSize(x) == IF x = <<>> THEN 0 ELSE 1 + Size(Tail(x))\n"
    "RECURSIVE Total(_)\nTotal(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN"
    " 1 + Total(S \\ {x})\n"
)

# -- values

SCALARS = ("int", "word", "model", "truth")
WORDS = ('"a"', '"b"', '"c"', '"x"', '""')
SHAPES = [
    names.split() for names in ("a", "b", "c", "a b", "a c", "b c", "a b c", "x", "a x", "b x", "c x", "v a")
]
"""The fields of the records: one to twelve shapes."""
KINDS = ("int", "word", "model", "truth", "tuple", "record", "function", "set", "sets", "rows", "pairs")
PROFILES: tuple[tuple[str, ...], ...] = (
    ("int",), ("int", "model"), ("int", "word", "model"), ("int", "tuple"), ("tuple",), ("tuple", "model"),
    ("tuple", "function"), ("tuple", "function", "record"), ("record",), ("record", "model"),
    ("record", "tuple"), ("function",), ("function", "model"), ("set",), ("set", "model"), ("sets",),
    ("set", "tuple"), ("rows",), ("rows", "model"), ("pairs",), ("pairs", "int"), ("word", "set", "record"),
    ("set", "record", "function", "tuple", "int"), KINDS,
)  # fmt: skip


@dataclass(frozen=True)
class Values:
    """Makes random values; those that were made come again, so that values are equal now and then."""

    chance: Random
    made: dict[str, list[str]] = field(default_factory=dict)

    def value(self, kind: str, depth: int = 2) -> str:
        """A value of a kind."""
        known = self.made.setdefault(kind, [])
        if known and self.chance.random() < 0.4:
            return self.chance.choice(known)
        found = self._new(kind, depth)
        known.append(found)
        return found

    def _new(self, kind: str, depth: int) -> str:
        chance = self.chance
        match kind:
            case "int":
                return str(chance.choice((-1, 0, 0, 1, 1, 2, 2, 3, 4, 7)))
            case "word":
                return chance.choice(WORDS)
            case "model":
                return chance.choice(("None", "Na", "Other"))
            case "truth":
                return chance.choice(("TRUE", "FALSE"))
            case "tuple":
                return f"<<{', '.join(self._parts(depth, 3))}>>"
            case "record":
                names = chance.choice(SHAPES)
                return "[" + ", ".join(f"{name} |-> {self._part(depth)}" for name in names) + "]"
            case "function":
                keys = chance.choice(("int", "int", "word", "model", "tuple", "set"))
                pairs = [f"({self.value(keys, 0)} :> {part})" for part in self._parts(depth, 3)]
                return "(" + " @@ ".join(pairs or ["<<>>"]) + ")"
            case "rows":
                return f"<<{', '.join(self.value('record', 1) for _ in range(chance.randint(0, 2)))}>>"
            case "pairs":
                some = [f"<<{self.value('int')}, {self.value('word')}>>" for _ in range(chance.randint(0, 3))]
                return set_of(some)
            case "sets":
                return set_of([self.value("set", 0) for _ in range(chance.randint(0, 2))])
        return set_of(self._parts(depth, 3) + ["None"] * (chance.random() < 0.15))

    def _parts(self, depth: int, most: int) -> list[str]:
        """Some values, mostly of one kind."""
        one = self.chance.choice(SCALARS[:3] if depth <= 0 else KINDS[:8])
        mixed = self.chance.random() < 0.15
        count = self.chance.choice((0, 1, *range(1, most + 1)))
        return [self._part(depth) if mixed else self.value(one, depth - 1) for _ in range(count)]

    def _part(self, depth: int) -> str:
        return self.value(self.chance.choice(SCALARS[:3] if depth <= 0 else KINDS[:8]), depth - 1)


def set_of(parts: list[str]) -> str:
    """A set with these members."""
    return "{" + ", ".join(parts) + "}"


# -- expressions

ANY = "int bool seq rec fun set sets recs seqs funs word model bag".split()
RULES: dict[str, list[str]] = {
    "int": [
        "Len($seq)", "Cardinality($set)", "($int + $int)", "($int - $int)", "($int * $int)", "($int \\div $int)",
        "($int % $int)", "($int ^ $int)", "(-($int))", "$rec.a", "$fun[$any]", "$seq[$int]", "Head($seq)",
        "(IF $bool THEN $int ELSE $any)", "(CHOOSE x \\in $set : %bool)", "(CASE $bool -> $int [] OTHER -> $any)",
        "Min($set)", "Max($set)", "FoldSet(LAMBDA x, y : x + y, 0, $set)", "FoldLeft(LAMBDA x, y : x + y, $int, $seq)",
        "FoldRight(LAMBDA x, y : x - y, $seq, $int)", "FoldFunction(LAMBDA x, y : x + y, 0, $fun)",
        "FoldFunctionOnSet(LAMBDA x, y : x + y, 0, $fun, $set)", "MapThenSumSet(LAMBDA x : %int, $set)",
        "BagCardinality($bag)", "CopiesIn($any, $bag)", "SumBag($bag)", "Last($seq)", "Size($seq)", "Total($set)",
        "Cardinality($sets)", "Quantify($set, LAMBDA x : %bool)", "SelectInSeq($seq, LAMBDA x : %bool)",
        "(LET x == $any IN %int)", "($int & $int)", "($int | $int)", "SumFunction($fun)", "SumSet($set)",
        "ReduceSet(LAMBDA x, y : x + y, $set, $int)", "MapThenFoldSet(LAMBDA x, y : x + y, 0, LAMBDA x : %int,"
        " LAMBDA S : CHOOSE x \\in S : TRUE, $set)", "FoldSeq(LAMBDA x, y : x + y, 0, $seq)", "shiftR($int, $int)",
        "[x \\in $set |-> %int][$any]", "ReduceSet(LAMBDA x, y : y + 1, $set, 0)",
    ],
    "bool": [
        "($any = $any)", "($any # $any)", "($any \\in $set)", "($any \\notin $set)", "($set \\subseteq $set)",
        "($set = $set)", "($seq = $seq)", "($fun = $fun)", "($rec = $rec)", "($fun = $seq)", "($set \\in $sets)",
        "($seq \\in Seq($set))", "($seq \\in $set \\X $set)", "($any \\in $set \\X $set \\X $set)",
        "($fun \\in [$set -> $set])", "($any \\in [$set -> $set])", "($rec \\in [a : $set])",
        "($any \\in [a : $set, b : $set])", "($any \\in [a : $set] \\cup [b : $set])", "($set \\in SUBSET $set)",
        "($any \\in SUBSET $set)", "($sets \\subseteq SUBSET $set)", "($set \\subseteq $set \\X $set)",
        "($set \\subseteq Seq($set))", "($set \\subseteq [$set -> $set])", "($set \\subseteq [a : $set])",
        "({$any} \\subseteq $set)", "($any \\in {$any, $any})", "($any \\in $set \\cup $set)",
        "($any \\in $set \\cap $set)", "($any \\in $set \\ $set)", "($any \\in UNION $sets)", "($any \\in Nat)",
        "($any \\in Int)", "($any \\in STRING)", "($any \\in BOOLEAN)", "($any \\in $int..$int)",
        "($set \\subseteq Nat)", "($any \\in {x \\in $set : %bool})", "($any \\in {%any : x \\in $set})",
        "(\\A x \\in $set : %bool)", "(\\E x \\in $set : %bool)", "(\\E x \\in $set : x = $any)",
        "(\\A x \\in $set, y \\in $set : x = y)", "(\\E <<x, y>> \\in $set : %bool)",
        "(\\E <<x, y>> \\in $set \\X $set : x = y)", "(\\E x \\in SUBSET $set : %bool)",
        "(\\E x \\in [$set -> $set] : x = $any)", "(\\E x \\in DOMAIN $fun : $fun[x] = %any)",
        "($bool /\\ $bool)", "($bool \\/ $bool)", "(~$bool)", "($bool => $bool)", "($bool <=> $bool)",
        "(IF $bool THEN $bool ELSE $bool)", "($int < $int)", "($int >= $int)", "IsFiniteSet($any)", "IsABag($any)",
        "BagIn($any, $bag)", "($bag \\sqsubseteq $bag)", "Contains($seq, $any)", "IsPrefix($seq, $seq)",
        "IsStrictPrefix($seq, $seq)", "IsSuffix($seq, $seq)", "IsInjective($fun)", "($int \\in DOMAIN $any)",
        "($any \\in DOMAIN $fun)", "($any \\in Range($fun))", "IsRestriction($fun, $fun)", "(DOMAIN $any = DOMAIN $any)",
        "($any \\in [1..2 -> $set])", "($any \\in [{} -> $set])", "($any \\in Injection($set, $set))",
        "(CASE $bool -> $bool [] $bool -> $bool)", "($any \\in $large)", "($set \\subseteq $large)",
        "(\\E x \\in $large : x = $any)", "($large \\cap $set = $set)", "($set \\in SUBSET $large)",
        "($any \\in BoundedSeq($set, 2))", "(Append($seq, $any) \\in $large)", "($seq \\o $seq \\in $set \\X $set)",
        "(($any :> $any) \\in [$set -> $set])", "($fun @@ $fun \\in [$set -> $set])", "(Tail($seq) \\in $set \\X $set)",
        "(SelectSeq($seq, LAMBDA x : %bool) \\in $set \\X $set)", "(\\A x \\in $set : x \\in Seq($set))",
        "(ToString($any) = ToString($any))", "(IF $bool THEN $any ELSE $any) = $any",
        "(IF $bool THEN $any ELSE $any) \\in $set", "(\\E x \\in $set : $any[x] = %any)", "(DOMAIN $any \\subseteq $set)",
    ],
    "set": [
        "($set \\cup $set)", "($set \\cap $set)", "($set \\ $set)", "{$any}", "{$any, $any}", "{x \\in $set : %bool}",
        "{%any : x \\in $set}", "{x \\in $set : x # $any}", "{x \\in $set : x \\in $set}", "DOMAIN $fun",
        "DOMAIN $any", "UNION $sets", "UNION {$set, $set}", "UNION {%set : x \\in $set}", "($set \\X $set)",
        "Range($fun)", "ToSet($seq)", "BagToSet($bag)", "(IF $bool THEN $set ELSE $set)", "($int..$int)",
        "{<<x, y>> \\in $set \\X $set : x = y}", "{<<x, %any>> : x \\in $set}", "{x.a : x \\in $recs}",
        "{Head(x) : x \\in $seqs}", "(IF $bool THEN $set ELSE $any)", "(CHOOSE x \\in $sets : TRUE)",
        "(LET x == $set IN x \\cup {$any})", "[$set -> $set]", "(SUBSET $set)", "FlattenSet($sets)",
        "SymDiff($set, $set)", "{$seq} \\cup {$any}", "{$rec, $any}", "kSubset(1, $set)", "BoundedSeq($set, 1)",
        "{x \\in $large : x \\in $set}", "{x \\in $large : x = $any}", "Prefixes($seq)", "{$fun[x] : x \\in $set}",
        "[a : $set]", "Permutations($set)", "SeqOf($set, 1)", "{x \\in Nat : x \\in $set}",
    ],
    "sets": ["{$set}", "{$set, $set}", "(SUBSET $set)", "{{x, %any} : x \\in $set}", "{x \\cup $set : x \\in $sets}",
             "($sets \\cup {$set})", "{x \\in SUBSET $set : %bool}", "kSubset(2, $set)"],
    "recs": ["{$rec}", "{$rec, $rec}", "{[a |-> x] : x \\in $set}", "[a : $set, b : $set]", "{x \\in $set : %bool}",
             "($recs \\cup {$rec})"],
    "seqs": ["{$seq}", "{$seq, $seq}", "($set \\X $set)", "{<<x>> : x \\in $set}", "[1..2 -> $set]",
             "{Append($seq, x) : x \\in $set}"],
    "funs": ["{$fun}", "{$fun, $fun}", "[$set -> $set]", "{[x \\in $set |-> y] : y \\in $set}"],
    "seq": [
        "<<>>", "<<$any>>", "<<$any, $any>>", "Append($seq, $any)", "Tail($seq)", "($seq \\o $seq)",
        "SubSeq($seq, $int, $int)", "[$seq EXCEPT ![$int] = $any]", "(IF $bool THEN $seq ELSE $seq)",
        "[x \\in 1..Len($seq) |-> %any]", "SelectSeq($seq, LAMBDA x : %bool)", "Reverse($seq)", "Head($seq)",
        "Front($seq)", "[x \\in {1, 2} |-> %any]", "Remove($seq, $any)", "ReplaceAll($seq, $any, $any)",
        "InsertAt($seq, $int, $any)", "RemoveAt($seq, $int)", "Cons($any, $seq)", "Snoc($seq, $any)", "SetToSeq($set)",
        "(CASE $bool -> $seq [] $bool -> $any)", "Zip($seq, $seq)", "FlattenSeq(<<$seq, $seq>>)",
        "[x \\in DOMAIN $seq |-> $seq[x]]", "[x \\in $set |-> %any]", "SortSeq($seq, LAMBDA x, y : x < y)",
        "(IF $bool THEN $seq ELSE $any)", "(CHOOSE x \\in $seqs : TRUE)", "($int :> $any)", "Interleave($seq, $seq)",
        "FoldLeft(LAMBDA x, y : Append(x, y), <<>>, $seq)", "SetToSortSeq($set, LAMBDA x, y : x < y)",
        "(<<>> @@ $seq)", "($seq @@ $fun)", "LongestCommonPrefix({$seq, $seq})", "TLCEval($seq)", "ReplaceAt($seq, $int, $any)",
        "RemoveFirst($seq, $any)",
    ],
    "rec": [
        "[a |-> $any]", "[a |-> $any, b |-> $any]", "[b |-> $any, c |-> $any]", "[$rec EXCEPT !.a = $any]",
        "[$rec EXCEPT !.b = $any]", "[$rec EXCEPT ![\"a\"] = @]", "(IF $bool THEN $rec ELSE $rec)",
        "(CHOOSE x \\in $recs : TRUE)", "(\"a\" :> $any @@ $rec)", "(\"x\" :> $any)", "($rec @@ $rec)", "Head($seq)",
        "[$rec EXCEPT !.a.b = $any]", "(IF $bool THEN $rec ELSE $any)", "[x \\in {$word} |-> $any]",
        "[x \\in {\"a\", \"b\"} |-> %any]", "($rec @@ [a |-> $any])", "[$rec EXCEPT !.a = <<@>>]",
    ],
    "fun": [
        "[x \\in $set |-> %any]", "[x \\in $set |-> x]", "($any :> $any)", "($fun @@ $fun)", "($any :> $any @@ $fun)",
        "[$fun EXCEPT ![$any] = $any]", "[$fun EXCEPT ![$any] = <<@>>]", "(IF $bool THEN $fun ELSE $fun)", "$seq",
        "$rec", "[x \\in DOMAIN $fun \\ {$any} |-> $fun[x]]", "Restrict($fun, $set)", "(IF $bool THEN $fun ELSE $any)",
        "(CHOOSE x \\in $funs : TRUE)", "[x \\in $set, y \\in $set |-> %any]", "RestrictValues($fun, LAMBDA x : %bool)",
        "AntiFunction($fun)", "Pointwise($fun, $fun, LAMBDA x, y : <<x, y>>)", "[x \\in {} |-> x]", "$bag",
        "[x \\in $set \\cup $set |-> %any]", "[$fun EXCEPT ![$any][$any] = $any]", "[x \\in $large |-> x]",
    ],
    "bag": ["SetToBag($set)", "($bag (+) $bag)", "($bag (-) $bag)", "EmptyBag", "($any :> $int)", "BagAdd($bag, $any)",
            "BagRemove($bag, $any)", "BagRemoveAll($bag, $any)", "[x \\in $set |-> 1]", "$fun"],
    "word": ["(IF $bool THEN $word ELSE $word)", "(CHOOSE x \\in {$word, $word} : TRUE)", "$rec.a"],
    "model": ["(IF $bool THEN $model ELSE $any)", "(CHOOSE x \\in Node : x # $any)"],
}  # fmt: skip
LARGE = [
    "(0..299)", "(0..301)", "(-1..7)", "SUBSET (0..4)", "SUBSET (0..9)", "[1..2 -> 0..16]", "[1..2 -> 0..17]",
    "((0..17) \\X (0..17))", "((0..16) \\X (0..16))", "{<<x, y>> : x \\in 0..18, y \\in 0..18}", "{{x} : x \\in 0..301}",
    "[a : 0..17, b : 0..17]", "{[a |-> x] : x \\in 0..301}", "({None} \\cup 0..300)", "(([1..2 -> 0..17]) \\cup {<<>>})",
    "([a : 0..301] \\cup [b : 0..2])", "UNION {[1..x -> 0..4] : x \\in 0..3}", "[{\"a\", \"b\"} -> 0..17]",
    "Seq(0..3)", "BoundedSeq(0..3, 4)", "(STRING \\cup {})", "(Nat \\cup {None})", "[Node -> SUBSET (0..3)]",
    "(SUBSET ((0..2) \\X (0..2)))", "[0..1 -> 0..17]", "{<<x>> : x \\in 0..301}", "[BOOLEAN -> 0..17]",
    "((0..6) \\X (0..6) \\X (0..6))", "(0..63)", "(0..64)", "[1..3 -> {\"a\", \"b\"}]", "{x \\in 0..400 : x # 7}",
    "{<<x, y>> \\in (0..30) \\X (0..30) : x <= y}", "(SUBSET (0..5))", "(SUBSET (0..6))", "{x \\in SUBSET (0..8) : 0 \\in x}",
]  # fmt: skip
"""Sets beside the numbers up to which sets are listed, expanded, folded."""
OF_KIND = {
    "int": "int", "bool": "truth", "word": "word", "model": "model", "seq": "tuple", "rec": "record",
    "fun": "function", "set": "set", "sets": "sets", "bag": "function",
}  # fmt: skip
FITS = {
    "int": ("int",), "bool": ("truth",), "word": ("word",), "model": ("model",), "seq": ("tuple", "rows"),
    "rec": ("record",), "fun": ("function", "tuple", "record", "rows"), "set": ("set", "sets", "pairs"),
    "sets": ("sets",), "recs": (), "seqs": ("pairs",), "funs": (), "bag": ("function",),
}  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """An expression: a rule, in which ``§`` stands for a part."""

    rule: str
    parts: tuple[Tree, ...] = ()

    def __str__(self) -> str:
        head, *rest = self.rule.split(_PART)
        return head + "".join(f"{part}{text}" for part, text in zip(self.parts, rest, strict=True))

    def below(self) -> Iterator[Tree]:
        """All parts of parts, and itself."""
        yield self
        for part in self.parts:
            yield from part.below()

    def smaller(self) -> Iterator[Tree]:
        """Trees with a part of it in place of a whole, or something small."""
        yield from (part for part in self.below() if part is not self)
        yield from (Tree(text) for text in _SMALL if len(text) < len(str(self)))
        for number, part in enumerate(self.parts):
            for other in part.smaller():
                yield replace(self, parts=(*self.parts[:number], other, *self.parts[number + 1 :]))


_PART = "§"
_SMALL = ("0", "{}", "<<>>", "TRUE", "{0}", "<<0>>", "{None}", "None", "[a |-> 0]")


@dataclass(frozen=True)
class Words:
    """What expressions are made of: the variables with their profiles."""

    values: Values
    profiles: dict[str, tuple[str, ...]]
    odd: float = 0.1
    """How often an operator gets a value of any kind."""

    @property
    def chance(self) -> Random:
        """The source of what is random."""
        return self.values.chance

    def expression(self, kind: str, depth: int, bound: tuple[str, ...] = ()) -> Tree:
        """An expression of a kind; a name that a rule binds may be used below ``%``."""
        chance = self.chance
        own = str(chance.randrange(10**6))
        if kind == "large":
            return Tree(_own(chance.choice(LARGE), own))
        if kind == "any" or chance.random() < self.odd:
            if bound and chance.random() < 0.5:
                return Tree(chance.choice(bound))
            kind = chance.choice(ANY)
        if bound and chance.random() < 0.35:
            return Tree(chance.choice(bound))
        if depth <= 0 or chance.random() < 0.25:
            return Tree(self._leaf(kind))
        rule = _own(chance.choice(RULES[kind]), own)
        parts = [
            self.expression(found[2], depth - 1, (*bound, f"x{own}") if found[1] == "%" else bound)
            for found in _PARTS.finditer(rule)
        ]
        return Tree(_PARTS.sub(_PART, rule), tuple(parts))

    def _leaf(self, kind: str) -> str:
        chance = self.chance
        fitting = [n for n, kinds in self.profiles.items() if set(kinds) & set(FITS[kind])]
        if fitting and chance.random() < 0.75:
            return chance.choice(fitting)
        if chance.random() < 0.2:
            return chance.choice(list(self.profiles))
        if kind in OF_KIND:
            return self.values.value(OF_KIND[kind], 1)
        within = {"recs": "record", "seqs": "tuple", "funs": "function"}[kind]
        return set_of([self.values.value(within, 1) for _ in range(chance.randint(1, 2))])


_PARTS = re.compile(r"([$%])([a-z]+)")


def _own(rule: str, own: str) -> str:
    """The names that a rule binds made its own; fields and strings stay."""
    return re.sub(r'(?<![".\w])([xyS])(?![\w"])(?! \|->)', rf"\g<1>{own}", rule)


def profiles(chance: Random) -> dict[str, tuple[str, ...]]:
    """Some variables and the kinds of values that each has."""
    return {name: chance.choice(PROFILES) for name in "defgh"[: chance.randint(3, 5)]}


def state(values: Values, of: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The values of the variables in a state."""
    return {name: values.value(values.chance.choice(kinds)) for name, kinds in of.items()}
