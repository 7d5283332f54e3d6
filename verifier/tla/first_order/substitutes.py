"""Substitutes of the definitions that a configuration or a claim names, as ``Next <- Other`` puts them."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.tla import ast
from verifier.tla.first_order.constants import Constants, nodes_below, substitutes_below
from verifier.tla.first_order.scopes import Unread
from verifier.tla.specification import Specification


def note_named_substitutes(specification: Specification, constants: Constants, claims: Iterable[str]) -> None:
    """Note the definitions in place of which the specification or a claim has others.

    They are read when the configuration is, so no rule for expressions sees them. The answer must say so.
    """
    config, module = specification.config, specification.module
    named = [one.name for one in (config.specification, config.init, config.next) if one is not None]
    symbols = [module.names.get(name) for name in (*named, *claims)]
    roots: list[ast.Expression] = [
        ast.Apply(one, place=one.place) for one in symbols if isinstance(one, ast.Definition)
    ]
    for symbol, put in substitutes_below(specification, roots):
        constants.substitutes[symbol.name] = put.name


def refuse_circular_definitions(specification: Specification, roots: Iterable[ast.Expression]) -> None:
    """Refuse definitions that call themselves since the configuration replaces one of them. No RECURSIVE
    declares them, so no rule expects them. Raises Unread."""
    finished, open_ = set[int](), set[int]()

    def visit(whole: ast.Expression) -> None:
        for node in nodes_below([whole], definitions=False):
            symbol = node.operator if isinstance(node, ast.Apply) else None
            if not isinstance(symbol, ast.Definition):
                continue
            meant = specification.evaluator.resolve(symbol, symbol.module) or symbol
            if not isinstance(meant, ast.Definition) or meant.body is None or meant.recursive:
                continue
            if id(meant) in open_:
                words = f"{meant.shown} calls itself, since the configuration puts it in place of another"
                raise Unread(node.place, words)
            if id(meant) not in finished:
                open_.add(id(meant))
                visit(meant.body)
                open_.remove(id(meant))
                finished.add(id(meant))

    for root in roots:
        visit(root)
