"""The reason why a formula is false in a state: its smallest false parts, with the names that are bound
there."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from verifier.tla import ast
from verifier.tla.arguments import unit_of
from verifier.tla.ast import Definition
from verifier.tla.blaming import Blaming
from verifier.tla.descent import Descent
from verifier.tla.errors import TlaError
from verifier.tla.exploration_result import State
from verifier.tla.facts import STATE
from verifier.tla.frames import Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.levels import with_instances
from verifier.tla.said_parts import (
    Around,
    SaidPart,
)
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.unfolding import Texts
from verifier.tla.value_types import NoValue, Value

_MOST_PARTS = 3


def false_parts(
    spec: Specification,
    formulas: list[Formula],
    state: State,
    following: State | None = None,
    texts: Texts | None = None,
) -> list[SaidPart]:
    """Return the first parts that are false in a state, or of the step to the next state. None of them if an
    expression on the way has no value. ``texts``: what the text has where names are substituted."""
    parts, descent = list[SaidPart](), make_descent(spec, state, following, texts)
    try:
        for formula in formulas:
            unit = Unit(formula.module)
            if descent.is_false(formula.body, unit, unit.frame()):
                below = descent.parts(formula.body, unit, unit.frame(), Around())
                parts += islice(below, _MOST_PARTS - len(parts))
    except (Undefined, NoValue, RecursionError):
        pass
    return parts


def whole_part(
    spec: Specification, formula: Formula, state: State, following: State, texts: Texts
) -> SaidPart | None:
    """Return a formula of a state or step with the values that it reads there; None if one has no value."""
    unit = Unit(formula.module)
    with suppress(Undefined, NoValue, RecursionError):
        descent = make_descent(spec, state, following, texts)
        is_false = descent.is_false(formula.body, unit, unit.frame())
        part = descent.leaf(formula.body, unit, unit.frame())
        blame = Blaming(descent, unit, unit.frame()).blame(formula.body) if is_false else None
        return replace(part, blame=blame)
    return None


def make_descent(
    spec: Specification, state: State, following: State | None = None, texts: Texts | None = None
) -> Descent:
    """Return the descent into formulas in a state, or of the step to the next state."""
    spec.evaluator.now[:] = state
    if following is not None:
        spec.evaluator.next[:] = following
    put = {put.symbol for one in with_instances(spec.module) for put in one.puts}
    return Descent(spec.evaluator, put, texts or Texts())


def demands(
    spec: Specification, action: Definition, parameters: Mapping[str, Value], state: State
) -> list[SaidPart]:
    """Return the parts of an action that speak of the state in which it is taken.

    None where the parameters do not say which way was taken, or where something has no value on the way.
    """
    evaluator, demands = spec.evaluator, list[SaidPart]()
    if action.body is None or any(one.arity for one in action.parameters):
        return []
    descent = make_descent(spec, state)
    unit = unit_of(evaluator, action)
    e, waiting = unit.frame(), [action.body]
    try:
        for parameter in action.parameters:
            extend_frame(e, unit)[unit.slot(parameter)] = parameters[parameter.name]
        while waiting:
            whole = waiting.pop(0)
            match whole:
                case ast.Junction() if whole.conjunction or len(whole.items) == 1:
                    waiting[:0] = whole.items
                case ast.Quantifier() if not whole.universal and not any(b.is_tuple for b in whole.bindings):
                    for name in (name for binding in whole.bindings for name in binding.names):
                        slot = unit.slot(name)
                        extend_frame(e, unit)[slot] = parameters[name.name]
                    waiting.insert(0, whole.body)
                case ast.If() if evaluator.analysis.of(whole.condition, unit.module).level <= STATE:
                    held = not descent.is_false(whole.condition, unit, e)
                    demands += [one for one in [descent.branch(whole.condition, held, unit, e)] if one.reads]
                    waiting.insert(0, whole.then if held else whole.otherwise)
                case _ if evaluator.analysis.of(whole, unit.module).level == STATE:
                    if descent.is_false(whole, unit, e):  # it is another way that was taken
                        return []
                    demands.append(descent.leaf(whole, unit, e))
    except (Undefined, NoValue, RecursionError, KeyError, TlaError):
        return []
    return demands
