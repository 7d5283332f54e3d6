"""The choice between evaluation and translation.

The interpreter evaluates expressions that have the same value in all states. The rules translate all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.facts import CONSTANT
from verifier.tla.frames import Code, Undefined, Unit, Waiting
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.kinds import expect_kind
from verifier.tla.translate.parts import make_known_table
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Table, Untranslated
from verifier.tla.translate.thunks import Thunk
from verifier.tla.value_types import NoValue, Value

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


DEEPEST = 40
"""The limit of the recursion's depth where the state decides when it ends."""


def value_of(t: Translator, whole: Expression, context: Context) -> Sym:
    """Translate an expression. Raises Untranslated."""
    form = t.forms.get(type(whole))
    if not isinstance(whole, ast.Number | ast.String):
        result = constant_value(t, whole, context)
        if result is not None:
            return result
    if form is None:
        raise Untranslated(whole.place, f"{type(whole).__name__.upper()} is not translated")
    try:
        result = form(t, whole, context)
        t.noted(whole, context, result)
        return result
    except Untranslated as error:
        if error.place is None:
            error.place = whole.place
        raise
    except NoValue as error:
        return Nothing(str(error))
    except RecursionError:
        raise Untranslated(whole.place, "an operator calls itself too deep") from None


def set_value(t: Translator, whole: Expression, context: Context) -> Sym:
    """Translate an expression that must be a set. It has no value where it is none."""
    return expect_kind(t, t.value(whole, context), "set")


def translate_assigned_value(t: Translator, whole: Expression, context: Context) -> Sym:
    """Translate the expression whose value a step assigns to a variable."""
    t.kept_narrow = t.keeps_sorts
    try:
        return t.value(whole, context)
    finally:
        t.kept_narrow = False


def constant_value(t: Translator, whole: Expression, context: Context) -> Sym | None:
    """Return the value of an expression that does not depend on the state; None if it does."""
    facts = t.evaluator.analysis.of(whole, context.module)
    if facts.level != CONSTANT or facts.changing:
        return None
    key = (whole, context.module)
    if not facts.free:
        if key not in t.known:
            t.known[key] = _evaluate_known(t, whole, context, {})
        return t.known[key]
    bound: dict[ast.Symbol, Any] = {}
    for symbol in facts.free:
        value = _peek(t, symbol, context)
        if value is None:
            return None
        bound[symbol] = value.value
    return _evaluate_known(t, whole, context, bound)


def _peek(t: Translator, symbol: ast.Symbol, context: Context) -> Known | None:
    meaning = context.env.get(symbol)
    if isinstance(meaning, Thunk):
        if meaning.translation is None:
            facts = t.evaluator.analysis.of(meaning.body, meaning.context.module)
            if facts.level != CONSTANT or any(_peek(t, s, meaning.context) is None for s in facts.free):
                return None
        meaning = meaning.force(False)
    return meaning if isinstance(meaning, Known) else None


def _evaluate_known(t: Translator, whole: Expression, context: Context, bound: dict[ast.Symbol, Any]) -> Sym:
    key = (whole, context.module)
    if key not in t.compiled:
        unit = Unit(context.module)
        t.compiled[key] = unit, t.evaluator.value(whole, unit)
    unit, evaluate = t.compiled[key]
    for symbol in bound:
        unit.slot(symbol)
    frame = unit.frame()
    for symbol, value in bound.items():
        frame[unit.slot(symbol)] = _waiting(whole, unit, value) if isinstance(symbol, Definition) else value
    try:
        return Known(evaluate(frame))
    except Undefined as error:
        return Nothing(str(error))
    except NoValue as error:
        return Nothing(str(error))


def make_strictly(make: Callable[..., Sym], *parts: Sym) -> Sym:
    for part in parts:
        if isinstance(part, Nothing):
            return part
    return make(*parts)


def make_known_function(rows: dict[Any, Sym]) -> Sym:
    for item in rows.values():
        if isinstance(item, Nothing):
            return item
    return make_known_table(Table(rows))


def _waiting(whole: Expression, unit: Unit, value: Value) -> Waiting:
    """Make a definition of a LET whose value is known."""
    return Waiting(Code(whole, unit, True, lambda *_: lambda _: value, False, True, [False]), [])
