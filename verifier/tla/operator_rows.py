"""Rows of operators and operands, as they stand in the text. ``precedence`` makes trees of them."""

from __future__ import annotations

from tree_sitter import Node

from verifier.tla.precedence import Operator, canonical
from verifier.tla.text import text_of

ROWS = ("bound_infix_op", "bound_prefix_op", "bound_postfix_op")
"""The types of nodes that are operators with their operands."""


def flatten_chain(name: str, tree: object) -> list[object]:
    """Return the operands of a chain of one operator, without its parentheses."""
    if isinstance(tree, tuple) and tree[0].name == name:
        left, right = tree[1]
        return [*flatten_chain(name, left), right]
    return [tree]


def flatten_row(node: Node, row: list[object]) -> None:
    """Append the operators and operands of a node to a row, in the order of the text."""
    if node.type not in ROWS:
        row.append(node)
        return
    symbol = fields_of(node, "symbol")[0]
    fixity = node.type.removeprefix("bound_").removesuffix("_op")
    name = canonical(text_of(symbol))
    if fixity == "prefix" and name == "-":
        name = "-."
    operator = Operator(name, fixity, symbol)
    if fixity == "prefix":
        row.append(operator)
        flatten_row(fields_of(node, "rhs")[0], row)
        return
    flatten_row(fields_of(node, "lhs")[0], row)
    row.append(operator)
    if fixity == "infix":
        flatten_row(fields_of(node, "rhs")[0], row)


def fields_of(node: Node, field: str) -> list[Node]:
    """Return the named children of a node in a field."""
    return [child for child in node.children_by_field_name(field) if child.is_named]
