"""The cases of a set's members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.encodings.terms import Symbol
from verifier.tla.translate.symbolic import (
    Sym,
)

if TYPE_CHECKING:
    pass


class Case:
    """Members of a set: the item, its condition, and the variable that it may contain."""

    __slots__ = ("condition", "item", "symbol")

    def __init__(self, condition: Sym, item: Sym, symbol: Symbol | None = None) -> None:
        self.condition, self.item, self.symbol = condition, item, symbol
