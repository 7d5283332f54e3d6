"""Circuits in BTOR2 (Niemetz, Preiner, Wolf, Biere, CAV 2018). All bit-vectors have one bit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pysmt import operators as op
from pysmt.fnode import FNode

from verifier.encodings.bits import in_order
from verifier.interchange.circuit import Circuit

_OPERATORS = {op.NOT: "not", op.AND: "and", op.OR: "or", op.IMPLIES: "implies", op.IFF: "iff", op.ITE: "ite"}


class Btor2:
    """The lines of a file, and the number of the line for each term and each property."""

    def __init__(self, circuit: Circuit) -> None:
        self.lines: list[str] = []
        self.numbers: dict[FNode, int] = {}
        self.bad: dict[str, int] = {}
        """For each property the number of its line ``bad``."""
        self._line("sort bitvec 1")
        self._zero, self._one = self._line("zero 1"), self._line("one 1")
        for symbol in circuit.inputs:
            self.numbers[symbol] = self._line(f"input 1 {symbol_of(symbol)}")
        for latch in circuit.latches:
            self.numbers[latch.symbol] = self._line(f"state 1 {symbol_of(latch.symbol)}")
        for latch in circuit.latches:
            self._line(f"init 1 {self.numbers[latch.symbol]} {self._one if latch.reset else self._zero}")
        functions = [latch.following for latch in circuit.latches]
        order, _ = in_order([*functions, *circuit.bad.values(), circuit.valid])
        for node in order:
            if node not in self.numbers:
                self.numbers[node] = self._term(node)
        for latch in circuit.latches:
            self._line(f"next 1 {self.numbers[latch.symbol]} {self.numbers[latch.following]}")
        self._line(f"constraint {self.numbers[circuit.valid]}")
        for name, formula in circuit.bad.items():
            self.bad[name] = self._line(f"bad {self.numbers[formula]} {_clean(name)}")

    def text(self, comments: Sequence[str]) -> str:
        """The contents of the file."""
        return "".join(f"{line}\n" for line in (*(f"; {comment}" for comment in comments), *self.lines))

    def _line(self, words: str) -> int:
        self.lines.append(f"{len(self.lines) + 1} {words}")
        return len(self.lines)

    def _term(self, node: FNode) -> int:
        kind = node.node_type()
        if kind == op.BOOL_CONSTANT:
            return self._one if node.constant_value() else self._zero
        if kind not in _OPERATORS:
            raise TypeError(f"not a boolean term: {node}")
        name = _OPERATORS[kind]
        first, *others = (self.numbers[argument] for argument in node.args())
        if kind not in (op.AND, op.OR):
            return self._line(" ".join(map(str, (name, 1, first, *others))))
        for other in others:
            first = self._line(f"{name} 1 {first} {other}")
        return first


def symbol_of(symbol: FNode) -> str:
    """The name of an input or latch in BTOR2."""
    return _clean(symbol.symbol_name())


def _clean(name: str) -> str:
    """The name without the characters that would end it: blanks, and the semicolon of a comment."""
    return re.sub(r"[\s;]+", "_", name.replace(", ", ","))
