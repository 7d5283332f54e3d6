"""The variables that a step assigns."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.action_forms import Assignment, Stay, action_form
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.thunks import Thunk


def target(evaluator: Evaluator, whole: Expression, c: Context) -> ast.Variable | None:
    """Return the variable that an equation with this left side assigns; None if it assigns none."""
    if isinstance(whole, ast.Prime) and not c.primed:
        return _variable(evaluator, whole.body, c)
    if isinstance(whole, ast.Apply) and not whole.arguments:
        symbol = evaluator.resolve(whole.operator, c.module) or whole.operator
        if _waits(symbol):
            meaning = c.env.get(symbol)
            return target(evaluator, meaning.body, meaning.context) if isinstance(meaning, Thunk) else None
        if isinstance(symbol, Definition) and symbol.body is not None:
            return target(evaluator, symbol.body, Context({}, symbol.module))
    return None


def _waits(symbol: ast.Symbol) -> bool:
    """True if a name is a parameter or a definition of a LET, whose translation is delayed."""
    return isinstance(symbol, ast.Parameter) or (isinstance(symbol, Definition) and symbol.nested)


def assigns(evaluator: Evaluator, whole: Expression, c: Context) -> bool:
    """True if a formula is an assignment, which is true in one way once its variable has a value."""
    return isinstance(action_form(evaluator, whole, c.module), Assignment | Stay)


def _variable(evaluator: Evaluator, whole: Expression, c: Context) -> ast.Variable | None:
    if not isinstance(whole, ast.Apply) or whole.arguments:
        return None
    symbol = evaluator.resolve(whole.operator, c.module) or whole.operator
    if isinstance(symbol, ast.Variable):
        return symbol
    if _waits(symbol):
        meaning = c.env.get(symbol)
        return _variable(evaluator, meaning.body, meaning.context) if isinstance(meaning, Thunk) else None
    if isinstance(symbol, Definition) and symbol.body is not None:
        return _variable(evaluator, symbol.body, Context({}, symbol.module))
    return None


def find_bound_item(argument: Expression, c: Context) -> object:
    """Return the value of an argument that is a name; None for any other argument."""
    if isinstance(argument, ast.Apply) and not argument.arguments:
        return c.env.get(argument.operator)
    return None


def variables(evaluator: Evaluator, body: Expression, c: Context) -> list[ast.Variable] | None:
    """Return the variables that UNCHANGED mentions; None if it mentions anything else."""
    if isinstance(body, ast.Tuple):
        parts = [variables(evaluator, item, c) for item in body.items]
        return None if None in parts else [one for part in parts for one in part or []]
    if not isinstance(body, ast.Apply) or body.arguments:
        return None
    symbol = evaluator.resolve(body.operator, c.module) or body.operator
    if isinstance(symbol, ast.Variable):
        return [symbol]
    if _waits(symbol):
        meaning = c.env.get(symbol)
        return variables(evaluator, meaning.body, meaning.context) if isinstance(meaning, Thunk) else None
    if isinstance(symbol, Definition) and symbol.body is not None:
        return variables(evaluator, symbol.body, Context({}, symbol.module))
    return None


__all__ = ["assigns", "find_bound_item", "target", "variables"]
