"""The precedence of TLA+'s operators, and SANY's grouping of operators by it.

An operator has a range of precedences. Two neighbours whose ranges overlap are an error, unless they are the
same left-associative operator.

Source: Specifying Systems (Lamport, 2002), Table 6; in tlaplus/tlaplus,
``tla2sany.parser.OperatorStack``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

T = TypeVar("T")

PREFIX: dict[str, tuple[int, int]] = {
    "~": (4, 4), "ENABLED": (4, 15), "UNCHANGED": (4, 15), "[]": (4, 15), "<>": (4, 15),
    "SUBSET": (10, 13), "UNION": (10, 13), "DOMAIN": (10, 13), "-.": (12, 12),
}  # fmt: skip
POSTFIX: dict[str, tuple[int, int]] = {"'": (15, 15), "^+": (15, 15), "^*": (15, 15), "^#": (15, 15)}

_LEFT = {
    (3, 3): "/\\ \\/", (6, 6): "@@", (8, 8): "\\cup \\cap", (10, 10): "(+) + ++", (10, 11): "%% | ||",
    (11, 11): "(-) - --", (13, 13): "& && (.) (\\X) * ** \\bigcirc \\bullet \\o \\star",
    (9, 13): "## $ $$ ?? \\sqcap \\sqcup \\uplus", (10, 13): "\\X", (5, 14): "\\cdot", (7, 7): "<:",
}  # fmt: skip
_NOT_LEFT = {
    (1, 1): "=>", (2, 2): "-+-> <=> ~>", (7, 7): ":>", (8, 8): "\\", (10, 11): "%", (9, 9): ".. ...",
    (9, 13): "!!", (9, 14): "\\wr", (13, 13): "(/) / // \\div", (14, 14): "^ ^^",
    (5, 5): r":= ::= = # < > <= >= \approx |- |= -| =| \asymp \cong \doteq \gg \ll \in \notin \prec \succ "
    r"\preceq \succeq \propto \sim \simeq \sqsubset \sqsupset \sqsubseteq \sqsupseteq \subset \supset "
    r"\subseteq \supseteq",
}  # fmt: skip
INFIX: dict[str, tuple[int, int]] = {
    name: levels for table in (_LEFT, _NOT_LEFT) for levels, names in table.items() for name in names.split()
}
_ASSOCIATIVE = {name for names in _LEFT.values() for name in names.split()}

_SAME = {
    "\\lnot": "~", "\\neg": "~", "\\land": "/\\", "\\lor": "\\/", "\\equiv": "<=>", "/=": "#", "=<": "<=",
    "\\leq": "<=", "\\geq": ">=", "\\intersect": "\\cap", "\\union": "\\cup", "\\oplus": "(+)",
    "\\ominus": "(-)", "\\odot": "(.)", "\\oslash": "(/)", "\\otimes": "(\\X)", "\\circ": "\\o",
    "\\times": "\\X", "¬": "~", "□": "[]", "◇": "<>", "⋄": "<>", "∧": "/\\", "∨": "\\/", "≡": "<=>",
    "⇔": "<=>", "⟺": "<=>", "⇒": "=>", "⟹": "=>", "⇝": "~>", "↝": "~>", "≠": "#", "≤": "<=", "≥": ">=",
    "∈": "\\in", "∉": "\\notin", "⊆": "\\subseteq", "⊂": "\\subset", "⊇": "\\supseteq", "⊃": "\\supset",
    "∩": "\\cap", "∪": "\\cup", "‥": "..", "…": "...", "×": "\\X", "∘": "\\o", "÷": "\\div", "⋅": "\\cdot",
    "⊕": "(+)", "⊖": "(-)", "⊗": "(\\X)", "⊙": "(.)", "⊘": "(/)", "⇸": "-+->", "≺": "\\prec",
    "≻": "\\succ", "⪯": "\\preceq", "⪰": "\\succeq", "⊓": "\\sqcap", "⊔": "\\sqcup", "⊎": "\\uplus",
    "⊏": "\\sqsubset", "⊑": "\\sqsubseteq", "⊐": "\\sqsupset", "⊒": "\\sqsupseteq", "≔": ":=",
    "≈": "\\approx",
    "∼": "\\sim", "≃": "\\simeq", "≅": "\\cong", "≪": "\\ll", "≫": "\\gg", "∝": "\\propto", "⋆": "\\star",
    "●": "\\bullet", "◯": "\\bigcirc", "≀": "\\wr", "⁺": "^+", "‼": "!!", "⁇": "??", "‖": "||", "⊢": "|-",
    "⊨": "|=", "⊣": "-|", "⫤": "=|", "≍": "\\asymp", "≐": "\\doteq", "⩴": "::=",
}  # fmt: skip


def canonical(symbol: str) -> str:
    """Return the canonical spelling of an operator."""
    return _SAME.get(symbol, symbol)


def list_spellings() -> Iterator[str]:
    """Yield each way to write an operator."""
    return chain(PREFIX, POSTFIX, INFIX, _SAME)


@dataclass(frozen=True)
class Operator(Generic[T]):
    """An operator in a row of operands and operators."""

    name: str
    fixity: str
    """``prefix``, ``infix`` or ``postfix``."""
    node: T

    @property
    def levels(self) -> tuple[int, int]:
        """Return the least and the greatest precedence."""
        return {"prefix": PREFIX, "infix": INFIX, "postfix": POSTFIX}[self.fixity][self.name]


class Conflict(Exception):
    """Raised for two neighbours of which neither binds tighter."""

    def __init__(self, left: Operator[object], right: Operator[object]) -> None:
        super().__init__(f"{left.name} {right.name}")
        self.left, self.right = left, right


Row = Sequence["Operator[T] | T"]


def build(row: Sequence[object], combine: Callable[[Operator[T], list[object]], object]) -> object:
    """Build the expression of a row of operands and operators. Raises Conflict. ``combine`` makes the
    expression of an operator and its operands."""
    operands: list[object] = []
    waiting: list[Operator[T]] = []

    def reduce() -> None:
        operator = waiting.pop()
        count = 2 if operator.fixity == "infix" else 1
        taken = operands[-count:]
        del operands[-count:]
        operands.append(combine(operator, taken))

    for item in row:
        if not isinstance(item, Operator):
            operands.append(item)
            continue
        if item.fixity != "prefix":
            while waiting and _binds_first(waiting[-1], item):
                reduce()
        elif item.name == "-." and waiting and _binds_tighter_than_minus(waiting[-1]):
            raise Conflict(waiting[-1], item)  # type: ignore[arg-type]
        if item.fixity == "postfix":
            operands.append(combine(item, [operands.pop()]))
        else:
            waiting.append(item)
    while waiting:
        reduce()
    return operands[0]


def _binds_tighter_than_minus(left: Operator[T]) -> bool:
    """True if a minus must not follow: ``2 * -1``. SANY allows any other prefix operator there."""
    return left.fixity == "infix" and left.levels[0] > PREFIX["-."][1]


def _binds_first(left: Operator[T], right: Operator[T]) -> bool:
    if left.levels[0] > right.levels[1]:
        return True
    if left.levels[1] < right.levels[0]:
        return False
    if left.fixity == right.fixity == "infix" and left.name == right.name and left.name in _ASSOCIATIVE:
        return True
    raise Conflict(left, right)  # type: ignore[arg-type]
