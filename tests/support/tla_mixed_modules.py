"""Random modules whose variable holds values of several kinds, some of which come late.

``k`` says of which kind ``v`` is, so that its values are compared with their like. ``c`` counts: kinds that
come late are there after as many steps as no sample looks at.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.support.tla_mixed import values_of
from tests.support.tla_mixed_texts import OPERATORS, Tree, Values, Words, extends, set_of
from verifier.specs.titles import NO_DEADLOCK
from verifier.tla.value_types import Boolean as Truth

_KINDS = ("int", "word", "model", "truth", "tuple", "record", "function", "set", "rows", "sets", "pairs")
_LATE = (0, 1, 2, 2, 3, 60, 130, 400)
_OF_KIND = {
    "int": "int", "word": "word", "model": "model", "truth": "bool", "tuple": "seq", "record": "rec",
    "function": "fun", "set": "set", "rows": "seq", "sets": "sets", "pairs": "set",
}  # fmt: skip
NAMES = "<<v, k, w, c>>"
CONSTANTS = "CONSTANTS\n None = None\n Node = {na, nb}\n"


@dataclass(frozen=True)
class Module:
    """A module, its configuration, and the names of the checked properties."""

    text: str
    config: str
    names: tuple[str, ...]
    lasting: tuple[str, ...]
    """Temporal properties."""
    counted: bool
    """True if TLC counts the states as they are: it trusts SYMMETRY, and takes states of one VIEW for one."""


class _Maker:
    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.values = Values(self.chance, mixing=0.02)
        self.kinds = self.chance.sample(_KINDS, self.chance.randint(2, 4))
        self.other = self.chance.choice(("int", "set", "tuple", "record", "function"))
        self.late = self.chance.choice(_LATE)
        self.pools = {kind: self._pool(kind) for kind in self.kinds}
        self.first = self.values.value(self.other)
        self.drawn = self._draw_expressions()

    def _pool(self, kind: str) -> list[str]:
        return [self.values.value(kind) for _ in range(self.chance.randint(1, 3))]

    def _draw_expressions(self) -> dict[tuple[str, str], list[str]]:
        """Expressions, by their kind and that of ``v``; mostly those that have a value for all values that
        ``v`` has at first, since TLC ends with the first error."""
        trees: dict[str, tuple[str, str, Tree]] = {}
        states: list[dict[str, str]] = []
        places: dict[str, set[int]] = {}
        for of_v in self.kinds:
            words = Words(self.values, {"d": (of_v,), "e": (self.other,), "f": (of_v,)}, odd=0.03)
            for kind in ("bool", _OF_KIND[of_v]):
                for _ in range(16):
                    tree = words.expression(kind, self.chance.choice((1, 2, 2, 3)))
                    trees[f"E{len(trees)}"] = (kind, of_v, tree)
            pool = self.pools[of_v]
            places[of_v] = set(range(len(states), len(states) + len(pool)))
            states += [{"d": one, "e": self.first, "f": self.chance.choice(pool)} for one in pool]
        values = values_of(
            {name: tree for name, (_, _, tree) in trees.items()},
            states,
            {name: places[of_v] for name, (_, of_v, _) in trees.items()},
        )
        found: dict[tuple[str, str], list[str]] = {}
        for name, (kind, of_v, tree) in trees.items():
            found_here = [values.get((place, name)) for place in places[of_v]]
            defined = all(one is not None and (kind != "bool" or type(one) is Truth) for one in found_here)
            if defined or self.chance.random() < 0.05:
                text = str(tree.rename({"d": "v", "e": "w", "f": "v'"}))
                true = kind == "bool" and all(one is not None and bool(one) for one in found_here)
                often = 4 if true else 1
                found.setdefault((kind, of_v), []).extend([text] * often)
        return found

    def expression(self, kind: str, of_v: str, *, steps: bool = False) -> str:
        """An expression where ``v`` is of a kind."""
        fitting = [text for text in self.drawn.get((kind, of_v), ()) if steps or "v'" not in text]
        speaking = [text for text in fitting if "v" in text]
        return self.chance.choice(speaking or fitting or ["TRUE" if kind == "bool" else "v"])

    def steps(self) -> list[str]:
        """The disjuncts of Next."""
        chance = self.chance
        made = [f"(c < {self.late} /\\ c' = c + 1 /\\ UNCHANGED <<v, k, w>>)"]
        for number, kind in enumerate(self.kinds):
            when = f"c = {self.late}" if number else "c <= 1"
            pool = " \\/ ".join(f"v' = {one}" for one in self.pools[kind])
            made.append(f'({when} /\\ k\' = "{kind}" /\\ ({pool}) /\\ UNCHANGED <<w, c>>)')
            if chance.random() < 0.7:
                made.append(self.work(kind))
        return made

    def work(self, kind: str) -> str:
        """A step that makes something of a value of a kind."""
        chance = self.chance
        guard = self.expression("bool", kind) if chance.random() < 0.5 else "TRUE"
        made = self.expression(_OF_KIND[kind], kind)
        assigned = chance.choice((f"v' = {made}", f"v' \\in {set_of([made, 'v'])}"))
        other = "w' = w" if chance.random() < 0.8 else f"w' = {self.expression(_OF_KIND[kind], kind)}"
        return (
            f'(k = "{kind}" /\\ c >= {min(self.late, 1)} /\\ c < {self.late + 2} /\\ {guard}'
            f" /\\ {assigned} /\\ {other} /\\ c' = c + 1 /\\ k' = k)"
        )

    def claim(self) -> str:
        """Return a formula about ``v`` where it is of one kind; mostly one that may hold."""
        kind = self.chance.choice(self.kinds)
        said = self.expression("bool", kind)
        if self.chance.random() < 0.6:
            said = f"({said} \\/ c < {self.late} \\/ {self.expression('bool', kind)})"
        return f'(k = "{kind}" => {said})'

    def step_claim(self) -> str:
        """Return a claim about the next state too."""
        kind = self.chance.choice(self.kinds)
        return f'(k = "{kind}" /\\ k\' = "{kind}" => {self.expression("bool", kind, steps=True)})'

    def lasting(self) -> str:
        """A temporal formula."""
        one, other = (f'(k = "{self.chance.choice(self.kinds)}")' for _ in range(2))
        return self.chance.choice((
            f"[]<>{one}", f"<>[]~{one}", f"{one} ~> {other}", f"<>(c >= {self.late})", f"<>[]{self.claim()}",
            f"[]({self.claim()} => <>{other})",
        ))  # fmt: skip


_CROSSED = ("CONSTRAINT Within", "ACTION_CONSTRAINT Allowed", "VIEW Seen", "SYMMETRY Same", "ALIAS Shown")


def draw_module(seed: int, *, crossed: bool = False) -> Module:
    """Draw a module; ``crossed``: 32 seeds have every combination of what restricts or shows states."""
    maker = _Maker(seed)
    chance, first = maker.chance, maker.kinds[0]
    fair = chance.random() < 0.3
    definitions = {
        "Init": f'c = 0 /\\ k = "{first}" /\\ v = {maker.pools[first][0]} /\\ w = {maker.first}',
        "Next": "\n        \\/ ".join(["FALSE", *maker.steps()]),
        "Spec": f"Init /\\ [][Next]_{NAMES}" + (f" /\\ WF_{NAMES}(Next)" if fair else ""),
        "One": maker.claim(), "Two": maker.claim(), "Typed": 'k \\in {"' + '", "'.join(maker.kinds) + '"}',
        "Step": f"[][{maker.step_claim()}]_{NAMES}", "Lasts": maker.lasting(),
        "Within": f"c <= {maker.late + chance.randint(0, 2)}", "Allowed": maker.step_claim(),
        "Seen": "<<v, k, c>>", "Shown": "[was |-> v, more |-> <<w, c>>]", "Same": "Permutations(Node)",
    }  # fmt: skip
    used = {
        "PROPERTY Step": chance.random() < 0.4, "CONSTRAINT Within": chance.random() < 0.3,
        "ACTION_CONSTRAINT Allowed": chance.random() < 0.15, "VIEW Seen": chance.random() < 0.1,
        "SYMMETRY Same": chance.random() < 0.1, "ALIAS Shown": chance.random() < 0.1,
        "PROPERTY Lasts": chance.random() < 0.3,
    }  # fmt: skip
    if crossed:
        used |= {word: bool(seed >> place & 1) for place, word in enumerate(_CROSSED)}
    deadlock = chance.random() < 0.2
    words = [
        "SPECIFICATION Spec",
        "INVARIANT One Two Typed",
        *(word for word, there in used.items() if there),
    ]
    words += [] if deadlock else ["CHECK_DEADLOCK FALSE"]
    body = "CONSTANTS None, Node\nVARIABLES v, k, w, c\n" + OPERATORS
    body += "".join(f"{name} == {said}\n" for name, said in definitions.items())
    names = (
        "One",
        "Two",
        "Typed",
        *(["Step"] if used["PROPERTY Step"] else []),
        *([NO_DEADLOCK] if deadlock else []),
    )
    return Module(
        f"---- MODULE M ----\nEXTENDS {extends(body)}\n{body}====\n",
        CONSTANTS + "\n".join(words) + "\n",
        names,
        ("Lasts",) if used["PROPERTY Lasts"] else (),
        not (used["VIEW Seen"] or used["SYMMETRY Same"]),
    )
