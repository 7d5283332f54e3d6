"""The texts in which a configuration replaces a definition, and the arity of the substitute.

TLC replaces the definition that the root knows by this name, in every text that mentions it without an
instance's name. A definition stays the same by EXTENDS, and by an unnamed INSTANCE of a module without
declarations. Any other unnamed INSTANCE makes a new definition, and ``I!Op`` is always a new one.
"""

from __future__ import annotations

from verifier.tla import ast
from verifier.tla.ast import Copy, Definition, Parameter, Symbol
from verifier.tla.errors import Place, TlaError, takes


def taking(parameters: tuple[Parameter, ...], target: Symbol) -> Symbol:
    """Return an operator that takes the parameters of a definition, those of its instance first."""
    count = arity(target)
    if len(parameters) == count:
        return target
    own = tuple(Parameter(f"p{number}", one.arity) for number, one in enumerate(parameters))
    place = target.place if isinstance(target, Definition) else Place("", 0, 0)
    given = tuple(ast.Apply(one, place=place) for one in own[len(own) - count :])
    body = ast.Apply(target, given, place=place)
    module = target.module if isinstance(target, Definition) else ""
    return Definition(target.name, own, module, place, body=body)


def check_takes_as_many(
    one: Symbol, name: str, other: Symbol, other_name: str, place: Place, instances: int = 0
) -> None:
    """Raise TlaError if two operators have different numbers of arguments. ``instances``: how many parameters
    the other one has from its instances."""
    own = arity(other) - (instances if isinstance(other, Definition) else 0)
    if arity(one) != own:
        raise TlaError(place, f"{takes(name, arity(one))}, {other_name} {own}")


def identity(symbol: Definition, copies: tuple[Copy, ...]) -> tuple[str, ...]:
    """Return the definition that a text means if it reaches this one through these unnamed INSTANCEs."""
    assert symbol.home is not None
    origin, new = symbol.home, list[str]()
    for copy in reversed(copies):
        if copy.local or origin.constants or origin.variables or origin.given:
            new.append(copy.by.name)
            origin = copy.by
    return (symbol.module, symbol.name, *new)


def arity(symbol: Symbol) -> int:
    """Return the number of arguments."""
    return 0 if isinstance(symbol, ast.Variable | ast.Bound) else symbol.arity
