"""What a configuration puts for a definition takes as many arguments as that."""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Definition, Parameter, Symbol
from verifier.tla.errors import Place, TlaError, takes


def taking(parameters: tuple[Parameter, ...], target: Symbol) -> Symbol:
    """The operator that takes the parameters of a definition, those of its instance first."""
    count = arity(target)
    if len(parameters) == count:
        return target
    own = tuple(Parameter(f"p{number}", one.arity) for number, one in enumerate(parameters))
    place = target.place if isinstance(target, Definition) else Place("", 0, 0)
    given = tuple(ast.Apply(one, place=place) for one in own[len(own) - count :])
    body = ast.Apply(target, given, place=place)
    module = target.module if isinstance(target, Definition) else ""
    return Definition(target.name, own, module, place, body=body)


def check_takes_as_many(one: Symbol, name: str, other: Symbol, other_name: str, place: Place) -> None:
    """Raises TlaError for operators with other numbers of arguments."""
    if arity(one) != arity(other):
        raise TlaError(place, f"{takes(name, arity(one))}, {other_name} {arity(other)}")


def arity(symbol: Symbol) -> int:
    """How many arguments it takes."""
    return 0 if isinstance(symbol, ast.Variable | ast.Bound) else symbol.arity
