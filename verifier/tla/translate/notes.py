"""Translations of expressions, kept for comparison with the interpreter."""

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
"""The number of translations that are kept of one expression, drawn evenly from all. An expression is
translated once for each value of the names around it."""


@dataclass(frozen=True, eq=False)
class Note:
    """One translation of an expression."""

    whole: Expression
    context: Context
    translation: Sym
    assigned: dict[ast.Variable, Sym] | None
    """The values of variables in the next state. None: the symbols of the state after a step."""


class Notes:
    """A sample of the translations of each expression of a module. It is the same in every run."""

    def __init__(self, translator: Translator) -> None:
        self.translator = translator
        self._kept: dict[Expression, list[Note]] = {}
        self._seen: dict[Expression, int] = {}
        self._chance = Random(0)
        translator.noted = self.add

    def add(self, whole: Expression, context: Context, translation: Sym) -> None:
        """Keep a translation, or replace a kept one by it. Some translations are skipped: below ENABLED of an
        instance and within a fold, names have values that no state has."""
        if self.translator.own or context.folding:
            return
        kept = self._kept.setdefault(whole, [])
        number = self._seen[whole] = self._seen.get(whole, 0) + 1
        place = len(kept) if number <= _MOST_OF_ONE else self._chance.randrange(number)
        if place < _MOST_OF_ONE:
            kept[place : place + 1] = [Note(whole, context, translation, self.translator.assigned)]

    def __iter__(self) -> Iterator[Note]:
        for kept in self._kept.values():
            yield from kept


__all__ = ["Note", "Notes"]
