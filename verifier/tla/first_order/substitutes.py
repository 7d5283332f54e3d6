"""Substitutes of the definitions that a configuration or a claim names, as ``Next <- Other`` puts them."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.tla import ast
from verifier.tla.first_order.constants import Constants, nodes_below
from verifier.tla.specification import Specification


def note_named_substitutes(specification: Specification, constants: Constants, claims: Iterable[str]) -> None:
    """Note the definitions in place of which the specification or a claim has others.

    They are read when the configuration is, so no rule for expressions sees them. The answer must say so.
    """
    config, module = specification.config, specification.module
    named = [one.name for one in (config.specification, config.init, config.next) if one is not None]
    symbols = [module.names.get(name) for name in (*named, *claims)]
    roots = [ast.Apply(one, place=one.place) for one in symbols if isinstance(one, ast.Definition)]
    for node in nodes_below([*roots]):
        symbol = node.operator if isinstance(node, ast.Apply) else None
        if isinstance(symbol, ast.Definition):
            put = specification.evaluator.resolve(symbol, symbol.module)
            if isinstance(put, ast.Definition) and put is not symbol:
                constants.substitutes[symbol.name] = put.name
