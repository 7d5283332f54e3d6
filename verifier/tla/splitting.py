"""The parts of temporal formulas: about initial states, all states, all steps, and whole executions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import STATE, TEMPORAL


@dataclass(frozen=True)
class Formula:
    """A formula, and the module that contains its text."""

    body: Expression
    module: str


@dataclass(frozen=True)
class Safety:
    """The parts of a property that are checked on states and steps, and the rest."""

    initially: tuple[Formula, ...] = ()
    always: tuple[Formula, ...] = ()
    steps: tuple[Formula, ...] = ()
    liveness: tuple[Formula, ...] = ()
    parts: tuple[Formula, ...] = ()
    """All parts as they are written. The property is their conjunction."""


def conjuncts(evaluator: Evaluator, formula: Formula) -> Safety:
    """Return the parts of a temporal formula: about initial states, all states, all steps, and the rest."""
    parts = list(_conjuncts(evaluator, formula, ()))
    by_kind: dict[str, list[Formula]] = {"initially": [], "always": [], "steps": [], "liveness": []}
    for part in parts:
        body, module = part.body, part.module
        level = evaluator.analysis.of(body, module).level
        if level <= STATE:
            by_kind["initially"].append(part)
        elif isinstance(body, ast.Temporal) and body.kind == "[]":
            inner = body.items[0]
            inside = evaluator.analysis.of(inner, module).level
            if _is_step(inner) and inside < TEMPORAL:  # [TRUE]_<<>> mentions no variable
                by_kind["steps"].append(Formula(inner, module))
            elif inside <= STATE:
                by_kind["always"].append(Formula(inner, module))
            else:
                by_kind["liveness"].append(part)
        else:
            by_kind["liveness"].append(part)
    return Safety(**{name: tuple(formulas) for name, formulas in by_kind.items()}, parts=tuple(parts))


def _is_step(inner: ast.Expression) -> bool:
    """True if a formula is ``[A]_v``, or a universal quantifier over one."""
    if isinstance(inner, ast.Quantifier):
        return inner.universal and _is_step(inner.body)
    return isinstance(inner, ast.Step) and inner.stuttering


def _conjuncts(evaluator: Evaluator, formula: Formula, seen: tuple[Definition, ...]) -> list[Formula]:
    body, module = formula.body, formula.module
    if evaluator.analysis.of(body, module).level <= STATE:
        return [formula]
    if isinstance(body, ast.Junction) and body.conjunction:
        return [part for item in body.items for part in _conjuncts(evaluator, Formula(item, module), seen)]
    if isinstance(body, ast.Apply):
        opened = _open_definition(evaluator, body, module, seen)
        if opened is not None:
            return opened
    if isinstance(body, ast.Quantifier) and body.universal and _is_constant(evaluator, body, module):
        parts = _conjuncts(evaluator, Formula(body.body, module), seen)
        if all(part.module == module for part in parts):
            return [_of_each(part, body) for part in parts]
    if isinstance(body, ast.Let):
        return _conjuncts_of_let(evaluator, body, module, seen) or [formula]
    if isinstance(body, ast.Temporal) and body.kind == "[]":
        return _conjuncts_always(evaluator, body, module, seen)
    return [formula]


def _conjuncts_of_let(
    evaluator: Evaluator, whole: ast.Let, module: str, seen: tuple[Definition, ...]
) -> list[Formula]:
    """Return the parts of ``LET ... IN F``, each with the definitions that it needs. There are none if one of
    them belongs to the text of another module."""

    def let(body: Expression) -> Expression:
        needed = set(evaluator.analysis.of(body, module).free)
        for definition in (*whole.definitions, *reversed(whole.definitions)):
            if definition in needed:
                needed |= evaluator.analysis.of_definition(definition).free
        definitions = tuple(one for one in whole.definitions if one in needed)
        return ast.Let(definitions, body, place=body.place) if definitions else body

    def below(body: Expression) -> Expression:
        match body:
            case ast.Temporal(kind="[]", items=(item,)):
                return replace(body, items=(below(item),))
            case ast.Step(action, subscript):
                return replace(body, action=let(action), subscript=let(subscript))
            case ast.Quantifier() if _is_step(body):
                bindings = tuple(replace(one, domain=let(one.domain)) for one in body.bindings)
                return replace(body, bindings=bindings, body=below(body.body))
        return let(body)

    parts = _conjuncts(evaluator, Formula(whole.body, module), seen)
    if any(part.module != module and let(part.body) is not part.body for part in parts):
        return []
    return [Formula(below(part.body), part.module) if part.module == module else part for part in parts]


def _conjuncts_always(
    evaluator: Evaluator, body: ast.Temporal, module: str, seen: tuple[Definition, ...]
) -> list[Formula]:
    """Return the parts of ``[]F``."""

    def always(part: ast.Expression) -> ast.Temporal:
        return ast.Temporal("[]", (part,), place=body.place)

    inner = body.items[0]
    if isinstance(inner, ast.Apply) and not inner.arguments:
        symbol = evaluator.resolve(inner.operator, module) or inner.operator
        level = evaluator.analysis.of(inner, module).level
        is_defined = isinstance(symbol, Definition) and symbol.body is not None and symbol not in seen
        if is_defined and level > STATE:
            assert isinstance(symbol, Definition)
            assert symbol.body is not None
            return _conjuncts(evaluator, Formula(always(symbol.body), symbol.module), (*seen, symbol))
    if isinstance(inner, ast.Junction) and inner.conjunction:
        every = [_conjuncts(evaluator, Formula(always(item), module), seen) for item in inner.items]
        return [part for parts in every for part in parts]
    if isinstance(inner, ast.Temporal) and inner.kind == "[]":
        return _conjuncts(evaluator, Formula(inner, module), seen)
    return [Formula(body, module)]


def _open_definition(
    evaluator: Evaluator, body: ast.Apply, module: str, seen: tuple[Definition, ...]
) -> list[Formula] | None:
    """Return the parts of a name's definition; None if it has none. For an instance with parameters, each
    part has its arguments."""
    symbol = evaluator.resolve(body.operator, module) or body.operator
    if not isinstance(symbol, Definition) or symbol.body is None or symbol in seen:
        return None
    applied = _find_applied_argument(symbol, body)
    if applied is not None and symbol.module == module:
        return _conjuncts(evaluator, Formula(applied, module), (*seen, symbol))
    if any(evaluator.analysis.of(argument, module).level == TEMPORAL for argument in body.arguments):
        return _argument_alone(evaluator, symbol, body, module, seen)
    parts = _conjuncts(evaluator, Formula(symbol.body, symbol.module), (*seen, symbol))
    if not body.arguments:
        return parts
    if symbol.nested:
        return None
    return [Formula(_with_arguments(part, symbol, body), module) for part in parts]


def _find_applied_argument(symbol: Definition, whole: ast.Apply) -> ast.Expression | None:
    """Return ``G(F)`` of ``F(_) == F(e)``; None for any other operator."""
    body = symbol.body
    if (
        len(symbol.parameters) != 1
        or not isinstance(body, ast.Apply)
        or body.operator not in symbol.parameters
    ):
        return None
    (given,) = whole.arguments
    return (
        ast.Apply(given.operator, body.arguments, place=whole.place)
        if isinstance(given, ast.OperatorArgument)
        else None
    )


def _argument_alone(
    evaluator: Evaluator, symbol: Definition, whole: ast.Apply, module: str, seen: tuple[Definition, ...]
) -> list[Formula] | None:
    """Return the parts of the temporal argument of ``F(p) == p``; None for any other operator."""
    if isinstance(symbol.body, ast.Apply) and symbol.body.operator in symbol.parameters:
        argument = whole.arguments[symbol.parameters.index(symbol.body.operator)]
        return None if symbol.body.arguments else _conjuncts(evaluator, Formula(argument, module), seen)
    return None


def _with_arguments(part: Formula, symbol: Definition, whole: ast.Apply) -> ast.Expression:
    """Apply a part of a definition's body to the arguments of the whole."""

    def apply_to_arguments(body: ast.Expression) -> ast.Expression:
        made = Definition(symbol.name, symbol.parameters, part.module, symbol.place, path=symbol.path)
        made.body = body
        return ast.Apply(made, whole.arguments, place=body.place)

    match part.body:
        case ast.Temporal(items=(item,)) if part.body.kind == "[]":
            inner = _with_arguments(Formula(item, part.module), symbol, whole)
            return ast.Temporal("[]", (inner,), place=part.body.place)
        case ast.Step(action, subscript, stuttering):
            return ast.Step(
                apply_to_arguments(action), apply_to_arguments(subscript), stuttering, place=part.body.place
            )
    return apply_to_arguments(part.body)


def _of_each(part: Formula, whole: ast.Quantifier) -> Formula:
    r"""Move a quantifier inside: ``\A x \in S : []P`` is ``[](\A x \in S : P)`` if S is constant."""
    body = part.body
    if isinstance(body, ast.Temporal) and body.kind == "[]":
        inner = replace(whole, body=body.items[0])
        return Formula(replace(body, items=(inner,)), part.module)
    return Formula(replace(whole, body=body), part.module)


def _is_constant(evaluator: Evaluator, whole: ast.Quantifier, module: str) -> bool:
    return all(evaluator.is_constant(binding.domain, module) for binding in whole.bindings)
