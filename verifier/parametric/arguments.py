"""What a new symbol is applied to: then a formula has one symbol wherever the same is said of something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.parametric.logic import Logic, Node, walk

PARAMETER = "?"
"""In the name of each parameter of an action, and of no state variable."""


@dataclass(frozen=True)
class Abstracted:
    """A formula in which variables stand for parameters of an action."""

    formula: Node
    variables: tuple[Node, ...]
    """What is free in it, but those that it is about."""
    arguments: tuple[Node, ...]
    """What these stand for."""


def abstracted(logic: Logic, formula: Node, about: Sequence[Node]) -> Abstracted:
    """Parameters as variables: a lemma says of every client what an action reads of the one that takes it.
    Variables are in the order in which the formula speaks of them, which does not depend on how it was read.
    """
    found: dict[Node, None] = {}

    def see(node: Node) -> None:
        is_parameter = node.kind == "app" and not node.args and PARAMETER in node.data
        if is_parameter or (node.kind == "var" and node in formula.free and node not in about):
            found[node] = None

    walk(formula, see)
    fresh = {node: node if node.kind == "var" else logic.variable(node.sort) for node in found}
    constants = {node: variable for node, variable in fresh.items() if node.kind == "app"}
    general = logic.replaced(formula, constants) if constants else formula
    return Abstracted(general, tuple(fresh.values()), tuple(fresh))
