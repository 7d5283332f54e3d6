"""The arguments of new symbols. With them, a formula has one symbol wherever it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node, walk

PARAMETER = "?"
"""A character in the name of each parameter of an action, and of no state variable."""


@dataclass(frozen=True)
class Abstracted:
    """A formula in which variables stand for parameters of an action."""

    formula: Node
    variables: tuple[Node, ...]
    """Its free variables, without those that it is about."""
    arguments: tuple[Node, ...]
    """The terms that these variables stand for."""


def abstract_parameters(logic: Logic, formula: Node, about: Sequence[Node]) -> Abstracted:
    """Replace the parameters of an action by variables. A lemma then says of every client what an action
    reads of its own. The variables are in the order of their occurrence, which does not depend on how the
    formula was read."""
    parameters: dict[Node, None] = {}

    def see(node: Node) -> None:
        is_parameter = node.kind == "app" and not node.args and PARAMETER in node.data
        if is_parameter or (node.kind == "var" and node in formula.free and node not in about):
            parameters[node] = None

    walk(formula, see)
    fresh = {node: node if node.kind == "var" else logic.variable(node.sort) for node in parameters}
    constants = {node: variable for node, variable in fresh.items() if node.kind == "app"}
    general = logic.replace_constants(formula, constants) if constants else formula
    return Abstracted(general, tuple(fresh.values()), tuple(fresh))
