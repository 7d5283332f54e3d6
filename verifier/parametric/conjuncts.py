"""The parts of formulas that are proved one by one."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.parametric.logic import Logic
from verifier.parametric.nodes import Node


def conjuncts(logic: Logic, formula: Node, *, implied: bool) -> Iterator[Node]:
    """Yield parts whose conjunction is the formula. ``implied``: also split a conjunction that others
    imply."""
    if formula.kind == "and":
        for part in formula.args:
            yield from conjuncts(logic, part, implied=implied)
    elif formula.kind == "forall":
        for part in conjuncts(logic, formula.args[0], implied=implied):
            yield logic.forall(formula.data.variables, part)
    elif implied and formula.kind == "or" and (split := _find_implied_part(formula)) is not None:
        others = logic.disj(arg for arg in formula.args if arg is not split)
        for part in conjuncts(logic, split, implied=True):
            if part.kind == "forall":
                yield logic.forall(part.data.variables, logic.disj((others, part.args[0])))
            else:
                yield logic.disj((others, part))
    else:
        yield formula


def _find_implied_part(formula: Node) -> Node | None:
    """Return the only part of a disjunction that is a conjunction, perhaps below a universal quantifier."""
    conjunctions = []
    for arg in formula.args:
        inner = arg
        while inner.kind == "forall":
            inner = inner.args[0]
        if inner.kind == "and":
            conjunctions.append(arg)
    return conjunctions[0] if len(conjunctions) == 1 else None
