"""The actions of a specification: the definitions that Next is a disjunction of."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.specification import Specification


def actions(specification: Specification) -> list[str]:
    """Return the names of the actions, in the order of the text, each with its parameters."""
    formula = specification.next
    if formula is None:
        return []
    names: dict[str, None] = {}
    body = formula.body.action if isinstance(formula.body, ast.Step) else formula.body
    _collect(specification, body, formula.module, None, names, ())
    return list(names)


def _collect(
    specification: Specification,
    whole: Expression,
    module: str,
    inside: str | None,
    titles: dict[str, None],
    seen: tuple[Definition, ...],
) -> None:
    """Collect the names of actions through disjunctions, quantifiers and definitions."""
    parts: tuple[Expression, ...] = ()
    match whole:
        case ast.Junction() if not whole.conjunction or len(whole.items) == 1:
            parts = whole.items
        case ast.Quantifier() if not whole.universal:
            parts = (whole.body,)
        case ast.Let():
            parts = (whole.body,)
        case ast.If():
            parts = (whole.then, whole.otherwise)
        case ast.Apply():
            symbol = specification.evaluator.resolve(whole.operator, module) or whole.operator
            if isinstance(symbol, Definition) and symbol.body is not None and symbol not in seen:
                names = ", ".join(parameter.name for parameter in symbol.parameters)
                title = f"{symbol.shown}({names})" if names else symbol.shown
                _collect(specification, symbol.body, symbol.module, title, titles, (*seen, symbol))
                return
    if not parts:
        titles.setdefault(inside or "Next")
    for part in parts:
        _collect(specification, part, module, inside, titles, seen)
