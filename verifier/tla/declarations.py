"""Names with their arity in declarations, and parameters as arguments."""

from __future__ import annotations

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Expression, Parameter
from verifier.tla.errors import Place
from verifier.tla.precedence import canonical
from verifier.tla.text import text_of


def pass_parameter_on(parameter: Parameter, place: Place) -> Expression:
    """Return a parameter as an argument of another operator."""
    if parameter.arity:
        return ast.OperatorArgument(parameter, place=place)
    return ast.Apply(parameter, place=place)


def read_declaration(node: Node) -> tuple[str, int]:
    """Return the name and arity of a declaration."""
    if node.type != "operator_declaration":
        return text_of(node), 0
    places = [child for child in node.named_children if child.type == "placeholder"]
    name = node.child_by_field_name("name")
    assert name is not None
    return canonical(text_of(name)), len(places)
