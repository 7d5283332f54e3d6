"""The substitutes of an INSTANCE: symbols, or definitions of the expressions that stand there."""

from __future__ import annotations

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Definition, Parameter
from verifier.tla.errors import TlaError
from verifier.tla.expressions import Expressions
from verifier.tla.operators import names_form
from verifier.tla.precedence import canonical
from verifier.tla.scope import Named, Scope
from verifier.tla.text import text_of


def read_substitute(reader: Expressions, module: str, name: str, value: Node, scope: Scope) -> Named:
    """Read the substitute of a parameter. ``module``: the one that contains the INSTANCE."""
    place = reader.source.place(value)
    form = names_form(value)
    arity = reader.arity_of_name(value, scope)
    if value.type == "lambda" or form or arity:
        if arity:
            read = reader.argument(value, arity, scope)
        else:
            read = reader.form_as_operator(value, scope) if form else reader.read(value, scope)
        if isinstance(read, ast.OperatorArgument):
            return read.operator
        assert isinstance(read, ast.Lambda)
        given = (*scope.extra, *read.parameters)
        return _keep(Definition(name, given, module, place, scope.nested, read.body), scope)
    if value.type.endswith("_op_symbol"):
        return reader.lookup(canonical(text_of(value)), scope, place)
    if value.type == "identifier_ref":
        symbol = scope.find(text_of(value))
        if isinstance(symbol, ast.Instance):
            raise TlaError(place, f"{symbol.name} is an instance of a module: write {symbol.name}!Operator")
        if isinstance(symbol, Parameter) and symbol in scope.extra and symbol.arity:
            own = tuple(Parameter(f"p{number}") for number in range(symbol.arity))
            whole = ast.Apply(symbol, tuple(ast.Apply(one, place=place) for one in own), place=place)
            given = (*scope.extra, *own)
            made = Definition(name, given, module, place, scope.nested, whole)
            return _keep(made, scope)
        if symbol is not None:  # this includes a parameter of the instance: its argument may be primed
            return symbol
    body = reader.read(value, scope)
    return _keep(Definition(name, scope.extra, module, place, scope.nested, body), scope)


def _keep(made: Definition, scope: Scope) -> Definition:
    if scope.made is not None:
        scope.made.append(made)
    return made
