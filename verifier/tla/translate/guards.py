"""The parts that guards read. TLC tries every way in which a guard can be true.

A disjunction in Next is one branch for each disjunct, even if it does not mention the next state. So every
disjunct is read, although an earlier one is true.
"""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.translate.binders import bind_cases
from verifier.tla.translate.calls import enter, enter_let
from verifier.tla.translate.connectives import and_, if_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.spreading import for_all
from verifier.tla.translate.strict_reading import guard_reads, reads
from verifier.tla.translate.symbolic import YES, Sym
from verifier.tla.translate.translator import Translator


def all_ways(t: Translator, whole: Expression, c: Context, seen: tuple[Definition, ...] = ()) -> Sym:
    """Return TRUE where each way to make a guard true has a value; it has no value elsewhere."""
    match whole:
        case ast.Junction() if whole.conjunction:
            return _in_turn(t, whole, c, seen)
        case ast.Junction():
            return and_(t, [all_ways(t, item, c, seen) for item in whole.items])
        case ast.Quantifier() if not whole.universal:
            return _of_each(t, whole, c, seen)
        case ast.If():
            sides = [all_ways(t, side, c, seen) for side in (whole.then, whole.otherwise)]
            condition = t.value(whole.condition, c)
            return and_(t, [reads(t, condition), if_(t, condition, *sides)])
        case ast.Let():
            return all_ways(t, whole.body, enter_let(t, whole, c), seen)
        case ast.Apply() if (symbol := _deciding_definition(t, whole, c)) is not None and symbol not in seen:
            assert symbol.body is not None
            return all_ways(t, symbol.body, enter(t, symbol, whole, c), (*seen, symbol))
    return reads(t, truth_of(t, t.value(whole, c)))


def _in_turn(t: Translator, whole: ast.Junction, c: Context, seen: tuple[Definition, ...]) -> Sym:
    result: Sym = YES
    for item in reversed(whole.items):
        later, result = result, all_ways(t, item, c, seen)
        if later is not YES:
            result = and_(t, [result, guard_reads(t, t.value(item, c), later)])
    return result


def _of_each(t: Translator, whole: ast.Quantifier, c: Context, seen: tuple[Definition, ...]) -> Sym:
    read, rows = bind_cases(t, whole.bindings, c)
    parts = [read]
    for cases, inner in rows:
        one = all_ways(t, whole.body, inner, seen)
        for case in reversed(cases):
            one = one if one is YES else for_all(t, case, one)
        parts.append(one)
    return and_(t, parts)


def _deciding_definition(t: Translator, whole: ast.Apply, c: Context) -> Definition | None:
    """Return the definition whose body decides. None if the call is evaluated as one value."""
    symbol = t.evaluator.resolve(whole.operator, c.module) or whole.operator
    if not isinstance(symbol, Definition) or symbol.body is None or symbol in t.evaluator.constants:
        return None
    return None if symbol.nested and not symbol.parameters else symbol


__all__ = ["all_ways"]
