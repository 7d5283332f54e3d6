r"""Names whose value a guard determines. In ``\E x \in S : x = e /\ A``, x is e, so no engine tries every
member of S.

This is sound under three conditions: x has the sort of e, S contains all values of that sort, and no formula
before ``x = e`` mentions x. A guard is read from the left: e is read there for every x, and the rest is read
only where e has a value. The guard ``e = e`` still reads e. If e is a variant, the guard also checks that it
has the tag of x.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from verifier.encodings.sorts import Variant
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla import ast
from verifier.tla.ast import Builtin, Definition, Expression
from verifier.tla.evaluator import Evaluator
from verifier.tla.translate.terms import TRUTH, is_undefined, with_symbols


def find_determined_value(guards: Sequence[Term], symbol: Symbol) -> tuple[list[Term], Term] | None:
    """Return the guards with a variable replaced by the value that it must have, and that value. None if the
    first guard that mentions the variable does not determine it."""
    for place, guard in enumerate(guards):
        if symbol in guard.free:
            solution = _solve_guard(guard, symbol)
            if solution is None:
                return None
            made, value = solution
            later = [with_symbols(one, {symbol: value}) for one in guards[place + 1 :]]
            return [*guards[:place], made, *later], value
    return None


def _solve_guard(guard: Term, symbol: Symbol) -> tuple[Term, Term] | None:
    """Return a guard with a variable replaced by the value that the guard determines, and that value. The
    new guard still reads the value. None if the guard does not determine the variable."""
    arguments = guard.arguments
    match guard.operator:
        case Operator.EQUAL:
            left, right = arguments
            return _equation(left, right, symbol) or _equation(right, left, symbol)
        case Operator.AND:
            inside = find_determined_value(arguments, symbol)
            return inside and (Term(Operator.AND, guard.sort, tuple(inside[0])), inside[1])
        case Operator.IF if symbol not in arguments[0].free and is_undefined(arguments[2]):
            value = _solve_guard(arguments[1], symbol)
            return value and (Term(Operator.IF, guard.sort, (arguments[0], value[0], arguments[2])), value[1])
    return None


def _equation(one: Term, other: Term, symbol: Symbol) -> tuple[Term, Term] | None:
    """Solve an equation whose right side is the variable, or a variant that holds it, as `_solve_guard`
    does."""
    if symbol in one.free:
        return None
    if other.operator is Operator.VARIABLE and one.sort == other.sort:
        return Term(Operator.EQUAL, TRUTH, (one, one)), one
    if other.operator is not Operator.VARIANT or not isinstance(one.sort, Variant):
        return None
    tag, (held,) = str(other.data), other.arguments
    if held.operator is not Operator.VARIABLE or (tag, held.sort) not in one.sort.alternatives:
        return None
    return Term(Operator.HAS_TAG, TRUTH, (one,), tag), Term(Operator.PAYLOAD, held.sort, (one,), tag)


def replace_determined(
    guards: list[Term], symbols: Iterable[Symbol]
) -> tuple[list[Term], dict[Symbol, Term]]:
    """Replace the variables that guards determine. Returns the new guards and the values, which are
    substituted for the variables one after the other."""
    values: dict[Symbol, Term] = {}
    for symbol in symbols:
        value = find_determined_value(guards, symbol)
        if value is not None:
            guards, values[symbol] = value
    return guards, values


def find_equated(
    evaluator: Evaluator, whole: Expression, names: Iterable[ast.Symbol], module: str
) -> set[ast.Symbol]:
    """Return the names that stand alone on one side of an equation among the conjuncts of a formula."""
    return _Equations(evaluator).of(whole, set(names), module)


@dataclass
class _Equations:
    evaluator: Evaluator
    entered: list[Definition] = field(default_factory=list)

    def of(self, whole: Expression, names: set[ast.Symbol], module: str) -> set[ast.Symbol]:
        """Return the names that stand alone on one side of an equation."""
        match whole:
            case ast.Junction() if whole.conjunction and names:
                return set().union(*(self.of(item, names, module) for item in whole.items))
            case ast.Let():
                return self.of(whole.body, names, module)
            case ast.Apply():
                return self._of_operator(whole, names, module)
        return set()

    def _of_operator(self, whole: ast.Apply, names: set[ast.Symbol], module: str) -> set[ast.Symbol]:
        symbol = self.evaluator.resolve(whole.operator, module) or whole.operator
        given = [_name(argument) for argument in whole.arguments]
        if isinstance(symbol, Builtin):
            return names.intersection(given) if symbol.name == "=" else set()
        if not isinstance(symbol, Definition) or symbol.body is None or symbol in self.entered:
            return set()
        self.entered.append(symbol)
        pairs = zip(symbol.parameters, given, strict=True)
        of: dict[ast.Symbol, ast.Symbol] = {p: one for p, one in pairs if one is not None and one in names}
        values = self.of(symbol.body, set(of), symbol.module)
        self.entered.pop()
        return {of[one] for one in values}


def _name(argument: Expression) -> ast.Symbol | None:
    return argument.operator if isinstance(argument, ast.Apply) and not argument.arguments else None
