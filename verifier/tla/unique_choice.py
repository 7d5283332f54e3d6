r"""CHOOSE of the only element of a kind: ``CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x``.

As it is written, P is evaluated for pairs of elements, in order. Here P is evaluated once for each element,
in any order. If exactly one satisfies P, CHOOSE takes it. This is sound if P has one value for an element
and no side effect. In all other cases the CHOOSE is evaluated as it is written, for its value or its error.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from verifier.tla import ast
from verifier.tla.ast import Binding, Bound, Builtin, Expression, Update
from verifier.tla.renaming import rename_symbols


def find_formula_of_unique(whole: ast.Choose) -> Expression | None:
    r"""Return ``P(x)`` of a CHOOSE of this form; None if it has another one."""
    body = whole.body
    if not isinstance(body, ast.Junction) or not body.conjunction or len(whole.binding.names) > 1:
        return None
    *formula, only = body.items
    match only:
        case ast.Quantifier(
            universal=True,
            bindings=(Binding(names=(other,), domain=domain),),
            body=ast.Apply(operator=Builtin(name="=>"), arguments=(premise, conclusion)),
        ) if _is_same(domain, whole.binding.domain):
            name = whole.binding.names[0]
            # Exchanged: the premise f[x][y] is not P(y), though f[x][x] is P(x).
            renamed = rename_symbols(premise, {other: name, name: other})
            parts = renamed.items if isinstance(renamed, ast.Junction) and renamed.conjunction else (renamed,)
            if _is_same(parts, tuple(formula)) and _equates(conclusion, name, other):
                return formula[0] if len(formula) == 1 else replace(body, items=tuple(formula))
    return None


def _equates(whole: Expression, one: Bound, other: Bound) -> bool:
    """True if an expression is ``one = other`` or ``other = one``."""
    if not isinstance(whole, ast.Apply) or not _is_builtin(whole.operator, "="):
        return False
    return {getattr(side, "operator", None) for side in whole.arguments} == {one, other}


def _is_builtin(symbol: ast.Symbol, name: str) -> bool:
    return isinstance(symbol, Builtin) and symbol.name == name


def _is_same(one: Any, other: Any) -> bool:
    """True if two expressions are written alike, with the same symbols, wherever they are written."""
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, Expression | Binding | Update):
        parts = [each.name for each in fields(one) if each.name != "place"]
        return type(one) is type(other) and all(_is_same(getattr(one, n), getattr(other, n)) for n in parts)
    return bool(one == other)
