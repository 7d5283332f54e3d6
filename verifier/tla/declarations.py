"""Declared names with their arity, and which of two definitions by one name is taken."""

from __future__ import annotations

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Parameter, Symbol
from verifier.tla.errors import Place
from verifier.tla.precedence import canonical
from verifier.tla.scope import Named, Scope
from verifier.tla.text import text_of


def gives_way(symbol: Named, known: Named, scope: Scope, *, instance: bool) -> bool:
    """Whether, of two definitions that modules bring, the first is taken. SANY warns of it; those of an
    instance have to take as many arguments."""
    defined = (Definition, ast.Builtin)
    if not isinstance(known, defined) or not isinstance(symbol, defined):
        return False
    return not instance or own_arity(known, scope.extra) == own_arity(symbol, scope.extra)


def own_arity(symbol: Symbol, extra: tuple[Parameter, ...]) -> int:
    """How many arguments it takes besides those of the instance around."""
    if isinstance(symbol, Definition):
        return sum(parameter not in extra for parameter in symbol.parameters)
    return symbol.arity if isinstance(symbol, ast.Constant | ast.Builtin | Parameter) else 0


def passed_on(parameter: Parameter, place: Place) -> Expression:
    """A parameter as an argument of another operator."""
    if parameter.arity:
        return ast.OperatorArgument(parameter, place=place)
    return ast.Apply(parameter, place=place)


def declared(node: Node) -> tuple[str, int]:
    """The name and arity of a declaration."""
    if node.type != "operator_declaration":
        return text_of(node), 0
    places = [child for child in node.named_children if child.type == "placeholder"]
    name = node.child_by_field_name("name")
    assert name is not None
    return canonical(text_of(name)), len(places)
