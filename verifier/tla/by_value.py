"""Arguments are passed to operator arguments as values, so no operator argument may distinguish equal
arguments.

Where ``G(F(_), a) == F(a)`` is used as ``G(P, x)``, x is evaluated before P gets it. If ``P(a)`` is ``a'`` or
``[]a``, this differs from ``P(x)``, because x has another value in another state. So it is refused if a
checked formula contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.errors import TlaError
from verifier.tla.facts import subexpressions
from verifier.tla.splitting import Formula


def refuse_by_value(
    formulas: Iterable[Formula],
    errors: Mapping[Expression, str],
    resolve: Callable[[Symbol, str], Symbol | None],
) -> None:
    """Raise TlaError if a formula contains one of the expressions in ``errors``, with the error there."""
    waiting = [(formula.body, formula.module) for formula in formulas] if errors else []
    seen = set[Definition]()
    while waiting:
        part, module = waiting.pop()
        if part in errors:
            raise TlaError(part.place, errors[part])
        if isinstance(part, ast.Apply | ast.OperatorArgument):
            symbol = resolve(part.operator, module) or part.operator
            if isinstance(symbol, Definition) and symbol.body is not None and symbol not in seen:
                seen.add(symbol)
                waiting.append((symbol.body, symbol.module))
        if isinstance(part, ast.Let):
            waiting.append((part.body, module))
        waiting += [(inside, module) for inside in subexpressions(part)[0]]
