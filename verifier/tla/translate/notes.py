"""What expressions were translated to, kept so that it can be compared with what the interpreter says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.symbolic import Sym

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator

_MOST_OF_ONE = 4
"""An expression is translated for each value of the names around it. So many of these translations are kept,
drawn evenly from all."""


@dataclass(frozen=True, eq=False)
class Note:
    """One translation of an expression."""

    whole: Expression
    context: Context
    found: Sym
    assigned: dict[ast.Variable, Sym] | None
    """What variables are in the next state; None: the symbols of the state after a step."""


class Notes:
    """Some translations of each expression of a module; of the same module always the same ones."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self._kept: dict[Expression, list[Note]] = {}
        self._seen: dict[Expression, int] = {}
        self._chance = Random(0)
        translator.noted = self.add

    def add(self, whole: Expression, context: Context, found: Sym) -> None:
        """Keeps a translation, or one of the others. Below ENABLED of an instance and within the recursion of
        a fold names stand for what no state has."""
        if self.translator.own or context.folding:
            return
        kept = self._kept.setdefault(whole, [])
        number = self._seen[whole] = self._seen.get(whole, 0) + 1
        place = len(kept) if number <= _MOST_OF_ONE else self._chance.randrange(number)
        if place < _MOST_OF_ONE:
            kept[place : place + 1] = [Note(whole, context, found, self.translator.assigned)]

    def __iter__(self) -> Iterator[Note]:
        for kept in self._kept.values():
            yield from kept


__all__ = ["Note", "Notes"]
