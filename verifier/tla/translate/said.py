"""What Init and invariants say of single variables, read from their texts: no state is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.tla import ast
from verifier.tla.ast import Definition
from verifier.tla.frames import Undefined, Unit
from verifier.tla.relations import assignment
from verifier.tla.specification import Specification
from verifier.tla.splitting import Formula
from verifier.tla.translate.sampling import MOST_INITIAL
from verifier.tla.translate.set_shapes import add_members
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.translate.symbolic import Untranslated
from verifier.tla.values import NoValue, listed


def bounds_of_types(specification: Specification, shapes: dict[str, Shape]) -> None:
    """Adds the sets that invariants say variables are in, where they are finite."""
    for formula in specification.invariants.values():
        for variable, relation, of in _said_of_variables(specification, formula, ()):
            if relation == "\\in":
                _widen(specification, shapes, variable, relation, of)


def bounds_of_init(specification: Specification, shapes: dict[str, Shape]) -> None:
    """Adds the values that Init says each variable has, whatever the others have. Raises Untranslated if it
    does not say that of one of them: its values in the initial states are not known then."""
    bounded = set()
    for formula in specification.init:
        for variable, relation, of in _said_of_variables(specification, formula, ()):
            if _widen(specification, shapes, variable, relation, of):
                bounded.add(variable)
    for one in specification.variables:
        if one not in bounded:
            raise Untranslated(
                specification.init[0].body.place,
                f"Init has more than {MOST_INITIAL:,} states, and does not say by itself which values "
                f"{one.name} has, as {one.name} \\in S does where no variable occurs in S",
            )


def is_bounded(specification: Specification) -> bool:
    """Whether Init says by itself which values each variable has, whatever the others have."""
    said = (_said_of_variables(specification, formula, ()) for formula in specification.init)
    known = {variable for each in said for variable, *_ in each}
    if not known.issuperset(specification.variables):  # before large sets are made for nothing
        return False
    try:
        bounds_of_init(specification, {one.name: Shape() for one in specification.variables})
    except Untranslated:
        return False
    return True


def is_true_once(specification: Specification) -> bool:
    """Whether Init is true of each state in one way, as TLC counts ways: it gives the variables their values
    one after the other, and tests all that could be true in several ways once all of them have values."""
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
    if isinstance(body, ast.Junction) and body.conjunction:
        parts = [Formula(item, formula.module) for item in body.items]
        return all(_is_true_once(specification, part, assigned, seen) for part in parts)
    if isinstance(body, ast.Apply):
        symbol = evaluator.resolve(body.operator, formula.module) or body.operator
        if isinstance(symbol, Definition) and not body.arguments and symbol not in seen:
            assert symbol.body is not None
            further = Formula(symbol.body, symbol.module)
            return _is_true_once(specification, further, assigned, (*seen, symbol))
        if assignment(symbol, body) is not None:
            left = body.arguments[0]
            if isinstance(left, ast.Apply) and isinstance(left.operator, ast.Variable):
                assigned.add(left.operator)
            return True
    return not evaluator.actions.branches(body, Unit(formula.module), True)


def _widen(
    specification: Specification,
    shapes: dict[str, Shape],
    variable: ast.Variable,
    relation: str,
    of: Formula,
) -> bool:
    """Adds the value, or the members of the set, to a shape. Whether they are finitely many."""
    wider = Shape()
    try:
        wider.merge(shapes[variable.name])
        value = specification.evaluator.compiled(of.body, of.module)()
        if relation == "=":
            wider.add(listed(value))
        else:
            add_members(wider, value)
    except (NoShape, NoValue, Undefined):
        return False
    shapes[variable.name] = wider
    return True


def _said_of_variables(
    specification: Specification, formula: Formula, seen: tuple[Definition, ...]
) -> Iterable[tuple[ast.Variable, str, Formula]]:
    """What a formula says of single variables in all states in which it holds: that they are equal to, or in,
    something that is the same in all states."""
    body, evaluator = formula.body, specification.evaluator
    if isinstance(body, ast.Junction) and body.conjunction:
        for item in body.items:
            yield from _said_of_variables(specification, Formula(item, formula.module), seen)
    if isinstance(body, ast.Let):
        inner = Formula(body.body, formula.module)
        for variable, relation, of in _said_of_variables(specification, inner, seen):
            yield variable, relation, Formula(replace(body, body=of.body), of.module)
    if not isinstance(body, ast.Apply):
        return
    symbol = evaluator.resolve(body.operator, formula.module) or body.operator
    if (
        isinstance(symbol, Definition)
        and not body.arguments
        and symbol.body is not None
        and symbol not in seen
    ):
        further = Formula(symbol.body, symbol.module)
        yield from _said_of_variables(specification, further, (*seen, symbol))
    elif (found := assignment(symbol, body)) is not None:
        relation, (left, right) = found[0], found[1].arguments
        known = evaluator.is_constant(right, formula.module)
        if known and isinstance(left, ast.Apply) and isinstance(left.operator, ast.Variable):
            yield left.operator, relation, Formula(right, formula.module)
