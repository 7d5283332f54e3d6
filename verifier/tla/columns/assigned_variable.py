r"""The variable that a formula assigns: the left side of ``=`` or ``\in``, with names resolved."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.arguments import unit_of
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.columns.environments import Environment, Given
from verifier.tla.evaluator import Evaluator


def symbol_of(evaluator: Evaluator, symbol: Symbol, around: Environment) -> Symbol:
    """Return the symbol of a name at the constants of the configuration."""
    return evaluator.resolve(symbol, around.unit.module) or symbol


def target(evaluator: Evaluator, whole: Expression, around: Environment) -> int | None:
    """Return the variable that is assigned, if an expression is a variable in the next state."""
    if isinstance(whole, ast.Prime):
        return _variable(evaluator, whole.body, around)
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return None
    symbol = symbol_of(evaluator, whole.operator, around)
    stands = around.names.get(symbol)
    if isinstance(stands, Given):
        return target(evaluator, stands.expression, stands.around or around)
    if isinstance(symbol, Definition) and not symbol.arity and not symbol.nested and symbol.body:
        return target(evaluator, symbol.body, Environment(unit_of(evaluator, symbol)))
    return None


def _variable(evaluator: Evaluator, whole: Expression, around: Environment) -> int | None:
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return None
    symbol = symbol_of(evaluator, whole.operator, around)
    if isinstance(symbol, ast.Variable):
        return evaluator.index[symbol]
    stands = around.names.get(symbol)
    if isinstance(stands, Given):
        return _variable(evaluator, stands.expression, stands.around or around)
    if isinstance(symbol, Definition) and symbol.body is not None and not symbol.nested:
        return _variable(evaluator, symbol.body, Environment(unit_of(evaluator, symbol)))
    return None
