"""The nodes of first-order formulas: terms of the sorts ``Bool``, ``Int`` and those of index sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

BOOL = "Bool"
INT = "Int"


@dataclass(frozen=True, eq=False)
class Node:
    """A formula or a value. ``kind`` is one of: true, false, not, and, or, =, <=, ite, app, var, sum, *,
    forall, exists."""

    kind: str
    sort: str
    args: tuple[Node, ...] = ()
    data: Any = None
    """The data of the kind: the name of an applied symbol, or the number of a variable. For a sum, it has the
    coefficients and the constant; for a quantifier, its variables and triggers."""
    free: frozenset[Node] = field(default=frozenset(), repr=False)
    """Its free variables."""
    quantified: bool = False
    """True if it contains a quantifier."""


@dataclass(frozen=True)
class Bound:
    """The variables of a quantifier, and alternative triggers that make a solver instantiate it."""

    variables: tuple[Node, ...]
    triggers: tuple[tuple[Node, ...], ...] = ()


def walk(node: Node, see: Callable[[Node], None], seen: set[Node] | None = None) -> None:
    """Call ``see`` for this node and all nodes in it, each once, parts first."""
    seen = set() if seen is None else seen
    stack = [(node, False)]
    while stack:
        one, done = stack.pop()
        if done:
            see(one)
        elif one not in seen:
            seen.add(one)
            stack.append((one, True))
            stack.extend((arg, False) for arg in one.args)
            if isinstance(one.data, Bound):
                stack.extend((part, False) for trigger in one.data.triggers for part in trigger)


def canonical(node: Node, variables: Sequence[Node]) -> str:
    """Return a text that is equal for formulas that differ only in the numbers of variables."""
    numbers = {variable: place for place, variable in enumerate(variables)}

    def of(one: Node) -> str:
        if one.kind == "var":
            return f"v{numbers.setdefault(one, len(numbers))}:{one.sort}"
        if isinstance(one.data, Bound):
            bound = " ".join(map(of, one.data.variables))
            return f"({one.kind} {bound}. {of(one.args[0])})"
        return f"({one.kind} {one.data} {' '.join(map(of, one.args))})"

    return of(node)
