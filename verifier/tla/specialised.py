r"""Calls with a LAMBDA, as calls of a definition of a LET that has the body of the LAMBDA in place.

With ``Any(S, P(_)) == \E x \in S : P(x)``, ``Any(T, LAMBDA y : y > n)`` becomes ``\E x \in T : x > n``. This
saves a call for each element. It is sound under three conditions. Each use of P is a call with bound names,
which always have a value. Both texts are of one module, so that each name means the same. The names that the
definition binds are new for each call: ``Any(S, LAMBDA y : Any(T, LAMBDA z : z = y))`` has two x, of which
the inner one must not stand for the outer one. Primes are excluded, and so is recursion, because the body
would have no end. So is @, which would be that of an EXCEPT of the definition.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verifier.tla import ast
from verifier.tla.ast import Bound, Definition, Expression, Parameter
from verifier.tla.facts import AT, STATE, subexpressions
from verifier.tla.frames import Unit
from verifier.tla.renaming import rebuild, rename_symbols

if TYPE_CHECKING:
    from verifier.tla.evaluator import Evaluator


class _NotSpecialised(Exception):
    """A use of an operator parameter that has to stay a call."""


def specialise_call(
    ev: Evaluator, symbol: Definition, whole: ast.Apply, unit: Unit, primed: bool
) -> ast.Apply | None:
    """Return the call of a definition whose body has the LAMBDAs; None if it stays as it is."""
    given = dict(zip(symbol.parameters, whole.arguments, strict=True))
    operators = {name: one for name, one in given.items() if isinstance(one, ast.Lambda)}
    if not operators or primed or symbol.nested or symbol.recursive or symbol.module != unit.module:
        return None
    if ev.counts is not None or ev.analysis.of_definition(symbol).level > STATE or symbol.body is None:
        return None
    if any(AT in ev.analysis.of(one, unit.module).free for one in operators.values()):
        return None
    names = {name: Parameter(name.name, name.arity) for name in symbol.parameters if name not in operators}
    kept = tuple(names.values())
    renamed = dict[ast.Symbol, ast.Symbol](names.items())
    try:
        renamed |= {name: replace(name) for name in _list_bound_names(symbol.body)}
        body = _put(rename_symbols(symbol.body, renamed), operators)
    except _NotSpecialised:
        return None
    made = Definition(symbol.name, kept, symbol.module, symbol.place, True, body, symbol.path)
    return replace(whole, operator=made, arguments=tuple(one for name, one in given.items() if name in names))


def _list_bound_names(whole: Expression) -> list[Bound | Parameter]:
    """Return the names that an expression binds, at any depth."""
    if isinstance(whole, ast.Let):
        raise _NotSpecialised  # its definitions may have been compiled for another call
    parts, names = subexpressions(whole)
    own = [name for name in names if isinstance(name, Bound | Parameter)]
    return own + [name for part in parts for name in _list_bound_names(part)]


def _put(thing: Any, operators: dict[Parameter, ast.Lambda]) -> Any:
    """Return a part of a body with the bodies of LAMBDAs for the calls of parameters."""
    match thing:
        case ast.OperatorArgument(operator=operator) if operator in operators:
            raise _NotSpecialised
        case ast.Apply(operator=Parameter() as operator, arguments=arguments) if operator in operators:
            called, names = operators[operator], [_bound_name(one) for one in arguments]
            return rename_symbols(called.body, dict(zip(called.parameters, names, strict=True)))
    return rebuild(thing, lambda part: _put(part, operators))


def _bound_name(whole: Expression) -> Bound:
    if isinstance(whole, ast.Apply) and isinstance(whole.operator, Bound):
        return whole.operator
    raise _NotSpecialised
