"""The arguments that an operator always evaluates: these need not be delayed.

Such an argument may be evaluated before the operator is entered. If it has no value, neither has the
operator; only the choice between two errors may differ. An argument that is evaluated only in some cases must
be delayed. The same holds for the names that a LET defines.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Parameter, Symbol


class Strictness:
    """Finds the parameters and names of LET that are always evaluated."""

    def __init__(
        self,
        resolve: Callable[[Symbol, str], Symbol | None],
        is_value: Callable[[Symbol], bool],
    ) -> None:
        """``is_value`` is true of the symbols to which the configuration gives values."""
        self.resolve, self.is_value = resolve, is_value
        self.known: dict[Definition, frozenset[Symbol]] = {}

    def of(self, definition: Definition) -> frozenset[Parameter]:
        """Return the parameters that are always evaluated."""
        always = self._of(definition)
        return frozenset(parameter for parameter in definition.parameters if parameter in always)

    def find_evaluated(self, whole: ast.Let, module: str) -> frozenset[Symbol]:
        """Return the definitions of a LET, without parameters, that are evaluated whenever the LET is."""
        return self._in(whole.body, module) & frozenset(whole.definitions)

    def _of(self, definition: Definition) -> frozenset[Symbol]:
        positions = self.known.get(definition)
        if positions is None:
            # A recursive call is assumed to evaluate no parameter.
            self.known[definition] = frozenset()
            assert definition.body is not None
            positions = self.known[definition] = self._in(definition.body, definition.module)
        return positions

    def _in(self, whole: Expression, module: str) -> frozenset[Symbol]:
        """Return the parameters and names of LET that are evaluated whenever an expression is."""
        if isinstance(whole, ast.Apply):
            return self._apply(whole, module)
        if isinstance(whole, ast.If):
            either = self._in(whole.then, module) & self._in(whole.otherwise, module)
            return self._in(whole.condition, module) | either
        return self._any(_first(whole), module)

    def _any(self, parts: tuple[Expression, ...], module: str) -> frozenset[Symbol]:
        return frozenset(chain.from_iterable(self._in(part, module) for part in parts))

    def _apply(self, whole: ast.Apply, module: str) -> frozenset[Symbol]:
        symbol = self.resolve(whole.operator, module) or whole.operator
        if isinstance(symbol, Parameter) and not symbol.arity:
            return frozenset((symbol,))
        if isinstance(symbol, Builtin):
            return self._any(whole.arguments[:1] if symbol.name == "=>" else whole.arguments, module)
        if isinstance(symbol, Definition) and symbol.nested and not symbol.parameters and symbol.body:
            return self._of(symbol) | {symbol}
        if isinstance(symbol, Definition) and not symbol.nested and not self.is_value(symbol):
            pairs = zip(symbol.parameters, whole.arguments, strict=True)
            always = self.of(symbol)
            return self._any(tuple(given for parameter, given in pairs if parameter in always), module)
        return frozenset()


def _first(whole: Expression) -> tuple[Expression, ...]:
    """Return the parts of an expression that are evaluated whenever it is."""
    match whole:
        case ast.Junction():
            return whole.items[:1]
        case ast.SetOf() | ast.Tuple() | ast.Product():
            return whole.items
        case ast.Record() | ast.RecordSet():
            return tuple(value for _, value in whole.fields)
        case ast.Case():
            return (whole.arms[0][0],)
        case ast.Let():
            return (whole.body,)
        case ast.Quantifier() | ast.Image():
            return (whole.bindings[0].domain,)
        case ast.Function() if whole.itself is None:
            return (whole.bindings[0].domain,)
        case ast.Choose() | ast.Filter():
            return (whole.binding.domain,)
        case ast.FunctionSet():
            return (whole.domain, whole.range)
        case ast.FunctionApply():
            return (whole.function, whole.argument)
        case ast.Except():
            return (whole.function,)
    return ()
