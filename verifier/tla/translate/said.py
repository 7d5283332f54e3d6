"""Values of single variables that Init and invariants state. They are read from the formulas, without a
search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.tla import ast
from verifier.tla.action_forms import Assignment, Binding, Call, Conjunction, action_form
from verifier.tla.ast import Definition, Expression
from verifier.tla.frames import Undefined, Unit
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.translate.sampling_budget import SAMPLING
from verifier.tla.translate.set_shapes import add_members
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.value_types import NoValue
from verifier.tla.values import materialize


def bounds_of_types(specification: Specification, shapes: dict[str, Shape]) -> None:
    """Add to the shapes the finite sets that invariants state for variables."""
    for formula in specification.invariants.values():
        for variable, relation, of in _find_restrictions(specification, formula, ()):
            if relation == "\\in":
                _widen(specification, shapes, variable, relation, of)


def bounds_of_init(specification: Specification, shapes: dict[str, Shape]) -> None:
    """Add to the shapes the values that Init states for each variable alone. Raises Untranslated if Init
    states none for a variable, so that its initial values are not known."""
    bounded = set()
    for formula in specification.init:
        for variable, relation, of in _find_restrictions(specification, formula, ()):
            if _widen(specification, shapes, variable, relation, of):
                bounded.add(variable)
    for one in specification.variables:
        if one not in bounded:
            raise Untranslated(
                specification.init[0].body.place,
                f"Init has more than {SAMPLING.initial:,} states, and does not say by itself which values "
                f"{one.name} has, as {one.name} \\in S does where no variable occurs in S",
            )


def is_bounded(specification: Specification) -> bool:
    """True if Init states the values of each variable alone, independent of the others."""
    said = (_find_restrictions(specification, formula, ()) for formula in specification.init)
    known = {variable for each in said for variable, *_ in each}
    if not known.issuperset(specification.variables):  # saves the building of large sets
        return False
    try:
        bounds_of_init(specification, {one.name: Shape() for one in specification.variables})
    except Untranslated:
        return False
    return True


def is_true_once(specification: Specification) -> bool:
    """True if Init is true of each state in one way, as TLC counts ways. Init assigns the variables one after
    the other. Formulas that could be true in several ways come after all of them."""
    assigned: set[ast.Variable] = set()
    return all(_is_true_once(specification, formula, assigned, ()) for formula in specification.init)


def _is_true_once(
    specification: Specification,
    formula: Formula,
    assigned: set[ast.Variable],
    seen: tuple[Definition, ...],
) -> bool:
    body, evaluator = formula.body, specification.evaluator
    if len(assigned) == len(specification.variables):
        return True
    match action_form(evaluator, body, formula.module):
        case Conjunction(items):
            parts = [Formula(item, formula.module) for item in items]
            return all(_is_true_once(specification, part, assigned, seen) for part in parts)
        case Call(symbol, call) if not call.arguments and symbol not in seen:
            assert symbol.body is not None
            further = Formula(symbol.body, symbol.module)
            return _is_true_once(specification, further, assigned, (*seen, symbol))
        case Assignment(left=left):
            if (variable := _variable_of(left)) is not None:
                assigned.add(variable)
            return True
    return not evaluator.actions.branches(body, Unit(formula.module), True)


def _variable_of(left: Expression) -> ast.Variable | None:
    """Return the variable that a side of an equation is."""
    if isinstance(left, ast.Apply) and isinstance(left.operator, ast.Variable):
        return left.operator
    return None


def _widen(
    specification: Specification,
    shapes: dict[str, Shape],
    variable: ast.Variable,
    relation: str,
    of: Formula,
) -> bool:
    """Add a value, or the members of a set, to a shape. Return True if they are finitely many."""
    wider = Shape()
    try:
        wider.merge(shapes[variable.name])
        value = specification.evaluator.compile_value(of.body, of.module)()
        if relation == "=":
            wider.add(materialize(value))
        else:
            add_members(wider, value)
    except (NoShape, NoValue, Undefined):
        return False
    shapes[variable.name] = wider
    return True


def _find_restrictions(
    specification: Specification, formula: Formula, seen: tuple[Definition, ...]
) -> Iterable[tuple[ast.Variable, str, Formula]]:
    r"""Yield the variables that a formula restricts by ``=`` or ``\in`` to the same value or set in all
    states."""
    body, evaluator = formula.body, specification.evaluator
    match action_form(evaluator, body, formula.module):
        case Conjunction(items):
            for item in items:
                yield from _find_restrictions(specification, Formula(item, formula.module), seen)
        case Binding(let):
            inner = Formula(let.body, formula.module)
            for variable, relation, of in _find_restrictions(specification, inner, seen):
                yield variable, relation, Formula(replace(let, body=of.body), of.module)
        case Call(symbol, call) if not call.arguments and symbol.body is not None and symbol not in seen:
            further = Formula(symbol.body, symbol.module)
            yield from _find_restrictions(specification, further, (*seen, symbol))
        case Assignment(is_equation, left, right):
            own = _variable_of(left)
            if own is not None and evaluator.is_constant(right, formula.module):
                yield own, "=" if is_equation else "\\in", Formula(right, formula.module)
