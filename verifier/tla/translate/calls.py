"""Names, and operators with arguments, translated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.encodings.terms import Term
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.facts import ACTION
from verifier.tla.translate.builtins import apply_operator
from verifier.tla.translate.connectives import if_, implies
from verifier.tla.translate.contexts import Around, Context
from verifier.tla.translate.evaluating import DEEPEST
from verifier.tla.translate.functions import look_up
from verifier.tla.translate.kinds import expect_kind
from verifier.tla.translate.nesting import (
    find_changed_arguments,
    find_mentioned_definitions,
    follows_from_arguments,
    some_are_equal,
)
from verifier.tla.translate.recursion import Fold, fold_of
from verifier.tla.translate.set_operators import members_in_order
from verifier.tla.translate.symbolic import Known, Nothing, Sym, Table, Untranslated
from verifier.tla.translate.symbolic import Operator as Op
from verifier.tla.translate.terms import variable
from verifier.tla.translate.thunks import Thunk
from verifier.tla.translate.value_kinds import SET

if TYPE_CHECKING:
    from verifier.tla.translate.translator import Translator


_MOST_UNROLLED = 1_000
"""The limit of calls that a recursive operator makes of itself within one call."""
_MOST_TABLED = 16
"""The most values of an argument for which calls within a recursive operator are tabled."""


def translate_apply(t: Translator, whole: ast.Apply, context: Context) -> Sym:
    symbol = t.evaluator.resolve(whole.operator, context.module) or whole.operator
    if symbol in t.evaluator.constants and not whole.arguments:
        return Known(t.evaluator.constants[symbol])
    match symbol:
        case ast.Variable():
            return _variable(t, symbol, context)
        case ast.Bound():
            return look_up_name(symbol, context)
        case ast.Parameter():
            if symbol.arity:
                operator = context.env[symbol]
                return operator.call(*(t.value(a, context) for a in whole.arguments))  # type: ignore[no-any-return]
            return look_up_name(symbol, context)
        case Definition():
            return call_definition(t, symbol, whole, context)
        case Builtin():
            return _apply_builtin(t, symbol, whole, context)
    raise Untranslated(whole.place, f"the constant {symbol.name} has no value")


def look_up_name(symbol: ast.Symbol, context: Context) -> Sym:
    """Return the value of a bound name, a parameter, or a definition of a LET."""
    meaning = context.env.get(symbol)
    if meaning is None:
        raise Untranslated(None, f"{symbol.name} is not known here")
    return meaning.force(context.primed) if isinstance(meaning, Thunk) else meaning


def _variable(t: Translator, symbol: ast.Variable, context: Context) -> Sym:
    if not context.primed:
        return t.own[symbol] if symbol in t.own else variable(t.variables[symbol])
    if t.assigned is None:
        return variable(t.successor[symbol])
    value = t.assigned.get(symbol)
    if value is None:
        t.unassigned.add(symbol.name)
        return Nothing(f"{symbol.name} has no value in the next state yet")
    return value


def call_definition(t: Translator, symbol: Definition, whole: ast.Apply, context: Context) -> Sym:
    """Translate a call of a defined operator by its body."""
    if symbol.nested and not symbol.parameters:
        return look_up_name(symbol, context)
    plain = not symbol.parameters and not context.primed
    if plain and symbol in t.defined:
        return t.defined[symbol]
    if whole in context.folding:
        return context.folding[whole]
    fold = _fold_of(t, symbol)
    if fold is not None:
        return _translate_fold(t, fold, enter(t, symbol, whole, context))
    depth = t.depths.get(symbol, 0)
    _check_calls(t, symbol, whole, depth)
    if depth >= DEEPEST or (depth and _never_ends(t, symbol, context)):
        return Nothing(f"{symbol.name} calls itself deeper than {min(depth, DEEPEST)} times")
    inner = enter(t, symbol, whole, context)
    tabled = None if depth else _translate_tabled_call(t, symbol, context, inner)
    if tabled is not None:
        return tabled
    t.depths[symbol] = depth + 1
    try:
        assert symbol.body is not None
        result = t.value(symbol.body, inner)
    finally:
        t.depths[symbol] = depth
    if plain and t.evaluator.analysis.of(whole, context.module).level < ACTION:
        t.defined[symbol] = result
    return result


def _never_ends(t: Translator, symbol: Definition, context: Context) -> bool:
    """True if a call repeats the arguments of a call around it, so that it has no value."""
    assert symbol.body is not None
    calls = context.calls.get(symbol, ())
    facts = t.evaluator.analysis.of(symbol.body, symbol.module)
    return follows_from_arguments(symbol, facts) and some_are_equal(calls, t.names, DEEPEST)


def _translate_tabled_call(t: Translator, symbol: Definition, context: Context, inner: Context) -> Sym | None:
    """Translate a call whose argument changes with each level of recursion, once for each value of that
    argument. The table serves all such calls. None if no argument or several change, or if the argument has
    too many values."""
    assert symbol.body is not None
    changed = find_changed_arguments(context)
    changing = [one for one in symbol.parameters if any(inner.env[one] is given for given in changed)]
    if len(changing) != 1 or changing[0] not in t.evaluator.strictness.of(symbol):
        return None
    facts = t.evaluator.analysis.of(symbol.body, symbol.module)
    if not follows_from_arguments(symbol, facts) or context.primed or t.own:
        return None
    if symbol not in t.reached:
        t.reached[symbol] = find_mentioned_definitions(symbol, t.evaluator.resolve)
    if not t.reached[symbol].isdisjoint(context.calls):  # then each value may take all levels again
        return None
    given = inner.env[changing[0]]
    argument = given.force(False) if isinstance(given, Thunk) else given
    if not isinstance(argument, Term) or argument.sort.size > _MOST_TABLED:
        return None
    rows: dict[Any, Sym] = {}
    for value in argument.sort.values():
        known = Known(t.names.decode(value, argument.sort))
        item = _make_table_for(t, symbol, changing[0], known, inner)
        if not isinstance(item, Nothing):
            rows[known.value] = item
    return t.strict(look_up(t, Table(rows), argument), argument)


def _make_table_for(
    t: Translator, symbol: Definition, parameter: ast.Parameter, known: Known, inner: Context
) -> Sym:
    """Return the value of an operator for one known value of a parameter."""
    env = {**inner.env, parameter: known}
    others = (inner.env[one] for one in symbol.parameters if one is not parameter)
    key = (symbol, t.kept_narrow, known.value, *others)
    if key not in t.tabled:
        assert symbol.body is not None
        t.tabled[key] = t.value(symbol.body, replace(inner, env=env))
    return t.tabled[key]


def _check_calls(t: Translator, symbol: Definition, whole: ast.Apply, depth: int) -> None:
    """Raise Untranslated if an operator calls itself too often."""
    t.repeated[symbol] = t.repeated.get(symbol, 0) + 1 if depth else 0
    if t.repeated[symbol] > _MOST_UNROLLED:
        words = f"{symbol.name} calls itself too often to be unrolled: more than {_MOST_UNROLLED} times"
        raise Untranslated(whole.place, words)


def _fold_of(t: Translator, symbol: Definition) -> Fold | None:
    if symbol not in t.folds:
        t.folds[symbol] = fold_of(symbol)
    return t.folds[symbol]


def _translate_fold(t: Translator, fold: Fold, context: Context) -> Sym:
    """Translate a recursive operator that takes the members of a set one after the other."""
    of = expect_kind(t, look_up_name(fold.set, context), SET)
    if isinstance(of, Nothing):
        return of
    result = t.value(fold.empty, context)
    for case in reversed(members_in_order(t, of)):
        folding = dict(context.folding)
        folding.update(dict.fromkeys(fold.calls, result))
        folding[fold.item] = case.item
        step = t.value(fold.step, replace(context, folding=folding))
        result = if_(t, case.condition, step, result)
    return t.strict(result, of)


def enter(t: Translator, symbol: Definition, whole: ast.Apply, context: Context) -> Context:
    """Return the context in which the body of a definition is translated."""
    given = tuple(
        make_argument(t, parameter, argument, context)
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True)
    )
    calls = {**context.calls, symbol: (*context.calls.get(symbol, ()), given)}
    return replace(_inside(symbol, given, context), calls=calls)


def make_argument(t: Translator, parameter: ast.Parameter, argument: Expression, context: Context) -> Any:
    """Return an operator as it is, or a thunk that is translated when it is needed."""
    return make_operator(t, argument, context) if parameter.arity else delay(t, argument, context)


def delay(t: Translator, argument: Expression, context: Context) -> Any:
    """Return a thunk that is translated when it is needed, or the value of a name that is bound already."""
    if isinstance(argument, ast.Apply) and not argument.arguments:
        symbol = t.evaluator.resolve(argument.operator, context.module) or argument.operator
        if isinstance(symbol, ast.Bound | ast.Parameter) and symbol in context.env:
            return context.env[symbol]
    return Thunk(t, argument, context)


def make_operator(t: Translator, whole: Expression, context: Context) -> Op:
    """Make an operator from an argument that is a LAMBDA or the name of an operator."""
    if isinstance(whole, ast.Lambda):
        lambda_ = whole

        def enter_body(given: Sequence[Any]) -> tuple[Expression, Context]:
            return lambda_.body, context.with_names(dict(zip(lambda_.parameters, given, strict=True)))

        return Op(lambda *given: t.value(*enter_body(given)), len(lambda_.parameters), enter_body)
    assert isinstance(whole, ast.OperatorArgument)
    symbol = t.evaluator.resolve(whole.operator, context.module) or whole.operator
    if isinstance(symbol, ast.Parameter):
        operator: Op = context.env[symbol]
        return operator
    if isinstance(symbol, Definition):
        body, count = symbol.body, len(symbol.parameters)
        assert body is not None
        return Op(
            lambda *given: _call_with(t, symbol, given, context),
            count,
            lambda given: (body, _inside(symbol, given, context)),
        )
    if isinstance(symbol, Builtin):
        return Op(lambda *given: apply_operator(t, symbol.name, list(given), whole))
    raise Untranslated(whole.place, f"the operator {symbol.name} has no value")


def _call_with(t: Translator, symbol: Definition, given: tuple[Sym, ...], context: Context) -> Sym:
    assert symbol.body is not None
    depth = t.depths.get(symbol, 0)
    if depth >= DEEPEST:
        return Nothing(f"{symbol.name} calls itself deeper than {DEEPEST} times")
    t.depths[symbol] = depth + 1
    try:
        return t.value(symbol.body, _inside(symbol, given, context))
    finally:
        t.depths[symbol] = depth


def _apply_builtin(t: Translator, symbol: Builtin, whole: ast.Apply, context: Context) -> Sym:
    if symbol.name == "=>":
        return implies(t, t.value(whole.arguments[0], context), lambda: t.value(whole.arguments[1], context))
    given: list[Sym] = []
    for argument in whole.arguments:
        if isinstance(argument, ast.OperatorArgument | ast.Lambda):
            given.append(make_operator(t, argument, context))
            continue
        value = t.value(argument, context)
        if isinstance(value, Nothing):
            return value
        given.append(value)
    return apply_operator(t, symbol.name, given, whole)


def enter_let(t: Translator, whole: ast.Let, context: Context) -> Context:
    """Return the context in which the body of a LET is translated."""
    inner = context.with_names({})
    for definition in whole.definitions:
        if definition in context.folding:
            inner.env[definition] = context.folding[definition]
            continue
        if definition.parameters:
            inner.env[definition] = Around(context.at)
        elif definition.body is not None:
            inner.env[definition] = Thunk(t, definition.body, inner)
    return inner


def _inside(symbol: Definition, given: Sequence[Any], context: Context) -> Context:
    """Return the context of a definition's body, with these values of the parameters. A definition of a LET
    also sees the names around it."""
    parameters: dict[ast.Symbol, Any] = dict(zip(symbol.parameters, given, strict=True))
    if symbol.nested:
        around = context.env.get(symbol)
        at = around.at if isinstance(around, Around) else context.at
        return replace(context.with_names(parameters), at=at)
    return Context(parameters, symbol.module, context.primed)
