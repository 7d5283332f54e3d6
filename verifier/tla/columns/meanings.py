"""Expressions that are the same function of the numbers that they read: one evaluation serves all.

A definition is entered in several places, and ``DOMAIN messages`` is written in several: each has leaves of
its own. Two leaves are one function if their expressions are equal, and every name has the same meaning in
both. A name may mean a variable, or a column whose numbers mean the same values, at the same place among the
columns read. It may also mean another expression, to which this applies again. The places distinguish
``Less(a, b)`` from ``Less(b, a)``, where ``a`` and ``b`` come from one set.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from verifier.tla import ast
from verifier.tla.ast import Expression, Symbol
from verifier.tla.columns.batches import ColumnReference
from verifier.tla.columns.environments import Columns, Environment
from verifier.tla.columns.read_variables import reads


class Meanings:
    """Gives equal numbers to expressions that are the same function."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.numbers: dict[Hashable, int] = {}

    def of(self, whole: Expression, around: Environment) -> int:
        """Return the number of an expression and of the columns that it reads."""
        read = self.columns.read(whole, around, False)
        places = {of: place for place, of in enumerate(read)}
        return self._number("whole", self._of(whole, around, places), _kinds(read))

    def _number(self, *parts: Hashable) -> int:
        return self.numbers.setdefault(parts, len(self.numbers))

    def _of(self, whole: Expression, around: Environment, places: dict[ColumnReference, int]) -> int:
        core, module = self.columns.core, around.unit.module
        match whole:
            case ast.Number() | ast.String():
                return self._number(type(whole).__name__, whole.value)
            case ast.FunctionApply():
                parts = (self._of(part, around, places) for part in (whole.function, whole.argument))
                return self._number("[]", *parts)
            case ast.Apply():
                symbol = core.resolve(whole.operator, module) or whole.operator
                if symbol in around.names:
                    if not whole.arguments:
                        return self._stands(symbol, around, places)
                elif isinstance(symbol, ast.Builtin):
                    parts = (self._of(part, around, places) for part in whole.arguments)
                    return self._number(symbol.module, symbol.name, *parts)
                elif isinstance(symbol, ast.Variable | ast.Constant | ast.Definition) and not _is_nested(
                    symbol
                ):
                    return self._number(symbol, *(self._of(part, around, places) for part in whole.arguments))
        names = [one.symbol for one in reads(core, whole, module, False) if one.symbol in around.names]
        stand = {symbol: self._stands(symbol, around, places) for symbol in names}
        return self._number(whole, around.unit, frozenset(stand.items()))

    def _stands(self, symbol: Symbol, around: Environment, places: dict[ColumnReference, int]) -> int:
        stands = around.names.get(symbol, symbol)
        if isinstance(stands, ColumnReference):
            return self._number(places.get(stands, stands), *_kinds([stands]))
        if isinstance(stands, ast.Variable):
            return self._number(stands)
        assert not isinstance(stands, Symbol)
        return self._of(stands.expression, stands.around or around, places)


def _is_nested(symbol: Symbol) -> bool:
    """True if a definition may mention names around it."""
    return isinstance(symbol, ast.Definition) and symbol.nested


def _kinds(read: Sequence[ColumnReference]) -> tuple[Hashable, ...]:
    """Return the properties that distinguish columns with other values or another origin."""
    return tuple((of.numbers, of.variable, of.primed, of.derived is None) for of in read)
