"""What guards read: TLC looks at all ways in which a guard can be true.

A disjunction in Next is a branch for each of its parts, also where it says nothing of the next state. So each
part is read, although one before it is true.
"""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.expressions import Translator
from verifier.tla.translate.symbolic import YES, Sym


def all_ways(t: Translator, whole: Expression, c: Context, seen: tuple[Definition, ...] = ()) -> Sym:
    """A formula that has a value where each way to make a guard true has one; it is true there."""
    match whole:
        case ast.Junction() if whole.conjunction:
            return _in_turn(t, whole, c, seen)
        case ast.Junction():
            return t.and_([all_ways(t, item, c, seen) for item in whole.items])
        case ast.Quantifier() if not whole.universal:
            return _of_each(t, whole, c, seen)
        case ast.If():
            sides = [all_ways(t, side, c, seen) for side in (whole.then, whole.otherwise)]
            condition = t.value(whole.condition, c)
            return t.and_([t.reads(condition), t.if_(condition, *sides)])
        case ast.Let():
            return all_ways(t, whole.body, t.let(whole, c), seen)
        case ast.Apply() if (symbol := _entered(t, whole, c)) is not None and symbol not in seen:
            assert symbol.body is not None
            return all_ways(t, symbol.body, t.entered(symbol, whole, c), (*seen, symbol))
    return t.reads(t.truth(t.value(whole, c)))


def _in_turn(t: Translator, whole: ast.Junction, c: Context, seen: tuple[Definition, ...]) -> Sym:
    found: Sym = YES
    for item in reversed(whole.items):
        later, found = found, all_ways(t, item, c, seen)
        if later is not YES:
            found = t.and_([found, t.guarded(t.value(item, c), later)])
    return found


def _of_each(t: Translator, whole: ast.Quantifier, c: Context, seen: tuple[Definition, ...]) -> Sym:
    read, rows = t.bound_cases(whole.bindings, c)
    parts = [read]
    for cases, inner in rows:
        one = all_ways(t, whole.body, inner, seen)
        for case in reversed(cases):
            one = one if one is YES else t.for_all(case, one)
        parts.append(one)
    return t.and_(parts)


def _entered(t: Translator, whole: ast.Apply, c: Context) -> Definition | None:
    """The definition whose body is looked at; None where the value counts."""
    symbol = t.evaluator.resolve(whole.operator, c.module) or whole.operator
    if not isinstance(symbol, Definition) or symbol.body is None or symbol in t.evaluator.constants:
        return None
    return None if symbol.nested and not symbol.parameters else symbol


__all__ = ["all_ways"]
