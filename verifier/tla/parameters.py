"""The action of a walk, with the values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from verifier.tla import ast
from verifier.tla.ast import Bound, Definition, Expression, Parameter
from verifier.tla.exploration_result import Taken
from verifier.tla.frames import Closure, Undefined, Waiting
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import materialize

if TYPE_CHECKING:
    from verifier.tla.actions import Walker


def find_taken_action(walker: Walker) -> Taken:
    """Return the action of the walker, in the middle of a step."""
    action = walker.action
    if action is None:
        return Taken("Next")
    unit, values = walker.units[action], dict[str, Value]()
    symbols: list[Parameter | Bound] = [one for one in action.parameters if not one.arity]
    for symbol in (*symbols, *_find_passed_names(action)):
        slot = unit.slots.get(symbol)
        value = walker.frame[slot] if slot is not None and slot < len(walker.frame) else None
        if value is None or isinstance(value, Closure):  # bound on another branch, or an operator
            continue
        try:
            values[symbol.name] = materialize(value.force() if isinstance(value, Waiting) else value)
        except (Undefined, NoValue):  # an argument that no step has needed
            continue
    return Taken(action.shown, values)


def _find_passed_names(action: Definition) -> Iterator[Bound]:
    """Yield the names of quantifiers that a walk passes, in the order of the text."""
    waiting: list[Expression] = [] if action.body is None else [action.body]
    while waiting:
        whole = waiting.pop()
        parts: tuple[Expression, ...] = ()
        match whole:
            case ast.Junction():
                parts = whole.items
            case ast.Quantifier() if not whole.universal:
                yield from (name for binding in whole.bindings for name in binding.names)
                parts = (whole.body,)
            case ast.If():
                parts = (whole.then, whole.otherwise)
            case ast.Case():
                parts = (*(value for _, value in whole.arms), *([whole.other] if whole.other else []))
            case ast.Let():
                parts = (whole.body,)
        waiting += reversed(parts)
