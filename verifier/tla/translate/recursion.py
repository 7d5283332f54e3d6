r"""Recursive operators that fold a set.

Such an operator is e for {}. For other sets it is an expression of a member x of S and of ``Op(S \ {x})``.
Here x is any member (``LET x == CHOOSE x \in S : TRUE``). It takes the members one after the other, in TLC's
order. So it needs one step for each possible member, even if the state decides the set, and no bound on the
depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression, Parameter
from verifier.tla.facts import subexpressions


@dataclass(frozen=True)
class Fold:
    """The parts of a recursive operator that folds a set."""

    set: Parameter
    item: Definition
    """The definition of a LET that names the first member."""
    empty: Expression
    """The operator's value for the empty set."""
    step: Expression
    """The operator's value for any other set."""
    calls: tuple[ast.Apply, ...]
    """The recursive calls in the step, for the set without its first member and all other arguments
    unchanged."""


def fold_of(definition: Definition) -> Fold | None:
    """Return the fold that a recursive operator is; None if it is none."""
    body = definition.body
    if not isinstance(body, ast.If):
        return None
    asked = _find_emptiness_test(body.condition)
    if asked is None:
        return None
    of, wanted = asked
    empty, step = (body.then, body.otherwise) if wanted else (body.otherwise, body.then)
    parts = list(nodes(step))
    calls = tuple(node for node in parts if isinstance(node, ast.Apply) and node.operator is definition)
    items = {item for call in calls if (item := _without(call, definition, of)) is not None}
    if of not in definition.parameters or len(items) != 1 or not calls:
        return None
    item = items.pop()
    used = sum(_is_name(node, of) for node in parts)
    plain = (
        all(_without(call, definition, of) is item for call in calls)
        and _is_any_of(item.body, of)
        and any(isinstance(node, ast.Let) and item in node.definitions for node in parts)
        and used == len(calls) + 1
        and not any(isinstance(node, ast.OperatorArgument) and node.operator is definition for node in parts)
        and not any(_is_name(node, of) or _is_name(node, definition) for node in nodes(empty))
    )
    return Fold(of, item, empty, step, calls) if plain else None


def nodes(whole: Expression) -> Iterator[Expression]:
    """Yield an expression and all its subexpressions."""
    yield whole
    if isinstance(whole, ast.Let):
        parts = [one.body for one in whole.definitions if one.body is not None] + [whole.body]
    else:
        parts, _ = subexpressions(whole)
    for part in parts:
        yield from nodes(part)


def _is_name(whole: Expression | None, symbol: ast.Symbol) -> bool:
    return isinstance(whole, ast.Apply) and whole.operator is symbol


def _builtin(whole: Expression | None) -> tuple[str, tuple[Expression, ...]]:
    """Return the name and the arguments of a built-in operator."""
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, Builtin):
        return whole.operator.name, whole.arguments
    return "", ()


def _find_emptiness_test(condition: Expression) -> tuple[Parameter, bool] | None:
    """Return the parameter that a condition compares with the empty set, and whether by ``=``. None if there
    is no such parameter."""
    name, arguments = _builtin(condition)
    if name not in ("=", "#"):
        return None
    for one, other in (arguments, arguments[::-1]):
        operator = one.operator if isinstance(one, ast.Apply) and not one.arguments else None
        if isinstance(operator, Parameter) and isinstance(other, ast.SetOf) and not other.items:
            return operator, name == "="
    return None


def _without(call: ast.Apply, definition: Definition, of: Parameter) -> Definition | None:
    r"""Return the x of a call ``Op(S \ {x})`` that passes on all other parameters; None for other calls."""
    member: Definition | None = None
    for parameter, argument in zip(definition.parameters, call.arguments, strict=True):
        if parameter is not of:
            if not _is_passed_on(parameter, argument):
                return None
            continue
        name, parts = _builtin(argument)
        if name != "\\" or not _is_name(parts[0], of) or not isinstance(parts[1], ast.SetOf):
            return None
        (item,) = parts[1].items if len(parts[1].items) == 1 else (None,)
        if isinstance(item, ast.Apply) and isinstance(item.operator, Definition) and item.operator.nested:
            member = item.operator
    return member


def _is_passed_on(parameter: Parameter, argument: Expression) -> bool:
    """True if an argument is the parameter itself, which may be an operator."""
    operator = isinstance(argument, ast.OperatorArgument) and argument.operator is parameter
    return operator or _is_name(argument, parameter)


def _is_any_of(body: Expression | None, of: Parameter) -> bool:
    r"""True if an expression is ``CHOOSE x \in S : TRUE``."""
    return (
        isinstance(body, ast.Choose)
        and not body.binding.is_tuple
        and _is_name(body.binding.domain, of)
        and _builtin(body.body)[0] == "TRUE"
    )


__all__ = ["Fold", "fold_of", "nodes"]
