"""Random texts of TLA+ over values of several kinds: values, expressions, states.

A variable has a profile, the kinds of values that it takes. An operator mostly gets what it wants, and
now and then a value of any kind.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

_DATA = tomllib.loads(Path(__file__).with_name("tla_mixed.toml").read_text(encoding="utf-8"))
ALWAYS = ("Integers", "Sequences", "FiniteSets", "TLC")


EVERY = ", ".join(_DATA["modules"])
"""All of them: a process of TLC confuses the operators of modules that do not extend the same."""


def extends(text: str) -> str:
    """The modules that a text needs."""
    words = set(re.findall(r"\w+", text)) | {sign for sign in ("(+)", "(-)", " & ", " | ") if sign in text}
    words = {word.strip() for word in words}
    return ", ".join([*ALWAYS, *(module for module, names in _DATA["modules"].items() if words & set(names))])


CONSTANTS = " None = None\n Node = {na, nb}\n"
OPERATORS = (
    'Strings == <<[fa |-> 0, fb |-> 0, fc |-> 0, fv |-> 0, fx |-> 0], "">>\n'
    "Na == CHOOSE x \\in Node : TRUE\nOther == CHOOSE x \\in Node : x # Na\n"
    "RECURSIVE Size(_)\nSize(x) == IF x = <<>> THEN 0 ELSE 1 + Size(Tail(x))\n"
    "RECURSIVE Total(_)\nTotal(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN"
    " 1 + Total(S \\ {x})\n"
)

# -- values

SCALARS = ("int", "word", "model", "truth")
WORDS = ('"fa"', '"fb"', '"fc"', '"fx"', '""')
"""No module has these names, so TLC orders them as the header of each module has them."""
SHAPES = [
    names.split()
    for names in (
        "fa",
        "fb",
        "fc",
        "fa fb",
        "fa fc",
        "fb fc",
        "fa fb fc",
        "fx",
        "fa fx",
        "fb fx",
        "fc fx",
        "fv fa",
    )
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
    mixing: float = 0.15
    """The probability that an item of a tuple is of another kind than the others, or that a set has a model
    value too."""
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
        some = self._parts(depth, 3, mixing=0) + ["None"] * (chance.random() < self.mixing)
        return set_of(some)

    def _parts(self, depth: int, most: int, mixing: float | None = None) -> list[str]:
        """Some values, mostly of one kind."""
        one = self.chance.choice(SCALARS[:3] if depth <= 0 else KINDS[:8])
        mixed = self.chance.random() < (self.mixing if mixing is None else mixing)
        count = self.chance.choice((0, 1, *range(1, most + 1)))
        return [self._part(depth) if mixed else self.value(one, depth - 1) for _ in range(count)]

    def _part(self, depth: int) -> str:
        return self.value(self.chance.choice(SCALARS[:3] if depth <= 0 else KINDS[:8]), depth - 1)


def set_of(parts: list[str]) -> str:
    """A set with these members."""
    return "{" + ", ".join(parts) + "}"


# -- expressions

ANY = ("int", "bool", "seq", "rec", "fun", "set", "sets", "recs", "seqs", "funs", "word", "model", "bag")
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

    def rename(self, names: Mapping[str, str]) -> Tree:
        """Return the tree with other names for variables."""
        return Tree(names.get(self.rule, self.rule), tuple(part.rename(names) for part in self.parts))

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
_SMALL = ("0", "{}", "<<>>", "TRUE", "{0}", "<<0>>", "{None}", "None", "[fa |-> 0]")


@dataclass(frozen=True)
class Words:
    """The parts of expressions: the variables with their profiles."""

    values: Values
    profiles: dict[str, tuple[str, ...]]
    odd: float = 0.1
    """The probability that an operator gets a value of any kind."""

    @property
    def chance(self) -> Random:
        """Return the random source."""
        return self.values.chance

    def expression(self, kind: str, depth: int, bound: tuple[str, ...] = ()) -> Tree:
        """An expression of a kind; a name that a rule binds may be used below ``%``."""
        chance = self.chance
        own = str(chance.randrange(10**6))
        if kind == "large":
            return Tree(_own(chance.choice(_DATA["large"]), own))
        if kind == "any" or chance.random() < self.odd:
            if bound and chance.random() < 0.5:
                return Tree(chance.choice(bound))
            kind = chance.choice(ANY)
        if bound and chance.random() < 0.35:
            return Tree(chance.choice(bound))
        if depth <= 0 or chance.random() < 0.25:
            return Tree(self._leaf(kind))
        rule = _own(chance.choice(_DATA["rules"][kind]), own)
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


VARIABLES = ("d", "e", "f", "g", "h")
"""The variables, equally many everywhere: TLC numbers names again with each module, and takes the first for
variables."""


def profiles(chance: Random) -> dict[str, tuple[str, ...]]:
    """The variables and the kinds of values that each has."""
    return {name: chance.choice(PROFILES) for name in VARIABLES}


def state(values: Values, of: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The values of the variables in a state."""
    return {name: values.value(values.chance.choice(kinds)) for name, kinds in of.items()}
