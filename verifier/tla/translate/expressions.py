"""The table of rules that translate expressions, by the form of the expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Expression
from verifier.tla.translate.binders import (
    translate_choose,
    translate_filter,
    translate_image,
    translate_quantifier,
)
from verifier.tla.translate.calls import enter_let, translate_apply
from verifier.tla.translate.comparability import require_one_kind
from verifier.tla.translate.connectives import and_, if_, not_, or_, truth_of
from verifier.tla.translate.contexts import Context
from verifier.tla.translate.evaluating import make_known_function, make_strictly, set_value
from verifier.tla.translate.function_forms import translate_application, translate_except, translate_function
from verifier.tla.translate.making import equals
from verifier.tla.translate.parts import set_of
from verifier.tla.translate.symbolic import (
    NO,
    YES,
    Functions,
    Known,
    Nothing,
    Products,
    Records,
    Sym,
    Untranslated,
)
from verifier.tla.values import is_infinite, is_set

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


def _translate_record_set(t: Translator, whole: ast.RecordSet, context: Context) -> Sym:
    names = [name for name, _ in whole.fields]
    images = [set_value(t, value, context) for _, value in whole.fields]
    return make_strictly(lambda *values: Records(dict(zip(names, values, strict=True))), *images)


# -- logic


def _translate_junction(t: Translator, whole: ast.Junction, context: Context) -> Sym:
    parts = (t.value(item, context) for item in whole.items)
    return and_(t, parts) if whole.conjunction else or_(t, parts)


def _translate_if(t: Translator, whole: ast.If, context: Context) -> Sym:
    condition = truth_of(t, t.value(whole.condition, context))
    if isinstance(condition, Nothing):
        return condition
    if isinstance(condition, Known):
        return t.value(whole.then if condition.value.truth else whole.otherwise, context)
    return if_(t, condition, t.value(whole.then, context), t.value(whole.otherwise, context))


def _translate_case(t: Translator, whole: ast.Case, context: Context) -> Sym:
    result: Sym = Nothing(whole.missing)
    if whole.other is not None:
        result = t.value(whole.other, context)
    for guard, value in reversed(whole.arms):
        condition = t.value(guard, context)
        result = (
            result if truth_of(t, condition) is NO else if_(t, condition, t.value(value, context), result)
        )
    return result


def _translate_step(t: Translator, whole: ast.Step, context: Context) -> Sym:
    unchanged = equals(
        t, t.value(whole.subscript, context), t.value(whole.subscript, replace(context, primed=True))
    )
    action = t.value(whole.action, context)
    if whole.stuttering:
        return or_(t, [action, unchanged])
    return and_(t, [not_(t, unchanged), action])


# -- sets


def _translate_set(t: Translator, whole: ast.SetOf, context: Context) -> Sym:
    items = [t.value(item, context) for item in whole.items]
    for item in items:
        if isinstance(item, Nothing):
            return item
    infinite = [isinstance(item, Known) and is_set(item.value) and is_infinite(item.value) for item in items]
    if any(infinite) and not all(infinite):  # TLC compares no set with Nat, but None with it
        raise Untranslated(whole.place, "an infinite set beside other members of a set")
    return require_one_kind(t, set_of([(YES, item) for item in items]))


Form: TypeAlias = "Callable[[Translator, Any, Context], Sym]"
"""A function that translates an expression of one form in its context."""

FORMS: dict[type[Expression], Form] = {
    ast.Number: lambda t, e, c: Known(e.value),
    ast.String: lambda t, e, c: Known(e.value),
    ast.Apply: translate_apply,
    ast.Junction: _translate_junction,
    ast.If: _translate_if,
    ast.Case: _translate_case,
    ast.Let: lambda t, e, c: t.value(e.body, enter_let(t, e, c)),
    ast.Quantifier: translate_quantifier,
    ast.Choose: translate_choose,
    ast.SetOf: _translate_set,
    ast.Filter: translate_filter,
    ast.Image: translate_image,
    ast.Function: translate_function,
    ast.FunctionSet: lambda t, e, c: make_strictly(
        Functions, set_value(t, e.domain, c), set_value(t, e.range, c)
    ),
    ast.Record: lambda t, e, c: make_known_function({n: t.value(v, c) for n, v in e.fields}),
    ast.RecordSet: _translate_record_set,
    ast.Tuple: lambda t, e, c: make_known_function({n: t.value(v, c) for n, v in enumerate(e.items, 1)}),
    ast.Product: lambda t, e, c: make_strictly(
        lambda *items: Products(items), *(set_value(t, i, c) for i in e.items)
    ),
    ast.At: lambda t, e, c: c.at if c.at is not None else Nothing("@ stands outside of EXCEPT"),
    ast.Except: translate_except,
    ast.FunctionApply: translate_application,
    ast.Prime: lambda t, e, c: t.value(e.body, replace(c, primed=True)),
    ast.Unchanged: lambda t, e, c: equals(t, t.value(e.body, c), t.value(e.body, replace(c, primed=True))),
    ast.Step: _translate_step,
}
"""The rule for each form of expression. ``next_actions`` translates ENABLED, because it finds the steps of
the action. A form without a rule is not translated."""
__all__ = ["FORMS", "Form"]
