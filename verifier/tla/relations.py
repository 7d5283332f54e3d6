r"""The formulas that may assign: ``x' = e``, ``x' \in S``, and ``x' \subseteq S``, which is ``x' \in SUBSET
S``."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Builtin, Symbol

_IN, _SUBSETS = Builtin("\\in", 2), Builtin("SUBSET", 1)


def assignment(symbol: Symbol, whole: ast.Apply) -> tuple[str, ast.Apply] | None:
    r"""Return the relation of a formula, ``=`` or ``\in``, and the formula with it; None for any other. The
    left side decides whether it assigns. ``symbol``: the resolved operator."""
    match symbol:
        case Builtin(name="=" | "\\in"):
            return symbol.name, whole
        case Builtin(name="\\subseteq"):
            left, right = whole.arguments
            subsets = ast.Apply(_SUBSETS, (right,), place=right.place)
            return _IN.name, ast.Apply(_IN, (left, subsets), place=whole.place)
    return None
