"""SANY's levels: the levels that an operator allows for its operands, and its own level.

Source: ``tla2sany.semantic.LevelNode`` and ``OpDefNode`` (tlaplus/tlaplus).
"""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Builtin, Expression
from verifier.tla.facts import ACTION, CONSTANT, STATE, TEMPORAL, subexpressions

_ANY_LEVEL = frozenset({"=>", "<=>", "~"})
_OF_VALUES = frozenset({"", "Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "Bags"})
"""The modules, with the language itself, whose operators take no temporal formulas."""
UNCOUNTED = frozenset({"TLCGet", "TLCSet", "PrintT"})
"""Operators whose level does not depend on their arguments."""
_SETS = (
    ast.SetOf, ast.Tuple, ast.Product, ast.FunctionSet, ast.RecordSet, ast.Except, ast.FunctionApply,
    ast.Image, ast.Filter, ast.Choose,
)  # fmt: skip


def limits_of(whole: Expression) -> list[int]:
    """Return the highest level that each part of an expression may have, in the order of
    ``subexpressions``."""
    parts = subexpressions(whole)[0]
    match whole:
        case ast.Prime() | ast.Unchanged():
            return [STATE]
        case ast.Enabled():
            return [ACTION, *[STATE] * (len(parts) - 1)]
        case ast.Step():
            return [ACTION, STATE]
        case ast.Fairness():
            return [STATE, ACTION]
        case ast.Quantifier() | ast.Function():
            return [*[ACTION] * (len(parts) - 1), TEMPORAL]
        case ast.Unbounded(kind="CHOOSE"):
            return [ACTION]
        case _ if isinstance(whole, _SETS):
            return [ACTION] * len(parts)
    return [TEMPORAL] * len(parts)


def limit_of_builtin(operator: Builtin) -> int:
    """Return the highest level that the arguments of a built-in operator may have."""
    values = operator.module in _OF_VALUES and operator.name not in _ANY_LEVEL
    return ACTION if values else TEMPORAL


def own_level(whole: Expression) -> int:
    """Return the least level of an expression, whatever its parts are."""
    match whole:
        case ast.Enabled():
            return STATE
        case ast.Prime() | ast.Unchanged() | ast.Step() | ast.Apply(operator=Builtin(name="\\cdot")):
            return ACTION
        case ast.Temporal() | ast.Fairness() | ast.Unbounded(kind="\\AA" | "\\EE"):
            return TEMPORAL
    return CONSTANT


def tells_equals_apart(whole: Expression) -> bool:
    """True if an operator may distinguish values that are equal now: it is about another state or a step."""
    match whole:
        case ast.Prime() | ast.Unchanged() | ast.Enabled() | ast.Step() | ast.Temporal() | ast.Fairness():
            return True
        case ast.Unbounded(kind="\\AA" | "\\EE") | ast.Apply(operator=Builtin(name="\\cdot")):
            return True
    return False


def mistaken(whole: Expression, levels: list[int]) -> str:
    """Return the error of an expression whose parts have these levels, though each part is allowed; empty for
    none."""
    mixed = ACTION in levels and TEMPORAL in levels
    match whole:
        case ast.Temporal(kind="[]" | "<>", items=(item,)) if levels == [ACTION] and not _is_step(
            whole, item
        ):
            form = "[][A]_v" if whole.kind == "[]" else "<><<A>>_v"
            return f"{whole.kind} of a formula about two states: only {form} is allowed{_write_out(item)}"
        case ast.Temporal(kind="~>" | "-+->") if ACTION in levels:
            return f"{whole.kind} takes no formula about two states"
        case ast.Junction() if mixed:
            return "what is about two states stands beside a temporal formula: is [][A]_v meant?"
        case ast.Apply(operator=Builtin(name="=>" | "<=>")) if mixed:
            return "what is about two states stands beside a temporal formula"
        case ast.Quantifier() if levels[-1] == TEMPORAL and ACTION in levels[:-1]:
            return "the set of a quantifier cannot be a temporal formula, nor that of a temporal one primed"
    return ""


def _is_step(whole: ast.Temporal, item: Expression) -> bool:
    if isinstance(item, ast.Step):
        return item.stuttering == (whole.kind == "[]")
    return isinstance(item, ast.Let)


def _write_out(item: Expression) -> str:
    named = isinstance(item, ast.Apply) and isinstance(item.operator, ast.Definition)
    return ", written out, and no name for it" if named else ""


def may_be_temporal(whole: Expression, known: dict[ast.Definition, bool]) -> bool:
    """True if an expression contains a temporal formula. ``known``: the answers for earlier definitions."""
    if own_level(whole) == TEMPORAL:
        return True
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, ast.Definition):
        definition = whole.operator
        if definition not in known:
            known[definition] = False  # the assumption for recursive calls
            body = definition.body
            known[definition] = body is not None and may_be_temporal(body, known)
        if known[definition]:
            return True
    parts = [whole.body] if isinstance(whole, ast.Let) else subexpressions(whole)[0]
    return any(may_be_temporal(part, known) for part in parts)


def is_constant(module: ast.Module) -> bool:
    """True if a module mentions no state: it has no variables, and no operators such as a prime."""
    if module.variables or module.put:
        return False
    if not all(is_constant(one.module) for one in module.instances.values()):
        return False
    defined = [one for name, one in module.names.items() if name not in module.given]
    waiting = [one.body for one in defined if isinstance(one, ast.Definition) and one.body]
    while waiting:
        part = waiting.pop()
        if own_level(part) > CONSTANT:
            return False
        if isinstance(part, ast.Let):
            waiting += [part.body, *(one.body for one in part.definitions if one.body)]
        else:
            waiting += subexpressions(part)[0]
    return True
